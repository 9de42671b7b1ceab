import ResultsDomain

extension SQLText {
  /// Appends an expression's translation.
  mutating func append(_ expression: FetchExpression, in table: EntityTable) {
    switch expression {
    case .attribute(let name):
      // A validated request names no other attributes.
      append(table.entity.index(of: name).map { table.attributeColumns[$0] } ?? "NULL")
    case .objectKey: append(table.keyColumns.count == 1 ? table.keyColumns[0] : "NULL")
    case .literal(let value): append(argument: value)
    case .prefix(let inner, let length):
      append("results_prefix", inner, .integer(Int64(max(0, length))), in: table)
    case .lowercased(let inner): append("results_lower", inner, in: table)
    case .uppercased(let inner): append("results_upper", inner, in: table)
    case .length(let inner): append("results_length", inner, in: table)
    case .bucket(let inner, let width): append("results_bucket", inner, .integer(width), in: table)
    case .ifNull(let inner, let value):
      append("ifnull(")
      append(inner, in: table)
      append(", ")
      append(argument: value)
      append(")")
    }
  }

  /// Appends an expression so that texts compare by bytes whatever the column's own collation is.
  mutating func append(comparable expression: FetchExpression, in table: EntityTable) {
    append(expression, in: table)
    let storage = try? expression.storage(in: table.entity)
    if storage == .text { append(" COLLATE BINARY") }
  }

  private mutating func append(
    _ function: String,
    _ inner: FetchExpression,
    _ argument: Value? = nil,
    in table: EntityTable
  ) {
    needsFunctions = true
    append(function + "(")
    append(inner, in: table)
    if let argument {
      append(", ")
      append(argument: argument)
    }
    append(")")
  }
}
