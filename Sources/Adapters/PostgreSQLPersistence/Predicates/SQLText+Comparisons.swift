#if PostgreSQL
import ResultsDomain
import SQLStoreSupport

// Comparisons. The server's own operators round where an integer meets a double, and know no text with a NUL; so constants become bounds
// of the other side's type here, and columns are compared by the whole parts of the doubles.

extension SQLText {
  /// Appends a comparison of two expressions.
  mutating func append(
    _ left: FetchExpression,
    _ comparison: ComparisonOperator,
    _ right: FetchExpression,
    in table: EntityTable
  ) throws(StoreError) {
    let (leftCore, leftConstant) = left.hoisted(in: table.entity)
    let (rightCore, rightConstant) = right.hoisted(in: table.entity)
    // A constant with a NUL that replaces null exists here only.
    if let constant = leftConstant, constant.text?.hasZero == true {
      return try append(
        leftCore,
        replacing: constant,
        { (sql, side) throws(StoreError) in
          try sql.append(side, comparison, right, in: table)
        },
        in: table
      )
    }
    if let constant = rightConstant, constant.text?.hasZero == true {
      return try append(
        rightCore,
        replacing: constant,
        { (sql, side) throws(StoreError) in
          try sql.append(left, comparison, side, in: table)
        },
        in: table
      )
    }
    switch (leftCore, rightCore) {
    case (.literal(let one), .literal(let other)):
      append(
        truth: FetchPredicate.comparison(.literal(one), comparison, .literal(other)).constant
      )
    case (_, .literal(let value)): try append(left, comparison, value, in: table)
    case (.literal(let value), _): try append(right, comparison.mirrored, value, in: table)
    default: try append(comparing: left, comparison, right, in: table)
    }
  }

  /// Appends what is true of a constant where an expression is null, and of the expression elsewhere.
  private mutating func append(
    _ core: FetchExpression,
    replacing constant: Value,
    _ predicate: (inout SQLText, FetchExpression) throws(StoreError) -> Void,
    in table: EntityTable
  ) throws(StoreError) {
    append("CASE WHEN (")
    try append(core, in: table)
    append(") IS NULL THEN ")
    try predicate(&self, .literal(constant))
    append(" ELSE ")
    try predicate(&self, core)
    append(" END")
  }

  // MARK: With a constant

  private mutating func append(
    _ expression: FetchExpression,
    _ comparison: ComparisonOperator,
    _ value: Value,
    in table: EntityTable
  ) throws(StoreError) {
    let storage = (try? expression.storage(in: table.entity)) ?? nil
    guard let storage, !value.orderable.isNull else { return append("NULL::boolean") }
    switch ComparisonBound(storage, comparison, value) {
    case .always(let truth): try append(truth, ifNotNull: expression, in: table)
    case .value(let comparison, let value):
      try append(comparing: expression, comparison, value, in: table)
    }
  }

  private mutating func append(
    comparing expression: FetchExpression,
    _ comparison: ComparisonOperator,
    _ value: Value,
    in table: EntityTable
  ) throws(StoreError) {
    let isEquality = comparison == .equal || comparison == .notEqual
    append("(")
    if let column = table.column(of: expression),
      let (comparison, parameter) = column.coding.later(comparison, value)
    {
      append("\(column.sql) \(comparison.sqlSymbol) ")
      append(parameter: parameter)
    } else if let column = table.column(of: expression), column.coding.comparesInOwnType,
      let parameter = column.coding.comparand(value)
    {
      append(column.sql + (isEquality ? column.equalityCollation : column.orderCollation))
      append(" \(comparison.sqlSymbol) ")
      append(parameter: parameter)
    } else {
      try append(operand: expression, in: table)
      append(" \(comparison.sqlSymbol) ")
      append(argument: value)
    }
    append(")")
  }

  /// Appends an expression as one side of a comparison; texts are compared by bytes.
  private mutating func append(
    operand expression: FetchExpression,
    in table: EntityTable
  ) throws(StoreError) {
    let isText = (try? expression.storage(in: table.entity)) == .text
    append("(")
    try append(expression, in: table)
    append(isText ? ") COLLATE \"C\"" : ")")
  }

  // MARK: Of two expressions

  private mutating func append(
    comparing left: FetchExpression,
    _ comparison: ComparisonOperator,
    _ right: FetchExpression,
    in table: EntityTable
  ) throws(StoreError) {
    let storage = (
      (try? left.storage(in: table.entity)) ?? nil, (try? right.storage(in: table.entity)) ?? nil
    )
    switch storage {
    case (.integer, .integer), (.real, .real), (.text, .text), (.blob, .blob):
      append("(")
      try append(operand: left, in: table)
      append(" \(comparison.sqlSymbol) ")
      try append(operand: right, in: table)
      append(")")
    case (.integer, .real): try append(integer: left, comparison, real: right, in: table)
    case (.real, .integer):
      try append(integer: right, comparison.mirrored, real: left, in: table)
    case (.some(let one), .some(let other)):
      append("CASE WHEN (")
      try append(left, in: table)
      append(") IS NOT NULL THEN ")
      try append(comparison.holds(one, other), ifNotNull: right, in: table)
      append(" END")
    default: append("NULL::boolean")
    }
  }

  /// Appends an exact comparison of integers with doubles: beyond 64 bits by the range, else with the double's whole part.
  private mutating func append(
    integer: FetchExpression,
    _ comparison: ComparisonOperator,
    real: FetchExpression,
    in table: EntityTable
  ) throws(StoreError) {
    let whole = WholePartComparison(comparison)
    func write(
      _ before: String,
      _ expression: FetchExpression,
      _ after: String,
      _ sql: inout SQLText
    )
      throws(StoreError)
    {
      sql.append(before)
      try sql.append(expression, in: table)
      sql.append(after)
    }
    try write("CASE WHEN (", integer, ") IS NOT NULL THEN CASE WHEN (", &self)
    try append(real, in: table)
    append(") >= 9223372036854775808::double precision THEN \(Dialect.truth(whole.holdsAbove))")
    try write(" WHEN (", real, ") < (-9223372036854775808)::double precision", &self)
    append(" THEN \(Dialect.truth(whole.holdsBelow))")
    if whole.rounding == nil {
      try write(" WHEN floor(", real, ") <> (", &self)
      try append(real, in: table)
      append(") THEN \(Dialect.truth(whole.holdsAbove))")
    }
    try write(" WHEN (", real, ") IS NOT NULL THEN (", &self)
    try append(integer, in: table)
    append(") \(comparison.sqlSymbol) \(whole.rounding?.rawValue ?? "")(")
    try append(real, in: table)
    append(")::bigint END END")
  }
}
#endif
