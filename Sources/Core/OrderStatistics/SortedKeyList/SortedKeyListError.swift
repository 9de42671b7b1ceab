/// Keys handed to a `SortedKeyList` do not fit it; the list is left as it was.
public enum SortedKeyListError: Error, Hashable, Sendable {
  /// The key at `batchPosition` equals the key before it, which is at `listPosition - 1`.
  case duplicate(batchPosition: Int, listPosition: Int)

  /// The key at `batchPosition` sorts before the key before it, which is at `listPosition - 1`.
  case outOfOrder(batchPosition: Int, listPosition: Int)

  /// The removals of a bulk edit do not ascend strictly: the one at `position` is the first that
  /// is not after its predecessor.
  case unsortedRemovals(position: Int)

  /// The insertions of a bulk edit do not ascend strictly: the one at `position` is the first
  /// that is not after its predecessor.
  case unsortedInsertions(position: Int)

  /// The removal at `position` of a bulk edit names a key the list does not hold.
  case missing(position: Int)

  /// The insertion at `position` of a bulk edit names a key the list holds at `listPosition`,
  /// counted before the edit.
  case present(position: Int, listPosition: Int)
}
