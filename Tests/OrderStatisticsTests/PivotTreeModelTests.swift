import ResultsStoreKit
import OrderStatistics
import ResultsTesting
import Testing

/// Random edits on a tree with small nodes and on a plain array of blocks (R55, R83).
@Suite struct PivotTreeModelTests {
  private struct Model {
    var blocks = [PivotBlock(pivot: [], rows: 0)]

    func location(_ index: Int) -> BlockLocation {
      BlockLocation(
        index: index,
        start: blocks[..<index].reduce(0) { $0 + $1.rows },
        rows: blocks[index].rows,
        lower: blocks[index].pivot,
        upper: index + 1 < blocks.count ? blocks[index + 1].pivot : nil
      )
    }

    func location(of key: [UInt8]) -> BlockLocation {
      location(blocks.lastIndex { !key.lexicographicallyPrecedes($0.pivot) } ?? 0)
    }

    func location(containing position: Int) -> BlockLocation? {
      var end = 0
      for (index, block) in blocks.enumerated() {
        end += block.rows
        if position >= 0, position < end { return location(index) }
      }
      return nil
    }
  }

  /// A key of few distinct bytes, so that keys are close, share prefixes and are prefixes of one another.
  private static func randomKey(_ generator: inout SeededGenerator) -> [UInt8] {
    let stem: [UInt8] = Bool.random(using: &generator) ? [7, 7, 7, 7, 7, 7, 7, 7, 7] : []
    return stem
      + (0..<Int.random(in: 0...5, using: &generator)).map { _ in
        [0, 1, 7, 8, 128, 255][Int.random(in: 0..<6, using: &generator)]
      }
  }

  private static func randomBlocks(
    in model: Model,
    replacing range: Range<Int>,
    upTo count: Int,
    _ generator: inout SeededGenerator
  ) -> [PivotBlock] {
    let lower = range.lowerBound > 0 ? model.blocks[range.lowerBound - 1].pivot : nil
    let upper = range.upperBound < model.blocks.count ? model.blocks[range.upperBound].pivot : nil
    var keys: Set<[UInt8]> = lower == nil && upper?.isEmpty != true ? [[]] : []
    for _ in 0..<count {
      let near = (lower ?? []) + randomKey(&generator)
      for key in [randomKey(&generator), near] {
        guard lower.map({ $0.lexicographicallyPrecedes(key) }) ?? true,
          upper.map({ key.lexicographicallyPrecedes($0) }) ?? true
        else { continue }
        keys.insert(key)
      }
    }
    if let lower, keys.isEmpty, upper == nil { keys.insert(lower + [1]) }
    return keys.sorted { $0.lexicographicallyPrecedes($1) }.map {
      PivotBlock(pivot: $0, rows: Int.random(in: 0...4, using: &generator))
    }
  }

  @Test(arguments: (1...20).map(UInt64.init))
  func `random edits behave as on a plain array`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let limits = PivotTreeLimits(
      maximumLeafCount: 4 + Int(seed % 6),
      maximumBranchCount: 4 + Int(seed % 3)
    )
    var tree = PivotTree(limits: limits)
    var model = Model()
    var snapshots: [(PivotTree, Model)] = []
    var height = 0
    for step in 0..<5_000 {
      let note: Comment = "seed \(seed) step \(step)"
      let isGrowing = step / 700 % 2 == 0
      let count = model.blocks.count
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<4:
        let block = Int.random(in: 0..<count, using: &generator)
        let rows = Int.random(in: -4...6, using: &generator)
        let isLegal = model.blocks[block].rows + rows >= 0
        let isDone = tree.add(rows, toBlock: block)
        try #require(isDone == isLegal, note)
        if isLegal { model.blocks[block].rows += rows }
      case 4:
        let first = Int.random(in: 0..<count, using: &generator)
        let pivot = Self.randomKey(&generator)
        var blocks = model.blocks
        blocks[first].pivot = pivot
        let isLegal =
          first == 0
          ? pivot.isEmpty
          : model.blocks[first - 1].pivot.lexicographicallyPrecedes(pivot)
            && (first + 1 == count || pivot.lexicographicallyPrecedes(blocks[first + 1].pivot))
        let isDone = (try? tree.replace(first..<(first + 1), with: [blocks[first]])) != nil
        try #require(isDone == isLegal, note)
        if isLegal { model.blocks = blocks }
      default:
        let first = Int.random(in: 0...count, using: &generator)
        let isWide = Int.random(in: 0..<40, using: &generator) == 0
        let width = Int.random(in: 0...(isWide ? 60 : isGrowing ? 2 : 5), using: &generator)
        let range = first..<min(count, first + width)
        let wanted = isWide ? 40 : isGrowing ? 2 : 1
        let new = Self.randomBlocks(in: model, replacing: range, upTo: wanted, &generator)
        guard range.count < count || !new.isEmpty else { continue }
        try tree.replace(range, with: new)
        model.blocks.replaceSubrange(range, with: new)
      }
      height = max(height, tree.shape.height)
      try check(tree, model, step, &generator, note)
      guard step % 100 == 0 else { continue }
      try #require(tree.blocks == model.blocks, note)
      try #require(tree.checkInvariants() == nil, note)
      snapshots.append((tree, model))
      let decoded = try PivotTree(decoding: tree.encoded(), limits: limits)
      try #require(decoded.checkInvariants() == nil, note)
      try #require(decoded.blocks == model.blocks, note)
    }
    for (snapshot, model) in snapshots {
      try #require(snapshot.blocks == model.blocks, "seed \(seed)")
      try #require(snapshot.checkInvariants() == nil, "seed \(seed)")
    }
    #expect(height >= 3, "seed \(seed)")
  }

  private func check(
    _ tree: PivotTree,
    _ model: Model,
    _ step: Int,
    _ generator: inout SeededGenerator,
    _ note: Comment
  ) throws {
    try #require(tree.blockCount == model.blocks.count, note)
    switch step % 4 {
    case 0:
      let key = Self.randomKey(&generator)
      try #require(tree.location(of: key) == model.location(of: key), note)
    case 1:
      let rowCount = model.blocks.reduce(0) { $0 + $1.rows }
      try #require(tree.rowCount == rowCount, note)
      let position = Int.random(in: -1...(rowCount + 1), using: &generator)
      try #require(
        tree.location(containing: position) == model.location(containing: position),
        note
      )
    case 2:
      let block = Int.random(in: 0..<model.blocks.count, using: &generator)
      try #require(tree.location(ofBlock: block) == model.location(block), note)
    default:
      let block = Int.random(in: 0..<model.blocks.count, using: &generator)
      try #require(tree.pivot(ofBlock: block) == model.blocks[block].pivot, note)
    }
  }
}
