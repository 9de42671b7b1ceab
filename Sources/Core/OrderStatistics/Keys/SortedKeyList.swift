/// A sorted list of distinct byte keys with logarithmic rank and position queries.
///
/// Keys compare by bytes, then by length (`KeyOrder`). They are stored in chunks of a few hundred
/// keys; a chunk is one arena of bytes with the end offset of each key. A copy is a snapshot that
/// shares all chunks: the first edit after it copies one chunk and the outer array, never the keys
/// of other chunks. A key may be up to 2 GiB long.
@usableFromInline
package struct SortedKeyList: Sendable {
  @usableFromInline private(set) var chunks: [KeyChunk] = []
  /// The number of keys in all chunks before each chunk.
  @usableFromInline private(set) var starts: [Int] = []
  /// The limits of the chunks, for a list of any length.
  private let allLimits: KeyChunkLimits

  /// The number of keys.
  ///
  /// - Complexity: O(1).
  @usableFromInline package private(set) var count = 0

  /// Creates an empty list.
  package init() {
    self.init(limits: .standard)
  }

  /// Creates an empty list whose chunks have some limits: `packed` for one that is held.
  package init(limits: KeyChunkLimits) {
    allLimits = limits
  }

  /// The limits of the chunks at the present length.
  var limits: KeyChunkLimits { allLimits.limits(forListOf: count) }

  /// Creates a list of keys that already ascend.
  ///
  /// - Throws: `SortedKeyListError.duplicate` or `.outOfOrder`.
  /// - Complexity: O(number of bytes).
  package init(sorted batch: KeyBatch) throws(SortedKeyListError) {
    self.init()
    guard !batch.isEmpty, batch.count <= limits.targetCount,
      batch.bytes.count <= limits.targetByteCount
    else {
      try append(batch)
      return
    }
    // A short list takes over the bytes of the batch.
    try batch.withFlatKeys { (keys) throws(SortedKeyListError) -> Void in
      try verify(appending: keys)
    }
    chunks = [KeyChunk(batch)]
    starts = Self.firstStart
    count = batch.count
  }

  /// The start of the first chunk, shared by all lists of a single chunk.
  private static let firstStart = [0]

  /// Creates a list of separate keys that already ascend.
  ///
  /// - Throws: `SortedKeyListError.duplicate` or `.outOfOrder`.
  /// - Complexity: O(number of bytes).
  package init(sorted keys: some Sequence<[UInt8]>) throws(SortedKeyListError) {
    try self.init(sorted: KeyBatch(keys))
  }

  /// Whether the list holds no key.
  package var isEmpty: Bool { count == 0 }

  /// A copy of the key at a position.
  ///
  /// - Precondition: `0 <= position < count`.
  /// - Complexity: O(log chunks).
  package func key(at position: Int) -> [UInt8] {
    withKey(at: position) { Array($0) }
  }

  /// Calls a closure with the key at a position, without a copy.
  ///
  /// The bytes are valid only until the closure returns.
  ///
  /// - Precondition: `0 <= position < count`.
  /// - Complexity: O(log chunks).
  @inlinable
  package func withKey<Result, Failure: Error>(
    at position: Int,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(position >= 0 && position < count, "position out of range")
    let chunk = chunkIndex(containing: position)
    return try chunks[chunk].withKey(at: position - starts[chunk], body)
  }

  /// Calls a closure with every `stride`-th position of a range and its key, ascending and without copies.
  ///
  /// The bytes are valid only until the closure returns.
  ///
  /// - Precondition: The range lies within `0..<count`, and the stride is positive.
  /// - Complexity: O(log chunks + number of chunks in the range + number of keys visited).
  @inlinable
  package func forEachKey<Failure: Error>(
    in range: Range<Int>,
    every stride: Int = 1,
    _ body: (_ position: Int, _ key: UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "range out of bounds")
    precondition(stride > 0, "stride not positive")
    guard !range.isEmpty else { return }
    var chunk = chunkIndex(containing: range.lowerBound)
    var position = range.lowerBound
    while position < range.upperBound {
      let start = starts[chunk]
      let last = min(range.upperBound, start + chunks[chunk].count)
      if chunks[chunk].isPacked {
        try chunks[chunk].withReader { (reader) throws(Failure) -> Void in
          while position < last {
            reader.read(position - start)
            try body(position, reader.key)
            position = stride < range.upperBound - position ? position + stride : range.upperBound
          }
        }
      } else {
        try chunks[chunk].withStoredKeys { (keys) throws(Failure) -> Void in
          while position < last {
            try body(position, keys[position - start])
            position = stride < range.upperBound - position ? position + stride : range.upperBound
          }
        }
      }
      chunk += 1
    }
  }

  /// The index of the chunk that holds a position, which must be in range.
  @inlinable
  func chunkIndex(containing position: Int) -> Int {
    starts.withUnsafeBufferPointer { starts in
      var low = 0
      var high = starts.count
      while high &- low > 1 {
        let middle = low &+ (high &- low) / 2
        if starts[middle] <= position { low = middle } else { high = middle }
      }
      return low
    }
  }

  /// Corrects the prefix counts of all chunks from `chunk` on, and the total.
  private mutating func recount(from chunk: Int) {
    var start = chunk == 0 ? 0 : starts[chunk - 1] + chunks[chunk - 1].count
    starts.removeSubrange(chunk...)
    starts.reserveCapacity(chunks.count)
    for index in chunk..<chunks.count {
      starts.append(start)
      start += chunks[index].count
    }
    count = start
  }
}

