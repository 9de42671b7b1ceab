/// The pivots of one node with a count for each, in one flat piece of memory.
///
/// Little-endian numbers of four bytes: the number of entries, the length of the prefix all pivots
/// share, one count an entry, the end of each entry's suffix; then the bytes of the prefix and of
/// all suffixes. A leaf counts the rows of each block, a branch the blocks under each child. The
/// piece is also the encoded form of a leaf.
struct PivotPiece: Sendable {
  private(set) var bytes: [UInt8]

  /// Takes bytes that are known to be sound.
  init(verified bytes: [UInt8]) {
    self.bytes = bytes
  }

  @inline(__always)
  var count: Int { withView { $0.count } }

  @inline(__always)
  func withView<Result, Failure: Error>(
    _ body: (PivotPieceView) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withBorrowedBytes { (bytes) throws(Failure) -> Result in
      try body(PivotPieceView(bytes))
    }
  }

  /// The whole pivot of an entry.
  func pivot(_ entry: Int) -> [UInt8] {
    withView { $0.pivot(entry) }
  }

  /// Changes the count of an entry, unless it would leave the range of a block's rows.
  mutating func add(_ difference: Int, to entry: Int) -> Bool {
    let count = withView { $0.value(entry) }
    let (sum, isOverflow) = count.addingReportingOverflow(difference)
    guard !isOverflow, 0...PivotTree.maximumBlockRows ~= sum else { return false }
    let stored = UInt32(truncatingIfNeeded: sum)
    bytes.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(
        of: stored.littleEndian,
        toByteOffset: PivotPieceView.headerByteCount + 4 * entry,
        as: UInt32.self
      )
    }
    return true
  }
}
