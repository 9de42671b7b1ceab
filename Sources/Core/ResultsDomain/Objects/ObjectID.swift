/// The identity of an object: its entity and its key.
///
/// It is never a position.
public struct ObjectID: Sendable {
  /// The entity's name.
  public let entity: String
  /// The key within the entity.
  public let key: ObjectKey

  /// The identity of an object.
  public init(entity: String, key: ObjectKey) {
    self.entity = entity
    self.key = key
  }
}

extension ObjectID: Hashable {
  /// Whether two identities have the same bytes.
  public static func == (left: ObjectID, right: ObjectID) -> Bool {
    left.key == right.key && left.entity.hasSameBytes(as: right.entity)
  }

  /// Feeds the key into a hasher; identities of one list share their entity.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension ObjectID: CustomStringConvertible {
  /// The entity and the key, such as `Book 12`.
  public var description: String { "\(entity) \(key)" }
}
