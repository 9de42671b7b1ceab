package import ProgramFrontEnd
package import ResultsDomain
package import ResultsPresentation
import ResultsStoreKit
import TerminalFrontEnd
import WireFormat

/// A display that prints the events of a list to standard output, in the format of the options.
package struct ListDisplay<Program: ListProgram>: ResultsDisplay {
  private let printer: ListPrinter
  private let changes: ChangePrinter
  /// The encoder of the list that is shown, whose rows can have more than the program's attributes.
  private var wire: WireLines
  private let isWire: Bool
  /// The generation of the printed list; 0 before the first list.
  package private(set) var generation = 0

  /// Creates a display with the options of a verb.
  /// - Throws: `CommandFailure` for an unknown column.
  package init(_ options: ChangeOutputOptions, _ settings: LocaleSettings) throws {
    let columns = try options.rows.columns(of: Program.self)
    let format = options.listFormat
    isWire = !format.isForPeople
    printer = ListPrinter(
      columns: columns,
      format: format,
      isColored: options.rows.isColored,
      settings: settings,
      nouns: Program.nouns,
      keyTitle: Program.keyTitle,
      output: .standard
    )
    changes = ChangePrinter(
      columns: columns,
      isColored: options.rows.isColored,
      settings: settings,
      output: .standard
    )
    wire = WireLines(Program.entity)
  }

  /// Prints a list whose rows are all of one version.
  /// - Throws: `ResultsError` for a row that cannot be read, `TerminalOutputError`.
  package mutating func show(_ reading: ResultsReading<Row>) throws {
    try show(ListContent(reading))
  }

  /// Prints a list of one version that replaces the previous one.
  /// - Throws: `ResultsError` for a row that cannot be read, `TerminalOutputError`.
  package mutating func reset(
    _ reading: ResultsReading<Row>,
    because reason: ResultsResetReason
  ) throws {
    try reset(ListContent(reading), because: reason)
  }

  /// Prints a list whose rows are read in snapshots of their own.
  /// - Throws: `ResultsError` for a row that cannot be read, `TerminalOutputError`.
  package mutating func show(_ results: ResultsList<Row>) throws {
    try show(ListContent(results))
  }

  /// Prints a list that replaces the previous one, and whose rows are read in snapshots of their own.
  /// - Throws: `ResultsError` for a row that cannot be read, `TerminalOutputError`.
  package mutating func reset(
    _ results: ResultsList<Row>,
    because reason: ResultsResetReason
  ) throws {
    try reset(ListContent(results), because: reason)
  }

  private mutating func show(_ list: ListContent) throws {
    if isWire {
      wire = WireLines(list.results.snapshot)
      let line = try wire.snapshot(list)
      generation = list.results.generation
      try write(json: line)
    } else {
      generation = list.results.generation
      try printer.print(list)
    }
    try TerminalOutput.standard.flush()
  }

  private mutating func reset(_ list: ListContent, because reason: ResultsResetReason) throws {
    guard isWire else {
      generation = list.results.generation
      try write(SafeText.oneLine("= another list: \(reason)"))
      return try show(list)
    }
    wire = WireLines(list.results.snapshot)
    let line = try wire.reset(list, because: reason)
    generation = list.results.generation
    try write(json: line)
    try TerminalOutput.standard.flush()
  }

  /// Prints a change.
  /// - Throws: `TerminalOutputError`.
  package mutating func apply(_ change: ResultsChange<Row>) throws {
    generation = change.after.generation
    if isWire {
      try write(json: wire.encoder.delta(change.delta))
    } else {
      try changes.print(change)
    }
    try TerminalOutput.standard.flush()
  }

  /// Prints the failure of the last attempt to read the store.
  /// - Throws: `TerminalOutputError`.
  package mutating func report(_ failure: StoreError) throws {
    guard !isWire else {
      try write(json: wire.encoder.error("\(failure)", generation: generation))
      return try TerminalOutput.standard.flush()
    }
    let words = CommandFailure(failure).map { "\($0.message) \($0.remedy)" } ?? "\(failure)"
    let text = SafeText.oneLine("\(Program.name): \(words)")
    try TerminalOutput.standardError.write(text + "\n")
  }

  /// Prints why a list is compared although the database has a change log, or that it no longer is.
  /// - Throws: `TerminalOutputError`.
  static func note(captureProblems problems: [String], forPrograms: Bool) throws {
    guard !forPrograms else {
      try TerminalOutput.standard.write(json: WireEncoder.capture(problems: problems) + "\n")
      return try TerminalOutput.standard.flush()
    }
    let lines =
      problems.isEmpty
      ? ["the change log has every commit again"]
      : problems.map { "the list is compared after commits of others: \($0)" }
    for line in lines {
      try TerminalOutput.standardError.write(SafeText.oneLine("\(Program.name): \(line)") + "\n")
    }
  }

  /// Whether failures belong to the output, as messages for a program.
  var isForPrograms: Bool { isWire }

  private func write(_ line: String) throws { try TerminalOutput.standard.write(line + "\n") }
  private func write(json line: String) throws {
    try TerminalOutput.standard.write(json: line + "\n")
  }
}

