extension PivotTree {
  /// Two little-endian numbers of four bytes: the version of the form, and the number of leaves.
  private static var headerByteCount: Int { 8 }

  /// Changes with the layout of pieces and with the standard limits.
  private static var formVersion: UInt32 { 1 }

  /// The tree as bytes, which `init(decoding:)` reads; they hold no checksum.
  ///
  /// - Complexity: O(bytes of all pivots), the time to copy them.
  public func encoded() -> [UInt8] {
    var byteCount = 0
    forEachEncodedPiece { byteCount += $0.count }
    return [UInt8](unsafeUninitializedCapacity: byteCount) { target, initializedCount in
      let target = UnsafeMutableRawBufferPointer(target)
      var offset = 0
      forEachEncodedPiece { piece in
        UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: piece)
        offset += piece.count
      }
      initializedCount = offset
    }
  }

  /// Calls a closure with the bytes of `encoded()` piece by piece, a few thousand at a time.
  ///
  /// The bytes are valid only inside the closure.
  ///
  /// - Throws: What the closure throws.
  /// - Complexity: O(number of leaves), and nothing is copied.
  public func forEachEncodedPiece<Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var leafCount: UInt32 = 0
    root.forEachLeaf { _ in leafCount += 1 }
    let header = [Self.formVersion.littleEndian, leafCount.littleEndian]
    try header.withBorrowedBytes { (header) throws(Failure) -> Void in try body(header) }
    try root.forEachLeaf { (piece) throws(Failure) -> Void in
      try piece.bytes.withBorrowedBytes { (bytes) throws(Failure) -> Void in try body(bytes) }
    }
  }

  /// Reads a tree from bytes made by `encoded()`.
  ///
  /// Any bytes are safe: what is accepted is a sound tree. Bytes that were changed into those of
  /// another sound tree are accepted too; only a checksum can tell.
  ///
  /// - Throws: `PivotTreeError.malformed`.
  /// - Complexity: O(number of bytes).
  public init(decoding bytes: UnsafeRawBufferPointer) throws(PivotTreeError) {
    try self.init(decoding: bytes, limits: .standard)
  }

  /// Reads a tree from bytes made by `encoded()`, as the form with borrowed memory does.
  ///
  /// - Throws: `PivotTreeError.malformed`.
  /// - Complexity: O(number of bytes).
  public init(decoding bytes: [UInt8]) throws(PivotTreeError) {
    try self.init(decoding: bytes, limits: .standard)
  }

  package init(decoding bytes: [UInt8], limits: PivotTreeLimits) throws(PivotTreeError) {
    self = try bytes.withBorrowedBytes { (bytes) throws(PivotTreeError) -> PivotTree in
      try PivotTree(decoding: bytes, limits: limits)
    }
  }

  private init(
    decoding bytes: UnsafeRawBufferPointer,
    limits: PivotTreeLimits
  ) throws(PivotTreeError) {
    guard bytes.count >= Self.headerByteCount,
      UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)) == Self.formVersion
    else { throw .malformed(offset: 0) }
    let leafCount = UInt32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
    )
    var offset = Self.headerByteCount
    // The number of leaves is not believed before the leaves are seen.
    let leaves = try PivotNode.leaves(
      decoding: bytes,
      at: &offset,
      atMost: Int(clamping: leafCount),
      areSeveral: leafCount != 1,
      within: limits
    )
    guard leaves.count == Int(clamping: leafCount), let first = leaves.first,
      offset == bytes.count
    else { throw .malformed(offset: offset) }
    guard first.piece.pivot(0).isEmpty else { throw .malformed(offset: Self.headerByteCount) }
    self.init(leaves: leaves, limits: limits)
  }
}
