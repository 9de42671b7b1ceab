/// The difference between two sorted lists of keys.
package struct SortedKeyDifference: Sendable, Hashable {
  /// Positions in the old list of keys that the new list does not hold, ascending.
  package internal(set) var removals: [Int]

  /// Positions in the new list of keys that the old list does not hold, ascending.
  package internal(set) var insertions: [Int]

  /// Whether the lists hold the same keys.
  package var isEmpty: Bool { removals.isEmpty && insertions.isEmpty }
}

extension SortedKeyList {
  /// Returns the keys that only one of two lists holds.
  ///
  /// The lists are merged in one pass. A chunk that both lists share is skipped unread, so comparing
  /// a list with its edited copy costs the edited chunks only.
  ///
  /// - Complexity: O(number of chunks + keys in chunks the lists do not share).
  package static func difference(
    from old: SortedKeyList,
    to new: SortedKeyList
  ) -> SortedKeyDifference {
    var walk = KeyListWalk(old: old.chunks, new: new.chunks)
    walk.run()
    return walk.difference
  }
}

/// The merge pass of a difference, one pair of chunks at a time.
private struct KeyListWalk {
  let old: [KeyChunk]
  let new: [KeyChunk]
  var difference = SortedKeyDifference(removals: [], insertions: [])
  private var oldChunk = 0
  private var newChunk = 0
  /// The next key within the current chunk.
  private var oldOffset = 0
  private var newOffset = 0
  /// The position in the whole list of the current chunk's first key.
  private var oldStart = 0
  private var newStart = 0
  /// The current chunks with their keys restored, once they were needed.
  private var oldFlat: KeyChunk?
  private var newFlat: KeyChunk?

  init(old: [KeyChunk], new: [KeyChunk]) {
    self.old = old
    self.new = new
  }

  mutating func run() {
    while oldChunk < old.count, newChunk < new.count {
      if oldOffset == 0, newOffset == 0, old[oldChunk].isSameStorage(as: new[newChunk]) {
        oldOffset = old[oldChunk].count
        newOffset = oldOffset
      } else {
        comparePair()
      }
      if oldOffset == old[oldChunk].count { advanceOld() }
      if newOffset == new[newChunk].count { advanceNew() }
    }
    while oldChunk < old.count {
      difference.removals.append(
        contentsOf: (oldStart + oldOffset)..<(oldStart + old[oldChunk].count)
      )
      advanceOld()
    }
    while newChunk < new.count {
      difference.insertions.append(
        contentsOf: (newStart + newOffset)..<(newStart + new[newChunk].count)
      )
      advanceNew()
    }
  }

  /// Merges the rest of both current chunks until one of them ends.
  private mutating func comparePair() {
    let oldKeys = oldFlat ?? old[oldChunk].flattened()
    let newKeys = newFlat ?? new[newChunk].flattened()
    (oldFlat, newFlat) = (oldKeys, newKeys)
    oldKeys.withStoredKeys { oldKeys in
      newKeys.withStoredKeys { newKeys in
        var oldOffset = oldOffset
        var newOffset = newOffset
        while oldOffset < oldKeys.count, newOffset < newKeys.count {
          let order = KeyOrder.compare(oldKeys[oldOffset], newKeys[newOffset])
          if order == 0 {
            oldOffset &+= 1
            newOffset &+= 1
          } else if order < 0 {
            difference.removals.append(oldStart &+ oldOffset)
            oldOffset &+= 1
          } else {
            difference.insertions.append(newStart &+ newOffset)
            newOffset &+= 1
          }
        }
        self.oldOffset = oldOffset
        self.newOffset = newOffset
      }
    }
  }

  private mutating func advanceOld() {
    oldStart += old[oldChunk].count
    oldFlat = nil
    oldChunk += 1
    oldOffset = 0
  }

  private mutating func advanceNew() {
    newStart += new[newChunk].count
    newFlat = nil
    newChunk += 1
    newOffset = 0
  }
}
