#if PostgreSQL
import ResultsDomain
import SQLStoreSupport

/// An SQL text with its parameters, in order.
///
/// Predicates and expressions are translated so that their results equal the evaluator's (`CompiledPredicate`) exactly. Each
/// expression becomes a value of its storage class: an integer type, `double precision`, `text` or `bytea`. Constants inside
/// expressions are part of the text, so that the planner recognizes an index over the expression.
struct SQLText {
  private(set) var text = ""
  private(set) var parameters: [Parameter] = []
  /// The tables that subqueries can read.
  let tables: StoreTables?
  /// Evaluates here what SQL cannot say exactly.
  let evaluator: TextEvaluator?
  /// The number of tables that have a name of their own.
  var tableCount = 0
  /// The numbers of parameters that occur several times.
  private var shared: [TextEvaluator.Purpose: Int] = [:]

  /// Creates an empty text.
  /// - Parameters:
  ///   - tables: The tables that subqueries can read.
  ///   - evaluator: Evaluates what SQL cannot say exactly; without it such predicates are refused.
  init(reading tables: StoreTables? = nil, _ evaluator: TextEvaluator? = nil) {
    self.tables = tables
    self.evaluator = evaluator
  }

  /// The statement.
  var statement: Statement { Statement(text, parameters) }

  /// Appends SQL.
  mutating func append(_ sql: String) { text += sql }

  /// Appends a parameter.
  mutating func append(parameter: Parameter) {
    parameters.append(parameter)
    text += "$\(parameters.count)"
  }

  /// Appends a parameter that is computed once for a purpose.
  mutating func append(
    parameterFor purpose: TextEvaluator.Purpose,
    _ make: () throws(StoreError) -> Parameter
  ) throws(StoreError) {
    if let known = shared[purpose] {
      text += "$\(known)"
    } else {
      append(parameter: try make())
      shared[purpose] = parameters.count
    }
  }

  /// Appends a parameter for a value in its storage class; a text ends before a NUL, which PostgreSQL's texts do not have.
  mutating func append(argument: Value) {
    switch argument {
    case .null: append("NULL")
    case .integer(let number): append(parameter: .integer(number))
    case .real(let number): append(parameter: .real(number))
    case .text(let text): append(parameter: .text(text.beforeZero))
    case .blob(let bytes): append(parameter: .blob(bytes))
    // The server's texts are UTF-8.
    case .illFormedText(let text): append(parameter: .text(text.repaired.beforeZero))
    }
  }
}

// MARK: - Predicates

extension SQLText: SQLBuilder {
  typealias Dialect = PostgreSQLDialect

  func table(of entity: EntityDescription) throws(StoreError) -> EntityTable? {
    guard let tables else { throw .unknownEntity(entity.name, known: []) }
    return try tables.table(of: entity)
  }

  mutating func append(
    _ expression: FetchExpression,
    isBetween low: Value,
    and high: Value,
    in table: EntityTable
  ) throws(StoreError) {
    append("(")
    try append(expression, .greaterOrEqual, .literal(low), in: table)
    append(" AND ")
    try append(expression, .lessOrEqual, .literal(high), in: table)
    append(")")
  }

  mutating func append(
    nullTested expression: FetchExpression,
    in table: EntityTable
  ) throws(StoreError) {
    if let column = table.column(of: expression) { return append(column.sql) }
    append("(")
    try append(expression, in: table)
    append(")")
  }

  /// Appends a constant for rows in which an expression has a value, and null for others.
  mutating func append(
    _ truth: Bool,
    ifNotNull expression: FetchExpression,
    in table: EntityTable
  ) throws(StoreError) {
    append("CASE WHEN ")
    try append(nullTested: expression, in: table)
    append(" IS NOT NULL THEN \(Dialect.truth(truth)) END")
  }

  /// Appends a truth value.
  mutating func append(truth: Bool?) {
    append(truth.map { Dialect.truth($0) } ?? "NULL::boolean")
  }
}

// MARK: - Lists

extension SQLText {
  /// Longer lists are read as a table: the server hashes them, whereas it searches an array from its beginning.
  private static let arrayLimit = 32

