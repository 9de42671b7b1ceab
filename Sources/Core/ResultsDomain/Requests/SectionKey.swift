/// By what a list is divided into sections, and how they are ordered and titled.
///
/// A section's id, its order and its title are three things: the id tells it from the others, the order key places
/// it, and the title is only shown (R05).
public struct SectionKey: Sendable {
  /// Where a section's id comes from.
  public enum Source: Sendable {
    /// An expression that the store evaluates.
    case expression(
      FetchExpression,
      orderedBy: FetchExpression?,
      SortDirection,
      nulls: NullPlacement?
    )
    /// A grouping of the values of the first sort descriptor's attribute.
    case transient(source: String, any SectionGrouping)
  }

  /// Where a section's id comes from.
  public let source: Source
  /// What is done with rows of one section that do not stand together.
  public var contiguity: SectionContiguity = .error
  /// A title of a section's id, or `nil` for the default: a text itself, a number's digits, nothing for null.
  public var title: (@Sendable (Value) -> String)?
  /// Everything the titles depend on, as text; titles are compared when it changes.
  public var titleIdentity: String
  /// An index title of a section's title, or `nil` for the default: its first character, uppercased.
  public var indexTitle: (@Sendable (String) -> String)?

  /// A section key.
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

  /// Sections by the values of an attribute, in the order of those values; the section of null stands first where they ascend and last
  /// where they descend, unless it is said.
  public static func attribute(
    _ name: String,
    _ direction: SortDirection = .ascending,
    nulls: NullPlacement? = nil
  ) -> SectionKey {
    .expression(.attribute(name), direction, nulls: nulls)
  }

  /// Sections by an expression that the store evaluates.
  public static func expression(
    _ expression: FetchExpression,
    orderedBy order: FetchExpression? = nil,
    _ direction: SortDirection = .ascending,
    nulls: NullPlacement? = nil
  ) -> SectionKey {
    SectionKey(.expression(expression, orderedBy: order, direction, nulls: nulls))
  }

  /// Sections computed from the attribute that the list is sorted by first, never stored.
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

  /// A section key over attribute names, used where the entity is known.
  public init(_ key: SectionKey) { self.key = key }

  /// Sections by the values of a property, in the order of those values; the section of null stands first where they ascend and last
  /// where they descend, unless it is said.
  public static func attribute<Property: AttributeConvertible>(
    _ keyPath: any KeyPath<Root, Property> & Sendable,
    _ direction: SortDirection = .ascending,
    nulls: NullPlacement? = nil
  ) -> Self {
    Self(.attribute(Root.schema.attributeName(of: keyPath), direction, nulls: nulls))
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

  /// Sections computed from the property that the list is sorted by first, never stored.
  public static func transient<Property: AttributeConvertible>(
    source: any KeyPath<Root, Property> & Sendable,
    grouping: any SectionGrouping
  ) -> Self {
    Self(.transient(source: Root.schema.attributeName(of: source), grouping: grouping))
  }
}

/// What is done with rows of one section that do not stand together.
///
/// It can only happen where a section's order key differs between its rows, or a grouping is not monotone.
public enum SectionContiguity: Hashable, Sendable {
  /// Refuse, naming two such rows.
  case error
  /// Gather them where the first of them stands.
  case merge
  /// Make a section of each run; later runs get an occurrence number in their id.
  case split
}
