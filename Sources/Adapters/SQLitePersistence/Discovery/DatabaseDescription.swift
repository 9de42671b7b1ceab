public import GRDB
public import ResultsDomain

/// The tables and views of a database that another application made, each as an entity.
///
/// The description is read from the schema and from a sample of the rows. Reading it writes nothing, neither into the file nor
/// beside it.
public struct DatabaseDescription: Sendable {
  /// The file's path.
  public let path: String
  /// The tables and views by name, without those of SQLite and of the change log.
  public let tables: [TableDescription]
  /// Whether the database has a change log, by which the changes of every writer are followed row by row.
  public let hasChangeLog: Bool

  /// Reads the description of a database.
  /// - Parameters:
  ///   - path: The file's path.
  ///   - busyTimeout: How long to wait for another writer.
  /// - Throws: `StoreError.cannotOpen` for a file that is missing or no database, `StoreError.busy`, `StoreError.inputOutput`.
  /// - Complexity: O(*n*) in the tables, their columns and a bounded sample of rows each, and in the keys of tables whose
  ///   declaration does not exclude keys that are null or of another type.
  public init(at path: String, busyTimeout: Duration = .seconds(5)) throws(StoreError) {
    var options = SQLiteStoreOptions(isReadOnly: true, busyTimeout: busyTimeout)
    options.isDiscovered = true
    let opener = DatabaseOpener(path: path, entities: [], options: options)
    let found = try opener.readFile { database in
      (
        tables: try DatabaseDescription.tables(on: database),
        hasChangeLog: try ChangeLogFormat.exists(on: database)
      )
    }
    self.path = path
    tables = found.tables
    hasChangeLog = found.hasChangeLog
  }

  /// Reads the description of a database that an application has open.
  ///
  /// Views are described only if they are named, because finding out what identifies the rows of a view reads all of them.
  /// - Parameters:
  ///   - database: A `DatabasePool` or a `DatabaseQueue`.
  ///   - views: The names of the views to describe.
  ///   - form: Returns the form in which the application writes a column's values, by the table's name, the column's name and its
  ///     declared type, or `nil` to propose one by a sample. A form that the sample contradicts is not used.
  /// - Throws: `StoreError.cannotOpen` for a database that cannot be read, `StoreError.busy`, `StoreError.inputOutput`.
  /// - Complexity: As `init(at:busyTimeout:)`.
  public init(
    of database: any DatabaseReader,
    views: [String] = [],
    form: @escaping (_ table: String, _ column: String, _ declaredType: String) -> StoredForm? = {
      _,
      _,
      _ in nil
    }
  ) throws(StoreError) {
    var options = SQLiteStoreOptions(isReadOnly: true)
    options.isDiscovered = true
    let opener = DatabaseOpener(path: database.path, entities: [], options: options)
    let views = Set(views.map(\.caselessIdentifier))
    let found = try opener.read(database) { connection in
      (
        tables: try DatabaseDescription.tables(
          on: connection,
          describing: { $1 != .view || views.contains($0.caselessIdentifier) },
          form
        ),
        hasChangeLog: try ChangeLogFormat.exists(on: connection)
      )
    }
    path = database.path
    tables = found.tables
    hasChangeLog = found.hasChangeLog
  }

  /// The table or view of a name, or `nil` if there is none; SQLite ignores the case of A to Z.
  public func table(named name: String) -> TableDescription? {
    tables.first { $0.name == name }
      ?? tables.first { $0.name.caselessIdentifier == name.caselessIdentifier }
  }

  /// The names that a mistyped name may have meant: the nearest one, or else all.
  public func names(near name: String) -> [String] {
    let names = tables.map(\.name)
    return NearestName.of(name, among: names).map { [$0] } ?? names
  }

  /// The numbers of rows, by table; `nil` for a table or view that cannot be read.
  /// - Throws: As `init(at:busyTimeout:)`.
  /// - Complexity: O(*n*) in the rows of all tables.
  public func rowCounts() throws(StoreError) -> [Int?] {
    var options = SQLiteStoreOptions(isReadOnly: true)
    options.isDiscovered = true
    let opener = DatabaseOpener(path: path, entities: [], options: options)
    return try opener.readFile { database in
      tables.map { table in
        try? Int(database.integer("SELECT count(*) FROM main.\(table.name.quotedIdentifier)"))
      }
    }
  }

