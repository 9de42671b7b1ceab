/// A run of consecutive keys of an ordered list that are not held themselves.
public struct PivotBlock: Sendable, Hashable {
  /// The bytes that separate the run from the one before it.
  ///
  /// They are not after any key of the run, and after every key of the run before it. They are
  /// empty for the first run of a list.
  public var pivot: [UInt8]

  /// The number of keys in the run.
  public var rows: Int

  /// Creates a block.
  public init(pivot: [UInt8], rows: Int) {
    self.pivot = pivot
    self.rows = rows
  }
}

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

/// Where a block of a `PivotTree` lies in its list, without the pivots around it.
public struct BlockSpan: Sendable, Hashable {
  /// The number of blocks before it.
  public var index: Int

  /// The positions of its rows in the whole list.
  public var positions: Range<Int>
}

extension PivotTree {
  /// The block whose run a key belongs to: the last one whose pivot is not after it.
  ///
  /// - Complexity: O(log blockCount), and nothing is allocated.
  public func span(of key: UnsafeRawBufferPointer) -> BlockSpan { root.span(of: .key(key)) }

  /// The block whose run a key belongs to: the last one whose pivot is not after it.
  ///
  /// - Complexity: O(log blockCount), and nothing is allocated.
  public func span(of key: [UInt8]) -> BlockSpan { key.withUnsafeBytes { span(of: $0) } }

  /// The positions of the block with an index.
  ///
  /// - Precondition: `0 <= index < blockCount`.
  /// - Complexity: O(log blockCount), and nothing is allocated.
  public func span(ofBlock index: Int) -> BlockSpan {
    precondition(index >= 0 && index < blockCount, "block out of range")
    return root.span(of: .block(index))
  }
}
