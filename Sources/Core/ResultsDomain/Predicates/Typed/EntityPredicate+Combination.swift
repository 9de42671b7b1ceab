extension EntityPredicate {
  /// Both predicates.
  public static func && (left: Self, right: Self) -> Self {
    Self(left.predicate && right.predicate)
  }

  /// Either predicate.
  public static func || (left: Self, right: Self) -> Self {
    Self(left.predicate || right.predicate)
  }

  /// The opposite; unknown stays unknown.
  public static prefix func ! (predicate: Self) -> Self { Self(!predicate.predicate) }

  /// No object.
  public static var none: Self { Self(.none) }

  /// Objects of a fixed set.
  public static func identity(in set: IdentitySet) -> Self { Self(.identity(set)) }
}
