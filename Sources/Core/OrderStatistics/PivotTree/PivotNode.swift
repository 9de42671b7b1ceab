/// A node of a `PivotTree`: a leaf with blocks, or a branch with children; a copy-on-write value.
struct PivotNode: Sendable {
  /// The number of rows under the node.
  private(set) var rows: Int
  /// In a leaf, the pivot and the row count of every block; in a branch, the first pivot and the
  /// block count of every child.
  private(set) var packed: PackedPivots
  /// Empty in a leaf.
  private(set) var children: [PivotNode]
  /// The part to read when the node is first needed; nil for a node in memory.
  ///
  /// A deferred node has its first pivot in `packed`, and no children.
  let deferred: DeferredPart?

  init(leaf packed: PackedPivots) {
    rows = packed.withView { $0.sum(before: $0.count) }
    self.packed = packed
    children = []
    deferred = nil
  }

  init(branch packed: PackedPivots, children: [PivotNode]) {
    rows = children.reduce(0) { $0 + $1.rows }
    self.packed = packed
    self.children = children
    deferred = nil
  }

  init(deferred: DeferredPart) {
    var entries = PivotEntries()
    deferred.part.pivot.withUnsafeBytes { entries.append($0, value: 0) }
    rows = deferred.part.rows
    packed = entries.packed(0..<1)
    children = []
    self.deferred = deferred
  }

  /// The node itself, read now if it is deferred.
  var resolved: PivotNode { deferred?.node ?? self }

  @inline(__always)
  var isLeaf: Bool { children.isEmpty && deferred == nil }

  /// The number of blocks in a leaf, of children in a branch.
  var count: Int { resolved.packed.count }

  var blockCount: Int {
    if let deferred { return deferred.part.blocks }
    return packed.withView { isLeaf ? $0.count : $0.sum(before: $0.count) }
  }

  /// The number of rows of the children before one.
  @inline(__always)
  func rows(before child: Int) -> Int {
    children.withUnsafeBufferPointer { children in
      var sum = 0
      for index in 0..<child { sum &+= children[index].rows }
      return sum
    }
  }

  /// The child that holds a position of the rows, and the position's offset in it.
  ///
  /// - Precondition: `0 <= position < rows`.
  @inline(__always)
  func child(containing position: Int) -> (child: Int, offset: Int) {
    children.withUnsafeBufferPointer { children in
      var rest = position
      var child = 0
      while child &+ 1 < children.count, rest >= children[child].rows {
        rest &-= children[child].rows
        child &+= 1
      }
      return (child, rest)
    }
  }

  /// Changes the number of rows of a block by a difference, and returns false if the result is out of range.
  mutating func add(_ difference: Int, toBlock index: Int) -> Bool {
    if let deferred { self = deferred.node }
    let isAdded: Bool
    if isLeaf {
      // A damaged part is replaced by a single block, whatever its expected count.
      isAdded = packed.add(difference, to: min(index, packed.count - 1))
    } else {
      let (child, offset) = packed.withView { $0.entry(containing: index) }
      isAdded = children[child].add(difference, toBlock: offset)
    }
    if isAdded { rows += difference }
    return isAdded
  }
}

// MARK: - Search

extension PivotNode {
  /// The entry of the node that contains a target, and the target relative to that entry.
  @inline(__always)
  private func entry(for target: PivotTarget, in view: PackedPivots.View) -> (Int, PivotTarget) {
    switch target {
    case .key(let key):
      return (view.entry(for: key), target)
    case .position(let position):
      let (entry, offset) =
        isLeaf ? view.entry(containing: position) : child(containing: position)
      return (entry, .position(offset))
    case .block(let block):
      // A damaged part is replaced by a single block, whatever its expected count.
      guard !isLeaf else { return (min(block, view.count &- 1), target) }
      let (entry, offset) = view.entry(containing: block)
      return (entry, .block(offset))
    }
  }

