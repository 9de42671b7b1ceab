/// One of the entities whose rows a union shows: which of its objects, and which of their values are shared with the other branches.
public struct UnionBranch: Hashable, Sendable {
  /// The word for the branch, which is the value of `kind` in its rows.
  public let name: String
  /// The entity, as the store of the branches has it.
  public let entity: EntityDescription
  /// The condition for objects of the branch.
  public let predicate: FetchPredicate
  /// The shared attributes.
  public let attributes: [UnionAttribute]

  /// Creates a branch over an entity that is known by its description.
  public init(
    _ name: String,
    entity: EntityDescription,
    where predicate: FetchPredicate = .all,
    attributes: [UnionAttribute]
  ) {
    self.name = name
    self.entity = entity.stored
    self.predicate = predicate
    self.attributes = attributes
  }

  /// Creates a branch over the entity of a struct.
  public init<Root: Entity>(
    _ name: String,
    of type: Root.Type = Root.self,
    where predicate: EntityPredicate<Root> = .all,
    attributes: [EntityUnionAttribute<Root>]
  ) {
    self.init(
      name,
      entity: Root.entity,
      where: predicate.predicate,
      attributes: attributes.map(\.attribute)
    )
  }

  /// Whether two branches have the same name, entity, condition and attributes.
  public static func == (left: UnionBranch, right: UnionBranch) -> Bool {
    left.name.hasSameBytes(as: right.name) && left.entity == right.entity
      && left.predicate == right.predicate && left.attributes == right.attributes
  }
}

/// A shared attribute of a union, as one of its branches has it.
public struct UnionAttribute: Hashable, Sendable {
  /// The attribute's name in the union.
  public let name: String
  /// Its value: an attribute, a path, a constant, or a function of one.
  public let expression: FetchExpression

  /// Creates a shared attribute.
  public init(_ name: String, _ expression: FetchExpression) {
    self.name = name
    self.expression = expression
  }

  /// Whether two attributes have the same name and the same value.
  public static func == (left: UnionAttribute, right: UnionAttribute) -> Bool {
    left.name.hasSameBytes(as: right.name) && left.expression == right.expression
  }
}

/// A shared attribute of a union, as the property of a branch's struct that has its value.
public struct EntityUnionAttribute<Root: Entity>: Sendable {
  /// The attribute over attribute names.
  public let attribute: UnionAttribute

  /// Shares a property, which can be the object's key.
  public static func attribute<Property: AttributeConvertible>(
    _ keyPath: any KeyPath<Root, Property> & Sendable,
    as name: String
  ) -> Self {
    Self(attribute: UnionAttribute(name, Root.schema.expression(of: keyPath)))
  }

  /// Shares a value of related objects.
  public static func attribute<Property>(
    _ path: KeyPath<Root.Type, RelatedAttribute<Root, Property>>,
    as name: String
  ) -> Self {
    Self(attribute: UnionAttribute(name, Root.self[keyPath: path].expression))
  }

  /// Gives all objects of the branch the same value.
  public static func constant(_ value: Value, as name: String) -> Self {
    Self(attribute: UnionAttribute(name, .literal(value)))
  }
}
