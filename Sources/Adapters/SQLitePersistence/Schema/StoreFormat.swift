import GRDB
package import ResultsDomain
import SQLStoreSupport

/// The store's own tables in a database: the version of the format, the store's name, and its entities' schemas.
///
/// `docs/sqlite-schema.md` publishes it.
enum StoreFormat {
  /// The version of the format that is written where no entity has attributes that users have added.
  static let version = 2

  /// The version that is written from the first such attribute on, and the newest that can be read.
  ///
  /// A program that does not know them would remove their columns, and refuses the file instead.
  static let customVersion = 3

  /// "RSLT", in the file's header: identifies the database to `file` and other programs.
  static let applicationID: Int64 = 0x5253_4C54

  /// The prefix of the names of the store's own tables, which no entity may have.
  static let reservedPrefix = "_results_"

  /// Creates the store's own tables.
  /// - Parameters:
  ///   - database: A connection in a write transaction.
  ///   - adopted: Whether the entities' tables belong to an application.
  /// - Throws: SQLite's failures.
  static func create(on database: Database, adopted: Bool) throws {
    var generator = SystemRandomNumberGenerator()
    let words = [generator.next(), generator.next()].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
    if !adopted { try database.execute(sql: "PRAGMA application_id = \(applicationID)") }
    try database.execute(
      sql: """
        CREATE TABLE _results_store (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          format INTEGER NOT NULL,
          identity TEXT NOT NULL,
          epoch INTEGER,
          adopted INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE _results_entity (
          name TEXT NOT NULL PRIMARY KEY,
          identity TEXT NOT NULL CHECK (identity IN ('integer', 'text', 'compound')),
          key_column TEXT,
          number INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE _results_attribute (
          entity TEXT NOT NULL,
          position INTEGER NOT NULL,
          name TEXT NOT NULL,
          type TEXT NOT NULL,
          is_optional INTEGER NOT NULL,
          key_position INTEGER,
          PRIMARY KEY (entity, name)
        ) STRICT, WITHOUT ROWID;
        """
    )
    try database.execute(
      sql: "INSERT INTO _results_store (id, format, identity, adopted) VALUES (1, ?, ?, ?)",
      arguments: [version, words.joined(), adopted]
    )
  }

  /// Upgrades the store's own tables from an earlier version of the format.
  static func upgrade(from format: Int, on database: Database) throws {
    guard format < 2 else { return }
    try database.execute(
      sql: """
        ALTER TABLE _results_store ADD COLUMN epoch INTEGER;
        ALTER TABLE _results_store ADD COLUMN adopted INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE _results_entity ADD COLUMN number INTEGER;
        UPDATE _results_store SET format = 2;
        """
    )
  }

  /// Whether the entities' tables belong to an application.
  ///
  /// The file's header says so too, which stands where the table holds no number.
  static func isAdopted(on database: Database) throws -> Bool {
    let statement = try PreparedStatement(
      "SELECT adopted FROM _results_store WHERE id = 1",
      on: database
    )
    defer { statement.reset() }
    if try statement.step(),
      case .integer(let adopted) = Value(statement.pointer, column: 0, storage: .integer)
    {
      return adopted != 0
    }
    return try isOfApplication(database)
  }

  private static func isOfApplication(_ database: Database) throws -> Bool {
    try database.integer("PRAGMA application_id") != applicationID
  }

  /// Replaces what says whether the tables are adopted, where it is no number.
  ///
  /// SQLite refuses every other change of such a row.
  static func mendAdoption(on database: Database) throws {
    let columns = "SELECT count(*) FROM pragma_table_info('_results_store') WHERE name = 'adopted'"
    guard try database.integer(columns) > 0 else { return }
    try database.execute(
      sql: "UPDATE _results_store SET adopted = ? WHERE typeof(adopted) <> 'integer'",
      arguments: [isOfApplication(database)]
    )
  }

  /// Numbers the attributes of entities again if one of them has a position that is no number.
  ///
  /// The values in a log are in the order of the positions, so the log must be created again too.
  static func mendPositions(on database: Database) throws {
    try database.execute(
      sql: """
        UPDATE _results_attribute SET position = (
            SELECT count(*) FROM _results_attribute AS other
            WHERE other.entity = _results_attribute.entity AND other.name < _results_attribute.name)
          WHERE entity IN (
            SELECT entity FROM _results_attribute WHERE typeof(position) <> 'integer')
        """
    )
  }

  /// Assigns an epoch to a log that has none, or one that is not a number.
  /// - Returns: Whether one was assigned.
  static func addEpoch(on database: Database) throws -> Bool {
    try mendAdoption(on: database)
    let column = "SELECT count(*) FROM pragma_table_info('_results_store') WHERE name = 'epoch'"
    if try database.integer(column) == 0 {
      try database.execute(sql: "ALTER TABLE _results_store ADD COLUMN epoch INTEGER")
    }
    try database.execute(
      sql: "UPDATE _results_store SET epoch = random() WHERE typeof(epoch) <> 'integer'"
    )
    return database.changesCount > 0
  }

