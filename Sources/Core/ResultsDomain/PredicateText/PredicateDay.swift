/// A date without a time in the text of a predicate: every instant of that day in UTC.
///
/// Instants are whole microseconds, so a day is the closed range from its first to its last one.
struct PredicateDay {
  /// Midnight UTC, in microseconds since 1970.
  let first: Value
  /// The microsecond before the next midnight.
  let last: Value

  /// Parses a date such as `2026-11-03`; `nil` for any other text, and for a day that 64 bits cannot hold.
  init?(_ text: String) {
    guard !text.utf8.contains(UInt8(ascii: ":")), let midnight = Instant(iso8601: text) else {
      return nil
    }
    let (last, overflow) = midnight.microseconds.addingReportingOverflow(86_400_000_000 - 1)
    guard !overflow else { return nil }
    first = .integer(midnight.microseconds)
    self.last = .integer(last)
  }

  /// Returns the comparison of an expression with the day: equal means on that day, less means before it.
  func predicate(_ expression: FetchExpression, _ comparison: ComparisonOperator) -> FetchPredicate
  {
    switch comparison {
    case .equal: .between(expression, first, last)
    case .notEqual: .not(.between(expression, first, last))
    case .less, .greaterOrEqual: .comparison(expression, comparison, .literal(first))
    case .lessOrEqual, .greater: .comparison(expression, comparison, .literal(last))
    }
  }
}

extension ComparisonOperator {
  /// The operator for exchanged sides.
  package var mirrored: ComparisonOperator {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}
