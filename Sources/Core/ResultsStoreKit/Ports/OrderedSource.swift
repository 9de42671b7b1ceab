public import ResultsDomain

/// The entries of one definition in one version of a store, in the order of an index.
///
/// Entries are counted and read between two bounds; a bound of `nil` is the start or the end of the list.
public protocol OrderedSource: AnyObject {
  /// What the source's answers cost, compared with each other.
  var costs: OrderedSourceCosts { get }

  /// The number of entries between two bounds.
  /// - Complexity: O(log *n* + *k*) for *k* entries between the bounds.
  func count(from lower: KeyBound?, to upper: KeyBound?) throws(StoreError) -> Int

  /// The numbers of entries in some ranges, in the order of the ranges, which may overlap.
  ///
  /// A store behind a network answers all of them in one round trip.
  /// - Complexity: O(log *n* + *k*) for each range with *k* entries.
  func counts(of ranges: [KeyRange]) throws(StoreError) -> [Int]

  /// The keys between two bounds, without the first `skipped` and at most `limit`.
  /// - Complexity: O(log *n* + *k*) for *k* keys skipped and read.
  func keys(
    from lower: KeyBound?,
    to upper: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) throws(StoreError) -> EntryBatch

  /// The keys of a page of rows, for which the snapshot is asked next: those from a bound on, without the first `skipped` and at most
  /// `limit`.
  ///
  /// A store behind a network reads the rows in the same round trip, and returns them when it is asked for them.
  /// - Complexity: O(log *n* + *k*) for *k* keys skipped and read.
  func page(
    from lower: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) throws(StoreError) -> EntryBatch

  /// All keys in some ranges: a batch for each range, in their order.
  ///
  /// A store behind a network answers all of them in one round trip.
  /// - Complexity: O(log *n* + *k*) for each range with *k* keys.
  func keys(inEach ranges: [KeyRange]) throws(StoreError) -> [EntryBatch]

  /// The first keys of consecutive groups of entries that agree in the first columns.
  ///
  /// The first group begins with the first key from the bound on. A source may return fewer keys than `limit`, but at least one if there
  /// is a key from the bound on.
  /// - Complexity: O(log *n*) for each key.
  func firstKeys(
    ofGroupsByFirstColumns columns: Int,
    from lower: KeyBound?,
    limit: Int
  ) throws(StoreError) -> EntryBatch

  /// Calls a closure with every `stride`-th key in order, from the first one, in batches; it returns whether to continue.
  /// - Returns: The number of entries, or `nil` if the closure ended the pass.
  /// - Complexity: O(*n*), but only the sampled keys are decoded.
  func sample(
    every stride: Int,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int?

  /// Divides all entries into consecutive blocks, of about a number of entries each.
  /// - Throws: The store's error, or `StoreError.aborted(by:)` with a `CancellationError` once the blocks are not wanted any more.
  /// - Complexity: O(*n*), but only the first keys of the blocks are decoded.
  func blocks(
    ofAbout rows: Int,
    while isWanted: () -> Bool
  ) throws(StoreError) -> KeyBlocks

  /// Calls a closure with each group of entries that agree in the first columns, in order.
  ///
  /// A group is identified by the bytes of those columns. The closure returns whether to continue.
  /// - Complexity: O(*n*), but only the columns of the groups are decoded.
  func groups(
    byFirstColumns columns: Int,
    _ body: (_ prefix: [UInt8], _ count: Int) throws(StoreError) -> Bool
  ) throws(StoreError)

  /// The number of entries before each of some ascending keys.
  /// - Complexity: O(*n* + *k*), one pass over all entries.
  func ranks(of keys: EntryBatch) throws(StoreError) -> [Int]

  /// An estimate of the number of entries, or `nil` if the store has none without counting.
  /// - Complexity: O(log *n*)
  func estimatedCount() throws(StoreError) -> Int?
}

extension OrderedSource {
  /// By default, those of an index in this process.
  public var costs: OrderedSourceCosts { OrderedSourceCosts() }

