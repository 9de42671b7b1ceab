import CSQLiteHooks
import GRDB
import ResultsDomain
import SQLStoreSupport

/// The tables of the change log in a database, as `docs/sqlite-schema.md` publishes them.
enum ChangeLogFormat {
  /// What a row of the log records.
  enum Kind: Int64, Sendable {
    /// A commit of a store, with its changes packed into one blob.
    case commit = 0
    /// A part of the packed changes of the commit row that follows.
    case part = 1
    /// A row was inserted; there was none of its key before.
    case insertion = 2
    /// A row is changed by the next change; the old values.
    case update = 3
    /// A row is deleted by the next change, or gets another key; the old values.
    case deletion = 4
    /// A row may have been replaced by the next change; the old values.
    case replaced = 5
    /// The rows from the one in `key` to this one are a commit of a store.
    case marker = 6
    /// The history cannot be continued across this row.
    case interruption = 7
  }

  /// The valid numbers of an entity: packed changes store one in two bits less than a word.
  static let entityNumbers = 1...Int(Int32.max)

  /// The greatest valid sequence number: no log reaches it by counting, and one beyond it could soon count no further.
  static let greatestSequence: UInt64 = 1 << 62

  /// The prefix of the store's triggers, before the number of their entity.
  static let triggerPrefix = "_results_"

  /// The least number of value columns of the log: those of a commit's row.
  private static let leastColumns = 2

  /// Whether the database has a log.
  static func exists(on database: Database) throws -> Bool {
    try database.integer(
      "SELECT count(*) FROM main.sqlite_master WHERE type = 'table' AND name = '_results_log'"
    ) > 0
  }

  /// Creates the log's tables if they are missing, and adds value columns for entities with many attributes.
  /// - Parameters:
  ///   - database: A connection in a write transaction.
  ///   - attributes: The greatest number of attributes of an entity.
  /// - Returns: Whether the log is new.
  /// - Throws: SQLite's failures.
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
    for index in try columnCount(on: database)..<max(wanted, columnCount(on: database)) {
      try database.execute(sql: "ALTER TABLE _results_log ADD COLUMN v\(index)")
    }
    if isNew {
      // No version of another log may be taken for one of this.
      try database.execute(sql: "UPDATE _results_store SET epoch = random()")
      try interrupt(nil, on: database)
    }
    return isNew
  }

  /// Whether the log's tables have the columns of every log.
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

  /// Whether the table of readers has the column for their process: earlier versions of this library did not create it.
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
        ReaderLease.hasEnded(owner)
      else { continue }
      readers.append(sqlite3_column_int64(statement.pointer, 0))
    }
    return readers
  }

  /// Adds the column for the readers' process.
  static func addOwners(on database: Database) throws {
    guard try !hasOwners(on: database) else { return }
    try database.execute(sql: "ALTER TABLE _results_reader ADD COLUMN owner TEXT")
  }

  /// The number of value columns of the log.
  static func columnCount(on database: Database) throws -> Int {
    try Int(
      database.integer(
        "SELECT count(*) FROM pragma_table_info('_results_log') WHERE name GLOB 'v[0-9]*'"
      )
    )
  }

  /// The sum of the sizes of all values of entries, as an SQL expression.
  static func size(columns: Int) -> String {
    let names = ["key"] + (0..<columns).map { "v\($0)" }
    return "sum(\(names.map { "ifnull(length(\($0)), 0)" }.joined(separator: " + ")))"
  }

  /// Limits the log, or leaves it as it is if its limits are larger.
  static func bound(_ wanted: ChangeLogBound, on database: Database) throws {
    let columns = try columnCount(on: database)
    let triggers = try ChangeLogLayout.triggers(on: database)
    let found = ChangeLogBound(in: triggers, columns: columns)
    let bound = found.map(wanted.joined) ?? wanted
    guard found != bound else { return }
    try database.execute(sql: "DROP TRIGGER IF EXISTS main.\(ChangeLogBound.name)")
    try database.execute(sql: bound.sql(columns: columns))
  }

  /// Records that the history ends here, for one entity or for all.
  static func interrupt(_ entity: Int?, on database: Database) throws {
    try database.execute(
      sql: "INSERT INTO _results_log (entity, kind) VALUES (?, ?)",
      arguments: [entity, Kind.interruption.rawValue]
    )
  }
}

/// The trigger that removes the oldest entries while triggers write new ones.
///
/// A transaction of another program can change any number of rows any number of times, and no store can trim the log before its end. So every
/// 64th entry removes the oldest beyond the limits. The bytes of all entries are estimated from those of the last 64.
struct ChangeLogBound: Equatable {
  static let name = "\(ChangeLogFormat.triggerPrefix)bound"
  /// The entries between two removals.
  private static let step = 64
  private static let leastEntries = 131_072
  private static let leastBytes = 16 << 20

