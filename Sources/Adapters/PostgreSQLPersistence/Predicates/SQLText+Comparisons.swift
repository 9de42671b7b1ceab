#if PostgreSQL
import ResultsDomain

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
    let bound: Bound
    switch (storage, value) {
    case (.integer, .integer), (.blob, .blob): bound = .value(comparison, value)
    case (.real, .real): bound = .value(comparison, value)
    case (.integer, .real(let number)): bound = Bound(integer: comparison, number)
    case (.real, .integer(let number)): bound = Bound(real: comparison, number)
    case (.text, .text(let text)): bound = Bound(text: comparison, text)
    default:
      // Values of different classes are in the order of their classes.
      bound = .always(comparison.holds(storage.rank, value.storage?.rank ?? 0))
    }
    switch bound {
    case .always(let truth): try append(truth, ifNotNull: expression, in: table)
    case .value(let comparison, let value):
      try append(comparing: expression, comparison, value, in: table)
    }
  }

  /// A comparison with a constant of the expression's own storage class, or a result for every value.
  private enum Bound {
    case value(ComparisonOperator, Value)
    case always(Bool)

    /// A comparison of integers with a double.
    init(integer comparison: ComparisonOperator, _ number: Double) {
      guard number < 0x1p63, number >= -0x1p63 else {
        let isAbove = number > 0
        switch comparison {
        case .equal: self = .always(false)
        case .notEqual: self = .always(true)
        case .less, .lessOrEqual: self = .always(isAbove)
        case .greater, .greaterOrEqual: self = .always(!isAbove)
        }
        return
      }
      let truncated = Int64(number)
      guard Double(truncated) != number else {
        self = .value(comparison, .integer(truncated))
        return
      }
      let floor = number < 0 ? truncated - 1 : truncated
      switch comparison {
      case .equal: self = .always(false)
      case .notEqual: self = .always(true)
      case .less, .lessOrEqual: self = .value(.lessOrEqual, .integer(floor))
      case .greater, .greaterOrEqual: self = .value(.greater, .integer(floor))
      }
    }

    /// A comparison of doubles with an integer.
    init(real comparison: ComparisonOperator, _ number: Int64) {
      let nearest = Double(number)
      let order = Value.compare(.real(nearest), .integer(number))
      guard order != .same else {
        self = .value(comparison, .real(nearest))
        return
      }
      let below = order == .ascending ? nearest : nearest.nextDown
      switch comparison {
      case .equal: self = .always(false)
      case .notEqual: self = .always(true)
      case .less, .lessOrEqual: self = .value(.lessOrEqual, .real(below))
      case .greater, .greaterOrEqual: self = .value(.greater, .real(below))
      }
    }

    /// A comparison of texts without NUL with any text: one with a NUL is just after the bytes before it.
    init(text comparison: ComparisonOperator, _ text: String) {
      guard text.hasZero else {
        self = .value(comparison, .text(text))
        return
      }
      switch comparison {
      case .equal: self = .always(false)
      case .notEqual: self = .always(true)
      case .less, .lessOrEqual: self = .value(.lessOrEqual, .text(text.beforeZero))
      case .greater, .greaterOrEqual: self = .value(.greater, .text(text.beforeZero))
      }
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
    if let column = table.column(of: expression), column.coding.comparesInOwnType,
      let parameter = column.coding.comparand(value)
    {
      append(column.sql + (isEquality ? column.equalityCollation : column.orderCollation))
      append(" \(comparison.symbol) ")
      append(parameter: parameter)
    } else {
      try append(operand: expression, in: table)
      append(" \(comparison.symbol) ")
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
      append(" \(comparison.symbol) ")
      try append(operand: right, in: table)
      append(")")
    case (.integer, .real): try append(integer: left, comparison, real: right, in: table)
    case (.real, .integer):
      try append(integer: right, comparison.mirrored, real: left, in: table)
    case (.some(let one), .some(let other)):
      append("CASE WHEN (")
      try append(left, in: table)
      append(") IS NOT NULL THEN ")
      try append(comparison.holds(one.rank, other.rank), ifNotNull: right, in: table)
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
    let isAbove: Bool
    let isBelow: Bool
    let function: String
    switch comparison {
    case .equal, .notEqual:
      (isAbove, isBelow) = (comparison == .notEqual, comparison == .notEqual)
      function = ""
    // i < r just where i < ceil(r), and i <= r just where i <= floor(r).
    case .less: (isAbove, isBelow, function) = (true, false, "ceil")
    case .greaterOrEqual: (isAbove, isBelow, function) = (false, true, "ceil")
    case .lessOrEqual: (isAbove, isBelow, function) = (true, false, "floor")
    case .greater: (isAbove, isBelow, function) = (false, true, "floor")
    }
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
    append(") >= 9223372036854775808::double precision THEN \(isAbove ? "TRUE" : "FALSE")")
    try write(" WHEN (", real, ") < (-9223372036854775808)::double precision", &self)
    append(" THEN \(isBelow ? "TRUE" : "FALSE")")
    if function.isEmpty {
      try write(" WHEN floor(", real, ") <> (", &self)
      try append(real, in: table)
      append(") THEN \(isAbove ? "TRUE" : "FALSE")")
    }
    try write(" WHEN (", real, ") IS NOT NULL THEN (", &self)
    try append(integer, in: table)
    append(") \(comparison.symbol) \(function)(")
    try append(real, in: table)
    append(")::bigint END END")
  }
}

extension ComparisonOperator {
  /// The operator in SQL.
  var symbol: String {
    switch self {
    case .equal: "="
    case .notEqual: "<>"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }

  /// Whether the comparison holds for two ranks.
  fileprivate func holds(_ left: Int, _ right: Int) -> Bool {
    switch self {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }
}

extension StorageClass {
  /// The position of values of the class among all values (`Value.compare`).
  fileprivate var rank: Int {
    switch self {
    case .integer, .real: 1
    case .text: 2
    case .blob, .any: 3
    }
  }
}
#endif
