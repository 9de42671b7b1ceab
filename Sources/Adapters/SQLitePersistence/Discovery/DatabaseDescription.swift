import CSQLiteHooks
public import GRDB
public import ResultsDomain
public import ResultsStoreKit
import SQLStoreSupport

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

  /// The names of all tables and views, described or not.
  public let tableNames: [String]

  /// The number that SQLite gives the schema, and raises with every change of it.
  private let schemaVersion: Int64
  /// What holds the file until a store has opened it; `nil` for none.
  let held: HeldFile?

  /// Reads the description of a database.
  ///
  /// Nobody knows who made the file. The schema can call only what is harmless, values and statements have limits, and no part of it is
  /// read for longer than a time, after which the description says what it lacks.
  /// - Parameters:
  ///   - path: The file's path.
  ///   - names: The tables and views to describe, with all tables that foreign keys connect with them; `nil` describes all. Names that
  ///     the database does not have are left out.
  ///   - busyTimeout: How long to wait for another writer.
  ///   - timeLimit: How long the rows of the tables may be read in all. Of tables that are not named, each has a second of it.
  /// - Throws: `StoreError.cannotOpen` for a file that is missing or no database, `StoreError.busy`, `StoreError.inputOutput`.
  /// - Complexity: O(*n*) in the tables, their columns and a bounded sample of rows each, and in the keys of tables whose
  ///   declaration does not exclude keys that are null or of another type.
  public init(
    at path: String,
    describing names: [String]? = nil,
    busyTimeout: Duration = .seconds(5),
    timeLimit: Duration = .seconds(10)
  ) throws(StoreError) {
    try self.init(
      at: path,
      describing: names,
      busyTimeout: busyTimeout,
      timeLimit: timeLimit,
      holding: nil
    )
  }

  /// Reads the description of a database that stays open until a store has opened it.
  /// - Parameters:
  ///   - path: The file's path.
  ///   - names: The tables and views to describe; `nil` describes all.
  ///   - busyTimeout: How long to wait for another writer.
  ///   - timeLimit: How long the rows of the tables may be read in all.
  ///   - held: What holds the file; its owner closes it at the end.
  /// - Throws: As `init(at:describing:busyTimeout:timeLimit:)`.
  /// - Complexity: As `init(at:describing:busyTimeout:timeLimit:)`.
  package init(
    at path: String,
    describing names: [String]? = nil,
    busyTimeout: Duration = .seconds(5),
    timeLimit: Duration = .seconds(10),
    holding held: HeldFile?
  ) throws(StoreError) {
    var options = SQLiteStoreOptions(isReadOnly: true, busyTimeout: busyTimeout)
    options.isDiscovered = true
    let opener = DatabaseOpener(path: path, entities: [], options: options)
    let named = names.map { Set($0.map(\.caselessIdentifier)) }
    let found = try opener.readFile(holding: held) { database in
      let bound = ReadingBound(part: named == nil ? .seconds(1) : timeLimit, whole: timeLimit)
      return try SchemaCatalog.using(database) { catalog in
        let names = DatabaseDescription.names(in: catalog)
        return (
          tables: try DatabaseDescription.tables(
            names,
            connectedWith: named,
            on: database,
            bound,
            // A file that lacks its end is refused as a whole.
            sparesOthers: { FileState.truncation(at: path) == nil }
          ),
          names: names.map(\.name),
          hasChangeLog: try ChangeLogFormat.exists(on: database),
          schemaVersion: try DatabaseDescription.schemaVersion(on: database)
        )
      }
    }
    self.path = path
    self.held = held
    schemaVersion = found.schemaVersion
    tables = found.tables
    tableNames = found.names
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
  /// - Complexity: As `init(at:describing:busyTimeout:timeLimit:)`.
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
      try SchemaCatalog.using(connection) { catalog in
        let names = DatabaseDescription.names(in: catalog)
        let chosen = names.filter { $1 != .view || views.contains($0.caselessIdentifier) }
        return (
          // The connection and its limits are the application's.
          tables: try DatabaseDescription.tables(chosen, on: connection, nil, form),
          names: names.map(\.name),
          hasChangeLog: try ChangeLogFormat.exists(on: connection),
          schemaVersion: try DatabaseDescription.schemaVersion(on: connection)
        )
      }
    }
    path = database.path
    held = nil
    schemaVersion = found.schemaVersion
    tables = found.tables
    tableNames = found.names
    hasChangeLog = found.hasChangeLog
  }

  /// Whether the file still has the schema that was described.
  /// - Throws: As `init(at:describing:busyTimeout:timeLimit:)`.
  /// - Complexity: O(1); O(*n*) in the bytes of a file that is read from a copy.
  package func isCurrent() throws(StoreError) -> Bool {
    var options = SQLiteStoreOptions(isReadOnly: true)
    options.isDiscovered = true
    return try DatabaseOpener(path: path, entities: [], options: options).readFile(holding: held) {
      database in
      try DatabaseDescription.schemaVersion(on: database) == schemaVersion
    }
  }

  private static func schemaVersion(on database: Database) throws -> Int64 {
    Int64(try database.integer("PRAGMA main.schema_version"))
  }

  /// The table or view of a name, or `nil` if there is none; SQLite ignores the case of A to Z.
  public func table(named name: String) -> TableDescription? {
    tables.first { $0.name.utf8.elementsEqual(name.utf8) }
      ?? tables.first { $0.name.caselessIdentifier == name.caselessIdentifier }
  }

  /// The names that a mistyped name may have meant: the nearest one, or else all.
  public func names(near name: String) -> [String] {
    NearestName.of(name, among: tableNames).map { [$0] } ?? tableNames
  }

  /// The numbers of rows, by table; `nil` for a table or view that cannot be read, or not in time.
  /// - Parameter timeLimit: How long rows may be counted in all; those of one table for a fifth of that.
  /// - Returns: The numbers, in the order of the tables.
  /// - Throws: As `init(at:describing:busyTimeout:timeLimit:)`.
  /// - Complexity: O(*n*) in the rows of all tables.
  public func rowCounts(timeLimit: Duration = .seconds(10)) throws(StoreError) -> [Int?] {
    try numbersOfRows(timeLimit: timeLimit).map { $0?.count }
  }

  package func numbersOfRows(timeLimit: Duration) throws(StoreError) -> [RowCount?] {
    var options = SQLiteStoreOptions(isReadOnly: true)
    options.isDiscovered = true
    let opener = DatabaseOpener(path: path, entities: [], options: options)
    return try opener.readFile(holding: held) { database in
      let bound = ReadingBound(part: timeLimit / 5, whole: timeLimit)
      return tables.map { table in
        // A view that cannot be listed has not been read in time before.
        guard
          table.kind != .view || (try? table.entity.get()) ?? table.unidentifiedEntity != nil
        else { return nil }
        let source = "main.\(table.name.quotedIdentifier)"
        do {
          return try bound.run(on: database) {
            guard let shape = table.shape else {
              return RowCount(try database.countOfRows(of: source))
            }
            return try MissingCollations.replaced(for: shape, on: database) {
              RowCount(try database.countOfRows(of: source))
            }
          }
        } catch {
          return SQLiteFailure(error)?.primaryCode == SQLITE_CORRUPT ? .damaged : nil
        }
      }
    }
  }

  /// The tables and views without those of SQLite, of the change log, and of virtual tables, by name.
  private static func names(
    in catalog: SchemaCatalog
  ) -> [(name: String, kind: TableDescription.Kind)] {
    catalog.all.compactMap { entry in
      let name = entry.name.caselessIdentifier
      // A shadow table belongs to a virtual one, such as that of a text index.
      guard entry.kind != "shadow", !name.starts(with: Array("sqlite_".utf8)),
        !name.starts(with: Array(StoreFormat.reservedPrefix.utf8))
      else { return nil }
      return (entry.name, TableDescription.Kind(rawValue: entry.kind) ?? .table)
    }
  }

  /// Describes tables and views.
  /// - Parameters:
  ///   - names: Their names.
  ///   - named: The names, in lowercase, of those to describe with the tables that are connected with them; `nil` for all.
  ///   - database: The connection.
  ///   - bound: The time for what is read, if there is a bound.
  ///   - sparesOthers: Returns whether damaged rows of a table that is not named refuse that table alone, if any can be read.
  ///   - form: Returns the form of a column that is known without a sample.
  /// - Returns: The descriptions, in the order of the names.
  /// - Throws: SQLite's failures.
  private static func tables(
    _ names: [(name: String, kind: TableDescription.Kind)],
    connectedWith named: Set<[UInt8]>? = nil,
    on database: Database,
    _ bound: ReadingBound?,
    sparesOthers: () -> Bool = { false },
    _ form: TableDiscovery.KnownForm? = nil
  ) throws -> [TableDescription] {
    let conventions = try FrameworkConventions(on: database, within: bound)
    let alike = names.map(\.name).equalButForComposition
    let tables = Set(names.filter { $0.kind == .table && !alike.contains($0.name) }.map(\.name))
    var declared: [String: [ForeignKeyDescription]] = [:]
    var conventional: [String: [ForeignKeyDescription]] = [:]
    for name in tables {
      let keys = try TableDiscovery.foreignKeys(of: name, on: database)
      declared[name] = keys
      guard conventions.addsForeignKeys, let shape = try database.tableShape(of: name) else {
        continue
      }
      conventional[name] = conventions.foreignKeys(of: shape, beside: keys, among: tables)
    }
    var chosen = names
    if let named {
      let keys = declared.merging(conventional) { $0 + $1 }
      let connected = connected(named, by: keys)
      chosen = names.filter { connected.contains($0.name.caselessIdentifier) }
    }
    let known = Set(names.map(\.name.caselessIdentifier))
    var damage: SQLiteFailure?
    let described = try chosen.map { name, kind in
      guard !alike.contains(name) else { return TableDescription(name, kind, .composition) }
      let discovery = TableDiscovery(
        name: name,
        kind: kind,
        foreignKeys: declared[name] ?? [],
        on: database,
        within: bound
      ) { table, column, type in
        form?(table, column, type) ?? conventions.form(declaredType: type)
      }
      var table = try discovery.description { failure in
        if damage == nil { damage = failure }
        return named?.contains(name.caselessIdentifier) != true && sparesOthers()
      }
      table.foreignKeys += conventional[name] ?? []
      table.missingTables = Set(
        table.foreignKeys.map(\.table).filter { !known.contains($0.caselessIdentifier) }
      )
      return table
    }
    let isListed = described.contains { table in
      table.unidentifiedEntity != nil || (try? table.entity.get()) != nil
    }
    if let damage, !isListed { throw damage }
    return try ForeignKeyTypes.aligned(described).connected(by: conventions)
      .withMissingIndexes(on: database)
  }

  /// Some tables and all that foreign keys connect with them, in either direction.
  private static func connected(
    _ named: Set<[UInt8]>,
    by keys: [String: [ForeignKeyDescription]]
  ) -> Set<[UInt8]> {
    var neighbours: [[UInt8]: [[UInt8]]] = [:]
    for (name, keys) in keys {
      let table = name.caselessIdentifier
      for key in keys {
        let other = key.table.caselessIdentifier
        neighbours[table, default: []].append(other)
        neighbours[other, default: []].append(table)
      }
    }
    var found = named
    var next = Array(named)
    while let table = next.popLast() {
      for other in neighbours[table] ?? [] where found.insert(other).inserted { next.append(other) }
    }
    return found
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
  public internal(set) var entity: Result<EntityDescription, TableRefusal>
  /// An entity by which all rows can be read once, where `entity` is missing only because nothing identifies a row; its key numbers the
  /// rows as they are read (`DatabaseDescription.unidentifiedRows(of:attributes:limit:)`).
  public internal(set) var unidentifiedEntity: EntityDescription?
  /// The foreign keys, in the order of their declaration, then those that the framework that made the database uses by convention.
  public internal(set) var foreignKeys: [ForeignKeyDescription]
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
  /// The collations that the table uses and only its application has.
  public internal(set) var missingCollations: [String] = []
  /// The tables that foreign keys name, and that do not exist.
  public internal(set) var missingTables: Set<String> = []
  /// The names of attributes whose column has no declared type, and values of several classes in the sample.
  public let mixedAttributes: [String]
  /// Whether a sample of rows was read; otherwise that took too long, and the types are those of the declarations.
  public let isSampled: Bool
  /// The columns of each unique index that has all rows.
  let uniqueColumns: [[String]]
  /// The table as SQLite reports it, or `nil` if it could not be read.
  let shape: TableShape?

  /// The columns of the declared primary key, in its order.
  public var primaryKey: [String] {
    (shape?.columns ?? []).filter { $0.keyPosition > 0 }
      .sorted { $0.keyPosition < $1.keyPosition }.map(\.name)
  }

  /// The numbers of the columns without a name, which SQLite permits, counted from 1; they are no attributes.
  public var unnamedColumns: [Int] {
    (shape?.columns ?? []).enumerated().filter { $0.element.name.isEmpty }.map { $0.offset + 1 }
  }
}

