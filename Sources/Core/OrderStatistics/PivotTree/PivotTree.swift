/// A counted tree over an ordered list of keys that are not held: the list's blocks and pivots.
///
/// A block is a run of consecutive keys. Of each block only the number of rows and the pivot are
/// held, so the memory is a fraction of a byte for each row. The tree answers to which block a key
/// or a position belongs, and where the block starts. Pivots are compared as bytes (`KeyOrder`).
///
/// A copy is a snapshot that shares all nodes; a change copies the nodes of one path. The leaves
/// are flat pieces of memory, in which pivots share their common prefix.
public struct PivotTree: Sendable {
  var root: PivotNode
  let limits: PivotTreeLimits

  /// The longest pivot a tree takes, in bytes.
  public static let maximumPivotByteCount = 1 << 23

  /// The most rows a block can have.
  public static let maximumBlockRows = Int(Int32.max)

  /// The number of blocks; at least 1.
  ///
  /// - Complexity: O(1).
  public private(set) var blockCount: Int

  /// Where it is noted that a part could not be read; nil for a tree that was not made of parts.
  var partDamage: PivotDamage?

  /// Creates a tree of one block without rows.
  public init() {
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
  public init(_ blocks: some Sequence<PivotBlock>) throws(PivotTreeError) {
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
  init(leaves: [PivotNode], limits: PivotTreeLimits) {
    root = PivotNode.root(above: leaves, maximumCount: limits.maximumBranchCount)
    blockCount = root.blockCount
    self.limits = limits
  }

  /// The number of rows of all blocks.
  ///
  /// - Complexity: O(1).
  public var rowCount: Int { root.rows }

  /// Exchanges the root for the one above nodes of one height.
  mutating func setRoot(above nodes: [PivotNode]) {
    root = PivotNode.root(above: nodes, maximumCount: limits.maximumBranchCount)
    blockCount = root.blockCount
  }
}

// MARK: - Search

extension PivotTree {
  /// The block whose run a key belongs to: the last one whose pivot is not after it.
  ///
  /// - Complexity: O(log blockCount).
  public func place(of key: UnsafeRawBufferPointer) -> BlockPlace {
    root.place(of: .key(key))
  }

  /// The block whose run a key belongs to: the last one whose pivot is not after it.
  ///
  /// - Complexity: O(log blockCount).
  public func place(of key: [UInt8]) -> BlockPlace {
    key.withUnsafeBytes { place(of: $0) }
  }

  /// The block that holds the row at a position of the whole list.
  ///
  /// - Returns: Nil if the position is negative or not below `rowCount`.
  /// - Complexity: O(log blockCount).
  public func place(containing position: Int) -> BlockPlace? {
    guard position >= 0, position < rowCount else { return nil }
    return root.place(of: .position(position))
  }

  /// The place of the block with an index.
  ///
  /// - Precondition: `0 <= index < blockCount`.
  /// - Complexity: O(log blockCount).
  public func place(ofBlock index: Int) -> BlockPlace {
    precondition(index >= 0 && index < blockCount, "block out of range")
    return root.place(of: .block(index))
  }

  /// The pivot of the block with an index.
  ///
  /// - Precondition: `0 <= index < blockCount`.
  /// - Complexity: O(log blockCount).
  public func pivot(ofBlock index: Int) -> [UInt8] {
    precondition(index >= 0 && index < blockCount, "block out of range")
    return root.pivot(ofBlock: index)
  }

  /// Calls a closure with every block and the position of its first row, in order.
  ///
  /// - Complexity: O(bytes of all pivots).
  public func forEachBlock<Failure: Error>(
    _ body: (_ block: PivotBlock, _ start: Int) throws(Failure) -> Void
  ) throws(Failure) {
    var start = 0
    try root.forEachLeaf { (piece) throws(Failure) -> Void in
      try piece.withView { (view) throws(Failure) -> Void in
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
  public mutating func add(_ rows: Int, toBlock index: Int) -> Bool {
    guard index >= 0, index < blockCount, !rowCount.addingReportingOverflow(rows).overflow else {
      return false
    }
    return root.add(rows, toBlock: index)
  }

  /// Exchanges a range of blocks for others: splits, merges, inserts and removes blocks.
  ///
  /// An empty range inserts before the block at its bound. The new pivots must ascend strictly,
  /// after the pivot of the block before the range and before the pivot of the block after it. The
  /// first block of the tree must keep an empty pivot, and cannot be removed without another.
  ///
  /// - Throws: `PivotTreeError`, with positions that count the new blocks; the tree is then
  ///   unchanged.
  /// - Complexity: O(log blockCount + size of the range + bytes of the new blocks).
  public mutating func replace(
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
        // Nothing is left before the next block: legal only if nothing was there.
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
  /// The first block begins with the list. The pivot at position `n` of the batch stands before the
  /// row at position `(n + 1) * stride` and not before the row above that: every block has `stride`
  /// rows, the last one has the rest.
  ///
  /// - Throws: `PivotTreeError.rowsOutOfRange` if there are fewer rows than the pivots ask for or
  ///   the stride is not positive, `.unordered` if pivots do not ascend strictly; positions count
  ///   blocks.
  /// - Complexity: O(number of bytes).
  public static func sampled(
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

/// Builds a `PivotTree` from blocks in order, without holding them twice.
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
      // A leaf is cut only before the next entry comes, so the last pivot is always at hand.
      guard entries.withPivot(entries.count - 1, { KeyOrder.compare($0, pivot) < 0 }) else {
        throw .unordered(position: count)
      }
      if entries.count == limits.targetCount(isLeaf: true) { cut() }
    }
    entries.append(pivot, value: UInt32(truncatingIfNeeded: rows))
    count += 1
    rowCount = sum
  }

  private mutating func cut() {
    leaves.append(PivotNode(leaf: entries.piece(0..<entries.count)))
    entries.removeAll()
  }

  mutating func finish() throws(PivotTreeError) -> PivotTree {
    guard count > 0 else { throw .firstPivotNotEmpty }
    cut()
    let tail = PivotNode.mended(Array(leaves.suffix(2)), within: limits)
    leaves.replaceSubrange(max(0, leaves.count - 2)..., with: tail)
    return PivotTree(leaves: leaves, limits: limits)
  }
}

// MARK: - Limits

/// How many entries the nodes of a `PivotTree` may hold.
///
/// Copying a leaf copies plain bytes, copying a branch counts a reference for each child: so leaves
/// may be larger.
package struct PivotTreeLimits: Sendable, Hashable {
  /// No leaf holds more blocks.
  package let maximumLeafCount: Int

  /// No branch holds more children.
  package let maximumBranchCount: Int

  /// Creates limits.
  ///
  /// - Precondition: Both are at least 4.
  package init(maximumLeafCount: Int, maximumBranchCount: Int) {
    precondition(maximumLeafCount >= 4 && maximumBranchCount >= 4, "node limits too small")
    self.maximumLeafCount = maximumLeafCount
    self.maximumBranchCount = maximumBranchCount
  }

  /// The limits every tree has unless a test asks for smaller ones.
  package static let standard = PivotTreeLimits(maximumLeafCount: 128, maximumBranchCount: 32)

  func maximumCount(isLeaf: Bool) -> Int { isLeaf ? maximumLeafCount : maximumBranchCount }

  /// A node other than the root with fewer entries is merged with a neighbour.
  func minimumCount(isLeaf: Bool) -> Int { max(2, maximumCount(isLeaf: isLeaf) / 4) }

  /// Bulk building fills nodes to three quarters, to leave room for splits.
  func targetCount(isLeaf: Bool) -> Int { maximumCount(isLeaf: isLeaf) * 3 / 4 }
}

// MARK: - Errors

/// Why blocks do not make up a `PivotTree`.
public enum PivotTreeError: Error, Hashable, Sendable {
  /// The first block of a list is missing, or its pivot is not empty.
  case firstPivotNotEmpty

  /// A pivot does not sort after the pivot before it.
  ///
  /// The position counts the blocks handed in; it is their number if the last of them does not
  /// sort before the block that follows.
  case unordered(position: Int)

  /// A number of rows is negative or too large for a block.
  case rowsOutOfRange(position: Int)

  /// A pivot is longer than `PivotTree.maximumPivotByteCount`.
  case pivotTooLong(position: Int)

  /// A range of blocks is not in the tree.
  case blocksOutOfRange

  /// Encoded bytes are damaged or of another version; the offset is that of the damaged piece.
  case malformed(offset: Int)
}
