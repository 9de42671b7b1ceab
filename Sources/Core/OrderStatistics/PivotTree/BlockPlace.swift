/// Where a block of a `PivotTree` lies in its list.
public struct BlockPlace: Sendable, Hashable {
  /// The number of blocks before it.
  public var index: Int

  /// The position of its first row in the whole list; where that row would be if it has none.
  public var start: Int

  /// The number of its rows.
  public var rows: Int

  /// Its pivot: no key of the block sorts before it.
  public var lower: [UInt8]

  /// The pivot of the next block, which every key of the block sorts before; nil for the last.
  public var upper: [UInt8]?

  /// Creates a place.
  public init(index: Int, start: Int, rows: Int, lower: [UInt8], upper: [UInt8]?) {
    self.index = index
    self.start = start
    self.rows = rows
    self.lower = lower
    self.upper = upper
  }

  /// The positions of its rows in the whole list.
  public var positions: Range<Int> { start..<(start + rows) }
}
