import Synchronization

extension PivotTree {
  /// Whether a part that was read does not match its description.
  package var isDamaged: Bool { damage?.isFound ?? false }

  /// Calls a closure with each part of the tree and its bytes, for `init(parts:bytes:)`.
  ///
  /// - Complexity: O(bytes of all pivots).
  package func forEachPart(_ body: (_ part: PivotPart, _ bytes: [UInt8]) -> Void) {
    var leaves: [PackedPivots] = []
    root.forEachLeaf { leaves.append($0) }
    // A part becomes a branch; half full, it can still grow.
    for range in PivotEntries.parts(of: leaves.count, maximumCount: limits.maximumBranchCount / 2) {
      var part = PivotPart(pivot: leaves[range.lowerBound].pivot(0), blocks: 0, rows: 0)
      var bytes: [UInt8] = []
      for leaf in leaves[range] {
        part.blocks += leaf.count
        part.rows += leaf.withView { $0.sum(before: $0.count) }
        bytes += leaf.bytes
      }
      body(part, bytes)
    }
  }

  /// Reads all parts that are still deferred.
  ///
  /// - Complexity: O(bytes of all pivots).
  package func readParts() { root.forEachLeaf { _ in } }

  /// Creates a tree of parts that are read when they are first needed.
  ///
  /// - Parameters:
  ///   - parts: Descriptions of the parts, in order. They are trusted, and the bytes are checked against them.
  ///   - bytes: Returns the bytes of the part at an index, or nil if they are no longer available. It is called once per part,
  ///     from any thread.
  /// - Throws: `PivotTreeError` if the parts do not describe a tree.
  /// - Complexity: O(number of parts); a tree of a single part is read at once.
  package init(
    parts: [PivotPart],
    bytes: @escaping @Sendable (_ part: Int) -> [UInt8]?
  ) throws(PivotTreeError) {
    try self.init(parts: parts, limits: .standard, bytes: bytes)
  }

  package init(
    parts: [PivotPart],
    limits: PivotTreeLimits,
    bytes: @escaping @Sendable (_ part: Int) -> [UInt8]?
  ) throws(PivotTreeError) {
    guard parts.count != 1 else {
      self = try PivotTree(part: parts[0], bytes(0) ?? [], limits: limits)
      return
    }
    let damage = PivotDamage()
    var nodes: [PivotNode] = []
    var rowCount = 0
    for (number, part) in parts.enumerated() {
      let isAscending =
        number == 0
        ? part.pivot.isEmpty : KeyOrder.compare(parts[number - 1].pivot, part.pivot) < 0
      let (sum, isOverflow) = rowCount.addingReportingOverflow(part.rows)
      guard isAscending else { throw .unordered(position: number) }
      guard 0...Self.maximumBlockRows ~= part.rows, !isOverflow,
        1...limits.maximumBranchCount * limits.maximumLeafCount ~= part.blocks
      else { throw .rowsOutOfRange(position: number) }
      rowCount = sum
      let upper = number + 1 < parts.count ? parts[number + 1].pivot : nil
      nodes.append(
        PivotNode(
          deferred: DeferredPart(part, upper: upper, within: limits, damage: damage) {
            bytes(number)
          }
        )
      )
    }
    guard !nodes.isEmpty else { throw .firstPivotNotEmpty }
    self.init(leaves: nodes, limits: limits, damage: damage)
  }

  /// Creates a tree of a single part.
  private init(
    part: PivotPart,
    _ bytes: [UInt8],
    limits: PivotTreeLimits
  ) throws(PivotTreeError) {
    var offset = 0
    let leaves = try bytes.withBorrowedBytes { (bytes) throws(PivotTreeError) -> [PivotNode] in
      // Only a single leaf may be small; it is single if it ends with the bytes.
      let isAlone = PackedPivots.soundByteCount(at: 0, of: bytes) == bytes.count
      return try PivotNode.leaves(
        decoding: bytes,
        at: &offset,
        atMost: limits.maximumBranchCount,
        areSeveral: !isAlone,
        within: limits
      )
    }
    guard offset == bytes.count, let first = leaves.first, first.packed.pivot(0).isEmpty else {
      throw .malformed(offset: offset)
    }
    self.init(leaves: leaves, limits: limits)
    guard rowCount == part.rows, blockCount == part.blocks, part.pivot.isEmpty else {
      throw .malformed(offset: 0)
    }
  }
}

