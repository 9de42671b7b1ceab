/// A version of a store in a form that outlives the process: what a cache on disk is checked against.
public struct StoreBookmark: Hashable, Sendable {
  /// The store's own name, as `StoreIdentity.uniqueName` has it.
  public let store: String
  /// The number of the last change that the version holds.
  public let sequence: UInt64
  /// A random number that was drawn with that change, so that two pasts of equal length differ.
  public let stamp: UInt64

  /// A version of a store.
  public init(store: String, sequence: UInt64, stamp: UInt64) {
    self.store = store
    self.sequence = sequence
    self.stamp = stamp
  }
}
