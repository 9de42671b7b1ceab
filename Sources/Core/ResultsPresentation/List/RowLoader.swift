import OrderStatistics
import ResultsDomain
import Synchronization

/// Reads the rows of one generation, a batch at a time, and keeps a few batches.
///
/// A batch begins with the row that is asked for, so that a page is read at once wherever it begins; it ends with that row
/// if the rows behind it are kept, as when a list is walked backwards.
final class RowLoader: Sendable {
  private struct Batch {
    let places: Range<Int>
    let rows: [Row?]

    func has(_ other: Range<Int>) -> Bool {
      places.lowerBound <= other.lowerBound && other.upperBound <= places.upperBound
    }
  }

  let snapshot: ResultsSnapshot
  private let store: any Store
  /// Batches used last, newest at the end; guarded by the mutex, which is not held while the store is read.
  private let batches = Mutex<[Batch]>([])
  private static let kept = 4

  init(_ snapshot: ResultsSnapshot, _ store: any Store) {
    self.snapshot = snapshot
    self.store = store
  }

  /// The row at a place counted over all sections, or `nil` if nothing is known of it any more.
  /// - Complexity: One batch is read from the store, unless it is kept.
  func row(at place: Int) throws(StoreError) -> Row? {
    let size = snapshot.plan.batchSize
    let (kept, missing) = batches.withLock { batches -> (Batch?, Range<Int>) in
      if let batch = RowLoader.take(place..<place + 1, from: &batches) { return (batch, 0..<0) }
      let ranges = batches.map(\.places)
      return (nil, RowLoader.batch(of: size, at: place, beside: ranges, in: snapshot.rowCount))
    }
    let batch = if let kept { kept } else { try read(missing) }
    return batch.rows[place - batch.places.lowerBound]
  }

  /// The rows at some places, read at once unless a batch that is kept has them all.
  /// - Complexity: O(*k*) rows are read from the store.
  func rows(at places: Range<Int>) throws(StoreError) -> [Row?] {
    let kept = batches.withLock { RowLoader.take(places, from: &$0) }
    let batch = if let kept { kept } else { try read(places) }
    let first = places.lowerBound - batch.places.lowerBound
    return Array(batch.rows[first..<first + places.count])
  }

  private func read(_ places: Range<Int>) throws(StoreError) -> Batch {
    let reader = RowsInPlace(snapshot)
    let rows = try store.rereading { (store) throws(StoreError) in
      try reader.rows(places, in: store)
    }
    let batch = Batch(places: places, rows: rows)
    guard places.count <= snapshot.plan.batchSize else { return batch }
    batches.withLock { batches in
      batches.append(batch)
      if batches.count > RowLoader.kept { batches.removeFirst() }
    }
    return batch
  }

  /// The batch that has all of some places, which is then the newest.
  private static func take(_ places: Range<Int>, from batches: inout [Batch]) -> Batch? {
    guard let place = batches.lastIndex(where: { $0.has(places) }) else { return nil }
    let batch = batches[place]
    if place < batches.count - 1 { batches.append(batches.remove(at: place)) }
    return batch
  }

  /// Which rows to read for a place that no batch has, none of them twice.
  private static func batch(
    of size: Int,
    at place: Int,
    beside kept: [Range<Int>],
    in count: Int
  ) -> Range<Int> {
    let isBehind = kept.contains { $0.lowerBound == place + 1 }
    let isBefore = kept.contains { $0.upperBound == place }
    guard isBehind, !isBefore else {
      let next = kept.map(\.lowerBound).filter { $0 > place }.min() ?? count
      return place..<min(place + min(size, count - place), next)
    }
    let last = kept.map(\.upperBound).filter { $0 <= place }.max() ?? 0
    return max(place + 1 - min(size, place + 1), last)..<place + 1
  }
}

// MARK: - Reading rows at the positions of a generation

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
