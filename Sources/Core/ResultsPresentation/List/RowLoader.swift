import OrderStatistics
import ResultsDomain
import Synchronization

/// Reads the rows of one generation a batch at a time, and caches a few batches.
///
/// A batch begins with the requested row, so that a page is read at once wherever it begins; it ends with that row if the rows after
/// it are cached, as when a list is walked backwards.
///
/// The mutex guards the cached batches, the only mutable state. It is not held while the store is read, so two threads may read the
/// same batch; both results are valid.
final class RowLoader: Sendable {
  private struct Batch {
    let positions: Range<Int>
    let rows: [Row?]

    func covers(_ other: Range<Int>) -> Bool {
      positions.lowerBound <= other.lowerBound && other.upperBound <= positions.upperBound
    }
  }

  let snapshot: ResultsSnapshot
  let store: any Store
  /// The batches used last, the newest at the end.
  private let batches = Mutex<[Batch]>([])
  private static let cachedBatchCount = 4

  init(_ snapshot: ResultsSnapshot, _ store: any Store) {
    self.snapshot = snapshot
    self.store = store
  }

  /// Returns the row at a position counted over all sections, or `nil` if the store no longer knows it.
  /// - Complexity: One batch is read from the store, unless it is cached.
  func row(at position: Int) throws(StoreError) -> Row? {
    let size = snapshot.plan.batchSize
    let (cached, missing) = batches.withLock { batches -> (Batch?, Range<Int>) in
      if let batch = RowLoader.use(position..<position + 1, from: &batches) {
        return (batch, 0..<0)
      }
      let ranges = batches.map(\.positions)
      return (nil, RowLoader.batch(of: size, at: position, beside: ranges, in: snapshot.rowCount))
    }
    let batch = if let cached { cached } else { try read(missing) }
    return batch.rows[position - batch.positions.lowerBound]
  }

  /// Returns the rows at some positions, read at once unless one cached batch covers them.
  /// - Complexity: O(*k*) rows are read from the store.
  func rows(at positions: Range<Int>) throws(StoreError) -> [Row?] {
    let cached = batches.withLock { RowLoader.use(positions, from: &$0) }
    let batch = if let cached { cached } else { try read(positions) }
    let first = positions.lowerBound - batch.positions.lowerBound
    return Array(batch.rows[first..<first + positions.count])
  }

  private func read(_ positions: Range<Int>) throws(StoreError) -> Batch {
    let rows = try store.rereading { (store) throws(StoreError) in
      try snapshot.rows(at: positions, in: store)
    }
    let batch = Batch(positions: positions, rows: rows)
    guard positions.count <= snapshot.plan.batchSize else { return batch }
    batches.withLock { batches in
      batches.append(batch)
      if batches.count > RowLoader.cachedBatchCount { batches.removeFirst() }
    }
    return batch
  }

  /// Returns the batch that covers some positions, and makes it the newest.
  private static func use(_ positions: Range<Int>, from batches: inout [Batch]) -> Batch? {
    guard let index = batches.lastIndex(where: { $0.covers(positions) }) else { return nil }
    let batch = batches[index]
    if index < batches.count - 1 { batches.append(batches.remove(at: index)) }
    return batch
  }

  /// Returns the positions to read for one that no batch covers; no row is read twice.
  private static func batch(
    of size: Int,
    at position: Int,
    beside cached: [Range<Int>],
    in count: Int
  ) -> Range<Int> {
    let isCachedAfter = cached.contains { $0.lowerBound == position + 1 }
    let isCachedBefore = cached.contains { $0.upperBound == position }
    guard isCachedAfter, !isCachedBefore else {
      let next = cached.map(\.lowerBound).filter { $0 > position }.min() ?? count
      return position..<min(position + min(size, count - position), next)
    }
    let last = cached.map(\.upperBound).filter { $0 <= position }.max() ?? 0
    return max(position + 1 - min(size, position + 1), last)..<position + 1
  }
}

// MARK: - Reading rows that fit their positions

extension ResultsSnapshot {
  /// Reads the rows at some positions counted over all sections; `nil` stands for a row the store no longer knows.
  ///
  /// Rows are read on access, which may be commits later. A row that has been deleted by then, or belongs elsewhere, is taken from the
  /// history as it was in the generation's own version. So a list that is read while others write does not break off, and shows no
  /// row in a section it has left. Attributes that decide no position may be newer (R19, R48).
  /// - Complexity: One read of the rows, and one of the history only where a row does not fit its position.
  func rows(
    at positions: Range<Int>,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [Row?] {
    let store = plan.view(store)
    let first = window.lowerBound + positions.lowerBound
    let encoded = try self.keys.pageOfRows(at: first..<first + positions.count, in: store)
    let keys = try objectKeys(of: encoded)
    var rows = try store.rows(keys, of: entity)
    // Rows of a frozen list keep their positions whatever happens to them, and show their present values.
    guard !plan.isFrozen, store.version != version else { return rows }
    let unfit = rows.indices.filter { !fits(rows[$0], encoded.key(at: $0)) }
    guard !unfit.isEmpty,
      case .commits(let records) = try store.history(since: version, of: entity)
    else { return rows }
    var earlier: [ObjectKey: Row?] = [:]
    for change in records.lazy.flatMap(\.changes) where earlier[change.id.key] == nil {
      earlier[change.id.key] = .some(change.before)
    }
    for index in unfit {
      if case .some(.some(let row)) = earlier[keys[index]] { rows[index] = row }
    }
    return rows
  }

  /// Returns the object keys at the ends of a page of the list's keys.
  /// - Throws: `StoreError.unexpected` for a key that is none of the list's.
  func objectKeys(of page: EntryBatch) throws(StoreError) -> [ObjectKey] {
    var keys: [ObjectKey] = []
    keys.reserveCapacity(page.count)
    page.forEachKey { key in
      if let key = layout.objectKey(in: key, of: entity.identity) { keys.append(key) }
    }
    guard keys.count == page.count else { throw unnamedObject }
    return keys
  }

  /// The error for a key that belongs to no object.
  var unnamedObject: StoreError {
    .unexpected(path: entity.name, detail: "a key of the list names no object")
  }

  /// Whether a row's values still encode to the key that decided its position.
  private func fits(_ row: Row?, _ encoded: [UInt8]) -> Bool {
    guard let row, let key = try? plan.encoder.key(row.values, key: row.id.key) else {
      return false
    }
    let start = encoded.withUnsafeBytes { storeKeyStart(in: $0) }
    return key.elementsEqual(encoded[start...])
  }

  /// Where the store's own key begins: after the section number where sections are numbered.
  private func storeKeyStart(in key: UnsafeRawBufferPointer) -> Int {
    layout == plan.layout ? 0 : layout.prefixLength(columns: 1, in: key)
  }
}
