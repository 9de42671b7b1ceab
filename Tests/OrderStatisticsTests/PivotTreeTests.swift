import OrderStatistics
import Testing

@Suite struct PivotTreeTests {
  private static let blocks = [
    PivotBlock(pivot: [], rows: 3), PivotBlock(pivot: [5], rows: 0),
    PivotBlock(pivot: [5, 0], rows: 2), PivotBlock(pivot: [9, 1], rows: 4),
  ]

  @Test func `a new tree is one empty block before everything`() {
    let tree = PivotTree()
    #expect(tree.blockCount == 1)
    #expect(tree.rowCount == 0)
    #expect(tree.location(containing: 0) == nil)
    let location = tree.location(of: [255])
    #expect(location == BlockLocation(index: 0, start: 0, rows: 0, lower: [], upper: nil))
    #expect(tree.checkInvariants() == nil)
  }

  @Test(
    arguments: [
      ([], 0), ([4, 255], 0), ([5], 1), ([5, 0], 2), ([5, 0, 0], 2), ([9], 2), ([9, 1], 3),
      ([255, 255], 3),
    ] as [([UInt8], Int)]
  )
  func `a key belongs to the last block whose pivot is not after it`(
    key: [UInt8],
    block: Int
  ) throws {
    let tree = try PivotTree(Self.blocks)
    #expect(tree.location(of: key) == tree.location(ofBlock: block))
    #expect(tree.location(of: key).lower == Self.blocks[block].pivot)
  }

  @Test func `an empty block holds no position`() throws {
    let tree = try PivotTree(Self.blocks)
    let indexes = try (0..<9).map { try #require(tree.location(containing: $0)).index }
    #expect(indexes == [0, 0, 0, 2, 2, 3, 3, 3, 3])
    #expect(tree.location(containing: -1) == nil)
    #expect(tree.location(containing: 9) == nil)
    #expect(tree.location(ofBlock: 2).positions == 3..<5)
    #expect(tree.location(ofBlock: 2).upper == [9, 1])
    #expect(tree.pivot(ofBlock: 3) == [9, 1])
  }

  @Test(
    arguments: [
      ([], .firstPivotNotEmpty), ([([1], 1)], .firstPivotNotEmpty),
      ([([], 1), ([], 1)], .unordered(position: 1)),
      ([([], 1), ([2], 1), ([1, 9], 1)], .unordered(position: 2)),
      ([([], -1)], .rowsOutOfRange(position: 0)),
      ([([], 1), ([2], 1 << 32)], .rowsOutOfRange(position: 1)),
    ] as [([([UInt8], Int)], PivotTreeError)]
  )
  func `blocks that are not an ordered list are refused`(
    blocks: [([UInt8], Int)],
    error: PivotTreeError
  ) {
    #expect(throws: error) {
      try PivotTree(blocks.map { PivotBlock(pivot: $0.0, rows: $0.1) })
    }
  }

