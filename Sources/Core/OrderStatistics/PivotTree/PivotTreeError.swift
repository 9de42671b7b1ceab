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
