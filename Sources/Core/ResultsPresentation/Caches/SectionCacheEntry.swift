public import ResultsDomain

/// One cache of a storage, as the storage knows it.
public struct SectionCacheEntry: Hashable, Sendable {
  /// The name it is kept under.
  public let name: String
  /// How many bytes it takes.
  public let byteCount: Int
  /// When it was written, if the storage knows.
  public let writtenAt: Instant?

  /// One cache of a storage.
  public init(name: String, byteCount: Int, writtenAt: Instant?) {
    self.name = name
    self.byteCount = byteCount
    self.writtenAt = writtenAt
  }
}
