#if PostgreSQL
import Foundation
import ResultsDomain
import ResultsStoreKit
import Testing

@testable import PostgreSQLPersistence

/// Tables that do not hold an entity exactly are refused with the reason, and nothing is changed (R155).
@Suite struct SchemaRefusalTests {
  private static func refusal(
    _ statements: [String],
    _ attribute: AttributeDescription = AttributeDescription("x", .text),
    identity: EntityIdentity = .integer()
  ) throws -> String {
    let entity = try SchemaSample.entity("T", [attribute], identity: identity)
    return try TestServer.withDatabase { url in
      let connection = try TestServer.connect(url)
      for statement in statements { try connection.runOnce(statement) }
      return try SchemaSample.refusal(of: [entity], at: url) { $0.adoptsTables = true }
    }
  }

  @Test(
    arguments: [
      ("character(10)", AttributeType.text, "x is character(10), which ignores spaces at the end"),
      ("integer", .text, "x is integer, which does not hold text exactly; it needs text"),
      ("point", .text, "x is point, and no attribute has values of that type"),
      ("text[]", .text, "x is text[], and no attribute has values of that type"),
      ("interval", .date, "x is interval, and no attribute has values of that type"),
      (
        "integer", .date,
        "it needs bigint (microseconds since 1970), timestamptz, timestamp or date"
      ),
      ("text", .date, "x is text, which does not hold date exactly"),
      ("numeric", .decimal(scale: 2), "numeric without a scale"),
      ("numeric(9,3)", .decimal(scale: 2), "it needs numeric(p, 2), or bigint in units of 10^-2"),
      ("numeric(9,1)", .decimal(scale: 2), "does not hold decimal(2) exactly"),
      ("double precision", .decimal(scale: 2), "does not hold decimal(2) exactly"),
      ("numeric(9,2)", .real, "it needs double precision or real"),
      ("double precision", .integer64, "it needs smallint, integer or bigint"),
      ("timestamptz", .integer64, "it needs smallint, integer or bigint"),
      ("text", .boolean, "it needs boolean, or an integer type"),
      ("text", .blob, "it needs bytea"),
      ("money", .decimal(scale: 2), "x is money, and no attribute has values of that type"),
    ]
  )
  func `a column of another type is refused with what is needed (R155)`(
    type: String,
    attribute: AttributeType,
    part: String
  ) throws {
    let refusal = try Self.refusal(
      ["CREATE TABLE \"T\" (id bigint PRIMARY KEY, x \(type))"],
      AttributeDescription("x", attribute)
    )
    #expect(refusal.hasPrefix("T: ") && refusal.contains(part), "\(refusal)")
  }

  @Test(
    arguments: [
      (["CREATE VIEW \"T\" AS SELECT 1::bigint AS id, 'a' AS x"], "it is a view"),
      (
        ["CREATE MATERIALIZED VIEW \"T\" AS SELECT 1::bigint AS id, 'a' AS x"], "it is a view"
      ),
      (
        [
          "CREATE FOREIGN DATA WRAPPER w", "CREATE SERVER s FOREIGN DATA WRAPPER w",
          "CREATE FOREIGN TABLE \"T\" (id bigint, x text) SERVER s",
        ], "it is a foreign table"
      ),
      (["CREATE TABLE \"T\" (id bigint, x text)"], "it has no primary key"),
      (["CREATE TABLE \"T\" (id bigint UNIQUE NOT NULL, x text)"], "it has no primary key"),
      (
        ["CREATE TABLE \"T\" (id bigint, x text PRIMARY KEY)"], "its primary key is x, not id"
      ),
      (
        ["CREATE TABLE \"T\" (id bigint, x text, PRIMARY KEY (id, x))"],
        "its primary key is id, x, not id"
      ),
      (
        ["CREATE TABLE \"T\" (id bigint PRIMARY KEY DEFERRABLE, x text)"],
        "its primary key is DEFERRABLE"
      ),
      (["CREATE TABLE \"T\" (id text PRIMARY KEY, x text)"], "id is text, which is no integer key"),
      (
        ["CREATE TABLE \"T\" (id numeric(9,0) PRIMARY KEY, x text)"],
        "id is numeric(9,0), which is no integer key"
      ),
      (["CREATE TABLE \"T\" (id bigint PRIMARY KEY)"], "it has no column x"),
      (["CREATE TABLE \"T\" (id bigint PRIMARY KEY, \"X\" text)"], "it has no column x"),
      (
        [
          "CREATE TABLE \"T\" (id bigint PRIMARY KEY, x text)",
          "CREATE TABLE heir () INHERITS (\"T\")",
        ], "other tables inherit from it"
      ),
    ]
  )
  func `what is no table with the entity's key is refused (R155)`(
    statements: [String],
    part: String
  ) throws {
    let refusal = try Self.refusal(statements)
    #expect(refusal.hasPrefix("T: ") && refusal.contains(part), "\(refusal)")
  }

