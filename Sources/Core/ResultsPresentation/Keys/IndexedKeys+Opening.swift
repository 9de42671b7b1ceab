import OrderStatistics
import ResultsDomain

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
