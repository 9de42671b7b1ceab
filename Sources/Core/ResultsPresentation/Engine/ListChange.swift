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

extension ListChange {
  /// Completes rows with the values that a delta carries: those of rows that are in the list now and whose image is missing.
  func rowsNeeded(_ rows: [AffectedRow], _ plan: ListPlan) throws(StoreError) -> [AffectedRow] {
    guard plan.carriesRows else { return rows }
    let missing = rows.indices.filter { rows[$0].after == nil && rows[$0].newKey != nil }
    guard !missing.isEmpty else { return rows }
    var completed = rows
    let found = try self.rows(missing.map { completed[$0].id.key })
    for (index, row) in zip(missing, found) {
      completed[index].after = row
      // A row that only slid over the window's edge is the same before and after; one whose key changed is not, even if no attribute that
      // is shown did.
      if completed[index].changed?.isEmpty == true, completed[index].oldKey != nil,
        !completed[index].keyChanged
      {
        completed[index].before = row
      }
    }
    return completed
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

extension AffectedRow {
  /// A row whose content is the same before and after.
  init(unchanged id: ObjectID) {
    self.init(id: id, oldKey: nil, newKey: nil, changed: AttributeSet())
  }
}

/// The keys of the rows that a change touches, each once, in order.
struct TouchedKeys: Sendable {
  /// A key's row, by its place in the change, and what becomes of the key.
  struct Origin {
    enum Fate {
      case stays
      case leaves
      case comes
    }

    let row: Int
    let fate: Fate
  }

  let keys: SortedKeyList
  /// What is known of each key, in their order.
  let origins: [Origin]

  /// The keys of some rows.
  /// - Throws: `SortedKeyListError` if two rows have the same key.
  /// - Complexity: O(*k* log *k*) for *k* keys.
  init(_ rows: [AffectedRow]) throws(SortedKeyListError) {
    var batch = KeyBatch()
    var found: [Origin] = []
    found.reserveCapacity(2 * rows.count)
    let length = rows.first.map { max($0.oldKey?.count ?? 0, $0.newKey?.count ?? 0) } ?? 0
    batch.reserveCapacity(keys: 2 * rows.count, bytes: 2 * rows.count * length)
    for (place, row) in rows.enumerated() {
      let isSame = !row.keyChanged
      if let key = row.oldKey {
        batch.append(key)
        found.append(Origin(row: place, fate: isSame ? .stays : .leaves))
      }
      if !isSame, let key = row.newKey {
        batch.append(key)
        found.append(Origin(row: place, fate: .comes))
      }
    }
    if let ascending = try? SortedKeyList(sorted: batch) {
      (keys, origins) = (ascending, found)
      return
    }
    let places = batch.ascendingPlaces()
    keys = try SortedKeyList(sorted: batch.keys(at: places))
    origins = places.map { found[$0] }
  }

  var count: Int { origins.count }

  /// How many more keys come than leave before each key, and in the end in all.
  var shifts: [Int] {
    var shift = 0
    var shifts: [Int] = []
    shifts.reserveCapacity(count + 1)
    for origin in origins {
      shifts.append(shift)
      switch origin.fate {
      case .stays: break
      case .leaves: shift -= 1
      case .comes: shift += 1
      }
    }
    shifts.append(shift)
    return shifts
  }

  /// The keys of some fate, ascending.
  func keys(that fate: Origin.Fate) -> KeyBatch {
    var batch = KeyBatch()
    keys.forEachKey(in: 0..<count) { place, key in
      if origins[place].fate == fate { batch.append(key) }
    }
    return batch
  }
}
