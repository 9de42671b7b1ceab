import CSQLiteHooks
import GRDB
import ResultsDomain

/// Proves that an index, or a table's own order, answers for a list: by SQLite's own plans and programs.
struct OrderedProof {
  private let database: Database
  private let table: EntityTable
  private let definition: OrderDefinition
  private let shape: TableShape

  /// The plan of a list, or `nil` if no index is proved to serve.
  static func plan(
    of definition: OrderDefinition,
    in table: EntityTable,
    _ facts: OrderedFacts,
    on database: Database
  ) throws -> OrderedPlan? {
    try OrderedProof(
      database: database,
      table: table,
      definition: definition,
      shape: facts.shape
    )
    .plan(facts.indexes)
  }

  private func plan(_ indexes: [OrderedIndex]) throws -> OrderedPlan? {
    let normal = definition.predicate.normalized
    let fixed = normal.fixedValues
    guard let columns = columns(fixed) else { return nil }
    for index in indexes {
      guard let front = front(of: index, columns.variable, fixed),
        let texts = texts(columns, index), texts.predicate.isEmpty || !index.isRowNumber
      else { continue }
      let proof = StatementProof(index: index, front: front, required: normal.requiredValues)
      let plan = OrderedPlan(texts, proof)
      if try isProved(plan) { return plan }
    }
    return nil
  }

  /// Whether an index serves, as one statement or two tell of it.
  ///
  /// The first reads all keys in order: without a step that sorts, the index has the columns of the keys, in their directions and
  /// collations. A column of an index is searched by whatever a parameter is bound to, so all conditions on these columns can be searched
  /// too, unless those of the predicate are in the way: then the second statement has a condition on every column, and no test may be left
  /// over. Each statement between the two is still proved by itself before it is run.
  private func isProved(_ plan: OrderedPlan) throws -> Bool {
    _ = try plan.text(of: .page(0), on: database)
    guard plan.serves, !plan.holdsAll else { return plan.serves }
    let deepest = OrderedPiece.shape(equal: plan.variable.count - 1, 2, 2)
    _ = try plan.text(of: .count(deepest), on: database)
    return plan.serves
  }
}

extension OrderedProof {
  private struct Columns {
    var outputs: [String] = []
    var roles: [OrderedRole] = []
    var variable: [OrderedColumn] = []

    /// Appends a column of the keys, unless its order is none of an index.
    mutating func append(_ column: OrderedColumn, as output: String, fixed value: Value?) -> Bool {
      outputs.append(output)
      if let value {
        var writer = KeyWriter()
        guard writer.append(value, column.key) else { return false }
        roles.append(.fixed(writer.bytes))
        return true
      }
      if let index = variable.firstIndex(where: { $0.identifier == column.identifier }) {
        roles.append(.repeats(index))
        return true
      }
      // An index of SQLite's has nulls before the values that it has in ascending order.
      guard !column.isNullable || (column.key.nulls == .last) == column.key.isDescending else {
        return false
      }
      roles.append(.varies(variable.count))
      variable.append(column)
      return true
    }
  }

  /// The columns of the keys, or `nil` if one of them is ordered as no index of SQLite's is, or is nothing that SQL alone can say.
  private func columns(_ fixed: [FixedValue]) -> Columns? {
    var found = Columns()
    let identity = table.entity.identity.columns
    for (place, term) in definition.terms.enumerated() {
      let key = definition.layout.order[place]
      let isFound =
        switch term.expression {
        case .attribute(let name): append(name, key, fixed, to: &found)
        case .objectKey: identity.count == 1 && append(identity[0], key, fixed, to: &found)
        default: append(term.expression, key, fixed, to: &found)
        }
      guard isFound else { return nil }
    }
    for (name, key) in zip(identity, definition.layout.identity) {
      guard append(name, key, fixed, to: &found) else { return nil }
    }
    return found.variable.isEmpty ? nil : found
  }

  private func append(
    _ name: String,
    _ key: KeyColumn,
    _ fixed: [FixedValue],
    to found: inout Columns
  ) -> Bool {
    guard let column = shape.column(named: name) else { return false }
    // Whole numbers beyond a real's precision would be told apart by an index and not by a key.
    guard key.storage != .real || column.affinity == .real else { return false }
    let identifier = name.caselessIdentifier
    let value = fixed.first { $0.column == identifier }?.value
    let isKey = column.keyPlace > 0 && (table.isRowNumber || shape.isWithoutRowNumber)
    return found.append(
      OrderedColumn(
        key: key,
        identifier: identifier,
        sql: name.quotedIdentifier + (key.storage == .text ? " COLLATE BINARY" : ""),
        isNullable: !column.isRequired && !isKey,
        hasTextAffinity: column.affinity == .text
      ),
      as: name.quotedIdentifier,
      fixed: value
    )
  }

