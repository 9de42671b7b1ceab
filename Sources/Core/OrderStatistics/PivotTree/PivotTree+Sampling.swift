extension PivotTree {
  /// Creates a tree from pivots sampled at equal distances.
  ///
  /// The first block begins with the list. The pivot at position `n` of the batch stands before the
  /// row at position `(n + 1) * stride` and not before the row above that: every block has `stride`
  /// rows, the last one has the rest.
  ///
  /// - Throws: `PivotTreeError.rowsOutOfRange` if there are fewer rows than the pivots ask for or
  ///   the stride is not positive, `.unordered` if pivots do not ascend strictly; positions count
  ///   blocks.
  /// - Complexity: O(number of bytes).
  public static func sampled(
    _ pivots: KeyBatch,
    every stride: Int,
    rowCount: Int
  ) throws(PivotTreeError) -> PivotTree {
    guard stride > 0 else { throw .rowsOutOfRange(position: 0) }
    let (sampledRows, isOverflow) = stride.multipliedReportingOverflow(by: pivots.count)
    guard !isOverflow, rowCount >= sampledRows else {
      throw .rowsOutOfRange(position: pivots.count)
    }
    var builder = PivotTreeBuilder(limits: .standard)
    try pivots.withFlatKeys { (keys) throws(PivotTreeError) -> Void in
      var pivot = UnsafeRawBufferPointer(start: nil, count: 0)
      for position in 0..<keys.count {
        try builder.append(pivot, rows: stride)
        pivot = keys[position]
      }
      try builder.append(pivot, rows: rowCount - sampledRows)
    }
    return try builder.finish()
  }
}
