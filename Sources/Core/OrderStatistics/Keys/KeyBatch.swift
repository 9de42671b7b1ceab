/// Byte keys in one flat arena, so that appending a key allocates nothing of its own.
///
/// Keys are in the order in which they were appended; a batch neither sorts nor removes duplicates.
package struct KeyBatch: Sendable, Hashable {
  /// All keys, one directly after the other.
  package private(set) var bytes: [UInt8]

  /// The offset in `bytes` just past each key.
  package private(set) var ends: [Int]

  /// Creates an empty batch.
  package init() {
    bytes = []
    ends = []
  }

  /// Creates a batch from an arena and the end offset of each key.
  ///
  /// - Throws: `MalformedKeyBatch` if the offsets descend, or the last is not the arena's length.
  /// - Complexity: O(number of keys).
  package init(bytes: [UInt8], ends: [Int]) throws(MalformedKeyBatch) {
    var previous = 0
    for (position, end) in ends.enumerated() {
      guard end >= previous, end <= bytes.count else { throw MalformedKeyBatch(position: position) }
      previous = end
    }
    guard previous == bytes.count else { throw MalformedKeyBatch(position: ends.count) }
    self.bytes = bytes
    self.ends = ends
  }

  /// Creates a batch from separate keys.
  ///
  /// - Complexity: O(number of bytes).
  package init(_ keys: some Sequence<[UInt8]>) {
    self.init()
    for key in keys { append(key) }
  }

  /// The number of keys.
  package var count: Int { ends.count }

  /// Whether there is no key.
  package var isEmpty: Bool { ends.isEmpty }

  /// The key at a position of the batch.
  ///
  /// - Precondition: `0 <= position < count`.
  package subscript(position: Int) -> [UInt8] {
    Array(bytes[(position == 0 ? 0 : ends[position - 1])..<ends[position]])
  }

  /// Appends one key.
  ///
  /// - Complexity: O(length of the key), amortised.
  package mutating func append(_ key: [UInt8]) {
    bytes.append(contentsOf: key)
    ends.append(bytes.count)
  }

  /// Appends one key from borrowed memory.
  ///
  /// - Complexity: O(length of the key), amortised.
  package mutating func append(_ key: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: key.assumingMemoryBound(to: UInt8.self))
    ends.append(bytes.count)
  }

  /// Reserves storage for a number of keys and bytes in all.
  package mutating func reserveCapacity(keys: Int, bytes: Int) {
    ends.reserveCapacity(keys)
    self.bytes.reserveCapacity(bytes)
  }

  /// Removes all keys, and retains the storage if `keepingCapacity` is true.
  package mutating func removeAll(keepingCapacity: Bool = false) {
    bytes.removeAll(keepingCapacity: keepingCapacity)
    ends.removeAll(keepingCapacity: keepingCapacity)
  }

  @inline(__always)
  func withFlatKeys<Result, Failure: Error>(
    _ body: (FlatKeys<Int>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withUnsafeBufferPointer { (bytes) throws(Failure) -> Result in
      try ends.withUnsafeBufferPointer { (ends) throws(Failure) -> Result in
        try body(FlatKeys(bytes: UnsafeRawBufferPointer(bytes), ends: ends))
      }
    }
  }
}

// MARK: - Sorting

extension KeyBatch {
  /// The indexes of the keys, sorted so that the keys ascend.
  ///
  /// Most keys differ in the eight bytes after their common prefix. Those bytes are sorted as integers, and whole keys are
  /// compared only where the integers are equal.
  /// - Complexity: O(*n* log *n*)
  package func sortedIndexes() -> [Int] {
    withFlatKeys { keys in
      let shared = keys.sharedPrefixCount
      var words: [(word: UInt64, index: Int)] = []
      words.reserveCapacity(keys.count)
      for index in 0..<keys.count { words.append((keys[index].word(from: shared), index)) }
      words.sort { left, right in
        left.word != right.word
          ? left.word < right.word : KeyOrder.compare(keys[left.index], keys[right.index]) < 0
      }
      return words.map(\.index)
    }
  }

  /// Returns a batch of the keys at some indexes, in the order of the indexes.
  /// - Complexity: O(*n*) in their bytes.
  package func keys(at indexes: [Int]) -> KeyBatch {
    withFlatKeys { keys in
      var batch = KeyBatch()
      batch.reserveCapacity(keys: indexes.count, bytes: bytes.count)
      for index in indexes { batch.append(keys[index]) }
      return batch
    }
  }
}

extension FlatKeys {
  /// The length of the prefix that all keys share.
  fileprivate var sharedPrefixCount: Int {
    guard count > 0 else { return 0 }
    let first = self[0]
    var shared = first.count
    for index in 1..<max(1, count) {
      let key = self[index]
      shared = min(shared, key.count)
      var common = 0
      while common < shared, key[common] == first[common] { common &+= 1 }
      shared = common
    }
    return shared
  }
}

extension UnsafeRawBufferPointer {
  /// Eight bytes as an integer that sorts like them, padded with zeros past the end.
  @inline(__always)
  fileprivate func word(from start: Int) -> UInt64 {
    if start &+ 8 <= count {
      return UInt64(bigEndian: loadUnaligned(fromByteOffset: start, as: UInt64.self))
    }
    var word: UInt64 = 0
    for offset in 0..<8 {
      word = word << 8 | (start &+ offset < count ? UInt64(self[start &+ offset]) : 0)
    }
    return word
  }
}

// MARK: - Errors

/// An error that says that the end offsets of a `KeyBatch` do not describe its arena.
package struct MalformedKeyBatch: Error, Hashable, Sendable {
  /// The position of the first end offset that is before its predecessor or past the arena; the
  /// number of offsets if bytes are left over after the last key.
  package let position: Int

  /// Creates an error.
  package init(position: Int) {
    self.position = position
  }
}
