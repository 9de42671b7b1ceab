public import ResultsDomain
public import ResultsStoreKit

/// A store that forwards every call to another one.
///
/// Conform to it in tests, and implement only what differs from the other store.
public protocol ForwardingStore: Store {
  /// The store that receives the calls.
  var target: any Store { get }

  /// Returns the snapshot that a read closure receives.
  /// - Parameter snapshot: The snapshot of the other store.
  /// - Returns: A snapshot that forwards to it, or the same one.
  func wrapped(_ snapshot: any StoreSnapshot) -> any StoreSnapshot
}

extension ForwardingStore {
  /// The identity of the other store.
  public var identity: StoreIdentity { target.identity }
  /// The capabilities of the other store.
  public var capabilities: StoreCapabilities { target.capabilities }
  /// The entities of the other store.
  public var entities: [EntityDescription] { target.entities }
  /// The executor of the other store.
  public var executor: (any TaskExecutor)? { target.executor }

  /// Returns the same snapshot.
  public func wrapped(_ snapshot: any StoreSnapshot) -> any StoreSnapshot { snapshot }

  /// Forwards the call.
  public func commitNotifications() -> AsyncStream<Void> { target.commitNotifications() }
  /// Forwards the call; the closure receives a wrapped snapshot.
  public func commitNotifications(
    following follow: @escaping @Sendable (any StoreSnapshot) -> Bool
  ) -> AsyncStream<Void> {
    target.commitNotifications { follow(wrapped($0)) }
  }
  /// Forwards the call.
  public func releaseHistory(through version: StoreVersion) {
    target.releaseHistory(through: version)
  }
  /// Forwards the call.
  public func checkForExternalChanges() throws(StoreError) { try target.checkForExternalChanges() }
  /// Forwards the call.
  public func close() throws(StoreError) { try target.close() }

  /// Reads the other store through a wrapped snapshot.
  public func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try target.read { (snapshot) throws(StoreError) in try body(wrapped(snapshot)) }
  }

  /// Reads the other store through wrapped snapshots.
  public func readOptimistically<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try target.readOptimistically { (snapshot) throws(StoreError) in try body(wrapped(snapshot)) }
  }

  /// Forwards the transaction.
  @discardableResult
  public func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    try target.commit(origin: origin, body)
  }
}
