import FileFormats
import Foundation
import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

/// Prints a whole list in any form, section by section and row by row, without holding it.
struct ListPrinter {
  let columns: [ListColumn]
  let format: OutputFormat
  let isColored: Bool
  let settings: LocaleSettings
  let nouns: (one: String, many: String)
  let output: TerminalOutput

  /// Prints what a list shows.
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
    let isForPeople = format == .table || format == .plain
    let printer = ValueFormatter(for: isForPeople ? settings : nil)
    let isSectioned = results.isSectioned
    let size = output.size(environment: ProcessInfo.processInfo.environment)
    var table = TableWriter(
      columns: columns.map(\.tableColumn),
      options: TableWriter.Options(
        format: tableFormat,
        lineWidth: output.isTerminal ? size?.columns : nil,
        isColored: isColored,
        isTerminal: output.isTerminal,
        sectionHeading: isSectioned ? "section" : nil
      )
    )
    try list.forEach { section in
      guard isSectioned else { return }
      try output.write(table.section(title: section.title, count: section.count))
    } row: { _, row in
      try output.write(table.row(columns.map { $0.text(row, printer) }))
    }
    try output.write(table.end())
    if isForPeople { try printSummary(results) }
  }

  private func printSummary(_ results: FetchedResults<Row>) throws {
    let shown = results.count
    let all = results.matchingCount
    let noun = all == 1 ? nouns.one : nouns.many
    let count = shown == all ? "\(all)" : "\(shown) of \(all)"
    let divisions = results.sections.count
    let sections =
      results.isSectioned ? " in \(divisions) \(divisions == 1 ? "section" : "sections")" : ""
    let line = "\(count) \(noun)\(sections)"
    try output.write((isColored ? Style.secondary.applied(to: line) : line) + "\n")
  }

  private func printSnapshot(_ list: ListContent) throws {
    let line = try WireLines(list.results.snapshot.entity).finalSnapshot(list)
    try output.write(json: line + "\n")
  }

  private func printLines(_ list: ListContent) throws {
    var writer = JSONLinesWriter()
    let isSectioned = list.results.isSectioned
    let names = (isSectioned ? ["section"] : []) + ["id"] + columns.compactMap(\.nameBesideKey)
    let others = columns.filter { $0.nameBesideKey != nil }
    try output.write(writer.begin(columns: names))
    try list.forEach { _ in
    } row: { section, row in
      var values: [Value] = isSectioned ? [section.id.value] : []
      values.append(ListColumn.key.value(row))
      values += others.map { $0.value(row) }
      try output.write(json: writer.write(values))
    }
    try output.write(writer.end())
  }
}

extension TerminalOutput {
  /// Writes JSON; a person is shown what a terminal would obey or hide as escapes, which mean the same.
  func write(json text: String) throws(TerminalOutputError) {
    try write(isTerminal ? SafeText.json(text) : text)
  }
}

extension ListColumn {
  /// The column's name, unless it is the key.
  var nameBesideKey: String? {
    if case .key = self { nil } else { title }
  }
}

/// A list that is to be printed, with the way to its rows.
struct ListContent {
  /// The sections and positions.
  let results: FetchedResults<Row>
  private let rows: (Range<Int>) throws(ResultsError) -> [Row]
  /// How many rows are read at once.
  private static let batchSize = 500

  /// A list whose rows are all of one version.
  init(_ reading: ResultsReading<Row>) {
    results = reading.results
    rows = { (positions) throws(ResultsError) in try reading.objects(at: positions) }
  }

  /// A list whose rows are read as they are by then.
  init(_ results: FetchedResults<Row>) {
    self.results = results
    rows = { (positions) throws(ResultsError) in try results.objects(at: positions) }
  }

  /// Hands over every section before its rows, and every row, in order.
  /// - Throws: `ResultsError` for a row that cannot be read, or what a closure throws.
  func forEach(
    section begin: (ResultsSection<Row>) throws -> Void,
    row: (ResultsSection<Row>, Row) throws -> Void
  ) throws {
    var batch: [Row] = []
    var (position, start) = (0, 0)
    for section in results.sections {
      try begin(section)
      for _ in 0..<section.count {
        if position == start + batch.count {
          start = position
          batch = try rows(start..<min(start + ListContent.batchSize, results.count))
        }
        try row(section, batch[position - start])
        position += 1
      }
    }
  }
}

/// Writes what a list shows as lines of the wire form.
struct WireLines {
  let encoder: WireEncoder

  init(_ entity: EntityDescription) { encoder = WireEncoder(entity: entity) }

  /// The line of a whole list that changes follow.
  /// - Throws: `ResultsError` for a row that cannot be read.
  func snapshot(_ list: ListContent) throws -> String {
    encoder.snapshot(at: list.results.position, sections: try sections(of: list))
  }

  /// The line of a whole list that nothing follows: it names no life, so that equal lists are equal bytes.
  /// - Throws: `ResultsError` for a row that cannot be read.
  func finalSnapshot(_ list: ListContent) throws -> String {
    let position = ResultsPosition(life: .unknown, generation: list.results.generation)
    return encoder.snapshot(at: position, sections: try sections(of: list))
  }

  /// The line of a whole list to which no change leads.
  /// - Throws: `ResultsError` for a row that cannot be read.
  func reset(_ list: ListContent, because reason: ResultsResetReason) throws -> String {
    encoder.reset(
      because: reason,
      at: list.results.position,
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
