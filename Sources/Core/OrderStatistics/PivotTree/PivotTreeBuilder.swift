/// Builds a `PivotTree` from blocks in order, without holding them twice.
struct PivotTreeBuilder {
  private let limits: PivotTreeLimits
  private var leaves: [PivotNode] = []
  private var entries = PivotEntries()
  private var count = 0
  private var rowCount = 0

  init(limits: PivotTreeLimits) {
    self.limits = limits
  }

  mutating func append(_ pivot: UnsafeRawBufferPointer, rows: Int) throws(PivotTreeError) {
    guard pivot.count <= PivotTree.maximumPivotByteCount else {
      throw .pivotTooLong(position: count)
    }
    let (sum, isOverflow) = rowCount.addingReportingOverflow(rows)
    guard 0...PivotTree.maximumBlockRows ~= rows, !isOverflow else {
      throw .rowsOutOfRange(position: count)
    }
    if count == 0 {
      guard pivot.isEmpty else { throw .firstPivotNotEmpty }
    } else {
      // A leaf is cut only before the next entry comes, so the last pivot is always at hand.
      guard entries.withPivot(entries.count - 1, { KeyOrder.compare($0, pivot) < 0 }) else {
        throw .unordered(position: count)
      }
      if entries.count == limits.targetCount(isLeaf: true) { cut() }
    }
    entries.append(pivot, value: UInt32(truncatingIfNeeded: rows))
    count += 1
    rowCount = sum
  }

  private mutating func cut() {
    leaves.append(PivotNode(leaf: entries.piece(0..<entries.count)))
    entries.removeAll()
  }

  mutating func finish() throws(PivotTreeError) -> PivotTree {
    guard count > 0 else { throw .firstPivotNotEmpty }
    cut()
    let tail = PivotNode.mended(Array(leaves.suffix(2)), within: limits)
    leaves.replaceSubrange(max(0, leaves.count - 2)..., with: tail)
    return PivotTree(leaves: leaves, limits: limits)
  }
}