  /// By default, the ranges are counted one by one.
  public func counts(of ranges: [KeyRange]) throws(StoreError) -> [Int] {
    var counts: [Int] = []
    counts.reserveCapacity(ranges.count)
    for range in ranges { counts.append(try count(from: range.lower, to: range.upper)) }
    return counts
  }

  /// By default, only the keys are read.
  public func page(
    from lower: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    try keys(from: lower, to: nil, skipping: skipped, limit: limit)
  }

  /// By default, the ranges are read one by one.
  public func keys(inEach ranges: [KeyRange]) throws(StoreError) -> [EntryBatch] {
    var batches: [EntryBatch] = []
    for range in ranges {
      batches.append(try keys(from: range.lower, to: range.upper, skipping: 0, limit: .max))
    }
    return batches
  }

  /// By default, keys at equal distances are sampled.
  public func blocks(
    ofAbout rows: Int,
    while isWanted: () -> Bool
  ) throws(StoreError) -> KeyBlocks {
    try sampledBlocks(of: rows, while: isWanted)
  }

  /// Divides all entries into consecutive blocks of a number of entries each; the last one has the rest.
  public func sampledBlocks(
    of rows: Int,
    while isWanted: () -> Bool
  ) throws(StoreError) -> KeyBlocks {
    var blocks = KeyBlocks()
    let count = try sample(every: rows) { (batch) throws(StoreError) in
      for index in 0..<batch.count { blocks.append(batch.key(at: index), count: rows) }
      return isWanted()
    }
    guard let count else { throw .aborted(by: CancellationError()) }
    blocks.shortenLast(toCount: count)
    return blocks
  }

  /// By default, only the first key is read.
  public func firstKeys(
    ofGroupsByFirstColumns columns: Int,
    from lower: KeyBound?,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    try keys(from: lower, to: nil, skipping: 0, limit: min(limit, 1))
  }

  /// By default, every key is decoded.
  public func ranks(of keys: EntryBatch) throws(StoreError) -> [Int] { try ranksByMerging(keys) }

  /// The number of entries before each of some ascending keys, by a pass that decodes every entry.
  public func ranksByMerging(_ keys: EntryBatch) throws(StoreError) -> [Int] {
    var ranks: [Int] = []
    ranks.reserveCapacity(keys.count)
    var passed = 0
    let count = try sample(every: 1) { (batch) throws(StoreError) in
      for index in 0..<batch.count {
        while ranks.count < keys.count, !batch.precedes(index, keys, ranks.count) {
          ranks.append(passed)
        }
        guard ranks.count < keys.count else { return false }
        passed += 1
      }
      return true
    }
    ranks += Array(repeating: count ?? passed, count: keys.count - ranks.count)
    return ranks
  }

  /// By default, there is no estimate.
  public func estimatedCount() throws(StoreError) -> Int? { nil }
}

// MARK: - Blocks

/// Consecutive blocks of keys.
public struct KeyBlocks: Sendable {
  /// The first key of each block.
  public private(set) var firstKeys = EntryBatch()
  /// The number of keys in each block.
  public private(set) var counts: [Int] = []

  /// Creates no blocks.
  public init() {}

  /// The number of keys in all blocks.
  public var keyCount: Int { counts.reduce(0, +) }

  /// Appends a block.
  public mutating func append(_ firstKey: [UInt8], count: Int) {
    firstKeys.append { $0.bytes += firstKey }
    counts.append(count)
  }

  /// Appends other blocks, which follow these.
  public mutating func append(_ other: KeyBlocks) {
    for index in other.counts.indices {
      append(other.firstKeys.key(at: index), count: other.counts[index])
    }
  }

