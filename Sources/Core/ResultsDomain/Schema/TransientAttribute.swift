/// An attribute that is computed from an object and never stored.
///
/// It can be shown and, through a transient section key, group rows; it cannot stand in a predicate or a sort
/// descriptor, because a store does not know it.
public struct TransientAttribute: Sendable {
  /// The attribute's name, distinct from those of the stored attributes.
  public let name: String
  /// What kind of values it has.
  public let type: AttributeType
  /// Computes the value from a row.
  public let compute: @Sendable (Row) -> Value

  /// A computed attribute of rows.
  public init(_ name: String, _ type: AttributeType, _ compute: @escaping @Sendable (Row) -> Value)
  {
    self.name = name
    self.type = type
    self.compute = compute
  }
}

extension Entity {
  /// A computed attribute of objects of this entity; an object that cannot be read gives null.
  public static func transient<Property: AttributeConvertible>(
    _ name: String,
    _ compute: @escaping @Sendable (Self) -> Property
  ) -> TransientAttribute {
    TransientAttribute(name, Property.attributeType) { row in
      guard let object = try? Self(row: row) else { return .null }
      return compute(object).attributeValue
    }
  }
}
