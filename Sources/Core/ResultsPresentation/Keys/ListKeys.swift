import OrderStatistics
import ResultsDomain

/// The keys of a list in order: held, or counted over an index of the store that holds them.
enum ListKeys: Sendable {
  case held(SortedKeyList)
  /// Lies apart, since a generation is copied more often than its keys are asked for.
  indirect case indexed(IndexedKeys)

  /// The number of keys.
  var count: Int {
    switch self {
    case .held(let keys): keys.count
    case .indexed(let keys): keys.count
    }
  }

  /// What they take in memory, about.
  var byteCount: Int {
    switch self {
    case .held(let keys): keys.byteCount
    case .indexed(let keys): keys.byteCount
    }
  }

  /// Where it is noted that a part of a cache that they came from is not what was written, if they came from one.
  var damage: PivotDamage? {
    if case .indexed(let keys) = self { keys.blocks.damage } else { nil }
  }

  /// Whether such a part was met: positions are right nevertheless, but the keys are to be counted anew.
  var isDamaged: Bool { damage?.isFound ?? false }

  /// The positions of a section's keys, empty where they would be if there are none; nothing is read.
  func positions(of extent: SectionExtent) -> Range<Int> {
    switch self {
    case .held(let keys): extent.positions(in: keys)
    case .indexed(let keys): keys.positions(of: extent)
    }
  }

  /// Hands over the keys at some positions, in order; an index is read in a version of the store of its own.
  /// - Throws: The store's error; `StoreError.historyLost` if its history no longer tells what the keys were.
  func forEachKey(
    in positions: Range<Int>,
    _ body: (Int, UnsafeRawBufferPointer) -> Void
  ) throws(StoreError) {
    switch self {
    case .held(let keys): keys.forEachKey(in: positions, body)
    case .indexed(let keys):
      try keys.index.store.rereading { (snapshot) throws(StoreError) in
        try IndexedReading(keys, in: snapshot).forEachKey(in: positions, body)
      }
    }
  }

  /// The keys at some positions, in order, read in a version of the store that is at hand.
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

  /// The keys at some positions, in order, as a page of the list is read: all at once, and no others.
  ///
  /// An index is read in a version of the store of its own.
  /// - Throws: As `forEachKey(in:_:)`.
  func page(at positions: Range<Int>) throws(StoreError) -> EntryBatch {
    guard case .indexed(let keys) = self else { return heldPage(at: positions) }
    if let page = keys.keptPage(at: positions) { return page }
    return try keys.index.store.rereading { (snapshot) throws(StoreError) in
      try IndexedReading(keys, in: snapshot).page(at: positions)
    }
  }

  /// As `page(at:)`, read in a version of the store that is at hand.
  func page(
    at positions: Range<Int>,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> EntryBatch {
    guard case .indexed(let keys) = self else { return heldPage(at: positions) }
    return try IndexedReading(keys, in: snapshot).page(at: positions)
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
      guard let place = keys.blocks.location(containing: position) else {
        return body(UnsafeRawBufferPointer(start: nil, count: 0))
      }
      if let run = keys.era.run(from: place.lower) {
        return run.withKey(at: position - place.start, body)
      }
      let key = try keys.index.store.rereading { (snapshot) throws(StoreError) in
        try IndexedReading(keys, in: snapshot).key(at: position, in: place)
      }
      return (key ?? []).withUnsafeBytes(body)
    }
  }

  /// All keys, held.
  /// - Complexity: O(*n*) for those of an index.
  func held(in snapshot: any StoreSnapshot) throws(StoreError) -> SortedKeyList {
    switch self {
    case .held(let keys): keys
    case .indexed(let keys): try IndexedReading(keys, in: snapshot).held(in: snapshot)
    }
  }
}
