import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// The keys of a list that stay in an index of the store; only their counts are in memory.
///
/// `blocks` counts the keys between one pivot and the next, so the position of a key is a sum of counts, and one count in the store.
/// `sections` counts the keys of each section, so sections, their lengths and the section of a position need no reading at all; its
/// first block is empty and stands before all sections.
///
/// A class, since it is passed on many times in every commit, and copying both trees counts ten references.
final class IndexedKeys: Sendable {
  let blocks: PivotTree
  let sections: PivotTree
  let keyVersion: KeyVersion
  let index: StoreIndex

  init(blocks: PivotTree, sections: PivotTree, keyVersion: KeyVersion, index: StoreIndex) {
    self.blocks = blocks
    self.sections = sections
    self.keyVersion = keyVersion
    self.index = index
  }

  /// The number of keys.
  var count: Int { blocks.rowCount }
  /// The approximate size in memory.
  var byteCount: Int { blocks.byteCount + sections.byteCount }

  /// The positions of a section's keys, empty at the insertion point if there are none; nothing is read.
  /// - Complexity: O(log *s*) in the sections.
  func positions(of extent: SectionExtent) -> Range<Int> {
    let (section, isFound) = sections.span(beginningWith: extent.lower)
    guard section.index > 0, isFound else {
      // There is no such section: it would stand behind the one that its keys fall into.
      let end = section.positions.upperBound
      return end..<end
    }
    return section.positions
  }

  /// The id of the section that a position is in, if it is known without reading.
  func sectionID(at position: Int) -> Value? {
    guard let lower = sections.location(containing: position)?.lower else { return nil }
    switch index.rule {
    case .single, .numbered: return nil
    case .columns: return lower.withUnsafeBytes { index.rule.id(of: $0, index.layout) }
    case .grouping: return index.sectionIDs[lower]
    }
  }

  /// The position of an object, or `nil` if it is not in the list.
  ///
  /// The present row gives the present key. If that key was inserted after the keys' version, the row had the key that was removed
  /// since then.
  /// - Throws: The store's error; `StoreError.historyLost` if the position is not known any more.
  /// - Complexity: One row is read, and at most a block counted.
  func position(of key: ObjectKey) throws(StoreError) -> Int? {
    try index.store.rereading { (snapshot) throws(StoreError) -> Int? in
      let reading = try IndexedReading(self, in: snapshot)
      guard let encoded = try reading.key(of: key, in: snapshot) else { return nil }
      return try reading.rank(of: encoded)
    }
  }

  /// The keys at some positions if the runs of all their blocks are cached.
  func cachedPage(at positions: Range<Int>) -> EntryBatch? {
    var page = EntryBatch()
    var position = positions.lowerBound
    while position < positions.upperBound, let block = blocks.location(containing: position) {
      guard let run = keyVersion.cachedRun(from: block.lower) else { return nil }
      let end = min(block.positions.upperBound, positions.upperBound)
      page.append(run, position - block.start..<end - block.start)
      position = end
    }
    return page
  }
}

// MARK: - Counting