extension SortedKeyList: Equatable {
  /// Whether both lists hold the same keys.
  ///
  /// - Complexity: O(number of keys in chunks the lists do not share).
  @usableFromInline
  package static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && difference(from: left, to: right).isEmpty
  }
}

// MARK: - Search

extension SortedKeyList {
  /// The number of keys that sort before `key`, which need not be in the list.
  ///
  /// - Complexity: O(log count) comparisons.
  package func rank(of key: UnsafeRawBufferPointer) -> Int {
    guard !isEmpty else { return 0 }
    let found = locate(key)
    return starts[found.chunk] + found.offset
  }

  /// The number of keys that sort before `key`, which need not be in the list.
  ///
  /// - Complexity: O(log count) comparisons.
  package func rank(of key: [UInt8]) -> Int {
    key.withUnsafeBytes { rank(of: $0) }
  }

  /// The position of `key`, or nil if the list does not hold it.
  ///
  /// - Complexity: O(log count) comparisons.
  package func position(of key: UnsafeRawBufferPointer) -> Int? {
    guard !isEmpty else { return nil }
    let found = locate(key)
    return found.isFound ? starts[found.chunk] + found.offset : nil
  }

  /// The position of `key`, or nil if the list does not hold it.
  ///
  /// - Complexity: O(log count) comparisons.
  package func position(of key: [UInt8]) -> Int? {
    key.withUnsafeBytes { position(of: $0) }
  }

  /// Whether the list holds `key`.
  ///
  /// - Complexity: O(log count) comparisons.
  package func contains(_ key: UnsafeRawBufferPointer) -> Bool {
    position(of: key) != nil
  }

  /// Whether the list holds `key`.
  ///
  /// - Complexity: O(log count) comparisons.
  package func contains(_ key: [UInt8]) -> Bool {
    position(of: key) != nil
  }

  /// The position of the first key that begins with `prefix`, or nil if none does.
  ///
  /// - Complexity: O(log count) comparisons.
  package func firstPosition(withPrefix prefix: UnsafeRawBufferPointer) -> Int? {
    let position = rank(of: prefix)
    guard position < count else { return nil }
    let begins = withKey(at: position) { key in
      key.count >= prefix.count
        && KeyOrder.compare(UnsafeRawBufferPointer(rebasing: key[..<prefix.count]), prefix) == 0
    }
    return begins ? position : nil
  }

  /// The position of the first key that begins with `prefix`, or nil if none does.
  ///
  /// - Complexity: O(log count) comparisons.
  package func firstPosition(withPrefix prefix: [UInt8]) -> Int? {
    prefix.withUnsafeBytes { firstPosition(withPrefix: $0) }
  }

