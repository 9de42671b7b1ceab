extension PivotTree {
  /// Changes the number of rows of a block by a difference, positive or negative.
  ///
  /// - Returns: False if there is no such block, or its number of rows would become negative or
  ///   exceed `maximumBlockRows`; the tree is then unchanged.
  /// - Complexity: O(log blockCount).
  @discardableResult
  public mutating func add(_ rows: Int, toBlock index: Int) -> Bool {
    guard index >= 0, index < blockCount, !rowCount.addingReportingOverflow(rows).overflow else {
      return false
    }
    return root.add(rows, toBlock: index)
  }

  /// Exchanges a range of blocks for others: splits, merges, inserts and removes blocks.
  ///
  /// An empty range inserts before the block at its bound. The new pivots must ascend strictly,
  /// after the pivot of the block before the range and before the pivot of the block after it. The
  /// first block of the tree must keep an empty pivot, and cannot be removed without another.
  ///
  /// - Throws: `PivotTreeError`, with positions that count the new blocks; the tree is then
  ///   unchanged.
  /// - Complexity: O(log blockCount + size of the range + bytes of the new blocks).
  public mutating func replace(
    _ blocks: Range<Int>,
    with new: [PivotBlock]
  ) throws(PivotTreeError) {
    guard blocks.lowerBound >= 0, blocks.upperBound <= blockCount else { throw .blocksOutOfRange }
    var previous = blocks.lowerBound == 0 ? nil : pivot(ofBlock: blocks.lowerBound - 1)
    var entries = PivotEntries()
    var rowCount = self.rowCount
    for (position, block) in new.enumerated() {
      try Self.check(block, at: position, after: previous)
      let (sum, isOverflow) = rowCount.addingReportingOverflow(block.rows)
      guard 0...Self.maximumBlockRows ~= block.rows, !isOverflow else {
        throw .rowsOutOfRange(position: position)
      }
      rowCount = sum
      let rows = UInt32(truncatingIfNeeded: block.rows)
      block.pivot.withUnsafeBytes { entries.append($0, value: rows) }
      previous = block.pivot
    }
    if blocks.upperBound < blockCount {
      guard let previous else {
        // Nothing is left before the next block: legal only if nothing was there.
        if blocks.isEmpty { return }
        throw .firstPivotNotEmpty
      }
      guard KeyOrder.compare(previous, pivot(ofBlock: blocks.upperBound)) < 0 else {
        throw .unordered(position: new.count)
      }
    } else if previous == nil {
      throw .firstPivotNotEmpty
    }
    guard !blocks.isEmpty || !new.isEmpty else { return }
    setRoot(above: root.replacing(blocks, with: entries, within: limits))
  }

  private static func check(
    _ block: PivotBlock,
    at position: Int,
    after previous: [UInt8]?
  ) throws(PivotTreeError) {
    guard block.pivot.count <= maximumPivotByteCount else {
      throw .pivotTooLong(position: position)
    }
    guard let previous else {
      guard block.pivot.isEmpty else { throw .firstPivotNotEmpty }
      return
    }
    guard KeyOrder.compare(previous, block.pivot) < 0 else {
      throw .unordered(position: position)
    }
  }
}
