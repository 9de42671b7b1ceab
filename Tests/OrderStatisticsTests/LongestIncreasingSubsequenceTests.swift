import OrderStatistics
import Testing

@Suite struct LongestIncreasingSubsequenceTests {
  @Test(arguments: 0...7)
  func `every permutation keeps the first of the longest subsequences (R33)`(count: Int) throws {
    let subsets = subsetsByRank(of: count)
    for values in permutations(of: count) {
      let best = try #require(subsets.first { subset in ascends(subset.map { values[$0] }) })
      #expect(longestIncreasingSubsequence(of: values) == best, "values \(values)")
    }
  }

  @Test(arguments: [51, 52] as [UInt64])
  func `equal values never stay together`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let subsets = subsetsByRank(of: 7)
    for _ in 0..<2_000 {
      let values = (0..<7).map { _ in Int.random(in: -2...3, using: &generator) }
      let best = try #require(subsets.first { subset in ascends(subset.map { values[$0] }) })
      #expect(longestIncreasingSubsequence(of: values) == best, "seed \(seed) values \(values)")
    }
  }

  @Test func `long lists keep what needs no move`() {
    #expect(longestIncreasingSubsequence(of: Array(0..<10_000)) == Array(0..<10_000))
    #expect(longestIncreasingSubsequence(of: Array((0..<10_000).reversed())) == [0])
    let rotated = Array(1..<10_000) + [0]
    #expect(longestIncreasingSubsequence(of: rotated) == Array(0..<9_999))
  }
}
