package import ArgumentParser
import Foundation
package import ProgramFrontEnd
import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

/// The formats in which a list can be printed.
package enum OutputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// Aligned columns with section headings, fitted to the terminal.
  case table
  /// Tab-separated values without a heading line, in the forms of the locale, and a summary.
  case plain
  /// Tab-separated values with a heading line.
  case tsv
  /// Comma-separated values with a heading line.
  case csv
  /// One wire snapshot.
  case json
  /// One JSON object per row; for `watch`, one wire message per line.
  case jsonl

  /// Whether the format is for people; the others are for programs.
  var isForPeople: Bool { self == .table || self == .plain }
}

/// The formats in which a list can be printed with its changes.
package enum ChangeFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// The list as a table, then a line for each change.
  case table
  /// The list as tab-separated values, then a line for each change.
  case plain
  /// One wire message per line, as `jsonl`.
  case json
  /// One wire message per line.
  case jsonl

  /// The format of the list.
  var listFormat: OutputFormat {
    switch self {
    case .table: .table
    case .plain: .plain
    case .json: .json
    case .jsonl: .jsonl
    }
  }
}

/// The choices of `--color`.
package enum ColorOption: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// Colour on a terminal, unless the environment says otherwise.
  case auto
  /// Colour everywhere.
  case always
  /// No colour.
  case never
}

/// The options for printing a list once.
package struct OutputOptions: ParsableArguments {
  /// The format; `nil` for the default.
  @Option(
    help: """
      The output format; see 'help formats' (default: table on a terminal, tsv elsewhere).
      """
  )
  package var format: OutputFormat?

  /// The columns and colours.
  @OptionGroup package var rows: RowOptions

  /// Creates the options with their defaults.
  package init() {}

  /// The format of the list.
  package var listFormat: OutputFormat {
    format ?? (TerminalOutput.standard.isTerminal ? .table : .tsv)
  }
}

/// The options for printing a list and its changes.
package struct ChangeOutputOptions: ParsableArguments {
  /// The format.
  @Option(help: "The output format; see 'help formats'.")
  package var format: ChangeFormat = .plain

  /// The columns and colours.
  @OptionGroup package var rows: RowOptions

  /// Creates the options with their defaults.
  package init() {}

  /// The format of the list before its changes.
  package var listFormat: OutputFormat { format.listFormat }
}

/// The options for printing rows.
package struct RowOptions: ParsableArguments {
  /// The columns.
  @Option(
    help: "The columns: id or attribute names, separated by commas.",
    completion: CompletedNames.columns
  )
  package var columns: String?

  /// Whether output is coloured.
  @Option(help: "Whether to colour the output.")
  package var color: ColorOption = .auto

  /// Creates the options with their defaults.
  package init() {}

  /// Whether to colour standard output.
  var isColored: Bool {
    let choice = ColorChoice(rawValue: color.rawValue) ?? .auto
    return choice.isEnabled(
      environment: ProcessInfo.processInfo.environment,
      isTerminal: TerminalOutput.standard.isTerminal
    )
  }

  /// Returns the columns of a program's list.
  /// - Parameters:
  ///   - program: The program.
  ///   - isTable: Whether people read them in a table or on a screen.
  /// - Returns: The columns that the user has named, or those of the program.
  /// - Throws: `CommandFailure` for a name that is not an attribute.
  package func columns<Program: ListProgram>(
    of program: Program.Type,
    inTable isTable: Bool = false
  ) throws -> [ListColumn] {
    let names = try columns.map { try NameList.names(in: $0, of: "--columns") }
    return try RowOptions.columns(
      named: names ?? (isTable ? Program.arrangedColumns : Program.shownColumns),
      of: Program.self
    )
  }

  /// Returns the columns of some names.
  /// - Throws: `CommandFailure` for a name that is not an attribute.
  static func columns<Program: ListProgram>(
    named names: [String],
    of program: Program.Type
  ) throws -> [ListColumn] {
    try names.map { name in
      if let index = Program.entity.index(of: name) {
        return .attribute(index, Program.entity.attributes[index])
      }
      if Program.entity.identity.columns == [name] || name == "id" {
        return .key(Program.keyTitle)
      }
      if let transient = Program.transients.first(where: { $0.name == name }) {
        return .transient(transient)
      }
      if let value = Program.namedValues.first(where: { $0.name == name }) {
        return .value(value, RelatedName.attribute(value.expression, of: Program.entity))
      }
      if let relationship = Program.fields.relationship(named: name) { return .named(relationship) }
      if let running = Program.runningColumn, running.name == name {
        return try .running(running, of: Program.self)
      }
      if let path = try RelatedName.expression(name, of: Program.self, option: "--columns") {
        return .related(RelatedName.attribute(path, of: Program.entity))
      }
      throw RelatedName.failure(
        for: name,
        of: Program.entity,
        known: ["id"] + Program.fields.form.attributes.map(\.name)
          + Program.namedValues.map(\.name) + Program.transients.map(\.name)
          + [Program.runningColumn?.name].compactMap(\.self),
        option: "--columns"
      )
    }
  }

  /// Returns a list that is printed once, without what the chosen columns do not need, and the columns.
  /// - Throws: As `columns(of:)`; `RequestError` for a definition that is not valid.
  func narrowed<Program: ListProgram>(
    _ definition: ResultsDefinition<Row>,
    of program: Program.Type,
    inTable isTable: Bool = false
  ) throws -> (ResultsDefinition<Row>, [ListColumn]) {
    let shown = try columns(of: Program.self, inTable: isTable)
    guard columns != nil else { return (definition, shown) }
    let narrowed = try Program.narrowed(definition, to: shown)
    // The columns know where their attributes are.
    return (narrowed, try columns(of: Program.self))
  }

  /// Returns the columns of a full-screen list: the running values of the program too, unless the user has chosen.
  /// - Throws: As `columns(of:)`.
  func screenColumns<Program: ListProgram>(of program: Program.Type) throws -> [ListColumn] {
    var shown = try columns(of: Program.self, inTable: true)
    guard columns == nil, let running = Program.runningColumn else { return shown }
    let column = try ListColumn.running(running, of: Program.self)
    let source = Program.headerAggregates.first?.aggregate.expression
    let summed = shown.firstIndex { source == .attribute($0.title) }
    shown.insert(column, at: summed.map { $0 + 1 } ?? shown.endIndex)
    return shown
  }
}

extension ListColumn {
  /// The column of a program's running values.
  /// - Throws: `RequestError` for an aggregate that the program's entity does not have.
  fileprivate static func running<Program: ListProgram>(
    _ running: RunningColumn,
    of program: Program.Type
  ) throws(RequestError) -> ListColumn {
    let type = try Program.headerAggregates.first?.aggregate.type(in: Program.entity)
    return .running(
      running,
      AttributeDescription(running.name, type ?? .integer64, isOptional: true)
    )
  }
}
