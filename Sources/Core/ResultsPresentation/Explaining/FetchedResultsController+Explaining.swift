import OrderStatistics
public import ResultsDomain

extension FetchedResultsController {
  /// How the list is made, how it is kept up to date, and what its last change asked of the store (R56, R89).
  /// - Returns: `nil` before the first fetch.
  /// - Throws: The store's error.
  /// - Complexity: The store plans a query; no key and no row is read.
  public func explain() async throws(StoreError) -> ListExplanation? {
    guard let (engine, account) = list.explained else { return nil }
    let definition = engine.plan.definition
    let (plan, hasIndex) = try await onStoreThreads { [store] () throws(StoreError) in
      try store.read { (snapshot) throws(StoreError) in
        (try snapshot.plan(of: definition), try snapshot.orderedSource(of: definition) != nil)
      }
    }
    return ListExplanation(
      definition: definition,
      plan: plan,
      coverage: store.capabilities.historyCoverage,
      matchingCount: engine.snapshot.matchingCount,
      keys: engine.whereKeysAre(hasIndex: hasIndex),
      keyBytes: engine.snapshot.keys.byteCount,
      last: account
    )
  }
}

extension ListEngine {
  /// Where the keys are, and why.
  fileprivate func whereKeysAre(hasIndex: Bool) -> ListExplanation.Keys {
    switch snapshot.keys {
    case .indexed(let keys):
      // The first block of sections stands before all of them.
      return .indexed(blocks: keys.blocks.blockCount, sections: keys.sections.blockCount - 1)
    case .held:
      if plan.isFrozen { return .held(.frozen) }
      guard hasIndex else { return .held(.noIndex) }
      guard let indexing else { return .held(.untoldCommits) }
      let isShort = snapshot.matchingCount <= max(0, indexing.heldKeysLimit)
      return .held(!isShort || plan.readsSectionsAnew ? .scatteredSections : .fewRows)
    }
  }
}

extension ListEngine.Progress {
  /// The way that was taken, or `nil` if nothing concerned the list.
  var path: ListExplanation.Path? {
    switch self {
    case .unmoved, .noted: nil
    case .moved(let steps):
      steps.lazy.compactMap(\.delta.repair).first.map { .readAgain($0) }
        ?? .followed(deltas: steps.count)
    case .reset(let reason): .reset(reason)
    }
  }
}
