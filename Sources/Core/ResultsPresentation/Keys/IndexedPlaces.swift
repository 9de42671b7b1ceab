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
  /// Whether nothing but the change lies between the generation before and the version that is read.
  private let isLast: Bool
  private let windows: (old: Range<Int>, new: Range<Int>)
  /// The rows before whose places are asked for, or `nil` for all.
  private let observed: Range<Int>?
  /// Positions in the generation before of the touched keys, in their order; `nil` nowhere near a window.
  ///
  /// Those of rows that are not observed are somewhere in their block, in their order.
  private var positions: [Int?] = []
  /// How far the change moves what stands before each of the touched keys.
  private var shifts: [Int] = []
  /// Positions in the generation before of keys that were read.
  private var known: [[UInt8]: Int] = [:]

  init(
    from old: IndexedReading,
    _ span: ListChange.KeySpan,
    windows: (old: Range<Int>, new: Range<Int>),
    observed: Range<Int>? = nil
  ) {
    self.old = old
    self.windows = windows
    self.observed = observed
    change = span.change
    isLast = span.later.isEmpty
  }

  /// Finds the positions of all touched keys, in the cheapest exact way.
  ///
  /// A few keys are counted each; of a block with many keys all are read; and where that would cost more than passing over the whole
  /// index once, that is done.
  /// - Throws: The store's error.
  /// - Complexity: O(*k* log *n*) for *k* keys, and at most O(*n* + *k*).
  func locate(_ touched: TouchedKeys) throws(StoreError) {
    shifts = touched.shifts
    positions.reserveCapacity(touched.count)
    if let observed { return try locate(touched, observing: observed) }
    guard old.keys.index.placing.seeks(touched.count, among: old.keys.count) else {
      return try pass(touched)
    }
    while positions.count < touched.count {
      let (place, range) = stretch(touched.keys)
      if concernsWindow(place, range) {
        try seek(touched.keys, range, in: place)
      } else {
        positions += Array(repeating: nil, count: range.count)
      }
    }
  }

  /// Finds the positions of those touched keys whose rows are observed before or afterwards.
  ///
  /// Of any other only the block is looked at, which is far enough from the observed rows that it says on which side of them the row is.
  private func locate(_ touched: TouchedKeys, observing rows: Range<Int>) throws(StoreError) {
    var stretches: [(place: BlockPlace, keys: Range<Int>, isNear: Bool)] = []
    var isNear = [Bool](repeating: false, count: touched.count)
    var first = 0
    // As many rows may come or leave between the observed rows and another.
    let margin = touched.count
    while first < touched.count {
      let (place, keys) = stretch(touched.keys, from: first)
      let near =
        place.start + place.rows + margin >= rows.lowerBound
        && place.start < rows.upperBound + 2 * margin
      stretches.append((place, keys, near))
      if near { for key in keys { isNear[touched.origins[key].row] = true } }
      first = keys.upperBound
    }
    for index in stretches.indices where !stretches[index].isNear {
      stretches[index].isNear = stretches[index].keys.contains { isNear[touched.origins[$0].row] }
    }
    let count = stretches.reduce(0) { $0 + ($1.isNear ? $1.keys.count : 0) }
    guard old.keys.index.placing.seeks(count, among: old.keys.count) else {
      return try pass(touched)
    }
    for stretch in stretches {
      if stretch.isNear {
        try seek(touched.keys, stretch.keys, in: stretch.place)
      } else {
        suppose(touched, stretch.keys, in: stretch.place)
      }
    }
  }

  /// The touched keys that the block of the first one has, from one on or the first whose position is still to be found.
  private func stretch(
    _ keys: SortedKeyList,
    from first: Int? = nil
  ) -> (BlockPlace, Range<Int>) {
    let first = first ?? positions.count
    let place = keys.withKey(at: first) { old.keys.blocks.place(of: $0) }
    return (place, first..<(place.upper.map { keys.rank(of: $0) } ?? keys.count))
  }

  /// The positions of touched keys that a block has.
  private func seek(
    _ keys: SortedKeyList,
    _ range: Range<Int>,
    in place: BlockPlace
  ) throws(StoreError) {
    if let run = try old.run(of: place, ifWorth: range.count) {
      keys.forEachKey(in: range) { _, key in positions.append(place.start + run.rank(of: key)) }
      return
    }
    // How many keys the block has in the version that is read, where that follows.
    let rows = isLast ? place.rows + shifts[range.upperBound] - shifts[range.lowerBound] : nil
    for index in range {
      let key = keys.key(at: index)
      let present = try old.count(from: place, to: key, of: rows)
      let lost =
        isLast
        ? shifts[range.lowerBound] - shifts[index]
        : old.since.lost(from: place.lower, to: key)
      positions.append(place.start + present + lost)
    }
  }

  /// The positions that touched keys of a block would have if they were its first ones.
  private func suppose(_ touched: TouchedKeys, _ range: Range<Int>, in place: BlockPlace) {
    var position = place.start
    for index in range {
      positions.append(position)
      if touched.origins[index].fate != .comes { position += 1 }
    }
  }

  /// Positions by one pass over all keys.
  private func pass(_ touched: TouchedKeys) throws(StoreError) {
    var batch = EntryBatch()
    touched.keys.forEachKey(in: 0..<touched.count) { _, key in
      batch.append { $0.bytes.append(contentsOf: key) }
    }
    let ranks = try old.source.ranks(of: batch)
    positions = ranks.enumerated().map { index, present in
      let lost =
        isLast ? -shifts[index] : old.since.lost(from: [], to: touched.keys.key(at: index))
      return present + lost
    }
  }

  /// Whether a block with some of the touched keys, or where it will be, meets a window, so that positions in it matter.
  private func concernsWindow(_ place: BlockPlace, _ keys: Range<Int>) -> Bool {
    let range = place.start..<place.start + place.rows + 1
    if range.overlaps(windows.old) { return true }
    let moved =
      range.lowerBound + shifts[keys.lowerBound]..<range.upperBound + shifts[keys.upperBound - 1]
    return windows.new.lowerBound < moved.upperBound && moved.lowerBound < windows.new.upperBound
  }

  func places(of touched: TouchedKeys, rowCount: Int) -> [RowPlaces] {
    var places = [RowPlaces](repeating: RowPlaces(), count: rowCount)
    for (index, origin) in touched.origins.enumerated() {
      guard let position = positions[index] else { continue }
      if origin.fate != .comes { places[origin.row].before = position }
      if origin.fate != .leaves { places[origin.row].after = position + shifts[index] }
    }
    return places
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
