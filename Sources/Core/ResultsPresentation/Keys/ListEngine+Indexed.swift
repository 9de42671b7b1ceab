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
    let keyChange = span.change
    let before = IndexedReading(keys, source, since: span.since)
    let old = snapshot
    var next = try generation(after: change, in: store)
    let count = keys.count + keyChange.inserted.count - keyChange.removed.count
    guard count >= 0 else { return nil }
    next.window = plan.window(of: count)
    // Runs that are read to find places are carried on by the keys afterwards, so this comes first.
    let places = try IndexedPlaces(before, keyChange, change, (old.window, next.window), store)
    guard
      let nextKeys = try keys.advanced(by: keyChange, to: change.version, source, later: span.later)
    else { return nil }
    places.next = IndexedReading(nextKeys, source, since: span.later)
    next.keys = .indexed(nextKeys)
    var delta = try IncrementalDelta(from: old, to: next, change, places).assemble(into: &next)
    guard delta != nil else { return nil }
    try AggregateStep(from: old, change, in: store).lead(to: &next, telling: &delta)
    return (step(to: next, delta), ())
  }
}

extension ListChange {
  /// What a change does to keys that an index has, and what becomes of them until the version that is read.
  struct KeySpan {
    /// What the change does.
    let change: KeyChange
    /// What the change does and later ones do.
    let since: KeyChange
    /// What later changes do.
    let later: KeyChange

    /// The spans of changes that follow each other.
    /// - Returns: `nil` if a key leaves or comes twice in one change.
    static func spans(of changes: [[AffectedRow]]) -> [KeySpan]? {
      var keyChanges: [KeyChange] = []
      for rows in changes {
        guard let change = KeyChange(rows) else { return nil }
        keyChanges.append(change)
      }
      guard var since = keyChanges.first else { return [] }
      guard keyChanges.count > 1 else {
        return [KeySpan(change: since, since: since, later: KeyChange())]
      }
      for change in keyChanges.dropFirst() { since.append(change) }
      return keyChanges.map { change in
        var later = since
        later.dropFirst(change)
        defer { since = later }
        return KeySpan(change: change, since: since, later: later)
      }
    }
  }
}

extension KeyChange {
  /// What becomes of the keys of some rows.
  fileprivate init?(_ rows: [AffectedRow]) {
    var removed: [[UInt8]] = []
    var inserted: [[UInt8]] = []
    for row in rows where row.keyChanged {
      if let key = row.oldKey { removed.append(key) }
      if let key = row.newKey { inserted.append(key) }
    }
    do {
      try self.init(sorting: removed, inserted)
    } catch {
      return nil
    }
  }
}

extension IndexedPlaces {
  /// Finds the places of all rows that a change touches.
  fileprivate convenience init(
    _ old: IndexedReading,
    _ keyChange: KeyChange,
    _ change: ListChange,
    _ windows: (old: Range<Int>, new: Range<Int>),
    _ store: any StoreSnapshot
  ) throws(StoreError) {
    self.init(from: old, keyChange, windows: windows)
    var touched: [[UInt8]] = []
    for row in change.affected {
      if let key = row.oldKey { touched.append(key) }
      if let key = row.newKey, row.keyChanged { touched.append(key) }
    }
    if touched.count > 1 { touched.sort { KeyOrder.compare($0, $1) < 0 } }
    try locate(touched, in: store)
  }
}