  mutating func append(
    _ expression: FetchExpression,
    isIn values: [Value],
    in table: EntityTable
  ) throws(StoreError) {
    // As in the evaluator, an empty list contains nothing, not even an unknown value.
    guard !values.isEmpty else { return append("FALSE") }
    let (core, replacement) = expression.hoisted(in: table.entity)
    if let replacement {
      append("CASE WHEN ")
      try append(nullTested: core, in: table)
      append(" IS NULL THEN ")
      append(truth: FetchPredicate.membership(.literal(replacement), values).constant)
      append(" ELSE ")
      try append(core, isIn: values, in: table)
      append(" END")
      return
    }
    if case .literal = core {
      return append(truth: FetchPredicate.membership(core, values).constant)
    }
    let hasNull = values.contains(where: \.isNull)
    guard let storage = try? core.storage(in: table.entity) else {
      return append("NULL::boolean")
    }
    // A plain column is compared in its own type.
    let column = table.column(of: core)
    let coding = column?.coding.comparesInOwnType == true ? column?.coding : nil
    let members = values.compactMap { $0.equal(in: storage) }
    let infinity = Value.integer(Instant.infinity.microseconds)
    let list = coding?.array(members) ?? ColumnCoding.array(members, of: storage)
    guard list.count > 0 else {
      return hasNull ? append("NULL::boolean") : try append(false, ifNotNull: core, in: table)
    }
    append("((")
    if let column,
      let (comparison, first) = column.coding.later(
        .equal,
        members.contains(infinity) ? infinity : .null
      )
    {
      append("\(column.sql) \(comparison.sqlSymbol) ")
      append(parameter: first)
      append(" OR ")
    }
    if let column, coding != nil {
      append(column.sql + column.equalityCollation)
    } else {
      try append(core, in: table)
      if storage == .text { append(" COLLATE \"C\"") }
    }
    append(list: list.parameter, isLong: list.count > SQLText.arrayLimit)
    append(hasNull ? ") OR NULL::boolean)" : "))")
  }

  private mutating func append(list: Parameter, isLong: Bool) {
    append(isLong ? " IN (SELECT unnest(" : " = ANY (")
    append(parameter: list)
    append(isLong ? "))" : ")")
  }

  /// Appends whether a row's own key is in a set.
  mutating func append(_ identities: IdentitySet, in table: EntityTable) {
    append(keys: identities.keys, in: table)
  }

  /// Appends whether a row's own key is one of some keys; it is never null.
  mutating func append(keys: [ObjectKey], in table: EntityTable) {
    append(table.keyColumns, areIn: keys, of: table.entity.keyStorage)
  }

  /// Appends whether some columns hold one of some keys.
  mutating func append(
    _ columns: [EntityTable.Column],
    areIn keys: [ObjectKey],
    of storage: [StorageClass]
  ) {
    let fitting = keys.filter { key in
      let parts = key.parts
      return parts.count == columns.count
        && parts.indices.allSatisfy { index in
          parts[index].storage == storage[index] && columns[index].coding.canHold(parts[index])
        }
    }
    guard !fitting.isEmpty else { return append("FALSE") }
    if columns.count == 1 {
      append("(\(columns[0].sql)\(columns[0].equalityCollation)")
      let list = columns[0].coding.array(fitting.map { $0.parts[0] })
      append(list: list.parameter, isLong: list.count > SQLText.arrayLimit)
      append(")")
      return
    }
    append("((")
    append(columns.map { $0.sql + $0.equalityCollation }.joined(separator: ", "))
    append(") IN (SELECT * FROM unnest(")
    for (index, column) in columns.enumerated() {
      if index > 0 { append(", ") }
      append(parameter: column.coding.array(fitting.map { $0.parts[index] }).parameter)
    }
    append(")))")
  }
}

extension EntityTable.Column {
  /// The collation by which texts are equal if their bytes are; none where the column's own one does that.
  var equalityCollation: String {
    coding.storage != .text || !coding.isText || sortsByBytes || isDeterministic
      ? "" : " COLLATE \"C\""
  }

  /// The collation that sorts texts by bytes; none where the column's own one does that, and for other types.
  var orderCollation: String {
    coding.storage != .text || !coding.isText || sortsByBytes ? "" : " COLLATE \"C\""
  }
}

extension FetchPredicate {
  /// The result of a predicate that reads nothing.
  var constant: Bool? {
    guard let entity = try? EntityDescription(name: "constant", attributes: []) else { return nil }
    return CompiledPredicate(self, in: entity).evaluate([], key: .integer(0))
  }
}

extension Value {
  /// The value of a storage class that is equal, or `nil` if there is none that a column can hold.
  fileprivate func equal(in storage: StorageClass) -> Value? {
    switch (wholeNumber, storage) {
    case (.integer(let number), .integer): return .integer(number)
    case (.integer(let number), .real):
      let real = Double(number)
      return Value.compare(.integer(number), .real(real)) == .same ? .real(real) : nil
    case (.real(let number), .real): return .real(number)
    case (.text(let text), .text): return text.hasZero ? nil : self
    case (.blob, .blob): return self
    default: return nil
    }
  }
}
#endif
