import InMemoryPersistence
import ResultsDomain
import Synchronization

/// A store that counts what is read, and fails or misbehaves on demand.
final class WatchedStore: Store {
  struct Watch {
    var rowsRead = 0
    var keyReadings = 0
    var failure: StoreError?
    var repeatsEntries = false
  }

  let base: InMemoryStore
  let watch = Mutex(Watch())

  init(_ base: InMemoryStore) { self.base = base }

  var rowsRead: Int { watch.withLock { $0.rowsRead } }
  func fail(with error: StoreError?) { watch.withLock { $0.failure = error } }

  var identity: StoreIdentity { base.identity }
  var capabilities: StoreCapabilities { base.capabilities }
  var entities: [EntityDescription] { base.entities }
  var executor: (any TaskExecutor)? { base.executor }
  func lookForOtherWriters() throws(StoreError) { try base.lookForOtherWriters() }
  func close() throws(StoreError) { try base.close() }
  func hints() -> AsyncStream<Void> { base.hints() }

  func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    if let failure = watch.withLock({ $0.failure }) { throw failure }
    return try base.read { (snapshot) throws(StoreError) in
      try body(WatchedSnapshot(snapshot, self))
    }
  }

  func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    try base.commit(origin: origin, body)
  }
}

final class WatchedSnapshot: StoreSnapshot {
  private let base: any StoreSnapshot
  private let store: WatchedStore

  init(_ base: any StoreSnapshot, _ store: WatchedStore) {
    self.base = base
    self.store = store
  }

  var version: StoreVersion { base.version }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    store.watch.withLock { $0.rowsRead += keys.count }
    return try base.rows(keys, of: entity)
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    store.watch.withLock { $0.keyReadings += 1 }
    let repeats = store.watch.withLock { $0.repeatsEntries }
    try base.entries(of: definition) { (batch) throws(StoreError) in
      if repeats, !(try body(batch)) { return false }
      return try body(batch)
    }
  }

  func count(of entity: EntityDescription, where predicate: FetchPredicate) throws(StoreError)
    -> Int
  {
    try base.count(of: entity, where: predicate)
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try base.digests(of: definition, attributes: attributes, body)
  }

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    try base.history(since: version, of: entity)
  }
}