  @Test
  func `a text key needs a collation that distinguishes texts, and a type with their order (R155)`()
    throws
  {
    let blind = """
      CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false)
      """
    for (type, setup, part) in [
      ("text COLLATE blind", blind, "the key id has a collation that finds different texts equal"),
      (
        "mood", "CREATE TYPE mood AS ENUM ('a')",
        "the key id is public.mood, which does not sort as a text"
      ),
      ("jsonb", "SELECT 1", "the key id is jsonb, whose text is not unique"),
      ("character(3)", "SELECT 1", "id is character(3), which ignores spaces at the end"),
    ] {
      let refusal = try Self.refusal(
        [setup, "CREATE TABLE \"T\" (id \(type) PRIMARY KEY, x text)"],
        identity: .text()
      )
      #expect(refusal.contains(part), "\(refusal)")
    }
  }

  @Test func `citext is refused, whose equality is not that of bytes (R155)`() throws {
    let refusal = try TestServer.withDatabase { url in
      let connection = try TestServer.connect(url)
      let available = try connection.runOnce(
        "SELECT count(*) FROM pg_available_extensions WHERE name = 'citext'"
      )
      // A type of that name shows the same where the extension is not installed.
      try connection.runOnce(
        available.integer(0, 0) == 1
          ? "CREATE EXTENSION citext" : "CREATE TYPE citext AS (text text)"
      )
      try connection.runOnce("CREATE TABLE \"T\" (id bigint PRIMARY KEY, x citext)")
      let entity = try SchemaSample.entity("T", [AttributeDescription("x", .text)])
      return try SchemaSample.refusal(of: [entity], at: url) { $0.adoptsTables = true }
    }
    #expect(refusal.contains("citext, and no attribute has values of that type"), "\(refusal)")
  }