  /// Assigns a log number to every entity that has none, or one that is not valid or not unique.
  /// - Returns: Whether there were any that were not valid or not unique.
  static func number(on database: Database) throws -> Bool {
    try database.execute(
      sql: """
        UPDATE _results_entity SET number = NULL WHERE number IS NOT NULL AND (
          typeof(number) <> 'integer'
          OR number NOT BETWEEN \(ChangeLogFormat.entityNumbers.lowerBound)
            AND \(ChangeLogFormat.entityNumbers.upperBound)
          OR number IN (SELECT number FROM _results_entity GROUP BY number HAVING count(*) > 1))
        """
    )
    let wasWrong = database.changesCount > 0
    let names = try String.fetchAll(
      database,
      sql: "SELECT name FROM _results_entity WHERE number IS NULL ORDER BY name"
    )
    for name in names {
      try database.execute(
        sql: """
          UPDATE _results_entity
          SET number = (SELECT ifnull(max(number), 0) + 1 FROM _results_entity) WHERE name = ?
          """,
        arguments: [name]
      )
    }
    return wasWrong
  }

  /// Records an entity, and retains the attributes that others have recorded: applications of its table, or users.
  static func record(
    _ entity: EntityDescription,
    retaining recorded: RecordedEntity?,
    on database: Database
  ) throws {
    guard let recorded else { return try record(entity, on: database) }
    let shape = try database.tableShape(of: entity.name)
    let known = recorded.attributes.filter { attribute in
      shape?.column(named: attribute.name) != nil && entity.index(of: attribute.name) == nil
    }
    let isSame =
      entity.attributes.allSatisfy { recorded.index(of: $0.name) != nil }
      && known.count + entity.attributes.count == recorded.attributes.count
    guard !isSame else { return }
    try record(entity, on: database)
    for (offset, attribute) in known.enumerated() {
      try database.execute(
        sql: """
          INSERT INTO _results_attribute (entity, position, name, type, is_optional)
          VALUES (?, ?, ?, ?, ?)
          """,
        arguments: [
          entity.name, entity.attributes.count + offset, attribute.name,
          attribute.recordedType, attribute.isOptional,
        ]
      )
    }
  }

  /// Records an entity's schema, and replaces an earlier one.
  static func record(_ entity: EntityDescription, on database: Database) throws {
    try database.execute(
      sql: "DELETE FROM _results_attribute WHERE entity = ?",
      arguments: [entity.name]
    )
    let column: String? =
      switch entity.identity {
      case .integer(let column), .text(let column): column
      case .compound: nil
      }
    try database.execute(
      sql: """
        INSERT INTO _results_entity (name, identity, key_column) VALUES (?, ?, ?)
        ON CONFLICT (name) DO UPDATE SET identity = excluded.identity,
          key_column = excluded.key_column
        """,
      arguments: [entity.name, entity.identity.recordedKind, column]
    )
    for (position, attribute) in entity.attributes.enumerated() {
      let keyPosition = entity.keyAttributeIndexes.firstIndex(of: position)
      try database.execute(
        sql: """
          INSERT INTO _results_attribute
            (entity, position, name, type, is_optional, key_position) VALUES (?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          entity.name, position, attribute.name, attribute.recordedType, attribute.isOptional,
          keyPosition,
        ]
      )
    }
    if entity.attributes.contains(where: \.isCustom) {
      try database.execute(
        sql: "UPDATE _results_store SET format = ? WHERE format < ?",
        arguments: [customVersion, customVersion]
      )
    }
  }

  /// The recorded schema of an entity, or `nil` if there is none.
  static func recorded(_ name: String, on database: Database) throws -> RecordedEntity? {
    let row = try GRDB.Row.fetchOne(
      database,
      sql: "SELECT identity, key_column FROM _results_entity WHERE name = ?",
      arguments: [name]
    )
    guard let row else { return nil }
    let rows = try GRDB.Row.fetchAll(
      database,
      sql: """
        SELECT name, type, is_optional, key_position FROM _results_attribute
        WHERE entity = ? ORDER BY position
        """,
      arguments: [name]
    )
    // Decoding throws instead of trapping: a damaged page can contain anything.
    let attributes = try rows.map { row in
      try RecordedEntity.Attribute(
        name: row.decode(forColumn: "name"),
        type: row.decode(forColumn: "type"),
        isOptional: row.decode(forColumn: "is_optional")
      )
    }
    let positions = try rows.map { try $0.decode(Int?.self, forColumn: "key_position") }
    let keys = zip(attributes, positions).compactMap { attribute, position in
      position.map { (name: attribute.name, position: $0) }
    }
    return try RecordedEntity(
      name: name,
      identity: row.decode(forColumn: "identity"),
      keyColumn: row.decode(forColumn: "key_column"),
      keyAttributes: keys.sorted { $0.position < $1.position }.map(\.name),
      attributes: attributes
    )
  }
}

extension SQLiteStore {
  /// Reads the attributes that users have added to an entity, before a program opens its store with them.
  ///
  /// The file is only read, and nothing is left beside it.
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - path: The path of the file.
  /// - Returns: The attributes in the order in which they were added; `nil` for a file that is no store, or cannot be read.
  package static func customAttributes(
    of entity: String,
    at path: String
  ) -> [AttributeDescription]? {
    var options = SQLiteStoreOptions(isReadOnly: true)
    options.onlyReads = true
    let opener = DatabaseOpener(path: path, entities: [], options: options)
    // A program reads its own store, which it is about to open: a row or two, for which a copy would be dear.
    let recorded = try? opener.readFile(copying: false) { database in
      // Most stores have none, and say so in one row.
      let format = try database.integer("SELECT format FROM _results_store WHERE id = 1")
      guard format >= StoreFormat.customVersion else { return RecordedEntity?.none }
      return try StoreFormat.recorded(entity, on: database)
    }
    return recorded?.attributes.compactMap(\.custom)
  }
}
