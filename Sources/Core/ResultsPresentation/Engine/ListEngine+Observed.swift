import OrderStatistics
import ResultsDomain

// A list over an index only shows related values: neither its order nor its predicate reads them. Where some rows are observed, a commit that
// concerns many rows through their related objects is therefore followed the other way round: the related objects of the observed rows are
// read before and after, and the rows that depend on the commit are not searched. So a rename costs what the observed rows cost, however
// many rows show the name. The delta then says that its counts of other rows are not complete.

extension ListEngine {
  /// The commits since the list's version that change its rows, and the versions of those of which only observed rows are known.
  /// - Returns: `nil` if the keys are to be read again, since a commit concerns a large part of the list.
  func commits(
    in history: SnapshotHistory
  ) throws(StoreError) -> (history: StoreHistory, incomplete: Set<StoreVersion>)? {
    guard looksAtObservedRowsOnly else {
      let found = try history.since(snapshot.version, of: plan, limit: dependentLimit)
      return found.map { ($0, []) }
    }
    return try history.since(snapshot.version, of: plan, limit: mostDependentsCounted) {
      (written) throws(StoreError) in
      try keysNearObservedRows(within: written, in: history.snapshot)
    }
  }

  /// Whether a commit may be followed by looking at the observed rows only.
  private var looksAtObservedRowsOnly: Bool {
    // Aggregates and digests need the values of every row. A window's edge is not followed by observed rows.
    guard observedRows != nil, plan.relations != nil, case .indexed = snapshot.keys,
      plan.limit == nil, plan.offset == 0, plan.aggregates.isEmpty, digests == nil
    else { return false }
    return true
  }

  /// The objects that can be at an observed position after some commits, except those that the commits wrote.
  /// - Parameters:
  ///   - written: The number of rows that the commits wrote.
  ///   - store: The version after the commits.
  /// - Returns: Their keys, in the list's order before the commits.
  /// - Throws: The store's error.
  /// - Complexity: O(*k* + log *n*) for *k* observed and written rows.
  private func keysNearObservedRows(
    within written: Int,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [ObjectKey] {
    guard let observedRows, case .indexed(let keys) = snapshot.keys else { return [] }
    // Each written row can leave one position and take another, so it shifts the rows beside it by two at most.
    let reach = 2 * written
    let near = max(0, observedRows.lowerBound - reach)..<observedRows.upperBound + reach
    let positions = near.clamped(to: 0..<keys.count)
    guard !positions.isEmpty else { return [] }
    let page = try IndexedReading(keys, in: store).page(at: positions)
    let (layout, identity) = (snapshot.layout, plan.entity.identity)
    var found: [ObjectKey] = []
    found.reserveCapacity(page.count)
    page.forEachKey { key in
      if let key = layout.objectKey(in: key, of: identity) { found.append(key) }
    }
    return found
  }
}
