import CSQLiteHooks
import GRDB
public import ResultsDomain

/// What an examination of a store's database found.
public struct SQLiteStoreCheck: Hashable, Sendable {
  /// What is wrong, in SQLite's words; empty if nothing is.
  public var problems: [String]
  /// How many rows each entity has, in the order of the store's entities.
  public var counts: [Int]
  /// The size of the database in bytes, its log not included.
  public var byteCount: Int
  /// The version of the SQLite library.
  public var libraryVersion: String
  /// The log of changes, if the database has one.
  public var log: Log?

  /// What was found of the log of changes.
  public struct Log: Hashable, Sendable {
    /// How many rows it has.
    public var rowCount: Int
    /// How many bytes its values have.
    public var byteCount: Int
    /// Who still needs it.
    public var readers: [Reader]
    /// Whether the triggers that write it are there, and as they should be.
    public var hasTriggers: Bool
    /// How many of its rows cannot be read.
    public var damagedCount: Int
  }

  /// A store that has said that it still needs the log.
  public struct Reader: Hashable, Sendable {
    /// How many rows of the log it has not read yet.
    public var behind: Int
    /// How many seconds ago it said so.
    public var age: Int
  }
}

extension SQLiteStore {
  /// Examines the whole database: its pages, its indexes and its tables' schemas.
  /// - Complexity: O(*n*) in the pages of the database.
  public func check() throws(StoreError) -> SQLiteStoreCheck {
    try core.checkOpen()
    return try core.translating {
      try writer.unsafeReentrantRead { database in
        let reader = TableReader(database: database, tables: core.tables)
        var problems = try String.fetchAll(database, sql: "PRAGMA quick_check").filter {
          $0 != "ok"
        }
        do {
          let inspector = SchemaInspector(entities: entities, options: SQLiteStoreOptions())
          _ = try inspector.tables(on: database)
        } catch let error as OpenFailureError {
          problems.append(error.failure.description(of: path))
        }
        for table in core.tables.all {
          problems += try DateColumns(of: table.entity, in: table.shape).complaints(on: database)
            .map { "\(table.entity.name).\($0)" }
        }
        if core.hasMoved(database) {
          problems.append("the path names another file than the one that is open")
        }
        let log = try LogExaminer(tables: core.tables, now: core.options.now())
          .examine(database, &problems)
        return SQLiteStoreCheck(
          problems: problems,
          counts: try core.tables.all.map { try reader.count(of: $0, where: .all) },
          byteCount: Int(
            try database.integer("PRAGMA page_count") * database.integer("PRAGMA page_size")
          ),
          libraryVersion: try String.fetchOne(database, sql: "SELECT sqlite_version()") ?? "",
          log: log
        )
      }
    }
  }
}

extension SQLiteStoreCheck {
  /// What was found, a line each, for a person to read.
  public var lines: [String] {
    var lines = ["sqlite     \(libraryVersion)", "size       \(byteCount) bytes"]
    if let log {
      lines.append("log        \(log.rowCount) rows, \(log.byteCount) bytes")
      lines.append("triggers   \(log.hasTriggers ? "as they should be" : "missing or changed")")
      lines += log.readers.map { reader in
        "reader     \(reader.behind) rows behind, heard of \(reader.age) s ago"
      }
    }
    if problems.isEmpty {
      lines.append("check      ok")
    } else {
      lines += problems.map { "problem    \($0)" }
    }
    return lines
  }
}

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