  /// Appends an expression, if SQL's own functions and operators say it without an argument: only then can an index be made over it.
  private func append(
    _ expression: FetchExpression,
    _ key: KeyColumn,
    _ fixed: [FixedValue],
    to found: inout Columns
  ) -> Bool {
    var sql = SQLText()
    sql.writesConstants = true
    sql.append(expression, in: table)
    guard !sql.needsFunctions, sql.arguments.isEmpty else { return false }
    for name in expression.attributes where key.storage == .real {
      guard shape.column(named: name)?.affinity == .real else { return false }
    }
    return found.append(
      OrderedColumn(
        key: key,
        // No column is called so.
        identifier: OrderedIndex.expression.caselessIdentifier + sql.text.utf8,
        sql: sql.text,
        isNullable: table.canBeNull(expression),
        hasTextAffinity: false,
        isExpression: true
      ),
      as: sql.text,
      fixed: fixed.first { $0.expression == expression }?.value
    )
  }

  /// How many columns an index has that the predicate fixes before it has those in which keys differ, one by one; `nil` if it is
  /// not so.
  ///
  /// Which expression an index has is not told; that it is the one that is meant is proved with the statements, which name no other.
  private func front(
    of index: OrderedIndex,
    _ variable: [OrderedColumn],
    _ fixed: [FixedValue]
  ) -> Int? {
    let names = index.columns.map(\.caselessIdentifier)
    let expression = OrderedIndex.expression.caselessIdentifier
    let fixedNames = Set(fixed.map { $0.column ?? expression })
    let rowNumber = table.isRowNumber ? table.entity.identity.columns[0].caselessIdentifier : []
    let most = names.prefix { fixedNames.contains($0) }.count
    return (0...most).reversed()
      .first { front in
        let rest = names.dropFirst(front)
        guard rest.count >= variable.count else { return false }
        return zip(rest, variable)
          .allSatisfy { name, column in
            name == column.identifier || name == expression && column.isExpression
              || name == Array("rowid".utf8) && column.identifier == rowNumber
          }
      }
  }

  /// The statements for an index, or `nil` if the predicate has what no index answers.
  private func texts(_ columns: Columns, _ index: OrderedIndex) -> OrderedTexts? {
    var predicate = SQLText()
    // Only a condition whose values are known when it is prepared is found to be that of an index.
    predicate.writesLiterals = index.isPartial
    predicate.writesConstants = true
    let normal = definition.predicate.normalized
    if normal != .all { predicate.append(normal, in: table) }
    guard !predicate.needsFunctions else { return nil }
    var arguments: [Value] = []
    for argument in predicate.arguments {
      guard case .value(let value) = argument else { return nil }
      arguments.append(value)
    }
    guard arguments.isEmpty || !index.isPartial else { return nil }
    return OrderedTexts(
      definition: definition,
      source: table.quotedName + index.clause,
      table: table.quotedName,
      outputs: columns.outputs,
      roles: columns.roles,
      variable: columns.variable,
      predicate: predicate.text,
      arguments: arguments
    )
  }
}

extension FetchPredicate {
  /// Attributes that the normalised predicate lets have no null, as SQLite tells names apart.
  fileprivate var requiredValues: [[UInt8]] {
    switch self {
    case .not(.isNull(.attribute(let name))): [name.caselessIdentifier]
    case .and(let parts): parts.flatMap(\.requiredValues)
    default: []
    }
  }

  /// Expressions that the normalised predicate lets have one value only, and the values.
  fileprivate var fixedValues: [FixedValue] {
    switch self {
    case .comparison(let expression, .equal, .literal(let value)),
      .comparison(.literal(let value), .equal, let expression):
      FixedValue(expression, value).map { [$0] } ?? []
    case .isNull(let expression): FixedValue(expression, .null).map { [$0] } ?? []
    case .and(let parts): parts.flatMap(\.fixedValues)
    default: []
    }
  }
}

/// An expression that a predicate lets have one value only.
private struct FixedValue {
  let expression: FetchExpression
  let value: Value
  /// The column that the expression is, as SQLite tells names apart, or `nil` if it is computed.
  let column: [UInt8]?

  /// - Returns: `nil` for what no index has a column of.
  init?(_ expression: FetchExpression, _ value: Value) {
    self.expression = expression
    self.value = value
    switch expression {
    case .literal, .objectKey: return nil
    case .attribute(let name): column = name.caselessIdentifier
    default: column = nil
    }
  }
}

