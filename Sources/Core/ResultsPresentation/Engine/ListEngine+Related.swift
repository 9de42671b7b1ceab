import OrderStatistics
import ResultsDomain

// A commit of one related object can concern a large part of a list: an author with a quarter of the books is renamed. Placing each of its
// rows then costs more than reading all keys and comparing them, and evaluating each before and after costs most. So beyond a limit the keys
// are read again, and what changed of a row is found by its related objects. The delta is the same.

extension ListEngine {
  /// The share of the list up to which dependent rows are placed one by one.
  private static let placedShare = 4

  /// The most dependent rows of a commit that are evaluated and placed one by one, or `nil` for any number.
  var dependentLimit: Int? {
    // Keys in an index are not read as a whole, a frozen list retains its own, and aggregates need the values of each row.
    guard plan.relations != nil, case .held(let keys) = snapshot.keys, !plan.isFrozen,
      plan.aggregates.isEmpty, digests == nil
    else { return nil }
    return max(fewestRowsReadAgain, keys.count / ListEngine.placedShare)
  }

  /// Advances the list by all commits at once: reads its keys again, and finds by related objects what changed of its rows.
  mutating func advanceReadingAgain(in history: SnapshotHistory) throws(StoreError) -> Progress {
    let store = plan.view(history.snapshot)
    guard let relations = plan.relations,
      let summary = try relations.summary(since: snapshot.version, in: history.snapshot)
    else { return .unchanged }
    let steps = try advancingCopy(to: store) { (next) throws(StoreError) in
      try next.apply(summary, in: store)
    }
    return .moved(steps ?? [])
  }

  private mutating func apply(
    _ summary: RelationSummary,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [Step] {
    let oldKeys: SortedKeyList
    if let storeKeys { oldKeys = storeKeys } else { oldKeys = try snapshot.keys.held(in: store) }
    let newKeys = try ListEngine.keys(of: plan.definition, in: store)
    let exact = Dictionary(uniqueKeysWithValues: summary.changes.map { ($0.id.key, $0) })
    var affected = pairedRows(oldKeys, newKeys)
    var paired: Set<ObjectKey> = []
    for index in affected.indices {
      let key = affected[index].id.key
      paired.insert(key)
      describe(&affected[index], exact[key], summary.dependents[key])
    }
    // Rows whose keys are the same, but not what is shown of them.
    var updated: [AffectedRow] = []
    newKeys.forEachKey(in: 0..<newKeys.count) { _, bytes in
      guard let key = plan.layout.objectKey(in: bytes, of: plan.entity.identity),
        !paired.contains(key), exact[key] != nil || summary.dependents[key] != nil
      else { return }
      let id = ObjectID(entity: plan.entity.name, key: key)
      var row = AffectedRow(id: id, oldKey: Array(bytes), newKey: Array(bytes), changed: nil)
      describe(&row, exact[key], summary.dependents[key])
      if row.changed?.isEmpty == false { updated.append(row) }
    }
    let change = ListChange(
      affected: affected + updated,
      version: store.version,
      cause: summary.records.allSatisfy(\.isOwn) ? .own : .external,
      origins: ListEngine.origins(of: summary.records),
      keys: newKeys
    ) { [plan] (keys) throws(StoreError) in
      try store.rows(keys, of: plan.entity)
    }
    return try apply(change, in: store)?.step.map { [$0] } ?? []
  }

  /// Completes a row with what changed of it.
  private func describe(
    _ row: inout AffectedRow,
    _ exact: CommittedChange?,
    _ dependent: AttributeSet?
  ) {
    guard let exact else {
      row.changed = dependent?.intersection(plan.observedAttributes) ?? AttributeSet()
      return
    }
    row.changed = AttributeSet()
    if let before = exact.before, let after = exact.after {
      row.changed = after.changes(from: before, of: plan.observedAttributes)
    }
    guard plan.carriesRows else { return }
    row.before = exact.before
    row.after = exact.after
  }
}
