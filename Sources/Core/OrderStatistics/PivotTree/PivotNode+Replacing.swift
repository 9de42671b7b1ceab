extension PivotNode {
  /// The nodes of the same height that hold the blocks of this one with a range exchanged.
  ///
  /// Only a single node can be too small; there is none if no block is left.
  func replacing(
    _ blocks: Range<Int>,
    with new: PivotEntries,
    within limits: PivotTreeLimits
  ) -> [PivotNode] {
    if let deferred { return deferred.node.replacing(blocks, with: new, within: limits) }
    guard !isLeaf else {
      let blocks = blocks.clamped(to: 0..<count)
      var entries = PivotEntries()
      entries.append(piece, in: 0..<blocks.lowerBound)
      entries.append(new)
      entries.append(piece, in: blocks.upperBound..<count)
      return Self.leaves(entries, within: limits)
    }
    // An insertion at the end of a child belongs to that child if there is none after it.
    let (first, firstOffset) = piece.withView { $0.entry(containing: blocks.lowerBound) }
    let (last, lastOffset) =
      blocks.isEmpty
      ? (first, firstOffset - 1)
      : piece.withView { $0.entry(containing: blocks.upperBound - 1) }
    var changed: [PivotNode]
    if first == last {
      changed = children[first].replacing(firstOffset..<(lastOffset + 1), with: new, within: limits)
    } else {
      let firstCount = piece.withView { $0.value(first) }
      changed = children[first].replacing(firstOffset..<firstCount, with: new, within: limits)
      changed += children[last].replacing(0..<(lastOffset + 1), with: .init(), within: limits)
    }
    return replacing(children: first..<(last + 1), with: changed, within: limits)
  }

  private func replacing(
    children range: Range<Int>,
    with nodes: [PivotNode],
    within limits: PivotTreeLimits
  ) -> [PivotNode] {
    var range = range
    var nodes = Self.mended(nodes, within: limits)
    while nodes.count == 1, nodes[0].isSmall(within: limits), range.count < children.count {
      if range.lowerBound > 0 {
        range = (range.lowerBound - 1)..<range.upperBound
        nodes.insert(children[range.lowerBound], at: 0)
      } else {
        nodes.append(children[range.upperBound])
        range = range.lowerBound..<(range.upperBound + 1)
      }
      nodes = Self.mended(nodes, within: limits)
    }
    var entries = PivotEntries()
    entries.append(piece, in: 0..<range.lowerBound)
    for node in nodes { entries.append(node) }
    entries.append(piece, in: range.upperBound..<count)
    var all = children
    all.replaceSubrange(range, with: nodes)
    return Self.branches(entries, children: all, maximumCount: limits.maximumBranchCount)
  }
}
