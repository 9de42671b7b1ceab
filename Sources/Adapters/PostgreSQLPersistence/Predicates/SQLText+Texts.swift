#if PostgreSQL
import ResultsDomain

// Text operators. The server compares by bytes (`COLLATE "C"`); a pattern of `MATCHES`, and a function that only this process has, is
// evaluated here for each different text, and the server gets the results.

extension SQLText {
  /// Appends a text operator.
  mutating func append(
    _ expression: FetchExpression,
    _ comparison: TextOperator,
    _ text: String,
    isFolding: Bool,
    in table: EntityTable
  ) throws(StoreError) {
    let (core, replacement) = expression.hoisted(in: table.entity)
    func result(_ value: Value) -> Bool? {
      FetchPredicate.text(.literal(value), comparison, text, caseInsensitive: isFolding).constant
    }
    if case .literal(let value) = core { return append(truth: result(value)) }
    guard ((try? core.storage(in: table.entity)) ?? nil) == .text else {
      return append("NULL::boolean")
    }
    if let replacement {
      append("CASE WHEN (")
      try append(core, in: table)
      append(") IS NULL THEN ")
      append(truth: result(replacement))
      append(" ELSE ")
      try append(core, comparison, text, isFolding: isFolding, in: table)
      append(" END")
      return
    }
    if comparison == .matches {
      return try append(core, matching: text, isFolding: isFolding, in: table)
    }
    let sought = isFolding ? TextFolding.folded(text) : text
    // No text of the server has a NUL. A pattern with one needs it.
    guard !sought.hasZero else { return try append(false, ifNotNull: core, in: table) }
    func operand(_ sql: inout SQLText) throws(StoreError) {
      sql.append("(")
      if isFolding {
        try sql.append(folding: core, in: table)
      } else {
        try sql.append(core, in: table)
      }
      sql.append(") COLLATE \"C\"")
    }
    switch comparison {
    case .beginsWith:
      append("starts_with(")
      try operand(&self)
      append(", ")
      append(argument: .text(sought))
      append(")")
    case .contains:
      append("(strpos(")
      try operand(&self)
      append(", ")
      append(argument: .text(sought))
      append(") > 0)")
    case .endsWith:
      append("(right(")
      try operand(&self)
      append(", \(sought.unicodeScalars.count)) = ")
      append(argument: .text(sought))
      append(")")
    case .like, .matches:
      append("(")
      try operand(&self)
      append(" LIKE ")
      append(argument: .text(SQLText.pattern(sought)))
      append(")")
    }
  }

  /// A pattern of `LIKE` in SQL's form.
  static func pattern(_ text: String) -> String {
    var pattern = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\" where !isEscaped:
        isEscaped = true
        continue
      case "*" where !isEscaped: pattern.append("%")
      case "?" where !isEscaped: pattern.append("_")
      case "%", "_", "\\":
        pattern.append("\\")
        pattern.append(scalar)
      default: pattern.append(scalar)
      }
      isEscaped = false
    }
    // A backslash at the end is literal.
    if isEscaped { pattern.append(contentsOf: "\\\\".unicodeScalars) }
    return String(pattern)
  }

  /// Appends whether a text matches a regular expression, which the domain defines.
  private mutating func append(
    _ expression: FetchExpression,
    matching pattern: String,
    isFolding: Bool,
    in table: EntityTable
  ) throws(StoreError) {
    guard let evaluator else { throw SQLText.unevaluated(expression, in: table) }
    // Nothing is in an empty list, not even null.
    append("CASE WHEN (")
    try append(expression, in: table)
    append(") IS NOT NULL THEN (")
    try append(expression, in: table)
    append(") COLLATE \"C\" IN (SELECT unnest(")
    let purpose = TextEvaluator.Purpose(
      table: table.index,
      expression: expression,
      function: .matching(pattern, isFolding: isFolding)
    )
    try append(parameterFor: purpose) { () throws(StoreError) in
      try evaluator.texts(of: expression, in: table) { text in
        FetchPredicate.text(
          .literal(.text(text)),
          .matches,
          pattern,
          caseInsensitive: isFolding
        )
      }
    }
    append("::text[])) END")
  }

  /// Appends a text with its letters folded as this process folds them.
  private mutating func append(
    folding expression: FetchExpression,
    in table: EntityTable
  ) throws(StoreError) {
    guard let evaluator else { throw SQLText.unevaluated(expression, in: table) }
    guard let folding = try evaluator.folding() else {
      return try append(expression, mappedFor: .folding, in: table) { TextFolding.folded($0) }
    }
    append("lower(translate(")
    try append(expression, in: table)
    append(", ")
    append(argument: .text(folding.from))
    append(", ")
    append(argument: .text(folding.to))
    append(") COLLATE \(folding.collation))")
  }
}
#endif
