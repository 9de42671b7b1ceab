extension SectionCounts {
  /// Creates the list of the blocks' lengths in a tree, as far as they lie in a window of its rows.
  ///
  /// Blocks without a row in the window are left out.
  ///
  /// - Complexity: O(blockCount), and no pivot is copied.
  public init(_ tree: PivotTree, in window: Range<Int>) {
    var lengths: [Int] = []
    lengths.reserveCapacity(tree.blockCount)
    var start = 0
    tree.root.forEachLeaf { piece in
      piece.withView { view in
        for entry in 0..<view.count {
          let end = start &+ view.value(entry)
          let shown = min(end, window.upperBound) &- max(start, window.lowerBound)
          if shown > 0 { lengths.append(shown) }
          start = end
        }
      }
    }
    self.init(lengths)
  }
}
