#if PostgreSQL
import Foundation
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport
import Testing

@testable import PostgreSQLPersistence

/// A database of a stranger is described from its catalog: its tables, types and keys (R231, R232).
@Suite("Discovery in PostgreSQL", .timeLimit(.minutes(5)))
struct PostgreSQLDiscoveryTests {
  /// Runs statements in a new database, and a closure with its description.
  private static func described<Result>(
    _ statements: String...,
    naming names: [String] = [],
    _ body: (PostgreSQLDatabaseDescription) throws -> Result
  ) throws -> Result {
    try TestServer.withDatabase { url in
      let connection = try TestServer.connect(url)
      for statement in statements { try connection.runOnce(statement) }
      return try body(PostgreSQLDatabaseDescription(url: url, describing: names))
    }
  }

  private static func entity(
    _ name: String,
    in database: PostgreSQLDatabaseDescription
  ) throws -> EntityDescription {
    try #require(database.table(named: name)).entity.get()
  }

  private static func refusal(
    _ name: String,
    in database: PostgreSQLDatabaseDescription
  ) throws -> String {
    let table = try #require(database.table(named: name))
    guard case .failure(let refusal) = table.entity else { return "" }
    return refusal.description
  }

  /// All rows of a list, as a store over the description reads them.
  private static func rows(
    _ entity: EntityDescription,
    in database: PostgreSQLDatabaseDescription,
    sortedBy order: [FetchSortDescriptor]? = nil
  ) throws -> [[Value]] {
    let store = try PostgreSQLStore(discovered: database, entities: [entity])
    defer { try? store.close() }
    let parts = entity.keyAttributeIndexes.map { entity.attributes[$0].name }
    let byKey = parts.isEmpty ? [FetchSortDescriptor(.objectKey)] : parts.map { .ascending($0) }
    return try store.fetch(FetchRequest<Row>(entity: entity, sortedBy: order ?? byKey)).map(
      \.values
    )
  }

  @Test func `R231: each type of column has an attribute that holds its values`() throws {
    try Self.described(
      "CREATE TYPE mood AS ENUM ('sad', 'good')",
      "CREATE DOMAIN code AS varchar(9)",
      """
      CREATE TABLE t (id bigint PRIMARY KEY, a smallint, b integer NOT NULL, c bigint, d boolean, e real,
        f double precision, g text, h varchar(3), i json, j jsonb, k uuid, l mood, m bytea, n timestamptz,
        o timestamp, p date, q numeric(12,2), r numeric(9,0), s code)
      """,
      "INSERT INTO t (id, b, q, n) VALUES (1, 2, 12.5, '1970-01-01 00:00:01+00')"
    ) { database in
      let entity = try Self.entity("t", in: database)
      #expect(entity.identity == .integer(column: "id"))
      let types: [AttributeType] = [
        .integer16, .integer32, .integer64, .boolean, .real, .real, .text, .text, .text, .text,
        .text, .text, .blob, .date, .date, .date, .decimal(scale: 2), .decimal(scale: 0), .text,
      ]
      #expect(entity.attributes.map(\.type) == types)
      #expect(entity.attributes.filter { !$0.isOptional }.map(\.name) == ["b"])
      let row = try Self.rows(entity, in: database)[0]
      #expect(row[1] == 2 && row[13] == .integer(1_000_000) && row[16] == 1250 && row[0] == .null)
    }
  }

