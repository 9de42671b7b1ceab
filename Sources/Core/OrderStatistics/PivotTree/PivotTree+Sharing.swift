extension PivotTree {
  /// The number of nodes, and the longest way down to a leaf, for tests of splits and merges.
  package var shape: (nodeCount: Int, height: Int) {
    (root.identities.count, root.height)
  }

  /// The number of nodes that do not lie in memory shared with another tree.
  ///
  /// - Complexity: O(number of nodes).
  package func nodeCount(notSharedWith other: PivotTree) -> Int {
    Set(root.identities).subtracting(other.root.identities).count
  }
}

extension PivotNode {
  /// The address of what a change of the node must copy, for the node and all under it.
  fileprivate var identities: [UnsafeRawPointer?] {
    if let deferred { return deferred.node.identities }
    guard !isLeaf else { return [piece.bytes.withBorrowedBytes { $0.baseAddress }] }
    return children.reduce(into: [children.withUnsafeBytes { $0.baseAddress }]) {
      $0 += $1.identities
    }
  }
}
