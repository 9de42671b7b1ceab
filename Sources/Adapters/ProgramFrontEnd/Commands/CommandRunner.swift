package import ResultsDomain
package import ResultsStoreKit

/// Runs commands against a store, each under an origin of its own, and finds out what they changed, so that they can be undone.
///
/// Its calls block while the store is read or written. In asynchronous code, run them on the store's executor.
package struct CommandRunner: Sendable {
  /// A command that has run: its result, and what it changed.
  package struct Performed<Result: Sendable>: Sendable {
    /// The result of the command.
    package let result: Result
    /// The name of its commits.
    package let name: CommandName
    /// What it changed: no rows if nothing, and `nil` if that is not known, so that it cannot be undone.
    package let changes: [CommittedChange]?
  }

  private let store: any Store
  private let program: String
  private let writer: String

  /// Creates a runner.
  /// - Parameters:
  ///   - store: The store.
  ///   - program: The program, among whose commands those of the runner are found again later (R281).
  ///   - writer: What runs the commands, such as `browse`: the names of their commits begin with it and a hyphen.
  package init(_ store: any Store, of program: String, by writer: String) {
    (self.store, self.program, self.writer) = (store, program, writer)
  }

  /// The most rows that a command may change so that it can be undone: what a store remembers by default.
  ///
  /// A front end asks before it runs a command that changes more.
  package static let rowLimit = 65_536

  /// Runs a command.
  /// - Parameters:
  ///   - title: What the command does, as its commits say it to later processes: they need it before the command has run.
  ///   - body: The command, which commits to the store that it is given, without a name or with the one that it is given.
  /// - Returns: The result, and what the command changed.
  /// - Throws: The error of the command; an error that a transaction wrapped in `StoreError.aborted(by:)` is unwrapped.
  /// - Complexity: That of the command, and O(*c*) in the changes since it began.
  package func perform<Result: Sendable>(
    _ title: String,
    _ body: (any Store, CommitOrigin) throws -> Result
  ) throws -> Performed<Result> {
    let name = CommandName(title, of: program, by: writer)
    let base = try store.read { (snapshot) throws(StoreError) in snapshot.version }
    let result: Result
    do {
      result = try body(CommandStore(store, name), name.origin)
    } catch StoreError.aborted(let inner) {
      throw inner
    }
    return Performed(result: result, name: name, changes: try changes(by: name, since: base))
  }

  /// Runs a command of a program.
  /// - Throws: As `perform(_:)`.
  package func perform(
    _ command: ListCommand,
    in context: CommandContext
  ) throws -> Performed<CommandOutcome> {
    try perform(command.title) { store, origin in
      var context = context
      (context.store, context.origin) = (store, origin)
      return try command.run(context)
    }
  }

  /// Undoes a step, in one transaction; `UndoStep.inverse` does it again.
  /// - Throws: As `StoreTransaction.undo(_:among:)`: nothing is overwritten that others have changed since.
  package func undo(_ step: UndoStep) throws(StoreError) {
    let name: CommandName
    if let command = step.command {
      let act: CommandName.Act = step.isInverse ? .redid(command.id) : .undid(command.id)
      name = CommandName(command.title, of: program, by: writer, act: act)
    } else {
      name = CommandName(step.title, of: program, by: writer)
    }
    let entities = store.entities
    try store.commit(origin: name.origin) { transaction in
      try transaction.undo(step.changes, among: entities)
    }
  }

  /// The net changes of this store's own commits under a name, or `nil` if they are not known: the history does not reach back, or
  /// others changed a row between two of the commits.
  private func changes(
    by name: CommandName,
    since base: StoreVersion
  ) throws(StoreError) -> [CommittedChange]? {
    let entities = store.entities
    let history = try store.read { (snapshot) throws(StoreError) in
      try snapshot.history(since: base, ofEach: entities)
    }
    guard case .commits(let records) = history else { return nil }
    return try? CommandHistory.Command.changes(of: name.id, in: records.filter(\.isOwn))
  }
}
