import OrderStatistics
import ResultsDomain
import ResultsStoreKit
import Synchronization

/// Reads the rows of one generation a batch at a time, and caches a few batches.
///
/// The rows have the values of the generation, whatever was committed since. Where the store's history does not reach back to it, they
/// have present values, and the list names them as updated when it has advanced that far (`LateReads`).
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
  /// Where rows are noted whose values may be later than the generation; `nil` for a list that nothing advances.
  private let lateReads: LateReads?
  /// The batches used last, the newest at the end.
  private let batches = Mutex<[Batch]>([])
  private static let cachedBatchCount = 4

  init(_ snapshot: ResultsSnapshot, _ store: any Store, _ lateReads: LateReads? = nil) {
    self.snapshot = snapshot
    self.store = store
    self.lateReads = lateReads
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
    let batch = Batch(positions: positions, rows: try page(at: positions).rows)
    guard positions.count <= snapshot.plan.batchSize else { return batch }
    batches.withLock { batches in
      batches.append(batch)
      if batches.count > RowLoader.cachedBatchCount { batches.removeFirst() }
    }
    return batch
  }

  /// Lets the list note the version that it is at, which its rows and aggregates may have too.
  func settle() { lateReads?.settle() }

  private func page(at positions: Range<Int>) throws(StoreError) -> RowPage {
    func read() throws(StoreError) -> RowPage {
      try store.rereading { (store) throws(StoreError) in
        try snapshot.page(at: positions, in: store)
      }
    }
    var page = try read()
    guard let lateReads, !lateReads.keysAhead(in: page).isEmpty else { return page }
    // The list may be at a later version with the same rows.
    lateReads.settle()
    for attempt in 1...RowLoader.readingLimit {
      page = try read()
      let keys = lateReads.keysAhead(in: page)
      let isLast = attempt == RowLoader.readingLimit
      if keys.isEmpty || lateReads.note(keys, of: page, isLast: isLast) { break }
    }
    return page
  }

  /// How often a page is read if the list is advanced past it each time.
  private static let readingLimit = 3

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

// MARK: - Reading the rows of a generation

/// The rows of a page.
struct RowPage {
  /// The keys of the objects.
  let keys: [ObjectKey]
  /// Their rows; `nil` for an object that the store does not have.
  var rows: [Row?]
  /// The version of the store that was read.
  let version: StoreVersion
  /// Why the rows have the values of that version and not those of their generation; `nil` if they have those.
  var gap: GapReason?
  /// The rows that are certainly as they were before later commits.
  var undone: Set<ObjectKey> = []
}

extension ResultsSnapshot {
  /// Reads the rows at some positions counted over all sections, as they are in this generation (R200).
  ///
  /// Rows are read on access, which may be commits later. What was committed since is undone by the history, for related values too. So a
  /// list that is read while others write does not break off, shows no row in a section it has left, and shows nothing that its changes
  /// will not name (R19, R48).
  /// - Complexity: One read of the rows, and one of the history only if the store has changed since.
  func page(
    at positions: Range<Int>,
    in store: any StoreSnapshot
  ) throws(StoreError) -> RowPage {
    try page(atKeys: keyRanges(ofFlat: positions), in: store)
  }

  /// Reads the rows at some positions among all keys, as they are in this generation.
  /// - Parameters:
  ///   - ranges: The positions.
  ///   - version: The version in which the rows are those of the generation, or `nil` for the latest in which those in the window are.
  ///   - store: The version to read.
  /// - Returns: The rows, with the reason if they have present values.
  /// - Throws: The store's error.
  /// - Complexity: As `page(at:in:)`.
  func page(
    atKeys ranges: [Range<Int>],
    asOf version: StoreVersion? = nil,
    in store: any StoreSnapshot
  ) throws(StoreError) -> RowPage {
    let view = plan.view(store)
    var keys: [ObjectKey] = []
    for range in ranges {
      keys += try objectKeys(of: try self.keys.pageOfRows(at: range, in: view))
    }
    let since = version ?? span.latest(upTo: store.version)
    guard since != store.version else {
      return RowPage(keys: keys, rows: try view.rows(keys, of: entity), version: store.version)
    }
    return try page(of: keys, asOf: since, in: store)
  }

  /// Reads rows as they were in an earlier version.
  private func page(
    of keys: [ObjectKey],
    asOf version: StoreVersion,
    in store: any StoreSnapshot
  ) throws(StoreError) -> RowPage {
    guard let relations = plan.relations else {
      // The rows first: a store may have read them with the keys.
      var page = RowPage(
        keys: keys,
        rows: try store.rows(keys, of: entity),
        version: store.version
      )
      switch try store.history(since: version, of: entity) {
      case .gap(let reason): page.gap = reason
      case .commits(let records): page.undo(records)
      }
      return page
    }
    switch try store.history(since: version, ofEach: relations.entities) {
    case .commits(let records) where !records.isEmpty:
      let rows = try relations.rows(keys, before: records, in: store)
      return RowPage(keys: keys, rows: rows, version: store.version)
    case .commits:
      let rows = try plan.view(store).rows(keys, of: entity)
      return RowPage(keys: keys, rows: rows, version: store.version)
    case .gap(let reason):
      let rows = try plan.view(store).rows(keys, of: entity)
      return RowPage(keys: keys, rows: rows, version: store.version, gap: reason)
    }
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
}

extension RowPage {
  /// Replaces rows by what they were before some commits.
  fileprivate mutating func undo(_ records: [CommitRecord]) {
    guard !records.isEmpty else { return }
    let indexes = Dictionary(zip(keys, keys.indices)) { first, _ in first }
    for record in records.reversed() {
      for change in record.changes {
        guard let index = indexes[change.id.key] else { continue }
        rows[index] = change.before
        undone.insert(change.id.key)
      }
    }
  }
}