  /// The location of the block that contains a target.
  ///
  /// `index` blocks and `start` rows precede the node; `upper` is the first pivot after it. Unless `isBounded` is true the location has
  /// no upper bound.
  ///
  /// - Precondition: The node contains the target.
  func location(
    of target: PivotTarget,
    index: Int = 0,
    start: Int = 0,
    upper: (view: PackedPivots.View, entry: Int)? = nil,
    isBounded: Bool = true
  ) -> BlockLocation {
    if let deferred {
      return deferred.node
        .location(of: target, index: index, start: start, upper: upper, isBounded: isBounded)
    }
    return packed.withView { view in
      let (entry, inner) = entry(for: target, in: view)
      let upper = entry + 1 < view.count ? (view, entry + 1) : upper
      guard !isLeaf else {
        return BlockLocation(
          index: index + entry,
          start: start + view.sum(before: entry),
          rows: view.value(entry),
          lower: view.pivot(entry),
          upper: isBounded ? upper.map { $0.view.pivot($0.entry) } : nil
        )
      }
      return children.withUnsafeBufferPointer { children in
        children[entry].location(
          of: inner,
          index: index + view.sum(before: entry),
          start: start + rows(before: entry),
          upper: upper,
          isBounded: isBounded
        )
      }
    }
  }

