#if PostgreSQL
import ResultsDomain
import SQLStoreSupport

extension SQLText {
  /// Appends an expression as a value of its storage class.
  mutating func append(
    _ expression: FetchExpression,
    in table: EntityTable
  ) throws(StoreError) {
    let (core, replacement) = expression.hoisted(in: table.entity)
    guard let replacement else { return try append(core: core, in: table) }
    append("coalesce(")
    try append(core: core, in: table)
    append(", ")
    append(constant: replacement)
    append(")")
  }

  /// Appends an expression that replaces no null.
  private mutating func append(
    core expression: FetchExpression,
    in table: EntityTable
  ) throws(StoreError) {
    if let column = table.column(of: expression) { return append(column.canonical) }
    switch expression {
    case .attribute, .objectKey, .related: append("NULL")
    case .literal(let value): append(argument: value)
    case .prefix(let inner, let length):
      append("left(")
      try append(inner, in: table)
      append(", \(Int32(clamping: max(0, length))))")
    case .lowercased(let inner):
      append("lower(")
      try append(inner, in: table)
      append(" COLLATE \"C\")")
    case .uppercased(let inner):
      append("upper(")
      try append(inner, in: table)
      append(" COLLATE \"C\")")
    case .length(let inner):
      append("char_length(")
      try append(inner, in: table)
      append(")")
    case .bucket(let inner, let width):
      guard width > 0 else { return append("NULL::bigint") }
      // Below the smallest multiple there is no bucket, and the subtraction would overflow.
      let least = Int64.min / width * width
      append("CASE WHEN ")
      try append(inner, in: table)
      append(" % \(SQLText.literal(width)) >= 0 THEN ")
      try append(inner, in: table)
      append(" - ")
      try append(inner, in: table)
      append(" % \(SQLText.literal(width)) WHEN ")
      try append(inner, in: table)
      append(" >= \(SQLText.literal(least)) THEN ")
      try append(inner, in: table)
      append(" - ")
      try append(inner, in: table)
      append(" % \(SQLText.literal(width)) - \(SQLText.literal(width)) END")
    case .transformed(let transform, let inner):
      try append(inner, mappedFor: .transform(transform), in: table) { transform.applied(to: $0) }
    case .ifNull(let inner, let other):
      append("coalesce(")
      try append(inner, in: table)
      append(", ")
      try append(other, in: table)
      append(")")
    case .relatedAggregate(let steps, let function, let inner, let predicate):
      try append(function, inner, of: steps, where: predicate, in: table)
    }
  }

  /// Appends a function of a text that only this process can compute, as a table of its values.
  mutating func append(
    _ inner: FetchExpression,
    mappedFor function: TextEvaluator.Function,
    in table: EntityTable,
    _ value: (String) -> String
  ) throws(StoreError) {
    guard let evaluator else { throw SQLText.unevaluated(inner, in: table) }
    append("(")
    let purpose = TextEvaluator.Purpose(
      table: table.index,
      expression: inner,
      function: function
    )
    try append(parameterFor: purpose) { () throws(StoreError) in
      try evaluator.map(of: inner, in: table, value)
    }
    append("::jsonb ->> ")
    try append(inner, in: table)
    append(")")
  }

  /// The error for an expression that needs more than the statement has.
  static func unevaluated(_ expression: FetchExpression, in table: EntityTable) -> StoreError {
    .unexpected(
      path: table.entity.name,
      detail: "\(expression) is not evaluated by the server alone"
    )
  }

  /// Appends a constant as a part of the text.
  private mutating func append(constant value: Value) {
    switch value {
    case .integer(let number): append(SQLText.literal(number))
    case .text(let text) where text.utf8.count <= 100:
      append(Connection.literal(text.beforeZero) + "::text")
    case .null, .real, .text, .blob, .illFormedText: append(argument: value)
    }
  }

  /// A constant of 64 bits as a part of a text.
  static func literal(_ number: Int64) -> String { "'\(number)'::bigint" }

  /// Appends an expression as a result column, or as a term of an order, in its column's own type if that sorts like its values.
  /// - Returns: How its values travel.
  mutating func append(
    result expression: FetchExpression,
    in table: EntityTable
  ) throws(StoreError) -> ColumnCoding {
    if let column = table.column(of: expression), column.coding.sortsInOwnType {
      append(column.sql)
      return column.coding
    }
    try append(expression, in: table)
    return ColumnCoding.computed((try? expression.storage(in: table.entity)) ?? .integer)
  }
}

extension EntityTable {
  /// The column that an expression is, in this table or in one that is joined to it.
  func column(of expression: FetchExpression) -> Column? {
    switch expression {
    case .attribute(let name):
      entity.index(of: name).map { attributeColumns[$0] }
        ?? (entity.isKey(name) ? keyColumns[0] : nil)
    case .objectKey: keyColumns.count == 1 ? keyColumns[0] : nil
    case .related(let steps, let inner): related(along: steps)?.column(of: inner)
    default: nil
    }
  }

