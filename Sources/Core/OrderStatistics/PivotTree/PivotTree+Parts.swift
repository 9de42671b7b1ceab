import Synchronization

extension PivotTree {
  /// Whether parts were found not to be what they were, and what was found later.
  ///
  /// Ranks and positions are right all the same, but the numbers of blocks are not: a tree that came from damaged parts
  /// is to be made anew before it is edited, and what an edit came to is not to be used. Nil for a tree that was not made of parts.
  public var damage: PivotDamage? { partDamage }

  /// Whether a part was found not to be what it was.
  public var isDamaged: Bool { partDamage?.isFound ?? false }

  /// Calls a closure with the tree part by part, each with its bytes, for `init(parts:bytes:)`.
  ///
  /// - Complexity: O(bytes of all pivots).
  public func forEachPart(_ body: (_ part: PivotPart, _ bytes: [UInt8]) -> Void) {
    var leaves: [PivotPiece] = []
    root.forEachLeaf { leaves.append($0) }
    // Half full, as a branch of their own that can still grow.
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

  /// Reads all parts that have not been read.
  ///
  /// - Complexity: O(bytes of all pivots).
  public func readParts() { root.forEachLeaf { _ in } }

  /// Creates a tree of parts that are read when they are first needed.
  ///
  /// - Parameters:
  ///   - parts: What is known of the parts, in order. Their bytes are compared with it, but it is believed itself.
  ///   - bytes: Gives the bytes of the part with a number, or nil if they cannot be had any more. It is called once a part, from
  ///     any thread.
  /// - Throws: `PivotTreeError` if the parts cannot be those of a tree.
  /// - Complexity: O(number of parts); a tree of a single part is read at once.
  public init(
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
    self.init(leaves: nodes, limits: limits)
    partDamage = damage
  }

  /// Creates a tree of a single part.
  private init(
    part: PivotPart,
    _ bytes: [UInt8],
    limits: PivotTreeLimits
  ) throws(PivotTreeError) {
    var offset = 0
    let leaves = try bytes.withBorrowedBytes { (bytes) throws(PivotTreeError) -> [PivotNode] in
      // Whether a small leaf is alone shows at its end.
      let isAlone = PivotPiece.soundByteCount(at: 0, of: bytes) == bytes.count
      return try PivotNode.leaves(
        decoding: bytes,
        at: &offset,
        atMost: limits.maximumBranchCount,
        areSeveral: !isAlone,
        within: limits
      )
    }
    guard offset == bytes.count, let first = leaves.first, first.piece.pivot(0).isEmpty else {
      throw .malformed(offset: offset)
    }
    self.init(leaves: leaves, limits: limits)
    guard rowCount == part.rows, blockCount == part.blocks, part.pivot.isEmpty else {
      throw .malformed(offset: 0)
    }
  }
}

/// What is known of some neighbouring blocks of a `PivotTree` before they are read.
public struct PivotPart: Sendable, Hashable {
  /// The pivot of the first of the blocks.
  public var pivot: [UInt8]

  /// The number of the blocks.
  public var blocks: Int

  /// The number of rows of all the blocks.
  public var rows: Int

  /// Creates a part.
  public init(pivot: [UInt8], blocks: Int, rows: Int) {
    self.pivot = pivot
    self.blocks = blocks
    self.rows = rows
  }
}

/// Whether a part of a `PivotTree` could not be read when it was needed; trees made from one another share it.
public final class PivotDamage: Sendable {
  private let found = Atomic(false)

  init() {}

  /// Whether such a part was met so far.
  public var isFound: Bool { found.load(ordering: .acquiring) }

  func note() { found.store(true, ordering: .releasing) }
}

// MARK: - Deferred parts

/// A branch above leaves that is read when it is first needed.
final class DeferredPart: Sendable {
  private final class Read: Sendable {
    let node: PivotNode

    init(_ node: PivotNode) { self.node = node }
  }

  let part: PivotPart
  /// The first pivot of the next part; nil for the last.
  private let upper: [UInt8]?
  private let limits: PivotTreeLimits
  private let damage: PivotDamage
  private let read = AtomicLazyReference<Read>()
  /// Gives the part's bytes; it is let go with what it holds as soon as they were given.
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

  /// The node, if it was read before.
  var known: PivotNode? { read.load()?.node }

  /// The node, which is read if it has not been.
  ///
  /// In place of a part that is not what it was there is a single block with all of its rows: so ranks and positions stay right,
  /// but blocks have other numbers than were told. The damage is noted before anybody sees that.
  var node: PivotNode {
    if let read = read.load() { return read.node }
    return bytes.withLock { bytes in
      if let read = read.load() { return read.node }
      let node = bytes?().flatMap(decoded) ?? single
      bytes = nil
      return read.storeIfNil(Read(node)).node
    }
  }

  /// The branch above the leaves that some bytes hold, if they fit what is known of the part.
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
      leaves.reduce(0, { $0 + $1.piece.bytes.count }) == bytes.count,
      leaves[0].piece.pivot(0) == part.pivot,
      upper.map({ KeyOrder.compare(last.piece.pivot(last.count - 1), $0) < 0 }) ?? true
    else { return nil }
    var entries = PivotEntries()
    for leaf in leaves { entries.append(leaf) }
    let node = PivotNode(branch: entries.piece(0..<leaves.count), children: leaves)
    let fits =
      node.rows == part.rows && node.blockCount == part.blocks && !node.isSmall(within: limits)
    return fits ? node : nil
  }

  private var single: PivotNode {
    damage.note()
    var entries = PivotEntries()
    part.pivot.withUnsafeBytes { entries.append($0, value: UInt32(clamping: part.rows)) }
    let leaf = PivotNode(leaf: entries.piece(0..<1))
    var above = PivotEntries()
    above.append(leaf)
    return PivotNode(branch: above.piece(0..<1), children: [leaf])
  }
}
