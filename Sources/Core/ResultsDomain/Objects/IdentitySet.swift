/// A fixed set of object identities of one entity, as in `SELF IN …`.
///
/// Keys are sorted, and copies share their storage, so a million identities take one array and no SQL variables.
public struct IdentitySet: Hashable, Sendable {
  /// The keys, ascending by bytes, without duplicates.
  public let keys: [ObjectKey]

  /// Creates a set from identities, all of which must be of the entity that the set is used with.
  /// - Complexity: O(*n* log *n*)
  public init(_ identities: some Sequence<ObjectID>) {
    self.init(keys: identities.map(\.key))
  }

  /// Creates a set from keys.
  /// - Complexity: O(*n* log *n*); O(*n*) if they already ascend.
  public init(keys: [ObjectKey]) {
    var keys = keys
    if !IdentitySet.ascends(keys) {
      keys.sort(by: IdentitySet.precedes)
      var last: ObjectKey?
      keys.removeAll { key in
        defer { last = key }
        return key == last
      }
    }
    self.keys = keys
  }

  /// The number of identities.
  public var count: Int { keys.count }

  /// Whether an object's key is in the set.
  /// - Complexity: O(log *n*)
  public func contains(_ key: ObjectKey) -> Bool {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if IdentitySet.precedes(keys[middle], key) { low = middle + 1 } else { high = middle }
    }
    return low < keys.count && keys[low] == key
  }

  private static func ascends(_ keys: [ObjectKey]) -> Bool {
    zip(keys, keys.dropFirst()).allSatisfy { precedes($0, $1) }
  }

  private static func precedes(_ left: ObjectKey, _ right: ObjectKey) -> Bool {
    if case .integer(let left) = left, case .integer(let right) = right { return left < right }
    for (left, right) in zip(left.parts, right.parts) {
      switch Value.compare(left, right) {
      case .ascending: return true
      case .descending: return false
      case .same: continue
      }
    }
    return left.parts.count < right.parts.count
  }
}
