import ResultsStoreKit
import OrderStatistics
import Testing

@Suite struct SortedKeyListTests {
  private let limits = KeyChunkLimits(maximumCount: 8, maximumByteCount: 64)

  private func numbers(_ range: some Sequence<Int>) -> [[UInt8]] {
    range.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
  }

  @Test func `an empty list holds nothing and ranks every key first`() throws {
    var list = SortedKeyList()
    #expect(list.isEmpty)
    #expect(list.rank(of: [1]) == 0)
    #expect(list.position(of: [1]) == nil)
    #expect(list.firstPosition(withPrefix: []) == nil)
    #expect(list.remove([1]) == nil)
    #expect(list.slice(0..<0).isEmpty)
    #expect(list.checkInvariants() == nil)
    try list.append(KeyBatch())
    #expect(list == SortedKeyList())
  }

  @Test func `the empty key is a valid key and sorts first`() throws {
    var list = try SortedKeyList(sorted: [[], [0]])
    #expect(list.position(of: []) == 0)
    #expect(list.remove([]) == 0)
    #expect(list.insert([]) == 0)
    #expect(list.insert([]) == nil)
    #expect(list.allKeys == [[], [0]])
  }

  @Test func `a duplicate in a batch names its positions (R14)`() throws {
    var list = try SortedKeyList(sorted: numbers(0..<20))
    let before = list
    #expect(throws: SortedKeyListError.duplicate(batchPosition: 2, listPosition: 22)) {
      try list.append(KeyBatch(numbers([20, 21, 21, 22])))
    }
    #expect(throws: SortedKeyListError.duplicate(batchPosition: 0, listPosition: 20)) {
      try list.append(KeyBatch(numbers([19])))
    }
    #expect(list == before)
  }

  @Test func `a batch out of order names the first offending key`() throws {
    var list = try SortedKeyList(sorted: numbers(0..<20))
    #expect(throws: SortedKeyListError.outOfOrder(batchPosition: 1, listPosition: 21)) {
      try list.append(KeyBatch(numbers([25, 24])))
    }
    #expect(throws: SortedKeyListError.outOfOrder(batchPosition: 0, listPosition: 20)) {
      try list.append(KeyBatch(numbers([3])))
    }
    #expect(throws: MalformedKeyBatch.self) { try list.append(bytes: [1], ends: [2]) }
    #expect(list.count == 20)
  }

  @Test func `keys with a common prefix form a range`() throws {
    let keys: [[UInt8]] = [[], [1], [1, 0], [1, 0xFF], [1, 0xFF, 2], [2], [0xFF], [0xFF, 0xFF]]
    let list = try SortedKeyList(sorted: keys)
    #expect(list.firstPosition(withPrefix: [1]) == 1)
    #expect(list.firstPosition(withPrefix: [1, 0xFF]) == 3)
    #expect(list.firstPosition(withPrefix: [3]) == nil)
    #expect(list.firstPosition(withPrefix: []) == 0)
    #expect(list.positions(withPrefix: [1]) == 1..<5)
    #expect(list.positions(withPrefix: [1, 0xFF]) == 3..<5)
    #expect(list.positions(withPrefix: [0xFF]) == 6..<8)
    #expect(list.positions(withPrefix: [3]) == 6..<6)
    #expect(list.positions(withPrefix: []) == 0..<8)
  }

  @Test func `chunks stay within their byte limit, whatever the length of keys`() throws {
    var list = SortedKeyList(limits: limits)
    for length in [3, 200, 1, 90, 40, 41, 42, 64, 65, 500] {
      list.insert([UInt8](repeating: UInt8(length % 251), count: length))
    }
    #expect(list.checkInvariants() == nil)
    #expect(list.count == 10)
    let other = try SortedKeyList(sorted: list.allKeys)
    #expect(list == other)
  }

  @Test func `removing most keys merges chunks`() throws {
    var list = SortedKeyList(limits: limits)
    try list.append(KeyBatch(numbers(0..<1_000)))
    for number in 0..<1_000 where number % 50 != 0 {
      #expect(list.remove(numbers([number])[0]) != nil)
    }
    #expect(list.count == 20)
    #expect(list.chunkCount <= 10)
    #expect(list.checkInvariants() == nil)
  }

  @Test func `keys inserted in ascending order fill their chunks`() {
    var list = SortedKeyList(limits: limits)
    for key in numbers(0..<600) { list.insert(key) }
    #expect(list.chunkCount <= 100)
  }

  @Test func `small batches share chunks`() throws {
    var list = SortedKeyList(limits: limits)
    for key in numbers(0..<600) { try list.append(KeyBatch([key])) }
    #expect(list.chunkCount == 100)
    #expect(list.allKeys == numbers(0..<600))
    #expect(list.checkInvariants() == nil)
  }

  @Test func `a closure can throw its own error`() throws {
    struct Stop: Error {}
    let list = try SortedKeyList(sorted: numbers(0..<9))
    #expect(throws: Stop.self) { try list.withKey(at: 3) { _ in throw Stop() } }
    var visited: [Int] = []
    #expect(throws: Stop.self) {
      try list.forEachKey(in: 2..<9) { position, _ in
        visited.append(position)
        if position == 5 { throw Stop() }
      }
    }
    #expect(visited == [2, 3, 4, 5])
  }
}

