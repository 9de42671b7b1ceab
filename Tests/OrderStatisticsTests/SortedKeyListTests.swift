import OrderStatistics
import Testing

@Suite struct SortedKeyListTests {
  private let limits = KeyChunkLimits(maximumCount: 8, maximumByteCount: 64)

  private func numbers(_ range: some Sequence<Int>) -> [[UInt8]] {
    range.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
  }

  @Test func `an empty list holds nothing and ranks everything first`() throws {
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

  @Test func `the empty key is a key and stands first`() throws {
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

  @Test func `a batch out of order names the first offender`() throws {
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

  @Test func `keys with a prefix are a range`() throws {
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

  @Test func `keys of any length keep chunks within their bytes`() throws {
    var list = SortedKeyList(limits: limits)
    for length in [3, 200, 1, 90, 40, 41, 42, 64, 65, 500] {
      list.insert([UInt8](repeating: UInt8(length % 251), count: length))
    }
    #expect(list.checkInvariants() == nil)
    #expect(list.count == 10)
    let other = try SortedKeyList(sorted: list.allKeys)
    #expect(list == other)
  }

  @Test func `removing most keys leaves few chunks`() throws {
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

  @Test func `a closure may throw its own error`() throws {
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
