import CSQLiteHooks
import GRDB
import ResultsDomain

/// The tables of the change log in a database, as `docs/sqlite-schema.md` publishes them.
enum LogFormat {
  /// What a row of the log tells.
  enum Kind: Int64, Sendable {
    /// A commit of a store, with its changes packed into one blob.
    case commit = 0
    /// A part of the packed changes of the commit row that follows.
    case part = 1
    /// A row was inserted; there was none of its key before.
    case insertion = 2
    /// A row was changed; the old values.
    case update = 3
    /// A row was deleted; the old values.
    case deletion = 4
    /// A row may have been replaced by the next change; the old values.
    case replaced = 5
    /// The rows from the one in `key` to this one are a commit of a store.
    case marker = 6
    /// What was committed before cannot be told beyond this row.
    case interruption = 7
  }

  /// The numbers that an entity can have: packed changes write one in two bits less than a word.
  static let entityNumbers = 1...Int(Int32.max)

  /// A log does not get beyond this number by counting, and one that has could soon count no further.
  static let greatestSequence: UInt64 = 1 << 62

  /// What every trigger of the store's own is called, before the number of its entity.
  static let triggerPrefix = "_results_"

  /// Gives the number of the newest row, which grows with every commit that changes an entity.
  static let markQuery = "SELECT max(sequence) FROM main._results_log"

  /// How many value columns the log has at least: those of a commit's row.
  private static let leastColumns = 2

  /// Whether the database has a log.
  static func exists(on database: Database) throws -> Bool {
    try database.integer(
      "SELECT count(*) FROM main.sqlite_master WHERE type = 'table' AND name = '_results_log'"
    ) > 0
  }

  /// Makes the log's tables, where they are missing, and widens the log for entities of so many attributes.
  /// - Returns: Whether the log is new.
  static func create(on database: Database, attributes: Int) throws -> Bool {
    let wanted = max(attributes, leastColumns)
    var isNew = false
    if try !exists(on: database) {
      isNew = true
      try database.execute(
        sql: """
          CREATE TABLE _results_log (
            sequence INTEGER PRIMARY KEY,
            stamp INTEGER DEFAULT (random()),
            entity INTEGER,
            kind INTEGER,
            key\((0..<wanted).map { ",\n  v\($0)" }.joined())
          );
          """
      )
    }
    try database.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS _results_reader (
          id INTEGER PRIMARY KEY,
          sequence INTEGER NOT NULL,
          renewed INTEGER NOT NULL,
          owner TEXT
        ) STRICT
        """
    )
    for place in try columnCount(on: database)..<max(wanted, columnCount(on: database)) {
      try database.execute(sql: "ALTER TABLE _results_log ADD COLUMN v\(place)")
    }
    if isNew {
      // A version of another log must never be taken for one of this.
      try database.execute(sql: "UPDATE _results_store SET epoch = random()")
      try interrupt(nil, on: database)
    }
    return isNew
  }

  /// Whether the log's tables have the columns that every log has.
  static func isSound(on database: Database) throws -> Bool {
    try database.integer(
      """
      SELECT (SELECT count(*) FROM pragma_table_info('_results_log')
        WHERE name IN ('sequence', 'stamp', 'entity', 'kind', 'key'))
      + (SELECT count(*) FROM pragma_table_info('_results_reader')
        WHERE name IN ('id', 'sequence', 'renewed'))
      """
    ) == 8
  }

  /// Whether readers can say which process they are: earlier versions of this library made the table without that.
  static func hasOwners(on database: Database) throws -> Bool {
    try database.integer(
      "SELECT count(*) FROM pragma_table_info('_results_reader') WHERE name = 'owner'"
    ) > 0
  }

  /// The readers whose process is known to have ended.
  static func endedReaders(on database: Database) throws -> [Int64] {
    guard try hasOwners(on: database) else { return [] }
    let statement = try PreparedStatement("SELECT id, owner FROM _results_reader", on: database)
    defer { statement.reset() }
    var readers: [Int64] = []
    while try statement.step() {
      guard let owner = Value(statement.pointer, column: 1, storage: .text).text,
        LogLease.hasEnded(owner)
      else { continue }
      readers.append(sqlite3_column_int64(statement.pointer, 0))
    }
    return readers
  }

  /// Lets readers say which process they are.
  static func addOwners(on database: Database) throws {
    guard try !hasOwners(on: database) else { return }
    try database.execute(sql: "ALTER TABLE _results_reader ADD COLUMN owner TEXT")
  }

  /// How many value columns the log has.
  static func columnCount(on database: Database) throws -> Int {
    try Int(
      database.integer(
        "SELECT count(*) FROM pragma_table_info('_results_log') WHERE name GLOB 'v[0-9]*'"
      )
    )
  }

  /// Notes that history ends here, for an entity or for all.
  static func interrupt(_ entity: Int?, on database: Database) throws {
    try database.execute(
      sql: "INSERT INTO _results_log (entity, kind) VALUES (?, ?)",
      arguments: [entity, Kind.interruption.rawValue]
    )
  }
}
