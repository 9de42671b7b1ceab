/// A leaf with blocks, or a branch with children; a value that trees share until they change it.
struct PivotNode: Sendable {
  /// The number of rows under the node.
  private(set) var rows: Int
  /// In a leaf the pivots and row counts of blocks; in a branch the first pivot and the number of
  /// blocks of every child.
  private(set) var piece: PivotPiece
  /// Empty in a leaf.
  private(set) var children: [PivotNode]
  /// What is read in place of the node when it is needed; nil for a node that is at hand.
  ///
  /// A node that is to be read has its first pivot in its piece, and no children.
  let deferred: DeferredPart?

  init(leaf piece: PivotPiece) {
    rows = piece.withView { $0.sum(before: $0.count) }
    self.piece = piece
    children = []
    deferred = nil
  }

  init(branch piece: PivotPiece, children: [PivotNode]) {
    rows = children.reduce(0) { $0 + $1.rows }
    self.piece = piece
    self.children = children
    deferred = nil
  }

  init(deferred: DeferredPart) {
    var entries = PivotEntries()
    deferred.part.pivot.withUnsafeBytes { entries.append($0, value: 0) }
    rows = deferred.part.rows
    piece = entries.piece(0..<1)
    children = []
    self.deferred = deferred
  }

  /// The node itself, which is read if it has not been.
  var resolved: PivotNode { deferred?.node ?? self }

  @inline(__always)
  var isLeaf: Bool { children.isEmpty && deferred == nil }

  /// The number of blocks in a leaf, of children in a branch.
  var count: Int { resolved.piece.count }

  var blockCount: Int {
    if let deferred { return deferred.part.blocks }
    return piece.withView { isLeaf ? $0.count : $0.sum(before: $0.count) }
  }

  /// The rows of the first children.
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

  /// Changes the number of rows of a block, unless it would leave its range.
  mutating func add(_ difference: Int, toBlock index: Int) -> Bool {
    if let deferred { self = deferred.node }
    let isAdded: Bool
    if isLeaf {
      // Of a damaged part there is but one block, whatever was said.
      isAdded = piece.add(difference, to: min(index, piece.count - 1))
    } else {
      let (child, offset) = piece.withView { $0.entry(containing: index) }
      isAdded = children[child].add(difference, toBlock: offset)
    }
    if isAdded { rows += difference }
    return isAdded
  }
}
