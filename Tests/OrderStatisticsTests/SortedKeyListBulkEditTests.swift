import OrderStatistics
import Testing

@Suite struct SortedKeyListBulkEditTests {
  private func list() throws -> SortedKeyList {
    var list = SortedKeyList(limits: KeyChunkLimits(maximumCount: 4, maximumByteCount: 64))
    try list.append(KeyBatch((0..<40).map { [UInt8($0 * 2)] }))
    return list
  }

  @Test func `a bulk edit says where every key was and is`() throws {
    var list = try list()
    let difference = try list.apply(removals: [[0], [4], [78]], insertions: [[3], [4], [200]])
    #expect(difference.removals == [0, 2, 39])
    #expect(difference.insertions == [1, 2, 39])
    #expect(list.key(at: 1) == [3])
    #expect(list.key(at: 2) == [4])
    #expect(list.key(at: 39) == [200])
    #expect(list.checkInvariants() == nil)
  }

  @Test func `a bulk edit may fill and empty a list`() throws {
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

  @Test func `a long bulk edit that ends in a small chunk keeps every key once`() throws {
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
