public import ResultsDomain
public import ResultsPresentation
import TerminalFrontEnd

/// Shows the events of a list on standard output, in the form that was asked for.
public struct ListDisplay<Program: ListProgram>: ResultsDisplay {
  private let printer: ListPrinter
  private let changes: ChangePrinter
  private let wire: WireLines
  private let isWire: Bool
  /// The generation of what is shown; 0 before the first list.
  public private(set) var generation = 0

  /// A display with the options of a verb.
  /// - Throws: `CommandFailure` for a column that is no attribute, or a form that changes have not.
  public init(_ options: OutputOptions, _ settings: LocaleSettings) throws {
    let columns = try options.columns(of: Program.self)
    let format = options.format ?? .plain
    isWire = format == .jsonl || format == .json
    guard isWire || format == .plain || format == .table else {
      throw CommandFailure(
        .usage,
        "changes have no \(format.rawValue) form.",
        remedy: "Use --format plain, table or jsonl."
      )
    }
    printer = ListPrinter(
      columns: columns,
      format: format,
      isColored: options.isColored,
      settings: settings,
      nouns: Program.nouns,
      output: .standard
    )
    changes = ChangePrinter(
      columns: columns,
      isColored: options.isColored,
      settings: settings,
      output: .standard
    )
    wire = WireLines(Program.entity)
  }

  /// Shows a whole list whose rows are all of one version.
  /// - Throws: `ResultsError` for a row that cannot be read, `TerminalOutputError`.
  public mutating func show(_ reading: ResultsReading<Row>) throws {
    try show(ListContent(reading))
  }

  /// Shows a whole list of one version, to which no change leads.
  /// - Throws: `ResultsError` for a row that cannot be read, `TerminalOutputError`.
  public mutating func reset(
    _ reading: ResultsReading<Row>,
    because reason: ResultsResetReason
  ) throws {
    try reset(ListContent(reading), because: reason)
  }

  /// Shows a whole list; rows that others write meanwhile may be newer than the list.
  /// - Throws: `ResultsError` for a row that cannot be read, `TerminalOutputError`.
  public mutating func show(_ results: FetchedResults<Row>) throws {
    try show(ListContent(results))
  }

  /// Shows a whole list to which no change leads; rows that others write meanwhile may be newer than the list.
  /// - Throws: `ResultsError` for a row that cannot be read, `TerminalOutputError`.
  public mutating func reset(
    _ results: FetchedResults<Row>,
    because reason: ResultsResetReason
  ) throws {
    try reset(ListContent(results), because: reason)
  }

  private mutating func show(_ list: ListContent) throws {
    if isWire {
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
    let line = try wire.reset(list, because: reason)
    generation = list.results.generation
    try write(json: line)
    try TerminalOutput.standard.flush()
  }

  /// Shows a change.
  /// - Throws: `TerminalOutputError`.
  public mutating func apply(_ change: ResultsChange<Row>) throws {
    generation = change.after.generation
    if isWire {
      try write(json: wire.encoder.delta(change.delta))
    } else {
      try changes.print(change)
    }
    try TerminalOutput.standard.flush()
  }

  /// Says that the last attempt failed.
  /// - Throws: `TerminalOutputError`.
  public mutating func report(_ failure: StoreError) throws {
    guard !isWire else {
      try write(json: wire.encoder.error("\(failure)", generation: generation))
      return try TerminalOutput.standard.flush()
    }
    let text = SafeText.oneLine("\(Program.name): \(failure)")
    try TerminalOutput.standardError.write(text + "\n")
  }

  private func write(_ line: String) throws { try TerminalOutput.standard.write(line + "\n") }
  private func write(json line: String) throws {
    try TerminalOutput.standard.write(json: line + "\n")
  }
}

/// Prints what happened to a list as lines: a sign, the place, the row, and why it stands there now.
struct ChangePrinter {
  let columns: [ListColumn]
  let isColored: Bool
  let settings: LocaleSettings
  let output: TerminalOutput