  /// The positions of all keys that begin with `prefix`, empty at its rank if none does.
  ///
  /// - Complexity: O(log count) comparisons.
  package func positions(withPrefix prefix: [UInt8]) -> Range<Int> {
    let first = rank(of: prefix)
    var successor = prefix
    // The smallest key greater than all keys with the prefix: the prefix with its last byte incremented.
    while let last = successor.popLast() {
      guard last < .max else { continue }
      successor.append(last + 1)
      return first..<rank(of: successor)
    }
    return first..<count
  }

  /// Finds the position of `key`, or its insertion point; the list must not be empty.
  @inline(__always)
  private func locate(_ key: UnsafeRawBufferPointer) -> (chunk: Int, offset: Int, isFound: Bool) {
    let chunk = chunkIndex(for: key, from: 0)
    let found = chunks[chunk].search(key)
    return (chunk, found.position, found.isFound)
  }

  /// The last chunk at or after `low` whose first key is not greater than `key`; `low` if there is none.
  @inline(__always)
  func chunkIndex(for key: UnsafeRawBufferPointer, from low: Int) -> Int {
    chunks.withUnsafeBufferPointer { chunks in
      var low = low
      var high = chunks.count
      while high &- low > 1 {
        let middle = low &+ (high &- low) / 2
        if chunks[middle].compareFirst(to: key) <= 0 { low = middle } else { high = middle }
      }
      return low
    }
  }
}

// MARK: - Edits

extension SortedKeyList {
  /// Inserts a key.
  ///
  /// - Returns: The position of the new key, or nil if the list already held it.
  /// - Complexity: O(log count) comparisons, then O(chunk + number of chunks) moves.
  @discardableResult
  package mutating func insert(_ key: UnsafeRawBufferPointer) -> Int? {
    guard !isEmpty else {
      chunks = [KeyChunk(key)]
      recount(from: 0)
      return 0
    }
    let found = locate(key)
    guard !found.isFound else { return nil }
    let position = starts[found.chunk] + found.offset
    if position == count, chunks[found.chunk].count >= limits.targetCount {
      // A split would leave half-empty chunks if keys are inserted in ascending order.
      chunks.append(KeyChunk(key))
      starts.append(count)
      count += 1
      return position
    }
    chunks[found.chunk].insert(key, at: found.offset)
    let byteCount = chunks[found.chunk].byteCount
    if limits.allows(count: chunks[found.chunk].count, byteCount: byteCount) {
      shiftStarts(after: found.chunk, by: 1)
    } else {
      let parts = chunks[found.chunk].split(within: limits)
      chunks.replaceSubrange(found.chunk...found.chunk, with: parts)
      recount(from: found.chunk)
    }
    return position
  }

  /// Inserts a key.
  ///
  /// - Returns: The position of the new key, or nil if the list already held it.
  /// - Complexity: O(log count) comparisons, then O(chunk + number of chunks) moves.
  @discardableResult
  package mutating func insert(_ key: [UInt8]) -> Int? {
    key.withUnsafeBytes { insert($0) }
  }

  /// Removes a key.
  ///
  /// - Returns: The position the key had, or nil if the list did not hold it.
  /// - Complexity: O(log count) comparisons, then O(chunk + number of chunks) moves.
  @discardableResult
  package mutating func remove(_ key: UnsafeRawBufferPointer) -> Int? {
    guard !isEmpty else { return nil }
    let found = locate(key)
    guard found.isFound else { return nil }
    let position = starts[found.chunk] + found.offset
    remove(at: found.offset, inChunk: found.chunk)
    return position
  }

  /// Removes a key.
  ///
  /// - Returns: The position the key had, or nil if the list did not hold it.
  /// - Complexity: O(log count) comparisons, then O(chunk + number of chunks) moves.
  @discardableResult
  package mutating func remove(_ key: [UInt8]) -> Int? {
    key.withUnsafeBytes { remove($0) }
  }

  /// Removes the key at a position.
  ///
  /// - Precondition: `0 <= position < count`.
  /// - Complexity: O(chunk + number of chunks) moves.
  package mutating func remove(at position: Int) {
    precondition(position >= 0 && position < count, "position out of range")
    let chunk = chunkIndex(containing: position)
    remove(at: position - starts[chunk], inChunk: chunk)
  }

