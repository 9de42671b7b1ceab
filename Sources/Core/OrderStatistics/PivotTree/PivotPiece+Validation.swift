extension PivotPiece {
  /// Looks at bytes from outside as a piece.
  ///
  /// Nothing about the bytes is taken for granted. A sound piece has at least one entry, pivots
  /// that ascend strictly, and the longest prefix they share.
  ///
  /// - Returns: The length of the piece that begins at the offset, or nil if there is no sound one.
  /// - Precondition: `0 <= offset <= bytes.count`.
  static func soundByteCount(at offset: Int, of bytes: UnsafeRawBufferPointer) -> Int? {
    let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
    guard rest.count >= PivotPieceView.headerByteCount else { return nil }
    let count = number(rest, 0)
    let pivotOffset =
      Int64(PivotPieceView.headerByteCount) + Int64(PivotPieceView.entryByteCount) * count
    guard count > 0, pivotOffset <= rest.count else { return nil }
    let lastEnd = number(rest, Int(pivotOffset) - 4)
    let byteCount = pivotOffset + number(rest, 4) + lastEnd
    guard byteCount <= rest.count else { return nil }
    return isSound(PivotPieceView(rest), lastEnd: Int(lastEnd)) ? Int(byteCount) : nil
  }

  /// Whether the entries are sound, given that as many and as many bytes of pivots are there.
  private static func isSound(_ view: PivotPieceView, lastEnd: Int) -> Bool {
    let count = view.count
    guard count > 1 || view.prefixCount == 0 else { return false }
    var start = 0
    for entry in 0..<count {
      let end = view.end(entry)
      guard end >= start, end <= lastEnd,
        view.prefixCount + end - start <= PivotTree.maximumPivotByteCount,
        0...PivotTree.maximumBlockRows ~= view.value(entry)
      else { return false }
      start = end
    }
    for entry in 1..<max(1, count) {
      guard KeyOrder.compare(view.suffix(entry - 1), view.suffix(entry)) < 0 else { return false }
    }
    return count == 1 || !sharesFirstByte(view.suffix(0), view.suffix(count - 1))
  }

  private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int64 {
    Int64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
  }

  private static func sharesFirstByte(
    _ left: UnsafeRawBufferPointer,
    _ right: UnsafeRawBufferPointer
  ) -> Bool {
    guard let leftByte = left.first, let rightByte = right.first else { return false }
    return leftByte == rightByte
  }
}