extension IndexedKeys {
  /// Counts the keys of a list in one version of its store.
  ///
  /// Where sections are short, one pass over their counts is enough (`SectionPass`). Otherwise one divides the keys into blocks, and
  /// sections are found by seeking from one to the next, some at a time, or by one pass over their counts where there are many.
  /// - Returns: `nil` if the end of a section is not known, so that the keys have to be held in memory.
  /// - Complexity: O(*n*), but few keys are decoded; O(*s* log *n*) for *s* sections.
  /// - Throws: The store's error, or `StoreError.aborted(by:)` with a `CancellationError` if the result is not wanted any more.
  static func counting(
    _ index: StoreIndex,
    _ source: any OrderedSource,
    _ version: StoreVersion,
    while isWanted: () -> Bool
  ) throws(StoreError) -> IndexedKeys? {
    var starts: [StoreIndex.SectionStart]?
    if let columns = index.rule.sectionColumns, columns > 0 {
      guard let first = try index.sectionStarts(from: nil, source, while: isWanted) else {
        return nil
      }
      starts = first
    }
    if let starts,
      let counts = try SectionPass(index, source).count(beginningWith: starts, while: isWanted)
    {
      return IndexedKeys(
        blocks: counts.blocks,
        sections: counts.sections,
        keyVersion: KeyVersion(version),
        index: index
      )
    }
    let stride = index.stride(of: source)
    let found = try source.blocks(ofAbout: stride, while: isWanted)
    guard found.counts.allSatisfy({ (1...2 * stride).contains($0) }) else {
      throw index.contradiction
    }
    let blocks: PivotTree
    do {
      blocks = try tree(of: found, stride)
    } catch {
      throw .unexpected(
        path: index.entity.name,
        detail: "the store returned keys out of order: \(error)"
      )
    }
    let keyVersion = KeyVersion(version)
    let withoutSections = IndexedKeys(
      blocks: blocks,
      sections: PivotTree(),
      keyVersion: keyVersion,
      index: index
    )
    let sections = try withoutSections.sections(
      from: source,
      beginningWith: starts,
      while: isWanted
    )
    return sections.map {
      IndexedKeys(blocks: blocks, sections: $0, keyVersion: keyVersion, index: index)
    }
  }

  /// The tree of some blocks, the first of which begins with the list, not with its first key.
  private static func tree(
    of found: KeyBlocks,
    _ stride: Int
  ) throws(PivotTreeError) -> PivotTree {
    let count = found.counts.count
    guard found.counts.dropLast().allSatisfy({ $0 == stride }) else {
      return try PivotTree(
        (0..<count).lazy.map { number in
          PivotBlock(
            pivot: number == 0 ? [] : found.firstKeys.key(at: number),
            rows: found.counts[number]
          )
        }
      )
    }
    var pivots = KeyBatch()
    for number in 0..<count where number > 0 { pivots.append(found.firstKeys.key(at: number)) }
    return try .sampled(pivots, every: stride, rowCount: found.keyCount)
  }

  private func sections(
    from source: any OrderedSource,
    beginningWith first: [StoreIndex.SectionStart]?,
    while isWanted: () -> Bool
  ) throws(StoreError) -> PivotTree? {
    var found = SectionCollector(index)
    guard count > 0 else { return found.tree }
    if case .single = index.rule {
      found.blocks.append(PivotBlock(pivot: [0], rows: count))
      return found.tree
    }
    let reading = IndexedReading(self, source, since: KeyChange())
    var start = 0
    var known = first
    var bound: KeyBound?
    while start < count {
      let next =
        if let known { known } else {
          try index.sectionStarts(from: bound, source, while: isWanted)
        }
      guard let run = next else { return nil }
      known = nil
      guard !run.isEmpty else { throw index.contradiction }
      let ends = try reading.ranks(
        of: run.compactMap { section in
          section.extent.end.flatMap { end in section.extent.upper.map { (end, $0) } }
        }
      )
      for (number, section) in run.enumerated() {
        let end = number < ends.count ? ends[number] : count
        guard end > start else { throw index.contradiction }
        found.append(section.key, section.extent, rows: end - start)
        start = end
      }
      bound = run.last?.extent.end
      if found.isBetterCounted(at: start, of: count) {
        return try groupedSections(from: source, while: isWanted)
      }
    }
    return found.tree
  }

  /// Finds the sections by one pass over the counts of the first columns.
  private func groupedSections(
    from source: any OrderedSource,
    while isWanted: () -> Bool
  ) throws(StoreError) -> PivotTree? {
    var found = SectionCollector(index)
    var isKnown = true
    var isCancelled = false
    try source.groups(byFirstColumns: index.rule.sectionColumns ?? 1) {
      (prefix, rows) throws(StoreError) in
      if let extent = index.extent(of: prefix) {
        found.append(prefix, extent, rows: rows)
      } else {
        isKnown = false
      }
      isCancelled = !isWanted()
      return isKnown && !isCancelled
    }
    guard !isCancelled else { throw .aborted(by: CancellationError()) }
    guard isKnown else { return nil }
    guard found.tree.rowCount == count else { throw index.contradiction }
    return found.tree
  }
}

