public import ResultsDomain

/// The changes of an entity since a version: the authority on changes.
public enum StoreHistory: Sendable {
  /// Every commit since, oldest first; commits that did not touch the entity may be absent.
  case commits([CommitRecord])
  /// The commits are not known, and the content must be read again.
  case gap(GapReason)
}

/// A version of a store that is meaningful to later processes: a cache on disk is checked against it.
public struct StoreBookmark: Hashable, Sendable {
  /// The store's `StoreIdentity.uniqueName`.
  public let store: String
  /// The number of the last change in the version.
  public let sequence: UInt64
  /// A random number assigned with that change, so that two histories of equal length differ.
  public let stamp: UInt64
  /// What else a store needs to find the version, in a form of its own; empty where the two numbers suffice.
  ///
  /// The sequence of a bookmark with details may also grow with changes of other content.
  public let detail: [UInt8]

  /// Creates a bookmark.
  public init(store: String, sequence: UInt64, stamp: UInt64, detail: [UInt8] = []) {
    self.store = store
    self.sequence = sequence
    self.stamp = stamp
    self.detail = detail
  }
}
