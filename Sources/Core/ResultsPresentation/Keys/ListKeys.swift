import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// The keys of a list in order: held in memory, or counted over an index of the store that has them.
enum ListKeys: Sendable {
  case held(SortedKeyList)
  case indexed(IndexedKeys)

  /// The number of keys.
  var count: Int {
    switch self {
    case .held(let keys): keys.count
    case .indexed(let keys): keys.count
    }
  }

  /// The approximate size in memory.
  var byteCount: Int {
    switch self {
    case .held(let keys): keys.byteCount
    case .indexed(let keys): keys.byteCount
    }
  }

  /// The damage flag of the cache that the keys were read from, if they were read from one.
  var damage: PivotDamage? {
    if case .indexed(let keys) = self { keys.blocks.damage } else { nil }
  }

  /// Whether a damaged part of that cache was read: positions are right nevertheless, but the keys must be counted again.
  var isDamaged: Bool { damage?.isFound ?? false }

  /// The positions of a section's keys, empty at the insertion point if there are none; nothing is read.
  func positions(of extent: SectionExtent) -> Range<Int> {
    switch self {
    case .held(let keys): extent.positions(in: keys)
    case .indexed(let keys): keys.positions(of: extent)
    }
  }

  /// Calls a closure with the keys at some positions, in order; for an index it opens a snapshot of the store.
  /// - Throws: The store's error; `StoreError.historyLost` if the store's history does not reach back to the keys.
  func forEachKey(
    in positions: Range<Int>,
    _ body: (Int, UnsafeRawBufferPointer) -> Void
  ) throws(StoreError) {
    switch self {
    case .held(let keys): keys.forEachKey(in: positions, body)
    case .indexed(let keys):
      // Keys that were passed on cannot be taken back.
      try keys.index.store.rereading(isRepeatable: false) { (snapshot) throws(StoreError) in
        try IndexedReading(keys, in: snapshot).forEachKey(in: positions, body)
      }
    }
  }

  /// The keys at some positions, in order, read in a given version of the store.
  /// - Throws: As `forEachKey(in:_:)`.
  func keys(at positions: Range<Int>, in snapshot: any StoreSnapshot) throws(StoreError)
    -> [[UInt8]]
  {
    switch self {
    case .held(let keys):
      var found: [[UInt8]] = []
      found.reserveCapacity(positions.count)
      keys.forEachKey(in: positions) { _, key in found.append(Array(key)) }
      return found
    case .indexed(let keys):
      return try IndexedReading(keys, in: snapshot).keys(at: positions)
    }
  }

  /// Reads a page of the list: the keys at some positions, in order, all at once and no others.
  ///
  /// For an index it opens a snapshot of the store.
  /// - Throws: As `forEachKey(in:_:)`.
  func page(at positions: Range<Int>) throws(StoreError) -> EntryBatch {
    guard case .indexed(let keys) = self else { return heldPage(at: positions) }
    if let page = keys.cachedPage(at: positions) { return page }
    return try keys.index.store.rereading { (snapshot) throws(StoreError) in
      try IndexedReading(keys, in: snapshot).page(at: positions)
    }
  }

  /// As `page(at:)`, read in a given version of the store, which is asked for the rows next.
  func pageOfRows(
    at positions: Range<Int>,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> EntryBatch {
    guard case .indexed(let keys) = self else { return heldPage(at: positions) }
    return try IndexedReading(keys, in: snapshot).page(at: positions, readsRows: true)
  }

  private func heldPage(at positions: Range<Int>) -> EntryBatch {
    var page = EntryBatch()
    if case .held(let keys) = self { page.append(keys, positions) }
    return page
  }

  /// Calls a closure with the key at a position, or with no bytes if there is none.
  /// - Throws: As `forEachKey(in:_:)`.
  func withKey<Result>(
    at position: Int,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(StoreError) -> Result {
    switch self {
    case .held(let keys): return keys.withKey(at: position, body)
    case .indexed(let keys):
      guard let block = keys.blocks.location(containing: position, isBounded: false) else {
        return body(UnsafeRawBufferPointer(start: nil, count: 0))
      }
      if let run = keys.keyVersion.cachedRun(from: block.lower) {
        return run.withKey(at: position - block.start, body)
      }
      let key = try keys.index.store.rereading { (snapshot) throws(StoreError) in
        try IndexedReading(keys, in: snapshot).key(at: position, in: block)
      }
      return (key ?? []).withUnsafeBytes(body)
    }
  }

  /// All keys, in memory.
  /// - Complexity: O(*n*) for those of an index.
  func held(in snapshot: any StoreSnapshot) throws(StoreError) -> SortedKeyList {
    switch self {
    case .held(let keys): keys
    case .indexed(let keys): try IndexedReading(keys, in: snapshot).held(in: snapshot)
    }
  }
}
