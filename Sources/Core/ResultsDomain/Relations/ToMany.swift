import Synchronization

/// A relationship to any number of objects, declared beside the struct, and a path that ends with it.
///
/// ```swift
/// static let books = ToMany<Author, Book>("books", inverse: Book.author)
/// static let tags = ToMany<Book, Tag>("tags", through: Link("BookTag", "bookID", "tagID"))
/// ```
///
/// It has many values, so a path through it ends with an aggregate (`\.tags.count`, `\.books.year.max`) or a condition
/// (`Book.tags.any(\.name == "sf")`).
@dynamicMemberLookup
public struct ToMany<Root: Entity, Element: Entity>: Sendable {
  /// The names of the relationships from the root to the elements; one for a declared relationship.
  public let steps: [String]
  /// Returns where the keys are stored.
  ///
  /// It can need the schema of another struct, which can need this one's.
  package let kind: @Sendable () -> RelationshipDescription.Kind
  /// The link of a relationship that is declared with `Link`.
  private let linkReference: EntityReference?

  /// Declares the inverse of a to-one relationship.
  public init(_ name: String, inverse: ToOne<Element, Root>) {
    steps = [name]
    kind = { .toMany(foreignKey: inverse.columns()) }
    linkReference = nil
  }

  /// Declares a many-to-many relationship through an entity that only holds two keys.
  public init(_ name: String, through link: Link) {
    let reference = link.reference(from: Root.self, to: Element.self)
    steps = [name]
    kind = { .manyToMany(link: reference, from: link.from, to: link.to) }
    linkReference = link.arranged(reference)
  }

  /// Declares a many-to-many relationship through a struct, by its relationships to both sides.
  public init<Through: Entity>(
    _ name: String,
    through from: ToOne<Through, Root>,
    _ to: ToOne<Through, Element>
  ) {
    let reference = EntityReference { Through.entity }
    steps = [name]
    kind = { .manyToMany(link: reference, from: from.columns(), to: to.columns()) }
    linkReference = reference
  }

  /// Creates a path that ends with a declared relationship.
  init<Owner: Entity>(_ steps: [String], endingWith last: ToMany<Owner, Element>) {
    self.steps = steps + last.steps
    kind = last.kind
    linkReference = last.linkReference
  }

  /// The entity of the links of a many-to-many relationship, which a store must know; `nil` for an inverse.
  ///
  /// The values of a `Link` are in the order that this relationship declares, first the key of the object and then the key of the element:
  /// `\.tags.link` of a book has the book's key first, and `\.books.link` of a tag the tag's. Both are one entity of a store.
  /// `StoreTransaction.link(_:_:by:)` needs no order.
  public var link: EntityDescription? { linkReference?.entity }
}

// MARK: - Values

extension ToMany {
  /// The number of elements.
  public var count: RelatedAttribute<Root, Int> {
    RelatedAttribute(.relatedAggregate(steps, .count, nil, where: .all))
  }

  /// The number of elements for which a predicate is true.
  public func count(where predicate: EntityPredicate<Element>) -> RelatedAttribute<Root, Int> {
    RelatedAttribute(.relatedAggregate(steps, .count, nil, where: predicate.predicate))
  }

  /// The elements' values of an attribute.
  public subscript<Property>(
    dynamicMember keyPath: KeyPath<Element, Property>
  ) -> GatheredAttribute<Root, Property> {
    GatheredAttribute(steps, Element.schema.expression(of: keyPath))
  }

  /// The elements' values of an optional attribute.
  public subscript<Property>(
    dynamicMember keyPath: KeyPath<Element, Property?>
  ) -> GatheredAttribute<Root, Property> {
    GatheredAttribute(steps, Element.schema.expression(of: keyPath))
  }

  /// Whether at least one element satisfies a condition; false if there are none.
  public func any(_ condition: EntityPredicate<Element>) -> EntityPredicate<Root> {
    EntityPredicate(.quantified(.any, steps, condition.predicate))
  }

  /// Whether all elements satisfy a condition; true if there are none.
  public func all(_ condition: EntityPredicate<Element>) -> EntityPredicate<Root> {
    EntityPredicate(.quantified(.all, steps, condition.predicate))
  }

  /// Whether no element satisfies a condition; true if there are none.
  public func none(_ condition: EntityPredicate<Element>) -> EntityPredicate<Root> {
    EntityPredicate(.quantified(.none, steps, condition.predicate))
  }
}

/// The values of an attribute of the objects of a to-many relationship, such as `\.books.year`: one value after aggregation, or
/// a list of values in a row.
public struct GatheredAttribute<Root: Entity, Property>: Sendable {
  private let steps: [String]
  private let expression: FetchExpression

  init(_ steps: [String], _ expression: FetchExpression) {
    self.steps = steps
    self.expression = expression
  }

