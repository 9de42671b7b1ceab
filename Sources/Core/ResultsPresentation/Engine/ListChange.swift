import OrderStatistics
import ResultsDomain

/// What is to be done to a list, and where the rows come from that a delta carries.
struct ListChange {
  var affected: [AffectedRow]
  var version: StoreVersion
  var cause: DeltaCause
  var origins: [CommitOrigin]
  /// Whether the store that is read shows the rows of `version`, and not those of later commits.
  var isPresent = true
  /// The keys of the list afterwards, if they have been read; else they follow from the affected rows.
  var keys: SortedKeyList?
  /// What it does to the keys, where an index has them.
  var span: KeySpan?
  /// Reads rows of `version`, in the order asked.
  var rows: (_ keys: [ObjectKey]) throws(StoreError) -> [Row?]

  init(
    affected: [AffectedRow],
    version: StoreVersion,
    cause: DeltaCause,
    origins: [CommitOrigin],
    keys: SortedKeyList? = nil,
    rows: @escaping (_ keys: [ObjectKey]) throws(StoreError) -> [Row?]
  ) {
    self.affected = affected
    self.version = version
    self.cause = cause
    self.origins = origins
    self.keys = keys
    self.rows = rows
  }
}

extension ListEngine {
  /// Applies a change and says what it did to the list.
  /// - Returns: `nil` if the change does not fit the list; a value without a step if nothing visible changed.
  mutating func apply(
    _ change: ListChange,
    in store: any StoreSnapshot
  ) throws(StoreError) -> (step: Step?, Void)? {
    if case .indexed(let keys) = snapshot.keys {
      return try apply(change, to: keys, in: store)
    }
    guard case .held(let shown) = snapshot.keys, let touched = try? TouchedKeys(change.affected)
    else { return nil }
    let (leaving, coming) = (touched.keys(that: .leaves), touched.keys(that: .comes))
    var keys = change.keys ?? storeKeys ?? shown
    if change.keys == nil, !leaving.isEmpty || !coming.isEmpty {
      guard (try? keys.apply(removals: leaving, insertions: coming)) != nil else { return nil }
    }
    let numbering = try SectionNumbering(keys, plan)
    let old = snapshot
    var next = try generation(after: change, in: store)
    let nextKeys = numbering?.keys ?? keys
    next.keys = .held(nextKeys)
    next.window = plan.window(of: keys.count)
    next.occurrences = numbering?.occurrences ?? [:]
    next.identities =
      numbering == nil && storeKeys == nil
      ? old.identities.advanced(
        removing: leaving,
        inserting: coming,
        plan.layout
      ) : IdentityIndex()
    var delta: ResultsDelta?
    if !plan.readsSectionsAnew {
      let places = HeldPlaces(old: shown, next: nextKeys)
      delta = try IncrementalDelta(
        between: GenerationPair(old: old, next: next),
        change,
        touched,
        places
      )
      .assemble(into: &next)
    }
    if delta == nil {
      next.counts = .counting(next.keys, next.window, next.rule, next.layout)
      if let failure = try next.contiguityFailure() { throw .request(failure) }
      delta = try FullDelta(from: old, to: next, change, sameOrder: true).assemble()
    }
    if next.aggregates != nil {
      try AggregateStep(from: old, change, in: store).lead(to: &next, telling: &delta)
    }
    storeKeys = numbering == nil ? nil : keys
    return (step(to: next, delta), ())
  }

  /// The generation after the present one, with what does not follow from the keys.
  func generation(
    after change: ListChange,
    in store: any StoreSnapshot
  ) throws(StoreError) -> ResultsSnapshot {
    var next = snapshot
    next.version = change.version
    next.additionalCounts =
      plan.additionalCounts.isEmpty ? [:] : try ListEngine.counts(plan.additionalCounts, in: store)
    next.generation += 1
    return next
  }

  /// Makes a generation the present one.
  /// - Returns: The step to it, or `nil` if nothing visible changed, so that it is the same generation still.
  mutating func step(to next: ResultsSnapshot, _ delta: ResultsDelta?) -> Step? {
    guard let delta, !delta.isEmpty else {
      let generation = snapshot.generation
      snapshot = next
      snapshot.generation = generation
      return nil
    }
    let told = told(delta, from: snapshot, to: next)
    snapshot = next
    follow(told)
    return Step(snapshot: next, delta: told)
  }
}

extension ListEngine {
  /// A delta between two generations as it is told to who observes some rows only.
  func told(
    _ delta: ResultsDelta,
    from old: ResultsSnapshot,
    to new: ResultsSnapshot
  ) -> ResultsDelta {
    var delta = delta
    delta.life = new.life
    guard let observed else { return delta }
    return delta.observing(observed, from: old, to: new)
  }

  /// Leads the observed rows on by a delta that was told.
  mutating func follow(_ told: ResultsDelta) {
    if observed != nil { observed = told.unobserved?.newRows }
  }
}
