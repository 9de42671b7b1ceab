import OrderStatistics
import ResultsDomain

/// Reads the rows of some places of one generation, so that they fit those places.
///
/// Rows are read when asked for, which may be commits later. A row that is gone by then, or belongs elsewhere, is taken
/// from the history as it was in the generation's own version; so a list that is read while others write
/// neither breaks off nor shows a row in a section that it left. Attributes that place nothing may be newer (R19, R48).
struct RowsInPlace {
  private let snapshot: ResultsSnapshot

  init(_ snapshot: ResultsSnapshot) { self.snapshot = snapshot }

  /// The rows at the places, counted over all sections; `nil` for those of which nothing is known any more.
  /// - Complexity: One reading of the rows, and of the history only where a row does not fit its place.
  func rows(_ places: Range<Int>, in store: any StoreSnapshot) throws(StoreError) -> [Row?] {
    let entity = snapshot.entity
    let positions = snapshot.window.lowerBound + places.lowerBound
    let encoded = try snapshot.keys.page(at: positions..<positions + places.count, in: store)
    let keys = try snapshot.objectKeys(of: encoded)
    var rows = try store.rows(keys, of: entity)
    // Members of a frozen list stay where they are, whatever becomes of them, and show what they are now.
    guard !snapshot.plan.isFrozen, store.version != snapshot.version else { return rows }
    let unfit = rows.indices.filter { !fits(rows[$0], encoded.key(at: $0)) }
    guard !unfit.isEmpty,
      case .commits(let records) = try store.history(since: snapshot.version, of: entity)
    else { return rows }
    var earlier: [ObjectKey: Row?] = [:]
    for change in records.lazy.flatMap(\.changes) where earlier[change.id.key] == nil {
      earlier[change.id.key] = .some(change.before)
    }
    for place in unfit {
      if case .some(.some(let row)) = earlier[keys[place]] { rows[place] = row }
    }
    return rows
  }

  /// Whether a row's values are those that its place was found by.
  private func fits(_ row: Row?, _ encoded: [UInt8]) -> Bool {
    guard let row, let key = try? snapshot.plan.encoder.key(row.values, key: row.id.key) else {
      return false
    }
    let start = encoded.withUnsafeBytes { snapshot.storeKeyStart(in: $0) }
    return key.elementsEqual(encoded[start...])
  }
}

extension ResultsSnapshot {
  /// The objects' keys at the ends of those of the list.
  /// - Throws: `StoreError.unexpected` for a key that is none of the list's.
  func objectKeys(of page: EntryBatch) throws(StoreError) -> [ObjectKey] {
    var keys: [ObjectKey] = []
    keys.reserveCapacity(page.count)
    page.forEachKey { key in
      if let key = layout.objectKey(in: key, of: entity.identity) { keys.append(key) }
    }
    guard keys.count == page.count else {
      throw .unexpected(path: entity.name, detail: "a key of the list names no object")
    }
    return keys
  }

  /// Where the store's own key begins: behind the section's number where sections are numbered.
  fileprivate func storeKeyStart(in key: UnsafeRawBufferPointer) -> Int {
    layout == plan.layout ? 0 : layout.prefixLength(columns: 1, in: key)
  }
}
