extension SortedKeyList {
  /// The list of the keys at a range of positions, which shares every whole chunk with this one.
  ///
  /// - Precondition: The range lies within `0..<count`.
  /// - Complexity: O(number of chunks in the range + chunk).
  public func slice(_ range: Range<Int>) -> SortedKeyList {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "range out of bounds")
    guard range != 0..<count else { return self }
    var result = SortedKeyList(limits: limits)
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
        result.chunks.append(chunk.withFlatKeys { KeyChunk($0, in: offsets) })
      }
    }
    result.recount(from: 0)
    return result
  }
}

extension SortedKeyList {
  /// How many bytes the keys and their ends take in memory, without what the chunks themselves take.
  ///
  /// - Complexity: O(chunks).
  public var byteCount: Int {
    chunks.reduce(0) { $0 + $1.byteCount } + count * MemoryLayout<UInt32>.size
  }
}
