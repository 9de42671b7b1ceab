import OrderStatistics

extension PivotTree {
  var blocks: [PivotBlock] {
    var blocks: [PivotBlock] = []
    forEachBlock { block, _ in blocks.append(block) }
    return blocks
  }
}

extension [UInt8] {
  /// Four bytes that sort as the number does.
  static func ordered(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }
}
