/// The direction of a sort descriptor.
public enum SortDirection: String, Hashable, Sendable {
  /// Smaller values first.
  case ascending
  /// Larger values first.
  case descending
}

/// The position of null among other values.
public enum NullPlacement: String, Hashable, Sendable {
  /// Before all other values.
  case first
  /// After all other values.
  case last
}

/// A term of an order: an expression, a direction, and the position of nulls.
public struct FetchSortDescriptor: Hashable, Sendable {
  /// The expression whose values are compared.
  public let expression: FetchExpression
  /// The direction.
  public let direction: SortDirection
  /// The position of nulls; by default, as in SQLite, null is smaller than every other value.
  public let nulls: NullPlacement

  /// Creates a term of an order.
  public init(
    _ expression: FetchExpression,
    _ direction: SortDirection = .ascending,
    nulls: NullPlacement? = nil
  ) {
    self.expression = expression
    self.direction = direction
    self.nulls = nulls ?? (direction == .ascending ? .first : .last)
  }

  /// Sorts by an attribute, smaller values first.
  public static func ascending(
    _ attribute: String,
    nulls: NullPlacement? = nil
  ) -> FetchSortDescriptor {
    FetchSortDescriptor(.attribute(attribute), .ascending, nulls: nulls)
  }

  /// Sorts by an attribute, larger values first.
  public static func descending(
    _ attribute: String,
    nulls: NullPlacement? = nil
  ) -> FetchSortDescriptor {
    FetchSortDescriptor(.attribute(attribute), .descending, nulls: nulls)
  }
}

extension SortDirection {
  /// The opposite direction.
  package var reversed: SortDirection { self == .ascending ? .descending : .ascending }
}

extension NullPlacement {
  /// The other end.
  package var reversed: NullPlacement { self == .first ? .last : .first }
}

extension FetchSortDescriptor {
  /// The term of the same order from its end.
  package var reversed: FetchSortDescriptor {
    FetchSortDescriptor(expression, direction.reversed, nulls: nulls.reversed)
  }
}

/// A sort descriptor over the properties of an entity's struct.
public struct EntitySortDescriptor<Root: Entity>: Sendable {
  /// The descriptor over attribute names.
  public let descriptor: FetchSortDescriptor

  /// Sorts by a property, which can be the identity's, smaller values first.
  ///
  /// ```swift
  /// let request = FetchRequest<Book>(sortedBy: [.ascending(\.authorID, nulls: .last)])
  /// ```
  public static func ascending<Property: AttributeConvertible>(
    _ keyPath: any KeyPath<Root, Property> & Sendable,
    nulls: NullPlacement? = nil
  ) -> Self {
    let expression = Root.schema.expression(of: keyPath)
    return Self(descriptor: FetchSortDescriptor(expression, .ascending, nulls: nulls))
  }

  /// Sorts by a property, which can be the identity's, larger values first.
  ///
  /// ```swift
  /// let request = FetchRequest<Book>(sortedBy: [.descending(\.year), .ascending(\.title)])
  /// ```
  public static func descending<Property: AttributeConvertible>(
    _ keyPath: any KeyPath<Root, Property> & Sendable,
    nulls: NullPlacement? = nil
  ) -> Self {
    let expression = Root.schema.expression(of: keyPath)
    return Self(descriptor: FetchSortDescriptor(expression, .descending, nulls: nulls))
  }
}
