import OrderStatistics
import ResultsDomain

extension ListEngine {
  /// Gives the list another definition, as an ordinary step (R50).
  ///
  /// The list must have been advanced to the store's version, so that only the definition differs.
  /// - Returns: The step, or `nil` if the list shows the same as before.
  /// - Complexity: O(*n*) in the rows that match; where only titles change, the cost of the titles.
  mutating func redefine(_ plan: ListPlan, in store: any StoreSnapshot) throws(StoreError) -> Step?
  {
    let next = try ListEngine(
      plan,
      from: store,
      generation: snapshot.generation + 1,
      maintainsDigests: maintainsDigests,
      indexing: indexing
    )
    return try redefine(as: next, in: store)
  }

  /// Replaces the list by a fetched one of another definition, as an ordinary step.
  ///
  /// Both must have been advanced to the store's version, so that only the definition differs.
  mutating func redefine(
    as other: ListEngine,
    in store: any StoreSnapshot
  ) throws(StoreError) -> Step? {
    var next = other
    next.snapshot.update { fields in
      fields.generation = snapshot.generation + 1
      fields.life = snapshot.life
    }
    next.assumesContentChangedInGaps = assumesContentChangedInGaps
    next.observedRows = observedRows
    let entity = next.plan.entity
    let rows = next.plan.view(store)
    let change = ListChange(
      affected: undetectedUpdates(next),
      version: store.version,
      cause: plan.differsOnlyInLocale(from: next.plan) ? .locale : .definition,
      origins: []
    ) { (keys) throws(StoreError) in
      try rows.rows(keys, of: entity)
    }
    let delta = try FullDelta(
      from: snapshot.holdingKeys(in: store),
      to: next.snapshot.holdingKeys(in: store),
      change,
      sameOrder: false
    ).assemble()
    guard !delta.isEmpty else {
      next.snapshot.update { $0.generation = snapshot.generation }
      self = next
      return nil
    }
    let old = snapshot
    self = next
    let observed = observedPart(of: delta, from: old, to: snapshot)
    shiftObservedRows(by: observed)
    return Step(snapshot: snapshot, delta: observed)
  }

  /// Rows that another writer changed in a commit that the store has not detected yet.
  ///
  /// The digests of the new definition include that commit already, so no later comparison would find it.
  private func undetectedUpdates(_ next: ListEngine) -> [AffectedRow] {
    guard let old = digests, let new = next.digests,
      plan.observedAttributes == next.plan.observedAttributes, plan.entity == next.plan.entity
    else { return [] }
    return new.changedIdentities(since: old).compactMap { bytes in
      bytes.withUnsafeBytes { plan.layout.objectKey(identity: $0, of: plan.entity.identity) }
    }.map { key in
      let id = ObjectID(entity: plan.entity.name, key: key)
      return AffectedRow(id: id, oldKey: nil, newKey: nil, changed: nil)
    }
  }
}
