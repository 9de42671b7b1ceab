/// An entity's schema, declared once in its struct: the mapping between properties and stored attributes.
///
/// A mistake in a schema, such as two attributes of one name or a compound key without attributes, is a programming error: it
/// stops the program with a message when the schema is first used.
public struct EntitySchema<Root: Entity>: Sendable {
  /// The entity's description for stores.
  public let entity: EntityDescription
  /// Attributes that are computed from an object and never stored.
  public let transients: [TransientAttribute]
  private let attributes: [Attribute<Root>]
  private let keyProperty: (any PartialKeyPath<Root> & Sendable)?
  private let readKey: @Sendable (Root) -> ObjectKey?
  private let writeKey: @Sendable (inout Root, ObjectKey) -> Bool

  /// Creates a schema whose objects have an integer key; the store assigns one if the property is `nil`.
  public init(
    _ name: String,
    identity: any WritableKeyPath<Root, Int64?> & Sendable,
    column: String = "id",
    transients: [TransientAttribute] = [],
    @EntitySchemaBuilder<Root> attributes members: () -> [EntitySchemaMember<Root>]
  ) {
    self.init(name, .integer(column: column), identity, members(), transients) { root in
      root[keyPath: identity].map { .integer($0) }
    } writeKey: { root, key in
      guard case .integer(let number) = key else { return false }
      root[keyPath: identity] = number
      return true
    }
  }

  /// Creates a schema whose objects have a text key.
  public init(
    _ name: String,
    textIdentity: any WritableKeyPath<Root, String> & Sendable,
    column: String = "id",
    transients: [TransientAttribute] = [],
    @EntitySchemaBuilder<Root> attributes members: () -> [EntitySchemaMember<Root>]
  ) {
    self.init(name, .text(column: column), textIdentity, members(), transients) { root in
      .text(root[keyPath: textIdentity])
    } writeKey: { root, key in
      guard case .text(let text) = key else { return false }
      root[keyPath: textIdentity] = text
      return true
    }
  }

  /// Creates a schema whose objects are identified by several of their attributes, named in key order.
  public init(
    _ name: String,
    compoundIdentity names: [String],
    transients: [TransientAttribute] = [],
    @EntitySchemaBuilder<Root> attributes members: () -> [EntitySchemaMember<Root>]
  ) {
    let members = members()
    let readers = names.compactMap { name in
      members.compactMap(\.attribute).first { $0.description.name.hasSameBytes(as: name) }?.read
    }
    self.init(name, .compound(names), nil, members, transients) { root in
      .compound(readers.map { $0(root) })
    } writeKey: { _, _ in
      // The key is made of attributes.
      true
    }
  }

  private init(
    _ name: String,
    _ identity: EntityIdentity,
    _ keyProperty: (any PartialKeyPath<Root> & Sendable)?,
    _ members: [EntitySchemaMember<Root>],
    _ transients: [TransientAttribute],
    readKey: @escaping @Sendable (Root) -> ObjectKey?,
    writeKey: @escaping @Sendable (inout Root, ObjectKey) -> Bool
  ) {
    let attributes = members.compactMap(\.attribute)
    do {
      entity = try EntityDescription(
        name: name,
        identity: identity,
        attributes: attributes.map(\.description),
        relationships: members.compactMap(\.relationship)
          .map { $0.description(attributes, identity, keyProperty) }
      )
    } catch {
      preconditionFailure("The schema of \(Root.self) is not valid. \(error)")
    }
    self.attributes = attributes
    self.transients = transients
    self.keyProperty = keyProperty
    self.readKey = readKey
    self.writeKey = writeKey
  }

  /// The name of the attribute that stores a property, or of the column that holds the object's key.
  ///
  /// For a property that is not in the schema, this is the key path's description. No entity has an attribute of that name,
  /// so a request that uses it is refused with the name in the message.
  /// - Complexity: O(*n*) in the attributes.
  public func attributeName(of keyPath: PartialKeyPath<Root>) -> String {
    Relationship.columnName(of: keyPath, attributes, entity.identity, keyProperty)
  }

  /// The value of a property, which can be the object's key.
  func expression(of keyPath: PartialKeyPath<Root>) -> FetchExpression {
    isKey(keyPath) ? .objectKey : .attribute(attributeName(of: keyPath))
  }

  /// Whether a property holds the object's key.
  func isKey(_ keyPath: PartialKeyPath<Root>) -> Bool {
    let key: PartialKeyPath<Root>? = keyProperty
    return keyPath == key
  }

  /// A property's value in a row of the entity, or of one derived from it; the row's other values are not looked at.
  /// - Returns: `nil` if the row does not have it.
  /// - Throws: `RowError` if the stored value does not fit.
  func value<Property>(
    of keyPath: KeyPath<Root, Property>,
    in row: Row
  ) throws(RowError) -> Property? {
    var root = Root()
    if isKey(keyPath) {
      try fillKey(&root, from: row)
      return root[keyPath: keyPath]
    }
    let partial: PartialKeyPath<Root> = keyPath
    guard let attribute = attributes.first(where: { $0.keyPath == partial }),
      let index = row.entity.index(of: attribute.description.name)
    else { return nil }
    guard attribute.write(&root, row.values[index]) else {
      throw RowError(
        id: row.id,
        attribute: attribute.description.name,
        value: row.values[index]
      )
    }
    return root[keyPath: keyPath]
  }

