/// An ascending list of distinct byte keys that knows the position of every key.
///
/// Keys compare as `memcmp`, then by length. They lie in chunks of a few hundred, each one arena
/// of bytes with the end of each key. A copy is a snapshot that shares all chunks: the first edit
/// after it copies one chunk and the outer array, never the keys of other chunks. A key may be up
/// to 2 GiB long.
public struct SortedKeyList: Sendable {
  var chunks: [KeyChunk] = []
  /// The number of keys in all chunks before each chunk.
  var starts: [Int] = []
  let limits: KeyChunkLimits

  /// The number of keys.
  ///
  /// - Complexity: O(1).
  public internal(set) var count = 0

  /// Creates an empty list.
  public init() {
    self.init(limits: .standard)
  }

  package init(limits: KeyChunkLimits) {
    self.limits = limits
  }

  /// Creates a list of keys that already ascend.
  ///
  /// - Throws: `SortedKeyListError.duplicate` or `.outOfOrder`.
  /// - Complexity: O(number of bytes).
  public init(sorted batch: KeyBatch) throws(SortedKeyListError) {
    self.init()
    try append(batch)
  }

  /// Creates a list of separate keys that already ascend.
  ///
  /// - Throws: `SortedKeyListError.duplicate` or `.outOfOrder`.
  /// - Complexity: O(number of bytes).
  public init(sorted keys: some Sequence<[UInt8]>) throws(SortedKeyListError) {
    try self.init(sorted: KeyBatch(keys))
  }

  /// Whether the list holds no key.
  public var isEmpty: Bool { count == 0 }

  /// A copy of the key at a position.
  ///
  /// - Precondition: `0 <= position < count`.
  /// - Complexity: O(log chunks).
  public func key(at position: Int) -> [UInt8] {
    withKey(at: position) { Array($0) }
  }

  /// Calls a closure with the key at a position, without a copy.
  ///
  /// The bytes are valid only until the closure returns.
  ///
  /// - Precondition: `0 <= position < count`.
  /// - Complexity: O(log chunks).
  public func withKey<Result, Failure: Error>(
    at position: Int,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(position >= 0 && position < count, "position out of range")
    let chunk = chunkIndex(containing: position)
    let offset = position - starts[chunk]
    return try chunks[chunk].withFlatKeys { (keys) throws(Failure) -> Result in
      try body(keys[offset])
    }
  }

  /// Calls a closure with each position of a range and its key, ascending and without copies.
  ///
  /// The bytes are valid only until the closure returns.
  ///
  /// - Precondition: The range lies within `0..<count`.
  /// - Complexity: O(log chunks + length of the range).
  public func forEachKey<Failure: Error>(
    in range: Range<Int>,
    _ body: (_ position: Int, _ key: UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "range out of bounds")
    guard !range.isEmpty else { return }
    var chunk = chunkIndex(containing: range.lowerBound)
    var position = range.lowerBound
    while position < range.upperBound {
      let start = starts[chunk]
      let last = min(range.upperBound, start + chunks[chunk].count)
      try chunks[chunk].withFlatKeys { (keys) throws(Failure) -> Void in
        while position < last {
          try body(position, keys[position - start])
          position += 1
        }
      }
      chunk += 1
    }
  }

  /// The chunk that holds a position, which must be in range.
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
  mutating func recount(from chunk: Int) {
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
  public static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && difference(from: left, to: right).isEmpty
  }
}
