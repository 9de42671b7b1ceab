package import ResultsDomain
package import ResultsStoreKit
import Synchronization

/// A store whose commits belong to one command of a program, so that it can be taken back later, also in another process (R281).
///
/// A commit without a name gets that of the command, with its number among the command's commits. A commit with a name of its own keeps it:
/// what a program does by itself, such as fetching feeds, is no command.
package final class CommandStore: Store {
  private let base: any Store
  /// The name of the command.
  package let name: CommandName
  /// The number of the next commit; a commit that changes nothing has none.
  private let part = Mutex(1)

  /// Creates a store around another one.
  package init(_ base: any Store, _ name: CommandName) { (self.base, self.name) = (base, name) }

  /// The name and unique name of the other store.
  package var identity: StoreIdentity { base.identity }
  /// What the other store can do.
  package var capabilities: StoreCapabilities { base.capabilities }
  /// The entities of the other store.
  package var entities: [EntityDescription] { base.entities }
  /// The executor of the other store.
  package var executor: (any TaskExecutor)? { base.executor }

  /// Forwards the call.
  package func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try base.read(body)
  }

  /// Forwards the call.
  package func readOptimistically<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try base.readOptimistically(body)
  }

  /// Runs a transaction of the command, or one with a name of its own.
  @discardableResult
  package func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    guard origin == .unnamed || CommandName(origin)?.id == name.id else {
      return try base.commit(origin: origin, body)
    }
    let number = part.withLock { $0 }
    var before: StoreVersion?
    let committed = try base.commit(origin: name.part(number).origin) { transaction in
      before = transaction.version
      return try body(transaction)
    }
    if committed.version != before { part.withLock { $0 = max($0, number + 1) } }
    return committed
  }

  /// Forwards the call.
  package func commitNotifications() -> AsyncStream<Void> { base.commitNotifications() }

  /// Forwards the call.
  package func commitNotifications(
    following follow: @escaping @Sendable (any StoreSnapshot) -> Bool
  ) -> AsyncStream<Void> {
    base.commitNotifications(following: follow)
  }

  /// Forwards the call.
  package func releaseHistory(through version: StoreVersion) {
    base.releaseHistory(through: version)
  }

  /// Forwards the call.
  package func checkForExternalChanges() throws(StoreError) { try base.checkForExternalChanges() }

  /// Closes the other store.
  package func close() throws(StoreError) { try base.close() }
}
