/// All orders of the numbers below `count`.
func permutations(of count: Int) -> [[Int]] {
  guard count > 0 else { return [[]] }
  return permutations(of: count - 1).flatMap { shorter in
    (0..<count).map { position in
      var longer = shorter
      longer.insert(count - 1, at: position)
      return longer
    }
  }
}

/// All subsets of the indices below `count`: the largest first, equally large ones in
/// lexicographical order.
func subsetsByRank(of count: Int) -> [[Int]] {
  (0..<(1 << count)).map { bits in (0..<count).filter { bits >> $0 & 1 == 1 } }
    .sorted { left, right in
      left.count != right.count ? left.count > right.count : left.lexicographicallyPrecedes(right)
    }
}

func ascends(_ values: [Int]) -> Bool {
  zip(values, values.dropFirst()).allSatisfy { $0 < $1 }
}
