import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// Decides whether a list leaves its keys to an index of its store.
struct IndexingPolicy: Sendable {
  /// The store, which is read whenever keys are needed.
  let store: any Store
  /// The length up to which a list holds its keys in memory all the same.
  var inMemoryKeyLimit: Int
  /// About how many keys a block has, or `nil` for as many as the store's source is best counted by.
  var stride: Int?
  /// The number of row changes above which a change need not name its rows.
  var resetThreshold: Int?
  /// How the positions of many keys are found.
  var lookup = KeyLookup.automatic
  /// Whether keys are counted by their sections, or `nil` for where these are short.
  var countsBySections: Bool?

  /// Called before keys are counted, which takes time that grows with their number.
  var willCount: (@Sendable (any StoreSnapshot, any OrderedSource) throws(StoreError) -> Void)?
  /// Called with the first keys of a list that is going to hold all of them, and can be read in its order without sorting.
  var willHold: (@Sendable (any StoreSnapshot, SortedKeyList) throws(StoreError) -> Void)?
  /// Whether to go on counting.
  var isWanted: (@Sendable () -> Bool)?

  /// Creates the policy of a store.
  /// - Returns: `nil` for a store whose history omits commits: the earlier content of an index follows only from a history with
  ///   every commit.
  init?(_ store: any Store, inMemoryKeyLimit: Int = ResultsOptions().inMemoryKeyLimit) {
    self.init(following: store, inMemoryKeyLimit: inMemoryKeyLimit)
    guard reportsEveryCommit else { return nil }
  }

  /// Creates the policy of a store whose history may omit commits for a while: an index is used when it omits none.
  init(following store: any Store, inMemoryKeyLimit: Int) {
    self.store = store
    self.inMemoryKeyLimit = inMemoryKeyLimit
  }

  /// Whether the store's history has every commit at present.
  var reportsEveryCommit: Bool { store.capabilities.historyCoverage == .everyWriter }

  /// Reads the keys of a list, held or indexed.
  /// - Throws: The store's error.
  /// - Complexity: O(*n*) in the rows that match; far less is read if they are indexed.
  static func keys(
    of plan: ListPlan,
    _ indexing: IndexingPolicy?,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> ListKeys {
    if let keys = try indexing?.indexedKeys(of: plan, in: snapshot) { return .indexed(keys) }
    if let keys = try indexing?.heldKeys(of: plan, in: snapshot) { return .held(keys) }
    return .held(try ListEngine.keys(of: plan.definition, in: snapshot))
  }

  /// Counts the keys of a list over its index.
  /// - Returns: `nil` if the list is to hold them.
  /// - Throws: The store's error.
  func indexedKeys(
    of plan: ListPlan,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> IndexedKeys? {
    guard let index = index(of: plan), let source = try snapshot.orderedSource(of: plan.definition),
      try isLong(source)
    else { return nil }
    try willCount?(snapshot, source)
    return try IndexedKeys.counting(index, source, snapshot.version, while: isWanted ?? { true })
  }

  /// The number of keys that are read before the first rows of a list are shown; a shorter list is shown whole.
  static let firstKeyCount = 4096

  /// Reads all keys of a list, and passes on the first ones if they are wanted and come before the others.
  ///
  /// They are read twice then, since a store may not read rows while it delivers keys.
  /// - Returns: `nil` if the first ones are not wanted.
  private func heldKeys(
    of plan: ListPlan,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> SortedKeyList? {
    guard let willHold, plan.sectionKey.map({ $0.contiguity == .error }) ?? true else { return nil }
    switch try snapshot.source(of: plan.definition) {
    case .index, .table: break
    case .sorting, .unknown: return nil
    }
    let (end, overflow) = plan.offset.addingReportingOverflow(plan.firstPageSize)
    let first = try ListEngine.keys(
      of: plan.definition,
      in: snapshot,
      limit: overflow ? .max : max(IndexingPolicy.firstKeyCount, end)
    )
    guard !first.isComplete else { return first.keys }
    try willHold(snapshot, first.keys)
    return nil
  }

  /// Whether there are more keys than a list holds.
  /// - Complexity: O(*k*) for the *k* keys that a list holds at most.
  private func isLong(_ source: any OrderedSource) throws(StoreError) -> Bool {
    guard inMemoryKeyLimit >= 0 else { return true }
    return try source.keys(from: nil, to: nil, skipping: inMemoryKeyLimit, limit: 1).count > 0
  }

  /// The index for a list's keys, or `nil` if the list needs them all in memory.
  func index(of plan: ListPlan) -> StoreIndex? {
    // Keys of another time are none of the index's past.
    guard reportsEveryCommit, !plan.isFrozen, !plan.numbersSections,
      plan.clock?.comparisons.isEmpty ?? true
    else { return nil }
    return StoreIndex(
      store: store,
      plan: plan,
      stride: stride,
      lookup: lookup,
      countsBySections: countsBySections
    )
  }
}

/// How the positions of the keys that a change touches are found in an index.
package enum KeyLookup: Sendable {
  /// By whichever of the other two takes less time.
  case automatic
  /// By a search and a count for each key.
  case seeking
  /// By one pass over all keys.
  case scanning

  /// The number of keys that are sought in a list of any length.
  private static let alwaysSought = 8

  /// Whether keys are sought one by one, in a source of given costs.
  func seeks(_ keys: Int, among count: Int, _ costs: OrderedSourceCosts) -> Bool {
    switch self {
    case .automatic:
      keys <= KeyLookup.alwaysSought || keys <= count / max(1, costs.scannedPerSought)
    case .seeking: true
    case .scanning: false
    }
  }
}
