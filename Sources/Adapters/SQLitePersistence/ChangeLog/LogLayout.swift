import CSQLiteHooks
import GRDB
import ResultsDomain

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
