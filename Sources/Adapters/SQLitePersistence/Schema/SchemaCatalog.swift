import GRDB
import SQLStoreSupport
import Synchronization

/// The tables and views of a database by name, read once.
///
/// SQLite has no index of its schema: each search reads all of it, so that describing many tables one by one takes a time that grows with
/// their square.
final class SchemaCatalog: Sendable {
  /// The row of a table or view in the schema.
  struct Entry: Sendable {
    let name: String
    let type: String
    let declaration: String
    let location: TableShape.Location
    /// The kind that SQLite reports: `table`, `view`, `virtual` or `shadow`.
    let kind: String
    let isStrict: Bool
    let isWithoutRowNumber: Bool
  }

  /// The entries in the order of their names.
  let all: [Entry]
  private let entries: [[UInt8]: Entry]
  /// What SQLite has reported of tables since, by their names as declared.
  private let known = Mutex(Known())

  private struct Known {
    var shapes: [String: TableShape] = [:]
    var foreignKeys: [String: [ForeignKeyShape]] = [:]
  }

  /// The address of the connection.
  private let connection: Int

  /// Reads the schema of a database.
  init(of database: Database) throws {
    connection = Int(bitPattern: database.sqliteConnection)
    var options: [String: (kind: String, isStrict: Bool, isWithoutRowNumber: Bool)] = [:]
    let list = try GRDB.Row.fetchCursor(
      database,
      sql: "SELECT name, type, strict, wr FROM pragma_table_list WHERE schema = 'main'"
    )
    while let row = try list.next() {
      options[try row.decode(atIndex: 0)] = (
        try row.decode(atIndex: 1), try row.decode(atIndex: 2), try row.decode(atIndex: 3)
      )
    }
    var all: [Entry] = []
    let rows = try GRDB.Row.fetchCursor(
      database,
      sql: """
        SELECT name, type, sql, rowid, rootpage FROM main.sqlite_master
        WHERE type IN ('table', 'view') ORDER BY name
        """
    )
    while let row = try rows.next() {
      let name: String = try row.decode(atIndex: 0)
      let type: String = try row.decode(atIndex: 1)
      let known = options[name]
      all.append(
        Entry(
          name: name,
          type: type,
          declaration: try row.decode(String?.self, atIndex: 2) ?? "",
          location: TableShape.Location(
            row: try row.decode(atIndex: 3),
            page: try row.decode(Int64?.self, atIndex: 4) ?? 0
          ),
          kind: known?.kind ?? type,
          isStrict: known?.isStrict ?? false,
          isWithoutRowNumber: known?.isWithoutRowNumber ?? false
        )
      )
    }
    self.all = all
    entries = Dictionary(all.map { ($0.name.caselessIdentifier, $0) }) { first, _ in first }
  }

  /// The table or view of a name; SQLite ignores the case of A to Z.
  func entry(named name: String) -> Entry? { entries[name.caselessIdentifier] }

  /// The shape of an entry, which is read once.
  func shape(of entry: Entry, _ read: () throws -> TableShape) rethrows -> TableShape {
    if let shape = known.withLock({ $0.shapes[entry.name] }) { return shape }
    let shape = try read()
    known.withLock { $0.shapes[entry.name] = shape }
    return shape
  }

  /// The foreign keys of a table, which are read once.
  func foreignKeys(
    of table: String,
    _ read: () throws -> [ForeignKeyShape]
  ) rethrows -> [ForeignKeyShape] {
    if let keys = known.withLock({ $0.foreignKeys[table] }) { return keys }
    let keys = try read()
    known.withLock { $0.foreignKeys[table] = keys }
    return keys
  }

  @TaskLocal private static var current: SchemaCatalog?

  /// Runs a closure in which shapes of the database's tables are found in one catalog; it must not change the schema.
  static func using<Result>(
    _ database: Database,
    _ body: (SchemaCatalog) throws -> Result
  ) throws -> Result {
    if let catalog = of(database) { return try body(catalog) }
    let catalog = try SchemaCatalog(of: database)
    return try $current.withValue(catalog) { try body(catalog) }
  }

  /// The catalog of the scope that a call is in, if it is of the same connection.
  static func of(_ database: Database) -> SchemaCatalog? {
    current.flatMap { $0.connection == Int(bitPattern: database.sqliteConnection) ? $0 : nil }
  }
}
