extension PivotTree {
  /// Two little-endian 32-bit integers: the format version, and the number of leaves.
  private static var headerByteCount: Int { 8 }

  /// Changes with the layout of packed pivots and with the standard limits.
  private static var formatVersion: UInt32 { 1 }

  /// Encodes the tree as bytes for `init(decoding:)`, without a checksum.
  ///
  /// - Complexity: O(bytes of all pivots), the time to copy them.
  package func encoded() -> [UInt8] {
    var byteCount = 0
    forEachEncodedChunk { byteCount += $0.count }
    return [UInt8](unsafeUninitializedCapacity: byteCount) { target, initializedCount in
      let target = UnsafeMutableRawBufferPointer(target)
      var offset = 0
      forEachEncodedChunk { chunk in
        UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: chunk)
        offset += chunk.count
      }
      initializedCount = offset
    }
  }

  /// Calls a closure with the bytes of `encoded()` in consecutive chunks of a few thousand bytes.
  ///
  /// The bytes are valid only inside the closure.
  ///
  /// - Throws: What the closure throws.
  /// - Complexity: O(number of leaves), and nothing is copied.
  package func forEachEncodedChunk<Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var leafCount: UInt32 = 0
    root.forEachLeaf { _ in leafCount += 1 }
    let header = [Self.formatVersion.littleEndian, leafCount.littleEndian]
    try header.withBorrowedBytes { (header) throws(Failure) -> Void in try body(header) }
    try root.forEachLeaf { (packed) throws(Failure) -> Void in
      try packed.bytes.withBorrowedBytes { (bytes) throws(Failure) -> Void in try body(bytes) }
    }
  }

  /// Decodes a tree from bytes made by `encoded()`.
  ///
  /// Any bytes are safe to decode: the result is a sound tree. Damaged bytes that happen to encode
  /// another sound tree are accepted; only a checksum can detect them.
  ///
  /// - Throws: `PivotTreeError.malformed`.
  /// - Complexity: O(number of bytes).
  package init(decoding bytes: UnsafeRawBufferPointer) throws(PivotTreeError) {
    try self.init(decoding: bytes, limits: .standard)
  }

  /// Decodes a tree from bytes made by `encoded()`, as the initializer with borrowed memory does.
  ///
  /// - Throws: `PivotTreeError.malformed`.
  /// - Complexity: O(number of bytes).
  package init(decoding bytes: [UInt8]) throws(PivotTreeError) {
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
      UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)) == Self.formatVersion
    else { throw .malformed(offset: 0) }
    let leafCount = UInt32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
    )
    var offset = Self.headerByteCount
    // The number of leaves is untrusted, so nothing is reserved for it.
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
    guard first.packed.pivot(0).isEmpty else { throw .malformed(offset: Self.headerByteCount) }
    self.init(leaves: leaves, limits: limits)
  }
}
