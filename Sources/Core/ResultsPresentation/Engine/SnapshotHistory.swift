import ResultsDomain
import ResultsStoreKit

/// A snapshot with the histories read in it: each is queried once, however many lists need it.
final class SnapshotHistory {
  private struct Query: Hashable {
    let version: StoreVersion
    /// The entity's name, compared by its bytes.
    let entity: Value
  }

  /// The snapshot, which counts its queries.
  let snapshot: CountingSnapshot
  private typealias Answer = (entity: EntityDescription, history: StoreHistory)
  private var answers: [Query: [Answer]] = [:]
  /// The first answer.
  ///
  /// Nearly always there is only one query, repeated.
  private var first: (version: StoreVersion, answer: Answer)?

  /// The times that the lists of the turn have asked for, by their clocks.
  private var times: [ObjectIdentifier: Instant] = [:]

  init(_ snapshot: any StoreSnapshot) { self.snapshot = CountingSnapshot(snapshot) }

  /// The time of a turn by a clock: the same for all lists of the turn.
  func time(of clock: any WallClock) -> Instant {
    let identity = ObjectIdentifier(clock)
    if let known = times[identity] { return known }
    let now = clock.now
    times[identity] = now
    return now
  }

  /// The history of a list's rows from an earlier version to this one; of a list with related values, that of its derived rows.
  /// - Parameters:
  ///   - version: The earlier version.
  ///   - plan: The list's plan.
  ///   - limit: The most derived rows to look at for a commit besides those that it wrote, or `nil` for any number.
  /// - Returns: `nil` if a commit concerns more derived rows than the limit.
  /// - Throws: The store's error.
  func since(
    _ version: StoreVersion,
    of plan: ListPlan,
    limit: Int? = nil
  ) throws(StoreError) -> StoreHistory? {
    guard let relations = plan.relations else { return try since(version, of: plan.entity) }
    let query = Query(version: version, entity: .text(plan.entity.name))
    if let known = answers[query]?.first(where: { $0.entity == plan.entity }) {
      return known.history
    }
    let history = try relations.history(since: version, in: snapshot, limit: limit)
    if let history { answers[query, default: []].append((plan.entity, history)) }
    return history
  }

  /// The history of the rows of a list with related values, in which a commit that concerns many rows changes only some of them.
  /// - Parameters:
  ///   - version: The earlier version.
  ///   - plan: The list's plan.
  ///   - limit: The most derived rows to look at for a commit besides those that it wrote.
  ///   - observed: Returns the keys of the rows to look at otherwise, given how many rows all commits wrote.
  /// - Returns: The history, and the versions of the commits of which only those rows are known.
  /// - Throws: The store's error.
  func since(
    _ version: StoreVersion,
    of plan: ListPlan,
    limit: Int,
    observed: (_ written: Int) throws(StoreError) -> [ObjectKey]
  ) throws(StoreError) -> (history: StoreHistory, incomplete: Set<StoreVersion>) {
    guard let relations = plan.relations else {
      return (try since(version, of: plan.entity), [])
    }
    let query = Query(version: version, entity: .text(plan.entity.name))
    if let known = answers[query]?.first(where: { $0.entity == plan.entity }) {
      return (known.history, [])
    }
    // It depends on the observed rows, so it is not kept for other lists.
    return try relations.history(since: version, in: snapshot, limit: limit, observed: observed)
  }

  /// The history of an entity from an earlier version to this one.
  func since(
    _ version: StoreVersion,
    of entity: EntityDescription
  ) throws(StoreError) -> StoreHistory {
    if let first, first.version == version, first.answer.entity == entity {
      return first.answer.history
    }
    guard first != nil else {
      let history = try snapshot.history(since: version, of: entity)
      first = (version, (entity, history))
      return history
    }
    let query = Query(version: version, entity: .text(entity.name))
    if let known = answers[query]?.first(where: { $0.entity == entity }) {
      return known.history
    }
    let history = try snapshot.history(since: version, of: entity)
    answers[query, default: []].append((entity, history))
    return history
  }
}

/// A snapshot that counts the queries of a list (R89).
final class CountingSnapshot: SnapshotForwarding {
  let base: any StoreSnapshot
  /// The work so far.
  private(set) var work = ListWork()

  init(_ base: any StoreSnapshot) { self.base = base }

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

  func firstEntries(of definition: OrderDefinition, limit: Int) throws(StoreError) -> EntryBatch {
    work.queries += 1
    let batch = try base.firstEntries(of: definition, limit: limit)
    work.keys += batch.count
    return batch
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

  func referrers(
    to keys: [ObjectKey],
    through columns: [String],
    of entity: EntityDescription,
    limit: Int?
  ) throws(StoreError) -> [ObjectKey]? {
    work.queries += 1
    return try base.referrers(to: keys, through: columns, of: entity, limit: limit)
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
}

/// An ordered source that counts the queries of a list.
private final class CountingSource: OrderedSource {
  private let base: any OrderedSource
  private let snapshot: CountingSnapshot

  init(_ base: any OrderedSource, of snapshot: CountingSnapshot) {
    self.base = base
    self.snapshot = snapshot
  }

  var costs: OrderedSourceCosts { base.costs }

  func count(from lower: KeyBound?, to upper: KeyBound?) throws(StoreError) -> Int {
    snapshot.record(keys: 0)
    return try base.count(from: lower, to: upper)
  }

  func counts(of ranges: [KeyRange]) throws(StoreError) -> [Int] {
    snapshot.record(keys: 0)
    return try base.counts(of: ranges)
  }

  func page(
    from lower: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    let batch = try base.page(from: lower, skipping: skipped, limit: limit)
    snapshot.record(keys: batch.count)
    return batch
  }

  func keys(inEach ranges: [KeyRange]) throws(StoreError) -> [EntryBatch] {
    let batches = try base.keys(inEach: ranges)
    snapshot.record(keys: batches.reduce(0) { $0 + $1.count })
    return batches
  }

  func firstKeys(
    ofGroupsByFirstColumns columns: Int,
    from lower: KeyBound?,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    let batch = try base.firstKeys(ofGroupsByFirstColumns: columns, from: lower, limit: limit)
    snapshot.record(keys: batch.count)
    return batch
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

  func blocks(
    ofAbout rows: Int,
    while isWanted: () -> Bool
  ) throws(StoreError) -> KeyBlocks {
    let blocks = try base.blocks(ofAbout: rows, while: isWanted)
    snapshot.record(keys: blocks.counts.count)
    return blocks
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
