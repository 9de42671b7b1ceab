/// Which way a sort descriptor orders.
public enum SortDirection: String, Hashable, Sendable {
  /// Smaller values first.
  case ascending
  /// Larger values first.
  case descending
}

/// Where rows without a value stand.
public enum NullPlacement: String, Hashable, Sendable {
  /// Before all others.
  case first
  /// After all others.
  case last
}

/// One term of an order: an expression, a direction, and where nulls stand.
public struct FetchSortDescriptor: Hashable, Sendable {
  /// What is compared.
  public let expression: FetchExpression
  /// Which way.
  public let direction: SortDirection
  /// Where nulls stand; as in SQLite, unless chosen, they are smaller than everything.
  public let nulls: NullPlacement

  /// One term of an order.
  public init(
    _ expression: FetchExpression,
    _ direction: SortDirection = .ascending,
    nulls: NullPlacement? = nil
  ) {
    self.expression = expression
    self.direction = direction
    self.nulls = nulls ?? (direction == .ascending ? .first : .last)
  }

  /// Orders by an attribute, smaller values first.
  public static func ascending(
    _ attribute: String,
    nulls: NullPlacement? = nil
  ) -> FetchSortDescriptor {
    FetchSortDescriptor(.attribute(attribute), .ascending, nulls: nulls)
  }

  /// Orders by an attribute, larger values first.
  public static func descending(
    _ attribute: String,
    nulls: NullPlacement? = nil
  ) -> FetchSortDescriptor {
    FetchSortDescriptor(.attribute(attribute), .descending, nulls: nulls)
  }
}

/// A sort descriptor over the properties of an entity's struct.
public struct EntitySortDescriptor<Root: Entity>: Sendable {
  /// The descriptor over attribute names.
  public let descriptor: FetchSortDescriptor

  /// Orders by a property, smaller values first.
  public static func ascending<Property: AttributeConvertible>(
    _ keyPath: any KeyPath<Root, Property> & Sendable,
    nulls: NullPlacement? = nil
  ) -> Self {
    Self(descriptor: .ascending(Root.schema.attributeName(of: keyPath), nulls: nulls))
  }

  /// Orders by a property, larger values first.
  public static func descending<Property: AttributeConvertible>(
    _ keyPath: any KeyPath<Root, Property> & Sendable,
    nulls: NullPlacement? = nil
  ) -> Self {
    Self(descriptor: .descending(Root.schema.attributeName(of: keyPath), nulls: nulls))
  }
}