extension TableDescription {
  /// A table or view of which nothing is read.
  fileprivate init(_ name: String, _ kind: Kind, _ refusal: TableRefusal) {
    self.init(
      name: name,
      kind: kind,
      entity: .failure(refusal),
      foreignKeys: [],
      generatedAttributes: [],
      unsortableForms: [:],
      convertedAttributes: [],
      mixedAttributes: [],
      isSampled: true,
      uniqueColumns: [],
      shape: nil
    )
  }
}

extension TableDescription {
  /// The table with another entity.
  func with(_ entity: EntityDescription) -> TableDescription {
    var table = self
    table.entity = .success(entity)
    return table
  }
}

extension [TableDescription] {
  /// The tables whose entities have relationships.
  fileprivate func connected(by conventions: FrameworkConventions) -> [TableDescription] {
    let shapes = Dictionary(map { ($0.name, $0.shape) }) { first, _ in first }
    let tables = compactMap { table in
      (try? table.entity.get()).map {
        RelatedTable($0, foreignKeys: table.foreignKeys, uniqueColumns: table.uniqueColumns)
      }
    }
    let entities = RelationshipDiscovery.connected(tables, conventions) { source, columns, target in
      guard let source = shapes[source.name] ?? nil, let other = shapes[target.name] ?? nil else {
        return false
      }
      return zip(columns, target.identity.columns)
        .allSatisfy { source.affinity(of: $0).comparesAsStored(with: other.affinity(of: $1)) }
    }
    return map { table in
      (try? table.entity.get()).map { table.with(entities[$0.name] ?? $0) } ?? table
    }
  }

