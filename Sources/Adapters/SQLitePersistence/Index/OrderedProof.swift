import CSQLiteHooks
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// Proves that an index answers for a list, by SQLite's own query plans and programs.
struct OrderedProof {
  private let database: Database
  private let table: EntityTable
  private let definition: OrderDefinition
  private let shape: TableShape

  /// The plan of a list, or `nil` if no index is proved to serve.
  static func plan(
    of definition: OrderDefinition,
    in table: EntityTable,
    _ indexes: TableIndexes,
    on database: Database
  ) throws -> OrderedPlan? {
    try OrderedProof(
      database: database,
      table: table,
      definition: definition,
      shape: indexes.shape
    )
    .plan(indexes.indexes)
  }

  private func plan(_ indexes: [OrderedIndex]) throws -> OrderedPlan? {
    let normal = definition.predicate.normalized
    let fixed = normal.fixedValues
    for isFolding in [false, true] {
      guard let columns = columns(fixed, isFolding: isFolding),
        !isFolding || !columns.folded.isEmpty
      else { continue }
      for index in indexes {
        guard let fixedPrefix = fixedPrefix(of: index, columns.variable, fixed),
          let statements = statements(columns, index),
          statements.predicate.isEmpty || !index.isRowNumber
        else { continue }
        let proof = StatementProof(
          index: index,
          fixedPrefix: fixedPrefix,
          required: normal.requiredValues
        )
        let plan = OrderedPlan(statements, proof)
        if try isProved(plan) { return plan }
      }
    }
    return nil
  }

  /// Whether an index serves, judged by one or two statements.
  ///
  /// The first reads all keys in order: if its plan does not sort, the index has the columns of the keys, in their directions and collations.
  /// SQLite can search a column of an index for any parameter, so it can also search all conditions on these columns, unless the
  /// predicate's conditions prevent it. Therefore, with a predicate, the second statement has a condition on every column, and its program
  /// must not test rows. Every other statement is still proved separately before it is run.
  private func isProved(_ plan: OrderedPlan) throws -> Bool {
    _ = try plan.text(for: .page(0), on: database)
    guard plan.serves, !plan.holdsAll else { return plan.serves }
    let deepest = KeySubrange.shape(equal: plan.variable.count - 1, 2, 2)
    _ = try plan.text(for: .count(deepest), on: database)
    return plan.serves
  }
}

extension OrderedProof {
  private struct Columns {
    var outputs: [String] = []
    var roles: [OrderedColumns.Role] = []
    var variable: [OrderedColumn] = []
    /// The attributes whose columns are compared without regard to case.
    var folded: [String] = []

