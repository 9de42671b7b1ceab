/// A rule that divides a list into sections and orders and titles them.
///
/// A section's id, order and title are independent: the id identifies it, the order key positions it, and the title is only
/// shown (R05).
public struct SectionKey: Sendable {
  /// The source of a section's id.
  public enum Source: Sendable {
    /// An expression that the store evaluates.
    case expression(
      FetchExpression,
      orderedBy: FetchExpression?,
      SortDirection,
      nulls: NullPlacement?
    )
    /// A grouping of the values of the first sort attribute.
    case transient(source: String, any SectionGrouping)
    /// The objects of a to-one relationship.
    case relationship(ObjectSections)
  }

  /// The source of a section's id.
  public internal(set) var source: Source
  /// The policy for rows of one section that are not adjacent.
  public var contiguity: SectionContiguity = .error
  /// Returns the title for a section's id; `nil` for the default: the text or the number itself, empty for null.
  ///
  /// For sections in natural order it gets the text, and not the key by which the text is sorted (R206); for sections that are objects,
  /// the value of the object that is its title (R106).
  public var title: (@Sendable (Value) -> String)?
  /// A text that identifies everything the titles depend on; titles are compared when it changes.
  public var titleIdentity: String
  /// Returns the index title for a section's title; `nil` for the default: its first character, uppercased.
  public var indexTitle: (@Sendable (String) -> String)?

  /// Creates a section key.
  public init(
    _ source: Source,
    contiguity: SectionContiguity = .error,
    titleIdentity: String = "",
    title: (@Sendable (Value) -> String)? = nil,
    indexTitle: (@Sendable (String) -> String)? = nil
  ) {
    self.source = source
    self.contiguity = contiguity
    self.title = title
    self.titleIdentity = titleIdentity
    self.indexTitle = indexTitle
  }

  /// The key with another grouping of the same attribute.
  package func grouped(by grouping: any SectionGrouping) -> SectionKey {
    guard case .transient(let name, _) = source else { return self }
    var key = self
    key.source = .transient(source: name, grouping)
    return key
  }

  /// The title for a section's id, by `title`, the grouping or the default.
  package func title(of id: Value) -> String {
    let shown = shown(id)
    if let title { return title(shown) }
    if case .transient(_, let grouping) = source { return grouping.title(of: id) }
    return shown.plainTitle
  }

  /// The value that a section's id stands for: of a key of natural or filing order, the text.
  private func shown(_ id: Value) -> Value {
    guard case .expression(.transformed(let transform, _), _, _, _) = source,
      case .text(let key) = id
    else { return id }
    return .text(transform.source(of: key) ?? key)
  }

  /// Sections by the values of an attribute, in the order of those values.
  ///
  /// By default, the section of null is first in ascending and last in descending order.
  public static func attribute(
    _ name: String,
    _ direction: SortDirection = .ascending,
    nulls: NullPlacement? = nil
  ) -> SectionKey {
    .expression(.attribute(name), direction, nulls: nulls)
  }

  /// Sections by an expression that the store evaluates.
  ///
  /// ```swift
  /// let decades = SectionKey.expression(.bucket(.attribute("year"), width: 10))
  /// ```
  public static func expression(
    _ expression: FetchExpression,
    orderedBy order: FetchExpression? = nil,
    _ direction: SortDirection = .ascending,
    nulls: NullPlacement? = nil
  ) -> SectionKey {
    SectionKey(.expression(expression, orderedBy: order, direction, nulls: nulls))
  }

  /// Sections computed from the first sort attribute, and never stored.
  public static func transient(
    source: String,
    grouping: any SectionGrouping
  ) -> SectionKey {
    SectionKey(.transient(source: source, grouping))
  }
}

/// A section key over the properties of an entity's struct.
public struct EntitySectionKey<Root: Entity>: Sendable {
  /// The section key over attribute names.
  public let key: SectionKey

  /// Wraps a section key over attribute names.
  public init(_ key: SectionKey) { self.key = key }

  /// Sections by the values of a property, in the order of those values.
  ///
  /// By default, the section of null is first in ascending and last in descending order.
  ///
  /// ```swift
  /// let key = EntitySectionKey<Book>.attribute(\.publisher, .descending)
  /// ```
  public static func attribute<Property: AttributeConvertible>(
    _ keyPath: any KeyPath<Root, Property> & Sendable,
    _ direction: SortDirection = .ascending,
    nulls: NullPlacement? = nil
  ) -> Self {
    Self(.expression(Root.schema.expression(of: keyPath), direction, nulls: nulls))
  }

  /// Sections by an expression that the store evaluates.
  public static func expression(
    _ expression: FetchExpression,
    orderedBy order: FetchExpression? = nil,
    _ direction: SortDirection = .ascending,
    nulls: NullPlacement? = nil
  ) -> Self {
    Self(.expression(expression, orderedBy: order, direction, nulls: nulls))
  }

  /// Sections computed from the first sort property, and never stored.
  public static func transient<Property: AttributeConvertible>(
    source: any KeyPath<Root, Property> & Sendable,
    grouping: any SectionGrouping
  ) -> Self {
    Self(.transient(source: Root.schema.attributeName(of: source), grouping: grouping))
  }
}

/// A policy for rows of one section that are not adjacent.
///
/// This occurs only if a section's order key differs between its rows, or a grouping is not monotone.
public enum SectionContiguity: Hashable, Sendable {
  /// Throw an error that names two such rows.
  case error
  /// Merge them into one section at the position of the first row.
  case merge
  /// Make a section of each run; the ids of later runs contain an occurrence number.
  case split
}
