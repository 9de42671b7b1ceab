/// A counted B-tree over an ordered list of keys that are not stored, only their blocks and pivots.
///
/// A block is a run of consecutive keys. The tree stores the number of rows and the pivot of each
/// block, so it needs a fraction of a byte for each row. It finds the block that a key or a position
/// belongs to, and where the block starts. Pivots are compared as bytes (`KeyOrder`).
///
/// A copy is a snapshot that shares all nodes; a change copies the nodes of one path. A leaf is one
/// flat array of bytes, in which pivots share their common prefix.
package struct PivotTree: Sendable {
  private(set) var root: PivotNode
  let limits: PivotTreeLimits

  /// The largest length of a pivot in bytes.
  package static let maximumPivotByteCount = 1 << 23

  /// The largest number of rows in a block.
  package static let maximumBlockRows = Int(Int32.max)

  /// The number of blocks; at least 1.
  ///
  /// - Complexity: O(1).
  package private(set) var blockCount: Int

  /// A record of damaged parts that also covers parts read later; nil for a tree that was not created from parts.
  ///
  /// Ranks and positions stay correct in spite of damage, but block indexes do not: rebuild a damaged tree before editing it, and
  /// discard the result of an edit that met damage.
  package let damage: PivotDamage?

  /// Creates a tree of one block without rows.
  package init() {
    self.init(limits: .standard)
  }

  package init(limits: PivotTreeLimits) {
    var entries = PivotEntries()
    entries.append(UnsafeRawBufferPointer(start: nil, count: 0), value: 0)
    self.init(leaves: PivotNode.leaves(entries, within: limits), limits: limits)
  }

  /// Creates a tree of blocks with strictly ascending pivots, the first of which is empty.
  ///
  /// - Throws: `PivotTreeError` for the first offending block.
  /// - Complexity: O(number of bytes).
  package init(_ blocks: some Sequence<PivotBlock>) throws(PivotTreeError) {
    try self.init(blocks, limits: .standard)
  }

  package init(
    _ blocks: some Sequence<PivotBlock>,
    limits: PivotTreeLimits
  ) throws(PivotTreeError) {
    var builder = PivotTreeBuilder(limits: limits)
    for block in blocks {
      try block.pivot.withBorrowedBytes { (pivot) throws(PivotTreeError) -> Void in
        try builder.append(pivot, rows: block.rows)
      }
    }
    self = try builder.finish()
  }

  /// - Precondition: There is at least one leaf, and all are sound; or they are nodes of one height.
  init(leaves: [PivotNode], limits: PivotTreeLimits, damage: PivotDamage? = nil) {
    root = PivotNode.root(above: leaves, maximumCount: limits.maximumBranchCount)
    blockCount = root.blockCount
    self.limits = limits
    self.damage = damage
  }

  /// The number of rows of all blocks.
  ///
  /// - Complexity: O(1).
  package var rowCount: Int { root.rows }

  /// Replaces the root with one above nodes of equal height.
  private mutating func setRoot(above nodes: [PivotNode]) {
    root = PivotNode.root(above: nodes, maximumCount: limits.maximumBranchCount)
    blockCount = root.blockCount
  }
}

// MARK: - Search

extension PivotTree {
  /// The block that a key belongs to: the last one whose pivot is not greater than the key.
  ///
  /// - Complexity: O(log blockCount).
  package func location(of key: UnsafeRawBufferPointer) -> BlockLocation {
    root.location(of: .key(key))
  }

  /// The block that a key belongs to: the last one whose pivot is not greater than the key.
  ///
  /// - Complexity: O(log blockCount).
  package func location(of key: [UInt8]) -> BlockLocation {
    key.withUnsafeBytes { location(of: $0) }
  }

  /// The block that holds the row at a position of the whole list.
  ///
  /// - Parameters:
  ///   - position: The position.
  ///   - isBounded: Whether the upper bound is needed; without it, it is nil for every block.
  /// - Returns: Nil if the position is negative or not below `rowCount`.
  /// - Complexity: O(log blockCount).
  package func location(
    containing position: Int,
    isBounded: Bool = true
  ) -> BlockLocation? {
    guard position >= 0, position < rowCount else { return nil }
    return root.location(of: .position(position), isBounded: isBounded)
  }

  /// The location of the block at an index.
  ///
  /// - Precondition: `0 <= index < blockCount`.
  /// - Complexity: O(log blockCount).
  package func location(ofBlock index: Int) -> BlockLocation {
    precondition(index >= 0 && index < blockCount, "block out of range")
    return root.location(of: .block(index))
  }

  /// The pivot of the block at an index.
  ///
  /// - Precondition: `0 <= index < blockCount`.
  /// - Complexity: O(log blockCount).
  package func pivot(ofBlock index: Int) -> [UInt8] {
    precondition(index >= 0 && index < blockCount, "block out of range")
    return root.pivot(ofBlock: index)
  }

