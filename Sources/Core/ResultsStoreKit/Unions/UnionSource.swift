import ResultsDomain

/// The keys of a list over a union, of whose branches each has its own in the order of an index.
///
/// Counts are the sums of the branches' counts, and keys are merged.
final class UnionSource: OrderedSource {
  struct Part {
    let order: BranchOrder
    let source: any OrderedSource
  }

  private let parts: [Part]
  private let layout: KeyLayout

  init(_ parts: [Part], _ layout: KeyLayout) {
    self.parts = parts
    self.layout = layout
  }

  var costs: OrderedSourceCosts { parts.first?.source.costs ?? OrderedSourceCosts() }

  func count(from lower: KeyBound?, to upper: KeyBound?) throws(StoreError) -> Int {
    try counts(of: [KeyRange(from: lower, to: upper)])[0]
  }

  func counts(of ranges: [KeyRange]) throws(StoreError) -> [Int] {
    var counts = Array(repeating: 0, count: ranges.count)
    for part in parts {
      let (positions, own) = try part.ranges(ranges)
      for (position, count) in zip(positions, try part.source.counts(of: own)) {
        counts[position] += count
      }
    }
    return counts
  }

  func keys(
    from lower: KeyBound?,
    to upper: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    guard limit > 0 else { return EntryBatch() }
    var rest = max(0, skipped)
    let (wanted, isOverflow) = limit.addingReportingOverflow(rest)
    var merge = try merge(from: lower, to: upper, batchLimit: isOverflow ? limit : wanted)
    while rest > 0 {
      let batch = try merge.nextBatch(limit: min(rest, KeyMerge.batchLimit))
      guard batch.count > 0 else { return batch }
      rest -= batch.count
    }
    return try merge.nextBatch(limit: limit)
  }

  func keys(inEach ranges: [KeyRange]) throws(StoreError) -> [EntryBatch] {
    var merges = ranges.map { _ in KeyMerge() }
    for part in parts {
      let (positions, own) = try part.ranges(ranges)
      for (position, batch) in zip(positions, try part.source.keys(inEach: own)) {
        merges[position].add(try part.order.unionKeys(batch))
      }
    }
    var batches: [EntryBatch] = []
    for index in merges.indices { batches.append(try merges[index].nextBatch(limit: .max)) }
    return batches
  }

  func firstKeys(
    ofGroupsByFirstColumns columns: Int,
    from lower: KeyBound?,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    // Only the first group of all branches is known to be complete with the first keys of each.
    try keys(from: lower, to: nil, skipping: 0, limit: min(limit, 1))
  }

  func sample(
    every stride: Int,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int? {
    var merge = try merge(from: nil, to: nil, batchLimit: KeyMerge.batchLimit)
    let stride = max(1, stride)
    var count = 0
    while true {
      let batch = try merge.nextBatch()
      guard batch.count > 0 else { return count }
      var sampled = EntryBatch()
      for index in 0..<batch.count where (count + index) % stride == 0 {
        sampled.append { $0.bytes += batch.key(at: index) }
      }
      count += batch.count
      guard try body(sampled) else { return nil }
    }
  }

  func blocks(
    ofAbout rows: Int,
    while isWanted: () -> Bool
  ) throws(StoreError) -> KeyBlocks {
    // The first keys of the branches' blocks divide the union too; what lies between two is counted in each branch.
    let share = max(1, rows / max(1, parts.count))
    var merge = KeyMerge()
    for part in parts {
      let blocks = try part.source.blocks(ofAbout: share, while: isWanted)
      merge.add(try part.order.unionKeys(blocks.firstKeys))
    }
    let pivots = try merge.nextBatch(limit: .max)
    let bounds = (0..<pivots.count).map { KeyBound.before(pivots.key(at: $0)) }
    let ranges = bounds.indices.map { index in
      KeyRange(from: bounds[index], to: index + 1 < bounds.count ? bounds[index + 1] : nil)
    }
    var blocks = KeyBlocks()
    var (first, count) = (0, 0)
    for (index, between) in try counts(of: ranges).enumerated() {
      if count > 0, count + between > rows {
        blocks.append(pivots.key(at: first), count: count)
        (first, count) = (index, 0)
      }
      count += between
    }
    if count > 0 { blocks.append(pivots.key(at: first), count: count) }
    guard isWanted() else { throw .aborted(by: CancellationError()) }
    return blocks
  }

  func groups(
    byFirstColumns columns: Int,
    _ body: (_ prefix: [UInt8], _ count: Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var groups: [[UInt8]: Int] = [:]
    for part in parts {
      let own = part.order.branchColumns(forFirst: columns)
      if own == 0 {
        let count = try part.source.count(from: nil, to: nil)
        if count > 0 {
          groups[try part.order.unionPrefix([], columns: columns), default: 0] += count
        }
      } else {
        try part.source.groups(byFirstColumns: own) { (prefix, count) throws(StoreError) in
          groups[try part.order.unionPrefix(prefix, columns: columns), default: 0] += count
          return true
        }
      }
    }
    let sorted = groups.sorted { ($0.key + [2]).lexicographicallyPrecedes($1.key + [2]) }
    for group in sorted {
      guard try body(group.key, group.value) else { return }
    }
  }

  func estimatedCount() throws(StoreError) -> Int? {
    var sum = 0
    for part in parts {
      guard let count = try part.source.estimatedCount() else { return nil }
      sum += count
    }
    return sum
  }

  /// The keys between two bounds, of which each branch is read in batches.
  private func merge(
    from lower: KeyBound?,
    to upper: KeyBound?,
    batchLimit: Int
  ) throws(StoreError) -> KeyMerge {
    let limit = min(batchLimit, KeyMerge.batchLimit)
    var merge = KeyMerge()
    for part in parts {
      guard let range = try part.range(KeyRange(from: lower, to: upper)) else { continue }
      let read = { (lower: KeyBound?) throws(StoreError) -> EntryBatch in
        try part.source.keys(from: lower, to: range.upper, skipping: 0, limit: limit)
      }
      let first = try read(range.lower)
      var last = first.lastKey
      merge.add(try part.order.unionKeys(first)) { (_) throws(StoreError) in
        guard let end = last else { return EntryBatch() }
        let next = try read(.after(end))
        last = next.lastKey
        return try part.order.unionKeys(next)
      }
    }
    return merge
  }
}

extension UnionSource.Part {
  /// The branch's part of a range, or `nil` if it has none.
  func range(_ range: KeyRange) throws(StoreError) -> KeyRange? {
    var (lower, upper) = (KeyBound?.none, KeyBound?.none)
    if let bound = range.lower {
      switch try order.position(of: bound) {
      case .start: break
      case .end: return nil
      case .bound(let bound): lower = bound
      }
    }
    if let bound = range.upper {
      switch try order.position(of: bound) {
      case .start: return nil
      case .end: break
      case .bound(let bound): upper = bound
      }
    }
    return KeyRange(from: lower, to: upper)
  }

  /// The branch's parts of some ranges, with the numbers of those that have one.
  func ranges(_ ranges: [KeyRange]) throws(StoreError) -> (positions: [Int], own: [KeyRange]) {
    var (positions, own): ([Int], [KeyRange]) = ([], [])
    for (position, range) in ranges.enumerated() {
      guard let range = try self.range(range) else { continue }
      positions.append(position)
      own.append(range)
    }
    return (positions, own)
  }
}

extension EntryBatch {
  fileprivate var lastKey: [UInt8]? { count == 0 ? nil : key(at: count - 1) }
}