  /// Prints one change.
  /// - Throws: `TerminalOutputError`.
  func print(_ change: ResultsChange<Row>) throws {
    let delta = change.delta
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
    for section in delta.sections.updates {
      try line("~", .updated, "section \(name(section.old)) is now \(name(section.new))")
    }
    for row in delta.rows.deletes {
      try line("-", .deleted, place(row.from.path, change.before), text(row.old, row.id))
    }
    for row in delta.rows.moves {
      let origin = sectionTitle(row.from.path, change.before)
      let here = sectionTitle(row.to.path, change.after)
      let reason = origin == here ? "from \(row.from.path)" : "from \(origin)"
      try line("→", .moved, place(row.to.path, change.after), text(row.new, row.id), reason)
    }
    for row in delta.rows.inserts {
      try line("+", .inserted, place(row.to.path, change.after), text(row.new, row.id))
    }
    for row in delta.rows.updates {
      let names = row.changed?.names(in: change.after.snapshot.entity)
      let reason = names.map { "changed \($0.joined(separator: ", "))" } ?? "changed"
      try line("~", .updated, place(row.to.path, change.after), text(row.new, row.id), reason)
    }
    try output.flush()
  }

  private func line(_ sign: String, _ style: Style, _ parts: String...) throws {
    let text = "\(sign) " + parts.filter { !$0.isEmpty }.joined(separator: "  ")
    let safe = SafeText.oneLine(text)
    try output.write((isColored ? style.applied(to: safe) : safe) + "\n")
  }

  private func name(_ header: SectionHeader) -> String {
    header.title.isEmpty ? "(none)" : header.title
  }

  private func sectionTitle(_ path: RowPath, _ results: FetchedResults<Row>) -> String {
    results.snapshot.header(ofSection: path.section).map(name) ?? ""
  }

  private func place(_ path: RowPath, _ results: FetchedResults<Row>) -> String {
    results.isSectioned ? "\(path) \(sectionTitle(path, results))" : "\(path)"
  }

  private func text(_ row: Row?, _ id: ObjectID) -> String {
    guard let row else { return id.description }
    let printer = ValueFormatter(for: settings)
    return columns.map { $0.text(row, printer) }.filter { !$0.isEmpty }.joined(separator: " · ")
  }
}

/// Shows a controller's list and then every change of it, such that each change leads on from what was shown before.
public struct LiveDisplay<Program: ListProgram> {
  private let controller: FetchedResultsController<Row>
  private var display: ListDisplay<Program>
  private var events: ResultsChanges<Row>.AsyncIterator
  /// Whether the whole list is still to be shown, since it could not be read when it had to be, and for which reason.
  private var isBehind = false
  private var reason: ResultsResetReason?

  /// Shows the list of a controller that has fetched.
  /// - Throws: `ResultsError`, `TerminalOutputError`.
  public init(_ controller: FetchedResultsController<Row>, on display: ListDisplay<Program>) throws
  {
    self.controller = controller
    var display = display
    events = try LiveDisplay.reading(controller) { try display.show($0) }
    self.display = display
  }

  /// The generation of what is shown.
  public var generation: Int { display.generation }

  /// Waits for the next event and shows it.
  /// - Returns: Whether it was a change, or `nil` if the controller has ended.
  /// - Throws: `ResultsError` for a row that cannot be read, `TerminalOutputError`.
  public mutating func showNext() async throws -> Bool? {
    guard let event = await events.next() else { return nil }
    switch event {
    case .failure(let failure): try display.report(failure)
    case .reset(let reason, _): try showWhole(because: reason)
    case .snapshot: try showWhole(because: reason)
    case .change where isBehind: try showWhole(because: reason)
    case .change(let change):
      try display.apply(change)
      return true
    }
    return false
  }

  /// Shows the list anew; if the store cannot be read now, that is reported, and the next event makes up for it.
  private mutating func showWhole(because reason: ResultsResetReason?) throws {
    var display = display
    var hasBegun = false
    do {
      events = try LiveDisplay.reading(controller) { reading in
        hasBegun = true
        if let reason {
          try display.reset(reading, because: reason)
        } else {
          try display.show(reading)
        }
      }
      (self.display, isBehind, self.reason) = (display, false, nil)
    } catch ResultsError.store(let failure) where display.generation == self.display.generation {
      (isBehind, self.reason) = (true, reason)
      // A failure before anything was read is an event of its own.
      if hasBegun { try display.report(failure) }
    } catch ResultsError.ended {
      // The events end as well.
    }
  }

  /// Shows what is read in one version; the reader of the output is not waited for meanwhile.
  /// - Returns: The events after it.
  private static func reading(
    _ controller: FetchedResultsController<Row>,
    _ show: (ResultsReading<Row>) throws -> Void
  ) throws -> ResultsChanges<Row>.AsyncIterator {
    try TerminalOutput.standard.withoutWaiting {
      try controller.withOneVersion { reading in
        let events = reading.subscribe()
        try show(reading)
        return events
      }
    }
  }
}
