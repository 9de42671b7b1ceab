#if PostgreSQL
public import ResultsDomain
package import ResultsStoreKit

/// The tables and views of a PostgreSQL database that another application made, each as an entity.
///
/// The description is read from the server's catalog, in one round trip. Nothing is written, and no row is read.
public struct PostgreSQLDatabaseDescription: Sendable {
  /// The URL without password and parameters.
  public let path: String
  /// The tables and views by name: those that a name alone finds by the user's `search_path`.
  ///
  /// A partition is part of its table, and described only if it is named.
  public let tables: [PostgreSQLTableDescription]
  /// What was asked for.
  let request: Request

  /// What a description was made of.
  struct Request: Sendable {
    let url: String
    var schema: String?
    var names: [String] = []
    var busyTimeout = Duration.seconds(5)
    var timeLimit = Duration.seconds(10)
    var password: (@Sendable (_ store: String) -> String?)?
  }

  /// The most tables that are described.
  private static let tableLimit = 10_000

  /// Reads the description of a database.
  ///
  /// Nobody knows who made the database. The connection is set to read only, and each statement has a time.
  /// - Parameters:
  ///   - url: The URL in libpq's form, without a password.
  ///   - schema: The schema with the tables; `nil` for those of the user's `search_path`, which the URL can set.
  ///   - names: Tables to describe that a name alone does not find: partitions, and tables of other schemas as `schema.table`.
  ///   - busyTimeout: How long to wait for a lock, and for a server that starts.
  ///   - timeLimit: How long each statement may run.
  ///   - password: Asks for a password of the database with a name, if the server wants one and none is known.
  /// - Throws: `StoreError.cannotOpen` for a URL or a server that cannot be used, `StoreError.unreachable`, `StoreError.busy`.
  /// - Complexity: O(*n*) in the tables and their columns, of which the server permits 1,600 each; 10,000 tables at most.
  public init(
    url: String,
    schema: String? = nil,
    describing names: [String] = [],
    busyTimeout: Duration = .seconds(5),
    timeLimit: Duration = .seconds(10),
    password: (@Sendable (_ store: String) -> String?)? = nil
  ) throws(StoreError) {
    try self.init(
      Request(
        url: url,
        schema: schema,
        names: names,
        busyTimeout: busyTimeout,
        timeLimit: timeLimit,
        password: password
      )
    )
  }

  init(_ request: Request) throws(StoreError) {
    self = try request.connected { (connection, path) throws(StoreError) in
      try PostgreSQLDatabaseDescription(request, path: path, on: connection)
    }
  }

  init(_ request: Request, path: String, on connection: Connection) throws(StoreError) {
    let found: CatalogReader.Findings
    do {
      found = try CatalogReader(connection: connection)
        .tables(
          .found(
            by: PostgreSQLDatabaseDescription.search(for: request),
            setting: PostgreSQLDatabaseDescription.setting
          )
        )
        .discovered
    } catch {
      throw error.storeError(path: path, waited: request.timeLimit)
    }
    guard found.tables.count <= PostgreSQLDatabaseDescription.tableLimit else {
      throw .unexpected(
        path: path,
        detail:
          "there are more than \(PostgreSQLDatabaseDescription.tableLimit) tables; set a shorter search_path"
      )
    }
    self.path = path
    self.request = request
    tables = TableDescriber(found.tables).descriptions()
  }

  /// The names of all tables and views that are described.
  public var tableNames: [String] { tables.map(\.name) }

  /// The table or view of a name, or `nil` if there is none.
  ///
  /// PostgreSQL distinguishes capitals; a name that only they make another one finds a table if there is only one such.
  public func table(named name: String) -> PostgreSQLTableDescription? {
    if let table = tables.first(where: { $0.name.hasSameBytes(as: name) }) { return table }
    let qualified = tables.first { "\($0.schema).\($0.name)".hasSameBytes(as: name) }
    if let qualified { return qualified }
    let alike = tables.filter { $0.name.lowercased().hasSameBytes(as: name.lowercased()) }
    return alike.count == 1 ? alike[0] : nil
  }

  /// The names that a mistyped name may have meant: the nearest one, or else all.
  public func names(near name: String) -> [String] {
    NearestName.of(name, among: tableNames).map { [$0] } ?? tableNames
  }

  // MARK: - The catalog

