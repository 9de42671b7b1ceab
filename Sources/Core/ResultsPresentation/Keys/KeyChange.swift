import ResultsStoreKit
import OrderStatistics

/// The keys removed from an order and inserted into it between two versions, net.
///
/// It serves in both directions: undone, it turns the keys of the present store into those of an earlier version.
struct KeyChange: Sendable {
  private(set) var removed: SortedKeyList
  private(set) var inserted: SortedKeyList

  /// Creates an empty change.
  init() {
    removed = SortedKeyList()
    inserted = SortedKeyList()
  }

  /// Creates a change of sorted keys without repeats, each in at most one of the two batches.
  init(removed: KeyBatch, inserted: KeyBatch) throws(SortedKeyListError) {
    self.removed = try SortedKeyList(sorted: removed)
    self.inserted = try SortedKeyList(sorted: inserted)
  }

  /// Creates a change of keys in any order.
  init(sorting removed: KeyBatch, _ inserted: KeyBatch) throws(SortedKeyListError) {
    try self.init(
      removed: removed.keys(at: removed.sortedIndexes()),
      inserted: inserted.keys(at: inserted.sortedIndexes())
    )
  }

  var isEmpty: Bool { removed.isEmpty && inserted.isEmpty }
  /// The number of keys.
  var count: Int { removed.count + inserted.count }

  /// Appends a change that was made after this one.
  /// - Complexity: O(*k* log *n*) for *k* later keys.
  mutating func append(_ later: KeyChange) {
    later.removed.forEachKey(in: 0..<later.removed.count) { _, key in
      if inserted.remove(key) == nil { removed.insert(key) }
    }
    later.inserted.forEachKey(in: 0..<later.inserted.count) { _, key in
      if removed.remove(key) == nil { inserted.insert(key) }
    }
  }

  /// Removes the change that was made first.
  /// - Complexity: O(*k* log *n*) for *k* earlier keys.
  mutating func dropFirst(_ earlier: KeyChange) {
    earlier.inserted.forEachKey(in: 0..<earlier.inserted.count) { _, key in
      if inserted.remove(key) == nil { removed.insert(key) }
    }
    earlier.removed.forEachKey(in: 0..<earlier.removed.count) { _, key in
      if removed.remove(key) == nil { inserted.insert(key) }
    }
  }

  /// Compares the keys that were removed from a range with those that were inserted into it.
  /// - Parameters:
  ///   - lower: The bytes that the range begins with.
  ///   - upper: The bytes before which it ends; `nil` is the end of the order.
  /// - Returns: The number of removed keys minus that of inserted ones.
  /// - Complexity: O(log *n*)
  func netRemoved(from lower: [UInt8], to upper: [UInt8]?) -> Int {
    guard !isEmpty else { return 0 }
    return KeyChange.count(removed, lower, upper) - KeyChange.count(inserted, lower, upper)
  }

  /// Whether a key in a range was removed or inserted; `nil` is the end of the order.
  /// - Complexity: O(log *n*)
  func touches(from lower: [UInt8], to upper: [UInt8]?) -> Bool {
    !isEmpty
      && (KeyChange.count(removed, lower, upper) > 0 || KeyChange.count(inserted, lower, upper) > 0)
  }

  /// Turns a run of keys after the change into the run before it.
  /// - Parameters:
  ///   - keys: All present keys in the range.
  ///   - lower: The bytes that the range begins with.
  ///   - upper: The bytes before which it ends; `nil` is the end of the list.
  func undo(in keys: inout SortedKeyList, from lower: [UInt8], to upper: [UInt8]?) {
    guard !isEmpty else { return }
    for key in KeyChange.keys(inserted, lower, upper) { _ = keys.remove(key) }
    for key in KeyChange.keys(removed, lower, upper) { _ = keys.insert(key) }
  }

  /// Turns a run of keys before the change into the run after it.
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
