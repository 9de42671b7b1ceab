import ResultsStoreKit
import OrderStatistics
import ResultsTesting
import Testing

/// Identities whose hashes all collide, half of them in the last slot of the table.
private struct CollidingIdentities: IdentityPair {
  let old: [Int]
  let new: [Int]

  var oldCount: Int { old.count }
  var newCount: Int { new.count }

  func hash(at index: Int, seed: UInt64) -> UInt64 {
    (old + new)[index].isMultiple(of: 2) ? .max : 0xFFFF_FFFF_0000_0000
  }

  func areEqual(_ left: Int, _ right: Int) -> Bool { (old + new)[left] == (old + new)[right] }
}

@Suite struct KeyedDifferenceTests {
  private func check(
    _ old: [Int64],
    _ new: [Int64],
    _ context: Comment? = nil
  ) throws {
    let difference = try KeyedDifference(from: old, to: new)
    #expect(difference.deletions == old.indices.filter { !new.contains(old[$0]) }, context)
    #expect(difference.insertions == new.indices.filter { !old.contains(new[$0]) }, context)
    let survivors = old.enumerated().compactMap { position, id in
      new.firstIndex(of: id).map { PositionPair(old: position, new: $0) }
    }
    #expect(difference.survivors == survivors, context)
    let stationary = longestIncreasingSubsequence(of: survivors.map(\.new))
    let moves = survivors.indices.filter { !stationary.contains($0) }.map { survivors[$0] }
    #expect(difference.moves == moves, context)
    #expect(difference.isEmpty == (old == new), context)
    #expect(rebuilt(old, new, by: difference) == new, context)
  }

  /// The new list, rebuilt from the old one, the difference and the inserted ids alone.
  private func rebuilt(_ old: [Int64], _ new: [Int64], by difference: KeyedDifference) -> [Int64] {
    let taken = Set(difference.deletions + difference.moves.map(\.old))
    var result = old.indices.filter { !taken.contains($0) }.map { old[$0] }
    let arrivals =
      difference.moves.map { ($0.new, old[$0.old]) } + difference.insertions.map { ($0, new[$0]) }
    for (position, id) in arrivals.sorted(by: { $0.0 < $1.0 }) { result.insert(id, at: position) }
    return result
  }

  @Test func `every reordering of five ids moves as few as possible (R33)`() throws {
    for order in permutations(of: 5) {
      try check([0, 1, 2, 3, 4], order.map(Int64.init))
      try check([0, 1, 2, 3, 4], order.map { Int64($0) * 2 })
    }
  }

  @Test(arguments: (61...64).map(UInt64.init))
  func `random lists rebuild exactly (R26)`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for step in 0..<300 {
      let all = (0..<Int64.random(in: 0...40, using: &generator)).map { $0 * 1_000_003 - 7 }
      let old = all.filter { _ in Bool.random(using: &generator) }.shuffled(using: &generator)
      var new = all.filter { _ in Bool.random(using: &generator) }
      if step % 3 > 0 { new.shuffle(using: &generator) }
      try check(old, new, "seed \(seed) step \(step)")
      let oldBytes = KeyBatch(old.map { [UInt8]("row-identity \($0)".utf8) })
      let newBytes = KeyBatch(new.map { [UInt8]("row-identity \($0)".utf8) })
      let byBytes = try KeyedDifference(from: oldBytes, to: newBytes)
      #expect(try byBytes == KeyedDifference(from: old, to: new), "seed \(seed) step \(step)")
    }
  }

  @Test(
    arguments: [
      ([4, 5, 6, 5], [], DuplicateIdentityError(side: .old, firstPosition: 1, secondPosition: 3)),
      (
        [4, 5], [5, 9, 5], DuplicateIdentityError(side: .new, firstPosition: 0, secondPosition: 2)
      ),
      (
        [4, 5], [4, 5, 4], DuplicateIdentityError(side: .new, firstPosition: 0, secondPosition: 2)
      ),
      ([4], [8, 9, 9], DuplicateIdentityError(side: .new, firstPosition: 1, secondPosition: 2)),
      ([], [0, 0], DuplicateIdentityError(side: .new, firstPosition: 0, secondPosition: 1)),
    ] as [([Int64], [Int64], DuplicateIdentityError)]
  )
  func `an identity twice in one list names both positions (R14)`(
    old: [Int64],
    new: [Int64],
    error: DuplicateIdentityError
  ) {
    #expect(throws: error) { try KeyedDifference(from: old, to: new) }
    #expect(throws: error) {
      try KeyedDifference(
        from: KeyBatch(old.map { [UInt8]("\($0)".utf8) }),
        to: KeyBatch(new.map { [UInt8]("\($0)".utf8) })
      )
    }
  }

  @Test func `identities that differ only in trailing zeros or length are different`() throws {
    let old = KeyBatch([[], [0], [0, 0], [1, 0], [1]])
    let new = KeyBatch([[1], [1, 0], [0, 0, 0], [0], []])
    let difference = try KeyedDifference(from: old, to: new)
    #expect(difference.deletions == [2])
    #expect(difference.insertions == [2])
    #expect(difference.survivors.map(\.new) == [4, 3, 1, 0])
  }

  @Test func `identities with equal hashes are distinguished`() throws {
    let identities = CollidingIdentities(old: Array(0..<40), new: (20..<60).reversed())
    let match = try IdentityMatch(identities)
    #expect(match.newPositions == Array(repeating: -1, count: 20) + (20..<40).reversed())
    #expect(match.insertions == Array(0..<20))
  }

  @Test func `rows renumbered after one deletion do not move (R33)`() throws {
    let old = (0..<1_000).map(Int64.init)
    let difference = try KeyedDifference(from: old, to: Array(old.dropFirst()))
    #expect(difference.deletions == [0])
    #expect(difference.moves.isEmpty)
  }
}
