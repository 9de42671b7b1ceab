/// One value of related objects, such as `\.author.name` or `\.tags.count`, for conditions, sort descriptors and section keys.
///
/// `Property` is the type of its values without null. Write it as a key path, `\.author.name`, or, for clearer messages about a
/// misspelt step, as a value: `Book.author.name`.
public struct RelatedAttribute<Root: Entity, Property>: Sendable {
  /// The expression over attribute names.
  public let expression: FetchExpression

  init(_ expression: FetchExpression) { self.expression = expression }
}

extension RelatedAttribute: CustomStringConvertible {
  /// The path as text, such as `author.name`: the name of the value in rows.
  public var description: String { expression.description }
}

// MARK: - Order and sections

extension EntitySortDescriptor {
  /// Sorts by a value of related objects, smaller values first.
  public static func ascending<Property>(
    _ path: KeyPath<Root.Type, RelatedAttribute<Root, Property>>,
    nulls: NullPlacement? = nil
  ) -> Self {
    .ascending(Root.self[keyPath: path], nulls: nulls)
  }

  /// Sorts by a value of related objects, smaller values first.
  public static func ascending<Property>(
    _ path: RelatedAttribute<Root, Property>,
    nulls: NullPlacement? = nil
  ) -> Self {
    Self(descriptor: FetchSortDescriptor(path.expression, .ascending, nulls: nulls))
  }

  /// Sorts by a value of related objects, larger values first.
  public static func descending<Property>(
    _ path: KeyPath<Root.Type, RelatedAttribute<Root, Property>>,
    nulls: NullPlacement? = nil
  ) -> Self {
    .descending(Root.self[keyPath: path], nulls: nulls)
  }

  /// Sorts by a value of related objects, larger values first.
  public static func descending<Property>(
    _ path: RelatedAttribute<Root, Property>,
    nulls: NullPlacement? = nil
  ) -> Self {
    Self(descriptor: FetchSortDescriptor(path.expression, .descending, nulls: nulls))
  }
}

extension EntitySectionKey {
  /// Sections by a value of related objects, in the order of those values; objects of the same value share a section.
  public static func attribute<Property>(
    _ path: KeyPath<Root.Type, RelatedAttribute<Root, Property>>,
    _ direction: SortDirection = .ascending,
    nulls: NullPlacement? = nil
  ) -> Self {
    .attribute(Root.self[keyPath: path], direction, nulls: nulls)
  }

  /// Sections by a value of related objects, in the order of those values; objects of the same value share a section.
  public static func attribute<Property>(
    _ path: RelatedAttribute<Root, Property>,
    _ direction: SortDirection = .ascending,
    nulls: NullPlacement? = nil
  ) -> Self {
    Self(.expression(path.expression, direction, nulls: nulls))
  }
}

// MARK: - Properties to fetch

/// A property of the rows that a request returns as dictionaries: an attribute, or a value of related objects.
public struct EntityProperty<Root: Entity>: Sendable {
  /// The name of the value in a dictionary, such as `title` or `author.name`.
  public let name: String

  /// An attribute.
  public static func attribute<Property: AttributeConvertible>(
    _ keyPath: any KeyPath<Root, Property> & Sendable
  ) -> Self {
    Self(name: Root.schema.attributeName(of: keyPath))
  }

  /// A value of related objects.
  public static func attribute<Property>(
    _ path: KeyPath<Root.Type, RelatedAttribute<Root, Property>>
  ) -> Self {
    .attribute(Root.self[keyPath: path])
  }

  /// A value of related objects.
  public static func attribute<Property>(_ path: RelatedAttribute<Root, Property>) -> Self {
    Self(name: path.description)
  }
}

extension FetchRequest where Object: Entity {
  /// Returns the request with dictionaries of some properties as results; only those are checked for changes.
  public func returning(_ properties: [EntityProperty<Object>]) -> FetchRequest<FetchedDictionary> {
    var request = returning(FetchedDictionary.self)
    request.propertiesToFetch = properties.map(\.name)
    return request
  }
}
