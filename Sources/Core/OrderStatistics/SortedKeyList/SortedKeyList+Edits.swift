extension SortedKeyList {
  /// Inserts a key at its place.
  ///
  /// - Returns: The position of the new key, or nil if the list already held it.
  /// - Complexity: O(log count) comparisons, then O(chunk + number of chunks) moves.
  @discardableResult
  public mutating func insert(_ key: UnsafeRawBufferPointer) -> Int? {
    guard !isEmpty else {
      chunks = [KeyChunk(key)]
      recount(from: 0)
      return 0
    }
    let place = locate(key)
    guard !place.isFound else { return nil }
    let position = starts[place.chunk] + place.offset
    if position == count, chunks[place.chunk].count >= limits.targetCount {
      // Keys that arrive in ascending order fill chunks instead of leaving halves behind.
      chunks.append(KeyChunk(key))
      starts.append(count)
      count += 1
      return position
    }
    chunks[place.chunk].insert(key, at: place.offset)
    let byteCount = chunks[place.chunk].byteCount
    if limits.allows(count: chunks[place.chunk].count, byteCount: byteCount) {
      shiftStarts(after: place.chunk, by: 1)
    } else {
      let pieces = chunks[place.chunk].pieces(within: limits)
      chunks.replaceSubrange(place.chunk...place.chunk, with: pieces)
      recount(from: place.chunk)
    }
    return position
  }

  /// Inserts a key at its place.
  ///
  /// - Returns: The position of the new key, or nil if the list already held it.
  /// - Complexity: O(log count) comparisons, then O(chunk + number of chunks) moves.
  @discardableResult
  public mutating func insert(_ key: [UInt8]) -> Int? {
    key.withUnsafeBytes { insert($0) }
  }

  /// Removes a key.
  ///
  /// - Returns: The position the key had, or nil if the list did not hold it.
  /// - Complexity: O(log count) comparisons, then O(chunk + number of chunks) moves.
  @discardableResult
  public mutating func remove(_ key: UnsafeRawBufferPointer) -> Int? {
    guard !isEmpty else { return nil }
    let place = locate(key)
    guard place.isFound else { return nil }
    let position = starts[place.chunk] + place.offset
    remove(at: place.offset, inChunk: place.chunk)
    return position
  }

  /// Removes a key.
  ///
  /// - Returns: The position the key had, or nil if the list did not hold it.
  /// - Complexity: O(log count) comparisons, then O(chunk + number of chunks) moves.
  @discardableResult
  public mutating func remove(_ key: [UInt8]) -> Int? {
    key.withUnsafeBytes { remove($0) }
  }

  /// Removes the key at a position.
  ///
  /// - Precondition: `0 <= position < count`.
  /// - Complexity: O(chunk + number of chunks) moves.
  public mutating func remove(at position: Int) {
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
  }

  private mutating func shiftStarts(after chunk: Int, by delta: Int) {
    count += delta
    starts.withUnsafeMutableBufferPointer { starts in
      for later in (chunk + 1)..<max(chunk + 1, starts.count) { starts[later] &+= delta }
    }
  }
}
