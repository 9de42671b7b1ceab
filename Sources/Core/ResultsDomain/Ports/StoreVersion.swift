/// A version of a store's content, as one process counts it.
///
/// The sequence grows with every commit that this store object made or noticed; another epoch means that the two
/// versions cannot be compared (the store was replaced, restored or opened anew).
public struct StoreVersion: Hashable, Sendable {
  /// Which life of the store the sequence belongs to.
  public let epoch: UInt64
  /// How many commits were made or noticed in that life.
  public let sequence: UInt64

  /// A version of a store's content.
  public init(epoch: UInt64, sequence: UInt64) {
    self.epoch = epoch
    self.sequence = sequence
  }
}
