import FileFormats
import Foundation
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
package import TerminalFrontEnd
import WireFormat

/// A printer of a complete list in any format, section by section and row by row, without holding it in memory.
struct ListPrinter {
  let columns: [ListColumn]
  let format: OutputFormat
  let isColored: Bool
  let settings: LocaleSettings
  let nouns: (one: String, many: String)
  let keyTitle: String
  /// Whether JSON lines have the key.
  var showsKey = true
  let output: TerminalOutput

  /// Prints a list of one version, with the names of related objects, and with running values from an end of the list.
  /// - Throws: `ResultsError` for a row that cannot be read, `TerminalOutputError`.
  func print(
    _ reading: ResultsReading<Row>,
    _ fields: ObjectFields,
    runningFrom origin: RunningOrigin? = nil
  ) throws {
    let named = columns.named
    var content = ListContent(reading)
    if !named.isEmpty, format != .json {
      content = ListContent(reading) { (rows, snapshot) throws(StoreError) in
        try fields.rows(rows, adding: named, in: snapshot)
      }
    }
    if let running = columns.running, let origin {
      content = content.adding(RunningRows(running, from: origin, in: reading))
    }
    try print(content)
  }

  /// Prints a list.
  /// - Throws: `ResultsError` for a row that cannot be read, `TerminalOutputError`.
  func print(_ list: ListContent) throws {
    switch format {
    case .json: try printSnapshot(list)
    case .jsonl: try printLines(list)
    case .table, .plain, .tsv, .csv: try printTable(list)
    }
    try output.flush()
  }

  private func printTable(_ list: ListContent) throws {
    let results = list.results
    let tableFormat = TableFormat(rawValue: format.rawValue) ?? .plain
    let formatter = ValueFormatter(for: format.isForPeople ? settings : nil)
    let isSectioned = results.isSectioned
    var table = TableWriter(
      columns: columns.tableColumns,
      options: TableWriter.Options(
        format: tableFormat,
        lineWidth: output.lineWidth,
        isColored: isColored,
        isTerminal: output.isTerminal,
        sectionHeading: isSectioned ? "section" : nil,
        groupHeading: results.isGrouped ? "group" : nil
      )
    )
    try list.forEach { section in
      guard isSectioned else { return }
      if let group = results.group(beginningAt: section.index) {
        try output.write(
          table.group(title: group.title, detail: formatter.detail(of: group.header))
        )
      }
      // Sums are shown in a list with groups, whose headers add them up.
      let sums = results.isGrouped ? formatter.text(of: section.aggregates) : ""
      try output.write(
        table.section(
          title: section.title,
          count: section.count,
          total: section.header.matchingCount,
          aggregate: sums.isEmpty ? nil : sums
        )
      )
    } row: { _, row in
      try output.write(table.row(columns.map { $0.text(row, formatter) }))
    }
    try output.write(table.end())
    if format.isForPeople { try printSummary(results, hiddenColumns: table.hiddenColumns) }
  }

  private func printSummary(_ results: ResultsList<Row>, hiddenColumns: Int) throws {
    let shown = results.count
    let all = results.matchingCount
    let noun = all == 1 ? nouns.one : nouns.many
    let count = shown == all ? "\(all)" : "\(shown) of \(all)"
    let divisions = results.sections.count
    var sections =
      results.isSectioned ? " in \(divisions) \(divisions == 1 ? "section" : "sections")" : ""
    if results.isGrouped {
      let groups = results.groups.count
      sections += " and \(groups) \(groups == 1 ? "group" : "groups")"
    }
    let hidden =
      hiddenColumns == 0
      ? ""
      : "; \(hiddenColumns) more \(hiddenColumns == 1 ? "column" : "columns"): --columns chooses"
    let line = "\(count) \(noun)\(sections)\(hidden)"
    try output.write((isColored ? Style.secondary.applied(to: line) : line) + "\n")
  }

  private func printSnapshot(_ list: ListContent) throws {
    let line = try WireLines(list.results.snapshot).finalSnapshot(list)
    try output.write(json: line + "\n")
  }

  private func printLines(_ list: ListContent) throws {
    var writer = JSONLinesWriter()
    let isSectioned = list.results.isSectioned
    let others = columns.filter { $0.nameBesideKey != nil }
    let shown = (showsKey ? [ListColumn.key(keyTitle)] : []) + others
    let isGrouped = list.results.isGrouped
    let divisions = (isGrouped ? ["group"] : []) + (isSectioned ? ["section"] : [])
    try output.write(writer.begin(columns: divisions + shown.map(\.title)))
    var group: [Value] = []
    try list.forEach { section in
      if let next = list.results.group(beginningAt: section.index) { group = [next.id] }
    } row: { section, row in
      let before = group + (isSectioned ? [section.id.value] : [])
      let booleans = ListColumn.booleans(shown, in: row).map { $0 + before.count }
      let values = before + shown.map { $0.value(row) }
      try output.write(json: writer.write(values, booleans: Set(booleans)))
    }
    try output.write(writer.end())
  }
}

