import OrderStatistics
import ResultsTesting
import Synchronization
import Testing

/// Trees whose parts are read when they are needed, compared with the trees they come from.
@Suite struct PivotPartTests {
  private static let limits = PivotTreeLimits(maximumLeafCount: 8, maximumBranchCount: 8)

  /// The parts of a tree, and the indexes of the parts that were read.
  private final class Parts: Sendable {
    let parts: [PivotPart]
    let bytes: [[UInt8]]
    let requests = Mutex<[Int]>([])

    init(_ tree: PivotTree) {
      var (parts, bytes): ([PivotPart], [[UInt8]]) = ([], [])
      tree.forEachPart { part, content in
        parts.append(part)
        bytes.append(content)
      }
      (self.parts, self.bytes) = (parts, bytes)
    }

    /// Creates a tree of the parts; `change` can damage their bytes.
    func tree(_ change: @escaping @Sendable (Int, [UInt8]) -> [UInt8]? = { $1 }) throws -> PivotTree
    {
      try PivotTree(parts: parts, limits: PivotPartTests.limits) { part in
        self.requests.withLock { $0.append(part) }
        return change(part, self.bytes[part])
      }
    }
  }

  private static func tree(blockCount: Int) throws -> PivotTree {
    try PivotTree(
      (0..<blockCount).map { PivotBlock(pivot: $0 == 0 ? [] : .ordered($0 * 3), rows: $0 % 5) },
      limits: limits
    )
  }

  @Test(arguments: [1, 2, 9, 33, 48, 200, 1_000])
  func `a tree is restored from its parts, and only the parts it needs are read`(
    blockCount: Int
  ) throws {
    let tree = try Self.tree(blockCount: blockCount)
    let parts = Parts(tree)
    let deferred = try parts.tree()
    #expect(deferred.rowCount == tree.rowCount)
    #expect(deferred.blockCount == blockCount)
    #expect(parts.requests.withLock(\.count) == (parts.parts.count == 1 ? 1 : 0))
    let key: [UInt8] = .ordered(blockCount)
    #expect(deferred.location(of: key) == tree.location(of: key))
    #expect(deferred.span(of: key) == tree.span(of: key))
    #expect(deferred.location(of: key) == tree.location(of: key))
    // The description of the next part gives the upper bound of the last block of a part.
    #expect(parts.requests.withLock(\.count) == 1)
    for position in 0..<tree.rowCount {
      #expect(deferred.location(containing: position) == tree.location(containing: position))
    }
    #expect(deferred.encoded() == tree.encoded())
    #expect(deferred.checkInvariants() == nil)
    #expect(parts.requests.withLock { $0.sorted() } == Array(parts.parts.indices))
    #expect(!deferred.isDamaged)
  }

  @Test(arguments: (1...20).map(UInt64.init))
  func `edits of a tree with deferred parts equal those of a tree in memory`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var tree = try Self.tree(blockCount: 100 + Int(seed) * 20)
    var deferred = try Parts(tree).tree()
    for round in 0..<40 {
      let note: Comment = "seed \(seed) round \(round)"
      let first = Int.random(in: 1..<tree.blockCount, using: &generator)
      if Bool.random(using: &generator) {
        #expect(tree.add(3, toBlock: first) == deferred.add(3, toBlock: first), note)
      } else {
        let last = min(tree.blockCount, first + .random(in: 0...30, using: &generator))
        let below = tree.pivot(ofBlock: first - 1)
        let new = [
          PivotBlock(pivot: below + [0], rows: 1), PivotBlock(pivot: below + [1], rows: 2),
        ]
        guard last == tree.blockCount || tree.pivot(ofBlock: last) > below + [1] else { continue }
        try tree.replace(first..<last, with: new)
        try deferred.replace(first..<last, with: new)
      }
      guard tree.blockCount > 40 else { break }
    }
    #expect(deferred.blocks == tree.blocks, "seed \(seed)")
    #expect(deferred.checkInvariants() == nil, "seed \(seed)")
  }

  @Test(arguments: (1...20).map(UInt64.init))
  func `a damaged part is recorded, its rows retain their positions, and nothing traps`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let tree = try Self.tree(blockCount: 300)
    let parts = Parts(tree)
    let spoiled = Int.random(in: parts.parts.indices, using: &generator)
    let content: [UInt8]? =
      switch seed % 4 {
      case 0: nil
      case 1: parts.bytes[(spoiled + 1) % parts.bytes.count]
      case 2: Array(parts.bytes[spoiled].dropLast())
      default: (0..<400).map { _ in .random(in: 0...3, using: &generator) }
      }
    var deferred = try parts.tree { part, bytes in part == spoiled ? content : bytes }
    #expect(!deferred.isDamaged)
    for position in 0..<tree.rowCount {
      let (found, expected) = (
        deferred.location(containing: position), tree.location(containing: position)
      )
      let (location, sound) = try (#require(found), #require(expected))
      #expect(location.positions.contains(position), "seed \(seed)")
      #expect(
        location.start <= sound.start && location.start + location.rows >= sound.start + sound.rows
      )
      #expect(!location.lower.isEmpty || sound.start < parts.parts[0].rows)
      let key = deferred.location(of: sound.lower)
      #expect(key.start <= sound.start && key.start + key.rows >= sound.start)
    }
    #expect(deferred.isDamaged)
    for block in 0..<deferred.blockCount {
      _ = deferred.location(ofBlock: block)
      _ = deferred.pivot(ofBlock: block)
      _ = deferred.add(1, toBlock: block)
      var edited = deferred
      try? edited.replace(block..<min(block + 2, edited.blockCount), with: [])
      #expect(edited.isDamaged)
      try? deferred.replace(block..<block, with: [PivotBlock(pivot: [9], rows: 2)])
    }
    _ = deferred.checkInvariants()
  }

  @Test func `parts that do not describe a tree are refused`() throws {
    let parts = Parts(try Self.tree(blockCount: 200)).parts
    #expect(parts.count > 3)
    var wrong = [[], Array(parts.dropFirst()), [parts[0], parts[2], parts[1]]]
    for (blocks, rows) in [(0, 1), (65, 1), (1, -1), (1, PivotTree.maximumBlockRows + 1)] {
      wrong.append([parts[0], PivotPart(pivot: parts[1].pivot, blocks: blocks, rows: rows)])
    }
    for parts in wrong {
      #expect(throws: PivotTreeError.self) {
        try PivotTree(parts: parts, limits: Self.limits) { _ in nil }
      }
    }
  }

  @Test func `a tree of one part is read at once, and refused if the part does not match`() throws {
    let parts = Parts(try Self.tree(blockCount: 20))
    #expect(parts.parts.count == 1)
    #expect(throws: PivotTreeError.self) { try parts.tree { _, _ in nil } }
    #expect(throws: PivotTreeError.self) { try parts.tree { $1.dropLast() } }
    var more = parts.parts
    more[0].rows += 1
    #expect(throws: PivotTreeError.self) {
      try PivotTree(parts: more, limits: Self.limits) { parts.bytes[$0] }
    }
  }
}

private func > (left: [UInt8], right: [UInt8]) -> Bool { KeyOrder.compare(left, right) > 0 }
