extension PivotNode {
  /// The entry of the node a target lies in, and the target relative to that entry.
  @inline(__always)
  private func entry(for target: PivotTarget, in view: PivotPieceView) -> (Int, PivotTarget) {
    switch target {
    case .key(let key):
      return (view.entry(for: key), target)
    case .position(let position):
      let (entry, offset) =
        isLeaf ? view.entry(containing: position) : child(containing: position)
      return (entry, .position(offset))
    case .block(let block):
      // Of a damaged part there is but one block, whatever was said.
      guard !isLeaf else { return (min(block, view.count &- 1), target) }
      let (entry, offset) = view.entry(containing: block)
      return (entry, .block(offset))
    }
  }

  /// The place of the block a target lies in.
  ///
  /// The node begins after `index` blocks and `start` rows; `upper` is the first pivot after it.
  ///
  /// - Precondition: The target lies in the node.
  func place(
    of target: PivotTarget,
    index: Int = 0,
    start: Int = 0,
    upper: (view: PivotPieceView, entry: Int)? = nil
  ) -> BlockPlace {
    if let deferred {
      return deferred.node.place(of: target, index: index, start: start, upper: upper)
    }
    return piece.withView { view in
      let (entry, inner) = entry(for: target, in: view)
      let upper = entry + 1 < view.count ? (view, entry + 1) : upper
      guard !isLeaf else {
        return BlockPlace(
          index: index + entry,
          start: start + view.sum(before: entry),
          rows: view.value(entry),
          lower: view.pivot(entry),
          upper: upper.map { $0.view.pivot($0.entry) }
        )
      }
      return children.withUnsafeBufferPointer { children in
        children[entry].place(
          of: inner,
          index: index + view.sum(before: entry),
          start: start + rows(before: entry),
          upper: upper
        )
      }
    }
  }

  /// The positions of the block a target lies in; the node begins after `index` blocks and `start` rows.
  ///
  /// - Precondition: The target lies in the node.
  func span(of target: PivotTarget, index: Int = 0, start: Int = 0) -> BlockSpan {
    if let deferred { return deferred.node.span(of: target, index: index, start: start) }
    return piece.withView { view in
      let (entry, inner) = entry(for: target, in: view)
      guard !isLeaf else {
        let first = start + view.sum(before: entry)
        return BlockSpan(index: index + entry, positions: first..<first + view.value(entry))
      }
      return children.withUnsafeBufferPointer { children in
        children[entry].span(
          of: inner,
          index: index + view.sum(before: entry),
          start: start + rows(before: entry)
        )
      }
    }
  }

  func pivot(ofBlock index: Int) -> [UInt8] {
    if let deferred { return deferred.node.pivot(ofBlock: index) }
    guard !isLeaf else { return piece.pivot(min(index, piece.count - 1)) }
    let (child, offset) = piece.withView { $0.entry(containing: index) }
    return children[child].pivot(ofBlock: offset)
  }

  /// Calls a closure with the piece of every leaf in order.
  func forEachLeaf<Failure: Error>(
    _ body: (PivotPiece) throws(Failure) -> Void
  ) throws(Failure) {
    if let deferred { return try deferred.node.forEachLeaf(body) }
    guard !isLeaf else { return try body(piece) }
    for child in children { try child.forEachLeaf(body) }
  }
}
