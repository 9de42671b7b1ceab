import ResultsStoreKit
import Foundation
import ListBrowser
import ProgramFrontEnd

/// A program's manual page in the macros of `man`, made of the same texts as its help.
struct ManualPage<Program: ListProgram> {
  private let root: CommandDescription
  private var lines: [String] = []

  /// Creates the page.
  init(_ root: CommandDescription) {
    self.root = root
    writeBeginning()
    writeCommands()
    writeSharedOptions()
    if root.shown.contains(where: { $0.commandName == "browse" }) { writeKeys() }
    for topic in HelpTopic.allCases where topic != .config || !Program.isReadOnly {
      writeTopic(topic)
    }
    writeEnvironment()
    section("SEE ALSO")
    lines.append(Roff.text("\(Program.name) help VERB, sqlite3(1)"))
  }

  /// The page's text.
  var text: String { lines.joined(separator: "\n") + "\n" }

  // MARK: - Sections

  private mutating func writeBeginning() {
    let version = "\(Program.name) \(ProgramVersion.current)"
    let title = Roff.quoted(Program.name.uppercased())
    lines.append(".TH \(title) 1 \"\" \(Roff.quoted(version)) \"User Commands\"")
    section("NAME")
    var abstract = Program.abstract
    if abstract.hasSuffix(".") { abstract.removeLast() }
    lines.append(
      Roff.text("\(Program.name) \u{2013} \(abstract)").replacing("\u{2013}", with: "\\-")
    )
    section("SYNOPSIS")
    lines.append(".B \(Roff.quoted(Program.name))")
    lines.append(".RI [ VERB ] \" \" [ options ]")
    section("DESCRIPTION")
    lines.append(Roff.text(Program.abstract))
    if root.shown.contains(where: { $0.commandName == "browse" }) {
      lines.append(
        Roff.text("On a terminal, \(Program.name) without a verb is \(Program.name) browse.")
      )
    }
    write(discussion: root.discussion.map { $0.components(separatedBy: "\n\nHelp on")[0] } ?? "")
  }

  private mutating func writeCommands() {
    section("COMMANDS")
    for command in root.shown { write(command, path: []) }
  }

  private mutating func write(_ command: CommandDescription, path: [String]) {
    let words = path + [command.commandName]
    if command.shown.isEmpty {
      let arguments = command.options.filter(\.isPositional).map { argument in
        let name = (argument.valueName ?? "").uppercased()
        return argument.isRepeating ? "\(name)..." : argument.isOptional ? "[\(name)]" : name
      }
      lines.append(".SS \(Roff.quoted((words + arguments).joined(separator: " ")))")
      lines.append(Roff.text(command.abstract ?? ""))
      for argument in command.options where !shared.contains(argument) { write(argument) }
      let taken = command.options.filter(shared.contains).compactMap(\.longName)
      if !taken.isEmpty {
        let names = taken.map { "--\($0)" }.joined(separator: ", ")
        lines += [".PP", Roff.text("It takes the shared options \(names).")]
      }
      write(discussion: command.discussion ?? "")
    }
    for subcommand in command.shown { write(subcommand, path: words) }
  }

  private mutating func writeSharedOptions() {
    section("SHARED OPTIONS")
    for argument in shared { write(argument) }
  }

  /// The options that at least three commands have, each once.
  private var shared: [CommandDescription.Argument] {
    var counts: [CommandDescription.Argument: Int] = [:]
    var order: [CommandDescription.Argument] = []
    for command in root.shown.flatMap({ $0.shown.isEmpty ? [$0] : $0.shown }) {
      for argument in command.options where !argument.isPositional {
        if counts[argument] == nil { order.append(argument) }
        counts[argument, default: 0] += 1
      }
    }
    return order.filter { counts[$0, default: 0] >= 3 }
  }

