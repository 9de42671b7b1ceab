extension SortedKeyList {
  /// Looks for damage in the list's own bookkeeping.
  ///
  /// - Returns: What the first violated invariant is, or nil if the list is sound.
  /// - Complexity: O(number of bytes).
  public func checkInvariants() -> String? {
    guard starts.count == chunks.count else { return "\(chunks.count) chunks, not as many starts" }
    var total = 0
    var previous: [UInt8]?
    for (index, chunk) in chunks.enumerated() {
      guard starts[index] == total else { return "chunk \(index) starts at \(starts[index])" }
      guard chunk.count > 0 else { return "chunk \(index) is empty" }
      guard limits.allows(count: chunk.count, byteCount: chunk.byteCount) else {
        return "chunk \(index) holds \(chunk.count) keys, \(chunk.byteCount) bytes"
      }
      guard Int(chunk.ends[chunk.count - 1]) == chunk.byteCount else {
        return "chunk \(index) has bytes after its last key"
      }
      var start = 0
      for (offset, end) in chunk.ends.enumerated() {
        guard end >= start else { return "chunk \(index) has a negative length at \(offset)" }
        let key = Array(chunk.bytes[start..<Int(end)])
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

  /// The number of chunks whose memory another list holds too, for tests of what is shared.
  package func chunkCountShared(with other: SortedKeyList) -> Int {
    chunks.count { chunk in other.chunks.contains { $0.isSameStorage(as: chunk) } }
  }
}
