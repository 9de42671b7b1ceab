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
