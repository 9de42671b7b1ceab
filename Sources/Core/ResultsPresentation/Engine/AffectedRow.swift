import ResultsDomain

/// A row that a commit touched, with its keys before and after in the list's order, outside the window too.
struct AffectedRow {
  var id: ObjectID
  /// Its key before, or `nil` if it did not match.
  var oldKey: [UInt8]?
  /// Its key now, or `nil` if it does not match.
  var newKey: [UInt8]?
  var before: Row?
  var after: Row?
  /// Observed attributes that changed, or `nil` if that is not known.
  var changed: AttributeSet?
  /// What it gives to the list's aggregates, where that is known.
  var inputs: AggregateInputs?

  var keyChanged: Bool { oldKey != newKey }
}

extension ListEngine {
  /// The rows of the list that one commit touched, from their values before and after.
  ///
  /// A row that matched neither before nor after, or of which nothing observed changed, is left out: such a commit
  /// is silence (R27).
  /// - Complexity: O(*c* log *n*) for *c* changed rows.
  func affectedRows(by changes: [CommittedChange]) throws(StoreError) -> [AffectedRow] {
    var rows: [AffectedRow] = []
    rows.reserveCapacity(changes.count)
    for change in changes {
      let keys = try keys(before: change.before, after: change.after, id: change.id)
      guard keys.old != nil || keys.new != nil else { continue }
      var changed = AttributeSet()
      if let before = change.before, let after = change.after {
        changed = after.changes(from: before, of: plan.observed)
      }
      var row = AffectedRow(
        id: change.id,
        oldKey: keys.old,
        newKey: keys.new,
        before: plan.carriesRows ? change.before : nil,
        after: plan.carriesRows ? change.after : nil,
        changed: changed
      )
      row.inputs = try plan.aggregates.inputs(
        of: change,
        wasMember: keys.old != nil,
        isMember: keys.new != nil
      )
      if row.keyChanged || !changed.isEmpty || row.inputs?.differ == true { rows.append(row) }
    }
    return rows
  }

  /// A frozen list keeps the key it first had, whatever becomes of the row, until the row is deleted.
  private func keys(
    before: Row?,
    after: Row?,
    id: ObjectID
  ) throws(StoreError) -> (old: [UInt8]?, new: [UInt8]?) {
    guard !plan.isFrozen else {
      let key = frozenKey(of: id.key)
      return (key, after == nil ? nil : key)
    }
    return (try plan.key(of: before), try plan.key(of: after))
  }

  /// The key that a member of a frozen list first had, as the store has it.
  func frozenKey(of key: ObjectKey) -> [UInt8]? {
    let layout = snapshot.layout
    guard let identity = layout.identityBytes(of: key), case .held(let keys) = snapshot.keys,
      let found = snapshot.identities.key(of: identity, in: keys, layout)
    else { return nil }
    guard storeKeys != nil else { return found }
    return Array(found.dropFirst(found.withUnsafeBytes { layout.prefixLength(columns: 1, in: $0) }))
  }
}
