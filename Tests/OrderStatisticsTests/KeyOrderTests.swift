import OrderStatistics
import ResultsTesting
import Testing

@Suite struct KeyOrderTests {
  @Test(
    arguments: [
      ([], []), ([], [0]), ([0], [0, 0]), ([0x7F], [0x80]), ([1, 2, 3], [1, 2, 4]),
      ([1, 0xFF], [2]), ([0, 0, 0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 0, 0]),
      ([1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8, 0]),
      ([1, 2, 3, 4, 5, 6, 7, 8, 9, 0xFF], [1, 2, 3, 4, 5, 6, 7, 8, 10, 0]),
    ] as [([UInt8], [UInt8])]
  )
  func `keys compare byte by byte and then by length`(left: [UInt8], right: [UInt8]) {
    #expect((KeyOrder.compare(left, right) == 0) == (left == right))
    #expect((KeyOrder.compare(left, right) < 0) == left.lexicographicallyPrecedes(right))
    #expect((KeyOrder.compare(right, left) > 0) == left.lexicographicallyPrecedes(right))
  }

  @Test(arguments: [11, 12, 13] as [UInt64])
  func `random keys compare as their bytes do`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<5_000 {
      let length = Int.random(in: 0...20, using: &generator)
      let left = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      var right = Array(left.prefix(Int.random(in: 0...20, using: &generator)))
      if let index = right.indices.randomElement(using: &generator) {
        right[index] = UInt8.random(in: 0...255, using: &generator)
      }
      let order = KeyOrder.compare(left, right)
      #expect((order < 0) == left.lexicographicallyPrecedes(right), "seed \(seed)")
      #expect((order == 0) == (left == right), "seed \(seed)")
    }
  }
}

@Suite struct KeyBatchTests {
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `the sorted indexes are those of a plain sort`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let shared = (0..<Int.random(in: 0...12, using: &generator)).map { _ in UInt8(7) }
    let keys = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
      shared
        + (0..<Int.random(in: 0...11, using: &generator)).map { _ in
          UInt8.random(in: 0...1, using: &generator)
        }
    }
    let batch = KeyBatch(keys)
    let indexes = batch.sortedIndexes()
    #expect(indexes.sorted() == Array(keys.indices), "seed \(seed)")
    #expect(
      indexes.map { keys[$0] } == keys.sorted { $0.lexicographicallyPrecedes($1) },
      "seed \(seed)"
    )
    #expect(batch.keys(at: indexes) == KeyBatch(indexes.map { keys[$0] }), "seed \(seed)")
  }

  @Test func `a batch holds keys in the order in which they were appended`() throws {
    var batch = KeyBatch([[2, 1], [], [9]])
    [7, 7].withUnsafeBytes { batch.append(UnsafeRawBufferPointer(rebasing: $0[..<1])) }
    #expect(batch.count == 4)
    #expect(batch[0] == [2, 1])
    #expect(batch[1] == [])
    #expect(batch[3] == [7])
    #expect(try KeyBatch(bytes: [2, 1, 9, 7], ends: [2, 2, 3, 4]) == batch)
    batch.removeAll(keepingCapacity: true)
    #expect(batch.isEmpty)
  }

  @Test(
    arguments: [
      ([1, 0], 1), ([-1, 3], 0), ([4], 0), ([1, 2], 2), ([], 0),
    ] as [([Int], Int)]
  )
  func `end offsets that do not describe the arena are an error`(ends: [Int], position: Int) {
    #expect(throws: MalformedKeyBatch(position: position)) {
      try KeyBatch(bytes: [1, 2, 3], ends: ends)
    }
  }
}