  package func values(of object: Root) -> [Value] { attributes.map { $0.read(object) } }

  package func objectID(of object: Root) -> ObjectID? {
    readKey(object).map { ObjectID(entity: entity.name, key: $0) }
  }

  private func fillKey(_ object: inout Root, from row: Row) throws(RowError) {
    guard !writeKey(&object, row.id.key) else { return }
    throw RowError(
      id: row.id,
      attribute: entity.identity.columns[0],
      value: row.id.key.parts.first ?? .null
    )
  }

  package func fill(_ object: inout Root, from row: Row) throws(RowError) {
    try fillKey(&object, from: row)
    // Indexes are cheaper than `zip`, whose tuples are boxed where the entity's type is not specialized.
    let values = row.values
    for index in 0..<min(attributes.count, values.count)
    where !attributes[index].write(&object, values[index]) {
      let attribute = attributes[index].description
      throw RowError(id: row.id, attribute: attribute.name, value: values[index])
    }
  }
}

// MARK: - Attributes

/// A line of an entity's schema: a property and the name of the attribute that stores it.
public struct Attribute<Root: Entity>: Sendable {
  /// The stored attribute.
  public let description: AttributeDescription
  package let keyPath: any PartialKeyPath<Root> & Sendable
  package let read: @Sendable (Root) -> Value
  package let write: @Sendable (inout Root, Value) -> Bool

  /// Creates a stored attribute, which is optional if the property is.
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

  /// Creates an attribute whose values another application writes in a form of its own.
  ///
  /// A value for which the form has no stored value becomes null, which a required attribute refuses; a stored value that does
  /// not have the form exactly is a `RowError`.
  public init<Property: AttributeConvertible>(
    _ keyPath: any WritableKeyPath<Root, Property> & Sendable,
    _ name: String,
    as form: StoredForm
  ) {
    description = AttributeDescription(
      name,
      form.type,
      isOptional: Property.isOptionalAttribute,
      form: form
    )
    self.keyPath = keyPath
    read = { form.stored($0[keyPath: keyPath].attributeValue) ?? .null }
    write = { root, value in
      guard let logical = value.isNull ? .null : form.logical(value),
        let property = Property(attributeValue: logical)
      else { return false }
      root[keyPath: keyPath] = property
      return true
    }
  }

  /// Creates an exact decimal, stored as an integer of units of 10^-scale.
  ///
  /// A number that does not fit the scale becomes null, which a required attribute refuses.
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

  /// Creates an optional exact decimal, stored as an integer of units of 10^-scale.
  ///
  /// A number that does not fit the scale is refused when the object is written.
  public init(
    _ keyPath: any WritableKeyPath<Root, ExactDecimal?> & Sendable,
    _ name: String,
    scale: Int
  ) {
    description = AttributeDescription(name, .decimal(scale: scale), isOptional: true)
    self.keyPath = keyPath
    read = { root in
      guard let decimal = root[keyPath: keyPath] else { return .null }
      // A text is no value of the attribute, and null would lose the number.
      return decimal.rescaled(to: scale).map { .integer($0.units) } ?? .text("\(decimal)")
    }
    write = { root, value in
      switch value {
      case .null: root[keyPath: keyPath] = nil
      case .integer(let units): root[keyPath: keyPath] = ExactDecimal(units: units, scale: scale)
      case .real, .text, .blob, .illFormedText: return false
      }
      return true
    }
  }
}

/// A line of an entity's schema.
public enum EntitySchemaMember<Root: Entity>: Sendable {
  /// A stored attribute.
  case attribute(Attribute<Root>)
  /// A relationship.
  case relationship(Relationship<Root>)
}

extension EntitySchemaMember {
  fileprivate var attribute: Attribute<Root>? {
    if case .attribute(let attribute) = self { attribute } else { nil }
  }

  fileprivate var relationship: Relationship<Root>? {
    if case .relationship(let relationship) = self { relationship } else { nil }
  }
}

/// Collects the attributes and relationships of a schema.
@resultBuilder
public enum EntitySchemaBuilder<Root: Entity> {
  /// Builds one attribute.
  public static func buildExpression(_ attribute: Attribute<Root>) -> EntitySchemaMember<Root> {
    .attribute(attribute)
  }

  /// Builds one relationship.
  public static func buildExpression(
    _ relationship: Relationship<Root>
  ) -> EntitySchemaMember<Root> {
    .relationship(relationship)
  }

  /// Collects the members in the order of their declarations.
  public static func buildBlock(
    _ members: EntitySchemaMember<Root>...
  ) -> [EntitySchemaMember<Root>] {
    members
  }
}

/// An attribute that is computed from an object and never stored.
///
/// It can be shown, and a transient section key can group rows by it. Predicates and sort descriptors cannot use it, because
/// a store does not know it.
public struct TransientAttribute: Sendable {
  /// The attribute's name, which no stored attribute has.
  public let name: String
  /// The type of its values.
  public let type: AttributeType
  /// Computes the value from a row.
  public let compute: @Sendable (Row) -> Value

  /// Creates an attribute that is computed from rows.
  public init(_ name: String, _ type: AttributeType, _ compute: @escaping @Sendable (Row) -> Value)
  {
    self.name = name
    self.type = type
    self.compute = compute
  }
}

extension Entity {
  /// Returns an attribute that is computed from objects of this entity; it is null for a row that is not a valid object.
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
