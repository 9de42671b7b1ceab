import ResultsDomain
package import ResultsStoreKit

/// Takes commands of a program back, and does them again, from what the history of the store retains (R281).
///
/// Its calls block while the store is read or written.
package struct CommandUndo: Sendable {
  /// A direction.
  package enum Direction: Hashable, Sendable {
    /// Takes the last command back.
    case undo
    /// Takes the last undo back.
    case redo
  }

  /// What was done, or would be.
  package struct Outcome: Hashable, Sendable {
    /// What the command did that was taken back or done again.
    package let title: String
    /// The number of rows that were written.
    package let rows: Int
  }

  /// A command as a list of them shows it.
  package struct Entry: Hashable, Sendable {
    /// The command.
    package let command: CommandHistory.Command
    /// The number of rows that it changed, or `nil` if that is not known.
    package let rows: Int?
  }

  private let store: any Store
  private let program: String
  private let writer: String

  /// The most rows that a refusal names.
  private static let mostNamed = 10

  /// Creates what takes commands back.
  /// - Parameters:
  ///   - store: The store.
  ///   - program: The program.
  ///   - writer: What runs the commands, such as `cli`.
  package init(_ store: any Store, of program: String, by writer: String = "cli") {
    (self.store, self.program, self.writer) = (store, program, writer)
  }

  /// Takes the last command back, or the last undo, in one transaction.
  ///
  /// Every row must be as the command left it; nothing is written otherwise.
  /// - Parameters:
  ///   - direction: What to take back.
  ///   - isDryRun: Whether nothing is written, after everything has been checked.
  /// - Returns: What was done.
  /// - Throws: `CommandFailure` if there is no such command, the history does not have all of it, or rows have changed since; the store's
  ///   error.
  /// - Complexity: O(*n* + *c* log *r*) for *n* entries of the history and *c* changes since the command in *r* rows.
  package func run(_ direction: Direction, isDryRun: Bool = false) throws -> Outcome {
    var remaining = CommandUndo.attemptLimit
    while true {
      remaining -= 1
      // The last attempt has an outcome, or throws.
      let outcome = try attempt(direction, isDryRun, isLast: remaining == 0)
      if let outcome { return outcome }
    }
  }

  /// How often it is looked for the last command, if other processes take the same one back at the same time.
  private static let attemptLimit = 20

  /// Takes the last command back.
  /// - Returns: `nil` if another process has done so meanwhile, so that another one is the last.
  private func attempt(_ direction: Direction, _ isDryRun: Bool, isLast: Bool) throws -> Outcome? {
    let history = try history()
    let commands = history.commands(direction)
    for command in commands.reversed() {
      do {
        let changes = try changes(of: command)
        // A command whose commits cancel out, or concern other entities, is no step.
        guard !changes.isEmpty else { continue }
        try write(changes, of: command, direction, isDryRun)
        return Outcome(title: command.title, rows: changes.count)
      } catch let failure as CommandFailure where failure.status == .temporary && !isLast {
        if try self.history().commands(direction).contains(command) { throw failure }
        return nil
      }
    }
    guard history.isWhole || direction == .redo else { throw CommandUndo.beginsLater(nil) }
    throw CommandFailure(
      .nothingMatched,
      "The log of changes has no \(direction == .undo ? "command" : "undo") to take back.",
      remedy: "Nothing was written."
    )
  }

  /// The last commands, newest first, done or taken back.
  /// - Parameter limit: The largest number of commands.
  /// - Returns: The commands with the number of rows that each changed.
  /// - Throws: As `run(_:isDryRun:)`.
  /// - Complexity: O(*n* + *c*) for *n* entries of the history and *c* changes since the oldest of the commands.
  package func commands(limit: Int) throws -> [Entry] {
    let history = try history()
    let all = (history.done + history.undone).sorted {
      ($0.time, $0.commits.first?.number ?? 0) > ($1.time, $1.commits.first?.number ?? 0)
    }
    let shown = all.prefix(limit)
    let records = try records(ofAsManyOf: shown.compactMap(\.commits.first))
    return shown.map { command in
      let isKnown = command.isComplete && (command.commits.first?.number ?? 0) >= records.first
      let changes = isKnown ? try? command.changes(in: records.all) : nil
      return Entry(command: command, rows: changes?.count)
    }.filter { $0.rows != 0 }
  }

  /// The changes from the oldest of some commits on after which the history has no gap.
  private func records(
    ofAsManyOf commits: [RetainedCommits.Commit]
  ) throws(StoreError) -> (first: UInt64, all: [CommitRecord]) {
    for commit in commits.sorted(by: { $0.number < $1.number }) {
      if case .commits(let found) = try records(from: commit) { return (commit.number, found) }
    }
    return (.max, [])
  }

  // MARK: - Reading

  private func history() throws -> CommandHistory {
    if let problem = store.capabilities.captureProblems.first {
      throw CommandFailure(
        .nothingMatched,
        "Nothing can be taken back: the log of \(store.identity.name) is not complete, since \(problem).",
        remedy: "'\(program) doctor --repair' repairs it."
      )
    }
    let retained = try store.read { (snapshot) throws(StoreError) in
      try snapshot.retainedCommits()
    }
    guard let retained else {
      throw CommandFailure(
        .nothingMatched,
        "Nothing can be taken back: \(store.identity.name) has no log of changes, or an incomplete one.",
        remedy: "'\(program) doctor' says more."
      )
    }
    return CommandHistory(of: program, in: retained)
  }

  private func records(from commit: RetainedCommits.Commit) throws(StoreError) -> StoreHistory {
    let entities = store.entities
    return try store.read { (snapshot) throws(StoreError) in
      try snapshot.history(from: commit, ofEach: entities)
    }
  }

  private func changes(of command: CommandHistory.Command) throws -> [CommittedChange] {
    guard let first = command.commits.first, command.isComplete else {
      throw CommandUndo.beginsLater(command)
    }
    switch try records(from: first) {
    case .gap(.trimmed): throw CommandUndo.beginsLater(command)
    case .gap(let reason):
      throw CommandFailure(
        .nothingMatched,
        "Nothing can be taken back: \(reason.clause) since that command (\(command.title)).",
        remedy: "Nothing was written."
      )
    case .commits(let records):
      do {
        return try command.changes(in: records)
      } catch {
        throw CommandFailure(
          .temporary,
          "Others changed \(error.id) while the command ran (\(command.title)), so it cannot be taken back.",
          remedy: "Nothing was written."
        )
      }
    }
  }

  private static func beginsLater(_ command: CommandHistory.Command?) -> CommandFailure {
    let title = command.map { " (\($0.title))" } ?? ""
    return CommandFailure(
      .nothingMatched,
      "Nothing can be taken back: the log begins after that command\(title).",
      remedy: "Nothing was written."
    )
  }

  // MARK: - Writing

  /// Ends a transaction that only tries what would be written.
  private struct DryRun: Error {}

  private func write(
    _ changes: [CommittedChange],
    of command: CommandHistory.Command,
    _ direction: Direction,
    _ isDryRun: Bool
  ) throws {
    let name = CommandName(
      command.title,
      of: program,
      by: writer,
      act: direction == .undo ? .undid(command.id) : .redid(command.id)
    )
    let entities = store.entities
    do {
      try store.commit(origin: name.origin) { transaction in
        let conflicts = try transaction.conflicts(withUndoing: changes)
        guard conflicts.isEmpty else { throw CommandUndo.refusal(conflicts, command, direction) }
        try transaction.undo(changes, among: entities)
        if isDryRun { throw DryRun() }
      }
    } catch {
      switch error {
      case .aborted(by: is DryRun): break
      case .aborted(by: let inner as CommandFailure): throw inner
      // What a constraint of the database says, such as that another row has a unique value now.
      case .aborted(by: let inner):
        throw CommandUndo.refusal(command, direction, .badData, "\(inner)")
      case .referenced, .invalid, .alreadyExists, .notFound:
        throw CommandUndo.refusal(command, direction, error.status, error.description)
      default: throw error
      }
    }
  }

  /// The refusal for what stands in the way in the store.
  private static func refusal(
    _ command: CommandHistory.Command,
    _ direction: Direction,
    _ status: ExitStatus,
    _ reason: String
  ) -> CommandFailure {
    let step = direction == .undo ? "taken back" : "done again"
    return CommandFailure(
      status,
      "The command (\(command.title)) cannot be \(step). \(reason)",
      remedy: reason.contains("Nothing was written.") ? "" : "Nothing was written."
    )
  }

  /// The refusal that names the rows that are not as the command left them.
  private static func refusal(
    _ conflicts: [StoreError],
    _ command: CommandHistory.Command,
    _ direction: Direction
  ) -> CommandFailure {
    let count = conflicts.count
    let subject = count == 1 ? "1 row has" : "\(count) rows have"
    let step = direction == .undo ? "that command" : "the undo of that command"
    var lines = conflicts.prefix(mostNamed).map(\.changedRow)
    if count > mostNamed { lines.append("and \(count - mostNamed) more") }
    return CommandFailure(
      .temporary,
      "\(subject) been changed since \(step) (\(command.title)). Nothing was written.",
      remedy: "Take those changes back first.",
      picture: lines.joined(separator: "\n")
    )
  }
}

extension CommandHistory {
  /// The commands that a step in a direction can concern, the next one last.
  fileprivate func commands(_ direction: CommandUndo.Direction) -> [Command] {
    direction == .undo ? done : undone
  }
}

extension GapReason {
  /// What has happened, as a clause.
  fileprivate var clause: String {
    switch self {
    case .otherWriter: "changes are missing in the log"
    case .trimmed: "the log has been shortened"
    case .otherEpoch: "the store was replaced"
    case .schemaChanged: "a table was changed or recreated"
    }
  }
}

extension StoreError {
  /// The row that an undo would overwrite, and what has happened to it, for a line of its own.
  fileprivate var changedRow: String {
    switch self {
    case .conflict(let id, let expected, let stored):
      let names = zip(stored.entity.attributes, zip(stored.values, expected.values))
        .filter { $1.0 != $1.1 }.map(\.0.name)
      return "\(id): \(names.joined(separator: ", ")) changed"
    case .notFound(let id): return "\(id): deleted"
    case .alreadyExists(let id): return "\(id): added again"
    default: return description
    }
  }
}
