import GRDB
import ResultsDomain
import SQLStoreSupport

/// An SQL text with the arguments to bind, in order.
///
/// Values are part of the text only on request: constants inside expressions, by which SQLite recognizes an index over the expression, and
/// integers that it must know when it prepares a statement in order to choose a partial index.
struct SQLText {
  /// The value of a parameter.
  enum Argument {
    case value(Value)
    case list(ValueList)
  }

  private(set) var text = ""
  private(set) var arguments: [Argument] = []
  /// Whether the text calls functions that must be registered on the connection.
  var needsFunctions = false
  /// Whether integers become part of the text.
  var writesLiterals = false
  /// Whether constants inside expressions become part of the text.
  var writesConstants = false
  /// The tables that subqueries can read.
  var tables: StoreTables?
  /// The number of tables that have a name of their own.
  var tableCount = 0

  /// Appends SQL.
  mutating func append(_ sql: String) { text += sql }

  /// Appends another text with its arguments.
  mutating func append(_ other: SQLText) {
    text += other.text
    arguments += other.arguments
    needsFunctions = needsFunctions || other.needsFunctions
  }

  /// Appends a parameter.
  mutating func append(argument: Value) {
    if writesLiterals, case .integer(let number) = argument {
      text += String(number)
      return
    }
    text += "?"
    if case .real(let number) = argument, number.isNaN {
      arguments.append(.value(.null))
    } else {
      arguments.append(.value(argument))
    }
  }

  /// Appends a parameter that is read as a table.
  mutating func append(list: ValueList) {
    text += "?"
    arguments.append(.list(list))
    needsFunctions = true
  }

  /// Prepares the statement and binds its arguments.
  ///
  /// The lists live as long as this value, which the caller must keep alive until the statement is reset.
  func prepare(on database: Database) throws -> PreparedStatement {
    if needsFunctions { try ConnectionFunctions.register(on: database) }
    let statement = try PreparedStatement(text, on: database)
    for (index, argument) in arguments.enumerated() {
      switch argument {
      case .value(let value): try statement.bind(value, at: Int32(index + 1))
      case .list(let list): try list.bind(to: statement, at: Int32(index + 1))
      }
    }
    return statement
  }
}

// MARK: - Predicates

extension SQLText: SQLBuilder {
  /// Longer lists of values are read as a table instead of being bound one by one.
  private static let shortListLimit = 8

  typealias Dialect = SQLiteDialect
  typealias Failure = Never

  func table(of entity: EntityDescription) -> EntityTable? { tables?.find(entity) }

  mutating func append(nullTested expression: FetchExpression, in table: EntityTable) {
    append(expression, in: table)
  }

  mutating func append(
    _ left: FetchExpression,
    _ comparison: ComparisonOperator,
    _ right: FetchExpression,
    in table: EntityTable
  ) {
    append("(")
    append(comparable: left, with: right.literals, in: table)
    append(" \(comparison.sqlSymbol) ")
    append(comparable: right, with: left.literals, in: table)
    append(")")
  }

  mutating func append(
    _ expression: FetchExpression,
    isBetween low: Value,
    and high: Value,
    in table: EntityTable
  ) {
    append("(")
    append(comparable: expression, with: [low, high], in: table)
    append(" BETWEEN ")
    append(argument: low)
    append(" AND ")
    append(argument: high)
    append(")")
  }