extension StoreError {
  /// Whether a watch ends, since its list cannot be read as it began: the table has another schema, or rows without a key of their own.
  fileprivate var endsWatch: Bool {
    switch self {
    case .cannotOpen(_, .schemaMismatch), .cannotOpen(_, .missingTable),
      .cannotOpen(_, .tableChanged), .request(.duplicateIdentity):
      true
    default: false
    }
  }
}

/// A printer of changes as lines: a sign, the position, the row, and what changed.
private struct ChangePrinter {
  let columns: [ListColumn]
  let isColored: Bool
  let settings: LocaleSettings
  let output: TerminalOutput

  /// Prints one change.
  /// - Throws: `TerminalOutputError`.
  func print(_ change: ResultsChange<Row>) throws {
    let delta = change.delta
    try printGroups(delta.groups)
    for section in delta.sections.deletes {
      try line("-", .deleted, "section \(name(section.old))")
    }
    for section in delta.sections.inserts {
      try line("+", .inserted, "section \(name(section.new))")
    }
    for section in delta.sections.moves {
      try line(
        "→",
        .moved,
        "section \(name(section.new)) from \(section.from + 1) to \(section.to + 1)"
      )
    }
    let formatter = ValueFormatter(for: settings)
    for section in delta.sections.updates {
      let sums = formatter.text(of: section.new.aggregates)
      let (old, new) = (name(section.old), name(section.new))
      let isSame = old.utf8.elementsEqual(new.utf8) && !sums.isEmpty
      try line("~", .updated, "section \(old)" + (isSame ? "" : " is now \(new)"), sums)
    }
    for row in delta.rows.deletes {
      try line("-", .deleted, position(row.from.path, change.before), text(row.old, row.id))
    }
    for row in delta.rows.moves {
      let origin = sectionTitle(row.from.path, change.before)
      let here = sectionTitle(row.to.path, change.after)
      let reason = origin == here ? "from \(row.from.path)" : "from \(origin)"
      try line("→", .moved, position(row.to.path, change.after), text(row.new, row.id), reason)
    }
    for row in delta.rows.inserts {
      try line("+", .inserted, position(row.to.path, change.after), text(row.new, row.id))
    }
    for row in delta.rows.updates {
      let names = row.changed?.names(in: change.after.snapshot.entity)
      let reason = names.map { "changed \($0.joined(separator: ", "))" } ?? "changed"
      try line("~", .updated, position(row.to.path, change.after), text(row.new, row.id), reason)
    }
    try output.flush()
  }

  private func printGroups(_ groups: GroupChanges) throws {
    let formatter = ValueFormatter(for: settings)
    func name(_ header: GroupHeader) -> String { header.title.isEmpty ? "(none)" : header.title }
    for group in groups.deletes { try line("-", .deleted, "group \(name(group.old))") }
    for group in groups.inserts {
      try line("+", .inserted, "group \(name(group.new))", formatter.detail(of: group.new))
    }
    for group in groups.moves {
      try line(
        "→",
        .moved,
        "group \(name(group.new)) from \(group.from + 1) to \(group.to + 1)",
        formatter.detail(of: group.new)
      )
    }
    for group in groups.updates {
      try line("~", .updated, "group \(name(group.new))", formatter.detail(of: group.new))
    }
  }