  /// Makes the last block so long that all have a number of keys together.
  public mutating func shortenLast(toCount count: Int) {
    guard counts.popLast() != nil else { return }
    counts.append(count - keyCount)
  }
}

// MARK: - Costs

/// What the answers of an ordered source cost, compared with each other.
///
/// A search of an index in this process costs little; one behind a network costs a round trip, in which many keys can be passed.
public struct OrderedSourceCosts: Hashable, Sendable {
  /// The number of keys between two that a list knows: a position costs a count of half as many keys on average.
  public var stride: Int
  /// The number of keys that are passed in the time that one is sought and counted.
  public var scannedPerSought: Int
  /// The number of positions between two known keys from which on reading all keys between them costs less than counting.
  public var runWorth: Int

  /// Creates a description of costs, by default those of an index in this process.
  public init(stride: Int = 96, scannedPerSought: Int = 64, runWorth: Int = 4) {
    self.stride = stride
    self.scannedPerSought = scannedPerSought
    self.runWorth = runWorth
  }
}

// MARK: - Sorted keys in memory

/// An ordered source over sorted keys in memory, which derives every answer from ranks and positions.
package protocol RankedSource: OrderedSource {
  /// The layout of the keys.
  var layout: KeyLayout { get }
  /// The number of keys.
  func keyCount() throws(StoreError) -> Int
  /// The number of keys that sort before some bytes.
  func rank(of bytes: [UInt8]) throws(StoreError) -> Int
  /// Appends every `stride`-th key of a range of positions to a batch, beginning with the first.
  func appendKeys(
    in positions: Range<Int>,
    every stride: Int,
    to batch: inout EntryBatch
  ) throws(StoreError)
}

extension RankedSource {
  package func count(from lower: KeyBound?, to upper: KeyBound?) throws(StoreError) -> Int {
    try positions(from: lower, to: upper).count
  }

  package func keys(
    from lower: KeyBound?,
    to upper: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    var batch = EntryBatch()
    let positions = try positions(from: lower, to: upper)
    try appendKeys(
      in: positions.dropFirst(max(0, skipped)).prefix(max(0, limit)),
      every: 1,
      to: &batch
    )
    return batch
  }

  package func sample(
    every stride: Int,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int? {
    let (count, step) = (try keyCount(), max(1, stride))
    let (span, isOverflow) = step.multipliedReportingOverflow(by: 2048)
    var batch = EntryBatch()
    for start in Swift.stride(from: 0, to: count, by: isOverflow ? .max : span) {
      let end = isOverflow || span > count - start ? count : start + span
      batch.removeAll()
      try appendKeys(in: start..<end, every: step, to: &batch)
      guard try body(batch) else { return nil }
    }
    return count
  }

  package func groups(
    byFirstColumns columns: Int,
    _ body: (_ prefix: [UInt8], _ count: Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let count = try keyCount()
    var batch = EntryBatch()
    var start = 0
    while start < count {
      batch.removeAll()
      try appendKeys(in: start..<start + 1, every: 1, to: &batch)
      let prefix = batch.bytes.withUnsafeBytes { key in
        Array(key.prefix(layout.prefixLength(columns: columns, in: key)))
      }
      let end = try rank(of: layout.searchKey(for: .after(prefix)))
      guard end > start, try body(prefix, end - start) else { return }
      start = end
    }
  }

  package func estimatedCount() throws(StoreError) -> Int? { try keyCount() }

  private func positions(
    from lower: KeyBound?,
    to upper: KeyBound?
  ) throws(StoreError) -> Range<Int> {
    var (start, end) = (0, 0)
    if let lower { start = try rank(of: layout.searchKey(for: lower)) }
    if let upper {
      end = try rank(of: layout.searchKey(for: upper))
    } else {
      end = try keyCount()
    }
    return start..<max(start, end)
  }
}

extension EntryBatch {
  /// Whether the key at an index sorts before a key of another batch.
  fileprivate func precedes(_ index: Int, _ other: EntryBatch, _ otherIndex: Int) -> Bool {
    let left = bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
    let right = other.bytes[
      (otherIndex == 0 ? 0 : other.ends[otherIndex - 1])..<other.ends[otherIndex]
    ]
    return left.lexicographicallyPrecedes(right)
  }
}
