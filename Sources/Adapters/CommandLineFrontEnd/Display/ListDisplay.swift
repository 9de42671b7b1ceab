public import ResultsDomain
public import ResultsPresentation
import TerminalFrontEnd
import WireFormat

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
  public init(_ options: OutputOptions, _ settings: ReaderSettings) throws {
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
      reader: settings,
      nouns: Program.nouns,
      output: .standard
    )
    changes = ChangePrinter(
      columns: columns,
      isColored: options.isColored,
      reader: settings,
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
  public mutating func show(_ results: ResultsList<Row>) throws {
    try show(ListContent(results))
  }

  /// Shows a whole list to which no change leads; rows that others write meanwhile may be newer than the list.
  /// - Throws: `ResultsError` for a row that cannot be read, `TerminalOutputError`.
  public mutating func reset(
    _ results: ResultsList<Row>,
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
