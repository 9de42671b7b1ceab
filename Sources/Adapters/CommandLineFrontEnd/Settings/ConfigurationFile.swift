import ArgumentParser
import Foundation
import ProgramFrontEnd
import ResultsDomain
import TerminalFrontEnd

/// A program's configuration file: options that its user always means.
///
/// The command line takes precedence over the environment, and that over the file. What programs read depends on the file only as far
/// as it names the store.
struct ConfigurationFile {
  /// A line that sets something.
  private struct Line {
    var number: Int
    var setting: Setting
    var value: String
  }

  private let path: String
  private let environment: [String: String]
  private var lines: [Line] = []

  /// Adds the options that the program's file sets to a command line.
  /// - Parameters:
  ///   - arguments: The arguments, beginning with the verb.
  ///   - root: The root command.
  ///   - program: The program.
  ///   - environment: The variables of the environment.
  /// - Returns: The command line with these options behind the verb.
  /// - Throws: `CommandFailure` for a file that cannot be read or is not valid, with its path and line.
  static func arguments<Root: ParsableCommand, Program: ListProgram>(
    addingTo arguments: [String],
    of root: Root.Type,
    _ program: Program.Type,
    environment: [String: String]
  ) throws -> [String] {
    let options = arguments.prefix { $0 != "--" }
    guard !options.contains(where: { ["--no-config", "--help", "-h"].contains($0) }),
      let path = path(of: Program.name, environment: environment),
      FileManager.default.fileExists(atPath: path)
    else { return arguments }
    guard let command = try TypedCommand(arguments, of: root) else { return arguments }
    let (isBelow, depth) = (command.isBelow, command.depth)
    let known = Set(command.known.compactMap(\.longName))
    guard known.contains("no-config") else { return arguments }
    let file = try ConfigurationFile(at: path, of: Program.self, environment: environment)
    // All of them, so that a wrong line is found by whatever runs first.
    let values = try file.lines.map { ($0.setting, try file.argument(of: $0, Program.self)) }
    let isForPeople = isForPeople(arguments)
    let added = values.compactMap { setting, argument -> String? in
      let isGiven = options.contains {
        $0 == setting.option || $0.hasPrefix(setting.option + "=")
      }
      let isSet = setting.variables.contains { !(environment[$0] ?? "").isEmpty }
      // The names of columns are those of the program's own list, and not of one that a verb groups.
      let counts = setting.countsEverywhere || isForPeople && !(isBelow && setting.namesColumns)
      return isGiven || isSet || !counts || !known.contains(setting.rawValue) ? nil : argument
    }
    return arguments.prefix(depth) + added + arguments.dropFirst(depth)
  }

  /// Returns the store that a program's file names; `nil` for none, also for a file that is not valid.
  static func store<Program: ListProgram>(
    of program: Program.Type,
    _ arguments: [String],
    environment: [String: String]
  ) -> String? {
    guard !arguments.contains("--no-config"),
      let path = path(of: Program.name, environment: environment),
      FileManager.default.fileExists(atPath: path),
      let file = try? ConfigurationFile(at: path, of: Program.self, environment: environment),
      let line = file.lines.first(where: { $0.setting == .store }),
      let argument = try? file.argument(of: line, Program.self)
    else { return nil }
    return argument.splitAtEqualsSign.value
  }

  /// Whether the output of a verb is read by people: on a terminal, and in no format for programs.
  private static func isForPeople(_ arguments: [String]) -> Bool {
    if arguments.first == "browse" { return true }
    guard TerminalOutput.standard.isTerminal, !["import", "export"].contains(arguments.first) else {
      return false
    }
    let formats =
      zip(arguments, arguments.dropFirst()).filter { $0.0 == "--format" }.map(\.1)
      + arguments.filter { $0.hasPrefix("--format=") }.map { String($0.dropFirst(9)) }
    return formats.allSatisfy { OutputFormat(rawValue: $0)?.isForPeople ?? true }
  }

  /// Returns the path of a program's file, or `nil` where the environment names no folder for it.
  static func path(of program: String, environment: [String: String]) -> String? {
    UserFolder.configuration.path(of: program, environment).map { "\($0)/config" }
  }

  /// Reads a program's file.
  private init<Program: ListProgram>(
    at path: String,
    of program: Program.Type,
    environment: [String: String]
  ) throws {
    self.path = path
    self.environment = environment
    for (number, line) in try UserFile.lines(of: path, or: "use --no-config") {
      try add(line, number: number, of: Program.name)
    }
  }

  private mutating func add(_ line: String, number: Int, of program: String) throws(CommandFailure)
  {
    let (typed, given) = line.splitAtEqualsSign
    guard let given else {
      throw failure(number, "“\(line)” has no equals sign.", "Write NAME = VALUE.")
    }
    let name = ConfigurationFile.trimmed(typed)
    guard let setting = Setting(rawValue: name) else {
      let nearest = NearestName.of(name, among: Setting.allCases.map(\.rawValue))
      let remedy = nearest.map { "Did you mean “\($0)”?" } ?? "See '\(program) help config'."
      throw failure(number, "“\(name)” is not a setting.", remedy)
    }
    if let earlier = lines.first(where: { $0.setting == setting }) {
      throw failure(
        number,
        "“\(name)” is set in line \(earlier.number) already.",
        "Remove one of them."
      )
    }
    let value = ConfigurationFile.trimmed(given)
    lines.append(Line(number: number, setting: setting, value: value))
  }

  /// Returns the argument that a line stands for.
  private func argument<Program: ListProgram>(of line: Line, _ program: Program.Type) throws
    -> String?
  {
    do {
      return try line.setting.argument(for: line.value, home: environment["HOME"], of: Program.self)
    } catch let error {
      let known =
        CommandFailure(error) ?? CommandFailure(.configuration, "“\(line.value)” is not valid.")
      throw failure(line.number, known.message, known.remedy)
    }
  }

  private func failure(_ number: Int, _ message: String, _ remedy: String) -> CommandFailure {
    CommandFailure(.configuration, "\(path):\(number): \(message)", remedy: remedy)
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    text.trimmingCharacters(in: .whitespaces)
  }
}
