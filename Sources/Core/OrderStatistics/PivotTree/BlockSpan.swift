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
