import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// The positions of keys in two consecutive generations of a list, during one change.
protocol KeyPositions {
  /// The positions of the touched keys by row of the change; none for a row that is not near either window.
  func positions(of touched: TouchedKeys, rowCount: Int) -> [RowPositions]
  /// The position of a key in the old generation, also outside the window, or `nil` if the key is not in it or not near either
  /// window.
  func oldPosition(of key: [UInt8]) throws(StoreError) -> Int?
  /// The position of a key in the new generation, likewise.
  func newPosition(of key: [UInt8]) throws(StoreError) -> Int?
  /// Whether a key stands behind both windows, so that it cannot move any row in them.
  func isBehind(_ windows: (old: Range<Int>, new: Range<Int>), _ key: [UInt8]) -> Bool
  /// The keys at some positions of the old generation.
  func oldKeys(at positions: Range<Int>) throws(StoreError) -> [[UInt8]]
  /// The keys at some positions of the new generation.
  func newKeys(at positions: Range<Int>) throws(StoreError) -> [[UInt8]]
}

/// The positions of a row in two generations, also outside the windows.
struct RowPositions {
  var old: Int?
  var new: Int?
}

// MARK: - Held keys

/// Positions in two lists of keys in memory.
struct HeldKeyPositions: KeyPositions {
  let old: SortedKeyList
  let next: SortedKeyList
  /// The positions of the removed keys in the old list and of the inserted ones in the new list, if they are known.
  var difference: SortedKeyDifference?

  func positions(of touched: TouchedKeys, rowCount: Int) -> [RowPositions] {
    var positions = [RowPositions](repeating: RowPositions(), count: rowCount)
    var (removals, insertions) = (difference?.removals[...], difference?.insertions[...])
    touched.keys.forEachKey(in: 0..<touched.count) { index, key in
      let origin = touched.origins[index]
      switch origin.effect {
      case .removed: positions[origin.row].old = removals?.popFirst() ?? old.position(of: key)
      case .inserted: positions[origin.row].new = insertions?.popFirst() ?? next.position(of: key)
      case .unchanged:
        positions[origin.row] = RowPositions(
          old: old.position(of: key),
          new: next.position(of: key)
        )
      }
    }
    return positions
  }

  func oldPosition(of key: [UInt8]) -> Int? { old.position(of: key) }
  func newPosition(of key: [UInt8]) -> Int? { next.position(of: key) }
  func isBehind(_ windows: (old: Range<Int>, new: Range<Int>), _ key: [UInt8]) -> Bool {
    old.rank(of: key) >= windows.old.upperBound && next.rank(of: key) >= windows.new.upperBound
  }
  func oldKeys(at positions: Range<Int>) -> [[UInt8]] { positions.map(old.key(at:)) }
  func newKeys(at positions: Range<Int>) -> [[UInt8]] { positions.map(next.key(at:)) }
}

// MARK: - Indexed keys

/// Positions in two generations of indexed keys, worked out from one version of the store.
///
/// Only the present store can be read. The old position of a key is the number of keys before it now, with the effect of the
/// change and of later commits undone; its new position differs from that by the effect of the change before it.
final class IndexedKeyPositions: KeyPositions {
  private let old: IndexedReading
  /// The keys afterwards; they are created once the old positions are known.
  var next: IndexedReading?
  private let change: KeyChange
  /// Whether nothing but the change lies between the old generation and the version that is read.
  private let isLast: Bool
  private let windows: (old: Range<Int>, new: Range<Int>)
  /// The rows of the old generation whose positions are needed, or `nil` for all.
  private let observed: ObservedRows?
  /// Old positions of the touched keys, in their order; `nil` if not near a window.
  ///
  /// The position of a row that is not observed lies within its block, in the right order, and is not exact.
  private var positions: [Int?] = []
  /// How far the change shifts the rows before each of the touched keys.
  private var shifts: [Int] = []
  /// Old positions of keys that were read.
  private var known: [[UInt8]: Int] = [:]

  init(
    from old: IndexedReading,
    _ span: ListChange.KeySpan,
    windows: (old: Range<Int>, new: Range<Int>),
    observed: ObservedRows? = nil
  ) {
    self.old = old
    self.windows = windows
    self.observed = observed
    change = span.change
    isLast = span.later.isEmpty
  }