    /// Appends a column of the keys.
    /// - Returns: `false` if no index can have its order.
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
      // In an index of SQLite nulls precede all values of an ascending column.
      guard !column.isNullable || (column.key.nulls == .last) == column.key.isDescending else {
        return false
      }
      roles.append(.varies(variable.count))
      variable.append(column)
      return true
    }
  }

  /// The columns of the keys, or `nil` if no index can have the order of one of them, or SQL alone cannot express one.
  ///
  /// With `isFolding` a lowercased attribute is its column with the collation NOCASE, whose order is that of the lowercased texts unless one
  /// has a NUL, where NOCASE ends (sqlite.org/datatype3.html, 7).
  private func columns(_ fixed: [FixedValue], isFolding: Bool) -> Columns? {
    var found = Columns()
    let identity = table.entity.identity.columns
    for (index, term) in definition.terms.enumerated() {
      let key = definition.layout.order[index]
      let isFound =
        switch term.expression {
        case .attribute(let name): append(name, key, fixed, to: &found)
        case .objectKey: identity.count == 1 && append(identity[0], key, fixed, to: &found)
        case .lowercased(.attribute(let name)) where isFolding:
          append(folded: name, term.expression, key, fixed, to: &found)
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
    guard let column = shape.column(named: name) else {
      return table.isRowNumber && shape.isRowNumber(name)
        && found.append(
          OrderedColumn(
            key: key,
            identifier: name.caselessIdentifier,
            sql: name.quotedIdentifier,
            isNullable: false,
            hasTextAffinity: false
          ),
          as: name.quotedIdentifier,
          fixed: nil
        )
    }
    // An index would distinguish whole numbers beyond a real's precision, and a key would not.
    guard key.storage != .real || column.affinity == .real else { return false }
    let identifier = name.caselessIdentifier
    let value = fixed.first { $0.column == identifier }?.value
    let isKey = column.keyPosition > 0 && (table.isRowNumber || shape.isWithoutRowNumber)
    return found.append(
      OrderedColumn(
        key: key,
        identifier: identifier,
        sql: name.quotedIdentifier + (key.storage.hasTexts ? " COLLATE BINARY" : ""),
        isNullable: !column.isRequired && !isKey,
        hasTextAffinity: column.affinity == .text
      ),
      as: name.quotedIdentifier,
      fixed: value
    )
  }

  /// Appends an expression, if it consists of SQL's own functions and operators without arguments: only then can there be an index over it.
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
        // No column has such a name.
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

  /// Appends a lowercased attribute as its column without regard to case, if that holds texts.
  private func append(
    folded name: String,
    _ expression: FetchExpression,
    _ key: KeyColumn,
    _ fixed: [FixedValue],
    to found: inout Columns
  ) -> Bool {
    guard let column = shape.column(named: name), column.affinity == .text,
      !fixed.contains(where: { $0.expression == expression })
    else { return append(expression, key, fixed, to: &found) }
    var sql = SQLText()
    sql.append(expression, in: table)
    let isKey = column.keyPosition > 0 && (table.isRowNumber || shape.isWithoutRowNumber)
    found.folded.append(name)
    return found.append(
      OrderedColumn(
        key: key,
        // The column itself is another one.
        identifier: name.caselessIdentifier + Array(" nocase".utf8),
        sql: name.quotedIdentifier + " COLLATE NOCASE",
        isNullable: !column.isRequired && !isKey,
        hasTextAffinity: true,
        indexName: name.caselessIdentifier
      ),
      as: sql.text,
      fixed: nil
    )
  }

  /// The number of columns of an index that the predicate fixes and that precede those in which keys differ; `nil` if the index has other
  /// columns.
  ///
  /// The schema does not report the expression of a column; the proof of the statements shows that it is the list's.
  private func fixedPrefix(
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
      .first { count in
        let rest = names.dropFirst(count)
        guard rest.count >= variable.count else { return false }
        return zip(rest, variable)
          .allSatisfy { name, column in
            name == column.indexName ?? column.identifier
              || name == expression && column.isExpression
              || name == Array("rowid".utf8) && column.identifier == rowNumber
          }
      }
  }

  /// The statements for an index, or `nil` if the predicate has a condition that no index answers.
  private func statements(_ columns: Columns, _ index: OrderedIndex) -> OrderedStatements? {
    var predicate = SQLText()
    // SQLite recognizes the condition of a partial index only if its values are known when it prepares the statement.
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
    return OrderedStatements(
      definition: definition,
      source: table.quotedName + index.clause,
      table: table.quotedName,
      outputs: columns.outputs,
      roles: columns.roles,
      variable: columns.variable,
      predicate: predicate.text,
      arguments: arguments,
      foldedAttributes: columns.folded
    )
  }
}

extension FetchPredicate {
  /// The attributes for which the normalized predicate excludes null, as SQLite compares names.
  fileprivate var requiredValues: [[UInt8]] {
    switch self {
    case .not(.isNull(.attribute(let name))): [name.caselessIdentifier]
    case .and(let parts): parts.flatMap(\.requiredValues)
    default: []
    }
  }

  /// The expressions to which the normalized predicate permits one value only, and the values.
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

/// An expression to which a predicate permits one value only.
private struct FixedValue {
  let expression: FetchExpression
  let value: Value
  /// The column that the expression is, as SQLite compares names, or `nil` if it is computed.
  let column: [UInt8]?

  /// Creates it; `nil` for an expression that is no column of an index.
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

/// Proves that a statement reads an index as intended, by SQLite's own query plan and program.
struct StatementProof: Sendable {
  let index: OrderedIndex
  /// The number of columns of the index that the predicate fixes, before those in which keys differ.
  let fixedPrefix: Int
  /// The columns for which the predicate excludes null, as SQLite compares names.
  let required: [[UInt8]]

  /// Whether a statement searches the index for all its conditions, in order, and tests no rows.
  func holds(for purpose: StatementPurpose, of statements: OrderedStatements, on database: Database)
    throws -> Bool
  {
    // The predicate's functions may not be registered on this connection yet.
    try ConnectionFunctions.register(on: database)
    do {
      let sql = statements.text(for: purpose)
      guard let shape = purpose.shape else {
        return try isOneStep(sql, equal: fixedPrefix, on: database)
          && readsNoTable(sql, on: database)
      }
      // SQLite counts all rows of a table in the smallest index.
      if case .count(0) = purpose, statements.predicate.isEmpty { return true }
      return try isOneStep(sql, shape: shape, on: database)
        && testsNoRow(shape, of: statements, on: database)
        && readsNoTable(sql, on: database)
    } catch {
      // If the index cannot answer a statement at all, SQLite reports an error of the statement.
      guard SQLiteFailure(error)?.primaryCode == SQLITE_ERROR else { throw error }
      return false
    }
  }

  /// Whether SQLite calls the sampling function once for each key, in order.
  func isSampled(_ statements: OrderedStatements, on database: Database) throws -> Bool {
    try ConnectionFunctions.register(on: database)
    let program = try operations(of: statements.text(for: .sample), on: database)
    return program.count { $0 == "Function" } == 1
      && !program.contains { $0.hasPrefix("Sorter") || $0 == "PureFunc" || $0 == "Once" }
  }

  /// Whether a statement without a condition is one pass over an index that SQLite chooses, without sorting.
  func passesOneIndex(_ sql: String, on database: Database) throws -> Bool {
    let steps = try database.texts("EXPLAIN QUERY PLAN " + sql)
    guard steps.count == 1, let step = steps[0].last else { return false }
    return OrderedIndex.isPassed(in: step)
  }

  /// Whether the statement that counts a form tests no row besides its search: a test would have to read a column.
  private func testsNoRow(
    _ shape: Int,
    of statements: OrderedStatements,
    on database: Database
  ) throws -> Bool {
    guard !statements.predicate.isEmpty else { return true }
    return try !operations(of: statements.text(for: .count(shape)), on: database).contains("Column")
  }

  /// Whether an index over an expression has all columns that the statement reads.
  ///
  /// SQLite prepares to read the table for such an index (sqlite.org/opcode.html, DeferredSeek), but does so only for a column that the index
  /// does not have; in a table without row numbers it searches each row.
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
    let form = KeySubrange.forms(of: shape)
    return try isOneStep(
      sql,
      equal: fixedPrefix + form.equal,
      lower: form.lower > 0,
      upper: form.upper > 0,
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
    if index.matches(step, equal: equal, lower: lower, upper: upper) { return true }
    // With statistics of values SQLite treats a condition that a column is not null as a range.
    guard !lower, equal < index.columns.count,
      required.contains(index.columns[equal].caselessIdentifier)
    else { return false }
    return index.matches(step, equal: equal, lower: true, upper: upper)
  }
}

extension Database {
  /// All rows of a statement, as texts; the statement is prepared for this call only, outside of the connection's cache.
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
