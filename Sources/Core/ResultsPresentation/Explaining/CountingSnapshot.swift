import ResultsDomain

/// A snapshot that counts the queries of a list (R89).
final class CountingSnapshot: StoreSnapshot {
  private let base: any StoreSnapshot
  /// The work so far.
  private(set) var work = ListWork()

  init(_ base: any StoreSnapshot) { self.base = base }

  var version: StoreVersion { base.version }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    work.queries += 1
    work.rows += keys.count
    return try base.rows(keys, of: entity)
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    work.queries += 1
    try base.entries(of: definition) { (batch) throws(StoreError) in
      work.keys += batch.count
      return try body(batch)
    }
  }

  func count(of entity: EntityDescription, where predicate: FetchPredicate) throws(StoreError)
    -> Int
  {
    work.queries += 1
    return try base.count(of: entity, where: predicate)
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    work.queries += 1
    try base.digests(of: definition, attributes: attributes) { (batch) throws(StoreError) in
      work.digests += batch.count
      return try body(batch)
    }
  }

  func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    work.queries += 1
    try base.aggregates(aggregates, of: definition, groupedByFirst: columns, body)
  }

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    try base.history(since: version, of: entity)
  }

  func bookmark() throws(StoreError) -> StoreBookmark? { try base.bookmark() }

  func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? {
    try base.version(at: bookmark)
  }

  func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? {
    try base.orderedSource(of: definition).map { CountingSource($0, of: self) }
  }

  /// Counts a query of an index.
  fileprivate func record(keys: Int) {
    work.queries += 1
    work.keys += keys
  }

  func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan {
    try base.plan(of: definition)
  }
}

/// An ordered source that counts the queries of a list.
private final class CountingSource: OrderedSource {
  private let base: any OrderedSource
  private let snapshot: CountingSnapshot

  init(_ base: any OrderedSource, of snapshot: CountingSnapshot) {
    self.base = base
    self.snapshot = snapshot
  }

  func count(from lower: KeyBound?, to upper: KeyBound?) throws(StoreError) -> Int {
    snapshot.record(keys: 0)
    return try base.count(from: lower, to: upper)
  }

  func keys(
    from lower: KeyBound?,
    to upper: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    let batch = try base.keys(from: lower, to: upper, skipping: skipped, limit: limit)
    snapshot.record(keys: batch.count)
    return batch
  }

  func sample(
    every stride: Int,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int? {
    var keys = 0
    defer { snapshot.record(keys: keys) }
    return try base.sample(every: stride) { (batch) throws(StoreError) in
      keys += batch.count
      return try body(batch)
    }
  }

  func groups(
    byFirstColumns columns: Int,
    _ body: (_ prefix: [UInt8], _ count: Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    snapshot.record(keys: 0)
    try base.groups(byFirstColumns: columns, body)
  }

  func ranks(of keys: EntryBatch) throws(StoreError) -> [Int] {
    snapshot.record(keys: 0)
    return try base.ranks(of: keys)
  }

  func estimatedCount() throws(StoreError) -> Int? {
    snapshot.record(keys: 0)
    return try base.estimatedCount()
  }
}

/// Measures elapsed time by a given clock.
struct Stopwatch {
  /// The time since the stopwatch was created.
  let elapsed: () -> Duration

  /// Starts measuring.
  init(_ clock: any Clock<Duration>) { elapsed = Stopwatch.start(clock) }

  private static func start<Time: Clock<Duration>>(_ clock: Time) -> () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }
}