  @Test func `R231: what no attribute holds is shown as the text that the server writes`() throws {
    try Self.described(
      "CREATE TYPE pair AS (x integer, y text)",
      """
      CREATE TABLE t (id integer PRIMARY KEY, a inet, b integer[], c interval, d numeric, e char(4), f pair,
        g numeric(30,4), h numeric(3,-2), i timetz, j int4range)
      """,
      """
      INSERT INTO t VALUES (1, '10.0.0.1/8', '{1,NULL}', '1 day 2 hours', 1.50, 'a', (1,'b c'),
        12345678901234567890.5, 12300, '12:00+02', '[1,3)'),
        (2, '9.0.0.1', '{}', '2 years', 'NaN', 'b', NULL, 0, 0, NULL, NULL)
      """
    ) { database in
      let table = try #require(database.table(named: "t"))
      let entity = try table.entity.get()
      #expect(entity.attributes.allSatisfy { $0.type == .text })
      let texts = table.notes.joined()
      #expect(texts.hasPrefix("shown as text: a (inet), b (integer[]), c (interval), d (numeric)"))
      let all = try Self.rows(entity, in: database)
      #expect(
        all[0] == [
          "10.0.0.1/8", "{1,NULL}", "1 day 02:00:00", "1.50", "a", #"(1,"b c")"#,
          "12345678901234567890.5000", "12300", "12:00:00+02", "[1,3)",
        ]
      )
      // Texts are compared by their bytes, and so are sought.
      let sorted = try Self.rows(entity, in: database, sortedBy: [.ascending("a")])
      #expect(sorted.map { $0[0] } == ["10.0.0.1/8", "9.0.0.1"])
      let store = try PostgreSQLStore(discovered: database, entities: [entity])
      let request = FetchRequest<ObjectID>(
        entity: entity,
        where: .comparison(.attribute("d"), .equal, .literal("NaN")),
        sortedBy: [FetchSortDescriptor(.objectKey)]
      )
      #expect(try store.fetch(request).map(\.key) == [.integer(2)])
      try store.close()
    }
  }

  @Test func `R232: rows are found by the primary key, or by a unique index that has all rows`()
    throws
  {
    try Self.described(
      "CREATE TABLE texts (code varchar(3) PRIMARY KEY, a integer)",
      "CREATE TABLE pairs (a integer, b date, c text, PRIMARY KEY (b, a))",
      "CREATE TABLE days (d date PRIMARY KEY)",
      "CREATE TABLE ids (u uuid PRIMARY KEY)",
      "CREATE TABLE uniques (a integer NOT NULL, b text NOT NULL UNIQUE, c integer UNIQUE)",
      "CREATE UNIQUE INDEX ON uniques (a) WHERE a > 0",
      "CREATE TABLE parts (a integer NOT NULL)",
      "CREATE UNIQUE INDEX ON parts (a) WHERE a > 0",
      "CREATE UNIQUE INDEX ON parts (abs(a))",
      "CREATE TABLE late (a integer PRIMARY KEY DEFERRABLE)",
      "CREATE TABLE later (a integer NOT NULL, UNIQUE (a) DEFERRABLE)",
      "CREATE TABLE spare (a integer PRIMARY KEY DEFERRABLE, b integer NOT NULL UNIQUE)",
      "CREATE TABLE padded (a char(3) PRIMARY KEY)",
      "CREATE TABLE parent (id integer PRIMARY KEY)",
      "CREATE TABLE child () INHERITS (parent)",
      "INSERT INTO uniques VALUES (1, 'x', NULL)"
    ) { database in
      let identities = try ["texts", "pairs", "days", "ids", "uniques", "spare"].map {
        try Self.entity($0, in: database).identity
      }
      #expect(
        identities == [
          .text(column: "code"), .compound(["b", "a"]), .compound(["d"]), .text(column: "u"),
          .text(column: "b"), .integer(column: "b"),
        ]
      )
      let unique = try Self.entity("uniques", in: database)
      #expect(try Self.rows(unique, in: database) == [[1, .null]])
      let reasons = try ["parts", "late", "later", "padded", "parent", "child"].map {
        try Self.refusal($0, in: database)
      }
      let none = "it has no primary key, and no unique index over columns that are never null"
      #expect(
        reasons == [
          none,
          "its primary key is DEFERRABLE, so that one key can have two rows within a transaction",
          none, "the key a is character(3), which is read as text",
          "other tables inherit from it, and its key is not unique among their rows", none,
        ]
      )
      #expect(
        database.tables.allSatisfy { $0.unidentifiedEntity != nil || (try? $0.entity.get()) != nil }
      )
    }
  }

  @Test func `R232: views, and tables without a key, are read once`() throws {
    try Self.described(
      "CREATE TABLE t (a integer, b inet)",
      "INSERT INTO t SELECT n, '10.0.0.1' FROM generate_series(1, 1200) n",
      "CREATE VIEW v AS SELECT a, a * 2 AS \"row\" FROM t WHERE a < 3 ORDER BY a",
      "CREATE MATERIALIZED VIEW m AS SELECT 1 AS a",
      "CREATE MATERIALIZED VIEW empty AS SELECT 1 AS a WITH NO DATA"
    ) { database in
      let kinds = database.tables.map { "\($0.name) \($0.kind)" }
      #expect(kinds == ["empty materialized", "m materialized", "t table", "v view"])
      #expect(
        try Self.refusal("v", in: database) == "it is a view, whose rows have no permanent key"
      )
      #expect(
        try Self.refusal("empty", in: database)
          == "it is a materialized view that was never refreshed"
      )
      let view = try #require(database.table(named: "v"))
      #expect(view.unidentifiedEntity?.identity == .integer(column: "row#"))
      #expect(try database.unidentifiedRows(of: view) == [[1, 2], [2, 4]])
      let table = try #require(database.table(named: "t"))
      let rows = try database.unidentifiedRows(of: table)
      #expect(rows?.count == 1200 && rows?.last == [1200, "10.0.0.1"])
      #expect(try database.unidentifiedRows(of: table, limit: 1199) == nil)
      #expect(
        try database.numbersOfRows(timeLimit: .seconds(5)).map { $0?.count } == [nil, 1, 1200, nil]
      )
    }
  }

  @Test func `R231: partitions belong to their table, and are described if they are named`() throws
  {
    let statements = [
      "CREATE TABLE logs (day date, n integer, PRIMARY KEY (day, n)) PARTITION BY RANGE (day)",
      "CREATE TABLE logs_1 PARTITION OF logs FOR VALUES FROM ('2026-01-01') TO ('2026-02-01')",
      "INSERT INTO logs VALUES ('2026-01-05', 7)", "ANALYZE logs",
    ]
    try TestServer.withDatabase { url in
      let connection = try TestServer.connect(url)
      for statement in statements { try connection.runOnce(statement) }
      let all = try PostgreSQLDatabaseDescription(url: url)
      #expect(all.tables.map(\.name) == ["logs"] && all.tables[0].kind == .partitioned)
      #expect(all.tables[0].estimatedRowCount == 1)
      #expect(try Self.rows(Self.entity("logs", in: all), in: all).map { $0[1] } == [7])
      let named = try PostgreSQLDatabaseDescription(url: url, describing: ["logs_1"])
      #expect(named.tables.map(\.name) == ["logs", "logs_1"])
      #expect(try Self.rows(Self.entity("logs_1", in: named), in: named).map { $0[1] } == [7])
    }
  }

  @Test func `R231: the tables are those that a name finds by the search path, in one round trip`()
    throws
  {
    try TestServer.withDatabase { url in
      let connection = try TestServer.connect(url)
      for statement in [
        "CREATE SCHEMA shop", "CREATE SCHEMA other",
        "CREATE TABLE t (public_id integer PRIMARY KEY)",
        "CREATE TABLE shop.t (shop_id integer PRIMARY KEY)",
        "CREATE TABLE shop.u (id integer PRIMARY KEY)",
        "CREATE TABLE other.w (id integer PRIMARY KEY)", "INSERT INTO other.w VALUES (4)",
        "INSERT INTO shop.t VALUES (3)",
      ] {
        try connection.runOnce(statement)
      }
      let path = url + (url.contains("?") ? "&" : "?") + "options=-csearch_path%3Dshop,public"
      let database = try PostgreSQLDatabaseDescription(url: path, describing: ["other.w"])
      #expect(database.tables.map { "\($0.schema).\($0.name)" } == ["shop.t", "shop.u", "other.w"])
      for (name, key) in [("t", 3), ("other.w", 4)] {
        let entity = try Self.entity(name, in: database)
        let store = try PostgreSQLStore(discovered: database, entities: [entity])
        let request = FetchRequest<ObjectID>(
          entity: entity,
          sortedBy: [FetchSortDescriptor(.objectKey)]
        )
        #expect(try store.fetch(request).map(\.key) == [.integer(Int64(key))])
        try store.close()
      }
      #expect(try PostgreSQLDatabaseDescription(url: path, schema: "other").tableNames == ["w"])
      let one = try TestServer.connect(path)
      try one.startSession()
      let before = one.flightCount
      let request = PostgreSQLDatabaseDescription.Request(url: path)
      _ = try PostgreSQLDatabaseDescription(request, path: "", on: one)
      #expect(one.flightCount == before + 1)
    }
  }

  @Test func `R231: names in capitals, with quotes, and alike in their letters are names`() throws {
    try Self.described(
      #"CREATE TABLE "a""; DROP TABLE t; --" ("x' OR 1=1 --" integer PRIMARY KEY, "Ä ""b" text)"#,
      #"INSERT INTO "a""; DROP TABLE t; --" VALUES (1, 'y')"#,
      #"CREATE TABLE "Track" (id integer PRIMARY KEY)"#,
      "CREATE TABLE track (id integer PRIMARY KEY)",
      "CREATE TABLE genre (id integer PRIMARY KEY)",
      "CREATE TABLE \"caf\u{E9}\" (id integer PRIMARY KEY)",
      "CREATE TABLE \"cafe\u{301}\" (id integer PRIMARY KEY)"
    ) { database in
      let entity = try Self.entity(#"a"; DROP TABLE t; --"#, in: database)
      #expect(entity.attributes.map(\.name) == [#"Ä "b"#])
      #expect(try Self.rows(entity, in: database, sortedBy: [.ascending(#"Ä "b"#)]) == [["y"]])
      #expect(database.table(named: "Track")?.name == "Track")
      #expect(database.table(named: "TRACK") == nil && database.table(named: "Genre") != nil)
      let composed = try #require(database.table(named: "caf\u{E9}"))
      guard case .failure(let refusal) = composed.entity else {
        Issue.record("one of two names that are equal as texts")
        return
      }
      #expect(refusal.description.hasPrefix("another table has the same name"))
    }
  }

  @Test func `R231: a table that a role may not read is listed with the reason`() throws {
    try TestServer.withDatabase { url in
      let connection = try TestServer.connect(url)
      try TestServer.withRole(url) { role in
        for statement in [
          "CREATE TABLE hidden (id integer PRIMARY KEY)",
          "CREATE TABLE few (id integer PRIMARY KEY, a integer, secret text)",
          "GRANT SELECT (id, a) ON few TO \(role)",
          "CREATE TABLE keyless (id integer PRIMARY KEY, a integer)",
          "GRANT SELECT (a) ON keyless TO \(role)",
          "CREATE TABLE policed (id integer PRIMARY KEY)",
          "ALTER TABLE policed ENABLE ROW LEVEL SECURITY", "GRANT SELECT ON policed TO \(role)",
          "INSERT INTO few VALUES (1, 2, 'x')", "INSERT INTO keyless VALUES (1, 5)",
          "CREATE SCHEMA closed", "CREATE TABLE closed.t (id integer PRIMARY KEY)",
        ] {
          try connection.runOnce(statement)
        }
        let database = try PostgreSQLDatabaseDescription(
          url: TestServer.url(url, as: role),
          describing: ["closed.t"]
        )
        #expect(database.tableNames == ["few", "hidden", "keyless", "policed"])
        #expect(try Self.refusal("hidden", in: database) == "this role may not read it")
        #expect(try Self.refusal("policed", in: database).hasPrefix("row security applies"))
        #expect(try Self.refusal("keyless", in: database) == "this role may not read the key id")
        let keyless = try #require(database.table(named: "keyless"))
        #expect(try database.unidentifiedRows(of: keyless) == [[5]])
        let few = try #require(database.table(named: "few"))
        #expect(
          few.notes == ["column secret of few may not be read by this role and is not listed"]
        )
        #expect(try Self.rows(few.entity.get(), in: database) == [[2]])
        #expect(database.tables.map(\.isReadable) == [true, false, true, true])
      }
    }
  }
}
#endif
