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