/// A description of adjacent blocks of a `PivotTree` that can be read later.
package struct PivotPart: Sendable, Hashable {
  /// The pivot of the first of the blocks.
  package var pivot: [UInt8]

  /// The number of the blocks.
  package var blocks: Int

  /// The number of rows of all the blocks.
  package var rows: Int

  /// Creates a part.
  package init(pivot: [UInt8], blocks: Int, rows: Int) {
    self.pivot = pivot
    self.blocks = blocks
    self.rows = rows
  }
}

/// A record of whether a part of a `PivotTree` could not be read; copies of a tree share it.
package final class PivotDamage: Sendable {
  private let found = Atomic(false)

  init() {}

  /// Whether such a part has been found.
  package var isFound: Bool { found.load(ordering: .acquiring) }

  func record() { found.store(true, ordering: .releasing) }
}

// MARK: - Deferred parts

/// A branch above leaves that is read when it is first needed.
///
/// Mutable state: `loaded` is set once, while `bytes` is locked; `bytes` is cleared then.
final class DeferredPart: Sendable {
  private final class Loaded: Sendable {
    let node: PivotNode

    init(_ node: PivotNode) { self.node = node }
  }

  let part: PivotPart
  /// The first pivot of the next part; nil for the last.
  private let upper: [UInt8]?
  private let limits: PivotTreeLimits
  private let damage: PivotDamage
  private let loaded = AtomicLazyReference<Loaded>()
  /// Returns the part's bytes; released as soon as they were read.
  private let bytes: Mutex<(@Sendable () -> [UInt8]?)?>

  init(
    _ part: PivotPart,
    upper: [UInt8]?,
    within limits: PivotTreeLimits,
    damage: PivotDamage,
    bytes: @escaping @Sendable () -> [UInt8]?
  ) {
    self.part = part
    self.upper = upper
    self.limits = limits
    self.damage = damage
    self.bytes = Mutex(bytes)
  }

  /// The node, if it has been read.
  var loadedNode: PivotNode? { loaded.load()?.node }

  /// The node, read now if it has not been.
  ///
  /// A damaged part is replaced by a single block with all of its rows, so that ranks and positions stay correct, but block
  /// indexes differ from the description. The damage is recorded before the node is returned.
  var node: PivotNode {
    if let loaded = loaded.load() { return loaded.node }
    return bytes.withLock { bytes in
      if let loaded = loaded.load() { return loaded.node }
      let node = bytes?().flatMap(decoded) ?? damagedNode()
      bytes = nil
      return loaded.storeIfNil(Loaded(node)).node
    }
  }

  /// The branch above the leaves that bytes encode, or nil if they do not match the part's description.
  private func decoded(_ bytes: [UInt8]) -> PivotNode? {
    let leaves = try? bytes.withBorrowedBytes { (bytes) throws(PivotTreeError) -> [PivotNode] in
      var offset = 0
      return try PivotNode.leaves(
        decoding: bytes,
        at: &offset,
        atMost: limits.maximumBranchCount,
        areSeveral: true,
        within: limits
      )
    }
    guard let leaves, let last = leaves.last,
      leaves.reduce(0, { $0 + $1.packed.bytes.count }) == bytes.count,
      leaves[0].packed.pivot(0) == part.pivot,
      upper.map({ KeyOrder.compare(last.packed.pivot(last.count - 1), $0) < 0 }) ?? true
    else { return nil }
    var entries = PivotEntries()
    for leaf in leaves { entries.append(leaf) }
    let node = PivotNode(branch: entries.packed(0..<leaves.count), children: leaves)
    let fits =
      node.rows == part.rows && node.blockCount == part.blocks && !node.isSmall(within: limits)
    return fits ? node : nil
  }

  private func damagedNode() -> PivotNode {
    damage.record()
    var entries = PivotEntries()
    part.pivot.withUnsafeBytes { entries.append($0, value: UInt32(clamping: part.rows)) }
    let leaf = PivotNode(leaf: entries.packed(0..<1))
    var above = PivotEntries()
    above.append(leaf)
    return PivotNode(branch: above.packed(0..<1), children: [leaf])
  }
}
