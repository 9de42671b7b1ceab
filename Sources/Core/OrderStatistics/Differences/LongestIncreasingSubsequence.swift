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