@Suite struct SortedKeyListBulkEditTests {
  private func list() throws -> SortedKeyList {
    var list = SortedKeyList(limits: KeyChunkLimits(maximumCount: 4, maximumByteCount: 64))
    try list.append(KeyBatch((0..<40).map { [UInt8($0 * 2)] }))
    return list
  }

  @Test func `a bulk edit returns the old and new position of every key`() throws {
    var list = try list()
    let difference = try list.apply(removals: [[0], [4], [78]], insertions: [[3], [4], [200]])
    #expect(difference.removals == [0, 2, 39])
    #expect(difference.insertions == [1, 2, 39])
    #expect(list.key(at: 1) == [3])
    #expect(list.key(at: 2) == [4])
    #expect(list.key(at: 39) == [200])
    #expect(list.checkInvariants() == nil)
  }

  @Test func `a bulk edit can fill and empty a list`() throws {
    var list = SortedKeyList()
    #expect(try list.apply(removals: [], insertions: [[1], [2]]).insertions == [0, 1])
    #expect(try list.apply(removals: [[1], [2]], insertions: []).removals == [0, 1])
    #expect(list.isEmpty)
    #expect(list.checkInvariants() == nil)
    #expect(throws: SortedKeyListError.missing(position: 0)) {
      try list.apply(removals: [[1]], insertions: [])
    }
  }

  @Test(
    arguments: [
      ([[2], [5]], [], .missing(position: 1)),
      ([[200]], [], .missing(position: 0)),
      ([], [[3], [8]], .present(position: 1, listPosition: 4)),
      ([[2], [2]], [], .unsortedRemovals(position: 1)),
      ([], [[3], [5], [1]], .unsortedInsertions(position: 2)),
    ] as [([[UInt8]], [[UInt8]], SortedKeyListError)]
  )
  func `a bulk edit that does not fit changes nothing (R14)`(
    removals: [[UInt8]],
    insertions: [[UInt8]],
    error: SortedKeyListError
  ) throws {
    var list = try list()
    #expect(throws: error) { try list.apply(removals: removals, insertions: insertions) }
    #expect(try list == self.list())
    #expect(list.checkInvariants() == nil)
  }

  @Test func `chunks far from a bulk edit stay shared`() throws {
    var list = try SortedKeyList(sorted: (0..<20_000).map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
    let snapshot = list
    try list.apply(removals: [[0, 7]], insertions: [[0, 7, 7], [40, 0, 1]])
    #expect(list.chunkCountShared(with: snapshot) >= list.chunkCount - 2)
  }

  @Test func `a long bulk edit that ends in a small chunk holds every key once`() throws {
    var list = SortedKeyList(limits: KeyChunkLimits(maximumCount: 16, maximumByteCount: 1_000))
    let keys = (0..<300).map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    try list.append(KeyBatch(keys))
    // One key of each of the first 24 chunks of 12, then all but two of the last chunk.
    let removals = (0..<24).map { keys[$0 * 12 + 5] } + keys[290...]
    try list.apply(removals: removals, insertions: [])
    #expect(list.allKeys == keys.filter { !removals.contains($0) })
    #expect(list.checkInvariants() == nil)
  }

  @Test(arguments: [0, 5, 24])
  func `a chunk that a bulk edit leaves small joins a neighbour`(chunk: Int) throws {
    var list = SortedKeyList(limits: KeyChunkLimits(maximumCount: 16, maximumByteCount: 1_000))
    let keys = (0..<300).map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    try list.append(KeyBatch(keys))
    let removals = keys[(chunk * 12)..<(chunk * 12 + 10)]
    try list.apply(removals: Array(removals), insertions: [])
    #expect(list.chunkCount == 24)
    #expect(list.allKeys == keys.filter { !removals.contains($0) })
    #expect(list.checkInvariants() == nil)
  }
}