  /// Calls a closure with every block and the position of its first row, in order.
  ///
  /// - Complexity: O(bytes of all pivots).
  package func forEachBlock<Failure: Error>(
    _ body: (_ block: PivotBlock, _ start: Int) throws(Failure) -> Void
  ) throws(Failure) {
    var start = 0
    try root.forEachLeaf { (packed) throws(Failure) -> Void in
      try packed.withView { (view) throws(Failure) -> Void in
        for entry in 0..<view.count {
          let rows = view.value(entry)
          try body(PivotBlock(pivot: view.pivot(entry), rows: rows), start)
          start += rows
        }
      }
    }
  }
}

// MARK: - Edits

extension PivotTree {
  /// Changes the number of rows of a block by a difference, positive or negative.
  ///
  /// - Returns: False if there is no such block, or its number of rows would become negative or
  ///   exceed `maximumBlockRows`; the tree is then unchanged.
  /// - Complexity: O(log blockCount).
  @discardableResult
  package mutating func add(_ rows: Int, toBlock index: Int) -> Bool {
    guard index >= 0, index < blockCount, !rowCount.addingReportingOverflow(rows).overflow else {
      return false
    }
    return root.add(rows, toBlock: index)
  }

  /// Replaces a range of blocks, which can split, merge, insert or remove blocks.
  ///
  /// An empty range inserts before the block at its bound. The new pivots must ascend strictly,
  /// after the pivot of the block before the range and before the pivot of the block after it. The
  /// first block of the tree must have an empty pivot and cannot be removed without a replacement.
  ///
  /// - Throws: `PivotTreeError`, with positions that index `new`; the tree is then unchanged.
  /// - Complexity: O(log blockCount + size of the range + bytes of the new blocks).
  package mutating func replace(
    _ blocks: Range<Int>,
    with new: [PivotBlock]
  ) throws(PivotTreeError) {
    guard blocks.lowerBound >= 0, blocks.upperBound <= blockCount else { throw .blocksOutOfRange }
    var previous = blocks.lowerBound == 0 ? nil : pivot(ofBlock: blocks.lowerBound - 1)
    var entries = PivotEntries()
    var rowCount = self.rowCount
    for (position, block) in new.enumerated() {
      try Self.check(block, at: position, after: previous)
      let (sum, isOverflow) = rowCount.addingReportingOverflow(block.rows)
      guard 0...Self.maximumBlockRows ~= block.rows, !isOverflow else {
        throw .rowsOutOfRange(position: position)
      }
      rowCount = sum
      let rows = UInt32(truncatingIfNeeded: block.rows)
      block.pivot.withUnsafeBytes { entries.append($0, value: rows) }
      previous = block.pivot
    }
    if blocks.upperBound < blockCount {
      guard let previous else {
        // No block is left before the next one: allowed only if there was none.
        if blocks.isEmpty { return }
        throw .firstPivotNotEmpty
      }
      guard KeyOrder.compare(previous, pivot(ofBlock: blocks.upperBound)) < 0 else {
        throw .unordered(position: new.count)
      }
    } else if previous == nil {
      throw .firstPivotNotEmpty
    }
    guard !blocks.isEmpty || !new.isEmpty else { return }
    setRoot(above: root.replacing(blocks, with: entries, within: limits))
  }

  private static func check(
    _ block: PivotBlock,
    at position: Int,
    after previous: [UInt8]?
  ) throws(PivotTreeError) {
    guard block.pivot.count <= maximumPivotByteCount else {
      throw .pivotTooLong(position: position)
    }
    guard let previous else {
      guard block.pivot.isEmpty else { throw .firstPivotNotEmpty }
      return
    }
    guard KeyOrder.compare(previous, block.pivot) < 0 else {
      throw .unordered(position: position)
    }
  }
}

// MARK: - Building

extension PivotTree {
  /// Creates a tree from pivots sampled at equal distances.
  ///
  /// The first block begins with the list. The pivot at position `n` of the batch separates the row
  /// at position `(n + 1) * stride` from the row before it: every block has `stride` rows, and the
  /// last one has the rest.
  ///
  /// - Throws: `PivotTreeError.rowsOutOfRange` if there are fewer rows than the pivots imply or the
  ///   stride is not positive, `.unordered` if pivots do not ascend strictly; positions index blocks.
  /// - Complexity: O(number of bytes).
  package static func sampled(
    _ pivots: KeyBatch,
    every stride: Int,
    rowCount: Int
  ) throws(PivotTreeError) -> PivotTree {
    guard stride > 0 else { throw .rowsOutOfRange(position: 0) }
    let (sampledRows, isOverflow) = stride.multipliedReportingOverflow(by: pivots.count)
    guard !isOverflow, rowCount >= sampledRows else {
      throw .rowsOutOfRange(position: pivots.count)
    }
    var builder = PivotTreeBuilder(limits: .standard)
    try pivots.withFlatKeys { (keys) throws(PivotTreeError) -> Void in
      var pivot = UnsafeRawBufferPointer(start: nil, count: 0)
      for position in 0..<keys.count {
        try builder.append(pivot, rows: stride)
        pivot = keys[position]
      }
      try builder.append(pivot, rows: rowCount - sampledRows)
    }
    return try builder.finish()
  }
}

