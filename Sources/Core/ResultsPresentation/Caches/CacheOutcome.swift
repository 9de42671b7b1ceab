/// How a list with a cache name was opened.
public enum CacheOutcome: Hashable, Sendable {
  /// From the cache: it was made of this very version.
  case hit
  /// From the cache, with the rows that changed since it was made placed one by one.
  case replayed(changes: Int)
  /// From the store, for a reason.
  case miss(CacheMiss)
}

extension CacheOutcome: CustomStringConvertible {
  /// The outcome in a few words.
  public var description: String {
    switch self {
    case .hit: "hit"
    case .replayed(let changes): "hit, \(changes) \(changes == 1 ? "change" : "changes") replayed"
    case .miss(let reason): "miss, \(reason)"
    }
  }
}
