import OrderStatistics
import ResultsDomain

/// Where a row stands in two generations of a list, outside the windows too.
struct RowPlaces {
  var before: Int?
  var after: Int?
}

/// Where keys stand in two generations of a list, for the time of one change.
protocol KeyPlaces {
  /// The positions of the rows whose keys a change touches, as often as it has rows; none for a row that is nowhere near either
  /// window.
  func places(of touched: TouchedKeys, rowCount: Int) -> [RowPlaces]
  /// The position of a key in the generation before, outside the window too, or `nil` if it is not in it, or nowhere
  /// near either window.
  func oldPosition(of key: [UInt8]) throws(StoreError) -> Int?
  /// The position of a key in the new generation, likewise.
  func newPosition(of key: [UInt8]) throws(StoreError) -> Int?
  /// Whether a key stands behind both windows, so that no row in them has another position because of it.
  func isBehind(_ windows: (old: Range<Int>, new: Range<Int>), _ key: [UInt8]) -> Bool
  /// The keys at some positions of the generation before.
  func oldKeys(at positions: Range<Int>) throws(StoreError) -> [[UInt8]]
  /// The keys at some positions of the new generation.
  func newKeys(at positions: Range<Int>) throws(StoreError) -> [[UInt8]]
}

/// Places in two lists of keys that are held.
struct HeldPlaces: KeyPlaces {
  let old: SortedKeyList
  let next: SortedKeyList

  func places(of touched: TouchedKeys, rowCount: Int) -> [RowPlaces] {
    var places = [RowPlaces](repeating: RowPlaces(), count: rowCount)
    touched.keys.forEachKey(in: 0..<touched.count) { place, key in
      let origin = touched.origins[place]
      if origin.fate != .comes { places[origin.row].before = old.position(of: key) }
      if origin.fate != .leaves { places[origin.row].after = next.position(of: key) }
    }
    return places
  }

  func oldPosition(of key: [UInt8]) -> Int? { old.position(of: key) }
  func newPosition(of key: [UInt8]) -> Int? { next.position(of: key) }
  func isBehind(_ windows: (old: Range<Int>, new: Range<Int>), _ key: [UInt8]) -> Bool {
    old.rank(of: key) >= windows.old.upperBound && next.rank(of: key) >= windows.new.upperBound
  }
  func oldKeys(at positions: Range<Int>) -> [[UInt8]] { positions.map(old.key(at:)) }
  func newKeys(at positions: Range<Int>) -> [[UInt8]] { positions.map(next.key(at:)) }
}

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
    var stretches: [Stretch] = []
    var first = 0
    while first < touched.count {
      let (place, keys) = stretch(touched.keys, from: first)
      let leaving = keys.count { touched.origins[$0].fate == .leaves }
      stretches.append(Stretch(place: place, keys: keys, leaving: leaving))
      first = keys.upperBound
    }
    markNear(&stretches, rows)
    // A row is told with both of its places if one of them is observed.
    var isTold = [Bool](repeating: false, count: touched.count)
    for key in stretches.lazy.filter(\.isNear).flatMap(\.keys) {
      isTold[touched.origins[key].row] = true
    }
    for index in stretches.indices where !stretches[index].isNear {
      stretches[index].isNear = stretches[index].keys.contains { isTold[touched.origins[$0].row] }
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

  /// The touched keys of one block.
  private struct Stretch {
    let place: BlockPlace
    let keys: Range<Int>
    /// How many of them leave.
    let leaving: Int
    /// Whether their positions are looked for.
    var isNear = true
  }

  /// Tells the blocks that surely lie on one side of the observed rows, before the change and afterwards.
  ///
  /// Above them that is a block with a row that stays between it and the first of them: what comes into it comes above that row. Below
  /// them it is one that lies as far behind the last of them as rows leave before it, since no more come up than leave.
  private func markNear(_ stretches: inout [Stretch], _ rows: Range<Int>) {
    let edge = stretches.firstIndex { $0.place.start + $0.place.rows > rows.lowerBound }
    let behind = edge ?? stretches.count
    var leaving = edge.map { stretches[$0].leaving } ?? 0
    for index in stretches.indices.prefix(behind).reversed() {
      let end = stretches[index].place.start + stretches[index].place.rows
      stretches[index].isNear = end + leaving >= rows.lowerBound
      leaving += stretches[index].leaving
    }
    leaving = 0
    for index in stretches.indices.dropFirst(behind) {
      leaving += stretches[index].leaving
      stretches[index].isNear = stretches[index].place.start < rows.upperBound + leaving
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
