/// The entries of one definition in one version of a store, in the order of an index.
///
/// Entries are counted and read between two bounds; a bound of `nil` is the start or the end of the list.
public protocol OrderedSource: AnyObject {
  /// The number of entries between two bounds.
  /// - Complexity: O(log *n* + *k*) for *k* entries between the bounds.
  func count(from lower: KeyBound?, to upper: KeyBound?) throws(StoreError) -> Int

  /// The keys between two bounds, without the first `skipped` and at most `limit`.
  /// - Complexity: O(log *n* + *k*) for *k* keys skipped and read.
  func keys(
    from lower: KeyBound?,
    to upper: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) throws(StoreError) -> EntryBatch

  /// Calls a closure with every `stride`-th key in order, from the first one, in batches; it returns whether to continue.
  /// - Returns: The number of entries, or `nil` if the closure ended the pass.
  /// - Complexity: O(*n*), but only the sampled keys are decoded.
  func sample(
    every stride: Int,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int?

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