  @Test func `a pivot too long is refused`() throws {
    let pivot = [UInt8](repeating: 1, count: PivotTree.maximumPivotByteCount + 1)
    let long = PivotBlock(pivot: pivot, rows: 1)
    #expect(throws: PivotTreeError.pivotTooLong(position: 1)) {
      try PivotTree([PivotBlock(pivot: [], rows: 1), long])
    }
    var tree = PivotTree()
    #expect(throws: PivotTreeError.pivotTooLong(position: 0)) {
      try tree.replace(1..<1, with: [long])
    }
    #expect(tree.blockCount == 1)
  }

  @Test func `rows out of range leave a block unchanged`() throws {
    var tree = try PivotTree(Self.blocks)
    for (rows, block) in [(-4, 0), (-1, 1), (Int.max, 0), (Int.min, 3), (1, 4), (1, -1)] {
      let isDone = tree.add(rows, toBlock: block)
      #expect(!isDone)
    }
    #expect(tree.rowCount == 9)
    let results = [
      tree.add(-3, toBlock: 0), tree.add(PivotTree.maximumBlockRows, toBlock: 1),
      tree.add(1, toBlock: 1),
    ]
    #expect(results == [true, true, false])
    #expect(tree.rowCount == 6 + PivotTree.maximumBlockRows)
    #expect(tree.checkInvariants() == nil)
  }

  @Test(
    arguments: [
      (0..<5, [], .blocksOutOfRange), (-1..<1, [], .blocksOutOfRange),
      (0..<1, [], .firstPivotNotEmpty), (0..<4, [], .firstPivotNotEmpty),
      (0..<1, [[1]], .firstPivotNotEmpty), (0..<0, [[]], .unordered(position: 1)),
      (0..<1, [[], [5]], .unordered(position: 2)), (1..<2, [[]], .unordered(position: 0)),
      (3..<3, [[5, 0]], .unordered(position: 0)), (4..<4, [[9, 1]], .unordered(position: 0)),
      (1..<3, [[7], [9, 1]], .unordered(position: 2)),
    ] as [(Range<Int>, [[UInt8]], PivotTreeError)]
  )
  func `blocks in the wrong order leave the tree unchanged`(
    range: Range<Int>,
    pivots: [[UInt8]],
    error: PivotTreeError
  ) throws {
    var tree = try PivotTree(Self.blocks)
    #expect(throws: error) {
      try tree.replace(range, with: pivots.map { PivotBlock(pivot: $0, rows: 1) })
    }
    #expect(tree.blocks == Self.blocks)
  }

  @Test func `replacing blocks splits and merges them`() throws {
    var tree = try PivotTree(Self.blocks)
    try tree.replace(
      3..<4,
      with: [PivotBlock(pivot: [9, 1], rows: 1), PivotBlock(pivot: [9, 2], rows: 3)]
    )
    #expect(tree.location(of: [9, 2]).positions == 6..<9)
    try tree.replace(0..<3, with: [PivotBlock(pivot: [], rows: 5)])
    #expect(tree.location(of: [5, 0]).positions == 0..<5)
    #expect(tree.blockCount == 3)
    try tree.replace(0..<3, with: [PivotBlock(pivot: [], rows: 0)])
    #expect(tree.blocks == PivotTree().blocks)
    #expect(tree.checkInvariants() == nil)
  }

  @Test func `sampled pivots make blocks of one stride and a remainder`() throws {
    let pivots = KeyBatch([[1], [2], [3]])
    let tree = try PivotTree.sampled(pivots, every: 10, rowCount: 34)
    #expect(tree.blocks.map(\.rows) == [10, 10, 10, 4])
    #expect(tree.blocks.map(\.pivot) == [[], [1], [2], [3]])
    let short = try PivotTree.sampled(KeyBatch(), every: 10, rowCount: 7)
    #expect(short.blocks == [PivotBlock(pivot: [], rows: 7)])
    #expect(throws: PivotTreeError.rowsOutOfRange(position: 3)) {
      try PivotTree.sampled(pivots, every: 10, rowCount: 29)
    }
    #expect(throws: PivotTreeError.rowsOutOfRange(position: 0)) {
      try PivotTree.sampled(pivots, every: 0, rowCount: 29)
    }
    #expect(throws: PivotTreeError.unordered(position: 2)) {
      try PivotTree.sampled(KeyBatch([[2], [2]]), every: 1, rowCount: 5)
    }
  }

  @Test(arguments: [1_000, 30_000, 100_000])
  func `one change copies one path, whatever the length of the list (R55)`(blockCount: Int) throws {
    let pivots = (1..<blockCount).map { [UInt8].ordered($0) }
    let tree = try PivotTree.sampled(KeyBatch(pivots), every: 96, rowCount: blockCount * 96)
    for block in [0, blockCount / 2, blockCount - 1] {
      var copy = tree
      #expect(copy.nodeCount(notSharedWith: tree) == 0)
      copy.add(1, toBlock: block)
      #expect(copy.nodeCount(notSharedWith: tree) == tree.shape.height + 1)
      let half = PivotBlock(pivot: tree.pivot(ofBlock: block) + [0], rows: 40)
      try copy.replace((block + 1)..<(block + 1), with: [half])
      #expect(copy.nodeCount(notSharedWith: tree) <= 2 * (tree.shape.height + 1))
      #expect(tree.rowCount == blockCount * 96)
    }
  }
}

extension PivotTree {
  var blocks: [PivotBlock] {
    var blocks: [PivotBlock] = []
    forEachBlock { block, _ in blocks.append(block) }
    return blocks
  }
}

extension [UInt8] {
  /// Four bytes that sort as the number does.
  static func ordered(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }
}