  private func line(_ sign: String, _ style: Style, _ parts: String...) throws {
    let text = "\(sign) " + parts.filter { !$0.isEmpty }.joined(separator: "  ")
    let safe = SafeText.oneLine(text)
    try output.write((isColored ? style.applied(to: safe) : safe) + "\n")
  }

  private func name(_ header: SectionHeader) -> String {
    header.title.isEmpty ? "(none)" : header.title
  }

  private func sectionTitle(_ path: RowPath, _ results: ResultsList<Row>) -> String {
    results.snapshot.header(ofSection: path.section).map(name) ?? ""
  }

  private func position(_ path: RowPath, _ results: ResultsList<Row>) -> String {
    results.isSectioned ? "\(path) \(sectionTitle(path, results))" : "\(path)"
  }

  private func text(_ row: Row?, _ id: ObjectID) -> String {
    guard let row else { return id.description }
    let formatter = ValueFormatter(for: settings)
    return columns.map { $0.text(row, formatter) }.filter { !$0.isEmpty }.joined(separator: " · ")
  }
}

/// A display of a controller's list and its changes, in which each change applies to the list printed before.
package struct LiveDisplay<Program: ListProgram> {
  private let controller: FetchedResultsController<Row>
  private var display: ListDisplay<Program>
  private var events: ResultsChanges<Row>.AsyncIterator
  /// Whether the list has to be printed again, because it could not be read when it had to be.
  private var isBehind = false
  /// The reason of the reset that is still to be printed.
  private var reason: ResultsResetReason?

  /// Prints the list of a controller that has fetched.
  /// - Throws: `ResultsError`, `TerminalOutputError`.
  package init(
    _ controller: FetchedResultsController<Row>,
    on display: ListDisplay<Program>
  ) async throws {
    self.controller = controller
    (self.display, events) = try await LiveDisplay.reading(controller, display) { display, list in
      try display.show(list)
    }
  }

  /// The generation of the printed list.
  package var generation: Int { display.generation }

  /// Waits for the next event and prints it.
  /// - Returns: Whether it was a change, or `nil` if the controller has ended.
  /// - Throws: `ResultsError` for a row that cannot be read, `TerminalOutputError`.
  package mutating func showNext() async throws -> Bool? {
    guard let event = await events.next() else { return nil }
    switch event {
    case .failure(let failure) where failure.endsWatch:
      if display.isForPrograms { try display.report(failure) }
      throw failure
    case .failure(let failure): try display.report(failure)
    case .reset(let reason, _): try await showWhole(because: reason)
    case .snapshot: try await showWhole(because: reason)
    case .change where isBehind: try await showWhole(because: reason)
    case .change(let change):
      try display.apply(change)
      return true
    }
    return false
  }

  /// Prints the list again; if the store cannot be read, the failure is reported and the next event retries.
  private mutating func showWhole(because reason: ResultsResetReason?) async throws {
    var (generation, hasBegun) = (display.generation, false)
    do {
      (display, events) = try await LiveDisplay.reading(controller, display) { display, reading in
        hasBegun = true
        defer { generation = display.generation }
        if let reason {
          try display.reset(reading, because: reason)
        } else {
          try display.show(reading)
        }
      }
      (isBehind, self.reason) = (false, nil)
    } catch ResultsError.store(let failure) where generation == display.generation {
      (isBehind, self.reason) = (true, reason)
      // A failure before the first row is an event of its own.
      if hasBegun { try display.report(failure) }
    } catch ResultsError.ended {
      // The events end too.
    }
  }

  /// Prints a list read in one version.
  /// - Returns: The display that has printed it, and the events after that version.
  private static func reading(
    _ controller: FetchedResultsController<Row>,
    _ display: ListDisplay<Program>,
    _ show: (inout ListDisplay<Program>, ResultsReading<Row>) throws -> Void
  ) async throws -> (ListDisplay<Program>, ResultsChanges<Row>.AsyncIterator) {
    var hasBegun = false
    return try await controller.printing(again: true) { reading in
      var display = display
      if hasBegun, !display.isForPrograms, reading.results.count > ListContent.batchSize {
        try TerminalOutput.standard.write("= the list again: another program has changed it\n")
      }
      hasBegun = true
      let events = reading.subscribe()
      try show(&display, reading)
      return (display, events)
    }
  }
}