  private mutating func remove(at offset: Int, inChunk chunk: Int) {
    guard chunks[chunk].count > 1 else {
      chunks.remove(at: chunk)
      recount(from: chunk)
      return
    }
    chunks[chunk].remove(at: offset)
    shiftStarts(after: chunk, by: -1)
    guard limits.isSmall(count: chunks[chunk].count, byteCount: chunks[chunk].byteCount) else {
      return
    }
    mergeWithNeighbour(chunk)
  }

  /// Joins a small chunk with the smaller of its neighbours, if both fit into one chunk.
  private mutating func mergeWithNeighbour(_ chunk: Int) {
    let neighbours = [chunk - 1, chunk + 1].filter(chunks.indices.contains)
    guard let neighbour = neighbours.min(by: { chunks[$0].count < chunks[$1].count }) else {
      return
    }
    let left = min(chunk, neighbour)
    let joinedCount = chunks[left].count + chunks[left + 1].count
    let joinedByteCount = chunks[left].byteCount + chunks[left + 1].byteCount
    guard joinedCount <= limits.targetCount, joinedByteCount <= limits.targetByteCount else {
      return
    }
    let right = chunks.remove(at: left + 1)
    starts.remove(at: left + 1)
    chunks[left].append(right)
    chunks[left].pack(within: limits)
  }

  private mutating func shiftStarts(after chunk: Int, by delta: Int) {
    count += delta
    starts.withUnsafeMutableBufferPointer { starts in
      for later in (chunk + 1)..<max(chunk + 1, starts.count) { starts[later] &+= delta }
    }
  }
}

// MARK: - Bulk edits

extension SortedKeyList {
  /// Removes and inserts many keys in one pass over the chunks they fall into.
  ///
  /// All removals happen before all insertions, so a key that is in both stays in the list.
  ///
  /// - Parameters:
  ///   - removals: Keys of the list, strictly ascending.
  ///   - insertions: Keys that are not in the list after the removals, strictly ascending.
  /// - Returns: The old position of every removal and the new position of every insertion.
  /// - Throws: `SortedKeyListError`; the list is then unchanged.
  /// - Complexity: O(changes · log count) comparisons, and O(keys of the touched chunks + number
  ///   of chunks) moves.
  @discardableResult
  package mutating func apply(
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
        if let difference = applyOneByOne(removals: removals, insertions: insertions) {
          return difference
        }
        var merge = SortedKeyMerge(list: self, removals: removals, insertions: insertions)
        try merge.run()
        let replacements = merge.replacements
        let difference = merge.difference
        // The merge holds a copy of the list; end its lifetime first, or replacing chunks would copy them.
        _ = consume merge
        replace(replacements)
        return difference
      }
    }
  }

  /// Removes and inserts many keys, as `apply(removals:insertions:)` does with batches.
  ///
  /// - Throws: `SortedKeyListError`; the list is then unchanged.
  @discardableResult
  package mutating func apply(
    removals: [[UInt8]],
    insertions: [[UInt8]]
  ) throws(SortedKeyListError) -> SortedKeyDifference {
    try apply(removals: KeyBatch(removals), insertions: KeyBatch(insertions))
  }

  /// Removes and inserts a few keys of a packed list one after another: each edit restores a group, and a merge would restore chunks.
  /// - Returns: `nil` if the list is not packed, if there are many keys, or if one does not fit; the list is then unchanged.
  private mutating func applyOneByOne(
    removals: FlatKeys<Int>,
    insertions: FlatKeys<Int>
  ) -> SortedKeyDifference? {
    guard limits.packedCount < .max, removals.count + insertions.count <= 8 else { return nil }
    var edited = self
    var difference = SortedKeyDifference(removals: [], insertions: [])
    for index in 0..<removals.count {
      guard let position = edited.remove(removals[index]) else { return nil }
      difference.removals.append(position + index)
    }
    for index in 0..<insertions.count {
      guard let position = edited.insert(insertions[index]) else { return nil }
      difference.insertions.append(position)
    }
    self = edited
    return difference
  }

  /// Replaces ascending ranges of chunks.
  private mutating func replace(_ replacements: [SortedKeyMerge.Replacement]) {
    guard let first = replacements.first else { return }
    if replacements.allSatisfy({ $0.range.count == $0.chunks.count }) {
      for replacement in replacements {
        for (index, chunk) in zip(replacement.range, replacement.chunks) { chunks[index] = chunk }
      }
    } else {
      var rebuilt: [KeyChunk] = []
      rebuilt.reserveCapacity(chunks.count + replacements.count)
      var next = 0
      for replacement in replacements {
        rebuilt.append(contentsOf: chunks[next..<replacement.range.lowerBound])
        rebuilt.append(contentsOf: replacement.chunks)
        next = replacement.range.upperBound
      }
      rebuilt.append(contentsOf: chunks[next...])
      chunks = rebuilt
    }
    recount(from: first.range.lowerBound)
  }
}