  @Test
  func
    `row security that applies to the role is refused, since the log would show the rows (R155)`()
    throws
  {
    let entity = try SchemaSample.entity("T", [AttributeDescription("x", .text)])
    try TestServer.withDatabase { url in
      let owner = try TestServer.connect(url)
      try owner.runOnce("CREATE TABLE \"T\" (id bigint PRIMARY KEY, x text)")
      try owner.runOnce("ALTER TABLE \"T\" ENABLE ROW LEVEL SECURITY")
      // It does not apply to the owner, nor to superusers.
      _ = try ReadTables([entity], at: url) { $0.adoptsTables = true }
      try owner.runOnce("DROP ROLE IF EXISTS reader_of_rows")
      try owner.runOnce("CREATE ROLE reader_of_rows")
      try owner.runOnce("GRANT SELECT ON \"T\" TO reader_of_rows")
      let connection = try TestServer.connect(url)
      try connection.runOnce("SET ROLE reader_of_rows")
      var options = SchemaOptions()
      options.adoptsTables = true
      #expect {
        try SchemaOpening.tables(for: [entity], options: options, path: "test", on: connection)
      } throws: {
        guard case .cannotOpen(_, .schemaMismatch("T", let detail)) = $0 as? StoreError else {
          return false
        }
        return detail.contains("row security applies to this role")
      }
      connection.close()
      try owner.runOnce("DROP OWNED BY reader_of_rows")
      try owner.runOnce("DROP ROLE reader_of_rows")
    }
  }

  @Test func `rows that a policy hides later are an error, and not missing (R155)`() throws {
    let entity = try SchemaSample.entity("T", [AttributeDescription("x", .text)])
    try TestServer.withDatabase { url in
      let owner = try TestServer.connect(url)
      try owner.runOnce("CREATE TABLE \"T\" (id bigint PRIMARY KEY, x text)")
      try owner.runOnce("INSERT INTO \"T\" VALUES (1, 'a')")
      try TestServer.withRole(url) { role in
        try owner.runOnce("GRANT SELECT ON \"T\" TO \(role)")
        var options = PostgreSQLStoreOptions()
        (options.adoptsTables, options.isReadOnly) = (true, true)
        let store = try PostgreSQLStore(
          url: TestServer.url(url, as: role),
          entities: [entity],
          options: options
        )
        defer { try? store.close() }
        func count() throws -> Int {
          try store.read { (snapshot) throws(StoreError) in
            try snapshot.count(of: entity, where: .all)
          }
        }
        #expect(try count() == 1)
        try owner.runOnce("ALTER TABLE \"T\" ENABLE ROW LEVEL SECURITY")
        #expect(throws: StoreError.self) { try count() }
      }
    }
  }

  @Test func `a database with another encoding is refused (R155)`() throws {
    let url = try TestServer.newDatabase(
      "ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
    )
    defer { try? TestServer.removeDatabase(url) }
    let entity = try SchemaSample.entity("T", [AttributeDescription("x", .text)])
    let refusal = try SchemaSample.refusal(of: [entity], at: url)
    #expect(
      refusal.contains("has texts in the encoding LATIN1")
        && refusal.contains("needs a database with the encoding UTF8"),
      "\(refusal)"
    )
  }

  @Test func `numbers that are probably seconds or milliseconds are no dates (R155)`() throws {
    for (numbers, unit) in [
      ("1700000000, 1700000001", "seconds"), ("1700000000000, 1600000000000", "milliseconds"),
    ] {
      let refusal = try Self.refusal(
        [
          "CREATE TABLE \"T\" (id bigint PRIMARY KEY, x bigint)",
          "INSERT INTO \"T\" SELECT row_number() OVER (), n FROM unnest(ARRAY[\(numbers), NULL]) n",
        ],
        AttributeDescription("x", .date, isOptional: true)
      )
      #expect(refusal.hasPrefix("T: x seems to contain \(unit), such as"), "\(refusal)")
    }
    let refusal = try Self.refusal(
      [
        "CREATE TABLE \"T\" (id bigint PRIMARY KEY, x bigint)",
        "INSERT INTO \"T\" VALUES (1, 1700000000000000), (2, 0)",
      ],
      AttributeDescription("x", .date)
    )
    #expect(refusal == "nothing was refused")
  }

  @Test func `a table that the role may not read is refused (R155)`() throws {
    let entity = try SchemaSample.entity("T", [AttributeDescription("x", .text)])
    try TestServer.withDatabase { url in
      let owner = try TestServer.connect(url)
      try owner.runOnce("CREATE TABLE \"T\" (id bigint PRIMARY KEY, x text)")
      try owner.runOnce("DROP ROLE IF EXISTS nobody_here")
      try owner.runOnce("CREATE ROLE nobody_here")
      let connection = try TestServer.connect(url)
      try connection.runOnce("SET ROLE nobody_here")
      var options = SchemaOptions()
      options.adoptsTables = true
      #expect {
        try SchemaOpening.tables(for: [entity], options: options, path: "test", on: connection)
      } throws: {
        guard case .cannotOpen(_, .noPermission(let detail)) = $0 as? StoreError else {
          return false
        }
        return detail == "this role may not read the table T"
      }
      connection.close()
      try owner.runOnce("DROP ROLE nobody_here")
    }
  }

  @Test func `values of any class have no column (R155)`() throws {
    let refusal = try Self.refusal(
      ["CREATE TABLE \"T\" (id bigint PRIMARY KEY, x text)"],
      AttributeDescription("x", .text, holdsAnyValue: true)
    )
    #expect(refusal.contains("x holds values of any class"), "\(refusal)")
  }

  @Test
  func
    `a missing table is named with the nearest one, and one of an application is not used unasked (R155)`()
    throws
  {
    let entity = try SchemaSample.entity("Book", [AttributeDescription("x", .text)])
    try TestServer.withDatabase { url in
      try TestServer.connect(url).runOnce("CREATE TABLE books (id bigint PRIMARY KEY, x text)")
      #expect {
        try ReadTables([entity], at: url) {
          $0.adoptsTables = true
          $0.createsTables = false
        }
      } throws: {
        guard case .cannotOpen(_, .missingTable("Book", let similar)) = $0 as? StoreError else {
          return false
        }
        return similar == ["books"]
      }
      try TestServer.connect(url).runOnce("ALTER TABLE books RENAME TO \"Book\"")
      #expect(
        try SchemaSample.refusal(of: [entity], at: url)
          == "Book: a table of that name was not created by a store; open it with the option that"
          + " adopts tables"
      )
    }
  }

  @Test func `a table of a later format is refused (R155)`() throws {
    let entity = try SchemaSample.entity("T", [AttributeDescription("x", .text)])
    try TestServer.withDatabase { url in
      let store = try ReadTables([entity], at: url)
      try store.connection.runOnce("COMMENT ON TABLE public.\"T\" IS 'fetched-results: 3'")
      #expect(
        try SchemaSample.refusal(of: [entity], at: url)
          == OpenFailure.newerFormat(found: 3, supported: 2).message(for: "test")
      )
    }
  }

  @Test func `relationships that contradict the database's foreign keys are refused (R91, R155)`()
    throws
  {
    func library(
      _ rule: DeleteRule = .none,
      key: AttributeDescription = AttributeDescription("authorID", .integer64, isOptional: true)
    ) throws -> [EntityDescription] {
      let author = try SchemaSample.entity("Author", [])
      let relationship = RelationshipDescription(
        "author",
        .toOne(foreignKey: [key.name]),
        onDelete: rule
      ) { author }
      return [author, try SchemaSample.entity("Book", [key], [relationship])]
    }
    let author = "CREATE TABLE \"Author\" (id bigint PRIMARY KEY, number bigint UNIQUE)"
    let other = "CREATE TABLE \"Writer\" (id bigint PRIMARY KEY)"
    func refusal(_ reference: String, _ entities: [EntityDescription]) throws -> String {
      try TestServer.withDatabase { url in
        let connection = try TestServer.connect(url)
        for statement in [
          author, other,
          "CREATE TABLE \"Book\" (id bigint PRIMARY KEY, \"authorID\" bigint \(reference), t text)",
        ] {
          try connection.runOnce(statement)
        }
        return try SchemaSample.refusal(of: entities, at: url) { $0.adoptsTables = true }
      }
    }
    #expect(
      try refusal("REFERENCES \"Writer\"", library()).contains("references Writer; declare Writer")
    )
    #expect(
      try refusal("REFERENCES \"Author\" (number)", library()).contains(
        "references its column number"
      )
    )
    #expect(
      try refusal("REFERENCES \"Author\" ON DELETE CASCADE", library(.nullify))
        .contains("is nullify, but the database does CASCADE")
    )
    let text = AttributeDescription("t", .text, isOptional: true)
    #expect(try refusal("", library(key: text)).contains("whose types differ from it"))
    for (reference, rule) in [
      ("REFERENCES \"Author\" ON DELETE CASCADE", DeleteRule.cascade),
      ("REFERENCES \"Author\"", .nullify), ("", .deny),
      ("REFERENCES \"Author\" ON DELETE SET NULL", .none),
    ] {
      #expect(try refusal(reference, library(rule)) == "nothing was refused")
    }
  }
}
#endif
