/// A batch of encoded keys in order, in one flat array: the form in which a store returns the entries of a list.
public struct EntryBatch: Sendable {
  /// The bytes of all keys, concatenated.
  public private(set) var bytes: [UInt8] = []
  /// The end offset of each key in `bytes`.
  public private(set) var ends: [Int] = []

  /// Creates an empty batch.
  public init() {}

  /// The number of keys.
  public var count: Int { ends.count }

  /// Appends a key that a closure writes; if the closure throws, nothing is appended.
  public mutating func append<Failure: Error>(
    _ write: (inout KeyWriter) throws(Failure) -> Void
  ) throws(Failure) {
    var writer = KeyWriter()
    swap(&writer.bytes, &bytes)
    defer { swap(&writer.bytes, &bytes) }
    let start = writer.bytes.count
    do {
      try write(&writer)
    } catch {
      writer.bytes.removeSubrange(start...)
      throw error
    }
    ends.append(writer.bytes.count)
  }

  /// Reserves storage for a number of keys and bytes in all.
  public mutating func reserveCapacity(keys: Int, bytes: Int) {
    ends.reserveCapacity(keys)
    self.bytes.reserveCapacity(bytes)
  }

  /// Removes all keys and retains the storage.
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}