  /// The entries that are retained.
  private(set) var entries: Int
  /// The bytes of the values in them.
  private(set) var bytes: Int

  /// The limits for what a store retains at least: it lets a log become twice as long.
  init(_ options: SQLiteStoreOptions) {
    let most = Int(Int32.max)
    entries = max(ChangeLogBound.leastEntries, 2 * min(max(0, options.logCapacity), most))
    bytes = max(ChangeLogBound.leastBytes, min(options.logByteLimit, most * ChangeLogBound.step))
  }

  /// The limits of a log; `nil` if it has none, or its trigger was changed.
  init?(in triggers: [String: String], columns: Int) {
    guard let sql = triggers[ChangeLogBound.name] else { return nil }
    let numbers = sql.split(separator: " ").drop { $0 != "/*" }.dropFirst().prefix(2)
      .compactMap { Int($0) }
    guard numbers.count == 2 else { return nil }
    (entries, bytes) = (numbers[0], numbers[1])
    guard self.sql(columns: columns) == sql else { return nil }
  }

  /// The larger ones of two limits.
  func joined(with other: ChangeLogBound) -> ChangeLogBound {
    var larger = self
    larger.entries = max(entries, other.entries)
    larger.bytes = max(bytes, other.bytes)
    return larger
  }

  /// Writes the statement that creates the trigger.
  /// - Parameter columns: The number of value columns of the log.
  /// - Returns: The statement.
  func sql(columns: Int) -> String {
    let step = ChangeLogBound.step
    let (sum, isOver) = bytes.multipliedReportingOverflow(by: step)
    return """
      CREATE TRIGGER \(ChangeLogBound.name) AFTER INSERT ON _results_log WHEN new.sequence % \(step) = 0 \
      BEGIN /* \(entries) \(bytes) */ DELETE FROM _results_log WHERE sequence <= new.sequence - \
      max(1, min(\(entries), \(isOver ? Int.max : sum) / (SELECT 1 + \(ChangeLogFormat.size(columns: columns)) \
      FROM _results_log WHERE sequence > new.sequence - \(step)))); END
      """
  }
}

/// The layout of a database's change log at one version of the schema.
struct ChangeLogLayout: Sendable {
  /// Where the log has an entity's keys and values.
  struct Entity: Sendable {
    /// The entity's number in the log.
    let number: Int
    /// For each attribute of the entity, the value column of the log that holds it.
    let columns: [Int]
    /// The number of attributes that the database has recorded.
    let width: Int
    /// For each part of a compound key, the value column that holds it; empty for other keys.
    let keyColumns: [Int]
    /// Whether a trigger of the application names the table in its statements.
    let isWrittenByTriggers: Bool
  }

  /// Identifies the log: a new log has another number.
  let epoch: UInt64
  /// The layout of each of the store's entities.
  let entities: [Entity]
  /// The number of value columns to read.
  let width: Int
  /// Whether an application has triggers in the database.
  let hasApplicationTriggers: Bool
  /// Whether the database has entities, or attributes of entities, that the store was not opened with.
  let hasOtherEntities: Bool
  /// Whether triggers of an entity, be it of this store or of another, are on another table.
  let hasMisplacedTriggers: Bool
  /// The limits of the log, if it has any.
  let bound: ChangeLogBound?

  /// Reads the layout from a database.
  /// - Returns: `nil` if it has no log of these entities, or one that misses changes of them.
  /// - Complexity: O(*n*) in the schema; the tables would otherwise be searched for one by one.
  static func read(of tables: StoreTables, on database: Database) throws -> ChangeLogLayout? {
    try SchemaCatalog.using(database) { _ in try ChangeLogLayout(of: tables, on: database) }
  }