// MARK: - Appending

extension SortedKeyList {
  /// Appends keys that ascend strictly and all sort after the last key of the list.
  ///
  /// - Throws: `SortedKeyListError.duplicate` or `.outOfOrder` for the first offending key; the
  ///   list is then unchanged.
  /// - Complexity: O(number of bytes).
  package mutating func append(_ batch: KeyBatch) throws(SortedKeyListError) {
    try batch.withFlatKeys { (keys) throws(SortedKeyListError) -> Void in
      try verify(appending: keys)
      append(verified: keys)
    }
  }

  /// Appends keys of one arena, given the end offset of each, as `append(_:)` does.
  ///
  /// - Throws: `MalformedKeyBatch` or `SortedKeyListError`; the list is then unchanged.
  /// - Complexity: O(number of bytes).
  package mutating func append(bytes: [UInt8], ends: [Int]) throws {
    try append(KeyBatch(bytes: bytes, ends: ends))
  }

  private func verify(appending keys: FlatKeys<Int>) throws(SortedKeyListError) {
    guard keys.count > 0 else { return }
    if let last = chunks.last {
      let order = last.withKey(at: last.count - 1) { KeyOrder.compare($0, keys[0]) }
      if order == 0 { throw .duplicate(batchPosition: 0, listPosition: count) }
      if order > 0 { throw .outOfOrder(batchPosition: 0, listPosition: count) }
    }
    guard let violation = keys.firstViolation() else { return }
    let position = violation.position
    if violation.isDuplicate {
      throw .duplicate(batchPosition: position, listPosition: count + position)
    }
    throw .outOfOrder(batchPosition: position, listPosition: count + position)
  }

  private mutating func append(verified keys: FlatKeys<Int>) {
    var next = 0
    if let last = chunks.indices.last {
      // Fill the last chunk first: a list built from small batches would consist of small chunks.
      next = Self.end(of: keys, from: 0, fittingInto: chunks[last], within: limits)
      chunks[last].append(keys, in: 0..<next, within: limits)
    }
    while next < keys.count {
      let limits = allLimits.limits(forListOf: count + next)
      let end = max(
        Self.end(of: keys, from: next, fittingInto: KeyChunk(), within: limits),
        next + 1
      )
      chunks.append(KeyChunk(keys, in: next..<end, within: limits))
      next = end
    }
    recount(from: starts.count)
  }

  /// The end of the longest run of keys that fits into `chunk` within the target size.
  private static func end(
    of keys: FlatKeys<Int>,
    from first: Int,
    fittingInto chunk: KeyChunk,
    within limits: KeyChunkLimits
  ) -> Int {
    let room = limits.targetByteCount - chunk.byteCount
    var low = first
    var high = min(keys.count, first + max(0, limits.targetCount - chunk.count))
    while low < high {
      let middle = (low + high + 1) / 2
      if keys.ends[middle - 1] - keys.start(of: first) <= room {
        low = middle
      } else {
        high = middle - 1
      }
    }
    return low
  }
}

// MARK: - Slices and size

