import OrderStatistics
import ResultsDomain

extension ListEngine {
  /// Applies a change to a list whose keys an index has, and says what it did to the list.
  /// - Returns: `nil` if the change does not fit the list; a value without a step if nothing visible changed.
  /// - Complexity: O(*c* log *n*) for *c* touched rows, and never more than one pass over the index.
  mutating func apply(
    _ change: ListChange,
    to keys: IndexedKeys,
    in store: any StoreSnapshot
  ) throws(StoreError) -> (step: Step?, Void)? {
    guard let source = try store.orderedSource(of: plan.definition),
      let span = change.span ?? ListChange.KeySpan.spans(of: [change.affected])?.first
    else { return nil }
    let (touched, keyChange) = (span.touched, span.change)
    let before = IndexedReading(keys, source, since: span.since)
    var next = try generation(after: change, in: store)
    let count = keys.count + keyChange.inserted.count - keyChange.removed.count
    guard count >= 0 else { return nil }
    next.window = plan.window(of: count)
    // Runs that are read to find places are carried on by the keys afterwards, so this comes first.
    let isWhole = snapshot.window.count == keys.count && next.window.count == count
    let places = IndexedPlaces(
      from: before,
      span,
      windows: (snapshot.window, next.window),
      // Parts of the window and aggregates are told from all places.
      observed: isWhole && plan.aggregates.isEmpty ? observed : nil
    )
    try places.locate(touched)
    let nextKeys: IndexedKeys?
    do throws(StoreError) {
      nextKeys = try keys.advanced(by: keyChange, to: change.version, source, later: span.later)
    } catch {
      guard keys.blocks.isDamaged else { throw error }
      nextKeys = nil
    }
    // Blocks of a damaged cache have other numbers than were told, so they cannot be led on.
    guard let nextKeys, !nextKeys.blocks.isDamaged else { return nil }
    places.next = IndexedReading(nextKeys, source, since: span.later)
    next.keys = .indexed(nextKeys)
    let generations = GenerationPair(old: snapshot, next: next)
    var delta = try IncrementalDelta(between: generations, change, touched, places)
      .assemble(into: &next)
    guard delta != nil else { return nil }
    if next.aggregates != nil {
      try AggregateStep(from: generations.old, change, in: store).lead(to: &next, telling: &delta)
    }
    return (step(to: next, delta), ())
  }
}

extension ListChange {
  /// What a change does to keys that an index has, and what becomes of them until the version that is read.
  ///
  /// It is an object, since it goes through many hands and has many parts.
  final class KeySpan: Sendable {
    /// The keys that the change touches.
    let touched: TouchedKeys
    /// What the change does.
    let change: KeyChange
    /// What the change does and later ones do.
    let since: KeyChange
    /// What later changes do.
    let later: KeyChange

    init(_ touched: TouchedKeys, _ change: KeyChange, since: KeyChange, later: KeyChange) {
      self.touched = touched
      self.change = change
      self.since = since
      self.later = later
    }

    /// The spans of changes that follow each other.
    /// - Returns: `nil` if a key leaves or comes twice in one change.
    static func spans(of changes: [[AffectedRow]]) -> [KeySpan]? {
      var steps: [KeySpan] = []
      steps.reserveCapacity(changes.count)
      for rows in changes {
        guard let touched = try? TouchedKeys(rows), let change = try? KeyChange(touched) else {
          return nil
        }
        steps.append(KeySpan(touched, change, since: change, later: KeyChange()))
      }
      guard steps.count > 1, var since = steps.first?.change else { return steps }
      for step in steps.dropFirst() { since.append(step.change) }
      return steps.map { step in
        var later = since
        later.dropFirst(step.change)
        defer { since = later }
        return KeySpan(step.touched, step.change, since: since, later: later)
      }
    }
  }
}

extension KeyChange {
  /// What becomes of the keys that a change touches.
  fileprivate init(_ touched: TouchedKeys) throws(SortedKeyListError) {
    try self.init(removed: touched.keys(that: .leaves), inserted: touched.keys(that: .comes))
  }
}
