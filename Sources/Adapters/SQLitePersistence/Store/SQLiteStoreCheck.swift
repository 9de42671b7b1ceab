import CSQLiteHooks
import GRDB
public import ResultsDomain
public import ResultsStoreKit
import SQLStoreSupport

/// The result of checking a store's database.
public struct SQLiteStoreCheck: Hashable, Sendable {
  /// The problems found, in SQLite's words where it found them; empty if there are none.
  public var problems: [String]
  /// The number of rows of each entity, in the order of the store's entities.
  public var counts: [Int]
  /// The size of the database in bytes, without its write-ahead log.
  public var byteCount: Int
  /// The version of the SQLite library.
  public var libraryVersion: String
  /// The entities' relationships: their joins, and the indexes over their foreign keys or the statements that create them.
  public var relationships: [RelationshipPlan]
  /// The change log, if the database has one.
  public var log: Log?

  /// The state of the change log.
  public struct Log: Hashable, Sendable {
    /// The number of its rows.
    public var rowCount: Int
    /// The size of its values in bytes.
    public var byteCount: Int
    /// The stores that still need it.
    public var readers: [Reader]
    /// Whether the triggers that write it exist and are unchanged.
    public var hasTriggers: Bool
    /// The number of its rows that cannot be read.
    public var damagedCount: Int
  }

  /// A store that still needs the log: a row of the table of readers.
  public struct Reader: Hashable, Sendable {
    /// The number of rows of the log that it has not read yet.
    public var behind: Int
    /// The time since its last renewal, in seconds.
    public var age: Int
  }
}

extension SQLiteStore {
  /// Checks the whole database: its pages, its indexes, its tables' schemas and the change log.
  /// - Throws: `StoreError.closed`, and SQLite's failures.
  /// - Complexity: O(*n*) in the pages of the database.
  public func check() throws(StoreError) -> SQLiteStoreCheck {
    let open = database
    let context = open.context
    try context.checkOpen()
    return try context.translating {
      try open.writer.unsafeReentrantRead { database in
        let reader = TableReader(database: database, tables: context.tables)
        var problems = try String.fetchAll(database, sql: "PRAGMA quick_check").filter {
          $0 != "ok"
        }
        do {
          let inspector = SchemaInspector(entities: entities, options: SQLiteStoreOptions())
          _ = try inspector.tables(on: database)
        } catch let error as OpenFailureError {
          problems.append(error.failure.message(for: path))
        }
        for table in context.tables.all {
          problems += try DateColumns(of: table.entity, in: table.shape).problems(on: database)
            .map { "\(table.entity.name).\($0)" }
        }
        problems += foreignKeyViolations(on: database)
        if database.hasMoved {
          problems.append("the path names a different file from the one that is open")
        }
        let log = try ChangeLogExaminer(tables: context.tables, now: context.options.now())
          .examine(database, &problems)
        return SQLiteStoreCheck(
          problems: problems,
          counts: try context.tables.all.map { try reader.count(of: $0, where: .all) },
          byteCount: Int(
            try database.integer("PRAGMA page_count") * database.integer("PRAGMA page_size")
          ),
          libraryVersion: try String.fetchOne(database, sql: "SELECT sqlite_version()") ?? "",
          relationships: try relationships(of: context.tables, on: database),
          log: log
        )
      }
    }
  }
}

extension SQLiteStore {
  /// The rows that hold keys of no rows although a constraint forbids it: written where `PRAGMA foreign_keys` was off.
  private func foreignKeyViolations(on database: Database) -> [String] {
    do throws(SQLiteFailure) {
      return try database.texts(
        """
        SELECT "table", parent, count(*), ifnull(', such as row ' || min(rowid), '')
        FROM pragma_foreign_key_check GROUP BY 1, 2 ORDER BY 1, 2
        """
      )
      .filter { $0.count == 4 }
      .map {
        "\($0[2]) rows of \($0[0]) have a foreign key that names no row of \($0[1])\($0[3]):"
          + " write another key or NULL into them, or add the missing rows"
      }
    } catch {
      // Such as a constraint that references a column without a unique index.
      return [error.message]
    }
  }