/// Proves that a statement reads an index exactly as it is meant to: by SQLite's own plan and program of that statement.
struct StatementProof: Sendable {
  let index: OrderedIndex
  /// How many columns of the index the predicate fixes, before those in which keys differ.
  let front: Int
  /// Columns that the predicate lets have no null, as SQLite tells names apart.
  let required: [[UInt8]]

  /// Whether a statement searches the index on all its conditions, in order, and tests no row besides.
  func holds(for use: OrderedUse, of texts: OrderedTexts, on database: Database) throws -> Bool {
    // A connection that was not asked for the predicate's functions before takes them for unknown ones.
    try ConnectionFunctions.register(on: database)
    do {
      guard let shape = use.shape else {
        return try isOneStep(texts.text(of: use), equal: front, on: database)
          && readsNoTable(texts.text(of: use), on: database)
      }
      // All rows of a table are counted in whatever index is smallest.
      if case .count(0) = use, texts.predicate.isEmpty { return true }
      return try isOneStep(texts.text(of: use), shape: shape, on: database)
        && hasNoTest(shape, of: texts, on: database)
        && readsNoTable(texts.text(of: use), on: database)
    } catch {
      // An index that cannot answer a statement at all is an error of the statement.
      guard SQLiteFailure(error)?.primaryCode == SQLITE_ERROR else { throw error }
      return false
    }
  }

  /// Whether the sampling function is asked once for each key, in order.
  func isSampled(_ texts: OrderedTexts, on database: Database) throws -> Bool {
    try ConnectionFunctions.register(on: database)
    let program = try operations(of: texts.text(of: .sample), on: database)
    return program.count { $0 == "Function" } == 1
      && !program.contains { $0.hasPrefix("Sorter") || $0 == "PureFunc" || $0 == "Once" }
  }

  /// A test that is left over for each row has to read the row.
  private func hasNoTest(_ shape: Int, of texts: OrderedTexts, on database: Database) throws -> Bool
  {
    guard !texts.predicate.isEmpty else { return true }
    return try !operations(of: texts.text(of: .count(shape)), on: database).contains("Column")
  }

  /// Whether an index over an expression gives all that is asked for.
  ///
  /// SQLite is ready to read the row of such an index (sqlite.org/opcode.html, DeferredSeek), but does so only for a column that the index
  /// does not have; where a table has no row numbers, it looks for each row.
  private func readsNoTable(_ sql: String, on database: Database) throws -> Bool {
    guard index.columns.contains(OrderedIndex.expression) else { return true }
    let program = try database.texts("EXPLAIN " + sql)
    let cursor = program.first { $0[1] == "DeferredSeek" }?[2]
    return program.allSatisfy { operation in
      switch operation[1] {
      case "Column": cursor == nil || operation[2] == cursor
      case "NotFound", "NotExists", "SeekRowid", "FinishSeek", "Function", "PureFunc": false
      default: true
      }
    }
  }

  private func operations(of sql: String, on database: Database) throws -> [String] {
    try database.texts("EXPLAIN " + sql).map { $0[1] }
  }

  private func isOneStep(_ sql: String, shape: Int, on database: Database) throws -> Bool {
    let piece = OrderedPiece.forms(of: shape)
    return try isOneStep(
      sql,
      equal: front + piece.equal,
      lower: piece.lower > 0,
      upper: piece.upper > 0,
      on: database
    )
  }

  private func isOneStep(
    _ sql: String,
    equal: Int,
    lower: Bool = false,
    upper: Bool = false,
    on database: Database
  ) throws -> Bool {
    let steps = try database.texts("EXPLAIN QUERY PLAN " + sql)
    guard steps.count == 1, let step = steps[0].last else { return false }
    if index.isMeant(step, equal: equal, lower: lower, upper: upper) { return true }
    // A condition that a column is not null is a range to a library that keeps statistics of values.
    guard !lower, equal < index.columns.count,
      required.contains(index.columns[equal].caselessIdentifier)
    else { return false }
    return index.isMeant(step, equal: equal, lower: true, upper: upper)
  }
}

extension Database {
  /// All rows that a text gives, as texts, prepared for this once: past the connection's cache and GRDB's bookkeeping.
  func texts(_ sql: String) throws(SQLiteFailure) -> [[String]] {
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(sqliteConnection, sql, -1, &prepared, nil) == SQLITE_OK else {
      throw SQLiteFailure(sqliteConnection)
    }
    defer { sqlite3_finalize(prepared) }
    var rows: [[String]] = []
    while true {
      switch sqlite3_step(prepared) {
      case SQLITE_ROW:
        rows.append(
          (0..<sqlite3_column_count(prepared))
            .map { column in
              sqlite3_column_text(prepared, column).map { String(cString: $0) } ?? ""
            }
        )
      case SQLITE_DONE: return rows
      default: throw SQLiteFailure(sqliteConnection)
      }
    }
  }
}
