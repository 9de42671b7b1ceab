package import ResultsDomain

/// A statement under construction.
///
/// What all databases say alike is written once, in extensions: the walk of a predicate here, relations in `SQLBuilder+Relations.swift`. A
/// store writes the requirements, whose SQL must be exact for its own columns. Everything is written so that its result equals that of the
/// evaluator (`CompiledPredicate`).
package protocol SQLBuilder {
  associatedtype Dialect: SQLDialect
  associatedtype Table: SQLTable
  /// Why an expression or a predicate cannot be written; `Never` if all can.
  associatedtype Failure: Error

  /// The number of tables that have a name of their own.
  var tableCount: Int { get set }

  /// The table of an entity that a relationship names, or `nil` if the statement can read none.
  func table(of entity: EntityDescription) throws(Failure) -> Table?

  /// Appends SQL.
  mutating func append(_ sql: String)

  /// Appends an expression.
  mutating func append(_ expression: FetchExpression, in table: Table) throws(Failure)

  /// Appends an expression whose value does not matter, but only whether it is null.
  mutating func append(nullTested expression: FetchExpression, in table: Table) throws(Failure)

  /// Appends a comparison, whose operator is `ComparisonOperator.sqlSymbol`.
  mutating func append(
    _ left: FetchExpression,
    _ comparison: ComparisonOperator,
    _ right: FetchExpression,
    in table: Table
  ) throws(Failure)

  /// Appends whether an expression is in a range with both bounds.
  mutating func append(
    _ expression: FetchExpression,
    isBetween low: Value,
    and high: Value,
    in table: Table
  ) throws(Failure)

  /// Appends whether an expression is in a list.
  mutating func append(
    _ expression: FetchExpression,
    isIn values: [Value],
    in table: Table
  ) throws(Failure)

  /// Appends whether a row's own key is in a set; it is never null.
  mutating func append(_ identities: IdentitySet, in table: Table)

  /// Appends a text operator, which is tested as the dialect says.
  mutating func append(
    _ expression: FetchExpression,
    _ comparison: TextOperator,
    _ text: String,
    isFolding: Bool,
    in table: Table
  ) throws(Failure)
}

extension SQLBuilder {
  /// Appends `WHERE` and a predicate; nothing if all rows match.
  package mutating func append(
    where predicate: FetchPredicate,
    in table: Table
  ) throws(Failure) {
    let predicate = predicate.normalized
    if case .all = predicate { return }
    append(" WHERE ")
    try append(predicate, in: table)
  }

  /// Appends a normalized predicate, which is true, false or null like the predicate.
  package mutating func append(
    _ predicate: FetchPredicate,
    in table: Table
  ) throws(Failure) {
    switch predicate {
    case .all: append(Dialect.truth(true))
    // A store is asked at a time, and refuses a predicate without one.
    case .relative: append("NULL")
    case .none: append(Dialect.truth(false))
    case .comparison(let left, let comparison, let right):
      try append(left, comparison, right, in: table)
    case .between(let expression, let low, let high):
      try append(expression, isBetween: low, and: high, in: table)
    case .membership(let expression, let values):
      try append(expression, isIn: values, in: table)
    case .identity(let identities): append(identities, in: table)
    case .text(let expression, let comparison, let text, let caseInsensitive):
      try append(expression, comparison, text, isFolding: caseInsensitive, in: table)
    case .isNull(let expression):
      append("(")
      try append(nullTested: expression, in: table)
      append(" IS NULL)")
    case .not(.isNull(let expression)):
      // In this form databases recognize the condition of a partial index.
      append("(")
      try append(nullTested: expression, in: table)
      append(" IS NOT NULL)")
    case .not(let inner):
      append("(NOT ")
      try append(inner, in: table)
      append(")")
    case .and(let parts): try append(parts[...], joinedBy: " AND ", ifEmpty: true, in: table)
    case .or(let parts): try append(parts[...], joinedBy: " OR ", ifEmpty: false, in: table)
    case .quantified(let quantifier, let steps, let inner):
      try append(quantifier, steps, inner, in: table)
    }
  }

  /// Joins the halves recursively, so that the depth is logarithmic: SQLite refuses trees deeper than 1,000, and PostgreSQL's stack is
  /// bounded.
  package mutating func append(
    _ parts: ArraySlice<FetchPredicate>,
    joinedBy operation: String,
    ifEmpty truth: Bool,
    in table: Table
  ) throws(Failure) {
    guard let first = parts.first else { return append(Dialect.truth(truth)) }
    guard parts.count > 1 else { return try append(first, in: table) }
    let middle = parts.startIndex + parts.count / 2
    append("(")
    try append(parts[..<middle], joinedBy: operation, ifEmpty: truth, in: table)
    append(operation)
    try append(parts[middle...], joinedBy: operation, ifEmpty: truth, in: table)
    append(")")
  }
}
