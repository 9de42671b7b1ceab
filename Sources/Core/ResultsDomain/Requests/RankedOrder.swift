/// An order that people give to rows by moving them: integer ranks in an attribute, by themselves or within groups of rows (R112).
///
/// Ranks have gaps, so that a row is moved by one write; `StoreTransaction.move(_:to:in:ifUnchangedFrom:)` does it. Rows of equal rank are
/// in the order of their identities, as in every list.
///
/// Nothing is checked before the order is used, so that a program can declare it as a constant.
public struct RankedOrderDescription: Hashable, Sendable {
  /// The entity whose rows are ordered.
  public let entity: EntityDescription
  /// The name of the attribute with the ranks.
  public let rank: String
  /// The names of the attributes whose values a group of rows shares; none for one order of all rows.
  public let scope: [String]
  /// Whether the smallest rank or the largest is first.
  public let direction: SortDirection
  /// The position of rows that have no rank.
  public let nulls: NullPlacement
  /// The ranks that are given to rows; `nil` for all numbers of the attribute's type.
  public let ranks: ClosedRange<Int64>?

  /// Describes an order.
  /// - Parameters:
  ///   - entity: The entity whose rows are ordered.
  ///   - rank: The name of an attribute of 16, 32 or 64 bits.
  ///   - scope: The names of the attributes whose values a group of rows shares.
  ///   - direction: Whether the smallest rank or the largest is first.
  ///   - nulls: The position of rows that have no rank; by default as in a sort descriptor.
  ///   - ranks: The ranks that may be given, where a constraint or another program does not allow all.
  public init(
    entity: EntityDescription,
    rank: String,
    within scope: [String] = [],
    _ direction: SortDirection = .ascending,
    nulls: NullPlacement? = nil,
    ranks: ClosedRange<Int64>? = nil
  ) {
    self.entity = entity.stored
    self.rank = rank
    self.scope = scope
    self.direction = direction
    self.nulls = nulls ?? (direction == .ascending ? .first : .last)
    self.ranks = ranks
  }

  /// The term by which a list of one group shows the order.
  public var sortDescriptor: FetchSortDescriptor {
    FetchSortDescriptor(.attribute(rank), direction, nulls: nulls)
  }

  /// Returns whether a list shows the rows of each group together and in this order.
  /// - Parameter sortDescriptors: The terms of the list's order.
  /// - Returns: Whether they are all attributes of the scope, in any directions, and then the rank alone.
  public func isShown(by sortDescriptors: [FetchSortDescriptor]) -> Bool {
    guard sortDescriptors.last == sortDescriptor, sortDescriptors.count == scope.count + 1
    else { return false }
    let terms = sortDescriptors.dropLast().map(\.expression)
    return scope.allSatisfy { terms.contains(.attribute($0)) }
  }
}

/// An order that people give to objects by moving them, over the properties of an entity's struct (R112).
///
/// ```swift
/// let order = RankedOrder(\Book.position, within: \.publisher)
/// try transaction.move(book, to: .start, in: order)
/// ```
public struct RankedOrder<Root: Entity>: Hashable, Sendable {
  /// The order over attribute names.
  public let description: RankedOrderDescription

  /// Describes an order by the ranks in a property.
  /// - Parameters:
  ///   - rank: A property of 16, 32 or 64 bits; it can be optional.
  ///   - scope: The properties whose values a group of objects shares, such as the key of a list; none for one order of all objects.
  ///   - direction: Whether the smallest rank or the largest is first.
  ///   - nulls: The position of objects that have no rank; by default as in a sort descriptor.
  ///   - ranks: The ranks that may be given, where a constraint or another program does not allow all.
  public init<Rank: AttributeConvertible>(
    _ rank: KeyPath<Root, Rank>,
    within scope: PartialKeyPath<Root>...,
    direction: SortDirection = .ascending,
    nulls: NullPlacement? = nil,
    ranks: ClosedRange<Int64>? = nil
  ) {
    description = RankedOrderDescription(
      entity: Root.entity,
      rank: Root.schema.attributeName(of: rank),
      within: scope.map { Root.schema.attributeName(of: $0) },
      direction,
      nulls: nulls,
      ranks: ranks
    )
  }

  /// The term by which a list of one group shows the order.
  public var sortDescriptor: EntitySortDescriptor<Root> {
    EntitySortDescriptor(descriptor: description.sortDescriptor)
  }
}

/// A position in a ranked order.
public enum RankedPosition: Hashable, Sendable {
  /// Before all rows of the group to which the row belongs.
  case start
  /// After all rows of the group to which the row belongs.
  case end
  /// Directly before a row, in its group.
  case before(ObjectID)
  /// Directly after a row, in its group.
  case after(ObjectID)
}
