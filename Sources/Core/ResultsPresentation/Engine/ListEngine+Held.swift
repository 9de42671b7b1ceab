import OrderStatistics
import ResultsDomain

extension ListEngine {
  /// Applies a change to a list that holds its keys in memory.
  /// - Returns: As `apply(_:in:)`.
  /// - Complexity: O(*c* log *n*) for *c* touched rows; O(*n*) where sections must be read from the keys again.
  mutating func apply(
    _ change: ListChange,
    toHeld shown: SortedKeyList,
    in store: any StoreSnapshot
  ) throws(StoreError) -> (step: Step?, Void)? {
    guard let touched = try? TouchedKeys(change.affected) else { return nil }
    let (removed, inserted) = (touched.keys(.removed), touched.keys(.inserted))
    var keys = change.keys ?? storeKeys ?? shown
    var difference: SortedKeyDifference?
    if change.keys == nil, !removed.isEmpty || !inserted.isEmpty {
      difference = try? keys.apply(removals: removed, insertions: inserted)
      guard difference != nil else { return nil }
    }
    let numbering = try SectionNumbering(keys, plan)
    let old = snapshot
    let nextKeys = numbering?.keys ?? keys
    let identities =
      numbering == nil && storeKeys == nil
      ? old.identities.advanced(removing: removed, inserting: inserted, plan.layout)
      : IdentityIndex()
    var next = try nextGeneration(after: change, in: store) { fields in
      fields.keys = .held(nextKeys)
      fields.window = plan.window(of: keys.count)
      fields.occurrences = numbering?.occurrences ?? [:]
      fields.identities = identities
    }
    var delta: ResultsDelta?
    if !plan.rereadsSections {
      delta = try IncrementalDelta(
        between: GenerationPair(old: old, next: next),
        change,
        touched,
        // Shown keys with numbers of sections have other positions.
        HeldKeyPositions(
          old: shown,
          next: nextKeys,
          difference: numbering == nil && storeKeys == nil ? difference : nil
        )
      )
      .assemble(into: &next)
    }
    if delta == nil {
      next.update { $0.counts = .counting($0.keys, $0.window, $0.rule, $0.layout) }
      if let failure = try next.contiguityFailure() { throw .request(failure) }
      delta = try FullDelta(from: old, to: next, change, sameOrder: true).assemble()
    }
    if next.aggregates != nil {
      try AggregateUpdate(from: old, change, in: store).apply(to: &next, completing: &delta)
    }
    storeKeys = numbering == nil ? nil : keys
    return (commit(next, delta), ())
  }
}