  mutating func append(
    _ expression: FetchExpression,
    isIn values: [Value],
    in table: EntityTable
  ) {
    append("(")
    append(comparable: expression, with: values, in: table)
    appendMembers(values)
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

  mutating func append(_ identities: IdentitySet, in table: EntityTable) {
    let columns = table.keyColumns.count
    guard identities.count > 0 else {
      append("0")
      return
    }
    guard columns <= ValueList.columnLimit else {
      let keys = identities.keys.map { SQLText.equality(of: $0, in: table.entity) }
      append(keys[...], joinedBy: " OR ", ifEmpty: false, in: table)
      return
    }
    let names = zip(table.keyColumns, table.keyStorage)
      .map { $1.hasTexts ? $0 + " COLLATE BINARY" : $0 }
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

  mutating func append(
    _ expression: FetchExpression,
    _ comparison: TextOperator,
    _ text: String,
    isFolding: Bool,
    in table: EntityTable
  ) {
    let operand = comparison.operand(text, isFolding: isFolding)
    switch Dialect.test(comparison, operand, isFolding: isFolding) {
    case .condition(let before, let between, let constant, let after):
      needsFunctions = true
      append(before)
      append(expression, in: table)
      append(between)
      append(argument: .text(constant))
      append(after)
    // SQLite calls this process for each text, so that nothing is evaluated before.
    case .evaluatedHere: append("NULL")
    }
  }
}

// MARK: - Expressions

// Expressions are translated to functions and operators that every SQLite has. So any program can update an index over an expression, and
// a list that is ordered by the expression can use it. SQLite recognizes such an index by its text (sqlite.org/expridx.html), so constants
// must be part of the text.
extension SQLText {
  /// Appends an expression's translation.
  mutating func append(_ expression: FetchExpression, in table: EntityTable) {
    switch expression {
    case .attribute(let name):
      // A validated request has no other attributes, besides the key by its name.
      let key = table.entity.isKey(name) ? table.keyColumns[0] : "NULL"
      append(table.entity.index(of: name).map { table.attributeColumns[$0] } ?? key)
    case .objectKey: append(table.keyColumns.count == 1 ? table.keyColumns[0] : "NULL")
    case .literal(let value): append(argument: value)
    case .prefix(let inner, let length):
      // SQLite counts in 32 bits, and has no longer texts.
      let length = Int64(max(0, min(length, Int(Int32.max))))
      append("substr", inner, length: .integer(length), in: table)
    case .lowercased(let inner): append("lower", inner, in: table)
    case .uppercased(let inner): append("upper", inner, in: table)
    case .length(let inner): append("length", inner, in: table)
    case .transformed(let transform, let inner):
      needsFunctions = true
      append("results_\(transform.rawValue)(")
      append(inner, in: table)
      append(")")
    case .bucket(let inner, let width): append(bucket: inner, width, in: table)
    case .ifNull(let inner, let other):
      append("ifnull(")
      append(inner, in: table)
      append(", ")
      if case .literal(let value) = other {
        append(constant: value)
      } else {
        append(other, in: table)
      }
      append(")")
    case .related(let steps, let inner):
      if let joined = table.related(along: steps) {
        append(inner, in: joined)
      } else {
        append("NULL")
      }
    case .relatedAggregate(let steps, let function, let inner, let predicate):
      append(function, inner, of: steps, where: predicate, in: table)
    }
  }

  /// Appends an expression so that texts compare by bytes whatever the column's collation is, and no value is converted.
  /// - Parameters:
  ///   - expression: One side of a comparison.
  ///   - values: The constants on the other side, or `nil` if it is an expression.
  ///   - table: The table.
  mutating func append(
    comparable expression: FetchExpression,
    with values: [Value]?,
    in table: EntityTable
  ) {
    let storage = try? expression.storage(in: table.entity)
    // The operator + only removes the column's affinity (sqlite.org/datatype3.html, 4.2), and with it the use of an index.
    if storage == .any, !table.compares(expression, with: values) { append("+") }
    append(expression, in: table)
    if storage?.hasTexts == true { append(" COLLATE BINARY") }
  }

  /// Appends a function of a text, which is null for other values.
  private mutating func append(
    _ function: String,
    _ inner: FetchExpression,
    length: Value? = nil,
    in table: EntityTable
  ) {
    let isText = table.holdsOnly(.text, inner)
    if !isText {
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
    if !isText { append(" END") }
  }

  /// Appends an integer rounded down to a multiple of a width; null for other values, and below the smallest multiple.
  ///
  /// The integer occurs three or four times in the text. So inside another bucket a function of this process is used instead, as for widths
  /// whose double is not an integer, and where no index can help.
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
    // Smaller integers are in a bucket that begins below all integers.
    append(" >= \(Int64.min / width * width) THEN ")
    append(inner, in: table)
    append(" - (")
    append(inner, in: table)
    append(" % \(width) + \(width)) % \(width) END")
  }

  /// Appends a constant, as part of the text if constants are and it has an exact literal.
  private mutating func append(constant value: Value) {
    guard writesConstants, let literal = value.literal else {
      append(argument: value)
      return
    }
    append(literal)
  }
}

extension Value {
  /// The SQL literal of the value, or `nil` if it is long, or read differently by some version of SQLite.
  fileprivate var literal: String? {
    switch self {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number):
      // Whole numbers are read exactly; versions differ in how they round fractions.
      number == 0
        ? "0.0" : number.magnitude < 1e15 ? Int64(exactly: number).map { "\($0).0" } : nil
    case .text(let text):
      text.utf8.count <= 100 && !text.utf8.contains(0) ? text.quotedText : nil
    case .blob, .illFormedText: nil
    }
  }
}

extension FetchExpression {
  fileprivate var holdsBucket: Bool {
    switch self {
    case .attribute, .objectKey, .literal, .related, .relatedAggregate: false
    case .bucket: true
    case .prefix, .lowercased, .uppercased, .length, .ifNull, .transformed:
      operands.contains(where: \.holdsBucket)
    }
  }
}

extension FetchExpression {
  /// The constant, in a list of its own, or `nil` for any other expression.
  fileprivate var literals: [Value]? {
    if case .literal(let value) = self { [value] } else { nil }
  }
}

extension String {
  /// Whether a numeric column may convert the text.
  ///
  /// It consists of what a number in SQL consists of, with signs only where they begin the number or its exponent
  /// (sqlite.org/datatype3.html, 3). Dates with dashes or colons do not.
  fileprivate var canBeNumber: Bool {
    var last: UInt8?
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "e"),
        UInt8(ascii: "E"), 0x09...0x0D, 0x20:
        break
      case UInt8(ascii: "+"), UInt8(ascii: "-"):
        if let last, (0x30...0x39).contains(last) || last == UInt8(ascii: ".") { return false }
      default: return false
      }
      last = byte
    }
    return true
  }
}

