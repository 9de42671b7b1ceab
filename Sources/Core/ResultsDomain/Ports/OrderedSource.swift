/// The entries of one definition in one version of a store, in order, as an index holds them: counted and read between
/// two bounds; `nil` is the end of the list.
public protocol OrderedSource: AnyObject {
  /// How many entries stand behind one bound and before another.
  /// - Complexity: O(log *n* + *k*) for *k* entries between the bounds.
  func count(from lower: KeyBound?, to upper: KeyBound?) throws(StoreError) -> Int

  /// The keys behind one bound and before another, without the first `skipped`, and at most `limit`.
  /// - Complexity: O(log *n* + *k*) for *k* keys skipped and read.
  func keys(
    from lower: KeyBound?,
    to upper: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) throws(StoreError) -> EntryBatch

  /// Hands over every `stride`-th key in order, beginning with the first, in batches; the closure says whether to go on.
  /// - Returns: The number of entries, or `nil` if the closure ended the pass.
  /// - Complexity: O(*n*), but only the keys handed over are decoded.
  func sample(
    every stride: Int,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int?

  /// Hands over how many entries agree in the first columns, group by group in order.
  ///
  /// Each group is told by the bytes of those columns. The closure says whether to go on.
  /// - Complexity: O(*n*), but no key is decoded beyond its group's columns.
  func groups(
    byFirstColumns columns: Int,
    _ body: (_ prefix: [UInt8], _ count: Int) throws(StoreError) -> Bool
  ) throws(StoreError)

  /// How many entries stand before each of some keys, which ascend.
  /// - Complexity: O(*n* + *k*): all entries are passed once.
  func ranks(of keys: EntryBatch) throws(StoreError) -> [Int]

  /// About how many entries there are, or `nil` if that cannot be said without counting.
  /// - Complexity: O(log *n*)
  func estimatedCount() throws(StoreError) -> Int?
}

extension OrderedSource {
  /// By default every key is decoded.
  public func ranks(of keys: EntryBatch) throws(StoreError) -> [Int] { try ranksByMerging(keys) }

  /// How many entries stand before each of some keys, by a pass that decodes every entry.
  public func ranksByMerging(_ keys: EntryBatch) throws(StoreError) -> [Int] {
    var ranks: [Int] = []
    ranks.reserveCapacity(keys.count)
    var passed = 0
    let count = try sample(every: 1) { (batch) throws(StoreError) in
      for place in 0..<batch.count {
        while ranks.count < keys.count, !batch.precedes(place, keys, ranks.count) {
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

  /// By default nothing is said without counting.
  public func estimatedCount() throws(StoreError) -> Int? { nil }
}

extension EntryBatch {
  /// Whether one of the keys stands before one of another batch.
  fileprivate func precedes(_ place: Int, _ other: EntryBatch, _ otherPlace: Int) -> Bool {
    let left = bytes[(place == 0 ? 0 : ends[place - 1])..<ends[place]]
    let right = other.bytes[
      (otherPlace == 0 ? 0 : other.ends[otherPlace - 1])..<other.ends[otherPlace]
    ]
    return left.lexicographicallyPrecedes(right)
  }
}
