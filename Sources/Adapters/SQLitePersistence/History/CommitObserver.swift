import GRDB

/// Tells the store when the writing connection commits or rolls back, whoever asked for it.
final class CommitObserver: TransactionObserver, Sendable {
  private let core: StoreCore

  init(_ core: StoreCore) { self.core = core }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

  func databaseDidChange(with event: DatabaseEvent) {}

  func databaseWillCommit() { core.willCommit() }

  func databaseDidCommit(_ database: Database) { core.didCommit(on: database) }

  func databaseDidRollback(_ database: Database) { core.didRollback(on: database) }
}