// MARK: - Advancing

extension IndexedKeys {
  /// Returns the keys after a change.
  /// - Parameters:
  ///   - change: The removed and inserted keys.
  ///   - version: The version that the change made.
  ///   - source: The index in a version of the store, which may be a later one.
  ///   - later: The change of the keys from `version` to the version that is read.
  /// - Returns: `nil` if the change does not fit the keys.
  /// - Throws: The store's error.
  /// - Complexity: O(*c* log *n*) for *c* keys; a block that has become too long is read once.
  func advanced(
    by change: KeyChange,
    to version: StoreVersion,
    _ source: any OrderedSource,
    later: KeyChange
  ) throws(StoreError) -> IndexedKeys? {
    guard !change.isEmpty else { return self }
    var next = Advance(
      blocks: blocks,
      sections: sections,
      keyVersion: KeyVersion(version),
      index: index
    )
    guard let touched = next.count(change), next.countSections(change),
      next.carryRuns(of: self, change)
    else { return nil }
    next.stride = touched.isEmpty ? 0 : index.stride(of: source)
    // From the end, since splitting and joining blocks changes the indexes of those behind.
    for block in touched.reversed() { try next.rebalance(block, source, later) }
    keyVersion.end(with: change, next: next.keyVersion)
    return next.keys
  }
}

/// The keys of a list while a change is applied to them.
private struct Advance {
  var blocks: PivotTree
  var sections: PivotTree
  let keyVersion: KeyVersion
  let index: StoreIndex
  /// About how many keys a block should have.
  var stride = 0

  /// The keys as far as the change is applied.
  var keys: IndexedKeys {
    IndexedKeys(blocks: blocks, sections: sections, keyVersion: keyVersion, index: index)
  }

  /// Updates the counts of the blocks.
  /// - Returns: The ascending indexes of the blocks with other lengths than before, or `nil` if one would have fewer than no keys.
  mutating func count(_ change: KeyChange) -> [Int]? {
    var differences: [(block: Int, rows: Int)] = []
    differences.reserveCapacity(change.count)
    for (keys, rows) in [(change.inserted, 1), (change.removed, -1)] {
      keys.forEachKey(in: 0..<keys.count) { _, key in
        differences.append((blocks.span(of: key).index, rows))
      }
    }
    differences.sort { $0.block < $1.block }
    var touched: [Int] = []
    var first = 0
    while first < differences.count {
      let block = differences[first].block
      var rows = 0
      while first < differences.count, differences[first].block == block {
        rows += differences[first].rows
        first += 1
      }
      guard rows != 0 else { continue }
      guard blocks.add(rows, toBlock: block) else { return nil }
      touched.append(block)
    }
    return touched
  }

