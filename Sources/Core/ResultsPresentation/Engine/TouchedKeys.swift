import OrderStatistics

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
    let places = batch.sortedIndexes()
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
