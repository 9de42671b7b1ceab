import GRDB
import ResultsDomain

/// The store's own tables in a database: the version of the format, the store's name, and its entities' schemas.
///
/// `docs/sqlite-schema.md` publishes it.
enum StoreFormat {
  /// The version of the format that is written, and the newest that is understood.
  static let version = 1

  /// "RSLT", in the file's header: tells `file` and other programs whose database it is.
  static let applicationID: Int64 = 0x5253_4C54

  /// What every table of the store's own begins with; no entity may.
  static let reservedPrefix = "_results_"

  /// Makes the store's own tables.
  static func create(on database: Database) throws {
    var generator = SystemRandomNumberGenerator()
    let words = [generator.next(), generator.next()].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
    try database.execute(sql: "PRAGMA application_id = \(applicationID)")
    try database.execute(
      sql: """
        CREATE TABLE _results_store (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          format INTEGER NOT NULL,
          identity TEXT NOT NULL
        ) STRICT;
        CREATE TABLE _results_entity (
          name TEXT NOT NULL PRIMARY KEY,
          identity TEXT NOT NULL CHECK (identity IN ('integer', 'text', 'compound')),
          key_column TEXT
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
      sql: "INSERT INTO _results_store (id, format, identity) VALUES (1, ?, ?)",
      arguments: [version, words.joined()]
    )
  }

  /// Writes down an entity's schema, in place of an earlier one.
  static func record(_ entity: EntityDescription, on database: Database) throws {
    try database.execute(
      sql: "DELETE FROM _results_attribute WHERE entity = ?",
      arguments: [entity.name]
    )
    let (kind, column): (String, String?) =
      switch entity.identity {
      case .integer(let column): ("integer", column)
      case .text(let column): ("text", column)
      case .compound: ("compound", nil)
      }
    try database.execute(
      sql: "INSERT OR REPLACE INTO _results_entity (name, identity, key_column) VALUES (?, ?, ?)",
      arguments: [entity.name, kind, column]
    )
    for (position, attribute) in entity.attributes.enumerated() {
      let keyPosition = entity.keyAttributeIndexes.firstIndex(of: position)
      try database.execute(
        sql: """
          INSERT INTO _results_attribute
            (entity, position, name, type, is_optional, key_position) VALUES (?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          entity.name, position, attribute.name, attribute.type.description, attribute.isOptional,
          keyPosition,
        ]
      )
    }
  }

  /// The schema that was written down for an entity, or `nil` if there is none.
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
    let attributes = rows.map { row in
      RecordedEntity.Attribute(
        name: row["name"],
        type: row["type"],
        isOptional: row["is_optional"],
        keyPosition: row["key_position"]
      )
    }
    return RecordedEntity(
      identity: row["identity"],
      keyColumn: row["key_column"],
      attributes: attributes
    )
  }
}

/// The schema of an entity as the database has it written down.
struct RecordedEntity {
  struct Attribute {
    let name: String
    let type: String
    let isOptional: Bool
    let keyPosition: Int?
  }

  let identity: String
  let keyColumn: String?
  let attributes: [Attribute]

  /// The key's columns, in key order.
  var keyColumns: [String] {
    if let keyColumn { return [keyColumn] }
    return attributes.filter { $0.keyPosition != nil }
      .sorted { ($0.keyPosition ?? 0) < ($1.keyPosition ?? 0) }
      .map(\.name)
  }
}