/// Builds a `PivotTree` from blocks in order, without storing them twice.
struct PivotTreeBuilder {
  private let limits: PivotTreeLimits
  private var leaves: [PivotNode] = []
  private var entries = PivotEntries()
  private var count = 0
  private var rowCount = 0

  init(limits: PivotTreeLimits) {
    self.limits = limits
  }

  mutating func append(_ pivot: UnsafeRawBufferPointer, rows: Int) throws(PivotTreeError) {
    guard pivot.count <= PivotTree.maximumPivotByteCount else {
      throw .pivotTooLong(position: count)
    }
    let (sum, isOverflow) = rowCount.addingReportingOverflow(rows)
    guard 0...PivotTree.maximumBlockRows ~= rows, !isOverflow else {
      throw .rowsOutOfRange(position: count)
    }
    if count == 0 {
      guard pivot.isEmpty else { throw .firstPivotNotEmpty }
    } else {
      // A leaf is finished only when the next entry arrives, so the last pivot is always available.
      guard entries.withPivot(entries.count - 1, { KeyOrder.compare($0, pivot) < 0 }) else {
        throw .unordered(position: count)
      }
      if entries.count == limits.targetCount(isLeaf: true) { finishLeaf() }
    }
    entries.append(pivot, value: UInt32(truncatingIfNeeded: rows))
    count += 1
    rowCount = sum
  }

  private mutating func finishLeaf() {
    leaves.append(PivotNode(leaf: entries.packed(0..<entries.count)))
    entries.removeAll()
  }

  mutating func finish() throws(PivotTreeError) -> PivotTree {
    guard count > 0 else { throw .firstPivotNotEmpty }
    finishLeaf()
    let tail = PivotNode.balanced(Array(leaves.suffix(2)), within: limits)
    leaves.replaceSubrange(max(0, leaves.count - 2)..., with: tail)
    return PivotTree(leaves: leaves, limits: limits)
  }
}

// MARK: - Limits

/// How many entries the nodes of a `PivotTree` may hold.
///
/// Copying a leaf copies plain bytes, while copying a branch retains every child: so leaves may be
/// larger.
package struct PivotTreeLimits: Sendable, Hashable {
  /// The largest number of blocks in a leaf.
  package let maximumLeafCount: Int

  /// The largest number of children of a branch.
  package let maximumBranchCount: Int

  /// Creates limits.
  ///
  /// - Precondition: Both are at least 4.
  package init(maximumLeafCount: Int, maximumBranchCount: Int) {
    precondition(maximumLeafCount >= 4 && maximumBranchCount >= 4, "node limits too small")
    self.maximumLeafCount = maximumLeafCount
    self.maximumBranchCount = maximumBranchCount
  }

  /// The limits of every tree, except in tests.
  package static let standard = PivotTreeLimits(maximumLeafCount: 128, maximumBranchCount: 32)

  func maximumCount(isLeaf: Bool) -> Int { isLeaf ? maximumLeafCount : maximumBranchCount }

  /// A node other than the root with fewer entries is merged with a neighbour.
  func minimumCount(isLeaf: Bool) -> Int { max(2, maximumCount(isLeaf: isLeaf) / 4) }

  /// Bulk building fills nodes to three quarters and leaves room for insertions.
  func targetCount(isLeaf: Bool) -> Int { maximumCount(isLeaf: isLeaf) * 3 / 4 }
}

// MARK: - Errors

/// An error about blocks or bytes that are not a valid `PivotTree`.
package enum PivotTreeError: Error, Hashable, Sendable {
  /// The first block of a list is missing, or its pivot is not empty.
  case firstPivotNotEmpty

  /// A pivot does not sort after the pivot before it.
  ///
  /// The position indexes the given blocks; it is their count if the last of them does not sort
  /// before the block that follows.
  case unordered(position: Int)

  /// A number of rows is negative or too large for a block.
  case rowsOutOfRange(position: Int)

  /// A pivot is longer than `PivotTree.maximumPivotByteCount`.
  case pivotTooLong(position: Int)

  /// A range of blocks is not in the tree.
  case blocksOutOfRange

  /// Encoded bytes are damaged or of another version; the offset is that of the damaged leaf.
  case malformed(offset: Int)
}
