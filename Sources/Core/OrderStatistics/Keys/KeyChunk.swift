/// A short run of ascending keys in one arena: the unit that snapshots of a list share.
@usableFromInline
struct KeyChunk: Sendable {
  @usableFromInline private(set) var bytes: [UInt8] = []
  @usableFromInline private(set) var ends: [UInt32] = []

  init() {}

  init(_ key: UnsafeRawBufferPointer) {
    bytes = Array(key)
    ends = [UInt32(key.count)]
  }

  /// Takes over the bytes of a batch that fits into a chunk.
  init(_ batch: KeyBatch) {
    bytes = batch.bytes
    ends = batch.ends.map { UInt32($0) }
  }

  /// Copies the keys of `range`.
  init(_ keys: FlatKeys<some FixedWidthInteger & Sendable>, in range: Range<Int>) {
    append(keys, in: range)
  }

  @inlinable
  var count: Int { ends.count }
  var byteCount: Int { bytes.count }

  @inlinable
  @inline(__always)
  func withFlatKeys<Result, Failure: Error>(
    _ body: (FlatKeys<UInt32>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withUnsafeBufferPointer { (bytes) throws(Failure) -> Result in
      try ends.withUnsafeBufferPointer { (ends) throws(Failure) -> Result in
        try body(FlatKeys(bytes: UnsafeRawBufferPointer(bytes), ends: ends))
      }
    }
  }

  /// Whether both chunks share the same storage, and hence hold equal keys.
  func isSameStorage(as other: KeyChunk) -> Bool {
    ends.withUnsafeBufferPointer { ends in
      other.ends.withUnsafeBufferPointer { otherEnds in
        ends.count == otherEnds.count && ends.baseAddress == otherEnds.baseAddress
      }
    }
      && bytes.withUnsafeBufferPointer { bytes in
        other.bytes.withUnsafeBufferPointer { bytes.baseAddress == $0.baseAddress }
      }
  }

  mutating func append(_ key: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: key.assumingMemoryBound(to: UInt8.self))
    ends.append(UInt32(bytes.count))
  }

  mutating func append(
    _ keys: FlatKeys<some FixedWidthInteger & Sendable>,
    in range: Range<Int>
  ) {
    guard !range.isEmpty else { return }
    let first = keys.start(of: range.lowerBound)
    let last = Int(truncatingIfNeeded: keys.ends[range.upperBound - 1])
    let shift = bytes.count - first
    bytes.append(
      contentsOf: UnsafeRawBufferPointer(rebasing: keys.bytes[first..<last])
        .assumingMemoryBound(to: UInt8.self)
    )
    ends.append(
      contentsOf: keys.ends[range].lazy.map {
        UInt32(truncatingIfNeeded: Int(truncatingIfNeeded: $0) &+ shift)
      }
    )
  }

  mutating func append(_ other: KeyChunk) {
    other.withFlatKeys { append($0, in: 0..<other.count) }
  }

  mutating func insert(_ key: UnsafeRawBufferPointer, at position: Int) {
    let start = position == 0 ? 0 : Int(ends[position - 1])
    let tail = bytes.count - start
    // Appending first lets the array grow, or copy shared memory, once.
    bytes.append(contentsOf: key.assumingMemoryBound(to: UInt8.self))
    if tail > 0 {
      bytes.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress, let keyBase = key.baseAddress else { return }
        (base + start + key.count).copyMemory(from: base + start, byteCount: tail)
        (base + start).copyMemory(from: keyBase, byteCount: key.count)
      }
    }
    let length = UInt32(key.count)
    ends.insert(UInt32(start), at: position)
    ends.withUnsafeMutableBufferPointer { ends in
      for later in position..<ends.count { ends[later] &+= length }
    }
  }

  mutating func remove(at position: Int) {
    let start = position == 0 ? 0 : Int(ends[position - 1])
    let length = ends[position] - UInt32(start)
    bytes.removeSubrange(start..<(start + Int(length)))
    ends.remove(at: position)
    ends.withUnsafeMutableBufferPointer { ends in
      for later in position..<ends.count { ends[later] &-= length }
    }
  }

  /// Splits the chunk into chunks of about equal size within the limits.
  func split(within limits: KeyChunkLimits) -> [KeyChunk] {
    guard !limits.allows(count: count, byteCount: byteCount) else { return [self] }
    return withFlatKeys { Self.split($0, within: limits) }
  }

  /// Copies keys into chunks of about equal size, each about the target size.
  static func split(
    _ keys: FlatKeys<some FixedWidthInteger & Sendable>,
    within limits: KeyChunkLimits
  ) -> [KeyChunk] {
    let count = keys.count
    let byCount = (count + limits.targetCount - 1) / limits.targetCount
    let byBytes = (keys.bytes.count + limits.targetByteCount - 1) / limits.targetByteCount
    let wanted = max(1, min(count, max(byCount, byBytes)))
    let perChunk = (count + wanted - 1) / wanted
    var chunks: [KeyChunk] = []
    chunks.reserveCapacity(wanted)
    var first = 0
    while first < count {
      var last = min(first + perChunk, count)
      let start = keys.start(of: first)
      while last - first > 1,
        Int(truncatingIfNeeded: keys.ends[last - 1]) - start > limits.maximumByteCount
      {
        last -= 1
      }
      chunks.append(KeyChunk(keys, in: first..<last))
      first = last
    }
    return chunks
  }
}

// MARK: - Limits

/// How large the chunks of a `SortedKeyList` may grow.
///
/// An insertion moves the bytes of at most one chunk, and the first one after a snapshot copies it:
/// the limits trade that copy against the number of chunks to search.
package struct KeyChunkLimits: Sendable, Hashable {
  /// The largest number of keys in a chunk.
  package let maximumCount: Int

  /// The largest number of bytes in a chunk of two or more keys.
  package let maximumByteCount: Int

  /// Creates limits.
  ///
  /// - Precondition: Both are at least 4.
  package init(maximumCount: Int, maximumByteCount: Int) {
    precondition(maximumCount >= 4 && maximumByteCount >= 4, "chunk limits too small")
    self.maximumCount = maximumCount
    self.maximumByteCount = maximumByteCount
  }

  /// The limits of every list, except in tests.
  package static let standard = KeyChunkLimits(maximumCount: 512, maximumByteCount: 65_536)

  /// Bulk building fills chunks to three quarters and leaves room for insertions.
  var targetCount: Int { maximumCount * 3 / 4 }
  var targetByteCount: Int { maximumByteCount * 3 / 4 }

  func allows(count: Int, byteCount: Int) -> Bool {
    count <= maximumCount && (byteCount <= maximumByteCount || count < 2)
  }

  /// Whether a chunk is small enough to be merged with a neighbour.
  func isSmall(count: Int, byteCount: Int) -> Bool {
    count < maximumCount / 4 && byteCount < maximumByteCount / 4
  }
}
