/// A struct of some values of an object and of its related objects: what a row of a list shows.
///
/// ```swift
/// struct BookRow: FetchedProjection {
///   var title = ""
///   var author: String?
///   var tags: [String] = []
///
///   static let fields = ProjectionFields<BookRow, Book> {
///     Field(\.title, \.title)
///     Field(\.author, \.author.name)
///     Field(\.tags, \.tags.name)
///   }
/// }
/// ```
///
/// A request for it, `request.projecting(BookRow.self)`, reads and observes its fields only: a row whose author is renamed is an
/// update that names `author.name` (R95). The related values of a page are read step by step, not row by row (R99).
public protocol FetchedProjection: FetchedObject {
  /// The entity whose objects are listed.
  associatedtype Root: Entity
  /// Creates a value to fill; its initial values are overwritten.
  init()
  /// Where its properties come from.
  static var fields: ProjectionFields<Self, Root> { get }
}

extension FetchedProjection {
  /// Creates a projection from a row; a field that the request did not fetch keeps its initial value.
  /// - Throws: `RowError` with the field whose stored value does not fit the property's type.
  /// - Complexity: O(*f* · *n*) for *f* fields in a row of *n* values.
  public init(row: Row) throws(RowError) {
    self.init()
    for field in Self.fields.fields { try field.fill(&self, row) }
  }

  /// The names of the fields: attributes, and paths such as `author.name`.
  public static var propertiesToFetch: [String]? { fields.fields.compactMap(\.name) }
}

/// The fields of a projection, declared once in its struct.
public struct ProjectionFields<Projection, Root: Entity>: Sendable {
  let fields: [Field<Projection, Root>]

  /// Creates the fields of a projection.
  public init(
    @ProjectionFieldsBuilder<Projection, Root> fields: () -> [Field<Projection, Root>]
  ) {
    self.fields = fields()
  }
}

/// Collects the fields of a projection.
@resultBuilder
public enum ProjectionFieldsBuilder<Projection, Root: Entity> {
  /// Builds one field.
  public static func buildExpression(
    _ field: Field<Projection, Root>
  ) -> Field<Projection, Root> { field }

  /// Collects the fields in the order of their declarations.
  public static func buildBlock(
    _ fields: Field<Projection, Root>...
  ) -> [Field<Projection, Root>] { fields }
}

/// A line of a projection's fields: a property, and the attribute or path whose value it gets.
public struct Field<Projection, Root: Entity>: Sendable {
  /// The name of the value in a row, or `nil` for the object's key, which every row has.
  let name: String?
  let fill: @Sendable (inout Projection, Row) throws(RowError) -> Void

  /// A property of the object itself, which can be its identity.
  public init<Property>(
    _ property: any WritableKeyPath<Projection, Property> & Sendable,
    _ source: any KeyPath<Root, Property> & Sendable
  ) {
    name = Root.schema.isKey(source) ? nil : Root.schema.attributeName(of: source)
    fill = { (projection, row) throws(RowError) in
      guard let value = try Root.schema.value(of: source, in: row) else { return }
      projection[keyPath: property] = value
    }
  }

  /// A value of related objects; `nil` where there is none (R92).
  public init<Property: AttributeConvertible>(
    _ property: any WritableKeyPath<Projection, Property?> & Sendable,
    _ path: KeyPath<Root.Type, RelatedAttribute<Root, Property>>
  ) {
    self.init(property, Root.self[keyPath: path])
  }

  /// A value of related objects; `nil` where there is none (R92).
  public init<Property: AttributeConvertible>(
    _ property: any WritableKeyPath<Projection, Property?> & Sendable,
    _ path: RelatedAttribute<Root, Property>
  ) {
    self.init(path) { (projection, value: Property?) in projection[keyPath: property] = value }
  }

  /// A value of related objects that is never null, such as a count; null is a `RowError`.
  public init<Property: AttributeConvertible>(
    _ property: any WritableKeyPath<Projection, Property> & Sendable,
    _ path: KeyPath<Root.Type, RelatedAttribute<Root, Property>>
  ) {
    self.init(property, Root.self[keyPath: path])
  }

  /// A value of related objects that is never null, such as a count; null is a `RowError`.
  public init<Property: AttributeConvertible>(
    _ property: any WritableKeyPath<Projection, Property> & Sendable,
    _ path: RelatedAttribute<Root, Property>
  ) {
    self.init(path) { (projection, value: Property) in projection[keyPath: property] = value }
  }

