extension FetchPredicate {
  /// Whether a row is fetched: the predicate is true for it, neither false nor unknown.
  ///
  /// For many rows, prepare a `CompiledPredicate` once.
  public func holds(for row: Row) -> Bool { evaluate(row) == true }

  /// True, false, or `nil` for unknown, by SQL's three-valued logic.
  ///
  /// For many rows, prepare a `CompiledPredicate` once.
  /// - Complexity: O(*n*) in the predicate's size and the bytes of the values it reads.
  public func evaluate(_ row: Row) -> Bool? {
    CompiledPredicate(self, in: row.entity).evaluate(row.values, key: row.id.key)
  }
}
