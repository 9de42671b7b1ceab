import FetchedResults
import ResultsDomain
import ResultsStoreKit
import Synchronization

/// A store that forwards to another and counts the reads.
///
/// Its only mutable state is the counters: one of reads, and the others behind a lock of their own.
final class WorkCountingStore: Store {
  /// Whether the store's history is reported as a gap, so that lists read their keys again after every commit.
  let hidesHistory: Bool

  /// The counters.
  struct Work: Sendable {
    /// The number of rows whose values were read.
    var rows = 0
    /// The number of keys that were read in order.
    var keys = 0
    /// The number of digests that were read.
    var digests = 0
    /// The number of queries: for rows, keys, digests or counts.
    var queries = 0
    /// The number of readings of rows, each of any number of rows of one entity.
    var readings = 0
    /// The number of searches for the objects that hold some keys in their foreign keys.
    var searches = 0
    /// The sum of rows, keys and digests.
    var total: Int { rows + keys + digests }
  }

  private let base: any Store
  private let work = Mutex(Work())
  private let reads = Atomic<Int>(0)

  init(_ base: any Store, hidesHistory: Bool = false) {
    self.base = base
    self.hidesHistory = hidesHistory
  }

  /// Returns the counters and resets them.
  func takeWork() -> Work {
    work.withLock { work in
      defer { work = Work() }
      return work
    }
  }

  /// The number of reads of the store, since it was opened.
  var readCount: Int { reads.load(ordering: .relaxed) }

  fileprivate func count(_ change: (inout Work) -> Void) {
    work.withLock { work in
      work.queries += 1
      change(&work)
    }
  }

  var identity: StoreIdentity { base.identity }
  var capabilities: StoreCapabilities { base.capabilities }
  var entities: [EntityDescription] { base.entities }
  var executor: (any TaskExecutor)? { base.executor }
  func commitNotifications() -> AsyncStream<Void> { base.commitNotifications() }
  func commitNotifications(
    following follow: @escaping @Sendable (any StoreSnapshot) -> Bool
  ) -> AsyncStream<Void> {
    base.commitNotifications { follow(WorkCountingSnapshot($0, self)) }
  }
  func releaseHistory(through version: StoreVersion) { base.releaseHistory(through: version) }
  func checkForExternalChanges() throws(StoreError) { try base.checkForExternalChanges() }
  func close() throws(StoreError) { try base.close() }

  func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    reads.add(1, ordering: .relaxed)
    return try base.read { (snapshot) throws(StoreError) in
      try body(WorkCountingSnapshot(snapshot, self))
    }
  }

  func readOptimistically<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    reads.add(1, ordering: .relaxed)
    return try base.readOptimistically { (snapshot) throws(StoreError) in
      try body(WorkCountingSnapshot(snapshot, self))
    }
  }

  @discardableResult
  func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> { try base.commit(origin: origin, body) }
}

/// A snapshot that counts the reads.
private final class WorkCountingSnapshot: SnapshotForwarding {
  let base: any StoreSnapshot
  private let store: WorkCountingStore

  init(_ base: any StoreSnapshot, _ store: WorkCountingStore) {
    self.base = base
    self.store = store
  }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    store.count {
      $0.rows += keys.count
      $0.readings += 1
    }
    return try base.rows(keys, of: entity)
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var count = 0
    try base.entries(of: definition) { (batch) throws(StoreError) in
      count += batch.count
      return try body(batch)
    }
    store.count { $0.keys += count }
  }

  func firstEntries(of definition: OrderDefinition, limit: Int) throws(StoreError) -> EntryBatch {
    let batch = try base.firstEntries(of: definition, limit: limit)
    store.count { $0.keys += batch.count }
    return batch
  }

  func count(of entity: EntityDescription, where predicate: FetchPredicate) throws(StoreError)
    -> Int
  {
    store.count { _ in }
    return try base.count(of: entity, where: predicate)
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var count = 0
    try base.digests(of: definition, attributes: attributes) { (batch) throws(StoreError) in
      count += batch.count
      return try body(batch)
    }
    store.count { $0.digests += count }
  }

  func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    store.count { _ in }
    try base.aggregates(aggregates, of: definition, groupedByFirst: columns, body)
  }

  func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? {
    try base.orderedSource(of: definition).map { WorkCountingSource($0, store) }
  }

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    guard !store.hidesHistory || version == base.version else { return .gap(.trimmed) }
    return try base.history(since: version, of: entity)
  }

  func history(
    since version: StoreVersion,
    ofEach entities: [EntityDescription]
  ) throws(StoreError) -> StoreHistory {
    guard !store.hidesHistory || version == base.version else { return .gap(.trimmed) }
    return try base.history(since: version, ofEach: entities)
  }

  func referrers(
    to keys: [ObjectKey],
    through attributes: [String],
    of entity: EntityDescription,
    limit: Int?
  ) throws(StoreError) -> [ObjectKey]? {
    store.count { $0.searches += keys.count }
    return try base.referrers(to: keys, through: attributes, of: entity, limit: limit)
  }
}

// MARK: - Ordered sources

/// An ordered source that counts the keys that are read.
private final class WorkCountingSource: OrderedSource {
  private let base: any OrderedSource
  private let store: WorkCountingStore

  init(_ base: any OrderedSource, _ store: WorkCountingStore) {
    self.base = base
    self.store = store
  }

  var costs: OrderedSourceCosts { base.costs }

  func count(from lower: KeyBound?, to upper: KeyBound?) throws(StoreError) -> Int {
    store.count { _ in }
    return try base.count(from: lower, to: upper)
  }

  func counts(of ranges: [KeyRange]) throws(StoreError) -> [Int] {
    store.count { _ in }
    return try base.counts(of: ranges)
  }

  func page(
    from lower: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    let batch = try base.page(from: lower, skipping: skipped, limit: limit)
    store.count { $0.keys += batch.count }
    return batch
  }

  func keys(inEach ranges: [KeyRange]) throws(StoreError) -> [EntryBatch] {
    let batches = try base.keys(inEach: ranges)
    store.count { work in work.keys += batches.reduce(0) { $0 + $1.count } }
    return batches
  }

  func firstKeys(
    ofGroupsByFirstColumns columns: Int,
    from lower: KeyBound?,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    let batch = try base.firstKeys(ofGroupsByFirstColumns: columns, from: lower, limit: limit)
    store.count { $0.keys += batch.count }
    return batch
  }

  func keys(
    from lower: KeyBound?,
    to upper: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    let batch = try base.keys(from: lower, to: upper, skipping: skipped, limit: limit)
    store.count { $0.keys += batch.count }
    return batch
  }

  func sample(
    every stride: Int,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int? {
    var keys = 0
    defer { store.count { $0.keys += keys } }
    return try base.sample(every: stride) { (batch) throws(StoreError) in
      keys += batch.count
      return try body(batch)
    }
  }

  func groups(
    byFirstColumns columns: Int,
    _ body: (_ prefix: [UInt8], _ count: Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    store.count { _ in }
    try base.groups(byFirstColumns: columns, body)
  }

  func ranks(of keys: EntryBatch) throws(StoreError) -> [Int] {
    try base.ranks(of: keys)
  }

  func estimatedCount() throws(StoreError) -> Int? {
    store.count { _ in }
    return try base.estimatedCount()
  }
}
