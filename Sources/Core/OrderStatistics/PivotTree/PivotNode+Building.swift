extension PivotNode {
  func isSmall(within limits: PivotTreeLimits) -> Bool {
    count < limits.minimumCount(isLeaf: isLeaf)
  }

  /// Leaves of about equal size that hold all entries.
  static func leaves(_ entries: PivotEntries, within limits: PivotTreeLimits) -> [PivotNode] {
    PivotEntries.parts(of: entries.count, maximumCount: limits.maximumLeafCount)
      .map { PivotNode(leaf: entries.piece($0)) }
  }

  /// Branches of about equal size that hold all children.
  ///
  /// The entries are the first pivot and the number of blocks of every child.
  static func branches(
    _ entries: PivotEntries,
    children: [PivotNode],
    maximumCount: Int
  ) -> [PivotNode] {
    PivotEntries.parts(of: entries.count, maximumCount: maximumCount)
      .map { PivotNode(branch: entries.piece($0), children: Array(children[$0])) }
  }

  /// The root above nodes of one height.
  ///
  /// - Precondition: There is at least one node.
  static func root(above nodes: [PivotNode], maximumCount: Int) -> PivotNode {
    var nodes = nodes
    while nodes.count > 1 {
      var entries = PivotEntries()
      for node in nodes { entries.append(node) }
      nodes = branches(entries, children: nodes, maximumCount: maximumCount)
    }
    var root = nodes[0]
    while root.children.count == 1 { root = root.children[0].resolved }
    return root
  }

  /// One or two nodes with the entries of two neighbours of one height.
  static func merged(
    _ left: PivotNode,
    _ right: PivotNode,
    within limits: PivotTreeLimits
  ) -> [PivotNode] {
    let (left, right) = (left.resolved, right.resolved)
    var entries = PivotEntries()
    guard !left.isLeaf else {
      entries.append(left.piece, in: 0..<left.count)
      entries.append(right.piece, in: 0..<right.count)
      return leaves(entries, within: limits)
    }
    // A branch left with one small child could not mend it alone: the seam is looked at here.
    let seam = [left.children[left.count - 1], right.children[0]]
    let mended = mended(seam, within: limits)
    let children = left.children.dropLast() + mended + right.children.dropFirst()
    entries.append(left.piece, in: 0..<(left.count - 1))
    for node in mended { entries.append(node) }
    entries.append(right.piece, in: 1..<right.count)
    return branches(
      entries,
      children: Array(children),
      maximumCount: limits.maximumBranchCount
    )
  }

  /// Neighbours of one height with small nodes merged into others, as far as there are others.
  static func mended(_ nodes: [PivotNode], within limits: PivotTreeLimits) -> [PivotNode] {
    var nodes = nodes
    while nodes.count > 1, let small = nodes.firstIndex(where: { $0.isSmall(within: limits) }) {
      let left = max(0, small - 1)
      nodes.replaceSubrange(
        left...(left + 1),
        with: merged(nodes[left], nodes[left + 1], within: limits)
      )
    }
    return nodes
  }
}
