import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// Counts the keys of a list by one pass over its sections, where these are short.
///
/// The blocks of such a list begin where sections do, so no other pass divides the keys into blocks.
struct SectionPass {
  private let index: StoreIndex
  private let source: any OrderedSource
  private let stride: Int

  init(_ index: StoreIndex, _ source: any OrderedSource) {
    (self.index, self.source) = (index, source)
    stride = index.stride(of: source)
  }

  /// The counts of a list.
  struct Counts {
    let blocks: PivotTree
    let sections: PivotTree
  }

  /// Counts the keys.
  /// - Parameters:
  ///   - starts: The first sections.
  ///   - isWanted: Whether to go on.
  /// - Returns: `nil` if sections are long, or not divided by the first columns of the keys.
  /// - Throws: The store's error, or `StoreError.aborted(by:)` with a `CancellationError` if the result is not wanted any more.
  /// - Complexity: O(*n*), but only the columns of the sections are decoded, and one key of each block of a long one.
  func count(
    beginningWith starts: [StoreIndex.SectionStart],
    while isWanted: () -> Bool
  ) throws(StoreError) -> Counts? {
    guard let columns = index.rule.sectionColumns, columns > 0 else { return nil }
    if let isChosen = index.countsBySections {
      guard isChosen else { return nil }
    } else {
      guard try hasShortSections(beginningWith: starts) else { return nil }
    }
    var sections = SectionCollector(index)
    var blocks = [PivotBlock(pivot: [], rows: 0)]
    var count = 0
    var (isKnown, isCancelled) = (true, false)
    try source.groups(byFirstColumns: columns) { (prefix, rows) throws(StoreError) in
      guard let extent = index.extent(of: prefix) else {
        isKnown = false
        return false
      }
      sections.append(prefix, extent, rows: rows)
      if blocks[blocks.count - 1].rows + rows <= stride || count == 0 {
        blocks[blocks.count - 1].rows += rows
      } else {
        blocks.append(PivotBlock(pivot: extent.lower, rows: rows))
      }
      count += rows
      isCancelled = !isWanted()
      return !isCancelled
    }
    guard !isCancelled else { throw .aborted(by: CancellationError()) }
    guard isKnown, count > 0, isWorthDividing(blocks, count) else { return nil }
    do {
      return Counts(
        blocks: try PivotTree(try divided(blocks, while: isWanted)),
        sections: sections.tree
      )
    } catch let error as StoreError {
      throw error
    } catch {
      throw .unexpected(
        path: index.entity.name,
        detail: "the store returned groups out of order: \(error)"
      )
    }
  }

  // MARK: Short sections

  /// The number of rows up to which a section is short: seeking and counting it takes about as long as passing over them.
  private static let shortLength = 250
  /// The number of sections that are looked at.
  private static let probedSections = 8

  /// Whether some of the first sections, but not the very first ones, are so short that a pass over all is cheaper than seeking each.
  private func hasShortSections(
    beginningWith starts: [StoreIndex.SectionStart]
  ) throws(StoreError) -> Bool {
    guard starts.count == StoreIndex.sectionsCountedTogether, let end = starts.last?.extent.end
    else { return false }
    let first = KeyBound.before(starts[starts.count - SectionPass.probedSections].key)
    let length = SectionPass.probedSections * SectionPass.shortLength
    return try source.keys(from: first, to: end, skipping: length, limit: 1).count == 0
  }

  // MARK: Long sections

  /// Whether dividing the sections that are longer than a block costs less than a pass that divides all keys.
  private func isWorthDividing(_ blocks: [PivotBlock], _ count: Int) -> Bool {
    let long = blocks.reduce(0) { $0 + (isLong($1) ? $1.rows : 0) }
    return long + long / stride * source.costs.scannedPerSought <= count / 2 || long <= 2 * stride
  }

  private func isLong(_ block: PivotBlock) -> Bool { block.rows > 2 * stride }

  /// Divides the blocks that are too long, by a key of each part.
  private func divided(
    _ blocks: [PivotBlock],
    while isWanted: () -> Bool
  ) throws(StoreError) -> [PivotBlock] {
    guard blocks.contains(where: isLong) else { return blocks }
    var divided: [PivotBlock] = []
    divided.reserveCapacity(blocks.count)
    for block in blocks {
      var rest = block
      while isLong(rest) {
        guard isWanted() else { throw .aborted(by: CancellationError()) }
        let start = index.bound(ofPivot: rest.pivot)
        let next = try source.keys(from: start, to: nil, skipping: stride, limit: 1)
        guard next.count == 1 else { throw index.contradiction }
        divided.append(PivotBlock(pivot: rest.pivot, rows: stride))
        rest = PivotBlock(pivot: next.key(at: 0), rows: rest.rows - stride)
      }
      divided.append(rest)
    }
    return divided
  }
}

/// The sections found so far, in order.
struct SectionCollector {
  private let index: StoreIndex
  /// The first block is empty and stands before all sections.
  var blocks = [PivotBlock(pivot: [], rows: 0)]

  init(_ index: StoreIndex) { self.index = index }

  mutating func append(_ key: [UInt8], _ extent: SectionExtent, rows: Int) {
    if blocks.count > 1, blocks[blocks.count - 1].pivot == extent.lower {
      blocks[blocks.count - 1].rows += rows
      return
    }
    index.sectionIDs.record(key, from: extent.lower, index.rule, index.layout)
    blocks.append(PivotBlock(pivot: extent.lower, rows: rows))
  }

  /// Whether the sections before a position are so short that a pass over the other keys is cheaper than more seeking.
  ///
  /// A section costs two seeks and a count, as much as a pass over about 250 keys.
  func isBetterCounted(at position: Int, of total: Int) -> Bool {
    blocks.count > 64 && position / blocks.count < 250 && total - position > 16_384
  }

  var tree: PivotTree { (try? PivotTree(blocks)) ?? PivotTree() }
}

extension StoreIndex {
  /// The first key of a section, and its extent.
  typealias SectionStart = (key: [UInt8], extent: SectionExtent)

  /// The number of sections that are found before their lengths are counted together.
  static let sectionsCountedTogether = 64

  /// The first keys of some consecutive sections, and their extents.
  /// - Returns: No sections if there is no key from the bound on; `nil` if the end of a section is not known.
  func sectionStarts(
    from bound: KeyBound?,
    _ source: any OrderedSource,
    while isWanted: () -> Bool
  ) throws(StoreError) -> [SectionStart]? {
    var found: [SectionStart] = []
    var bound = bound
    while found.count < StoreIndex.sectionsCountedTogether {
      guard isWanted() else { throw .aborted(by: CancellationError()) }
      let batch = try source.firstKeys(
        ofGroupsByFirstColumns: rule.sectionColumns ?? 1,
        from: bound,
        // The values of a grouped section begin anywhere.
        limit: rule.sectionColumns == nil
          ? 1 : StoreIndex.sectionsCountedTogether - found.count
      )
      guard batch.count > 0 else { break }
      for number in 0..<batch.count {
        let key = batch.key(at: number)
        guard let extent = extent(of: key) else { return nil }
        found.append((key, extent))
        bound = extent.end
        // The last section has no end.
        if bound == nil { return found }
      }
    }
    return found
  }

  /// The extent of the section that a key belongs to, or `nil` if it is not known.
  func extent(of key: [UInt8]) -> SectionExtent? {
    key.withUnsafeBytes { rule.extent(of: $0, layout) }
  }

  /// The error for counts and keys of a store that contradict each other.
  var contradiction: StoreError {
    .unexpected(path: entity.name, detail: "the counts of an index do not fit its keys")
  }
}
