import InMemoryPersistence
import ResultsDomain
import Synchronization

/// A good store with one fault, or none.
final class FaultyStore: Store {
  let base: InMemoryStore
  let fault: StoreFault?
  private let gate = Mutex<Void>(())

  init(entities: [EntityDescription], fault: StoreFault?) throws {
    base = try InMemoryStore(entities: entities)
    self.fault = fault
  }

  var identity: StoreIdentity { base.identity }
  var capabilities: StoreCapabilities { base.capabilities }
  var entities: [EntityDescription] { base.entities }
  var executor: (any TaskExecutor)? { nil }

  func checkForExternalChanges() throws(StoreError) { try base.checkForExternalChanges() }

  func close() throws(StoreError) {
    if fault != .answersWhenClosed { try base.close() }
  }

  func commitNotifications() -> AsyncStream<Void> {
    guard fault == .neverHints else { return base.commitNotifications() }
    return AsyncStream { _ in }
  }

  func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    if fault == .readersWaitForWriters { gate.withLock { _ in } }
    return try base.read { (snapshot) throws(StoreError) in
      try body(FaultySnapshot(snapshot, of: self))
    }
  }

  func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    switch fault {
    case .keepsHalfTransactions: try commitHalf(origin, body)
    case .readersWaitForWriters:
      try gate.withLock { (_) throws(StoreError) in try commitWhole(origin, body) }
    case .forgetsOrigin: try commitWhole(.unnamed, body)
    default: try commitWhole(origin, body)
    }
  }

  private func commitWhole<Result: Sendable>(
    _ origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    try base.commit(origin: origin) { try body(FaultyTransaction($0, of: self)) }
  }

  private func commitHalf<Result: Sendable>(
    _ origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    var failure: (any Error)?
    let committed = try base.commit(origin: origin) { transaction -> Result? in
      do {
        return try body(FaultyTransaction(transaction, of: self))
      } catch {
        failure = error
        return nil
      }
    }
    guard let result = committed.result else {
      if let error = failure as? StoreError { throw error }
      throw .aborted(by: failure ?? CancellationError())
    }
    return Committed(result: result, version: committed.version)
  }
}