  private init?(of tables: StoreTables, on database: Database) throws {
    guard let (epoch, numbers) = try ChangeLogLayout.numbers(on: database) else { return nil }
    let found = try ChangeLogLayout.triggers(on: database)
    let recordings = try ChangeLogLayout.recordings(numbers, on: database)
    var foreign = found
    let columnCount = try ChangeLogFormat.columnCount(on: database)
    bound = ChangeLogBound(in: found, columns: columnCount)
    if bound != nil { foreign[ChangeLogBound.name] = nil }
    for trigger in recordings.values.lazy.compactMap(\.triggers?.all).joined()
    where foreign[trigger.name] == trigger.sql {
      foreign[trigger.name] = nil
    }
    let others = foreign.values.map(ChangeLogLayout.namesInStatements)
    var entities: [Entity] = []
    var hasOthers = false
    for table in tables.all {
      guard let number = numbers[table.entity.name],
        let (recorded, expected) = recordings[table.entity.name],
        recorded.hasKey(of: table.entity),
        let expected,
        expected.all.allSatisfy({ found[$0.name] == $0.sql })
      else { return nil }
      let indexes = table.entity.attributes.map { recorded.index(of: $0.name) }
      let columns = indexes.compactMap(\.self)
      guard columns.count == indexes.count else { return nil }
      let keys = recorded.keyColumn == nil ? recorded.keyColumns : []
      hasOthers = hasOthers || columns != Array(recorded.attributes.indices)
      entities.append(
        Entity(
          number: number,
          columns: columns,
          width: recorded.attributes.count,
          keyColumns: keys.compactMap { recorded.index(of: $0) },
          isWrittenByTriggers: others.contains {
            $0.contains(ChangeLogLayout.unquoted(table.entity.name.caselessIdentifier))
          }
        )
      )
    }
    let width = entities.map(\.width).max() ?? 0
    guard columnCount >= width else { return nil }
    self.epoch = epoch
    self.entities = entities
    self.width = max(2, width)
    hasOtherEntities = hasOthers || numbers.count > entities.count
    hasApplicationTriggers = !foreign.isEmpty
    hasMisplacedTriggers = try !ChangeLogLayout.misplaced(on: database).isEmpty
  }

  /// What is recorded of each entity of the log, and the triggers that its table should have, if it fits.
  private static func recordings(
    _ numbers: [String: Int],
    on database: Database
  ) throws -> [String: (entity: RecordedEntity, triggers: ChangeLogTriggers?)] {
    var recordings: [String: (entity: RecordedEntity, triggers: ChangeLogTriggers?)] = [:]
    for (name, number) in numbers {
      guard let entity = try StoreFormat.recorded(name, on: database) else { continue }
      let triggers = try ChangeLogTriggers.expected(entity, number: number, on: database)
      recordings[name] = (entity, triggers)
    }
    return recordings
  }

  /// The epoch of the log, and the numbers of all entities in it; `nil` if these are not valid or not unique.
  private static func numbers(on database: Database) throws -> (UInt64, [String: Int])? {
    guard try ChangeLogFormat.isSound(on: database) else { return nil }
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
      guard let number = Int.fromDatabaseValue(stored),
        ChangeLogFormat.entityNumbers.contains(number),
        !numbers.values.contains(number)
      else { return nil }
      numbers[name] = number
    }
    return (UInt64(bitPattern: epoch), numbers)
  }

  /// The names that the statements of a trigger may mention, in lowercase and without quotation marks; other words are among them.
  private static func namesInStatements(of sql: String) -> Set<[UInt8]> {
    let tokens = SQLToken.all(in: sql).map(\.text.caselessIdentifier)
    return Set(tokens.drop { $0 != Array("begin".utf8) }.map(unquoted))
  }

  /// A name without any quotation marks, those of its own included, so that each way to write it gives the same.
  private static func unquoted(_ name: [UInt8]) -> [UInt8] {
    name.filter { !"\"'`[]".utf8.contains($0) }
  }

  /// The log's triggers and guards that are on another table than their entity's, with the entity's number.
  ///
  /// With `PRAGMA legacy_alter_table = ON` a rename moves triggers to the new name, but they still read the table of the old one.
  static func misplaced(on database: Database) throws -> [(name: String, number: Int)] {
    let entities = try GRDB.Row.fetchAll(
      database,
      sql: """
        SELECT number, CAST(ifnull(name, '') AS TEXT) FROM _results_entity
        WHERE typeof(number) = 'integer'
        """
    )
    let names = try Dictionary(
      entities.map { row in
        (try row.decode(Int.self, atIndex: 0), try row.decode(String.self, atIndex: 1))
      }
    ) { $1 }
    let found = try GRDB.Row.fetchAll(
      database,
      sql: """
        SELECT name, tbl_name FROM main.sqlite_master WHERE type IN ('trigger', 'index')
        AND name GLOB '\(ChangeLogFormat.triggerPrefix)[0-9]*_*' ORDER BY name
        """
    )
    return try found.compactMap { row in
      let name = try row.decode(String.self, atIndex: 0)
      let table = try row.decode(String?.self, atIndex: 1) ?? ""
      guard
        let number = name.dropFirst(ChangeLogFormat.triggerPrefix.count).split(separator: "_").first
          .flatMap({ Int($0) }),
        let entity = names[number], entity.caselessIdentifier != table.caselessIdentifier
      else { return nil }
      return (name, number)
    }
  }

  /// The triggers of the database and the store's indexes, by name.
  static func triggers(on database: Database) throws -> [String: String] {
    let rows = try GRDB.Row.fetchAll(
      database,
      sql: """
        SELECT name, sql FROM main.sqlite_master
        WHERE type = 'trigger' OR type = 'index' AND name GLOB '\(ChangeLogFormat.triggerPrefix)*'
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