  /// Updates the counts of the sections, which are inserted and deleted with their keys.
  /// - Returns: Whether the keys fit.
  mutating func countSections(_ change: KeyChange) -> Bool {
    if case .single = index.rule {
      let rows = change.inserted.count - change.removed.count
      if sections.blockCount > 1 { return rows == 0 || sections.add(rows, toBlock: 1) }
      return rows == 0 || insertSection([0], rows: rows, at: 1)
    }
    // One entry for each section and side of the change: few sections are touched by most changes, and hashing is slow.
    var differences: [(lower: [UInt8], rows: Int)] = []
    var isKnown = true
    func count(_ keys: SortedKeyList, _ difference: Int) {
      // The keys of one section are consecutive.
      var section: SectionExtent?
      keys.forEachKey(in: 0..<keys.count) { _, key in
        if let section, section.contains(key) {
          differences[differences.count - 1].rows += difference
          return
        }
        guard let extent = index.rule.extent(of: key, index.layout) else {
          isKnown = false
          return
        }
        section = extent
        differences.append((extent.lower, difference))
        if difference > 0 {
          index.sectionIDs.record(Array(key), from: extent.lower, index.rule, index.layout)
        }
      }
    }
    count(change.inserted, 1)
    count(change.removed, -1)
    guard isKnown else { return false }
    differences.sort { KeyOrder.compare($0.lower, $1.lower) < 0 }
    var first = 0
    while first < differences.count {
      let lower = differences[first].lower
      var rows = 0
      while first < differences.count, differences[first].lower == lower {
        rows += differences[first].rows
        first += 1
      }
      guard rows != 0 else { continue }
      let (section, isFound) = sections.span(beginningWith: lower)
      if section.index > 0, isFound {
        guard section.positions.count + rows != 0 else {
          guard (try? sections.replace(section.index..<section.index + 1, with: [])) != nil else {
            return false
          }
          continue
        }
        guard sections.add(rows, toBlock: section.index) else { return false }
      } else {
        guard insertSection(lower, rows: rows, at: section.index + 1) else { return false }
      }
    }
    return sections.rowCount == blocks.rowCount
  }

  private mutating func insertSection(_ lower: [UInt8], rows: Int, at index: Int) -> Bool {
    guard rows > 0 else { return false }
    let block = PivotBlock(pivot: lower, rows: rows)
    return (try? sections.replace(index..<index, with: [block])) != nil
  }

  /// Takes over the cached runs of the key version before, with the change applied.
  /// - Returns: Whether the change fits them.
  func carryRuns(of earlier: IndexedKeys, _ change: KeyChange) -> Bool {
    for (lower, keys) in earlier.keyVersion.cachedRuns {
      var run = keys
      let upper = blocks.location(of: lower).upper
      guard change.redo(in: &run, from: lower, to: upper) else { return false }
      keyVersion.cacheRun(run, from: lower)
    }
    return true
  }

  /// Splits a block that has become too long, and joins one that has become short with its neighbour.
  mutating func rebalance(
    _ number: Int,
    _ source: any OrderedSource,
    _ later: KeyChange
  ) throws(StoreError) {
    let rows = blocks.span(ofBlock: number).positions.count
    let isShort = rows < stride / 4 && blocks.blockCount > 1
    guard isShort || rows > 2 * stride else { return }
    let block = blocks.location(ofBlock: number)
    if !isShort {
      let run = try IndexedReading(keys, source, since: later).run(of: block)
      try replace(block.index..<block.index + 1, with: split(run, block.lower))
    } else {
      let first = block.index + 1 < blocks.blockCount ? block.index : block.index - 1
      let (left, right) = (blocks.location(ofBlock: first), blocks.location(ofBlock: first + 1))
      guard left.rows + right.rows <= stride else { return }
      let joined = PivotBlock(pivot: left.lower, rows: left.rows + right.rows)
      try replace(first..<first + 2, with: [joined])
      keyVersion.evictRun(from: left.lower)
      keyVersion.evictRun(from: right.lower)
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

  private func split(_ run: SortedKeyList, _ lower: [UInt8]) -> [PivotBlock] {
    let count = max(2, run.count / stride)
    var parts: [PivotBlock] = []
    for number in 0..<count {
      let (start, end) = (run.count * number / count, run.count * (number + 1) / count)
      let pivot = number == 0 ? lower : run.key(at: start)
      parts.append(PivotBlock(pivot: pivot, rows: end - start))
      if run.count <= 8 * stride, let part = try? run.part(start..<end) {
        keyVersion.cacheRun(part, from: pivot)
      }
    }
    if run.count > 8 * stride { keyVersion.evictRun(from: lower) }
    return parts
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