extension TerminalOutput {
  /// The width that tables are fitted to: that of the terminal; `nil` for any other output, where nothing is shortened.
  package var lineWidth: Int? { size(environment: ProcessInfo.processInfo.environment)?.columns }

  /// Writes JSON; on a terminal, characters that it would obey or hide are written as JSON escapes.
  func write(json text: String) throws(TerminalOutputError) {
    try write(isTerminal ? SafeText.json(text) : text)
  }
}

/// A list to be printed, and the function that reads its rows.
struct ListContent {
  /// The sections and positions.
  let results: ResultsList<Row>
  private let rows: (Range<Int>) throws(ResultsError) -> [Row]
  /// The number of rows to read at once.
  static let batchSize = 500

  /// Creates the content of a list whose rows are all of one version.
  init(_ reading: ResultsReading<Row>) {
    results = reading.results
    rows = { (positions) throws(ResultsError) in try reading.objects(at: positions) }
  }

  /// Creates the content of a list whose rows are all of one version, and are completed a batch at a time.
  init(
    _ reading: ResultsReading<Row>,
    completing complete: @escaping ([Row], any StoreSnapshot) throws(StoreError) -> [Row]
  ) {
    results = reading.results
    rows = { (positions) throws(ResultsError) in
      let rows = try reading.objects(at: positions)
      do throws(StoreError) {
        return try complete(rows, reading.snapshot)
      } catch {
        throw .store(error)
      }
    }
  }

  private init(
    _ results: ResultsList<Row>,
    rows: @escaping (Range<Int>) throws(ResultsError) -> [Row]
  ) {
    (self.results, self.rows) = (results, rows)
  }

  /// Returns the content with running values behind the others of each row.
  fileprivate func adding(_ values: RunningRows) -> ListContent {
    var values = values
    return ListContent(results) { [rows] (positions) throws(ResultsError) in
      try values.completing(try rows(positions), at: positions)
    }
  }

  /// Creates the content of a list whose rows are read in snapshots of their own.
  init(_ results: ResultsList<Row>) {
    self.results = results
    rows = { (positions) throws(ResultsError) in try results.objects(at: positions) }
  }

  /// Calls a closure for every section, and another for every row of it, in order.
  /// - Throws: `ResultsError` for a row that cannot be read, or the error of a closure.
  func forEach(
    section begin: (ResultsSection<Row>) throws -> Void,
    row: (ResultsSection<Row>, Row) throws -> Void
  ) throws {
    var batch: [Row] = []
    var (position, start) = (0, 0)
    func readAhead() throws {
      guard position == start + batch.count, position < results.count else { return }
      start = position
      batch = try rows(start..<min(start + ListContent.batchSize, results.count))
    }
    for section in results.sections {
      // So nothing of a list is printed before its first rows are read.
      try readAhead()
      try begin(section)
      for _ in 0..<section.count {
        try readAhead()
        try row(section, batch[position - start])
        position += 1
      }
    }
  }
}

/// The running values of a list that is read in order, many at a time, since each reading aggregates what is beyond it.
private struct RunningRows {
  private let column: RunningColumn
  private let origin: RunningOrigin
  private let reading: ResultsReading<Row>
  private var values: [AggregateValue] = []
  private var start = 0
  private static let count = 20_000

  init(_ column: RunningColumn, from origin: RunningOrigin, in reading: ResultsReading<Row>) {
    (self.column, self.origin, self.reading) = (column, origin, reading)
  }

  /// Returns rows with their running values behind the others.
  mutating func completing(_ rows: [Row], at positions: Range<Int>) throws(ResultsError) -> [Row] {
    guard let first = rows.first else { return rows }
    if positions.lowerBound < start || positions.upperBound > start + values.count {
      start = positions.lowerBound
      values = try reading.runningValues(
        of: reading.results.section(at: 0)?.aggregates.first?.name ?? "",
        from: origin,
        at: start..<start + max(RunningRows.count, positions.count)
      )
    }
    let type = values.first?.type ?? .integer64
    let entity = first.entity.adding([AttributeDescription(column.name, type, isOptional: true)])
    return zip(positions, rows).map { position, row in
      let value = values[position - start]
      let shown = value.isOverflow ? .text("overflow") : value.value
      return Row(entity: entity, id: row.id, values: row.values + [shown])
    }
  }
}

