import ResultsDomain

extension ListEngine {
  /// Reads the keys again, and says in the delta that it did.
  ///
  /// Where commits of this store are missing too, every row may have changed, whether or not other writers are looked for.
  /// - Parameters:
  ///   - reason: Why the history does not tell, or `nil` if what it tells does not fit the list.
  ///   - store: The version to read.
  /// - Returns: The step, or none if rows and sections are as they were.
  /// - Throws: The store's error; the engine is then no longer to be used.
  mutating func repair(
    _ reason: GapReason?,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [Step] {
    let doubted = doubtsContentInGaps
    doubtsContentInGaps = doubted || reason != .otherWriter
    defer { doubtsContentInGaps = doubted }
    return try requery(in: store).map { step in
      var delta = step.delta
      delta.repair = reason
      return Step(snapshot: step.snapshot, delta: delta)
    }
  }

  /// Fetches the list anew, as the generation after the present one.
  ///
  /// A frozen list keeps the members that are still there.
  mutating func fetchAnew(
    _ reason: ResultsResetReason,
    in store: any StoreSnapshot
  ) throws(StoreError) -> Progress {
    var next = self
    if plan.isFrozen {
      _ = try next.requery(in: store)
    } else {
      next = try ListEngine(
        plan,
        from: store,
        generation: snapshot.generation,
        keepsDigests: keepsDigests,
        indexing: indexing
      )
      next.doubtsContentInGaps = doubtsContentInGaps
      next.observed = observed
    }
    next.snapshot.generation = snapshot.generation + 1
    next.snapshot.life = snapshot.life
    next.snapshot.version = store.version
    self = next
    return .reset(reason)
  }
}
