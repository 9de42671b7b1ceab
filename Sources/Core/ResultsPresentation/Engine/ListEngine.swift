import OrderStatistics
import ResultsDomain

/// The machine behind a controller: one generation of a list, and how to lead it to the next.
///
/// It is a value without locks, threads or time. Its owner gives it one snapshot of the store after the other; what it
/// answers are steps, each a generation with the delta that leads to it.
struct ListEngine: Sendable {
  /// One generation, and what led to it.
  ///
  /// It is an object, since it goes through many hands on its way to who is told.
  final class Step: Sendable {
    let snapshot: ResultsSnapshot
    let delta: ResultsDelta

    init(snapshot: ResultsSnapshot, delta: ResultsDelta) {
      self.snapshot = snapshot
      self.delta = delta
    }
  }

  var plan: ListPlan
  var snapshot: ResultsSnapshot
  /// Keys as the store has them, where those of the snapshot carry section numbers.
  var storeKeys: SortedKeyList?
  /// When the keys are left to an index of the store, or `nil` for never.
  var indexing: KeyIndexing?
  /// Digests of the rows' content, where the store's history does not tell of every writer.
  var digests: DigestTable?
  /// Whether commits of other writers must be found without the help of a history.
  let keepsDigests: Bool
  /// Whether every row may have changed where the history has a gap and there are no digests.
  var doubtsContentInGaps = false
  /// The rows of the snapshot that deltas name, counted over all sections, or `nil` for all.
  var observed: Range<Int>?
  /// The snapshot's version in a form that a cache can keep, where the list has one and the store can tell.
  var bookmark: StoreBookmark?

  /// Fetches a list for the first time.
  /// - Throws: The store's error, or `StoreError.request`.
  /// - Complexity: O(*n*) in the rows that match; no row is decoded.
  init(
    _ plan: ListPlan,
    from store: any StoreSnapshot,
    generation: Int,
    keepsDigests: Bool,
    indexing: KeyIndexing? = nil
  ) throws(StoreError) {
    let keys = try KeyIndexing.keys(of: plan, indexing, in: store)
    try self.init(
      plan,
      keys: keys,
      from: store,
      generation: generation,
      keepsDigests: keepsDigests
    )
    self.indexing = indexing
  }

  /// Makes a list of keys that are known, as the store has them in this very version.
  /// - Throws: As `init(_:from:generation:keepsDigests:)`.
  /// - Complexity: O(*n*) in the keys; the store is asked for counts and digests only, if they are wanted.
  init(
    _ plan: ListPlan,
    keys: ListKeys,
    from store: any StoreSnapshot,
    generation: Int,
    keepsDigests: Bool
  ) throws(StoreError) {
    self.plan = plan
    self.keepsDigests = keepsDigests
    var numbered: SectionNumbering?
    if case .held(let held) = keys {
      numbered = try SectionNumbering(held, plan)
      storeKeys = numbered == nil ? nil : held
    }
    snapshot = ResultsSnapshot(
      generation: generation,
      version: store.version,
      additionalCounts: try ListEngine.counts(plan.additionalCounts, in: store),
      plan: plan,
      keys: numbered.map { .held($0.keys) } ?? keys,
      numbering: numbered
    )
    if let failure = try snapshot.contiguityFailure() { throw .request(failure) }
    snapshot.aggregates = try AggregateFilling(snapshot, in: store).table()
    if keepsDigests, !plan.observed.isEmpty {
      digests = try DigestTable(of: plan.definition, plan.observed, in: store)
    }
    noteBookmark(in: store)
  }

  /// Notes the version for the cache; without a cache the store is not asked.
  mutating func noteBookmark(in store: any StoreSnapshot) {
    // A cache is only a shortcut, so a failure here leaves the list without one.
    bookmark = plan.isCacheable ? (try? store.bookmark()) : nil
  }

  /// Reads all keys of a list.
  static func keys(
    of definition: OrderDefinition,
    in store: any StoreSnapshot
  ) throws(StoreError) -> SortedKeyList {
    var keys = SortedKeyList()
    try store.entries(of: definition) { (batch) throws(StoreError) in
      try keys.appendEntries(batch, of: definition)
      return true
    }
    return keys
  }

  static func counts(
    _ requests: [String: CountRequest],
    in store: any StoreSnapshot
  ) throws(StoreError) -> [String: Int] {
    var counts: [String: Int] = [:]
    for (name, request) in requests {
      counts[name] = try store.count(of: request.entity, where: request.predicate)
    }
    return counts
  }
}