extension FetchedResultsController where Object == Row {
  /// Prints the list in one version, without blocking on the output meanwhile.
  ///
  /// Where no log records every writer, commits of other processes are noticed by checking: the version that is read can lack rows of the
  /// list. The store is checked then, which advances the list, and the list is printed again (R190).
  /// - Parameters:
  ///   - canFollowPart: Whether the list can be printed again after its first rows.
  ///   - print: Prints the list; of a list that is printed in parts, nothing before the first rows are read.
  /// - Returns: What the closure returns.
  /// - Throws: `CommandFailure` if rows are missing again and again, or after a part was printed; the errors of the closure.
  func printing<Result>(
    again canFollowPart: Bool,
    _ print: (ResultsReading<Row>) throws -> Result
  ) async throws -> Result {
    for _ in 0..<100 {
      var count = 0
      do {
        return try TerminalOutput.standard.withoutWaiting {
          try read { reading in
            count = reading.results.count
            return try print(reading)
          }
        }
      } catch let error as ResultsError where error.isOfAnotherVersion {
        guard canFollowPart || count <= ListContent.batchSize else { break }
        try await refresh()
      }
    }
    throw CommandFailure.printedListChanged
  }
}

extension ResultsError {
  /// Whether the version that is read lacks rows of the list, or cannot say what its running values are.
  fileprivate var isOfAnotherVersion: Bool {
    switch self {
    case .rowGone, .store(.historyLost): true
    default: false
    }
  }
}

extension CommandFailure {
  /// Rows of a list were deleted while it was printed.
  static let printedListChanged = CommandFailure(
    .temporary,
    "Another program changed the list while it was printed.",
    remedy: "Print it again."
  )
}

extension [ListColumn] {
  /// The relationships whose objects' names are shown.
  var named: [NamedRelationship] {
    compactMap { column in
      if case .named(let relationship) = column { relationship } else { nil }
    }
  }
}

/// An encoder of lists as lines of the wire format.
struct WireLines {
  let encoder: WireEncoder

  init(_ entity: EntityDescription) { encoder = WireEncoder(entity: entity) }

  /// Creates an encoder of the rows of a list: of what its changes correct (R202).
  init(_ snapshot: ResultsSnapshot) {
    encoder = WireEncoder(entity: snapshot.entity, attributes: snapshot.observedAttributes)
  }

  /// Returns the line of a list that changes follow.
  /// - Throws: `ResultsError` for a row that cannot be read.
  func snapshot(_ list: ListContent) throws -> String {
    encoder.snapshot(
      at: list.results.position,
      groups: list.results.groups.map(\.header),
      sections: try sections(of: list)
    )
  }

  /// Returns the line of a list without changes: it names no life, so that equal lists are equal bytes.
  /// - Throws: `ResultsError` for a row that cannot be read.
  func finalSnapshot(_ list: ListContent) throws -> String {
    let position = ResultsPosition(life: .unknown, generation: list.results.generation)
    return encoder.snapshot(
      at: position,
      groups: list.results.groups.map(\.header),
      sections: try sections(of: list)
    )
  }

  /// Returns the line of a list that replaces the previous one.
  /// - Throws: `ResultsError` for a row that cannot be read.
  func reset(_ list: ListContent, because reason: ResultsResetReason) throws -> String {
    encoder.reset(
      because: reason,
      at: list.results.position,
      groups: list.results.groups.map(\.header),
      sections: try sections(of: list)
    )
  }

  private func sections(of list: ListContent) throws -> [WireSection] {
    var sections: [WireSection] = []
    try list.forEach { section in
      sections.append(WireSection(header: section.header, rows: []))
    } row: { _, row in
      sections[sections.count - 1].rows.append(row)
    }
    return sections
  }
}

extension [ListColumn] {
  /// The index of the column whose texts name rows: the first one of texts, or else the first that is no key; `nil` for keys alone.
  var nameIndex: Int? {
    let others = firstIndex { if case .key = $0 { false } else { true } }
    return firstIndex(where: \.isName) ?? others
  }

  /// The columns of a table; the one that names rows keeps more of its width than the others.
  var tableColumns: [TableColumn] {
    var result = map(\.tableColumn)
    if let index = firstIndex(where: \.isName) {
      result[index].minimumWidth = TableColumn.nameMinimumWidth
    }
    return result
  }
}

extension ListColumn {
  /// Whether the texts of the column can name rows.
  fileprivate var isName: Bool {
    switch self {
    case .attribute(_, let attribute), .related(let attribute), .value(_, let attribute):
      attribute.type == .text && attribute.words == nil
    case .named: true
    case .key, .transient, .running: false
    }
  }

  /// The column of a table; numbers are aligned at the right, and ids are not truncated.
  var tableColumn: TableColumn {
    TableColumn(
      title,
      alignment: isNumber ? .trailing : .leading,
      minimumWidth: isKey ? .max : TableColumn.usualMinimumWidth
    )
  }

  private var isKey: Bool { if case .key = self { true } else { false } }

  private var isNumber: Bool {
    switch self {
    case .key: false
    case .attribute(_, let attribute), .related(let attribute), .value(_, let attribute),
      .running(_, let attribute):
      attribute.type.isNumber
    case .named: false
    case .transient(let transient): transient.type.isNumber
    }
  }
}