  /// The setting of the transaction that has the numbers of the tables.
  private static let setting = "fetched_results.tables"

  /// The statements that find the tables: a session's own `search_path` is none of the user's.
  private static func search(for request: Request) -> [Statement] {
    let schemas = "fetched_results.schemas"
    let find: [Statement]
    if let schema = request.schema {
      find = [
        Statement(
          "SELECT set_config('\(schemas)', ARRAY[$1]::text, true)",
          [.text(schema)],
          isPrepared: false
        )
      ]
    } else {
      // While the user's path is in force, nothing but names with their schemas is used.
      find = [
        """
        SELECT pg_catalog.set_config('search_path', (
          SELECT reset_val FROM pg_catalog.pg_settings WHERE name OPERATOR(pg_catalog.=) 'search_path'
        ), true)
        """,
        """
        SELECT pg_catalog.set_config(
            '\(schemas)', pg_catalog.current_schemas(false)::pg_catalog.text, true
          ),
          pg_catalog.set_config('search_path', 'pg_catalog', true)
        """,
      ].map { Statement($0, isPrepared: false) }
    }
    let tables = """
      SELECT set_config('\(setting)', ARRAY(
        SELECT DISTINCT ON (c.relname) c.oid
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          LEFT JOIN unnest(current_setting('\(schemas)')::text[]) WITH ORDINALITY p(name, position)
            ON p.name = n.nspname
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND has_schema_privilege(n.oid, 'USAGE')
          AND (n.nspname || '.' || c.relname = ANY ($1)
            OR p.position IS NOT NULL AND (NOT c.relispartition OR c.relname = ANY ($1)))
        ORDER BY c.relname, n.nspname || '.' || c.relname = ANY ($1) DESC, p.position
        LIMIT \(tableLimit + 1)
      )::text, true)
      """
    return find + [Statement(tables, [.texts(request.names)], isPrepared: false)]
  }
}

// MARK: - Rows

extension PostgreSQLDatabaseDescription {
  /// The most rows of a table that are counted where the server knows no number.
  private static let countedRows = 10_000
  /// The number of rows that travel at once.
  private static let batch = 500
  /// The most bytes of values that are held.
  private static let byteLimit = 1 << 28

  /// A value that no attribute has.
  private struct Unreadable: Error {
    let attribute: Int
    let row: Int64
  }

  /// Reads all rows of a table or view that has an `unidentifiedEntity`, in one version of the database.
  /// - Parameters:
  ///   - table: The table or view.
  ///   - attributes: Those of that entity's attributes that are read; `nil` for all.
  ///   - limit: The most rows to hold. Their values take at most 256 MB.
  /// - Returns: The values of the attributes, by rows; none for any other table. `nil` if there are more.
  /// - Throws: As the description, and `StoreError.unexpectedValue` for a value that no attribute has, such as `NaN`.
  /// - Complexity: O(*n*) in the rows, which are held in memory.
  public func unidentifiedRows(
    of table: PostgreSQLTableDescription,
    attributes: [AttributeDescription]? = nil,
    limit: Int = 1_000_000
  ) throws(StoreError) -> [[Value]]? {
    guard let entity = table.unidentifiedEntity else { return [] }
    let shape = table.shape
    let attributes = attributes ?? entity.attributes
    let columns = attributes.compactMap { attribute in
      shape.column(named: attribute.name).flatMap { column in
        (try? ColumnTypes.coding(of: attribute, in: column)).map { EntityTable.Column(column, $0) }
      }
    }
    let names = columns.map(\.sql).joined(separator: ", ")
    return try request.connected { (connection, path) throws(StoreError) in
      do {
        _ = try connection.run(
          connection.opening(.reading) + [
            Statement(
              "DECLARE results_rows NO SCROLL CURSOR FOR SELECT \(names) FROM \(shape.quotedName)",
              isPrepared: false
            )
          ]
        )
        var (rows, bytes): ([[Value]], Int) = ([], 0)
        while true {
          let found = try connection.runOnce(
            "FETCH FORWARD \(PostgreSQLDatabaseDescription.batch) FROM results_rows"
          )
          for row in 0..<found.count {
            let values = try columns.enumerated().map { index, column throws(Unreadable) in
              guard !found.isNull(row, index) else { return Value.null }
              bytes += found.bytes(row, index).count
              guard let value = found.value(row, index, column.coding) else {
                throw Unreadable(attribute: index, row: Int64(rows.count + 1))
              }
              return value
            }
            guard rows.count < limit, bytes < PostgreSQLDatabaseDescription.byteLimit else {
              return nil
            }
            rows.append(values)
          }
          guard found.count == PostgreSQLDatabaseDescription.batch else { break }
        }
        _ = try connection.run([.commit])
        return rows
      } catch let failure as PostgreSQLFailure {
        throw failure.readError(path: path, waited: request.timeLimit)
      } catch let unreadable as Unreadable {
        let name = attributes[unreadable.attribute].name
        throw .unexpectedValue(
          ObjectID(entity: entity.name, key: .integer(unreadable.row)),
          what: name
        )
      } catch {
        throw .unexpected(path: path, detail: "\(error)")
      }
    }
  }

