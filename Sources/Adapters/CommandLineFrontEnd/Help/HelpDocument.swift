import ResultsStoreKit
import ArgumentParser
import ProgramFrontEnd

/// The documents that `help` makes for other programs: the manual page, and completions for shells.
enum HelpDocument: String, CaseIterable {
  case manual
  case completions

  /// A line about the document, for the root help.
  var summary: String {
    switch self {
    case .manual: "the manual page, for man"
    case .completions: "completions for bash, zsh or fish"
    }
  }

  /// The words after `help`.
  var usage: String {
    switch self {
    case .manual: rawValue
    case .completions: "\(rawValue) SHELL"
    }
  }

  /// Returns the document that arguments such as `help completions bash` ask for, or `nil` for any other arguments.
  /// - Throws: `CommandFailure` for a shell that is not known, or for words that are too many; `DecodingError`.
  static func text<Root: ParsableCommand>(
    for arguments: [String],
    of root: Root.Type
  ) throws -> String? {
    guard arguments.count >= 2, arguments[0] == "help",
      let document = HelpDocument(rawValue: arguments[1]), let program = program(of: root)
    else { return nil }
    let rest = Array(arguments.dropFirst(2))
    switch document {
    case .manual:
      guard rest.isEmpty else {
        throw CommandFailure(
          .usage,
          "'help manual' takes no further word.",
          remedy: "Leave out “\(rest[0])”."
        )
      }
      return manual(try CommandDescription.of(root), program)
    case .completions:
      guard rest.count == 1, let shell = CompletionShell(rawValue: rest[0]) else {
        throw CommandFailure(
          .usage,
          "'help completions' takes the name of a shell.",
          remedy: "Name bash, zsh or fish."
        )
      }
      let script = root.completionScript(for: shell)
      guard shell == .bash, !program.isReadOnly else { return script + "\n" }
      return "\(script)\n\(BashCompletion.script(for: program.name))\n"
    }
  }

  private static func manual<Program: ListProgram>(
    _ root: CommandDescription,
    _ program: Program.Type
  ) -> String {
    ManualPage<Program>(root).text
  }

  /// Returns the program of a root command, by the verb that prints its topics.
  static func program<Root: ParsableCommand>(of root: Root.Type) -> (any ListProgram.Type)? {
    root.configuration.subcommands.lazy.compactMap { ($0 as? any ProgramVerb.Type)?.program }.first
  }

  /// The variables of the environment that programs use.
  static let environment = [
    ("XDG_DATA_HOME", "The folder of data, with the default store. The default is ~/.local/share."),
    ("XDG_CONFIG_HOME", "The folder of configuration files. The default is ~/.config."),
    ("XDG_STATE_HOME", "The folder of what browse remembers. The default is ~/.local/state."),
    (
      "LC_ALL, LC_TIME, LC_MONETARY, LANG",
      "The locale of dates and amounts, for output that people read."
    ),
    ("TZ", "The time zone, for output that people read."),
    ("NO_COLOR, CLICOLOR, CLICOLOR_FORCE", "Whether output is coloured; --color takes precedence."),
    ("COLUMNS, LINES", "The size of the terminal, if it does not report one."),
    ("TERM", "Where it is dumb, browse reads the list out in lines."),
  ]

  /// The files of a program.
  static func files(of program: String) -> [(String, String)] {
    [
      ("~/.local/share/\(program)/\(program).sqlite", "The default store, an SQLite database."),
      ("~/.config/\(program)/config", "The configuration: options that are always meant."),
      ("~/.config/\(program)/saved/", "The lists and imports that were saved under a name."),
      ("~/.local/state/\(program)/", "What browse remembers of each store."),
    ]
  }
}

/// A verb that knows its program.
protocol ProgramVerb {
  /// The program.
  static var program: any ListProgram.Type { get }
}

extension HelpTopicVerb: ProgramVerb {
  static var program: any ListProgram.Type { Program.self }
}
