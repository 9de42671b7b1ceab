/// Encoded keys in order, flat: the form in which a store hands over the entries of a list.
public struct EntryBatch: Sendable {
  /// The bytes of all keys, one after the other.
  public private(set) var bytes: [UInt8] = []
  /// Where each key ends in `bytes`.
  public private(set) var ends: [Int] = []

  /// An empty batch.
  public init() {}

  /// How many keys are in the batch.
  public var count: Int { ends.count }

  /// Appends one key, written by a closure at the end of the bytes.
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

  /// Makes room for keys to come.
  public mutating func reserveCapacity(keys: Int, bytes: Int) {
    ends.reserveCapacity(keys)
    self.bytes.reserveCapacity(bytes)
  }

  /// Makes the batch empty, keeping its storage.
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}
