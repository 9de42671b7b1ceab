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

/// The pass of a bulk edit: builds new chunks for those that removals and insertions fall into.
///
/// It changes no list, so an edit that fails half way leaves nothing behind.
struct KeyMerge {
  /// Chunks to take the place of a range of chunks.
  struct Replacement {
    var range: Range<Int>
    var pieces: [KeyChunk]
  }

  let list: SortedKeyList
  let removals: FlatKeys<Int>
  let insertions: FlatKeys<Int>
  private(set) var replacements: [Replacement] = []
  private(set) var difference = SortedKeyDifference(removals: [], insertions: [])
  private var nextRemoval = 0
  private var nextInsertion = 0

  init(list: SortedKeyList, removals: FlatKeys<Int>, insertions: FlatKeys<Int>) {
    self.list = list
    self.removals = removals
    self.insertions = insertions
    difference.removals.reserveCapacity(removals.count)
    difference.insertions.reserveCapacity(insertions.count)
  }

  mutating func run() throws(SortedKeyListError) {
    var chunk = 0
    while let change = nextChange {
      chunk = list.chunkIndex(for: change.key, from: chunk)
      chunk = try mergeGroup(from: chunk)
      guard chunk < list.chunks.count else { break }
    }
  }

  /// The smaller of the next removal and the next insertion; the removal if they are equal.
  private var nextChange: (key: UnsafeRawBufferPointer, isRemoval: Bool)? {
    if nextRemoval == removals.count {
      return nextInsertion == insertions.count ? nil : (insertions[nextInsertion], false)
    }
    if nextInsertion == insertions.count { return (removals[nextRemoval], true) }
    let order = KeyOrder.compare(removals[nextRemoval], insertions[nextInsertion])
    return order <= 0 ? (removals[nextRemoval], true) : (insertions[nextInsertion], false)
  }

  /// Merges neighbouring chunks as long as changes fall into them; returns the chunk after them.
  private mutating func mergeGroup(from first: Int) throws(SortedKeyListError) -> Int {
    var content = KeyChunk()
    var range = first..<first
    repeat {
      try merge(range.upperBound, into: &content)
      range = range.lowerBound..<(range.upperBound + 1)
    } while range.upperBound < list.chunks.count && !isLarge(content)
      && (isTouched(range.upperBound) || isSmall(content))
    let previousEnd = replacements.last?.range.upperBound ?? 0
    if isSmall(content), range.lowerBound > previousEnd {
      range = (range.lowerBound - 1)..<range.upperBound
      var joined = list.chunks[range.lowerBound]
      joined.append(content)
      content = joined
    }
    let pieces = content.count == 0 ? [] : content.pieces(within: list.limits)
    replacements.append(Replacement(range: range, pieces: pieces))
    return range.upperBound
  }

  /// Whether merged content is better joined with a neighbour than left as a chunk of its own.
  private func isSmall(_ content: KeyChunk) -> Bool {
    content.count > 0
      && list.limits.isSmall(count: content.count, byteCount: content.byteCount)
  }

  /// Whether merged content is cut now, so that it stays in the cache and its offsets small.
  private func isLarge(_ content: KeyChunk) -> Bool {
    content.count >= 16 * list.limits.maximumCount
      || content.byteCount >= 16 * list.limits.maximumByteCount
  }

  /// Whether the next change falls into a chunk, given that it is not before it.
  private func isTouched(_ chunk: Int) -> Bool {
    guard let change = nextChange else { return false }
    return isBefore(change.key, chunk + 1)
  }

  private func isBefore(_ key: UnsafeRawBufferPointer, _ chunk: Int) -> Bool {
    guard chunk < list.chunks.count else { return true }
    return list.chunks[chunk].withFlatKeys { KeyOrder.compare(key, $0[0]) < 0 }
  }

  private mutating func merge(
    _ chunk: Int,
    into content: inout KeyChunk
  ) throws(SortedKeyListError) {
    let start = list.starts[chunk]
    try list.chunks[chunk].withFlatKeys { (keys) throws(SortedKeyListError) -> Void in
      var cursor = 0
      while let change = nextChange, isBefore(change.key, chunk + 1) {
        let place = keys.gallop(change.key, from: cursor)
        content.append(keys, in: cursor..<place.position)
        cursor = place.position
        if change.isRemoval {
          guard place.isFound else { throw .missing(position: nextRemoval) }
          difference.removals.append(start + place.position)
          cursor += 1
          nextRemoval += 1
        } else {
          guard !place.isFound else {
            throw .present(position: nextInsertion, listPosition: start + place.position)
          }
          difference.insertions.append(start + cursor - nextRemoval + nextInsertion)
          content.append(change.key)
          nextInsertion += 1
        }
      }
      content.append(keys, in: cursor..<keys.count)
    }
  }
}
