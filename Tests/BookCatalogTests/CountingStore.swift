import ResultsDomain
import Synchronization

/// A store that counts the rows which are read through it.
final class CountingStore: Store {
  private let store: any Store
  private let count = Mutex(0)

  init(_ store: any Store) { self.store = store }

  var rowsRead: Int { count.withLock { $0 } }

  var identity: StoreIdentity { store.identity }
  var capabilities: StoreCapabilities { store.capabilities }
  var entities: [EntityDescription] { store.entities }
  var executor: (any TaskExecutor)? { store.executor }
  func checkForExternalChanges() throws(StoreError) { try store.checkForExternalChanges() }
  func close() throws(StoreError) { try store.close() }
  func commitNotifications() -> AsyncStream<Void> { store.commitNotifications() }

  func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    try store.commit(origin: origin, body)
  }

  func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try store.read { (snapshot) throws(StoreError) in
      let counting = CountingSnapshot(snapshot)
      defer { count.withLock { $0 += counting.rowsRead } }
      return try body(counting)
    }
  }
}

/// A version of a store that counts the rows which are read from it.
private final class CountingSnapshot: StoreSnapshot {
  private let snapshot: any StoreSnapshot
  private(set) var rowsRead = 0

  init(_ snapshot: any StoreSnapshot) { self.snapshot = snapshot }

  var version: StoreVersion { snapshot.version }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    rowsRead += keys.count
    return try snapshot.rows(keys, of: entity)
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try snapshot.entries(of: definition, body)
  }

  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    try snapshot.count(of: entity, where: predicate)
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try snapshot.digests(of: definition, attributes: attributes, body)
  }

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    try snapshot.history(since: version, of: entity)
  }
}
