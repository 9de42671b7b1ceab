public import ArgumentParser
import Foundation
import ResultsDomain
import TerminalFrontEnd

/// The forms a list can be printed in.
public enum OutputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// Columns fitted to the terminal.
  case table
  /// Columns separated by two spaces, nothing cut.
  case plain
  /// One row a line, separated by tabs.
  case tsv
  /// Comma-separated values.
  case csv
  /// One wire snapshot.
  case json
  /// One row a line as JSON; `watch` prints the wire form.
  case jsonl
}

/// When output is coloured.
public enum ColorOption: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// On a terminal, unless the environment says otherwise.
  case auto
  /// Always.
  case always
  /// Never.
  case never
}

/// How a list is printed.
public struct OutputOptions: ParsableArguments {
  /// The form; a table on a terminal and tab-separated lines into a pipe unless told.
  @Option(help: "The form of the output (default: table on a terminal, tsv elsewhere).")
  public var format: OutputFormat?

  /// The columns.
  @Option(help: "The columns: attribute names separated by commas; id is the key.")
  public var columns: String?

  /// When output is coloured.
  @Option(help: "Colour: auto, always or never.")
  public var color: ColorOption = .auto

  /// Makes the options with their defaults.
  public init() {}

  /// The form to print, given what standard output is.
  var resolvedFormat: OutputFormat {
    format ?? (TerminalOutput.standard.isTerminal ? .table : .tsv)
  }

  /// Whether to colour, given what standard output is and what the environment says.
  var isColored: Bool {
    let choice = ColorChoice(rawValue: color.rawValue) ?? .auto
    return choice.isEnabled(
      environment: ProcessInfo.processInfo.environment,
      isTerminal: TerminalOutput.standard.isTerminal
    )
  }

  /// The columns of a program's list.
  /// - Throws: `CommandFailure` for a name that is no attribute.
  func columns<Program: ListProgram>(of program: Program.Type) throws -> [ListColumn] {
    let names = try columns.map { try NameList.names(in: $0, of: "--columns") } ?? Program.columns
    return try names.map { name in
      if Program.entity.identity.columns == [name] || name == "id" { return .key }
      if let index = Program.entity.index(of: name) {
        return .attribute(index, Program.entity.attributes[index])
      }
      if let transient = Program.transients.first(where: { $0.name == name }) {
        return .transient(transient)
      }
      throw CommandFailure.unknownAttribute(
        name,
        of: Program.entity.name,
        known: ["id"] + Program.entity.attributes.map(\.name) + Program.transients.map(\.name),
        place: "--columns: "
      )
    }
  }
}
