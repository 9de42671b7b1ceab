#if PostgreSQL
public import ResultsDomain

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
    let alike = tables.filter { $0.name.lowercased() == name.lowercased() }
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
