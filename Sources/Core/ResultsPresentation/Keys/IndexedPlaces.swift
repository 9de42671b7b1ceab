import OrderStatistics
import ResultsDomain

/// Places in two generations of indexed keys, worked out from one version of the store.
///
/// Only the present store can be read. The position that a key had is the number of keys before it now, with what the
/// change and later commits did before it undone; its position afterwards differs from that by what the change did before it.
final class IndexedPlaces: KeyPlaces {
  private let old: IndexedReading
  /// The keys afterwards; they are made once the places before are known.
  var next: IndexedReading?
  private let change: KeyChange
  private let windows: (old: Range<Int>, new: Range<Int>)
  /// Positions in the generation before of keys that were asked for or read.
  private var known: [[UInt8]: Int] = [:]

  init(
    from old: IndexedReading,
    _ change: KeyChange,
    windows: (old: Range<Int>, new: Range<Int>)
  ) {
    self.old = old
    self.change = change
    self.windows = windows
  }

  /// Finds the positions of many keys at once, in the cheapest exact way.
  ///
  /// A few keys are counted each; of a block with many keys all are read; and where that would cost more than reading the whole
  /// index once, that is done.
  /// - Parameters:
  ///   - keys: The keys, ascending.
  ///   - snapshot: The version of the store that is at hand.
  /// - Throws: The store's error.
  /// - Complexity: O(*c* log *n*) for *c* keys, and at most O(*n* + *c*).
  func locate(_ keys: [[UInt8]], in snapshot: any StoreSnapshot) throws(StoreError) {
    known.reserveCapacity(keys.count)
    if keys.count > old.keys.index.soughtKeysLimit,
      keys.count > old.keys.count / IndexedPlaces.keysReadForOneSought
    {
      return try scan(keys, in: snapshot)
    }
    var first = 0
    while first < keys.count {
      let place = old.keys.blocks.place(of: keys[first])
      var end = first + 1
      while end < keys.count, place.upper.map({ KeyOrder.compare(keys[end], $0) < 0 }) ?? true {
        end += 1
      }
      defer { first = end }
      guard concernsWindow(place, keys[first..<end]) else { continue }
      if end - first >= 4 { _ = try old.run(of: place) }
      for key in keys[first..<end] { known[key] = try old.rank(of: key) }
    }
  }

  /// How many keys are read in a pass in the time that one is sought and counted.
  private static let keysReadForOneSought = 100

  /// Positions by one pass over all keys.
  private func scan(_ keys: [[UInt8]], in snapshot: any StoreSnapshot) throws(StoreError) {
    let definition = old.keys.index.definition
    var place = 0
    var position = 0
    try snapshot.entries(of: definition) { (batch) throws(StoreError) in
      batch.bytes.withUnsafeBytes { bytes in
        var start = 0
        for end in batch.ends {
          let key = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
          while place < keys.count,
            keys[place].withUnsafeBytes({ KeyOrder.compare($0, key) <= 0 })
          {
            known[keys[place]] = position + old.since.lost(from: [], to: keys[place])
            place += 1
          }
          start = end
          position += 1
        }
      }
      return place < keys.count
    }
    for key in keys[place...] { known[key] = position + old.since.lost(from: [], to: key) }
  }

  /// Whether a block, or where it will be, meets a window, so that positions in it matter.
  private func concernsWindow(_ place: BlockPlace, _ keys: ArraySlice<[UInt8]>) -> Bool {
    let range = place.start..<place.start + place.rows + 1
    if range.overlaps(windows.old) { return true }
    guard let first = keys.first, let last = keys.last else { return false }
    let moved = range.lowerBound + shift(before: first)..<range.upperBound + shift(before: last)
    return windows.new.lowerBound < moved.upperBound && moved.lowerBound < windows.new.upperBound
  }

  /// How far the change moves what stands before or at a key.
  private func shift(before key: [UInt8]) -> Int {
    change.inserted.rank(of: key) - change.removed.rank(of: key)
  }

  func oldPosition(of key: [UInt8]) -> Int? { known[key] }

  func newPosition(of key: [UInt8]) -> Int? { known[key].map { $0 + shift(before: key) } }

  func isBehind(_ windows: (old: Range<Int>, new: Range<Int>), _ key: [UInt8]) -> Bool {
    let start = old.keys.blocks.span(of: key).positions.lowerBound
    return start >= windows.old.upperBound && start + shift(before: key) >= windows.new.upperBound
  }

  func oldKeys(at positions: Range<Int>) throws(StoreError) -> [[UInt8]] {
    let keys = try old.keys(at: positions)
    for (key, position) in zip(keys, positions) { known[key] = position }
    return keys
  }

  func newKeys(at positions: Range<Int>) throws(StoreError) -> [[UInt8]] {
    guard let keys = try next?.keys(at: positions) else { return [] }
    for (key, position) in zip(keys, positions) { known[key] = position - shift(before: key) }
    return keys
  }
}
