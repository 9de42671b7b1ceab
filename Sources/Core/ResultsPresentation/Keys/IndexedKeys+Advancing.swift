import OrderStatistics
import ResultsDomain

extension IndexedKeys {
  /// The keys after a change.
  /// - Parameters:
  ///   - change: What leaves and what comes.
  ///   - version: The version that the change made.
  ///   - source: The index in a version of the store, which may be a later one.
  ///   - later: What became of the keys between the change and the version that is read.
  /// - Returns: `nil` if the change does not fit the keys.
  /// - Throws: The store's error.
  /// - Complexity: O(*c* log *n*) for *c* keys; a block that grew too long is read once.
  func advanced(
    by change: KeyChange,
    to version: StoreVersion,
    _ source: any OrderedSource,
    later: KeyChange
  ) throws(StoreError) -> IndexedKeys? {
    guard !change.isEmpty else { return self }
    var next = IndexedKeys(
      blocks: blocks,
      sections: sections,
      era: KeyEra(version),
      index: index
    )
    guard let touched = next.count(change), next.countSections(change),
      next.carryRuns(of: self, change)
    else { return nil }
    // From the end on, since splitting and joining blocks changes the numbers of those behind.
    for block in touched.reversed() { try next.settle(block, source, later) }
    era.end(with: change, next: next.era)
    return next
  }

  /// Counts keys in their blocks.
  /// - Returns: The ascending numbers of the blocks that have other lengths now, or `nil` if one would have less than no keys.
  private mutating func count(_ change: KeyChange) -> [Int]? {
    var numbers: [(block: Int, rows: Int)] = []
    numbers.reserveCapacity(change.count)
    for (keys, rows) in [(change.inserted, 1), (change.removed, -1)] {
      keys.forEachKey(in: 0..<keys.count) { _, key in
        numbers.append((blocks.span(of: key).index, rows))
      }
    }
    numbers.sort { $0.block < $1.block }
    var touched: [Int] = []
    var first = 0
    while first < numbers.count {
      let block = numbers[first].block
      var rows = 0
      while first < numbers.count, numbers[first].block == block {
        rows += numbers[first].rows
        first += 1
      }
      guard rows != 0 else { continue }
      guard blocks.add(rows, toBlock: block) else { return nil }
      touched.append(block)
    }
    return touched
  }

  /// Counts keys in their sections, which come and go with them.
  /// - Returns: Whether the keys fit.
  private mutating func countSections(_ change: KeyChange) -> Bool {
    if case .single = index.rule {
      let rows = change.inserted.count - change.removed.count
      if sections.blockCount > 1 { return rows == 0 || sections.add(rows, toBlock: 1) }
      return rows == 0 || insertSection([0], rows: rows, at: 1)
    }
    var differences: [[UInt8]: Int] = [:]
    var isKnown = true
    func count(_ keys: SortedKeyList, _ difference: Int) {
      // Keys come in order, so those of one section follow each other.
      var section: SectionExtent?
      keys.forEachKey(in: 0..<keys.count) { _, key in
        if let section, section.contains(key) {
          differences[section.lower, default: 0] += difference
          return
        }
        guard let extent = index.rule.extent(of: key, index.layout) else {
          isKnown = false
          return
        }
        section = extent
        differences[extent.lower, default: 0] += difference
        if difference > 0 {
          index.ids.note(Array(key), from: extent.lower, index.rule, index.layout)
        }
      }
    }
    count(change.inserted, 1)
    count(change.removed, -1)
    guard isKnown else { return false }
    for (lower, rows) in differences where rows != 0 {
      let place = sections.location(of: lower)
      if place.index > 0, place.lower == lower {
        guard place.rows + rows != 0 else {
          guard (try? sections.replace(place.index..<place.index + 1, with: [])) != nil else {
            return false
          }
          continue
        }
        guard sections.add(rows, toBlock: place.index) else { return false }
      } else {
        guard insertSection(lower, rows: rows, at: place.index + 1) else { return false }
      }
    }
    return sections.rowCount == blocks.rowCount
  }

  private mutating func insertSection(_ lower: [UInt8], rows: Int, at place: Int) -> Bool {
    guard rows > 0 else { return false }
    let block = PivotBlock(pivot: lower, rows: rows)
    return (try? sections.replace(place..<place, with: [block])) != nil
  }

  /// Takes over the runs of keys that the era before had read.
  /// - Returns: Whether the change fits them.
  private func carryRuns(of earlier: IndexedKeys, _ change: KeyChange) -> Bool {
    for (lower, keys) in earlier.era.runs {
      var run = keys
      let upper = blocks.location(of: lower).upper
      guard change.redo(in: &run, from: lower, to: upper) else { return false }
      era.keep(run, from: lower)
    }
    return true
  }

  /// Splits a block that has grown too long, and joins one that has become short with its neighbour.
  private mutating func settle(
    _ block: Int,
    _ source: any OrderedSource,
    _ later: KeyChange
  ) throws(StoreError) {
    let rows = blocks.span(ofBlock: block).positions.count
    let isShort = rows < index.stride / 4 && blocks.blockCount > 1
    guard isShort || rows > 2 * index.stride else { return }
    let place = blocks.location(ofBlock: block)
    if !isShort {
      let run = try IndexedReading(self, source, since: later).run(of: place)
      try replace(place.index..<place.index + 1, with: pieces(of: run, place.lower))
    } else {
      let first = place.index + 1 < blocks.blockCount ? place.index : place.index - 1
      let (left, right) = (blocks.location(ofBlock: first), blocks.location(ofBlock: first + 1))
      guard left.rows + right.rows <= index.stride else { return }
      let joined = PivotBlock(pivot: left.lower, rows: left.rows + right.rows)
      try replace(first..<first + 2, with: [joined])
      era.forget(left.lower)
      era.forget(right.lower)
    }
  }

  private mutating func replace(
    _ range: Range<Int>,
    with new: [PivotBlock]
  ) throws(StoreError) {
    do {
      try blocks.replace(range, with: new)
    } catch {
      throw .unexpected(path: index.entity.name, detail: "a block could not be replaced: \(error)")
    }
  }

  private func pieces(of run: SortedKeyList, _ lower: [UInt8]) -> [PivotBlock] {
    let count = max(2, run.count / index.stride)
    var pieces: [PivotBlock] = []
    for piece in 0..<count {
      let (start, end) = (run.count * piece / count, run.count * (piece + 1) / count)
      let pivot = piece == 0 ? lower : run.key(at: start)
      pieces.append(PivotBlock(pivot: pivot, rows: end - start))
      if run.count <= 8 * index.stride, let part = try? run.part(start..<end) {
        era.keep(part, from: pivot)
      }
    }
    if run.count > 8 * index.stride { era.forget(lower) }
    return pieces
  }
}

extension SortedKeyList {
  /// The keys at some positions, as a list of their own.
  fileprivate func part(_ positions: Range<Int>) throws(SortedKeyListError) -> SortedKeyList {
    var batch = KeyBatch()
    forEachKey(in: positions) { _, key in batch.append(key) }
    return try SortedKeyList(sorted: batch)
  }
}
