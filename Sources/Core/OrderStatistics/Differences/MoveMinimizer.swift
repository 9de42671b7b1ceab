/// Decides which rows with a changed key may stay where they are.
///
/// Rows whose key did not change never move. So a changed row may stay only if as many unchanged
/// rows stand before it in the new list as in the old one; of those that qualify, a longest
/// increasing subsequence of new positions stays. No larger set of rows can stay, and ties keep
/// the rows with the smallest old positions.
public enum MoveMinimizer {
  /// Finds the affected survivors that may stay in place.
  ///
  /// The survivors are described by two arrays of equal length: element `i` of both belongs to the
  /// same row. They may come in any order.
  ///
  /// - Parameters:
  ///   - oldPositions: The old position of each row that is in both lists and whose key changed.
  ///   - newPositions: The new position of the same row.
  ///   - affectedOldPositions: The old positions of all rows that are not unchanged: those above,
  ///     and the rows that were deleted or left the list. Ascending.
  ///   - affectedNewPositions: The new positions of all rows that are not unchanged: those above,
  ///     and the rows that were inserted or arrived in the list. Ascending.
  /// - Returns: Indices into `oldPositions` of the rows that stay, in ascending order of their old
  ///   positions.
  /// - Precondition: Both arrays of survivors have the same count.
  /// - Complexity: O(n log n) in the number of affected rows.
  public static func stationarySurvivors(
    oldPositions: [Int],
    newPositions: [Int],
    affectedOldPositions: [Int],
    affectedNewPositions: [Int]
  ) -> [Int] {
    precondition(oldPositions.count == newPositions.count, "survivors need both positions")
    var candidates = oldPositions.indices.filter { index in
      let old = oldPositions[index]
      let new = newPositions[index]
      return old - rank(of: old, in: affectedOldPositions)
        == new - rank(of: new, in: affectedNewPositions)
    }
    if !zip(candidates, candidates.dropFirst()).allSatisfy({ oldPositions[$0] < oldPositions[$1] })
    {
      candidates.sort { oldPositions[$0] < oldPositions[$1] }
    }
    // Rows with more unchanged rows before them stand later in both lists, so one pass over all
    // candidates finds the same rows as one pass for each gap between unchanged rows.
    return longestIncreasingSubsequence(of: candidates.map { newPositions[$0] })
      .map { candidates[$0] }
  }

  /// The number of positions smaller than `position`.
  private static func rank(of position: Int, in positions: [Int]) -> Int {
    var low = 0
    var high = positions.count
    while low < high {
      let middle = low + (high - low) / 2
      if positions[middle] < position { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Finds the longest strictly increasing subsequence.
///
/// Among the longest ones it takes the one whose list of indices is lexicographically smallest.
/// For rows in old order with their new positions as values, these are the rows that need not
/// move, and ties keep the rows with the smallest old positions in place.
///
/// - Returns: The indices of the elements kept, ascending.
/// - Complexity: O(n log n), and O(n) if all values ascend. Patience sorting after Fredman (1975),
///   run from the right so that each element knows how long a sequence it can begin.
public func longestIncreasingSubsequence(of values: [Int]) -> [Int] {
  values.withUnsafeBufferPointer { values in
    if zip(values, values.dropFirst()).allSatisfy({ $0 < $1 }) { return Array(values.indices) }
    // The length of the longest subsequence that begins at each index.
    var lengths = [Int](repeating: 0, count: values.count)
    // For each length, less one, the greatest value that begins such a sequence; it descends.
    var greatest: [Int] = []
    for index in values.indices.reversed() {
      let value = values[index]
      var low = 0
      var high = greatest.count
      while low < high {
        let middle = low &+ (high &- low) / 2
        if greatest[middle] > value { low = middle &+ 1 } else { high = middle }
      }
      if low == greatest.count { greatest.append(value) } else { greatest[low] = value }
      lengths[index] = low &+ 1
    }
    var missing = greatest.count
    var kept: [Int] = []
    kept.reserveCapacity(missing)
    for index in values.indices where lengths[index] == missing {
      // Of elements that can begin equally long sequences an earlier one is never smaller. So the
      // first one after the last kept element is greater than that element, because some later
      // one is; and the first one is the smallest possible choice.
      kept.append(index)
      missing &-= 1
    }
    return kept
  }
}