  /// The span of the block that contains a target; `index` blocks and `start` rows precede the node.
  ///
  /// - Precondition: The node contains the target.
  func span(of target: PivotTarget, index: Int = 0, start: Int = 0) -> BlockSpan {
    if let deferred { return deferred.node.span(of: target, index: index, start: start) }
    return packed.withView { view in
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

  /// The span of the block that a key belongs to, and whether the key is its pivot.
  func span(
    beginningWith key: UnsafeRawBufferPointer,
    index: Int = 0,
    start: Int = 0
  ) -> (span: BlockSpan, isPivot: Bool) {
    if let deferred { return deferred.node.span(beginningWith: key, index: index, start: start) }
    return packed.withView { view in
      let entry = view.entry(for: key)
      guard !isLeaf else {
        let first = start + view.sum(before: entry)
        let positions = first..<first + view.value(entry)
        return (BlockSpan(index: index + entry, positions: positions), view.isPivot(key, of: entry))
      }
      return children.withUnsafeBufferPointer { children in
        children[entry].span(
          beginningWith: key,
          index: index + view.sum(before: entry),
          start: start + rows(before: entry)
        )
      }
    }
  }

  func pivot(ofBlock index: Int) -> [UInt8] {
    if let deferred { return deferred.node.pivot(ofBlock: index) }
    guard !isLeaf else { return packed.pivot(min(index, packed.count - 1)) }
    let (child, offset) = packed.withView { $0.entry(containing: index) }
    return children[child].pivot(ofBlock: offset)
  }

  /// Calls a closure with the packed pivots of every leaf in order.
  func forEachLeaf<Failure: Error>(
    _ body: (PackedPivots) throws(Failure) -> Void
  ) throws(Failure) {
    if let deferred { return try deferred.node.forEachLeaf(body) }
    guard !isLeaf else { return try body(packed) }
    for child in children { try child.forEachLeaf(body) }
  }
}

/// The target of a search in a `PivotTree`, relative to the current node.
enum PivotTarget {
  case key(UnsafeRawBufferPointer)
  case position(Int)
  case block(Int)
}

// MARK: - Building

extension PivotNode {
  func isSmall(within limits: PivotTreeLimits) -> Bool {
    count < limits.minimumCount(isLeaf: isLeaf)
  }

  /// Leaves of about equal size that hold all entries.
  static func leaves(_ entries: PivotEntries, within limits: PivotTreeLimits) -> [PivotNode] {
    PivotEntries.parts(of: entries.count, maximumCount: limits.maximumLeafCount)
      .map { PivotNode(leaf: entries.packed($0)) }
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
      .map { PivotNode(branch: entries.packed($0), children: Array(children[$0])) }
  }

  /// The root above nodes of equal height.
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

  /// Merges two adjacent nodes of equal height into one or two nodes.
  static func merged(
    _ left: PivotNode,
    _ right: PivotNode,
    within limits: PivotTreeLimits
  ) -> [PivotNode] {
    let (left, right) = (left.resolved, right.resolved)
    var entries = PivotEntries()
    guard !left.isLeaf else {
      entries.append(left.packed, in: 0..<left.count)
      entries.append(right.packed, in: 0..<right.count)
      return leaves(entries, within: limits)
    }
    // A branch with one small child has no neighbour to merge it with, so the children at the seam are balanced here.
    let seam = [left.children[left.count - 1], right.children[0]]
    let balanced = balanced(seam, within: limits)
    let children = left.children.dropLast() + balanced + right.children.dropFirst()
    entries.append(left.packed, in: 0..<(left.count - 1))
    for node in balanced { entries.append(node) }
    entries.append(right.packed, in: 1..<right.count)
    return branches(
      entries,
      children: Array(children),
      maximumCount: limits.maximumBranchCount
    )
  }

  /// Merges small nodes with their neighbours, in a row of adjacent nodes of equal height.
  static func balanced(_ nodes: [PivotNode], within limits: PivotTreeLimits) -> [PivotNode] {
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

// MARK: - Replacing blocks

extension PivotNode {
  /// Returns nodes of the same height with a range of blocks replaced.
  ///
  /// Only a single node can be too small; the result is empty if no block is left.
  func replacing(
    _ blocks: Range<Int>,
    with new: PivotEntries,
    within limits: PivotTreeLimits
  ) -> [PivotNode] {
    if let deferred { return deferred.node.replacing(blocks, with: new, within: limits) }
    guard !isLeaf else {
      let blocks = blocks.clamped(to: 0..<count)
      var entries = PivotEntries()
      entries.append(packed, in: 0..<blocks.lowerBound)
      entries.append(new)
      entries.append(packed, in: blocks.upperBound..<count)
      return Self.leaves(entries, within: limits)
    }
    // An insertion after the last child goes into that child.
    let (first, firstOffset) = packed.withView { $0.entry(containing: blocks.lowerBound) }
    let (last, lastOffset) =
      blocks.isEmpty
      ? (first, firstOffset - 1)
      : packed.withView { $0.entry(containing: blocks.upperBound - 1) }
    var changed: [PivotNode]
    if first == last {
      changed = children[first].replacing(firstOffset..<(lastOffset + 1), with: new, within: limits)
    } else {
      let firstCount = packed.withView { $0.value(first) }
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
    var nodes = Self.balanced(nodes, within: limits)
    while nodes.count == 1, nodes[0].isSmall(within: limits), range.count < children.count {
      if range.lowerBound > 0 {
        range = (range.lowerBound - 1)..<range.upperBound
        nodes.insert(children[range.lowerBound], at: 0)
      } else {
        nodes.append(children[range.upperBound])
        range = range.lowerBound..<(range.upperBound + 1)
      }
      nodes = Self.balanced(nodes, within: limits)
    }
    var entries = PivotEntries()
    entries.append(packed, in: 0..<range.lowerBound)
    for node in nodes { entries.append(node) }
    entries.append(packed, in: range.upperBound..<count)
    var all = children
    all.replaceSubrange(range, with: nodes)
    return Self.branches(entries, children: all, maximumCount: limits.maximumBranchCount)
  }
}

// MARK: - Decoding

extension PivotNode {
  /// Decodes consecutive leaves from an offset on, up to a limit or the end of the bytes.
  ///
  /// Any bytes are safe to decode: the result consists of sound leaves in order, and `offset` becomes the end of the last
  /// one. If the tree has several leaves, none may be small.
  ///
  /// - Throws: `PivotTreeError.malformed`.
  static func leaves(
    decoding bytes: UnsafeRawBufferPointer,
    at offset: inout Int,
    atMost limit: Int,
    areSeveral: Bool,
    within limits: PivotTreeLimits
  ) throws(PivotTreeError) -> [PivotNode] {
    var leaves: [PivotNode] = []
    var rowCount: Int64 = 0
    while leaves.count < limit, offset < bytes.count {
      guard let byteCount = PackedPivots.soundByteCount(at: offset, of: bytes) else {
        throw .malformed(offset: offset)
      }
      let slice = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + byteCount)])
      let leaf = PivotNode(leaf: PackedPivots(verified: Array(slice)))
      guard leaf.count <= limits.maximumLeafCount,
        !areSeveral || !leaf.isSmall(within: limits),
        leaf.follows(leaves.last)
      else { throw .malformed(offset: offset) }
      rowCount += leaf.packed.withView { view in
        (0..<view.count).reduce(0) { $0 + Int64(view.value($1)) }
      }
      guard rowCount <= Int.max else { throw .malformed(offset: offset) }
      leaves.append(leaf)
      offset += byteCount
    }
    return leaves
  }

  private func follows(_ previous: PivotNode?) -> Bool {
    guard let previous else { return true }
    return KeyOrder.compare(previous.packed.pivot(previous.count - 1), packed.pivot(0)) < 0
  }
}
