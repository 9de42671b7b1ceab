import ArgumentParser
import Foundation

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
