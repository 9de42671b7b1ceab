import Synchronization

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
