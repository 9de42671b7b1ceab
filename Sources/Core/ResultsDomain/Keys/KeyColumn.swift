/// How one column of an encoded key is written.
public struct KeyColumn: Hashable, Sendable {
  /// The storage class of its values.
  public let storage: StorageClass
  /// Whether larger values come first.
  public let isDescending: Bool
  /// Where null stands.
  public let nulls: NullPlacement

  /// One column of an encoded key.
  public init(_ storage: StorageClass, isDescending: Bool = false, nulls: NullPlacement = .first) {
    self.storage = storage
    self.isDescending = isDescending
    self.nulls = nulls
  }
}
