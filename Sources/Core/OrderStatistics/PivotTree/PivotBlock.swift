/// A run of consecutive keys of an ordered list that are counted, not stored.
package struct PivotBlock: Sendable, Hashable {
  /// The bytes that separate the run from the run before it.
  ///
  /// They sort after every key of the previous run and not after any key of this one. They are
  /// empty for the first run of a list.
  package var pivot: [UInt8]

  /// The number of keys in the run.
  package var rows: Int

  /// Creates a block.
  package init(pivot: [UInt8], rows: Int) {
    self.pivot = pivot
    self.rows = rows
  }
}

/// The location of a block of a `PivotTree` in its list: its index, its positions and its bounds.
package struct BlockLocation: Sendable, Hashable {
  /// The number of blocks before it.
  package var index: Int

  /// The position of its first row in the whole list, or of the next row if it has none.
  package var start: Int

  /// The number of its rows.
  package var rows: Int

  /// Its pivot, an inclusive lower bound of its keys.
  package var lower: [UInt8]

  /// The pivot of the next block, an exclusive upper bound of its keys; nil for the last block.
  package var upper: [UInt8]?

  /// Creates a location.
  package init(index: Int, start: Int, rows: Int, lower: [UInt8], upper: [UInt8]?) {
    self.index = index
    self.start = start
    self.rows = rows
    self.lower = lower
    self.upper = upper
  }

  /// The positions of its rows in the whole list.
  package var positions: Range<Int> { start..<(start + rows) }
}

/// The location of a block of a `PivotTree` in its list, without its bounds.
package struct BlockSpan: Sendable, Hashable {
  /// The number of blocks before it.
  package var index: Int

  /// The positions of its rows in the whole list.
  package var positions: Range<Int>
}

extension PivotTree {
  /// The block that a key belongs to: the last one whose pivot is not greater than the key.
  ///
  /// - Complexity: O(log blockCount), and nothing is allocated.
  package func span(of key: UnsafeRawBufferPointer) -> BlockSpan { root.span(of: .key(key)) }

  /// The block that a key belongs to: the last one whose pivot is not greater than the key.
  ///
  /// - Complexity: O(log blockCount), and nothing is allocated.
  package func span(of key: [UInt8]) -> BlockSpan { key.withUnsafeBytes { span(of: $0) } }

  /// The block that begins with some bytes, or the block that they belong to if none does.
  ///
  /// - Complexity: O(log blockCount), and nothing is allocated.
  package func span(beginningWith bytes: [UInt8]) -> (span: BlockSpan, isPivot: Bool) {
    bytes.withUnsafeBytes { root.span(beginningWith: $0) }
  }

  /// The positions of the block at an index.
  ///
  /// - Precondition: `0 <= index < blockCount`.
  /// - Complexity: O(log blockCount), and nothing is allocated.
  package func span(ofBlock index: Int) -> BlockSpan {
    precondition(index >= 0 && index < blockCount, "block out of range")
    return root.span(of: .block(index))
  }
}
