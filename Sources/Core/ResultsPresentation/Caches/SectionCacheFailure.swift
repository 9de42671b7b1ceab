/// Why a cache could not be read, written or removed.
///
/// No fetch fails because of it; a list is then read from its store.
public struct SectionCacheFailure: Error, Hashable, Sendable {
  /// What was to be done.
  public enum Action: String, Hashable, Sendable {
    /// Reading a cache, or the list of caches.
    case read
    /// Writing a cache.
    case write
    /// Removing a cache.
    case remove
  }

  /// What was to be done.
  public let action: Action
  /// Where: a path, or the cache's name.
  public let place: String
  /// What went wrong, as a clause.
  public let detail: String

  /// Why a cache could not be read, written or removed.
  public init(_ action: Action, at place: String, _ detail: String) {
    self.action = action
    self.place = place
    self.detail = detail
  }
}

extension SectionCacheFailure: CustomStringConvertible {
  /// What went wrong, and that nothing is lost.
  public var description: String {
    switch action {
    case .read: "The cache \(place) cannot be read: \(detail). The list is read from the store."
    case .write: "The cache \(place) cannot be written: \(detail). The list is not kept."
    case .remove: "The cache \(place) cannot be removed: \(detail)."
    }
  }
}
