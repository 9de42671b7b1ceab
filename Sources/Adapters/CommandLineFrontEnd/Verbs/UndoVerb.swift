package import ArgumentParser
package import ProgramFrontEnd
import ResultsDomain
package import ResultsStoreKit
import TerminalFrontEnd

/// `undo`: takes the last command of the program back, in whatever process it ran.
package struct UndoVerb<Program: ListProgram>: AsyncParsableCommand {
  /// The name and help of the verb.
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "undo",
      abstract: "Take the last command back.",
      discussion: Program.discussion(
        """
        Whichever process ran the last command of \(Program.name) that changed something, its rows get back what they \
        had, and removed ones their ids, in one transaction. Repeated, it goes further back; --redo takes the last \
        undo back. What other programs changed is not taken back: if they changed one of the rows since, the rows are \
        named, nothing is written, and the exit status is 75. It is 1 if there is no such command, or the log of \
        changes does not reach back so far: a file keeps the last 10,000 commits, a PostgreSQL database those of ten \
        minutes.
        """,
        examples: "undo",
        "undo --dry-run",
        "undo --list"
      )
    )
  }

  @Flag(help: "Take the last undo back.")
  var redo = false
  @Flag(help: "Print what would be taken back, and write nothing.")
  var dryRun = false
  @Flag(help: "List the last 20 commands that are in the log, newest first.")
  var list = false

  @OptionGroup var store: StoreOptions

  /// Creates the verb.
  package init() {}

  /// Refuses options that exclude each other.
  package func validate() throws {
    guard !list || !redo && !dryRun else {
      throw ValidationError("--list takes nothing back. Leave out --redo and --dry-run.")
    }
  }

  /// Takes the command back.
  package func run() async throws {
    let opened = try Program.openStore(try store.existingLocation(of: Program.self))
    let undo = CommandUndo(opened, of: Program.name)
    guard !list else {
      let entries = try undo.commands(limit: 20)
      try opened.close()
      for line in lines(of: entries) { try TerminalOutput.standard.write(line + "\n") }
      return
    }
    let outcome = try undo.run(redo ? .redo : .undo, isDryRun: dryRun)
    try opened.close()
    let done: String
    switch (redo, dryRun) {
    case (false, false): done = "took back"
    case (true, false): done = "did again"
    case (false, true): done = "would take back"
    case (true, true): done = "would do again"
    }
    let rows = dryRun ? " (\(words(outcome.rows)))" : ""
    try TerminalOutput.standard.write("\(done): \(SafeText.oneLine(outcome.title))\(rows)\n")
  }

  private func lines(of entries: [CommandUndo.Entry]) -> [String] {
    let rows = entries.map { $0.rows.map(words) ?? "?" }
    let width = rows.map(\.utf8.count).max() ?? 0
    return zip(entries, rows).map { entry, rows in
      let seconds = entry.command.time.microseconds / 1_000_000 * 1_000_000
      let time = Instant(microseconds: seconds).iso8601
      let padding = String(repeating: " ", count: width - rows.utf8.count)
      let undone = entry.command.isUndone ? " (taken back)" : ""
      return "\(time)  \(padding)\(rows)  \(SafeText.oneLine(entry.command.title))\(undone)"
    }
  }

  private func words(_ rows: Int) -> String { rows == 1 ? "1 row" : "\(rows) rows" }
}

extension ListProgram {
  /// Returns a store whose commits without a name are those of one command.
  /// - Parameters:
  ///   - title: What the command does, in the past tense, such as `removed 3 students`.
  ///   - store: The store.
  /// - Returns: The store to be written by the command.
  package static func command(_ title: String, in store: any Store) -> CommandStore {
    CommandStore(store, CommandName(title, of: name))
  }
}
