extension FetchPredicate: CustomStringConvertible {
  /// The predicate in the text form, constants as they are stored.
  ///
  /// Parsing it gives the predicate back in its `normalized` form, except that a decimal stands there in its units;
  /// `text(in:)` writes decimals with their point, and dates as dates.
  /// - Complexity: O(*n*) in the predicate's size, identities included.
  public var description: String { PredicateWriter(entity: nil).text(self) }

  /// The predicate in the text form, constants as people write those of an entity's attributes.
  ///
  /// Parsing it for the same entity gives the predicate back in its `normalized` form, unless it is nested deeper than
  /// the parser goes (32 levels).
  /// - Complexity: O(*n*) in the predicate's size, identities included.
  public func text(in entity: EntityDescription) -> String {
    PredicateWriter(entity: entity).text(self)
  }
}

extension FetchExpression: CustomStringConvertible {
  /// The expression in the text form, constants as they are stored.
  public var description: String { PredicateWriter(entity: nil).text(self) }
}