  private mutating func write(_ argument: CommandDescription.Argument) {
    let value = argument.valueName ?? ""
    let names =
      argument.isPositional
      ? ["\\fI" + Roff.inline(value.uppercased()) + "\\fR"]
      : (argument.names ?? []).map { "\\fB" + Roff.inline($0.typed) + "\\fR" }
    let shownValue =
      argument.isFlag || argument.isPositional ? "" : " \\fI" + Roff.inline(value) + "\\fR"
    lines += [".TP", names.joined(separator: ", ") + shownValue]
    var text = argument.abstract ?? ""
    if let values = argument.allValues, !values.isEmpty {
      text += " It is one of \(values.joined(separator: ", "))."
    }
    if let usual = argument.defaultValue, !argument.isFlag, !usual.isEmpty {
      text += " The default is \(usual)."
    }
    lines.append(Roff.text(text))
  }

  private mutating func writeKeys() {
    section("KEYS OF BROWSE")
    lines.append(Roff.text("A number before a key repeats it."))
    for group in BrowserKeymap.Group.allCases {
      lines.append(".SS \(Roff.quoted(group.rawValue))")
      for entry in BrowserKeymap.entries where entry.group == group {
        write(key: entry.keyText, entry.help)
      }
    }
    let commands = Program.commands.filter { $0.key != nil }
    guard !commands.isEmpty else { return }
    lines.append(".SS \(Roff.quoted("Commands of \(Program.name)"))")
    for command in commands {
      write(key: command.key.map { $0 == "\r" ? "Enter" : String($0) } ?? "", command.title)
    }
  }

  private mutating func write(key: String, _ help: String) {
    lines += [".TP", "\\fB" + Roff.inline(key) + "\\fR", Roff.text(help)]
  }

  private mutating func writeTopic(_ topic: HelpTopic) {
    section(topic.manualTitle)
    literal(topic.text(of: Program.self))
  }

  private mutating func writeEnvironment() {
    section("ENVIRONMENT")
    let hasFiles = !Program.isReadOnly
    for (name, text) in HelpDocument.environment where hasFiles || !name.hasPrefix("XDG") {
      lines += [".TP", "\\fB" + Roff.inline(name) + "\\fR", Roff.text(text)]
    }
    guard hasFiles else { return }
    section("FILES")
    for (name, text) in HelpDocument.files(of: Program.name) {
      lines += [".TP", "\\fI" + Roff.inline(name) + "\\fR", Roff.text(text)]
    }
  }

  // MARK: - Parts

  private mutating func section(_ title: String) {
    lines.append(".SH \(Roff.quoted(title))")
  }

  /// Writes paragraphs; what is indented stays as it is.
  private mutating func write(discussion: String) {
    for part in discussion.components(separatedBy: "\n\n") where !part.isEmpty {
      let rows = part.split(separator: "\n").map(String.init)
      guard rows.contains(where: { $0.hasPrefix("  ") }) else {
        lines += [".PP", Roff.text(rows.joined(separator: " "))]
        continue
      }
      lines.append(".PP")
      literal(part)
    }
  }

  private mutating func literal(_ text: String) {
    let rows = text.split(separator: "\n", omittingEmptySubsequences: false)
    lines.append(".nf")
    lines += rows.map { Roff.text(String($0)) }
    lines.append(".fi")
  }
}

extension HelpTopic {
  /// The heading of the topic in a manual page.
  fileprivate var manualTitle: String {
    switch self {
    case .attributes: "ATTRIBUTES"
    case .where: "CONDITIONS"
    case .formats: "FORMATS"
    case .config: "CONFIGURATION"
    case .exit: "EXIT STATUS"
    }
  }
}

/// Texts in the language of `man`.
private enum Roff {
  /// A text without special meaning inside a line.
  static func inline(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("^", with: "\\(ha")
      .replacing("~", with: "\\(ti").replacing("`", with: "\\(ga").replacing("'", with: "\\(aq")
  }

  /// A line of text; a dot or an apostrophe at its beginning would be a request.
  static func text(_ text: String) -> String {
    let safe = inline(text)
    return safe.hasPrefix(".") ? "\\&" + safe : safe
  }

  /// An argument of a request.
  static func quoted(_ text: String) -> String {
    "\"" + inline(text).replacing("\"", with: "\\(dq") + "\""
  }
}
