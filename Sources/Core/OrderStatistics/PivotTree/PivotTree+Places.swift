extension PivotTree {
  /// The block whose run a key belongs to: the last one whose pivot is not after it.
  ///
  /// - Complexity: O(log blockCount).
  public func place(of key: UnsafeRawBufferPointer) -> BlockPlace {
    root.place(of: .key(key))
  }

  /// The block whose run a key belongs to: the last one whose pivot is not after it.
  ///
  /// - Complexity: O(log blockCount).
  public func place(of key: [UInt8]) -> BlockPlace {
    key.withUnsafeBytes { place(of: $0) }
  }

  /// The block that holds the row at a position of the whole list.
  ///
  /// - Returns: Nil if the position is negative or not below `rowCount`.
  /// - Complexity: O(log blockCount).
  public func place(containing position: Int) -> BlockPlace? {
    guard position >= 0, position < rowCount else { return nil }
    return root.place(of: .position(position))
  }

  /// The place of the block with an index.
  ///
  /// - Precondition: `0 <= index < blockCount`.
  /// - Complexity: O(log blockCount).
  public func place(ofBlock index: Int) -> BlockPlace {
    precondition(index >= 0 && index < blockCount, "block out of range")
    return root.place(of: .block(index))
  }

  /// The pivot of the block with an index.
  ///
  /// - Precondition: `0 <= index < blockCount`.
  /// - Complexity: O(log blockCount).
  public func pivot(ofBlock index: Int) -> [UInt8] {
    precondition(index >= 0 && index < blockCount, "block out of range")
    return root.pivot(ofBlock: index)
  }

  /// Calls a closure with every block and the position of its first row, in order.
  ///
  /// - Complexity: O(bytes of all pivots).
  public func forEachBlock<Failure: Error>(
    _ body: (_ block: PivotBlock, _ start: Int) throws(Failure) -> Void
  ) throws(Failure) {
    var start = 0
    try root.forEachLeaf { (piece) throws(Failure) -> Void in
      try piece.withView { (view) throws(Failure) -> Void in
        for entry in 0..<view.count {
          let rows = view.value(entry)
          try body(PivotBlock(pivot: view.pivot(entry), rows: rows), start)
          start += rows
        }
      }
    }
  }
}