  private func relationships(
    of tables: StoreTables,
    on database: Database
  ) throws -> [RelationshipPlan] {
    var keys = RelatedKeys(tables)
    for entity in tables.entities {
      // A relationship to an entity that the store was not opened with has no search.
      for relationship in entity.relationships { _ = try? keys.add(relationship, of: entity) }
    }
    return try keys.plans(on: database)
  }
}

extension SQLiteStoreCheck {
  /// The result as lines to print.
  public var lines: [String] {
    var lines = ["sqlite     \(libraryVersion)", "size       \(byteCount) bytes"]
    if let log {
      lines.append("log        \(log.rowCount) rows, \(log.byteCount) bytes")
      lines.append("triggers   \(log.hasTriggers ? "ok" : "missing or changed")")
      lines += log.readers.map { reader in
        "reader     \(reader.behind) rows behind, last seen \(reader.age) s ago"
      }
    }
    lines += relationships.map { "relation   \($0)" }
    if problems.isEmpty {
      lines.append("check      ok")
    } else {
      lines += problems.map { "problem    \($0)" }
    }
    return lines
  }
}

/// Checks the change log of a database.
private struct ChangeLogExaminer {
  let tables: StoreTables
  /// The time in seconds since 1970.
  let now: Int64

  /// Checks every row, and appends the problems found.
  /// - Returns: `nil` if there is no log.
  func examine(
    _ database: Database,
    _ problems: inout [String]
  ) throws -> SQLiteStoreCheck.Log? {
    guard try ChangeLogFormat.exists(on: database) else { return nil }
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
      // SQLite reports a missing column as an error of the statement.
      guard let failure = SQLiteFailure(error),
        [SQLITE_CORRUPT, SQLITE_ERROR].contains(failure.primaryCode)
      else { throw error }
      log.damagedCount += 1
    }
    if !log.hasTriggers {
      problems.append("the change log misses changes: its triggers are missing or changed")
    }
    if log.damagedCount > 0 { problems.append("the change log is damaged") }
    return log
  }

  private func hasTriggers(_ database: Database) throws -> Bool {
    do {
      return try ChangeLogLayout.read(of: tables, on: database) != nil
    } catch {
      guard SQLiteFailure(error)?.primaryCode == SQLITE_CORRUPT else { throw error }
      return false
    }
  }

  private func count(_ database: Database, _ log: inout SQLiteStoreCheck.Log) throws {
    let values = (0..<(try ChangeLogFormat.columnCount(on: database)))
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
      var isValid =
        sequence > 0 && UInt64(clamping: sequence) <= ChangeLogFormat.greatestSequence
        && (last == nil || last == sequence - 1) && sqlite3_column_type(row, 4) == SQLITE_INTEGER
      last = sequence
      switch ChangeLogFormat.Kind(rawValue: sqlite3_column_int64(row, 1)) {
      case nil: isValid = false
      case .commit, .part:
        isValid = isValid && isReadable(Value(row, column: 2, storage: .blob))
      default: break
      }
      if !isValid { log.damagedCount += 1 }
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
    let ended = Set(try ChangeLogFormat.endedReaders(on: database))
    return try rows.compactMap { row in
      guard !ended.contains(try row.decode(Int64.self, forColumn: "id")) else { return nil }
      // Any process can write here, so neither the type nor the size of a number is trusted.
      let sequence = try row.decode(Int64.self, forColumn: "sequence")
      let renewed = try row.decode(Int64.self, forColumn: "renewed")
      return SQLiteStoreCheck.Reader(
        behind: Int(clamping: newest.subtractingReportingOverflow(sequence).partialValue),
        age: Int(clamping: now.subtractingReportingOverflow(renewed).partialValue)
      )
    }
  }
}
