extension SortedKeyList {
  /// Appends keys that ascend strictly and all sort after the last key of the list.
  ///
  /// - Throws: `SortedKeyListError.duplicate` or `.outOfOrder` for the first offending key; the
  ///   list is then unchanged.
  /// - Complexity: O(number of bytes).
  public mutating func append(_ batch: KeyBatch) throws(SortedKeyListError) {
    try batch.withFlatKeys { (keys) throws(SortedKeyListError) -> Void in
      try verify(appending: keys)
      append(verified: keys)
    }
  }

  /// Appends keys of one arena, given the end offset of each, as `append(_:)` does.
  ///
  /// - Throws: `MalformedKeyBatch` or `SortedKeyListError`; the list is then unchanged.
  /// - Complexity: O(number of bytes).
  public mutating func append(bytes: [UInt8], ends: [Int]) throws {
    try append(KeyBatch(bytes: bytes, ends: ends))
  }

  private func verify(appending keys: FlatKeys<Int>) throws(SortedKeyListError) {
    guard keys.count > 0 else { return }
    if let last = chunks.last {
      let order = last.withFlatKeys { KeyOrder.compare($0[$0.count - 1], keys[0]) }
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

  mutating func append(verified keys: FlatKeys<Int>) {
    var next = 0
    if let last = chunks.indices.last {
      // Fill the last chunk first, or a list built from small batches would be all small chunks.
      next = Self.end(of: keys, from: 0, beside: chunks[last], within: limits)
      chunks[last].append(keys, in: 0..<next)
    }
    while next < keys.count {
      let end = max(
        Self.end(of: keys, from: next, beside: KeyChunk(), within: limits),
        next + 1
      )
      chunks.append(KeyChunk(keys, in: next..<end))
      next = end
    }
    recount(from: starts.count)
  }

  /// The end of the longest run of keys that fits into the target size beside `chunk`.
  private static func end(
    of keys: FlatKeys<Int>,
    from first: Int,
    beside chunk: KeyChunk,
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