extension SortedKeyList {
  /// Returns the keys in a range of positions as a list that shares every whole chunk with this one.
  ///
  /// - Precondition: The range lies within `0..<count`.
  /// - Complexity: O(number of chunks in the range + chunk).
  package func slice(_ range: Range<Int>) -> SortedKeyList {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "range out of bounds")
    guard range != 0..<count else { return self }
    var result = SortedKeyList(limits: allLimits)
    guard !range.isEmpty else { return result }
    let first = chunkIndex(containing: range.lowerBound)
    let last = chunkIndex(containing: range.upperBound - 1)
    result.chunks.reserveCapacity(last - first + 1)
    for index in first...last {
      let chunk = chunks[index]
      let part = range.clamped(to: starts[index]..<(starts[index] + chunk.count))
      if part.count == chunk.count {
        result.chunks.append(chunk)
      } else {
        let offsets = (part.lowerBound - starts[index])..<(part.upperBound - starts[index])
        result.chunks.append(
          chunk.withFlatKeys { KeyChunk($0, in: offsets, within: limits) }
        )
      }
    }
    result.recount(from: 0)
    return result
  }
}

extension SortedKeyList {
  /// The number of bytes of the keys and their end offsets in memory, without the overhead of the chunks.
  ///
  /// - Complexity: O(chunks).
  package var byteCount: Int { chunks.reduce(0) { $0 + $1.storedByteCount } }
}

// MARK: - Invariants

extension SortedKeyList {
  /// Checks the list's bookkeeping.
  ///
  /// - Returns: A description of the first violated invariant, or nil if the list is sound.
  /// - Complexity: O(number of bytes).
  package func checkInvariants() -> String? {
    guard starts.count == chunks.count else {
      return "\(chunks.count) chunks, but \(starts.count) starts"
    }
    var total = 0
    var previous: [UInt8]?
    for (index, chunk) in chunks.enumerated() {
      guard starts[index] == total else { return "chunk \(index) starts at \(starts[index])" }
      guard chunk.count > 0 else { return "chunk \(index) is empty" }
      guard limits.allows(count: chunk.count, byteCount: chunk.byteCount) else {
        return "chunk \(index) holds \(chunk.count) keys, \(chunk.byteCount) bytes"
      }
      if let violation = chunk.packingViolation { return "chunk \(index) \(violation)" }
      let flat = chunk.flattened()
      guard flat.count == chunk.count, flat.bytes.count == chunk.byteCount,
        Int(flat.ends[flat.count - 1]) == flat.bytes.count
      else { return "chunk \(index) has bytes after its last key" }
      var start = 0
      for (offset, end) in flat.ends.enumerated() {
        guard end >= start else { return "chunk \(index) has a negative length at \(offset)" }
        let key = Array(flat.bytes[start..<Int(end)])
        if let previous, KeyOrder.compare(previous, key) >= 0 {
          return "position \(total + offset) is not after its predecessor"
        }
        previous = key
        start = Int(end)
      }
      total += chunk.count
    }
    return count == total ? nil : "count is \(count), not \(total)"
  }

  /// The number of chunks, for tests of how they split and merge.
  package var chunkCount: Int { chunks.count }

  /// The number of chunks that share their storage with another list, for tests.
  package func chunkCountShared(with other: SortedKeyList) -> Int {
    chunks.count { chunk in other.chunks.contains { $0.isSameStorage(as: chunk) } }
  }
}

// MARK: - Errors

/// An error about keys that cannot be added to or removed from a `SortedKeyList`; the list is unchanged.
package enum SortedKeyListError: Error, Hashable, Sendable {
  /// The key at `batchPosition` equals the key before it, which is at `listPosition - 1`.
  case duplicate(batchPosition: Int, listPosition: Int)

  /// The key at `batchPosition` sorts before the key before it, which is at `listPosition - 1`.
  case outOfOrder(batchPosition: Int, listPosition: Int)

  /// The removals of a bulk edit do not ascend strictly: the one at `position` is the first that
  /// is not greater than its predecessor.
  case unsortedRemovals(position: Int)

  /// The insertions of a bulk edit do not ascend strictly: the one at `position` is the first
  /// that is not greater than its predecessor.
  case unsortedInsertions(position: Int)

  /// The removal at `position` of a bulk edit names a key that the list does not hold.
  case missing(position: Int)

  /// The insertion at `position` of a bulk edit names a key the list holds at `listPosition`,
  /// counted before the edit.
  case present(position: Int, listPosition: Int)
}