  /// Finds the positions of all touched keys, in the cheapest exact way.
  ///
  /// A few keys are counted, all of them together; blocks with many touched keys are read, and where that would cost more than one pass
  /// over the whole index, the pass is made. So the source is asked twice at most.
  /// - Throws: The store's error.
  /// - Complexity: O(*k* log *n*) for *k* keys, and at most O(*n* + *k*).
  func locate(_ touched: TouchedKeys) throws(StoreError) {
    shifts = touched.shifts
    if let observed { return try locate(touched, observing: observed) }
    guard seeks(touched.count) else { return try scan(touched) }
    var stretches: [Stretch] = []
    var first = 0
    while first < touched.count {
      let (block, range) = stretch(touched.keys, from: first)
      let isNear = concernsWindow(block, range)
      stretches.append(Stretch(block: block, keys: range, removed: 0, isNear: isNear))
      first = range.upperBound
    }
    positions = Array(repeating: nil, count: touched.count)
    try seek(touched.keys, stretches.filter(\.isNear))
  }

  /// Whether a number of keys is sought, and not found by a pass over the whole index.
  private func seeks(_ count: Int) -> Bool {
    old.keys.index.lookup.seeks(count, among: old.keys.count, old.source.costs)
  }

  /// Finds the positions of those touched keys whose rows are observed before or afterwards.
  ///
  /// For any other key its block suffices: it is far enough from the observed rows to decide on which side of them the row is.
  private func locate(_ touched: TouchedKeys, observing rows: ObservedRows) throws(StoreError) {
    var stretches: [Stretch] = []
    var first = 0
    while first < touched.count {
      let (block, keys) = stretch(touched.keys, from: first)
      let removed = keys.count { touched.origins[$0].effect == .removed }
      stretches.append(Stretch(block: block, keys: keys, removed: removed))
      first = keys.upperBound
    }
    markNear(&stretches, rows)
    // A delta names a row with both positions if one of them is observed.
    var isNamed = [Bool](repeating: false, count: touched.count)
    for key in stretches.lazy.filter(\.isNear).flatMap(\.keys) {
      isNamed[touched.origins[key].row] = true
    }
    for index in stretches.indices where !stretches[index].isNear {
      stretches[index].isNear = stretches[index].keys.contains { isNamed[touched.origins[$0].row] }
    }
    let count = stretches.reduce(0) { $0 + ($1.isNear ? $1.keys.count : 0) }
    guard seeks(count) else { return try scan(touched) }
    positions = Array(repeating: nil, count: touched.count)
    for stretch in stretches where !stretch.isNear {
      approximate(touched, stretch.keys, in: stretch.block)
    }
    try seek(touched.keys, stretches.filter(\.isNear))
  }

  /// The touched keys of one block.
  private struct Stretch {
    let block: BlockLocation
    let keys: Range<Int>
    /// How many of the keys the change removes.
    let removed: Int
    /// Whether exact positions are needed.
    var isNear = true
  }

  /// Finds the blocks that certainly lie on one side of the observed rows, before the change and afterwards.
  ///
  /// Above the observed rows that is a block with a row that remains between it and the first of them: any row inserted into the
  /// block lies above that row. Below them it is a block that is at least as far behind the last of them as rows are removed
  /// before it, since no more rows move up than are removed.
  private func markNear(_ stretches: inout [Stretch], _ observed: ObservedRows) {
    let rows = observed.range
    let edge = stretches.firstIndex { $0.block.start + $0.block.rows > rows.lowerBound }
    let behind = edge ?? stretches.count
    // Rows that keep to one of them, or to the end, take in rows from above for those removed below.
    var removed =
      observed.anchor == .start
      ? edge.map { stretches[$0].removed } ?? 0
      : stretches[behind...].reduce(0) { $0 + $1.removed }
    for index in stretches.indices.prefix(behind).reversed() {
      let end = stretches[index].block.start + stretches[index].block.rows
      stretches[index].isNear = end + removed >= rows.lowerBound
      removed += stretches[index].removed
    }
    removed = 0
    for index in stretches.indices.dropFirst(behind) {
      removed += stretches[index].removed
      stretches[index].isNear = stretches[index].block.start < rows.upperBound + removed
    }
  }

