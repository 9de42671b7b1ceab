/// How many entries the nodes of a `PivotTree` may hold.
///
/// Copying a leaf copies plain bytes, copying a branch counts a reference for each child: so leaves
/// may be larger.
package struct PivotTreeLimits: Sendable, Hashable {
  /// No leaf holds more blocks.
  package let maximumLeafCount: Int

  /// No branch holds more children.
  package let maximumBranchCount: Int

  /// Creates limits.
  ///
  /// - Precondition: Both are at least 4.
  package init(maximumLeafCount: Int, maximumBranchCount: Int) {
    precondition(maximumLeafCount >= 4 && maximumBranchCount >= 4, "node limits too small")
    self.maximumLeafCount = maximumLeafCount
    self.maximumBranchCount = maximumBranchCount
  }

  /// The limits every tree has unless a test asks for smaller ones.
  package static let standard = PivotTreeLimits(maximumLeafCount: 128, maximumBranchCount: 32)

  func maximumCount(isLeaf: Bool) -> Int { isLeaf ? maximumLeafCount : maximumBranchCount }

  /// A node other than the root with fewer entries is merged with a neighbour.
  func minimumCount(isLeaf: Bool) -> Int { max(2, maximumCount(isLeaf: isLeaf) / 4) }

  /// Bulk building fills nodes to three quarters, to leave room for splits.
  func targetCount(isLeaf: Bool) -> Int { maximumCount(isLeaf: isLeaf) * 3 / 4 }
}