  private static func tables(
    on database: Database,
    describing isDescribed: (_ name: String, TableDescription.Kind) -> Bool = { _, _ in true },
    _ form: TableDiscovery.KnownForm? = nil
  ) throws -> [TableDescription] {
    // A shadow table belongs to a virtual one, such as that of a text index.
    let rows = try GRDB.Row.fetchAll(
      database,
      sql: """
        SELECT name, type FROM pragma_table_list
        WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          AND name NOT LIKE '\\_results\\_%' ESCAPE '\\'
        ORDER BY name
        """
    )
    let conventions = try FrameworkConventions(on: database)
    let tables = try rows.compactMap { row -> TableDescription? in
      let name: String = try row.decode(forColumn: "name")
      let kind = TableDescription.Kind(rawValue: try row.decode(forColumn: "type")) ?? .table
      guard isDescribed(name, kind) else { return nil }
      let discovery = TableDiscovery(name: name, kind: kind, on: database) { table, column, type in
        form?(table, column, type) ?? conventions.form(declaredType: type)
      }
      return try discovery.description()
    }
    let connected = tables.map { table in
      table.with(table.foreignKeys + conventions.foreignKeys(of: table, among: tables))
    }
    return try RelationshipDiscovery.connected(ForeignKeyTypes.aligned(connected), conventions)
      .withMissingIndexes(on: database)
  }
}

/// A table or a view of a database that another application made.
public struct TableDescription: Sendable {
  /// What holds the rows.
  public enum Kind: String, Hashable, Sendable {
    /// A table.
    case table
    /// A view: read only, and followed by comparison.
    case view
    /// A table that a module of SQLite provides, such as a text index.
    case virtual
  }

  /// The name.
  public let name: String
  /// What holds the rows.
  public let kind: Kind
  /// The entity, or the reason why there is none.
  public let entity: Result<EntityDescription, TableRefusal>
  /// The foreign keys, in the order of their declaration, then those that the framework that made the database uses by convention.
  public let foreignKeys: [ForeignKeyDescription]
  /// The names of the attributes that the database calculates.
  public let generatedAttributes: [String]
  /// Forms that the values of the sample have and that do not sort like their values: decimals as text, and JSON.
  ///
  /// The entity does not have them, so that its lists can be ordered by any attribute. A declaration can.
  public let unsortableForms: [String: StoredForm]
  /// The names of attributes that a declared entity cannot have, because the column's declared type turns some of their values into others:
  /// a column `json` or `STRING` turns the text 5 into a number.
  public let convertedAttributes: [String]
  /// The columns of foreign keys that no index of the table begins with, so that the rows that name another one are found by reading
  /// all of them.
  public internal(set) var missingIndexes: [[String]] = []
  /// The columns of each unique index that has all rows.
  let uniqueColumns: [[String]]
  /// The table as SQLite reports it, or `nil` if it could not be read.
  let shape: TableShape?
}

/// The reason why the rows of a table or view cannot be listed.
public struct TableRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason, as a sentence without its full stop.
  public let description: String
}

/// A foreign key of a table.
public struct ForeignKeyDescription: Hashable, Sendable {
  /// The columns that hold the key.
  public let columns: [String]
  /// The table that it refers to.
  public let table: String
  /// The columns of that table; its primary key if none are declared.
  public let targets: [String]
  /// The delete rule that does what the database does when a row that the key names is deleted; `none` if the database does nothing
  /// but refuse it at the end of the statement.
  public let onDelete: DeleteRule
  /// Whether the table declares the key; otherwise it is known by a convention of the framework that made the database, and the database
  /// does not enforce it.
  public let isDeclared: Bool
}

extension [TableDescription] {
  /// The tables with the columns for which an index is missing.
  fileprivate func withMissingIndexes(on database: Database) throws -> [TableDescription] {
    let entities = compactMap { try? $0.entity.get() }
    return try map { table in
      guard table.kind == .table, let entity = try? table.entity.get() else { return table }
      var table = table
      table.missingIndexes = try ForeignKeyRules(entity, among: entities)
        .missingIndexes(on: database)
      return table
    }
  }
}
