extension PivotTree {
  /// Checks the tree's bookkeeping.
  ///
  /// - Returns: A description of the first violated invariant, or nil if the tree is sound.
  /// - Complexity: O(bytes of all pivots).
  package func checkInvariants() -> String? {
    if root.children.count == 1 { return "the root has a single child" }
    guard root.packed.pivot(0).isEmpty else { return "the first pivot is not empty" }
    if let violation = root.violation(isRoot: true, within: limits) { return violation }
    guard root.blockCount == blockCount else { return "the number of blocks is wrong" }
    var previous: [UInt8]?
    var isAscending = true
    forEachBlock { block, _ in
      isAscending = isAscending && previous.map { KeyOrder.compare($0, block.pivot) < 0 } ?? true
      previous = block.pivot
    }
    return isAscending ? nil : "pivots do not ascend"
  }

  /// The memory of all nodes in bytes, without the allocator's overhead; snapshots may share it.
  ///
  /// - Complexity: O(number of nodes).
  package var byteCount: Int { root.byteCount }
}

extension PivotNode {
  var height: Int {
    let node = resolved
    return node.isLeaf ? 0 : 1 + node.children[0].height
  }

  /// The bytes of an array besides its elements.
  private static var arrayHeaderByteCount: Int { 32 }

  var byteCount: Int {
    let own = packed.bytes.capacity + Self.arrayHeaderByteCount
    if let deferred { return own + (deferred.loadedNode?.byteCount ?? 0) }
    guard !isLeaf else { return own }
    let references = children.capacity * MemoryLayout<Self>.stride + Self.arrayHeaderByteCount
    return children.reduce(own + references) { $0 + $1.byteCount }
  }

  func violation(isRoot: Bool, within limits: PivotTreeLimits) -> String? {
    if let deferred { return deferred.node.violation(isRoot: isRoot, within: limits) }
    let kind = isLeaf ? "leaf" : "branch"
    guard let offset = packed.bytes.withUnsafeBytes({ PackedPivots.soundByteCount(at: 0, of: $0) })
    else {
      return "the pivots of a \(kind) are damaged"
    }
    guard offset == packed.bytes.count else { return "a \(kind) has bytes left over" }
    guard count <= limits.maximumCount(isLeaf: isLeaf) else { return "a \(kind) is too large" }
    if !isRoot, isSmall(within: limits) { return "a \(kind) is too small" }
    guard !isLeaf else {
      let sum = packed.withView { $0.sum(before: $0.count) }
      return rows == sum ? nil : "the rows of a leaf are wrong"
    }
    guard children.count == count else { return "a branch has children without pivots" }
    guard rows == rows(before: count) else { return "the rows of a branch are wrong" }
    let height = children[0].height
    for (index, child) in children.enumerated() {
      guard child.height == height else { return "leaves have different depths" }
      guard packed.pivot(index) == child.resolved.packed.pivot(0) else {
        return "a branch has a wrong pivot for a child"
      }
      guard packed.withView({ $0.value(index) }) == child.resolved.blockCount else {
        return "a branch has a wrong number of blocks for a child"
      }
      if let violation = child.violation(isRoot: false, within: limits) { return violation }
    }
    return nil
  }
}

// MARK: - Sharing

extension PivotTree {
  /// The number of nodes, and the height, for tests of splits and merges.
  package var shape: (nodeCount: Int, height: Int) {
    (root.identities.count, root.height)
  }

  /// The number of nodes whose storage is not shared with another tree.
  ///
  /// - Complexity: O(number of nodes).
  package func nodeCount(notSharedWith other: PivotTree) -> Int {
    Set(root.identities).subtracting(other.root.identities).count
  }
}

extension PivotNode {
  /// The addresses of the storage that a change would copy, for the node and its descendants.
  fileprivate var identities: [UnsafeRawPointer?] {
    if let deferred { return deferred.node.identities }
    guard !isLeaf else { return [packed.bytes.withBorrowedBytes { $0.baseAddress }] }
    return children.reduce(into: [children.withUnsafeBytes { $0.baseAddress }]) {
      $0 += $1.identities
    }
  }
}