  /// The numbers of rows, by table.
  ///
  /// They are estimates of the server, which counts rows when it analyzes a table. Small tables that it has not analyzed are counted.
  /// - Parameter timeLimit: How long rows may be counted in all.
  /// - Returns: The numbers in the order of the tables; `nil` for a view, and where none is known.
  /// - Throws: As the description.
  /// - Complexity: O(*n*) in the tables; at most 10,000 rows of each are counted.
  package func numbersOfRows(timeLimit: Duration) throws(StoreError) -> [RowCount?] {
    var request = request
    request.timeLimit = min(timeLimit, request.timeLimit)
    let deadline = ContinuousClock.now + request.timeLimit
    return try request.connected { (connection, _) throws(StoreError) in
      tables.map { table in
        if let count = table.estimatedRowCount { return RowCount(count, isEstimated: true) }
        let isListed = (try? table.entity.get()) != nil || table.unidentifiedEntity != nil
        guard isListed, [.table, .partitioned, .materialized].contains(table.kind),
          ContinuousClock.now < deadline, connection.isUsable
        else { return nil }
        let limit = PostgreSQLDatabaseDescription.countedRows
        let found = try? connection.runOnce(
          "SELECT count(*) FROM (SELECT FROM \(table.shape.quotedName) LIMIT \(limit + 1)) AS rows"
        )
        guard let count = found?.integer(0, 0), count <= limit else { return nil }
        return RowCount(Int(count))
      }
    }
  }
}

// MARK: - Programs

/// A database on a server as programs over any database see it.
extension PostgreSQLDatabaseDescription: DescribedDatabase {
  package var absence: String { "not in the search path" }

  package func isSameName(_ name: String, _ other: String) -> Bool { name.hasSameBytes(as: other) }

  package func rowsWithoutIdentity(
    ofTable name: String,
    attributes: [AttributeDescription]
  ) throws(StoreError) -> [[Value]]? {
    guard let table = table(named: name) else { return [] }
    return try unidentifiedRows(of: table, attributes: attributes)
  }

  /// The catalog has no number that would say so.
  package func isCurrent() throws(StoreError) -> Bool { false }

  package func openStore(
    of entities: [EntityDescription],
    busyTimeout: Duration,
    addsChangeLog: Bool
  ) throws(StoreError) -> any Store {
    try PostgreSQLStore(
      discovered: self,
      entities: entities,
      busyTimeout: busyTimeout,
      addsChangeLog: addsChangeLog
    )
  }
}

// MARK: - Connections

extension PostgreSQLDatabaseDescription.Request {
  /// Runs a closure with a connection of its own, which is closed afterwards.
  func connected<Result>(
    _ body: (_ connection: Connection, _ path: String) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    var settings: ConnectionSettings
    do {
      settings = try ConnectionSettings(url: url)
    } catch {
      throw .cannotOpen(path: "The URL", .modelMismatch(detail: error.message))
    }
    settings.session = ConnectionSettings.ofStrangers(
      patience: busyTimeout,
      limit: timeLimit,
      isReadOnly: true
    )
    let path = settings.name
    let pool = ConnectionPool(
      settings,
      limit: 1,
      patience: min(busyTimeout, .seconds(5)),
      password: password
    )
    defer { _ = pool.close() }
    return try pool.with(.reading) { (connection) throws(StoreError) in
      _ = try ServerFacts(on: connection, path: path)
      return try body(connection, path)
    }
  }
}
#endif
