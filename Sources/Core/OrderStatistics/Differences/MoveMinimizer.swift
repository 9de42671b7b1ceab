/// Decides which rows with a changed key stay in place.
///
/// Rows whose key did not change never move. So a changed row can stay only if the same number of
/// unchanged rows precedes it in the old and in the new list; of the rows that qualify, a longest
/// increasing subsequence of new positions stays. No larger set of rows can stay, and ties favour
/// the rows with the smallest old positions.
package enum MoveMinimizer {
  /// Finds the affected survivors that stay in place.
  ///
  /// The survivors are described by two arrays of equal length: element `i` of both belongs to the
  /// same row. They can be in any order.
  ///
  /// - Parameters:
  ///   - oldPositions: The old position of each row that is in both lists and whose key changed.
  ///   - newPositions: The new position of the same row.
  ///   - affectedOldPositions: The old positions of all changed rows: those above, and the rows that
  ///     are only in the old list. Ascending.
  ///   - affectedNewPositions: The new positions of all changed rows: those above, and the rows that
  ///     are only in the new list. Ascending.
  /// - Returns: Indices into `oldPositions` of the rows that stay, in ascending order of their old
  ///   positions.
  /// - Precondition: Both arrays of survivors have the same count.
  /// - Complexity: O(n log n) in the number of affected rows.
  package static func stationarySurvivors(
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
    // Candidates with more unchanged rows before them have greater positions in both lists, so one pass over all
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
/// Of several longest ones, it returns the one whose list of indices is lexicographically smallest.
/// For rows in old order with their new positions as values, these are the rows that need not
/// move, and ties favour the rows with the smallest old positions.
///
/// - Returns: The indices of the subsequence's elements, ascending.
/// - Complexity: O(n log n), and O(n) if all values ascend. Patience sorting after Fredman (1975),
///   run from the right to find the length of the longest sequence that begins at each element.
package func longestIncreasingSubsequence(of values: [Int]) -> [Int] {
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
    var subsequence: [Int] = []
    subsequence.reserveCapacity(missing)
    for index in values.indices where lengths[index] == missing {
      // Of elements that begin equally long sequences, an earlier one is never smaller. So the first
      // one after the last chosen element is greater than that element, because some later one is;
      // and it is the choice with the smallest index.
      subsequence.append(index)
      missing &-= 1
    }
    return subsequence
  }
}
