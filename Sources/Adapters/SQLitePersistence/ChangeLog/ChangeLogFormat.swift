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

/// How a database keeps its log, as long as its schema stays the same.
struct LogLayout: Sendable {
  /// Where an entity's keys and values stand in the log.
  struct Entity: Sendable {
    /// The entity's number in the log.
    let number: Int
    /// Of each attribute of the entity, which value column of the log holds it.
    let columns: [Int]
    /// How many attributes the database has written down.
    let width: Int
    /// Of each part of a compound key, which value column holds it; empty for others.
    let keyColumns: [Int]
  }

  /// Which log it is; another one has another number.
  let epoch: UInt64
  /// Of each of the store's entities, how the log has it.
  let entities: [Entity]
  /// How many value columns are read.
  let width: Int
  /// Whether the database has triggers of an application's own.
  let hasApplicationTriggers: Bool
  /// Whether the database has entities, or attributes of entities, that the store was not opened with.
  let hasOtherEntities: Bool

  /// Looks at a database.
  /// - Returns: `nil` if it has no log of these entities, or one that does not hear every change of them.
  init?(of tables: StoreTables, on database: Database) throws {
    guard let (epoch, numbers) = try LogLayout.numbers(on: database) else { return nil }
    let found = try LogLayout.triggers(on: database)
    var known = 0
    var entities: [Entity] = []
    var hasOthers = false
    for table in tables.all {
      guard let number = numbers[table.entity.name],
        let recorded = try StoreFormat.recorded(table.entity.name, on: database),
        let expected = try LogTriggers.expected(recorded, number: number, on: database),
        expected.all.allSatisfy({ found[$0.name] == $0.sql })
      else { return nil }
      known += expected.all.count
      let places = table.entity.attributes.map { recorded.place(of: $0.name) }
      let columns = places.compactMap(\.self)
      guard columns.count == places.count else { return nil }
      let keys = recorded.keyColumn == nil ? recorded.keyColumns : []
      hasOthers = hasOthers || columns != Array(recorded.attributes.indices)
      entities.append(
        Entity(
          number: number,
          columns: columns,
          width: recorded.attributes.count,
          keyColumns: keys.compactMap { recorded.place(of: $0) }
        )
      )
    }
    let width = entities.map(\.width).max() ?? 0
    guard try LogFormat.columnCount(on: database) >= width else { return nil }
    self.epoch = epoch
    self.entities = entities
    self.width = max(2, width)
    hasOtherEntities = hasOthers || numbers.count > entities.count
    hasApplicationTriggers = found.keys.contains { !$0.hasPrefix(LogFormat.triggerPrefix) }
  }

  /// The number of the log, and those of all entities in it; `nil` if they do not tell one entity from another.
  private static func numbers(on database: Database) throws -> (UInt64, [String: Int])? {
    guard try LogFormat.isSound(on: database) else { return nil }
    let columns = try database.integer(
      """
      SELECT count(*) FROM pragma_table_info('_results_store')
      WHERE name IN ('format', 'epoch', 'adopted')
      """
    )
    guard columns == 3 else { return nil }
    let stored = try DatabaseValue.fetchOne(
      database,
      sql: "SELECT epoch FROM _results_store WHERE id = 1"
    )
    guard let epoch = stored.flatMap({ Int64.fromDatabaseValue($0) }) else { return nil }
    let rows = try GRDB.Row.fetchAll(
      database,
      sql: "SELECT name, number FROM _results_entity WHERE number IS NOT NULL"
    )
    var numbers: [String: Int] = [:]
    for row in rows {
      let name = try row.decode(String.self, forColumn: "name")
      let stored = try row.decode(DatabaseValue.self, forColumn: "number")
      guard let number = Int.fromDatabaseValue(stored), LogFormat.entityNumbers.contains(number),
        !numbers.values.contains(number)
      else { return nil }
      numbers[name] = number
    }
    return (UInt64(bitPattern: epoch), numbers)
  }

  /// The triggers of the database, and the store's own indexes.
  static func triggers(on database: Database) throws -> [String: String] {
    let rows = try GRDB.Row.fetchAll(
      database,
      sql: """
        SELECT name, sql FROM main.sqlite_master
        WHERE type = 'trigger' OR type = 'index' AND name GLOB '\(LogFormat.triggerPrefix)*'
        """
    )
    let pairs = try rows.map { row in
      try (
        row.decode(String.self, forColumn: "name"),
        row.decode(String?.self, forColumn: "sql") ?? ""
      )
    }
    return Dictionary(pairs) { first, _ in first }
  }
}

extension RecordedEntity {
  /// Where an attribute stands.
  func place(of name: String) -> Int? {
    attributes.firstIndex { Value.text($0.name) == Value.text(name) }
  }
}