  /// The touched keys in the block of one of them, from that one on.
  private func stretch(_ keys: SortedKeyList, from first: Int) -> (BlockLocation, Range<Int>) {
    let block = keys.withKey(at: first) { old.keys.blocks.location(of: $0) }
    return (block, first..<(block.upper.map { keys.rank(of: $0) } ?? keys.count))
  }

  /// Finds the exact positions of touched keys in some blocks.
  private func seek(_ keys: SortedKeyList, _ stretches: [Stretch]) throws(StoreError) {
    guard !stretches.isEmpty else { return }
    let runWorth = old.source.costs.runWorth
    let runs = try old.runs(
      of: stretches.map { (block: $0.block, isRead: $0.keys.count >= runWorth) }
    )
    var ranges: [KeyRange] = []
    var counted: [Counted] = []
    for (stretch, run) in zip(stretches, runs) {
      if let run {
        keys.forEachKey(in: stretch.keys) { index, key in
          positions[index] = stretch.block.start + run.rank(of: key)
        }
      } else {
        count(keys, stretch, &ranges, &counted)
      }
    }
    guard !ranges.isEmpty else { return }
    let counts = try old.source.counts(of: ranges)
    for (count, part) in zip(counts, counted) {
      let present = part.rows.map { max(0, $0 - count) } ?? count
      positions[part.index] = part.position + present
    }
  }

  /// A touched key whose position needs a count.
  private struct Counted {
    /// The key's index among the touched ones.
    let index: Int
    /// The position to which the number of present keys before it in its block is added.
    let position: Int
    /// The number of present keys in the block if those behind the key are counted.
    let rows: Int?
  }

  /// Collects what has to be counted for the touched keys of a block.
  private func count(
    _ keys: SortedKeyList,
    _ stretch: Stretch,
    _ ranges: inout [KeyRange],
    _ counted: inout [Counted]
  ) {
    let (block, range) = (stretch.block, stretch.keys)
    // The number of keys that the block has in the version that is read, where that follows.
    let rows = isLast ? block.rows + shifts[range.upperBound] - shifts[range.lowerBound] : nil
    for index in range {
      let key = keys.key(at: index)
      let removed =
        isLast
        ? shifts[range.lowerBound] - shifts[index]
        : old.since.netRemoved(from: block.lower, to: key)
      let position = block.start + removed
      guard let counting = old.counting(from: block, to: key, of: rows) else {
        positions[index] = position
        continue
      }
      ranges.append(counting.range)
      counted.append(
        Counted(index: index, position: position, rows: counting.isFromEnd ? rows : nil)
      )
    }
  }

  /// Assigns touched keys the first positions of their block.
  private func approximate(_ touched: TouchedKeys, _ range: Range<Int>, in block: BlockLocation) {
    var position = block.start
    for index in range {
      positions[index] = position
      if touched.origins[index].effect != .inserted { position += 1 }
    }
  }

  /// Finds all positions by one pass over the index.
  private func scan(_ touched: TouchedKeys) throws(StoreError) {
    var batch = EntryBatch()
    touched.keys.forEachKey(in: 0..<touched.count) { _, key in
      batch.append { $0.bytes.append(contentsOf: key) }
    }
    let ranks = try old.source.ranks(of: batch)
    positions = ranks.enumerated().map { index, present in
      let removed =
        isLast ? -shifts[index] : old.since.netRemoved(from: [], to: touched.keys.key(at: index))
      return present + removed
    }
  }

  /// Whether a block with some of the touched keys meets a window before or after the change, so that positions in it matter.
  private func concernsWindow(_ block: BlockLocation, _ keys: Range<Int>) -> Bool {
    let range = block.start..<block.start + block.rows + 1
    if range.overlaps(windows.old) { return true }
    let moved =
      range.lowerBound + shifts[keys.lowerBound]..<range.upperBound + shifts[keys.upperBound - 1]
    return windows.new.lowerBound < moved.upperBound && moved.lowerBound < windows.new.upperBound
  }

  func positions(of touched: TouchedKeys, rowCount: Int) -> [RowPositions] {
    var found = [RowPositions](repeating: RowPositions(), count: rowCount)
    for (index, origin) in touched.origins.enumerated() {
      guard let position = positions[index] else { continue }
      if origin.effect != .inserted { found[origin.row].old = position }
      if origin.effect != .removed { found[origin.row].new = position + shifts[index] }
    }
    return found
  }

  /// How far the change shifts a row at or behind a key.
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
