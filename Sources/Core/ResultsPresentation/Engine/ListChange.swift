import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// A change to apply to a list, and access to the rows that its delta carries.
struct ListChange {
  var affected: [AffectedRow]
  var version: StoreVersion
  var cause: DeltaCause
  var origins: [CommitOrigin]
  /// Whether the store is read at `version`, and not at that of a later commit.
  var isPresent = true
  /// Whether every row that the change concerns is among the affected ones; otherwise unobserved rows are missing.
  var isComplete = true
  /// The keys of the list afterwards, if they have been read; otherwise they follow from the affected rows.
  var keys: SortedKeyList?
  /// The effect on the keys, where they stay in an index.
  var span: KeySpan?
  /// What changes of the objects that are the list's sections, or `nil` for nothing.
  var objects: SectionObjectsChange?
  /// Reads rows of `version`, in the order of the keys.
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

  /// Completes rows with the values that a delta carries: those of rows that are in the list now and have no after-image.
  func completed(_ rows: [AffectedRow], _ plan: ListPlan) throws(StoreError) -> [AffectedRow] {
    guard plan.carriesRows else { return rows }
    let missing = rows.indices.filter { rows[$0].after == nil && rows[$0].newKey != nil }
    guard !missing.isEmpty else { return rows }
    var completed = rows
    let found = try self.rows(missing.map { completed[$0].id.key })
    for (index, row) in zip(missing, found) {
      completed[index].after = row
      // A row that only crossed the window's edge is the same before and after. One with another key is not, even if no
      // observed attribute changed.
      if completed[index].changed?.isEmpty == true, completed[index].oldKey != nil,
        !completed[index].keyChanged
      {
        completed[index].before = row
      }
    }
    return completed
  }
}

/// A row that a commit touched, with its keys before and after in the list's order, also outside the window.
struct AffectedRow {
  var id: ObjectID
  /// The key before, or `nil` if the row did not match.
  var oldKey: [UInt8]?
  /// The key now, or `nil` if the row does not match.
  var newKey: [UInt8]?
  var before: Row?
  var after: Row?
  /// The observed attributes that changed, or `nil` if that is unknown.
  var changed: AttributeSet?
  /// The row's input to the list's aggregates, where it is known.
  var inputs: AggregateInputs?

  var keyChanged: Bool { oldKey != newKey }
}

extension AffectedRow {
  /// A row whose content is the same before and after.
  init(unchanged id: ObjectID) {
    self.init(id: id, oldKey: nil, newKey: nil, changed: AttributeSet())
  }
}

// MARK: - Touched keys

/// The keys of the rows that a change touches, each once, in order.
struct TouchedKeys: Sendable {
  /// The row of a key, and the effect of the change on the key.
  struct Origin {
    enum Effect {
      case unchanged
      case removed
      case inserted
    }

    /// The row's index in the change.
    let row: Int
    let effect: Effect
  }

  let keys: SortedKeyList
  /// The origins of the keys, in their order.
  let origins: [Origin]

  /// Collects the keys of some rows.
  /// - Throws: `SortedKeyListError` if two rows have the same key.
  /// - Complexity: O(*k* log *k*) for *k* keys.
  init(_ rows: [AffectedRow]) throws(SortedKeyListError) {
    var batch = KeyBatch()
    var found: [Origin] = []
    found.reserveCapacity(2 * rows.count)
    let length = rows.first.map { max($0.oldKey?.count ?? 0, $0.newKey?.count ?? 0) } ?? 0
    batch.reserveCapacity(keys: 2 * rows.count, bytes: 2 * rows.count * length)
    // By index, since copying a row counts many references.
    for index in rows.indices {
      let isSame = !rows[index].keyChanged
      if let key = rows[index].oldKey {
        batch.append(key)
        found.append(Origin(row: index, effect: isSame ? .unchanged : .removed))
      }
      if !isSame, let key = rows[index].newKey {
        batch.append(key)
        found.append(Origin(row: index, effect: .inserted))
      }
    }
    if let ascending = try? SortedKeyList(sorted: batch) {
      (keys, origins) = (ascending, found)
      return
    }
    let order = batch.sortedIndexes()
    keys = try SortedKeyList(sorted: batch.keys(at: order))
    origins = order.map { found[$0] }
  }

  var count: Int { origins.count }

  /// The number of inserted keys less that of removed ones before each key, and at the end in total.
  var shifts: [Int] {
    var shift = 0
    var shifts: [Int] = []
    shifts.reserveCapacity(count + 1)
    for origin in origins {
      shifts.append(shift)
      switch origin.effect {
      case .unchanged: break
      case .removed: shift -= 1
      case .inserted: shift += 1
      }
    }
    shifts.append(shift)
    return shifts
  }

  /// The keys with some effect, ascending.
  func keys(_ effect: Origin.Effect) -> KeyBatch {
    var batch = KeyBatch()
    keys.forEachKey(in: 0..<count) { index, key in
      if origins[index].effect == effect { batch.append(key) }
    }
    return batch
  }
}

// MARK: - Keys of an index

extension ListChange {
  /// The effect of a change on keys that stay in an index, and that of later changes up to the version that is read.
  ///
  /// A class, since it is passed on many times and has many fields.
  final class KeySpan: Sendable {
    /// The keys that the change touches.
    let touched: TouchedKeys
    /// The effect of the change.
    let change: KeyChange
    /// The effect of the change and of all later ones.
    let since: KeyChange
    /// The effect of all later changes.
    let later: KeyChange

    init(_ touched: TouchedKeys, _ change: KeyChange, since: KeyChange, later: KeyChange) {
      self.touched = touched
      self.change = change
      self.since = since
      self.later = later
    }

    /// The spans of consecutive changes.
    /// - Returns: `nil` if one change removes or inserts a key twice.
    static func spans(of changes: [[AffectedRow]]) -> [KeySpan]? {
      var spans: [KeySpan] = []
      spans.reserveCapacity(changes.count)
      for rows in changes {
        guard let touched = try? TouchedKeys(rows), let change = try? KeyChange(touched) else {
          return nil
        }
        spans.append(KeySpan(touched, change, since: change, later: KeyChange()))
      }
      guard spans.count > 1, var since = spans.first?.change else { return spans }
      for span in spans.dropFirst() { since.append(span.change) }
      return spans.map { span in
        var later = since
        later.dropFirst(span.change)
        defer { since = later }
        return KeySpan(span.touched, span.change, since: since, later: later)
      }
    }
  }
}

extension KeyChange {
  /// The effect on the keys that a change touches.
  fileprivate init(_ touched: TouchedKeys) throws(SortedKeyListError) {
    try self.init(removed: touched.keys(.removed), inserted: touched.keys(.inserted))
  }
}
