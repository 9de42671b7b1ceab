import ResultsStoreKit
import OrderStatistics
import ResultsTesting
import Testing

@Suite struct PivotTreeEncodingTests {
  private static let limits = PivotTreeLimits(maximumLeafCount: 8, maximumBranchCount: 4)

  private static func tree(blockCount: Int) throws -> PivotTree {
    try PivotTree(
      (0..<blockCount).map {
        PivotBlock(pivot: $0 == 0 ? [] : .ordered($0 * 3), rows: $0 % 5)
      },
      limits: limits
    )
  }

  @Test(arguments: [1, 2, 9, 200])
  func `a tree is restored from its bytes`(blockCount: Int) throws {
    let tree = try Self.tree(blockCount: blockCount)
    let decoded = try PivotTree(decoding: tree.encoded(), limits: Self.limits)
    #expect(decoded.blocks == tree.blocks)
    #expect(decoded.rowCount == tree.rowCount)
    #expect(decoded.checkInvariants() == nil)
    var chunks: [UInt8] = []
    tree.forEachEncodedChunk { chunks += $0 }
    #expect(chunks == tree.encoded())
  }

  @Test func `a decoded tree can be edited without changing the tree it was encoded from`() throws {
    let tree = try PivotTree(
      (0..<1_000).map {
        PivotBlock(pivot: $0 == 0 ? [] : .ordered($0), rows: 2)
      }
    )
    var decoded = try PivotTree(decoding: tree.encoded())
    try decoded.replace(5..<900, with: [])
    decoded.add(7, toBlock: 80)
    #expect(decoded.checkInvariants() == nil)
    #expect(decoded.blockCount == 105)
    #expect(decoded.rowCount == 217)
    #expect(tree.rowCount == 2_000)
  }

  @Test func `missing or extra bytes are refused`() throws {
    let bytes = try Self.tree(blockCount: 60).encoded()
    for count in 0..<bytes.count {
      #expect(throws: PivotTreeError.self) {
        try PivotTree(decoding: Array(bytes[..<count]), limits: Self.limits)
      }
    }
    #expect(throws: PivotTreeError.malformed(offset: bytes.count)) {
      try PivotTree(decoding: bytes + [0], limits: Self.limits)
    }
  }

  @Test(
    arguments: [
      (0, 2), (4, 0), (4, 255), (7, 255), (8, 0), (8, 255), (11, 255), (12, 1), (15, 255),
      (19, 128),
      (12 + 8 * 8 + 3, 255),
    ] as [(Int, UInt8)]
  )
  func `impossible numbers are refused`(offset: Int, byte: UInt8) throws {
    var bytes = try Self.tree(blockCount: 60).encoded()
    bytes[offset] = byte
    #expect(throws: PivotTreeError.self) {
      try PivotTree(decoding: bytes, limits: Self.limits)
    }
  }

  @Test func `pivots of two leaves that do not ascend are refused`() throws {
    let leaf = try Self.tree(blockCount: 4).encoded()[8...]
    let bytes = [1, 0, 0, 0, 2, 0, 0, 0] + leaf + leaf
    #expect(throws: PivotTreeError.malformed(offset: 8 + leaf.count)) {
      try PivotTree(decoding: bytes, limits: Self.limits)
    }
  }

  @Test func `leaves too small for a tree of several are refused`() throws {
    var chunks: [[UInt8]] = []
    try Self.tree(blockCount: 60).forEachEncodedChunk { chunks.append(Array($0)) }
    let small = try Self.tree(blockCount: 1).encoded()[8...]
    let bytes = [1, 0, 0, 0, 2, 0, 0, 0] + small + chunks[2]
    #expect(throws: PivotTreeError.malformed(offset: 8)) {
      try PivotTree(decoding: bytes, limits: Self.limits)
    }
  }

  @Test(arguments: (1...20).map(UInt64.init))
  func `damaged bytes are refused, or decode to a sound tree with exactly those bytes`(seed: UInt64)
    throws
  {
    var generator = SeededGenerator(seed: seed)
    let bytes = try Self.tree(blockCount: 40 + Int(seed) * 10).encoded()
    var accepted = 0
    for round in 0..<1_000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let offset = Int.random(in: damaged.indices, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: damaged[offset] = .random(in: 0...255, using: &generator)
        case 1: damaged.remove(at: offset)
        case 2: damaged.insert(.random(in: 0...255, using: &generator), at: offset)
        default: damaged[offset] ^= UInt8(1) << Int.random(in: 0..<8, using: &generator)
        }
      }
      let note: Comment = "seed \(seed) round \(round)"
      guard let tree = try? PivotTree(decoding: damaged, limits: Self.limits) else { continue }
      accepted += 1
      try #require(tree.checkInvariants() == nil, note)
      try #require(tree.encoded() == damaged, note)
      let total = tree.blocks.reduce(0) { $0 + $1.rows }
      try #require(tree.rowCount == total, note)
    }
    #expect(accepted > 0 && accepted < 1_000, "seed \(seed)")
  }

  @Test(arguments: (1...4).map(UInt64.init))
  func `random bytes are refused`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let count = Int.random(in: 0..<200, using: &generator)
      var bytes: [UInt8] = [1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]
      bytes += (0..<count).map { _ in
        UInt8.random(in: 0...3, using: &generator) &* .random(in: 0...1, using: &generator)
      }
      guard let tree = try? PivotTree(decoding: bytes) else { continue }
      #expect(tree.checkInvariants() == nil, "seed \(seed)")
    }
  }
}
