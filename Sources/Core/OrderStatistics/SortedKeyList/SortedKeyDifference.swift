/// Where two ascending lists of keys differ.
public struct SortedKeyDifference: Sendable, Hashable {
  /// Positions in the old list of keys the new list does not hold, ascending.
  public internal(set) var removals: [Int]

  /// Positions in the new list of keys the old list does not hold, ascending.
  public internal(set) var insertions: [Int]

  /// Whether the lists hold the same keys.
  public var isEmpty: Bool { removals.isEmpty && insertions.isEmpty }
}
