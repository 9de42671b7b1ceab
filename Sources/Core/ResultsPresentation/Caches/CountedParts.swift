import OrderStatistics

/// The parts of counted keys in a cache: what is read of them at once, and where each is found when it is needed.
struct CountedParts {
  private var parts: [PivotPart] = []
  private var lengths: [Int] = []
  private var checksums: [UInt64] = []
  /// The parts' own bytes, one after the other.
  private(set) var content: [UInt8] = []

  /// Takes a tree apart.
  init(of tree: PivotTree) {
    tree.forEachPart { part, bytes in
      parts.append(part)
      lengths.append(bytes.count)
      checksums.append(SectionCache.checksum(of: bytes))
      content += bytes
    }
  }

  /// What is known of the parts, as bytes: of each its first pivot, its numbers of blocks, rows and bytes, and its checksum.
  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    for (number, part) in parts.enumerated() {
      bytes.appendNumber(UInt64(part.pivot.count))
      bytes += part.pivot
      bytes.appendNumber(UInt64(part.blocks))
      bytes.appendNumber(UInt64(part.rows))
      bytes.appendNumber(UInt64(lengths[number]))
      bytes.appendWord(checksums[number])
    }
    return bytes
  }

  /// Reads what `encoded` made; `nil` for anything else.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = CacheReader(bytes)
    while !reader.isAtEnd {
      guard let pivot = reader.number().flatMap({ reader.next($0) }), let blocks = reader.number(),
        let rows = reader.number(), let length = reader.number(), let checksum = reader.word()
      else { return nil }
      parts.append(PivotPart(pivot: Array(pivot), blocks: blocks, rows: rows))
      lengths.append(length)
      checksums.append(checksum)
    }
  }

  /// The tree, whose parts are read from some place on when they are needed, each checked.
  /// - Returns: `nil` if they make no tree, or do not fill the place.
  func tree(from kept: any CacheData, in place: Range<Int>) -> PivotTree? {
    var ranges: [Range<Int>] = []
    var start = place.lowerBound
    for length in lengths {
      guard length <= place.upperBound - start else { return nil }
      ranges.append(start..<start + length)
      start += length
    }
    guard start == place.upperBound else { return nil }
    return try? PivotTree(parts: parts) { [ranges, checksums] part in
      guard let bytes = kept.bytes(in: ranges[part]),
        SectionCache.checksum(of: bytes) == checksums[part]
      else { return nil }
      return bytes
    }
  }
}
