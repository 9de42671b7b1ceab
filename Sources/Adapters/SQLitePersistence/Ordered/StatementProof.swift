import CSQLiteHooks
import GRDB
import ResultsDomain

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
