#if PostgreSQL
import ResultsDomain
import SQLStoreSupport

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
    let sought = comparison.operand(text, isFolding: isFolding)
    guard
      case .condition(let before, let between, let constant, let after) =
        Dialect.test(comparison, sought, isFolding: isFolding)
    else { return try append(core, matching: text, isFolding: isFolding, in: table) }
    // No text of the server has a NUL. A pattern with one needs it.
    guard !sought.hasZero else { return try append(false, ifNotNull: core, in: table) }
    append(before + "(")
    if isFolding {
      try append(folding: core, in: table)
    } else {
      try append(core, in: table)
    }
    append(") COLLATE \"C\"" + between)
    append(argument: .text(constant))
    append(after)
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
