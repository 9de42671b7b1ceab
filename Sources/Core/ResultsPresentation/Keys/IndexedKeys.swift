import OrderStatistics
import ResultsDomain
import Synchronization

/// The keys of a list that are not held: an index of the store has them, and only how many lie where is known.
///
/// `blocks` counts the keys between one pivot and the next, so the place of a key is a sum of counts and one count in the store.
/// `sections` counts those of each section, so sections, their lengths and which of them a place is in need
/// no reading at all; its first block is an empty one before all sections.
struct IndexedKeys: Sendable {
  var blocks: PivotTree
  var sections: PivotTree
  let era: KeyEra
  let index: StoreIndex

  /// The number of keys.
  var count: Int { blocks.rowCount }
  /// What the list takes in memory, about.
  var byteCount: Int { blocks.byteCount + sections.byteCount }

  /// The positions of a section's keys, empty where they would be if there are none; nothing is read.
  /// - Complexity: O(log *s*) in the sections.
  func positions(of extent: SectionExtent) -> Range<Int> {
    let place = sections.place(of: extent.lower)
    guard place.index > 0, place.lower == extent.lower else {
      // There is no such section: it would stand behind the one its keys fall into.
      let end = place.start + place.rows
      return end..<end
    }
    return place.start..<place.start + place.rows
  }

  /// The bytes that the section at a position begins with, or `nil` if there is no such position.
  func sectionStart(at position: Int) -> [UInt8]? {
    sections.place(containing: position)?.lower
  }
}

/// The index of a store that has the keys of a list, and how to read it outside of any piece of work.
final class StoreIndex: Sendable {
  let store: any Store
  let plan: ListPlan
  /// A block has at most twice as many keys.
  let stride: Int
  /// How the places of many keys are found.
  let placing: KeyPlacing
  /// Ids of sections that cannot be read off the bytes their keys begin with.
  let ids: SectionIdentities

  init(store: any Store, plan: ListPlan, stride: Int, placing: KeyPlacing) {
    self.store = store
    self.plan = plan
    self.stride = stride
    self.placing = placing
    ids = SectionIdentities()
  }

  var definition: OrderDefinition { plan.definition }
  var rule: SectionRule { plan.rule }
  var layout: KeyLayout { definition.layout }
  var entity: EntityDescription { definition.entity }

  /// The index in one version of the store, or all keys of that version where the index is gone.
  /// - Throws: The store's error.
  /// - Complexity: O(1); O(*n* log *n*) without the index, until the list is fetched anew with the next commit.
  func source(in snapshot: any StoreSnapshot) throws(StoreError) -> any OrderedSource {
    if let source = try snapshot.orderedSource(of: definition) { return source }
    return try SortedSource(definition, in: snapshot)
  }
}

// MARK: - Counting

extension IndexedKeys {
  /// Counts the keys of a list in one version of its store.
  ///
  /// One pass samples every so many keys; sections are found by seeking from one to the next, or by one pass over their
  /// counts where they are many.
  /// - Returns: `nil` if the end of a section is not known, so that the keys have to be held.
  /// - Complexity: O(*n*), but few keys are decoded; O(*s* log *n*) for *s* sections.
  /// - Throws: The store's error, or `StoreError.aborted(by:)` with a `CancellationError` if it is not wanted any more.
  init?(
    counting index: StoreIndex,
    _ source: any OrderedSource,
    _ version: StoreVersion,
    while isWanted: () -> Bool
  ) throws(StoreError) {
    var pivots = KeyBatch()
    var isFirst = true
    let total = try source.sample(every: index.stride) { (batch) throws(StoreError) in
      // The first block begins with the list, not with its first key.
      for place in 0..<batch.count where !isFirst || place > 0 {
        pivots.append(batch.key(at: place))
      }
      isFirst = false
      return isWanted()
    }
    guard let total else { throw .aborted(by: CancellationError()) }
    guard total - pivots.count * index.stride <= index.stride else { throw index.lost }
    do {
      blocks = try .sampled(pivots, every: index.stride, rowCount: total)
      sections = PivotTree()
    } catch {
      throw .unexpected(
        path: index.entity.name,
        detail: "the store handed over keys out of order: \(error)"
      )
    }
    self.index = index
    era = KeyEra(version)
    guard let found = try sections(from: source, while: isWanted) else { return nil }
    sections = found
  }

  private func sections(
    from source: any OrderedSource,
    while isWanted: () -> Bool
  ) throws(StoreError) -> PivotTree? {
    var found = SectionRun(index: index, total: count)
    guard count > 0 else { return found.tree }
    if case .single = index.rule {
      found.blocks.append(PivotBlock(pivot: [0], rows: count))
      return found.tree
    }
    let reading = IndexedReading(self, source, since: KeyChange())
    var bound: KeyBound?
    var start = 0
    while start < count {
      guard isWanted() else { throw .aborted(by: CancellationError()) }
      let batch = try source.keys(from: bound, to: nil, skipping: 0, limit: 1)
      guard batch.count == 1 else { throw index.lost }
      let key = batch.key(at: 0)
      guard let extent = index.extent(of: key) else { return nil }
      var end = count
      if let upper = extent.upper, let place = extent.end {
        end = try reading.rank(of: place, bytes: upper)
        bound = place
      }
      guard end > start else { throw index.lost }
      found.append(key, extent, rows: end - start)
      start = end
      if found.isBetterCounted(at: start) {
        return try groupedSections(from: source, while: isWanted)
      }
    }
    return found.tree
  }

