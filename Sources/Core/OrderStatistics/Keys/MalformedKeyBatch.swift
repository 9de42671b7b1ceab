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
