import ResultsDomain

extension SQLText {
  /// Lists of more values than this are read as a table instead of being bound one by one.
  private static let shortListLimit = 8

  /// Appends `WHERE` and a predicate's translation; nothing where every row is fetched.
  mutating func append(where predicate: FetchPredicate, in table: EntityTable) {
    let predicate = predicate.normalized
    if case .all = predicate { return }
    append(" WHERE ")
    append(predicate, in: table)
  }

  /// Appends the translation of a normalised predicate, which gives 1, 0 or null like its evaluation.
  mutating func append(_ predicate: FetchPredicate, in table: EntityTable) {
    switch predicate {
    case .all: append("1")
    case .none: append("0")
    case .comparison(let left, let comparison, let right):
      append("(")
      append(comparable: left, in: table)
      append(" \(SQLText.symbol(of: comparison)) ")
      append(comparable: right, in: table)
      append(")")
    case .between(let expression, let low, let high):
      append("(")
      append(comparable: expression, in: table)
      append(" BETWEEN ")
      append(argument: low)
      append(" AND ")
      append(argument: high)
      append(")")
    case .membership(let expression, let values):
      append("(")
      append(comparable: expression, in: table)
      appendMembers(values)
      append(")")
    case .identity(let identities): append(identities, in: table)
    case .text(let expression, let comparison, let text, let caseInsensitive):
      append(expression, comparison, text, isFolding: caseInsensitive, in: table)
    case .isNull(let expression):
      append("(")
      append(expression, in: table)
      append(" IS NULL)")
    case .not(.isNull(let expression)):
      // In this form SQLite finds that it is the condition of an index.
      append("(")
      append(expression, in: table)
      append(" IS NOT NULL)")
    case .not(let inner):
      append("(NOT ")
      append(inner, in: table)
      append(")")
    case .and(let parts): append(parts[...], joinedBy: " AND ", ifEmpty: "1", in: table)
    case .or(let parts): append(parts[...], joinedBy: " OR ", ifEmpty: "0", in: table)
    }
  }

  /// Joins by halves, so that the depth grows with the logarithm: SQLite refuses trees deeper than 1,000.
  private mutating func append(
    _ parts: ArraySlice<FetchPredicate>,
    joinedBy operation: String,
    ifEmpty constant: String,
    in table: EntityTable
  ) {
    guard let first = parts.first else {
      append(constant)
      return
    }
    guard parts.count > 1 else {
      append(first, in: table)
      return
    }
    let middle = parts.startIndex + parts.count / 2
    append("(")
    append(parts[..<middle], joinedBy: operation, ifEmpty: constant, in: table)
    append(operation)
    append(parts[middle...], joinedBy: operation, ifEmpty: constant, in: table)
    append(")")
  }

  private mutating func appendMembers(_ values: [Value]) {
    guard values.count > SQLText.shortListLimit else {
      append(" IN (")
      for (index, value) in values.enumerated() {
        if index > 0 { append(", ") }
        append(argument: value)
      }
      append(")")
      return
    }
    append(" IN (SELECT c0 FROM results_values(")
    append(list: ValueList(values))
    append("))")
  }

  private mutating func append(_ identities: IdentitySet, in table: EntityTable) {
    let columns = table.keyColumns.count
    guard identities.count > 0 else {
      append("0")
      return
    }
    guard columns <= ValueList.columnLimit else {
      let keys = identities.keys.map { SQLText.equality(of: $0, in: table.entity) }
      append(keys[...], joinedBy: " OR ", ifEmpty: "0", in: table)
      return
    }
    let names = zip(table.keyColumns, table.keyStorage)
      .map { $1 == .text ? $0 + " COLLATE BINARY" : $0 }
    append("((" + names.joined(separator: ", ") + ")")
    if columns == 1, identities.count <= SQLText.shortListLimit {
      appendMembers(identities.keys.flatMap(\.parts))
    } else {
      let results = (0..<columns).map { "c\($0)" }.joined(separator: ", ")
      append(" IN (SELECT \(results) FROM results_values(")
      append(list: ValueList(columns: columns, keys: identities.keys))
      append("))")
    }
    append(")")
  }

  private static func equality(
    of key: ObjectKey,
    in entity: EntityDescription
  ) -> FetchPredicate {
    .and(
      zip(entity.identity.columns, key.parts)
        .map { .comparison(.attribute($0), .equal, .literal($1)) }
    )
  }

  private mutating func append(
    _ expression: FetchExpression,
    _ comparison: TextOperator,
    _ text: String,
    isFolding: Bool,
    in table: EntityTable
  ) {
    needsFunctions = true
    append("\(SQLText.function(of: comparison))(" + (isFolding ? "results_folded(" : ""))
    append(expression, in: table)
    append(isFolding ? "), " : ", ")
    append(argument: .text(isFolding ? TextFolding.folded(text) : text))
    append(")")
  }

  private static func symbol(of comparison: ComparisonOperator) -> String {
    switch comparison {
    case .equal: "="
    case .notEqual: "<>"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }

  private static func function(of comparison: TextOperator) -> String {
    switch comparison {
    case .beginsWith: "results_begins"
    case .contains: "results_contains"
    case .endsWith: "results_ends"
    case .like: "results_like"
    }
  }
}
