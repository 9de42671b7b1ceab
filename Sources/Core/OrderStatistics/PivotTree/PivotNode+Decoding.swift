extension PivotNode {
  /// Reads leaves that follow each other from an offset on, up to a number of them or the end of the bytes.
  ///
  /// Any bytes are safe: what comes back are sound leaves, in order, and the offset is where the last one ends. If they are
  /// of a tree with several leaves, none may be small.
  ///
  /// - Throws: `PivotTreeError.malformed`.
  static func leaves(
    decoding bytes: UnsafeRawBufferPointer,
    at offset: inout Int,
    atMost limit: Int,
    areSeveral: Bool,
    within limits: PivotTreeLimits
  ) throws(PivotTreeError) -> [PivotNode] {
    var leaves: [PivotNode] = []
    var rowCount: Int64 = 0
    while leaves.count < limit, offset < bytes.count {
      guard let byteCount = PivotPiece.soundByteCount(at: offset, of: bytes) else {
        throw .malformed(offset: offset)
      }
      let slice = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + byteCount)])
      let leaf = PivotNode(leaf: PivotPiece(verified: Array(slice)))
      guard leaf.count <= limits.maximumLeafCount,
        !areSeveral || !leaf.isSmall(within: limits),
        leaf.follows(leaves.last)
      else { throw .malformed(offset: offset) }
      rowCount += leaf.piece.withView { view in
        (0..<view.count).reduce(0) { $0 + Int64(view.value($1)) }
      }
      guard rowCount <= Int.max else { throw .malformed(offset: offset) }
      leaves.append(leaf)
      offset += byteCount
    }
    return leaves
  }

  private func follows(_ previous: PivotNode?) -> Bool {
    guard let previous else { return true }
    return KeyOrder.compare(previous.piece.pivot(previous.count - 1), piece.pivot(0)) < 0
  }
}
