import ResultsDomain

/// A batch of encoded keys in order, in one flat array: the form in which a store returns the entries of a list.
public struct EntryBatch: Sendable {
  // `append` is inlined into other modules, where its closure costs nothing; so the storage is visible to them, but not its setters.
  @usableFromInline var storedBytes: [UInt8] = []
  @usableFromInline var storedEnds: [Int] = []

  /// The bytes of all keys, concatenated.
  @inlinable public var bytes: [UInt8] { storedBytes }
  /// The end offset of each key in `bytes`.
  @inlinable public var ends: [Int] { storedEnds }

  /// Creates an empty batch.
  public init() {}

  /// The number of keys.
  @inlinable public var count: Int { storedEnds.count }

  /// The bytes of a key.
  public func key(at index: Int) -> [UInt8] {
    Array(storedBytes[(index == 0 ? 0 : storedEnds[index - 1])..<storedEnds[index]])
  }

  /// Appends a key that a closure writes; if the closure throws, nothing is appended.
  @inlinable public mutating func append<Failure: Error>(
    _ write: (inout KeyWriter) throws(Failure) -> Void
  ) throws(Failure) {
    var writer = KeyWriter()
    swap(&writer.bytes, &storedBytes)
    defer { swap(&writer.bytes, &storedBytes) }
    let start = writer.bytes.count
    do {
      try write(&writer)
    } catch {
      writer.bytes.removeSubrange(start...)
      throw error
    }
    storedEnds.append(writer.bytes.count)
  }

  /// Reserves storage for a number of keys and bytes in all.
  public mutating func reserveCapacity(keys: Int, bytes: Int) {
    storedEnds.reserveCapacity(keys)
    storedBytes.reserveCapacity(bytes)
  }

  /// Removes all keys and retains the storage.
  public mutating func removeAll() {
    storedBytes.removeAll(keepingCapacity: true)
    storedEnds.removeAll(keepingCapacity: true)
  }
}
