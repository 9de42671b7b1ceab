/// Byte keys in one flat arena: what a store fills row by row without an allocation a key.
///
/// The keys stand in the order they were appended; a batch neither sorts nor removes duplicates.
public struct KeyBatch: Sendable, Hashable {
  /// All keys, one directly after the other.
  public private(set) var bytes: [UInt8]

  /// The offset in `bytes` just past each key.
  public private(set) var ends: [Int]

  /// Creates an empty batch.
  public init() {
    bytes = []
    ends = []
  }

  /// Creates a batch from an arena and the end offset of each key.
  ///
  /// - Throws: `MalformedKeyBatch` if the offsets descend, or the last is not the arena's length.
  /// - Complexity: O(number of keys).
  public init(bytes: [UInt8], ends: [Int]) throws(MalformedKeyBatch) {
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
  public init(_ keys: some Sequence<[UInt8]>) {
    self.init()
    for key in keys { append(key) }
  }

  /// The number of keys.
  public var count: Int { ends.count }

  /// Whether there is no key.
  public var isEmpty: Bool { ends.isEmpty }

  /// The key at a position of the batch.
  ///
  /// - Precondition: `0 <= position < count`.
  public subscript(position: Int) -> [UInt8] {
    Array(bytes[(position == 0 ? 0 : ends[position - 1])..<ends[position]])
  }

  /// Appends one key.
  ///
  /// - Complexity: O(length of the key), amortised.
  public mutating func append(_ key: [UInt8]) {
    bytes.append(contentsOf: key)
    ends.append(bytes.count)
  }

  /// Appends one key from borrowed memory.
  ///
  /// - Complexity: O(length of the key), amortised.
  public mutating func append(_ key: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: key.assumingMemoryBound(to: UInt8.self))
    ends.append(bytes.count)
  }

  /// Makes room for keys to come.
  public mutating func reserveCapacity(keys: Int, bytes: Int) {
    ends.reserveCapacity(keys)
    self.bytes.reserveCapacity(bytes)
  }

  /// Removes every key, and keeps the memory for the next ones if asked.
  public mutating func removeAll(keepingCapacity: Bool = false) {
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
  /// The places of the keys in ascending order of the keys.
  ///
  /// Most keys differ in the eight bytes behind what all of them share, so those are sorted as numbers, and whole keys are compared only
  /// where they agree.
  /// - Complexity: O(*n* log *n*)
  public func ascendingPlaces() -> [Int] {
    withFlatKeys { keys in
      let shared = keys.sharedPrefixCount
      var words: [(word: UInt64, place: Int)] = []
      words.reserveCapacity(keys.count)
      for place in 0..<keys.count { words.append((keys[place].word(from: shared), place)) }
      words.sort { left, right in
        left.word != right.word
          ? left.word < right.word : KeyOrder.compare(keys[left.place], keys[right.place]) < 0
      }
      return words.map(\.place)
    }
  }

  /// The keys at some places, in the order of those.
  /// - Complexity: O(*n*) in their bytes.
  public func keys(at places: [Int]) -> KeyBatch {
    withFlatKeys { keys in
      var batch = KeyBatch()
      batch.reserveCapacity(keys: places.count, bytes: bytes.count)
      for place in places { batch.append(keys[place]) }
      return batch
    }
  }
}

extension FlatKeys {
  /// How many bytes all keys begin with in common.
  fileprivate var sharedPrefixCount: Int {
    guard count > 0 else { return 0 }
    let first = self[0]
    var shared = first.count
    for place in 1..<max(1, count) {
      let key = self[place]
      shared = min(shared, key.count)
      var common = 0
      while common < shared, key[common] == first[common] { common &+= 1 }
      shared = common
    }
    return shared
  }
}

extension UnsafeRawBufferPointer {
  /// Eight bytes as a number that orders like them; those behind the end are zero.
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

/// The end offsets handed to a `KeyBatch` do not describe its arena.
public struct MalformedKeyBatch: Error, Hashable, Sendable {
  /// The position of the first end offset that is before its predecessor or past the arena; the
  /// number of offsets if bytes are left over after the last key.
  public let position: Int

  /// Creates an error.
  public init(position: Int) {
    self.position = position
  }
}