  /// The elements' attribute, or `nil` if it is their key.
  var attribute: AttributeDescription? {
    guard case .attribute(let name) = expression else { return nil }
    return Root.entity.destination(along: steps)?.attribute(named: name)
  }

  /// The smallest value; null if there is none.
  public var min: RelatedAttribute<Root, Property> { aggregate(.minimum) }

  /// The largest value; null if there is none.
  public var max: RelatedAttribute<Root, Property> { aggregate(.maximum) }

  /// The number of elements that have a value.
  public var count: RelatedAttribute<Root, Int> { aggregate(.count) }

  private func aggregate<Result>(
    _ function: FetchAggregate.Function
  ) -> RelatedAttribute<Root, Result> {
    RelatedAttribute(.relatedAggregate(steps, function, expression, where: .all))
  }
}

extension GatheredAttribute: CustomStringConvertible {
  /// The path as text, such as `books.year`: the name of the list of values in rows.
  public var description: String { FetchExpression.related(steps, expression).description }
}

extension GatheredAttribute where Property: FixedWidthInteger {
  /// The exact sum; null if there is no value, or if the sum does not fit.
  public var sum: RelatedAttribute<Root, Int64> { aggregate(.sum) }
}

extension GatheredAttribute where Property == Double {
  /// The sum, rounded once; null if there is no value.
  public var sum: RelatedAttribute<Root, Double> { aggregate(.sum) }
}

extension GatheredAttribute where Property == ExactDecimal {
  /// The exact sum; null if there is no value, or if the sum does not fit.
  public var sum: RelatedAttribute<Root, ExactDecimal> { aggregate(.sum) }
}

// MARK: - Links

/// The entity of a many-to-many relationship that only holds the keys of both sides, without a struct.
///
/// Its identity is both keys together, so two objects are linked at most once. A table of another application can identify its links
/// by an integer instead, and can then hold a pair more than once: each row is one element of the relationship.
public struct Link: Sendable {
  /// The entity's name.
  public let name: String
  /// The columns that hold the key of the struct that declares the relationship.
  public let from: [String]
  /// The columns that hold the key of the elements.
  public let to: [String]
  /// The integer column that identifies a link, or `nil` if both keys together do.
  public let identity: String?

  /// Describes a link between objects whose keys have one part.
  /// - Parameters:
  ///   - name: The entity's name.
  ///   - from: The column that holds the key of the struct that declares the relationship.
  ///   - to: The column that holds the key of the elements.
  ///   - identity: The `INTEGER PRIMARY KEY` of a table of another application, such as the `id` of Django, or `rowid` for a table without
  ///     a primary key, such as a join table of Rails; `nil` if both keys together are the primary key.
  public init(_ name: String, _ from: String, _ to: String, identity: String? = nil) {
    self.init(name, from: [from], to: [to], identity: identity)
  }

  /// Describes a link between objects whose keys can have several parts, in the order of each key.
  public init(_ name: String, from: [String], to: [String], identity: String? = nil) {
    self.name = name
    self.from = from
    self.to = to
    self.identity = identity
  }

  /// The same link as the other side declares it.
  public var reversed: Link { Link(name, from: to, to: from, identity: identity) }

  /// A reference to its entity, which is created on first use, since it needs the schemas of both sides.
  func reference<Root: Entity, Element: Entity>(
    from: Root.Type,
    to: Element.Type
  ) -> EntityReference {
    let made = LinkEntity()
    return EntityReference {
      made.entity {
        entity(
          keys: Array(zip(self.from, Root.entity.keyTypes))
            + Array(zip(self.to, Element.entity.keyTypes))
        )
      }
    }
  }

  /// A reference to the entity with its columns in the declared order.
  func arranged(_ reference: EntityReference) -> EntityReference {
    let made = LinkEntity()
    return EntityReference { made.entity { reference.entity.arranged(first: from + to) } }
  }

  private func entity(keys: [(String, AttributeType)]) -> EntityDescription {
    // The same description, whichever side declares it.
    let ordered = keys.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    do {
      return try EntityDescription(
        name: name,
        identity: identity.map { .integer(column: $0) } ?? .compound(ordered.map(\.0)),
        // Nothing keeps null out of a key that is not the primary key; it links nothing.
        attributes: ordered.map { AttributeDescription($0.0, $0.1, isOptional: identity != nil) }
      )
    } catch {
      preconditionFailure("The link \(name) is not valid. \(error)")
    }
  }
}

/// The description of a link's entity, created once.
private final class LinkEntity: Sendable {
  private let made = Mutex<EntityDescription?>(nil)

  func entity(_ make: () -> EntityDescription) -> EntityDescription {
    if let known = made.withLock(\.self) { return known }
    // Not under the lock: schemas are initialized, in any order.
    let new = make()
    return made.withLock { made in
      if let known = made { return known }
      made = new
      return new
    }
  }
}
