extension SortedKeyList {
  /// Removes and inserts many keys in one pass over the chunks they fall into.
  ///
  /// All removals happen before all insertions, so a key may be in both and then stays.
  ///
  /// - Parameters:
  ///   - removals: Keys of the list, strictly ascending.
  ///   - insertions: Keys that are not in the list once the removals are gone, strictly ascending.
  /// - Returns: The old position of every removal and the new position of every insertion.
  /// - Throws: `SortedKeyListError`; the list is then unchanged.
  /// - Complexity: O(changes · log count) comparisons, and O(keys of the touched chunks + number
  ///   of chunks) moves.
  @discardableResult
  public mutating func apply(
    removals: KeyBatch,
    insertions: KeyBatch
  ) throws(SortedKeyListError) -> SortedKeyDifference {
    try removals.withFlatKeys { (removals) throws(SortedKeyListError) -> SortedKeyDifference in
      try insertions.withFlatKeys {
        (insertions) throws(SortedKeyListError) -> SortedKeyDifference in
        if let violation = removals.firstViolation() {
          throw .unsortedRemovals(position: violation.position)
        }
        if let violation = insertions.firstViolation() {
          throw .unsortedInsertions(position: violation.position)
        }
        guard !isEmpty else {
          if removals.count > 0 { throw .missing(position: 0) }
          append(verified: insertions)
          return SortedKeyDifference(removals: [], insertions: Array(0..<insertions.count))
        }
        var merge = KeyMerge(list: self, removals: removals, insertions: insertions)
        try merge.run()
        let replacements = merge.replacements
        let difference = merge.difference
        // The merge holds a copy of the list; it must be gone before the chunks are exchanged.
        _ = consume merge
        replace(replacements)
        return difference
      }
    }
  }

  /// Removes and inserts many separate keys, as `apply(removals:insertions:)` does with batches.
  ///
  /// - Throws: `SortedKeyListError`; the list is then unchanged.
  @discardableResult
  public mutating func apply(
    removals: [[UInt8]],
    insertions: [[UInt8]]
  ) throws(SortedKeyListError) -> SortedKeyDifference {
    try apply(removals: KeyBatch(removals), insertions: KeyBatch(insertions))
  }

  /// Exchanges ascending ranges of chunks for other chunks.
  private mutating func replace(_ replacements: [KeyMerge.Replacement]) {
    guard let first = replacements.first else { return }
    if replacements.allSatisfy({ $0.range.count == $0.pieces.count }) {
      for replacement in replacements {
        for (chunk, piece) in zip(replacement.range, replacement.pieces) { chunks[chunk] = piece }
      }
    } else {
      var rebuilt: [KeyChunk] = []
      rebuilt.reserveCapacity(chunks.count + replacements.count)
      var next = 0
      for replacement in replacements {
        rebuilt.append(contentsOf: chunks[next..<replacement.range.lowerBound])
        rebuilt.append(contentsOf: replacement.pieces)
        next = replacement.range.upperBound
      }
      rebuilt.append(contentsOf: chunks[next...])
      chunks = rebuilt
    }
    recount(from: first.range.lowerBound)
  }
}
