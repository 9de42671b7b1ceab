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
