import OrderStatistics
import ResultsDomain

/// What is to be done to a list, and where the rows come from that a delta carries.
struct ListChange {
  var affected: [AffectedRow]
  var version: StoreVersion
  var cause: DeltaCause
  var origins: [CommitOrigin]
  /// The keys of the list afterwards, if they have been read; else they follow from the affected rows.
  var keys: SortedKeyList?
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

  /// Keys that leave the order and keys that come into it, each ascending.
  var movedKeys: (removals: [[UInt8]], insertions: [[UInt8]]) {
    var removals: [[UInt8]] = []
    var insertions: [[UInt8]] = []
    for row in affected where row.keyChanged {
      if let key = row.oldKey { removals.append(key) }
      if let key = row.newKey { insertions.append(key) }
    }
    if removals.count > 1 { removals.sort { KeyOrder.compare($0, $1) < 0 } }
    if insertions.count > 1 { insertions.sort { KeyOrder.compare($0, $1) < 0 } }
    return (removals, insertions)
  }
}

extension ListEngine {
  /// Applies a change and says what it did to the list.
  /// - Returns: `nil` if the change does not fit the list; a value without a step if nothing visible changed.
  mutating func apply(
    _ change: ListChange,
    in store: any StoreSnapshot
  ) throws(StoreError) -> (step: Step?, Void)? {
    let moved = change.movedKeys
    var keys = change.keys ?? storeKeys ?? snapshot.keys
    if change.keys == nil, !moved.removals.isEmpty || !moved.insertions.isEmpty {
      do {
        try keys.apply(removals: moved.removals, insertions: moved.insertions)
      } catch {
        return nil
      }
    }
    let alongside =
      plan.alongside.isEmpty ? [:] : try ListEngine.counts(plan.alongside, in: store)
    let numbering = try SectionNumbering(keys, plan)
    let old = snapshot
    var next = old
    next.version = change.version
    next.alongside = alongside
    next.keys = numbering?.keys ?? keys
    next.window = plan.window(of: keys.count)
    next.occurrences = numbering?.occurrences ?? [:]
    next.identities =
      numbering == nil && storeKeys == nil
      ? old.identities.advanced(
        removing: moved.removals,
        inserting: moved.insertions,
        plan.layout
      ) : IdentityIndex()
    next.generation = old.generation + 1
    var delta: ResultsDelta?
    if !plan.readsSectionsAnew {
      delta = try IncrementalDelta(from: old, to: next, change).assemble(into: &next)
    }
    if delta == nil {
      next.counts = .counting(next.keys, next.window, next.rule, next.layout)
      if let failure = next.contiguityFailure() { throw .request(failure) }
      delta = try FullDelta(from: old, to: next, change, sameOrder: true).assemble()
    }
    storeKeys = numbering == nil ? nil : keys
    guard let delta, !delta.isEmpty else {
      next.generation = old.generation
      snapshot = next
      return (nil, ())
    }
    snapshot = next
    return (Step(snapshot: next, delta: delta), ())
  }
}
