import OrderStatistics

/// Keys that left an order and keys that came into it between two versions, net.
///
/// It also tells what lies between the present store and an earlier version: what came since is taken away in thought, and what
/// left is put back.
struct KeyChange: Sendable {
  private(set) var removed: SortedKeyList
  private(set) var inserted: SortedKeyList

  /// Nothing changed.
  init() {
    removed = SortedKeyList()
    inserted = SortedKeyList()
  }

  /// A change of keys that are sorted, without repeats, and in at most one of the two.
  init(removed: KeyBatch, inserted: KeyBatch) throws(SortedKeyListError) {
    self.removed = try SortedKeyList(sorted: removed)
    self.inserted = try SortedKeyList(sorted: inserted)
  }

  /// A change of keys in any order.
  init(sorting removed: KeyBatch, _ inserted: KeyBatch) throws(SortedKeyListError) {
    try self.init(
      removed: removed.keys(at: removed.sortedIndexes()),
      inserted: inserted.keys(at: inserted.sortedIndexes())
    )
  }

  var isEmpty: Bool { removed.isEmpty && inserted.isEmpty }
  /// The number of keys.
  var count: Int { removed.count + inserted.count }

  /// Adds what happened after this change.
  /// - Complexity: O(*k* log *n*) for *k* later keys.
  mutating func append(_ later: KeyChange) {
    later.removed.forEachKey(in: 0..<later.removed.count) { _, key in
      if inserted.remove(key) == nil { removed.insert(key) }
    }
    later.inserted.forEachKey(in: 0..<later.inserted.count) { _, key in
      if removed.remove(key) == nil { inserted.insert(key) }
    }
  }

  /// Takes away what happened first.
  /// - Complexity: O(*k* log *n*) for *k* earlier keys.
  mutating func dropFirst(_ earlier: KeyChange) {
    earlier.inserted.forEachKey(in: 0..<earlier.inserted.count) { _, key in
      if inserted.remove(key) == nil { removed.insert(key) }
    }
    earlier.removed.forEachKey(in: 0..<earlier.removed.count) { _, key in
      if removed.remove(key) == nil { inserted.insert(key) }
    }
  }

  /// How many more keys there were before the change than there are after it, between two places.
  /// - Parameters:
  ///   - lower: The bytes from which on keys are counted.
  ///   - upper: The bytes before which they are counted; `nil` is the end.
  /// - Returns: A negative number if there were fewer.
  /// - Complexity: O(log *n*)
  func lost(from lower: [UInt8], to upper: [UInt8]?) -> Int {
    guard !isEmpty else { return 0 }
    return KeyChange.count(removed, lower, upper) - KeyChange.count(inserted, lower, upper)
  }

  /// Whether a key came or left between two places; `nil` is the end.
  /// - Complexity: O(log *n*)
  func concerns(from lower: [UInt8], to upper: [UInt8]?) -> Bool {
    !isEmpty
      && (KeyChange.count(removed, lower, upper) > 0 || KeyChange.count(inserted, lower, upper) > 0)
  }

  /// Puts a run of keys back to what it was before the change.
  /// - Parameters:
  ///   - keys: All keys of the present between the two places.
  ///   - lower: Where the run begins.
  ///   - upper: Where it ends; `nil` is the end of the list.
  func undo(in keys: inout SortedKeyList, from lower: [UInt8], to upper: [UInt8]?) {
    guard !isEmpty else { return }
    for key in KeyChange.keys(inserted, lower, upper) { _ = keys.remove(key) }
    for key in KeyChange.keys(removed, lower, upper) { _ = keys.insert(key) }
  }

  /// Makes a run of keys what it is after the change.
  /// - Returns: Whether the change fits the run.
  func redo(in keys: inout SortedKeyList, from lower: [UInt8], to upper: [UInt8]?) -> Bool {
    for key in KeyChange.keys(removed, lower, upper) {
      guard keys.remove(key) != nil else { return false }
    }
    for key in KeyChange.keys(inserted, lower, upper) {
      guard keys.insert(key) != nil else { return false }
    }
    return true
  }

  private static func count(_ keys: SortedKeyList, _ lower: [UInt8], _ upper: [UInt8]?) -> Int {
    guard !keys.isEmpty else { return 0 }
    return max(0, (upper.map { keys.rank(of: $0) } ?? keys.count) - keys.rank(of: lower))
  }

  private static func keys(
    _ keys: SortedKeyList,
    _ lower: [UInt8],
    _ upper: [UInt8]?
  ) -> [[UInt8]] {
    guard !keys.isEmpty else { return [] }
    let start = keys.rank(of: lower)
    let end = max(start, upper.map { keys.rank(of: $0) } ?? keys.count)
    var found: [[UInt8]] = []
    keys.forEachKey(in: start..<end) { _, key in found.append(Array(key)) }
    return found
  }
}
