/// The merge pass of a bulk edit, which rebuilds the chunks that contain removals or insertions.
///
/// It changes no list, so an edit that fails midway has no effect.
struct SortedKeyMerge {
  /// New chunks for a range of chunks.
  struct Replacement {
    var range: Range<Int>
    var chunks: [KeyChunk]
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

  /// Merges adjacent chunks as long as changes fall into them, and returns the index of the next chunk.
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
    let chunks = content.count == 0 ? [] : content.split(within: list.limits)
    replacements.append(Replacement(range: range, chunks: chunks))
    return range.upperBound
  }

  /// Whether merged content should be joined with a neighbour.
  private func isSmall(_ content: KeyChunk) -> Bool {
    content.count > 0
      && list.limits.isSmall(count: content.count, byteCount: content.byteCount)
  }

  /// Whether merged content should be split now, so that it stays in the processor's cache.
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
    return list.chunks[chunk].compareFirst(to: key) > 0
  }

  private mutating func merge(
    _ chunk: Int,
    into content: inout KeyChunk
  ) throws(SortedKeyListError) {
    let start = list.starts[chunk]
    try list.chunks[chunk].withFlatKeys { (keys) throws(SortedKeyListError) -> Void in
      var cursor = 0
      while let change = nextChange, isBefore(change.key, chunk + 1) {
        let found = keys.gallop(change.key, from: cursor)
        content.append(keys, in: cursor..<found.position)
        cursor = found.position
        if change.isRemoval {
          guard found.isFound else { throw .missing(position: nextRemoval) }
          difference.removals.append(start + found.position)
          cursor += 1
          nextRemoval += 1
        } else {
          guard !found.isFound else {
            throw .present(position: nextInsertion, listPosition: start + found.position)
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
