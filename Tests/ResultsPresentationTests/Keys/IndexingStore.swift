import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Synchronization

/// A store with an index for every order, which tests can remove.
final class IndexingStore: Store {
  let base: any Store
  let hasIndex = Atomic<Bool>(true)
  /// Whether the history of earlier versions is lost.
  let losesHistory = Atomic<Bool>(false)
  /// Whether the history reports commits without changes.
  let hidesCommits = Atomic<Bool>(false)
  /// Whether the history omits commits, as without the triggers that record them.
  let omitsCommits = Atomic<Bool>(false)
  /// Called after the next reading has begun and before it reads.
  let atNextReading = Mutex<(@Sendable () -> Void)?>(nil)
  /// The number of readings.
  let readings = Atomic<Int>(0)
  /// The number of rows read.
  let rowsRead = Atomic<Int>(0)

  init(_ base: any Store) { self.base = base }

  var identity: StoreIdentity { base.identity }
  var capabilities: StoreCapabilities {
    var capabilities = base.capabilities
    if omitsCommits.load(ordering: .relaxed) { capabilities.historyCoverage = .thisStore }
    return capabilities
  }
  var entities: [EntityDescription] { base.entities }
  var executor: (any TaskExecutor)? { base.executor }
  func checkForExternalChanges() throws(StoreError) { try base.checkForExternalChanges() }
  func close() throws(StoreError) { try base.close() }
  func commitNotifications() -> AsyncStream<Void> { base.commitNotifications() }

  func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    readings.add(1, ordering: .relaxed)
    return try base.read { (snapshot) throws(StoreError) in
      atNextReading.withLock { $0.take() }?()
      return try body(IndexingSnapshot(snapshot, self))
    }
  }

  func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    try base.commit(origin: origin, body)
  }
}

/// A snapshot of such a store.
final class IndexingSnapshot: StoreSnapshot {
  private let base: any StoreSnapshot
  private let store: IndexingStore

  init(_ base: any StoreSnapshot, _ store: IndexingStore) {
    self.base = base
    self.store = store
  }

  var version: StoreVersion { base.version }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    store.rowsRead.add(keys.count, ordering: .relaxed)
    return try base.rows(keys, of: entity)
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try base.entries(of: definition, body)
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
    if store.losesHistory.load(ordering: .relaxed), version != base.version {
      return .gap(.trimmed)
    }
    if store.omitsCommits.load(ordering: .relaxed), version != base.version {
      return .gap(.otherWriter)
    }
    guard store.hidesCommits.load(ordering: .relaxed) else {
      return try base.history(since: version, of: entity)
    }
    return .commits([])
  }

  func bookmark() throws(StoreError) -> StoreBookmark? { try base.bookmark() }

  func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? {
    try base.version(at: bookmark)
  }

  func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? {
    store.hasIndex.load(ordering: .relaxed) ? try ScannedSource(definition, in: base) : nil
  }
}
