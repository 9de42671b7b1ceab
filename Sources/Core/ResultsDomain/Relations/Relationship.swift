/// A line of an entity's schema: a relationship that is declared beside the struct.
public struct Relationship<Root: Entity>: Sendable {
  /// Returns the description for an entity with these attributes and this identity.
  let description:
    @Sendable ([Attribute<Root>], EntityIdentity, PartialKeyPath<Root>?) ->
      RelationshipDescription

  /// Adds a to-one relationship to the schema.
  public init<Target: Entity>(_ relationship: ToOne<Root, Target>) {
    description = { attributes, identity, key in
      RelationshipDescription(
        relationship.steps.joined(separator: "."),
        .toOne(
          foreignKey: relationship.foreignKey.map {
            Relationship.columnName(of: $0, attributes, identity, key)
          }
        ),
        onDelete: relationship.onDelete
      ) { Target.entity }
    }
  }

  /// Adds a to-many relationship to the schema.
  public init<Element: Entity>(_ relationship: ToMany<Root, Element>) {
    description = { _, _, _ in
      RelationshipDescription(
        relationship.steps.joined(separator: "."),
        toMany: relationship.kind
      ) { Element.entity }
    }
  }

  /// The name of the column that stores a property, which can hold the object's key.
  static func columnName(
    of keyPath: PartialKeyPath<Root>,
    _ attributes: [Attribute<Root>],
    _ identity: EntityIdentity,
    _ key: PartialKeyPath<Root>?
  ) -> String {
    if let attribute = attributes.first(where: { $0.keyPath == keyPath }) {
      return attribute.description.name
    }
    return keyPath == key ? identity.columns[0] : String(describing: keyPath)
  }
}