  /// Whether an expression can be null according to the table's declaration.
  func canBeNull(_ expression: FetchExpression) -> Bool {
    switch expression {
    case .attribute, .objectKey: return column(of: expression)?.isNullable ?? true
    case .literal(let value): return value.orderable.isNull
    case .prefix(let inner, _), .lowercased(let inner), .uppercased(let inner), .length(let inner),
      .transformed(_, let inner):
      return canBeNull(inner)
    case .ifNull(let inner, let other): return canBeNull(inner) && canBeNull(other)
    case .relatedAggregate(_, .count, _, _): return false
    case .bucket, .related, .relatedAggregate: return true
    }
  }
}

extension EntityTable.Column {
  /// The column's value in its storage class: as PostgreSQL's integer, double, text or bytes.
  ///
  /// A value that has none in the domain is null.
  var canonical: String {
    switch coding.kind {
    case .integer, .blob, .real(bytes: 8): return sql
    case .boolean: return "(\(sql))::integer"
    case .real: return "(\(sql))::double precision"
    case .text:
      return coding.type == TypeNumber.text || coding.type == TypeNumber.limitedText
        ? sql : "(\(sql))::text"
    case .jsonBinary, .uuid: return "(\(sql))::text"
    case .timestamp:
      let type = coding.type == TypeNumber.timestamp ? "timestamptz" : "timestamp"
      return """
        CASE WHEN isfinite(\(sql)) AND \(sql) < \(type) '294247-01-10 04:00:54.775807+00' \
        THEN (extract(epoch FROM \(sql)) * 1000000)::bigint \(infinite(sql)) END
        """
    case .date:
      // The time of day by which a date without one is recognized.
      let noon = Instant(wholeDay: 0)?.microseconds ?? 0
      return """
        CASE WHEN isfinite(\(sql)) AND \(sql) < date '294247-01-10' \
        THEN (\(sql) - date '1970-01-01') * 86400000000 + \(noon) \(infinite(sql)) END
        """
    case .numeric(let scale):
      let units = "\(sql) * 1\(String(repeating: "0", count: max(0, scale)))"
      return """
        CASE WHEN \(units) BETWEEN \(Int64.min) AND \(Int64.max) THEN (\(units))::bigint END
        """
    }
  }

  /// The cases of a date that is infinite: the ends of the integers, as in the domain.
  private func infinite(_ sql: String) -> String {
    // After a bound for the others; the later ones are infinite too where the column is lenient.
    "WHEN \(sql) \(coding.isLenient ? "> 'epoch'" : "= 'infinity'") THEN \(Int64.max) WHEN \(sql) = '-infinity' THEN '\(Int64.min)'::bigint"
  }
}

extension FetchExpression {
  /// The expression without the constant that replaces null in it, and the constant for the whole expression.
  ///
  /// Functions of texts are null exactly where their argument is, so such a constant can be moved to the outside: a constant with a NUL,
  /// which SQL cannot say, never reaches a function. What reads no object becomes a literal.
  func hoisted(in entity: EntityDescription) -> (core: FetchExpression, replacement: Value?) {
    if let constant { return (.literal(constant), nil) }
    switch self {
    case .ifNull(let inner, let other):
      let (core, replacement) = inner.hoisted(in: entity)
      if replacement != nil || core.isLiteral && !core.isNullLiteral { return (core, replacement) }
      let (otherCore, otherReplacement) = other.hoisted(in: entity)
      guard case .literal(let value) = otherCore else {
        return (.ifNull(core, otherCore), otherReplacement)
      }
      return (core, value.isNull ? nil : value)
    case .prefix(let inner, let length):
      return FetchExpression.hoisted(inner, in: entity) { .prefix($0, length: length) }
    case .lowercased(let inner):
      return FetchExpression.hoisted(inner, in: entity) { .lowercased($0) }
    case .uppercased(let inner):
      return FetchExpression.hoisted(inner, in: entity) { .uppercased($0) }
    case .length(let inner): return FetchExpression.hoisted(inner, in: entity) { .length($0) }
    case .transformed(let transform, let inner):
      return FetchExpression.hoisted(inner, in: entity) { .transformed(transform, $0) }
    case .attribute, .objectKey, .literal, .bucket, .related, .relatedAggregate: return (self, nil)
    }
  }

  private static func hoisted(
    _ inner: FetchExpression,
    in entity: EntityDescription,
    _ function: (FetchExpression) -> FetchExpression
  ) -> (core: FetchExpression, replacement: Value?) {
    let (core, replacement) = inner.hoisted(in: entity)
    return (function(core), replacement.flatMap { function(.literal($0)).constant })
  }

  /// The value of an expression that reads no object.
  var constant: Value? {
    guard isConstant,
      let entity = try? EntityDescription(name: "constant", attributes: [])
    else { return nil }
    return CompiledExpression(self, in: entity).value([], key: .integer(0))
  }
}
#endif