  /// Sections by one pass over the counts of the first column.
  private func groupedSections(
    from source: any OrderedSource,
    while isWanted: () -> Bool
  ) throws(StoreError) -> PivotTree? {
    var found = SectionRun(index: index, total: count)
    var isKnown = true
    var isCancelled = false
    try source.groups(byFirstColumns: 1) { (prefix, rows) throws(StoreError) in
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
    guard found.tree.rowCount == count else { throw index.lost }
    return found.tree
  }
}

extension StoreIndex {
  /// The extent of the section that a key belongs to, or `nil` if it is not known.
  func extent(of key: [UInt8]) -> SectionExtent? {
    key.withUnsafeBytes { rule.extent(of: $0, layout) }
  }

  /// The store's counts and keys contradict each other.
  var lost: StoreError {
    .unexpected(path: entity.name, detail: "the counts of an index do not fit its keys")
  }
}

/// Sections as they are found, in order.
private struct SectionRun {
  let index: StoreIndex
  let total: Int
  /// The first block is empty and stands before all sections.
  var blocks = [PivotBlock(pivot: [], rows: 0)]

  mutating func append(_ key: [UInt8], _ extent: SectionExtent, rows: Int) {
    if blocks.count > 1, blocks[blocks.count - 1].pivot == extent.lower {
      blocks[blocks.count - 1].rows += rows
      return
    }
    index.ids.note(key, from: extent.lower, index.rule, index.layout)
    blocks.append(PivotBlock(pivot: extent.lower, rows: rows))
  }

  /// Whether the sections found so far are so short that a pass over all keys is cheaper than more seeking.
  ///
  /// A section costs two seeks and a count, as much as a pass over about 250 keys.
  func isBetterCounted(at position: Int) -> Bool {
    blocks.count > 64 && position / blocks.count < 250 && total - position > 16_384
  }

  var tree: PivotTree { (try? PivotTree(blocks)) ?? PivotTree() }
}

// MARK: - Advancing

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
      let place = sections.place(of: lower)
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
      let upper = blocks.place(of: lower).upper
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
    let place = blocks.place(ofBlock: block)
    if !isShort {
      let run = try IndexedReading(self, source, since: later).run(of: place)
      try replace(place.index..<place.index + 1, with: pieces(of: run, place.lower))
    } else {
      let first = place.index + 1 < blocks.blockCount ? place.index : place.index - 1
      let (left, right) = (blocks.place(ofBlock: first), blocks.place(ofBlock: first + 1))
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

// MARK: - Searching

extension IndexedKeys {
  /// The position of an object, or `nil` if it is not in the list.
  ///
  /// The present row tells the present key; if that came since the keys' own version, what left then is the key it had.
  /// - Throws: The store's error; `StoreError.historyLost` if it cannot tell any more.
  /// - Complexity: One row is read, and at most a block counted.
  func position(of key: ObjectKey) throws(StoreError) -> Int? {
    try index.store.rereading { (snapshot) throws(StoreError) -> Int? in
      let reading = try IndexedReading(self, in: snapshot)
      guard let encoded = try reading.key(of: key, in: snapshot) else { return nil }
      return try reading.rank(of: encoded)
    }
  }

  /// The id of the section that a position is in, if it can be told without reading.
  func sectionID(at position: Int) -> Value? {
    guard let lower = sectionStart(at: position) else { return nil }
    switch index.rule {
    case .single, .numbered: return nil
    case .columns: return lower.withUnsafeBytes { index.rule.id(of: $0, index.layout) }
    case .grouping: return index.ids[lower]
    }
  }
}

extension IndexedKeys {
  /// The keys at some positions if all of their blocks are kept.
  func keptPage(at positions: Range<Int>) -> EntryBatch? {
    var page = EntryBatch()
    var position = positions.lowerBound
    while position < positions.upperBound, let place = blocks.place(containing: position) {
      guard let run = era.run(from: place.lower) else { return nil }
      let end = min(place.positions.upperBound, positions.upperBound)
      page.append(run, position - place.start..<end - place.start)
      position = end
    }
    return page
  }
}

/// Ids of sections by the bytes that their keys begin with, where the bytes alone do not tell the id.
///
/// The bytes decide the id once and for all, so generations share what is known.
final class SectionIdentities: Sendable {
  private let known = Mutex<[[UInt8]: Value]>([:])

  /// The id of the section that begins with some bytes, if one of its keys was seen.
  subscript(lower: [UInt8]) -> Value? { known.withLock { $0[lower] } }

  /// Notes the id of the section that a key belongs to.
  func note(_ key: [UInt8], from lower: [UInt8], _ rule: SectionRule, _ layout: KeyLayout) {
    guard case .grouping = rule else { return }
    known.withLock { known in
      guard known[lower] == nil else { return }
      known[lower] = key.withUnsafeBytes { rule.id(of: $0, layout) }
    }
  }
}
