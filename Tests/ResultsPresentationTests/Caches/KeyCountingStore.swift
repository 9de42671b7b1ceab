import InMemoryPersistence
import ResultsDomain
import Synchronization

/// A store that counts the keys that are read from it, and can forget how to name its versions.
final class KeyCountingStore: Store {
  struct Behaviour {
    var keysRead = 0
    var namesVersions = true
    var understandsOlderVersions = true
    var tellsWrongHistory = false
  }

  let base: InMemoryStore
  let behaviour = Mutex(Behaviour())

  init(_ base: InMemoryStore) { self.base = base }

  var keysRead: Int { behaviour.withLock { $0.keysRead } }

  var identity: StoreIdentity { base.identity }
  var capabilities: StoreCapabilities { base.capabilities }
  var entities: [EntityDescription] { base.entities }
  var executor: (any TaskExecutor)? { base.executor }
  func checkForExternalChanges() throws(StoreError) { try base.checkForExternalChanges() }
  func close() throws(StoreError) { try base.close() }
  func commitNotifications() -> AsyncStream<Void> { base.commitNotifications() }

  func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try base.read { (snapshot) throws(StoreError) in
      try body(KeyCountingSnapshot(snapshot, self))
    }
  }

  func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    try base.commit(origin: origin, body)
  }
}

final class KeyCountingSnapshot: StoreSnapshot {
  private let base: any StoreSnapshot
  private let store: KeyCountingStore
  private let behaviour: KeyCountingStore.Behaviour

  init(_ base: any StoreSnapshot, _ store: KeyCountingStore) {
    self.base = base
    self.store = store
    behaviour = store.behaviour.withLock { $0 }
  }

  var version: StoreVersion { base.version }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    try base.rows(keys, of: entity)
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try base.entries(of: definition) { (batch) throws(StoreError) in
      store.behaviour.withLock { $0.keysRead += batch.count }
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
    let history = try base.history(since: version, of: entity)
    guard behaviour.tellsWrongHistory, case .commits(let records) = history else { return history }
    return .commits(
      records.map { record in
        let changes = record.changes.map {
          CommittedChange(id: $0.id, before: $0.after, after: $0.before)
        }
        return CommitRecord(version: record.version, origin: record.origin, changes: changes)
      }
    )
  }

  func bookmark() throws(StoreError) -> StoreBookmark? {
    behaviour.namesVersions ? try base.bookmark() : nil
  }

  func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? {
    behaviour.understandsOlderVersions ? try base.version(at: bookmark) : nil
  }
}
