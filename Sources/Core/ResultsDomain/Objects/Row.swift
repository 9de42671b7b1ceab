/// The stored values of one object, as they cross the store ports.
public struct Row: Sendable {
  /// The entity's description.
  public let entity: EntityDescription
  /// The object's identity.
  public let id: ObjectID
  /// The values, in the order of `entity.attributes`.
  public var values: [Value]

  /// The stored values of an object, in the order of `entity.attributes`.
  public init(entity: EntityDescription, id: ObjectID, values: [Value]) {
    self.entity = entity
    self.id = id
    self.values = values
  }

  /// The value of an attribute, or null if the entity has none of that name.
  /// - Complexity: O(*n*) in the attributes.
  public subscript(attribute: String) -> Value {
    guard let index = entity.index(of: attribute), index < values.count else { return .null }
    return values[index]
  }

  /// The attributes in which two rows of one entity differ.
  /// - Complexity: O(*n*) in the bytes of the values.
  public func changes(from old: Row) -> AttributeSet {
    AttributeSet(indexes: values.indices.filter { values[$0] != old.values[$0] })
  }

  /// Those of some attributes in which two rows of one entity differ; the others are not compared.
  /// - Complexity: O(*n*) in the bytes of the attributes' values.
  package func changes(from old: Row, of attributes: AttributeSet) -> AttributeSet {
    AttributeSet(indexes: attributes.indexes.filter { values[$0] != old.values[$0] })
  }
}

extension Row: Hashable {
  /// Whether two rows have the same identity and the same values, bytewise.
  public static func == (left: Row, right: Row) -> Bool {
    left.id == right.id && left.values == right.values
  }

  /// Feeds the identity into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Row: FetchedObject {
  /// The row itself.
  public init(row: Row) { self = row }
}
