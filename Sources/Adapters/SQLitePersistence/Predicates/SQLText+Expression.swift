import ResultsDomain

/// Expressions are translated to functions and operators that every SQLite has. So an index over an expression serves a list that is ordered
/// by it, where constants are written into the text (SQLite finds such an index by its text, sqlite.org/expridx.html), and every other
/// program can keep that index up to date.
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
      // SQLite counts in 32 bits, and no text of its is as long.
      let length = Int64(max(0, min(length, Int(Int32.max))))
      append("substr", inner, length: .integer(length), in: table)
    case .lowercased(let inner): append("lower", inner, in: table)
    case .uppercased(let inner): append("upper", inner, in: table)
    case .length(let inner): append("length", inner, in: table)
    case .bucket(let inner, let width): append(bucket: inner, width, in: table)
    case .ifNull(let inner, let value):
      append("ifnull(")
      append(inner, in: table)
      append(", ")
      append(constant: value)
      append(")")
    }
  }

  /// Appends an expression so that texts compare by bytes whatever the column's own collation is.
  mutating func append(comparable expression: FetchExpression, in table: EntityTable) {
    append(expression, in: table)
    let storage = try? expression.storage(in: table.entity)
    if storage == .text { append(" COLLATE BINARY") }
  }

  /// Appends a function of a text, which is null for anything else.
  private mutating func append(
    _ function: String,
    _ inner: FetchExpression,
    length: Value? = nil,
    in table: EntityTable
  ) {
    let isCertain = table.holdsOnly(.text, inner)
    if !isCertain {
      append("CASE typeof(")
      append(inner, in: table)
      append(") WHEN 'text' THEN ")
    }
    append(function + "(")
    append(inner, in: table)
    if let length {
      append(", 1, ")
      append(constant: length)
    }
    append(")")
    if !isCertain { append(" END") }
  }

  /// Appends an integer rounded down to a multiple of a width, which is null for anything else, and below the smallest multiple.
  ///
  /// The integer is named three or four times. So within another one a function of this process takes its place, as it does for widths whose
  /// double is no integer, and where no index is looked for.
  private mutating func append(
    bucket inner: FetchExpression,
    _ width: Int64,
    in table: EntityTable
  ) {
    guard writesConstants, !inner.holdsBucket, width > 0, width <= Int64.max / 2 else {
      needsFunctions = true
      append("results_bucket(")
      append(inner, in: table)
      append(", ")
      append(constant: .integer(width))
      append(")")
      return
    }
    append("CASE WHEN ")
    if !table.holdsOnly(.integer, inner) {
      append("typeof(")
      append(inner, in: table)
      append(") = 'integer' AND ")
    }
    append(inner, in: table)
    // Integers below it are in a bucket that begins below all integers.
    append(" >= \(Int64.min / width * width) THEN ")
    append(inner, in: table)
    append(" - (")
    append(inner, in: table)
    append(" % \(width) + \(width)) % \(width) END")
  }

  /// Appends a constant, as part of the text if that is asked for and it can be written exactly.
  private mutating func append(constant value: Value) {
    guard writesConstants, let literal = value.literal else {
      append(argument: value)
      return
    }
    append(literal)
  }
}

extension Value {
  /// How SQL writes the value, or `nil` where it would be long, or another value in some version of SQLite.
  fileprivate var literal: String? {
    switch self {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number):
      // Whole numbers are read exactly; how fractions are rounded differs between versions.
      number == 0
        ? "0.0" : number.magnitude < 1e15 ? Int64(exactly: number).map { "\($0).0" } : nil
    case .text(let text):
      text.utf8.count <= 100 && !text.utf8.contains(0) ? text.quotedText : nil
    case .blob: nil
    }
  }
}

extension FetchExpression {
  fileprivate var holdsBucket: Bool {
    switch self {
    case .attribute, .objectKey, .literal: false
    case .bucket: true
    case .prefix(let inner, _), .lowercased(let inner), .uppercased(let inner), .length(let inner),
      .ifNull(let inner, _):
      inner.holdsBucket
    }
  }
}

extension EntityTable {
  /// Whether an expression's values are surely null or of a storage class, whoever wrote them.
  func holdsOnly(_ storage: StorageClass, _ expression: FetchExpression) -> Bool {
    switch expression {
    case .attribute(let name): return holdsOnly(storage, column: name)
    case .objectKey:
      guard !isRowNumber else { return storage == .integer }
      return entity.identity.columns.count == 1
        && holdsOnly(storage, column: entity.identity.columns[0])
    case .literal(let value): return value.storage == nil || value.storage == storage
    case .prefix, .lowercased, .uppercased: return storage == .text
    case .length, .bucket: return storage == .integer
    case .ifNull(let inner, let value):
      return holdsOnly(storage, inner) && (value.storage == nil || value.storage == storage)
    }
  }

  /// Whether the table is strict, and the column is declared with the type that keeps nothing else (sqlite.org/stricttables.html).
  private func holdsOnly(_ storage: StorageClass, column name: String) -> Bool {
    guard shape.isStrict, let column = shape.column(named: name) else { return false }
    let types: [String] =
      switch storage {
      case .integer: ["int", "integer"]
      case .real: ["real"]
      case .text: ["text"]
      case .blob: ["blob"]
      }
    return types.contains { Array($0.utf8) == column.declaredType.caselessIdentifier }
  }

  /// Whether an expression can be null, as far as the table's declaration tells.
  func canBeNull(_ expression: FetchExpression) -> Bool {
    switch expression {
    case .attribute(let name):
      guard let column = shape.column(named: name) else { return true }
      return !column.isRequired
    case .objectKey: return !isRowNumber
    case .literal(let value): return value.isNull
    case .prefix(let inner, _), .lowercased(let inner), .uppercased(let inner), .length(let inner):
      return !holdsOnly(.text, inner) || canBeNull(inner)
    case .bucket: return true
    case .ifNull(let inner, let value):
      if case .real(let number) = value, number.isNaN { return canBeNull(inner) }
      return value.isNull && canBeNull(inner)
    }
  }
}
