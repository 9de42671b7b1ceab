/// A relationship to at most one object, declared beside the struct, and a path that begins with it.
///
/// ```swift
/// static let author = ToOne<Book, Author>("author", \.authorID, onDelete: .nullify)
/// ```
///
/// The foreign key is an ordinary property. The schema names the relationship with `Relationship(author)`. Members of the other
/// struct continue the path: `\.author.name`, `\.author.country.name`, `\.author.books.count`. Their values are null where a step
/// has no object (R92).
@dynamicMemberLookup
public struct ToOne<Root: Entity, Target: Entity>: Sendable {
  /// The names of the relationships from the root to the target; one for a declared relationship.
  public let steps: [String]
  /// What happens to objects with the foreign key when the object that it names is deleted.
  public let onDelete: DeleteRule
  /// The properties that hold the foreign key; none for a path of several steps.
  let foreignKey: [any PartialKeyPath<Root> & Sendable]
  /// Returns the columns of the last step's foreign key, by their names in the entity before the target.
  let columns: @Sendable () -> [String]

  /// Declares a relationship.
  /// - Parameters:
  ///   - name: The relationship's name in paths.
  ///   - foreignKey: The properties that hold the key of the target, in the order of its key; optional ones can name no object.
  ///   - onDelete: What happens to this object when the target is deleted.
  public init(
    _ name: String,
    _ foreignKey: any PartialKeyPath<Root> & Sendable...,
    onDelete: DeleteRule = .none
  ) {
    steps = [name]
    self.onDelete = onDelete
    self.foreignKey = foreignKey
    columns = { foreignKey.map { Root.schema.attributeName(of: $0) } }
  }

  /// Creates a path that ends with a declared relationship.
  init<Owner: Entity>(_ steps: [String], endingWith last: ToOne<Owner, Target>) {
    self.steps = steps + last.steps
    onDelete = last.onDelete
    foreignKey = []
    columns = last.columns
  }
}

extension ToOne {
  /// An attribute of the target.
  public subscript<Property>(
    dynamicMember keyPath: KeyPath<Target, Property>
  ) -> RelatedAttribute<Root, Property> {
    RelatedAttribute(.related(steps, Target.schema.expression(of: keyPath)))
  }

  /// An optional attribute of the target.
  public subscript<Property>(
    dynamicMember keyPath: KeyPath<Target, Property?>
  ) -> RelatedAttribute<Root, Property> {
    RelatedAttribute(.related(steps, Target.schema.expression(of: keyPath)))
  }

  /// The object of a to-one relationship of the target.
  public subscript<Next: Entity>(
    dynamicMember keyPath: KeyPath<Target.Type, ToOne<Target, Next>>
  ) -> ToOne<Root, Next> {
    ToOne<Root, Next>(steps, endingWith: Target.self[keyPath: keyPath])
  }

  /// The objects of a to-many relationship of the target.
  public subscript<Element: Entity>(
    dynamicMember keyPath: KeyPath<Target.Type, ToMany<Target, Element>>
  ) -> ToMany<Root, Element> {
    ToMany<Root, Element>(steps, endingWith: Target.self[keyPath: keyPath])
  }

  /// The values of the foreign key, without reading the target.
  var keyExpressions: [FetchExpression] {
    let owner = Root.entity.destination(along: steps.dropLast())
    return columns().map { name in
      let column = owner?.expression(ofColumn: name) ?? .attribute(name)
      return steps.count == 1 ? column : .related(Array(steps.dropLast()), column)
    }
  }

  /// Whether the foreign key is null, or names an object.
  func names(_ id: ObjectID?) -> FetchPredicate {
    let columns = keyExpressions
    guard let id else { return .disjunction(columns.map { .isNull($0) }) }
    let parts = id.key.parts
    guard id.entity.hasSameBytes(as: Target.entity.name), parts.count == columns.count else {
      return .none
    }
    return .conjunction(
      zip(columns, parts)
        .map { FetchPredicate.comparison($0, .equal, .literal($1)).normalized }
    )
  }
}

// MARK: - Conditions

extension EntityPredicate {
  /// Whether a relationship names one of some objects; an object without an identity is none.
  public static func `in`<Target: Entity>(
    _ path: KeyPath<Root.Type, ToOne<Root, Target>>,
    _ objects: [Target]
  ) -> Self {
    .in(Root.self[keyPath: path], objects)
  }

  /// Whether a relationship names one of some objects; an object without an identity is none.
  public static func `in`<Target: Entity>(
    _ path: ToOne<Root, Target>,
    _ objects: [Target]
  ) -> Self {
    let ids = objects.compactMap(\.objectID)
    let columns = path.keyExpressions
    guard columns.count == 1 else { return Self(.disjunction(ids.map { path.names($0) })) }
    return Self(FetchPredicate.membership(columns[0], ids.flatMap(\.key.parts)).normalized)
  }
}

/// Whether a relationship names an object, by its foreign key alone; `nil` tests for a null key.
///
/// An object without an identity is named by none.
public func == <Root: Entity, Target: Entity>(
  left: KeyPath<Root.Type, ToOne<Root, Target>>,
  right: Target?
) -> EntityPredicate<Root> {
  Root.self[keyPath: left] == right
}

/// Whether a relationship names an object, by its foreign key alone; `nil` tests for a null key.
public func == <Root: Entity, Target: Entity>(
  left: ToOne<Root, Target>,
  right: Target?
) -> EntityPredicate<Root> {
  guard let right else { return EntityPredicate(left.names(nil)) }
  return EntityPredicate(right.objectID.map { left.names($0) } ?? .none)
}

/// Whether a relationship names another object, by its foreign key alone; `nil` tests for a key.
///
/// As for an attribute, a null key is neither equal nor different.
public func != <Root: Entity, Target: Entity>(
  left: KeyPath<Root.Type, ToOne<Root, Target>>,
  right: Target?
) -> EntityPredicate<Root> {
  !(left == right)
}

/// Whether a relationship names another object, by its foreign key alone; `nil` tests for a key.
public func != <Root: Entity, Target: Entity>(
  left: ToOne<Root, Target>,
  right: Target?
) -> EntityPredicate<Root> {
  !(left == right)
}
