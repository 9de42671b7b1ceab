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
          problems.append(error.failure.message(for: path))
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
