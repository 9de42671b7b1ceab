import CSQLiteHooks
import GRDB
import ResultsDomain

/// Examines the log of a database for those who want to know what is wrong.
struct LogExaminer {
  let tables: StoreTables
  /// The time in seconds since 1970.
  let now: Int64

  /// Looks at every row.
  /// - Returns: `nil` if there is no log.
  func examine(
    _ database: Database,
    _ problems: inout [String]
  ) throws -> SQLiteStoreCheck.Log? {
    guard try LogFormat.exists(on: database) else { return nil }
    var log = SQLiteStoreCheck.Log(
      rowCount: 0,
      byteCount: 0,
      readers: [],
      hasTriggers: try hasTriggers(database),
      damagedCount: 0
    )
    do {
      try count(database, &log)
      log.readers = try readers(database)
    } catch {
      // A table that lacks a column is an error to SQLite.
      guard let failure = SQLiteFailure(error),
        [SQLITE_CORRUPT, SQLITE_ERROR].contains(failure.primaryCode)
      else { throw error }
      log.damagedCount += 1
    }
    if !log.hasTriggers { problems.append("the log of changes does not hear every change") }
    if log.damagedCount > 0 { problems.append("the log of changes is damaged") }
    return log
  }

  private func hasTriggers(_ database: Database) throws -> Bool {
    do {
      return try LogLayout(of: tables, on: database) != nil
    } catch {
      guard SQLiteFailure(error)?.primaryCode == SQLITE_CORRUPT else { throw error }
      return false
    }
  }

  private func count(_ database: Database, _ log: inout SQLiteStoreCheck.Log) throws {
    let values = (0..<(try LogFormat.columnCount(on: database)))
      .map { "ifnull(length(CAST(v\($0) AS BLOB)), 0)" }
    let statement = try PreparedStatement(
      """
      SELECT sequence, kind, key, ifnull(length(CAST(key AS BLOB)), 0) \
      + \((values + ["0"]).joined(separator: " + ")), stamp FROM main._results_log ORDER BY sequence
      """,
      on: database
    )
    defer { statement.reset() }
    var last: Int64?
    while try statement.step() {
      let row = statement.pointer
      let sequence = sqlite3_column_int64(row, 0)
      log.rowCount += 1
      log.byteCount += Int(sqlite3_column_int64(row, 3))
      var isRight =
        sequence > 0 && UInt64(clamping: sequence) <= LogFormat.greatestSequence
        && (last == nil || last == sequence - 1) && sqlite3_column_type(row, 4) == SQLITE_INTEGER
      last = sequence
      switch LogFormat.Kind(rawValue: sqlite3_column_int64(row, 1)) {
      case nil: isRight = false
      case .commit, .part:
        isRight = isRight && isReadable(Value(row, column: 2, storage: .blob))
      default: break
      }
      if !isRight { log.damagedCount += 1 }
    }
  }

  private func isReadable(_ payload: Value) -> Bool {
    guard case .blob(let bytes) = payload else { return false }
    do throws(PayloadReader.Malformed) {
      var reader = try PayloadReader(bytes)
      try reader.read(entity: -1, identity: .integer()) { _, _ in }
      return true
    } catch {
      return false
    }
  }

  private func readers(_ database: Database) throws -> [SQLiteStoreCheck.Reader] {
    let newest = try database.integer("SELECT max(sequence) FROM main._results_log")
    let rows = try GRDB.Row.fetchAll(
      database,
      sql: "SELECT id, sequence, renewed FROM main._results_reader ORDER BY sequence"
    )
    let ended = Set(try LogFormat.endedReaders(on: database))
    return try rows.compactMap { row in
      guard !ended.contains(try row.decode(Int64.self, forColumn: "id")) else { return nil }
      // Any process can write here, so neither the kind nor the size of a number is trusted.
      let sequence = try row.decode(Int64.self, forColumn: "sequence")
      let renewed = try row.decode(Int64.self, forColumn: "renewed")
      return SQLiteStoreCheck.Reader(
        behind: Int(clamping: newest.subtractingReportingOverflow(sequence).partialValue),
        age: Int(clamping: now.subtractingReportingOverflow(renewed).partialValue)
      )
    }
  }
}
