/// One line of an entity's schema: a property and the name of the attribute that stores it.
public struct Attribute<Root: Entity>: Sendable {
  /// The stored attribute.
  public let description: AttributeDescription
  package let keyPath: any PartialKeyPath<Root> & Sendable
  package let read: @Sendable (Root) -> Value
  package let write: @Sendable (inout Root, Value) -> Bool

  /// A stored attribute; optional if the property is.
  public init<Property: AttributeConvertible>(
    _ keyPath: any WritableKeyPath<Root, Property> & Sendable,
    _ name: String
  ) {
    description = AttributeDescription(
      name,
      Property.attributeType,
      isOptional: Property.isOptionalAttribute
    )
    self.keyPath = keyPath
    read = { $0[keyPath: keyPath].attributeValue }
    write = { root, value in
      guard let property = Property(attributeValue: value) else { return false }
      root[keyPath: keyPath] = property
      return true
    }
  }

  /// An exact decimal stored as an integer of units of 10^-scale.
  ///
  /// A number that does not fit the scale is stored as null, and so refused where the attribute is required.
  public init(
    _ keyPath: any WritableKeyPath<Root, ExactDecimal> & Sendable,
    _ name: String,
    scale: Int
  ) {
    description = AttributeDescription(name, .decimal(scale: scale))
    self.keyPath = keyPath
    read = { root in
      root[keyPath: keyPath].rescaled(to: scale).map { .integer($0.units) } ?? .null
    }
    write = { root, value in
      guard case .integer(let units) = value else { return false }
      root[keyPath: keyPath] = ExactDecimal(units: units, scale: scale)
      return true
    }
  }
}

/// Collects the attributes of a schema.
@resultBuilder
public enum EntitySchemaBuilder<Root: Entity> {
  /// One attribute.
  public static func buildExpression(_ attribute: Attribute<Root>) -> Attribute<Root> { attribute }
  /// All attributes, in the order written.
  public static func buildBlock(_ attributes: Attribute<Root>...) -> [Attribute<Root>] {
    attributes
  }
}