  /// The values of an attribute of all objects of a to-many relationship, in the order of the values, then of the objects' keys.
  ///
  /// An object whose attribute is null has no value in the list.
  public init<Element: AttributeConvertible>(
    _ property: any WritableKeyPath<Projection, [Element]> & Sendable,
    _ path: KeyPath<Root.Type, GatheredAttribute<Root, Element>>
  ) {
    self.init(property, Root.self[keyPath: path])
  }

  /// The values of an attribute of all objects of a to-many relationship, in the order of the values, then of the objects' keys.
  ///
  /// An object whose attribute is null has no value in the list.
  public init<Element: AttributeConvertible>(
    _ property: any WritableKeyPath<Projection, [Element]> & Sendable,
    _ path: GatheredAttribute<Root, Element>
  ) {
    let name = path.description
    self.name = name
    fill = { (projection, row) throws(RowError) in
      guard let index = row.entity.index(of: name) else { return }
      let end = path.attribute
      var list: [Element] = []
      for stored in row.values[index].elements ?? [] {
        guard let value = end.map({ $0.logical(stored) }) ?? stored,
          let element = Element(attributeValue: value)
        else { throw RowError(id: row.id, attribute: name, value: stored) }
        list.append(element)
      }
      projection[keyPath: property] = list
    }
  }

  /// An exact decimal of related objects; `nil` where there is none (R92).
  public init(
    _ property: any WritableKeyPath<Projection, ExactDecimal?> & Sendable,
    _ path: KeyPath<Root.Type, RelatedAttribute<Root, ExactDecimal>>
  ) {
    self.init(property, Root.self[keyPath: path])
  }

  /// An exact decimal of related objects; `nil` where there is none (R92).
  public init(
    _ property: any WritableKeyPath<Projection, ExactDecimal?> & Sendable,
    _ path: RelatedAttribute<Root, ExactDecimal>
  ) {
    self.init(named: path.description) { (projection, attribute, stored) in
      guard case .decimal(let scale) = attribute.type else { return false }
      projection[keyPath: property] = stored.integer.map { ExactDecimal(units: $0, scale: scale) }
      return stored.isNull || stored.integer != nil
    }
  }

  private init<Source, Property: AttributeConvertible>(
    _ path: RelatedAttribute<Root, Source>,
    _ write: @escaping @Sendable (inout Projection, Property) -> Void
  ) {
    self.init(named: path.description) { (projection, attribute, stored) in
      guard let value = attribute.logical(stored), let value = Property(attributeValue: value)
      else { return false }
      write(&projection, value)
      return true
    }
  }

  /// Creates a field whose stored value a closure writes; it returns whether the value fits.
  private init(
    named name: String,
    _ write: @escaping @Sendable (inout Projection, AttributeDescription, Value) -> Bool
  ) {
    self.name = name
    fill = { (projection, row) throws(RowError) in
      guard let index = row.entity.index(of: name) else { return }
      let stored = row.values[index]
      guard write(&projection, row.entity.attributes[index], stored) else {
        throw RowError(id: row.id, attribute: name, value: stored)
      }
    }
  }
}

extension AttributeDescription {
  /// The value that a stored one stands for, or `nil` if it does not have the attribute's form.
  fileprivate func logical(_ stored: Value) -> Value? {
    guard let form, !stored.isNull else { return stored }
    return form.logical(stored)
  }
}

// MARK: - Requests

extension FetchRequest where Object: Entity {
  /// Returns the request with projections of its objects as results; only their fields are read and checked for changes.
  public func projecting<Projection: FetchedProjection>(
    _ kind: Projection.Type
  ) -> FetchRequest<Projection> where Projection.Root == Object {
    returning(kind)
  }
}

extension FetchRequest where Object: FetchedProjection {
  /// Creates a request for projections of an entity's objects, with conditions on the objects' properties.
  public init(
    where predicate: EntityPredicate<Object.Root> = .all,
    sortedBy sortDescriptors: [EntitySortDescriptor<Object.Root>],
    fetchLimit: Int? = nil,
    fetchOffset: Int = 0,
    fetchBatchSize: Int = 50
  ) {
    self.init(
      entity: Object.Root.entity,
      where: predicate.predicate,
      sortedBy: sortDescriptors.map(\.descriptor),
      fetchLimit: fetchLimit,
      fetchOffset: fetchOffset,
      fetchBatchSize: fetchBatchSize
    )
  }
}
