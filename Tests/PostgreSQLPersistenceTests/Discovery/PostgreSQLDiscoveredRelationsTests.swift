#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import Testing

@testable import PostgreSQLPersistence

/// Relationships are discovered by foreign keys, and nothing is written into a database of others (R233, R234).
@Suite("Discovered relationships in PostgreSQL", .timeLimit(.minutes(5)))
struct PostgreSQLDiscoveredRelationsTests {
  private static let shop = [
    "CREATE TABLE customers (id bigint PRIMARY KEY, name text)",
    """
    CREATE TABLE orders (number integer PRIMARY KEY, customer_id integer REFERENCES customers ON DELETE CASCADE,
      guest_id bigint REFERENCES customers ON DELETE SET NULL)
    """,
    "CREATE TABLE tags (code text PRIMARY KEY)",
    "CREATE TABLE order_tags (o integer REFERENCES orders, t text REFERENCES tags, PRIMARY KEY (o, t))",
    "CREATE TABLE ends (a integer REFERENCES orders, z integer PRIMARY KEY)",
    "ALTER TABLE ends ADD FOREIGN KEY (a) REFERENCES ends",
    "CREATE SCHEMA away", "CREATE TABLE away.far (id integer PRIMARY KEY)",
    "CREATE TABLE near (id integer PRIMARY KEY, far_id integer REFERENCES away.far)",
    "INSERT INTO customers VALUES (1, 'Ada'), (2, 'Bob')",
    "INSERT INTO orders VALUES (10, 2, NULL), (11, 1, 2)",
    "INSERT INTO tags VALUES ('x')", "INSERT INTO order_tags VALUES (11, 'x')",
  ]

  private static func inShop(
    _ body: (PostgreSQLDatabaseDescription, _ url: String) throws -> Void
  ) throws {
    try TestServer.withDatabase { url in
      let connection = try TestServer.connect(url)
      for statement in shop { try connection.runOnce(statement) }
      try body(PostgreSQLDatabaseDescription(url: url), url)
    }
  }

  @Test func `R233: a foreign key is a relationship, with its inverse and through links`() throws {
    try Self.inShop { database, _ in
      func names(_ table: String) throws -> [String] {
        try #require(database.table(named: table)).entity.get().relationships.map {
          "\($0.name) \($0.destination.name) \($0.onDelete)"
        }
      }
      #expect(
        try names("orders").prefix(2) == ["customer customers cascade", "guest customers nullify"]
      )
      #expect(try names("orders").contains("tags tags none"))
      #expect(
        try names("customers") == ["ordersByCustomer orders none", "ordersByGuest orders none"]
      )
      #expect(try names("tags").contains("orders orders none"))
      // Columns of two keys, and a key to a table that is not described, are no relationship.
      #expect(try names("ends") == [] && names("near") == [])
      let near = try #require(database.table(named: "near"))
      #expect(near.missingTables == ["away.far"] && near.foreignKeys[0].table == "away.far")
      let orders = try #require(database.table(named: "orders"))
      #expect(orders.missingIndexes == [["customer_id"], ["guest_id"]])
    }
  }

  @Test func `R233: lists follow the relationships of a stranger's tables`() throws {
    try Self.inShop { database, _ in
      let orders = try #require(database.table(named: "orders")).entity.get()
      let all = database.tables.compactMap { try? $0.entity.get() }
      let store = try PostgreSQLStore(discovered: database, entities: all)
      defer { try? store.close() }
      var request = FetchRequest<ObjectID>(
        entity: orders,
        sortedBy: [FetchSortDescriptor(.related(["customer"], .attribute("name")), .ascending)]
      )
      #expect(try store.fetch(request).map(\.key) == [.integer(11), .integer(10)])
      request.predicate = try FetchPredicate(parsing: "ANY tags.code == 'x'", entity: orders)
      #expect(try store.fetch(request).map(\.key) == [.integer(11)])
    }
  }

  @Test func `R234: nothing is written, and what others commit is found by comparison`() throws {
    try Self.inShop { database, url in
      let orders = try #require(database.table(named: "orders")).entity.get()
      let customers = try #require(database.table(named: "customers")).entity.get()
      let store = try PostgreSQLStore(discovered: database, entities: [orders, customers])
      defer { try? store.close() }
      #expect(store.capabilities.isReadOnly && store.capabilities.historyCoverage == .thisStore)
      #expect(throws: StoreError.self) {
        try store.commit(origin: .unnamed) { try $0.insert([.null], key: nil, into: customers) }
      }
      let connection = try TestServer.connect(url)
      let version = try store.read { $0.version }
      try connection.runOnce("INSERT INTO orders VALUES (12, 1, NULL)")
      let request = FetchRequest<ObjectID>(
        entity: orders,
        sortedBy: [FetchSortDescriptor(.objectKey)]
      )
      #expect(try store.fetch(request).count == 3)
      #expect(try store.read { $0.version } != version)
      let found = try connection.run(
        """
        SELECT (SELECT count(*) FROM pg_namespace WHERE nspname = 'fetched_results'), (SELECT count(*) FROM pg_trigger
          WHERE NOT tgisinternal)
        """
      )
      #expect(found.integer(0, 0) == 0 && found.integer(0, 1) == 0)
    }
  }

  @Test func `R234: a change log is added only if it is asked for`() throws {
    try Self.inShop { database, url in
      let customers = try #require(database.table(named: "customers")).entity.get()
      let store = try PostgreSQLStore(
        discovered: database,
        entities: [customers],
        addsChangeLog: true
      )
      defer { try? store.close() }
      #expect(store.capabilities.historyCoverage == .everyWriter)
      let connection = try TestServer.connect(url)
      try connection.runOnce("CREATE TABLE addresses (id integer PRIMARY KEY, at inet)")
      let again = try PostgreSQLDatabaseDescription(url: url)
      let addresses = try #require(again.table(named: "addresses")).entity.get()
      let error = #expect(throws: StoreError.self) {
        _ = try PostgreSQLStore(discovered: again, entities: [addresses], addsChangeLog: true)
      }
      #expect("\(try #require(error))".contains("at is inet, which a change log cannot record"))
    }
  }

  @Test func `R234: a statement over a database of others has a time, unless another one is set`()
    throws
  {
    try TestServer.withDatabase { url in
      let connection = try TestServer.connect(url)
      try connection.runOnce("CREATE VIEW slow AS SELECT pg_sleep(600)::text AS a")
      let database = try PostgreSQLDatabaseDescription(url: url, timeLimit: .milliseconds(200))
      let slow = try #require(database.table(named: "slow"))
      let late = #expect(throws: StoreError.self) { try database.unidentifiedRows(of: slow) }
      #expect("\(try #require(late))".contains("has not ended in time"))
      var settings = try ConnectionSettings(
        url: url + (url.contains("?") ? "&" : "?") + "options=-cstatement_timeout%3D7s"
      )
      settings.session = ConnectionSettings.ofStrangers(
        patience: .seconds(3),
        limit: .seconds(60),
        isReadOnly: true
      )
      let own = try Connection(settings)
      try own.startSession()
      let shown = try own.run(
        """
        SELECT current_setting('statement_timeout'), current_setting('lock_timeout'),
          current_setting('default_transaction_read_only')
        """
      )
      #expect((0...2).map { shown.text(0, $0) } == ["7s", "3s", "on"])
    }
  }
}
#endif
