import ArgumentParser
import Foundation

/// The command that a command line runs.
struct TypedCommand {
  /// An option that was typed, with its value, or a flag without one.
  struct Option: Equatable {
    var name: String
    var value: String?
  }

  /// The options of the command.
  let known: [CommandDescription.Argument]
  /// The number of words that name the command.
  let depth: Int
  /// The words of the command, with that of a verb that was left out.
  let verb: [String]
  /// Whether the command is not one of the program's own list: another verb groups it.
  let isBelow: Bool

  /// Finds the command of a command line; `nil` if it names none that can be run.
  /// - Throws: `DecodingError` if the argument parser describes commands in another form.
  init?<Root: ParsableCommand>(_ arguments: [String], of root: Root.Type) throws {
    // The parser describes a command with all below it, so only the one that is run is asked for.
    var (command, verb): (any ParsableCommand.Type, [String]) = (root, [])
    for word in arguments {
      guard
        let next = command.configuration.subcommands.first(where: {
          $0.configuration.commandName == word
        })
      else { break }
      command = next
      verb.append(word)
    }
    depth = verb.count
    isBelow = depth > 1 || command.configuration.defaultSubcommand != nil
    if let usual = command.configuration.defaultSubcommand {
      command = usual
      verb.append(usual.configuration.commandName ?? "")
    }
    self.verb = verb
    guard command.configuration.subcommands.isEmpty else { return nil }
    known = try CommandDescription.of(command).options
  }

  /// Returns the options that a command line has, with their values.
  func options(in arguments: [String]) -> [Option] {
    var words = arguments.dropFirst(depth).prefix { $0 != "--" }[...]
    var found: [Option] = []
    while let word = words.popFirst() {
      guard word.hasPrefix("--") else { continue }
      let (name, given) = String(word.dropFirst(2)).splitAtEqualsSign
      guard let option = known.first(where: { $0.longName == name }) else { continue }
      if option.isFlag {
        found.append(Option(name: name))
      } else if let value = given ?? words.popFirst() {
        found.append(Option(name: name, value: value))
      }
    }
    return found
  }
}

/// A command with its options, as the argument parser describes it.
struct CommandDescription: Decodable, Sendable {
  /// An option, a flag or an argument.
  struct Argument: Decodable, Hashable, Sendable {
    struct Name: Decodable, Hashable, Sendable {
      var kind: String
      var name: String

      /// The name as it is typed.
      var typed: String { (kind == "long" ? "--" : "-") + name }
    }

    var kind: String
    var shouldDisplay: Bool
    var isOptional: Bool
    var isRepeating: Bool
    var names: [Name]?
    var valueName: String?
    var defaultValue: String?
    var allValues: [String]?
    var abstract: String?

    /// The long name without its dashes, or `nil` for an argument without a name.
    var longName: String? { names?.first { $0.kind == "long" }?.name }
    var isFlag: Bool { kind == "flag" }
    var isPositional: Bool { kind == "positional" }
  }

  var commandName: String
  var abstract: String?
  var discussion: String?
  var shouldDisplay: Bool?
  var subcommands: [CommandDescription]?
  var arguments: [Argument]?

  /// The commands below this one that the help shows.
  var shown: [CommandDescription] {
    (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
  }

  /// The options and arguments that the help shows, without those that every command has.
  var options: [Argument] {
    (arguments ?? []).filter {
      $0.shouldDisplay && $0.longName != "help" && $0.longName != "version"
    }
  }

  private struct Dump: Decodable { let command: CommandDescription }

  /// Returns the description of a root command.
  /// - Throws: `DecodingError` if the argument parser describes commands in another form.
  static func of<Root: ParsableCommand>(_ root: Root.Type) throws -> CommandDescription {
    let arguments = ["--experimental-dump-help"]
    do {
      _ = try root.parseAsRoot(arguments)
    } catch {
      let text = root.fullMessage(for: error)
      return try JSONDecoder().decode(Dump.self, from: Data(text.utf8)).command
    }
    return CommandDescription(commandName: root.configuration.commandName ?? "")
  }

  private init(commandName: String) {
    self.commandName = commandName
  }
}
