import OrderStatistics
import ResultsDomain

/// When a list leaves its keys to an index of its store.
struct KeyIndexing: Sendable {
  /// The store, which is read whenever keys are asked for.
  let store: any Store
  /// A list of at most so many rows holds its keys all the same.
  var heldKeysLimit: Int
  /// How many keys a block has, about.
  var stride = 96
  /// From how many row changes on a change need not be known row by row.
  var resetThreshold: Int?
  /// How the places of many keys are found.
  var placing = KeyPlacing.cheapest

  /// Is called before keys are counted, which takes time that grows with them.
  var willCount: (@Sendable (any StoreSnapshot, any OrderedSource) throws(StoreError) -> Void)?
  /// Whether to go on counting.
  var isWanted: (@Sendable () -> Bool)?

  /// - Returns: `nil` for a store whose history leaves commits out: what an index had in an earlier version can be told only where every
  ///   commit is.
  init?(_ store: any Store, heldKeysLimit: Int = ResultsOptions().heldKeysLimit) {
    guard store.capabilities.historyCoverage == .everyWriter else { return nil }
    self.store = store
    self.heldKeysLimit = heldKeysLimit
  }

  /// The keys of a list, held or indexed.
  /// - Throws: The store's error.
  /// - Complexity: O(*n*) in the rows that match; far less is read if they are indexed.
  static func keys(
    of plan: ListPlan,
    _ indexing: KeyIndexing?,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> ListKeys {
    if let index = indexing?.index(of: plan), let indexing,
      let source = try snapshot.orderedSource(of: plan.definition),
      try indexing.isLong(source)
    {
      try indexing.willCount?(snapshot, source)
      let isWanted = indexing.isWanted ?? { true }
      if let keys = try IndexedKeys(counting: index, source, snapshot.version, while: isWanted) {
        return .indexed(keys)
      }
    }
    return .held(try ListEngine.keys(of: plan.definition, in: snapshot))
  }

  /// Whether there are more keys than a list holds.
  /// - Complexity: O(*k*) for the *k* keys that a list holds at most.
  private func isLong(_ source: any OrderedSource) throws(StoreError) -> Bool {
    guard heldKeysLimit >= 0 else { return true }
    return try source.keys(from: nil, to: nil, skipping: heldKeysLimit, limit: 1).count > 0
  }

  /// How a list's keys would be read off an index, or `nil` if the list needs them all at hand.
  func index(of plan: ListPlan) -> StoreIndex? {
    guard !plan.isFrozen, !plan.readsSectionsAnew else { return nil }
    return StoreIndex(
      store: store,
      plan: plan,
      stride: stride,
      placing: placing
    )
  }
}