extension EntityTable {
  /// Whether SQLite compares an expression with constants as they are, without converting these to the affinity of a column.
  fileprivate func compares(_ expression: FetchExpression, with values: [Value]?) -> Bool {
    guard case .attribute(let name) = expression else { return true }
    guard let values, let affinity = shape.column(named: name)?.affinity else { return false }
    return values.allSatisfy { value in
      switch (value, affinity) {
      case (.null, _), (.blob, _), (_, .none), (.text, .text), (.illFormedText, .text): true
      case (.integer, .integer), (.integer, .numeric), (.real, .integer), (.real, .numeric): true
      case (.real, .real): true
      // A double holds these integers exactly, so that a search does too.
      case (.integer(let number), .real): number.magnitude <= 1 << 53
      case (.text(let text), _): !text.canBeNumber
      default: false
      }
    }
  }

  /// Whether all values of an expression are null or of a storage class, whatever program wrote them.
  func holdsOnly(_ storage: StorageClass, _ expression: FetchExpression) -> Bool {
    switch expression {
    case .attribute(let name): return holdsOnly(storage, column: name)
    case .objectKey:
      guard !isRowNumber else { return storage == .integer }
      return entity.identity.columns.count == 1
        && holdsOnly(storage, column: entity.identity.columns[0])
    case .literal(let value): return value.storage == nil || value.storage == storage
    case .prefix, .lowercased, .uppercased, .transformed: return storage == .text
    case .length, .bucket: return storage == .integer
    case .ifNull(let inner, let other):
      return holdsOnly(storage, inner) && holdsOnly(storage, other)
    case .related(let steps, let inner):
      return related(along: steps)?.holdsOnly(storage, inner) ?? false
    case .relatedAggregate(_, .count, _, _): return storage == .integer
    case .relatedAggregate: return false
    }
  }

  /// Whether the table is strict and the column's declared type permits nothing else (sqlite.org/stricttables.html).
  private func holdsOnly(_ storage: StorageClass, column name: String) -> Bool {
    guard shape.isStrict, let column = shape.column(named: name) else { return false }
    let types: [String] =
      switch storage {
      case .integer: ["int", "integer"]
      case .real: ["real"]
      case .text: ["text"]
      case .blob: ["blob"]
      case .any: ["any"]
      }
    return types.contains { Array($0.utf8) == column.declaredType.caselessIdentifier }
  }

  /// Whether an expression can be null according to the table's declaration.
  func canBeNull(_ expression: FetchExpression) -> Bool {
    switch expression {
    case .attribute(let name):
      guard let column = shape.column(named: name) else { return true }
      return !column.isRequired
    case .objectKey: return !isRowNumber
    case .literal(let value): return value.orderable.isNull
    case .prefix(let inner, _), .lowercased(let inner), .uppercased(let inner), .length(let inner),
      .transformed(_, let inner):
      return !holdsOnly(.text, inner) || canBeNull(inner)
    case .bucket: return true
    case .ifNull(let inner, let other): return canBeNull(inner) && canBeNull(other)
    case .relatedAggregate(_, .count, _, _): return false
    case .related, .relatedAggregate: return true
    }
  }
}
