/// A relationship of an entity to another one, or to itself: a name for objects that keys connect.
///
/// A relationship stores nothing by itself. Foreign keys are ordinary attributes, and a relationship says which attributes hold
/// the key of which entity. Entities may name each other, so the destination is a reference that is resolved on use.
public struct RelationshipDescription: Sendable {
  /// Where the keys that connect the objects are stored.
  public enum Kind: Hashable, Sendable {
    /// Columns of this entity hold the key of the destination's object.
    case toOne(foreignKey: [String])
    /// Columns of the destination hold the key of this entity's object: the inverse of a to-one relationship.
    case toMany(foreignKey: [String])
    /// Columns of a link entity hold both keys; each link whose destination exists is one element.
    case manyToMany(link: EntityReference, from: [String], to: [String])
  }

  /// The relationship's name, a step of paths such as `author.name`.
  ///
  /// A to-one relationship can have the name of the only column of its foreign key. The name alone is then the key, and the object where
  /// a path goes on.
  public let name: String
  /// Returns where the keys are stored.
  private let source: KindSource
  /// What happens to objects with a foreign key when the object that it names is deleted; of to-one relationships only.
  public let onDelete: DeleteRule
  private let reference: EntityReference

  /// Where the keys are stored, or what returns it: the schemas of structs that name each other are created one after the other.
  private enum KindSource: Sendable {
    case known(Kind)
    case deferred(@Sendable () -> Kind)
  }

  /// Describes a relationship.
  /// - Parameters:
  ///   - name: The relationship's name.
  ///   - kind: Where the keys are stored.
  ///   - onDelete: The delete rule of a to-one relationship.
  ///   - destination: Returns the entity of the related objects.
  public init(
    _ name: String,
    _ kind: Kind,
    onDelete: DeleteRule = .none,
    to destination: @escaping @Sendable () -> EntityDescription
  ) {
    self.name = name
    source = .known(kind)
    self.onDelete = onDelete
    reference = EntityReference(destination)
  }

  /// Describes a to-many relationship whose kind is found on use.
  init(
    _ name: String,
    toMany kind: @escaping @Sendable () -> Kind,
    to destination: @escaping @Sendable () -> EntityDescription
  ) {
    self.name = name
    source = .deferred(kind)
    onDelete = .none
    reference = EntityReference(destination)
  }

  /// Where the keys are stored.
  public var kind: Kind {
    switch source {
    case .known(let kind): kind
    case .deferred(let kind): kind()
    }
  }

  /// The columns of a to-one relationship's foreign key; `nil` for the others, whose kind may not be known yet.
  var foreignKey: [String]? {
    if case .known(.toOne(let columns)) = source { columns } else { nil }
  }

  /// Whether the name is that of the foreign key itself.
  package var isNamedAsItsKey: Bool {
    guard let columns = foreignKey, columns.count == 1 else { return false }
    return columns[0].hasSameBytes(as: name)
  }

  /// The entity of the related objects.
  public var destination: EntityDescription { reference.entity }

  /// Whether an object has at most one related object.
  public var isToOne: Bool {
    foreignKey != nil
  }
}

extension RelationshipDescription: Hashable {
  /// Whether two relationships have the same name, keys and delete rule, and destinations of the same name.
  public static func == (left: RelationshipDescription, right: RelationshipDescription) -> Bool {
    left.name.hasSameBytes(as: right.name) && left.kind == right.kind
      && left.onDelete == right.onDelete && left.reference == right.reference
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(Value.text(name)) }
}

/// What happens to the objects that name an object by a foreign key when that object is deleted.
public enum DeleteRule: String, Hashable, Sendable, CaseIterable {
  /// Nothing: the foreign key remains and names no object.
  case none
  /// The object cannot be deleted while others name it.
  case deny
  /// The foreign key becomes null; its attributes must be optional.
  case nullify
  /// They are deleted too.
  case cascade
}

/// A reference to an entity's description, resolved on use, so that entities can name each other.
///
/// Two references are equal if their entities have the same name.
public struct EntityReference: Hashable, Sendable {
  private let resolve: @Sendable () -> EntityDescription

  /// Creates a reference.
  public init(_ resolve: @escaping @Sendable () -> EntityDescription) { self.resolve = resolve }

  /// The entity.
  public var entity: EntityDescription { resolve() }

  /// Whether the entities have the same name, by bytes.
  public static func == (left: EntityReference, right: EntityReference) -> Bool {
    left.entity.name.hasSameBytes(as: right.entity.name)
  }

  /// Hashes the entity's name.
  public func hash(into hasher: inout Hasher) { hasher.combine(Value.text(entity.name)) }
}