  /// The tables with the columns for which an index is missing.
  fileprivate func withMissingIndexes(on database: Database) throws -> [TableDescription] {
    let entities = RelatedEntities(compactMap { try? $0.entity.get() })
    return try map { table in
      guard table.kind == .table, let entity = try? table.entity.get() else { return table }
      var table = table
      table.missingIndexes = try ForeignKeyRules(entity, among: entities)
        .missingIndexes(on: database)
      return table
    }
  }
}

// MARK: - Programs

/// A file as programs over any database see it.
extension DatabaseDescription: DescribedDatabase {
  package var absence: String { "no such table" }

  package func isSameName(_ name: String, _ other: String) -> Bool {
    name.caselessIdentifier == other.caselessIdentifier
  }

  package func rowsWithoutIdentity(
    ofTable name: String,
    attributes: [AttributeDescription]
  ) throws(StoreError) -> [[Value]]? {
    guard let table = table(named: name) else { return [] }
    // No store opens the file.
    defer { held?.close() }
    return try unidentifiedRows(of: table, attributes: attributes)
  }

  package func openStore(
    of entities: [EntityDescription],
    busyTimeout: Duration,
    addsChangeLog: Bool
  ) throws(StoreError) -> any Store {
    try SQLiteStore(
      discovered: self,
      entities: entities,
      busyTimeout: busyTimeout,
      addsChangeLog: addsChangeLog
    )
  }
}

extension TableDescription: DescribedTable {
  package var kindText: String { kind.rawValue }

  package var isView: Bool { kind == .view }

  package var canHaveChangeLog: Bool { kind == .table }

  package var omittedColumns: [OmittedColumn] {
    unnamedColumns.map { OmittedColumn("column \($0)", reason: "has no name") }
  }

  package var remarks: [String] {
    var remarks: [String] = []
    if kind == .view {
      remarks.append("A view is read only: open it with `SQLiteStore(discovered:entities:)`.")
    }
    if !isSampled {
      remarks.append("Its rows were not sampled in time: the types are those of the declaration.")
    }
    return remarks
      + missingCollations.map {
        "It uses the collation \($0), which only its application has; listed in byte order."
      }
  }
}
