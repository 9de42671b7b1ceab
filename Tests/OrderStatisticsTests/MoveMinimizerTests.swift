import ResultsStoreKit
import OrderStatistics
import ResultsTesting
import Testing

@Suite struct MoveMinimizerTests {
  /// Two lists of row numbers; unaffected rows have the same order in both.
  private struct Change {
    var old: [Int]
    var new: [Int]
    var affected: Set<Int>

    var affectedSurvivors: [Int] { old.filter { affected.contains($0) && new.contains($0) } }

    func stationary() throws -> [Int] {
      let survivors = affectedSurvivors
      let oldPositions = try survivors.map { try #require(old.firstIndex(of: $0)) }
      let newPositions = try survivors.map { try #require(new.firstIndex(of: $0)) }
      return MoveMinimizer.stationarySurvivors(
        oldPositions: oldPositions,
        newPositions: newPositions,
        affectedOldPositions: old.indices.filter { affected.contains(old[$0]) },
        affectedNewPositions: new.indices.filter { affected.contains(new[$0]) }
      ).map { survivors[$0] }
    }

    /// The first of the largest sets of survivors whose order is the same among themselves and
    /// among all unaffected rows.
    func stationaryByBruteForce() -> [Int] {
      let survivors = affectedSurvivors
      let subsets = subsetsByRank(of: survivors.count).map { $0.map { survivors[$0] } }
      return subsets.first { subset in
        let still = Set(subset)
        let stays = { (row: Int) in !affected.contains(row) || still.contains(row) }
        return old.filter(stays) == new.filter(stays)
      } ?? []
    }
  }

  @Test(arguments: 0...5)
  func `every change of a short list leaves a largest set in place (C6, R33)`(count: Int) throws {
    for order in permutations(of: count) {
      for bits in 0..<(1 << count) {
        let affected = Set((0..<count).filter { bits >> $0 & 1 == 1 })
        guard ascends(order.filter { !affected.contains($0) }) else { continue }
        let change = Change(old: Array(0..<count), new: order, affected: affected)
        #expect(try change.stationary() == change.stationaryByBruteForce(), "\(change)")
      }
    }
  }

  @Test(arguments: (71...76).map(UInt64.init))
  func `deleted and inserted rows move no other row (C6, R33)`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<700 {
      let old = Array(0..<Int.random(in: 1...7, using: &generator))
      let affected = Set(old.filter { _ in Int.random(in: 0..<3, using: &generator) > 0 })
      var new = old.filter { !affected.contains($0) }
      let survivors = affected.filter { _ in Int.random(in: 0..<4, using: &generator) > 0 }
      let inserted = (10..<(10 + Int.random(in: 0...3, using: &generator)))
      for row in survivors.sorted() + Array(inserted) {
        new.insert(row, at: Int.random(in: 0...new.count, using: &generator))
      }
      let change = Change(old: old, new: new, affected: affected.union(inserted))
      #expect(try change.stationary() == change.stationaryByBruteForce(), "seed \(seed) \(change)")
    }
  }

  @Test func `a row that crosses an unaffected row always moves`() {
    // Row 0 changed and passes row 1, which did not change: row 1 is never the one that moves.
    let stationary = MoveMinimizer.stationarySurvivors(
      oldPositions: [0],
      newPositions: [1],
      affectedOldPositions: [0],
      affectedNewPositions: [1]
    )
    #expect(stationary.isEmpty)
  }

  @Test func `survivors can be in any order`() {
    let stationary = MoveMinimizer.stationarySurvivors(
      oldPositions: [2, 0, 1],
      newPositions: [2, 1, 0],
      affectedOldPositions: [0, 1, 2],
      affectedNewPositions: [0, 1, 2]
    )
    #expect(stationary == [1, 0])
  }
}

@Suite struct LongestIncreasingSubsequenceTests {
  @Test(arguments: 0...7)
  func `every permutation yields the first of its longest subsequences (R33)`(count: Int) throws {
    let subsets = subsetsByRank(of: count)
    for values in permutations(of: count) {
      let best = try #require(subsets.first { subset in ascends(subset.map { values[$0] }) })
      #expect(longestIncreasingSubsequence(of: values) == best, "values \(values)")
    }
  }

  @Test(arguments: [51, 52] as [UInt64])
  func `equal values are never both in the subsequence`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let subsets = subsetsByRank(of: 7)
    for _ in 0..<2_000 {
      let values = (0..<7).map { _ in Int.random(in: -2...3, using: &generator) }
      let best = try #require(subsets.first { subset in ascends(subset.map { values[$0] }) })
      #expect(longestIncreasingSubsequence(of: values) == best, "seed \(seed) values \(values)")
    }
  }

  @Test func `long lists move as few rows as possible`() {
    #expect(longestIncreasingSubsequence(of: Array(0..<10_000)) == Array(0..<10_000))
    #expect(longestIncreasingSubsequence(of: Array((0..<10_000).reversed())) == [0])
    let rotated = Array(1..<10_000) + [0]
    #expect(longestIncreasingSubsequence(of: rotated) == Array(0..<9_999))
  }
}

// MARK: - Brute force

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
