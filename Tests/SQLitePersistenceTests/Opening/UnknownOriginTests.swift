import CSQLiteHooks
import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
@testable import SQLitePersistence
import Testing

/// Files whose author is unknown, and may be an enemy: what is read without being asked for, and what a schema can do.
///
/// One test runs at a time, since SQLite counts the memory of the process.
@Suite(.serialized, .timeLimit(.minutes(5))) struct UnknownOriginTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func execute(_ sql: String) throws {
    let queue = try DatabaseQueue(path: folder.file())
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  /// Makes a database and describes it.
  private func discover(
    _ sql: String,
    describing names: [String]? = nil,
    within timeLimit: Duration = .seconds(10)
  ) throws -> DatabaseDescription {
    try execute(sql)
    return try DatabaseDescription(at: folder.file(), describing: names, timeLimit: timeLimit)
  }

  private func refusal(of name: String, in database: DatabaseDescription) throws -> String {
    let table = try #require(database.table(named: name))
    return "\(try #require(throws: TableRefusal.self) { try table.entity.get() })"
  }

  private func entity(_ name: String, in database: DatabaseDescription) throws -> EntityDescription
  {
    try #require(database.table(named: name)).entity.get()
  }

  private static let endless = """
    CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;
    """

  /// The most memory that SQLite uses while a closure runs, in bytes.
  private func memory(_ body: () throws -> Void) rethrows -> Int64 {
    let before = sqlite3_memory_used()
    _ = sqlite3_memory_highwater(1)
    try body()
    return sqlite3_memory_highwater(0) - before
  }

  // MARK: - Names

  @Test func `R216: names that differ only in the composition of their letters are not confused`()
    throws
  {
    let database = try discover(
      """
      CREATE TABLE "caf\u{E9}" (id INTEGER PRIMARY KEY, a); CREATE TABLE "cafe\u{301}" (id INTEGER PRIMARY KEY, b);
      CREATE TABLE t (id INTEGER PRIMARY KEY, "\u{E9}", "e\u{301}");
      CREATE TABLE u (id INTEGER PRIMARY KEY, "\u{E9}" REFERENCES "caf\u{E9}", "e");
      """
    )
    for name in ["caf\u{E9}", "cafe\u{301}"] {
      #expect(try refusal(of: name, in: database).contains("composition"))
      #expect(database.table(named: name)?.name.utf8.elementsEqual(name.utf8) == true)
    }
    #expect(try refusal(of: "t", in: database).hasPrefix("two columns"))
    #expect(try entity("u", in: database).attributes.map(\.name) == ["\u{E9}", "e"])
    #expect(database.tableNames.count == 4)
  }

  // MARK: - What is read

  @Test func `R194: what is not asked for is not read, and the tables of its keys are`() throws {
    let database = try discover(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, b_id INTEGER REFERENCES b); CREATE TABLE b (id INTEGER PRIMARY KEY);
      CREATE TABLE c (id INTEGER PRIMARY KEY, t_id INTEGER REFERENCES T); CREATE TABLE other (id INTEGER PRIMARY KEY);
      INSERT INTO b VALUES (1); INSERT INTO t VALUES (1, 1); \(Self.endless)
      """,
      describing: ["T", "nothing"]
    )
    #expect(database.tables.map(\.name) == ["b", "c", "t"])
    #expect(database.tableNames == ["b", "c", "endless", "other", "t"])
    #expect(database.names(near: "othr") == ["other"])
    let t = try entity("t", in: database)
    #expect(t.relationships.map(\.name) == ["b", "cs"])
  }

  @Test func `R194: a view that never ends is refused in time, and hinders nothing else`() throws {
    let database = try discover(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, 'a'); \(Self.endless)",
      within: .milliseconds(300)
    )
    #expect(try refusal(of: "endless", in: database).contains("has not ended within the time"))
    #expect(try entity("t", in: database).attributes.map(\.type) == [.text])
    #expect(try database.rowCounts(timeLimit: .milliseconds(300)) == [nil, 1])
    let named = try DatabaseDescription(
      at: folder.file(),
      describing: ["endless"],
      timeLimit: .milliseconds(300)
    )
    #expect(try refusal(of: "endless", in: named).contains("has not ended within the time"))
  }

  @Test func `R194: tables of these names in views of others are not read either`() throws {
    let endless = "AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"
    let database = try discover(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, x); CREATE TABLE django_migrations (x);
      CREATE VIEW _results_store \(endless) i AS id, 1 AS format, 'x' AS identity, 0 AS adopted FROM n WHERE i < 0;
      CREATE VIEW django_content_type \(endless) i AS app_label, i AS model FROM n WHERE i < 0;
      """,
      describing: ["t"],
      within: .seconds(1)
    )
    let t = try entity("t", in: database)
    let store = try SQLiteStore(discovered: database, entities: [t])
    #expect(try store.allRows(of: t).isEmpty)
    try store.close()
  }

  @Test func `R194: a sample neither makes nor loads long values, and reads a limited number`()
    throws
  {
    try execute(
      """
        CREATE TABLE bomb (id INTEGER PRIMARY KEY, n INTEGER, b AS (printf('%.*c', 200000000, 'x')));
        INSERT INTO bomb (n) VALUES (1), (2), (3);
        CREATE TABLE picture (id INTEGER PRIMARY KEY, title TEXT, content);
        INSERT INTO picture VALUES (1, 'a', zeroblob(5000000)), (2, 'b', zeroblob(30));
        CREATE VIEW wide AS SELECT id, printf('%.*c', 60000, 'x') AS text FROM picture;
      """
    )
    var database: DatabaseDescription?
    let used = try memory { database = try DatabaseDescription(at: folder.file()) }
    #expect(used < 100 << 20, "\(used)")
    let found = try #require(database)
    #expect(try entity("bomb", in: found).attributes.map(\.name) == ["n", "b"])
    let picture = try entity("picture", in: found)
    #expect(picture.attributes.map(\.type) == [.text, .blob])
    #expect(try entity("wide", in: found).identity == .compound(["id"]))
  }

  @Test func `R194: of rows that nothing identifies as many are held as fit`() throws {
    let database = try discover(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b BLOB);
      INSERT INTO t VALUES (1, 'x', NULL), (2, 'x', NULL), (3, 'x', NULL);
      CREATE VIEW v AS SELECT a FROM t;
      CREATE VIEW large AS SELECT zeroblob(100000000) AS b FROM t;
      """
    )
    let view = try #require(database.table(named: "v"))
    let x: [Value] = [.text("x")]
    #expect(try database.unidentifiedRows(of: view, limit: 3) == [x, x, x])
    #expect(try database.unidentifiedRows(of: view, limit: 2) == nil)
    let large = try #require(database.table(named: "large"))
    #expect(try database.unidentifiedRows(of: large) == nil)
  }

  @Test func `R194: the time to describe and to open tables grows with their number`() throws {
    func time(_ count: Int) throws -> Duration {
      let file = folder.file("\(count).sqlite")
      let queue = try DatabaseQueue(path: file)
      try queue.write { database in
        for number in 0..<count {
          try database.execute(
            sql: """
              CREATE TABLE t\(number) (id INTEGER PRIMARY KEY, p INTEGER REFERENCES t\((number + 1) % count) (id))
              """
          )
        }
      }
      try queue.close()
      var best = Duration.seconds(1000)
      for _ in 0..<2 {
        best = min(
          best,
          try ContinuousClock().measure {
            let database = try DatabaseDescription(at: file, describing: ["t0"])
            #expect(database.tables.count == count)
            let entities = try database.tables.map { try $0.entity.get() }
            try SQLiteStore(discovered: database, entities: entities).close()
          }
        )
      }
      return best
    }
    // Eight times the tables; the square would be 64 times the time.
    let ratio = try time(480) / time(60)
    #expect(ratio < 24, "\(ratio)")
  }

  @Test func `R194: the time to describe, open and read a table grows with its columns`() throws {
    func time(_ count: Int) throws -> Duration {
      let file = folder.file("\(count).sqlite")
      let names = (0..<count).map { "c\($0) INTEGER" }.joined(separator: ", ")
      let queue = try DatabaseQueue(path: file)
      try queue.writeWithoutTransaction { database in
        try database.execute(
          sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, \(names)); INSERT INTO t (id) VALUES (1)"
        )
      }
      try queue.close()
      var best = Duration.seconds(1000)
      for _ in 0..<2 {
        best = min(
          best,
          try ContinuousClock().measure {
            let database = try DatabaseDescription(at: file)
            let entity = try entity("t", in: database)
            let store = try SQLiteStore(discovered: database, entities: [entity])
            #expect(try store.allRows(of: entity).count == 1)
            try store.close()
          }
        )
      }
      return best
    }
    let ratio = try time(1600) / time(200)
    #expect(ratio < 32, "\(ratio)")
  }

  // MARK: - What a schema can do

  @Test func `R195: a view cannot call this package's functions, nor others that are not harmless`()
    throws
  {
    let database = try discover(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT); INSERT INTO t VALUES (1, 'a');
      CREATE VIEW own AS SELECT results_folded(x) AS y FROM t;
      CREATE VIEW listing AS SELECT * FROM pragma_database_list;
      CREATE VIEW tables AS SELECT * FROM results_values(1);
      CREATE VIEW plain AS SELECT id, upper(x) AS y FROM t;
      """
    )
    // The function is unknown until a statement needs it.
    #expect(try refusal(of: "own", in: database).contains("results_folded"))
    #expect(try refusal(of: "listing", in: database).contains("unsafe use of"))
    #expect(try entity("plain", in: database).attributes.count == 2)
    let store = try SQLiteStore(discovered: database, entities: [entity("t", in: database)])
    try store.database.writer.unsafeReentrantRead { connection in
      try ConnectionFunctions.register(on: connection)
      for (sql, what) in [
        ("SELECT * FROM own", "results_folded"), ("SELECT * FROM tables", "results_values"),
      ] {
        let error = try #require(throws: DatabaseError.self) {
          try GRDB.Row.fetchAll(connection, sql: sql)
        }
        #expect(error.message?.contains("unsafe use of") == true, "\(error)")
        #expect(error.message?.contains(what) == true, "\(error)")
      }
    }
    try store.close()
  }

  /// SQLite 3.38 to 3.40 calls them harmful, and a schema that uses them damaged.
  @Test(arguments: [
    "CREATE INDEX i ON t (json_extract(x, '$.a'))", "CREATE INDEX i ON t (id) WHERE JSON_VALID(x)",
    "ALTER TABLE t ADD COLUMN c AS (json_extract(x, '$.a'))",
    "CREATE VIEW v AS SELECT id, x ->> 'a' AS y, json_type(x) AS z FROM t",
  ])
  func `R195: a schema may use the JSON functions of SQLite`(_ sql: String) throws {
    let database = try discover(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT); INSERT INTO t VALUES (1, '{\"a\": 2}'); \(sql);"
    )
    for table in database.tables {
      let entity = try table.entity.get()
      let store = try SQLiteStore(discovered: database, entities: [entity])
      let first = FetchSortDescriptor(.attribute(entity.attributes[0].name))
      let request = FetchRequest<ResultsDomain.Row>(entity: entity, sortedBy: [first])
      let rows = try store.fetch(request).map(\.values)
      #expect(rows.count == 1)
      if sql.contains(" c AS ") { #expect(rows.first?.last == .integer(2)) }
      try store.close()
    }
  }

  @Test func `R195: limits stop what no database in use reaches`() throws {
    let pattern = String(repeating: "%a", count: 600)
    let database = try discover(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT); INSERT INTO t VALUES (1, 'a');
      CREATE VIEW pattern AS SELECT x LIKE '\(pattern)' AS y FROM t;
      CREATE TABLE bomb (id INTEGER PRIMARY KEY, b AS (zeroblob(400000000 + id))); INSERT INTO bomb (id) VALUES (1);
      """
    )
    #expect(try refusal(of: "pattern", in: database).contains("pattern too complex"))
    let bomb = try entity("bomb", in: database)
    let store = try SQLiteStore(discovered: database, entities: [bomb])
    let used = try memory {
      let error = try #require(throws: StoreError.self) { try store.allRows(of: bomb) }
      #expect(
        "\(error)".contains("256 MB in a file of others. Shorten it, or leave out the column")
      )
    }
    #expect(used < 100 << 20, "\(used)")
    try store.database.writer.unsafeReentrantRead { connection in
      #expect(throws: DatabaseError.self) {
        try connection.execute(sql: "ATTACH '\(folder.file("other"))' AS other")
      }
      let checksCells = try Bool.fetchOne(connection, sql: "PRAGMA cell_size_check")
      #expect(checksCells == true)
      #expect(sqlite3_limit(connection.sqliteConnection, SQLITE_LIMIT_VDBE_OP, -1) == 1_000_000)
    }
    try store.close()
  }

  @Test func `R195: a schema whose text is beyond the limit is refused when it is opened`() throws {
    let comment = String(repeating: "x", count: 17 << 20)
    try execute("CREATE TABLE t (id INTEGER PRIMARY KEY /*\(comment)*/)")
    let error = try #require(throws: StoreError.self) {
      try DatabaseDescription(at: folder.file())
    }
    guard case .cannotOpen(_, .damaged) = error else {
      Issue.record("\(error)")
      return
    }
  }

  @Test
  func
    `R195: while a log is added to a file, its schema cannot be written as a table, and triggers end`()
    throws
  {
    var sql = ""
    for number in 0..<130 {
      sql += "CREATE TABLE t\(number) (id INTEGER PRIMARY KEY, x);"
      guard number > 0 else { continue }
      sql += """
        CREATE TRIGGER r\(number) AFTER INSERT ON t\(number - 1)
        BEGIN INSERT INTO t\(number) (x) VALUES (new.x); END;
        """
    }
    let database = try discover(sql, describing: ["t0"])
    let t = try entity("t0", in: database)
    let store = try SQLiteStore(discovered: database, entities: [t], addsChangeLog: true)
    #expect(throws: StoreError.self) {
      try store.write { try $0.insert([.text("a")], key: nil, into: t) }
    }
    #expect(try store.allRows(of: t).isEmpty)
    _ = store.database.writer.unsafeReentrantWrite { connection in
      #expect(throws: DatabaseError.self) {
        try connection.execute(
          sql: "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'x' WHERE name = 't1'"
        )
      }
    }
    try store.close()
  }

  // MARK: - Conditions

  @Test func `R198: many conditions of a long text hold one copy of it`() throws {
    let store = try SQLiteStore.inMemory(entities: Sample.entities)
    let title = String(repeating: "aB", count: 500_000)
    try store.write { try $0.insert(Sample.values("p", title), key: nil, into: Sample.book) }
    let all: [(TextOperator, Bool, String)] = [
      (.like, false, "*x"), (.like, true, "*y"), (.contains, false, "z"), (.contains, true, "Z"),
      (.beginsWith, true, "b"), (.endsWith, false, "a"), (.matches, false, "x"),
      (.matches, true, "[x]"),
    ]
    let parts = (0..<15).flatMap { number in
      all.map { comparison, isFolding, text in
        FetchPredicate.text(
          .attribute("title"),
          comparison,
          text + "\(number)",
          caseInsensitive: isFolding
        )
      }
    }
    let matching = FetchPredicate.text(
      .attribute("title"),
      .like,
      "AB*",
      caseInsensitive: true
    )
    let used = try memory {
      let counts = try store.read { (snapshot) throws(StoreError) in
        [
          try snapshot.count(of: Sample.book, where: .or(parts)),
          try snapshot.count(of: Sample.book, where: .or(parts + [matching])),
          try snapshot.count(of: Sample.book, where: .and(parts.map { .not($0) })),
        ]
      }
      #expect(counts == [0, 1, 1])
    }
    #expect(used < 64 << 20, "\(used)")
  }

  // MARK: - Paths

  @Test func `R196: more paths than SQLite joins are refused with their number`() throws {
    let node = PathNode.entity
    let store = try SQLiteStore.inMemory(entities: [node])
    func path(_ steps: [String]) -> FetchPredicate {
      .isNull(.related(steps, .attribute("name")))
    }
    let long = ["a", "b"].flatMap { last in
      ["a", "b"].map { first in
        [first] + Array(repeating: last, count: 19)
      }
    }
    let refused = FetchPredicate.and(long.map(path))
    for predicate in [
      refused, .quantified(.any, ["children"], refused),
      .comparison(
        .relatedAggregate(["children"], .count, nil, where: refused),
        .equal,
        .literal(1)
      ),
    ] {
      let error = try #require(throws: StoreError.self) {
        try store.read { (snapshot) throws(StoreError) in
          try snapshot.count(of: node, where: predicate)
        }
      }
      guard case .request(.tooManyRelationships(inOnePath: false, limit: 60)) = error else {
        Issue.record("\(error)")
        continue
      }
    }
    let count = try store.read { (snapshot) throws(StoreError) in
      try snapshot.count(of: node, where: .and(long.prefix(3).map(path)))
    }
    #expect(count == 0)
  }
}

/// An entity with relationships to itself.
private enum PathNode {
  static let entity: EntityDescription = Sample.related(
    "Node",
    [
      AttributeDescription("name", .text, isOptional: true),
      AttributeDescription("aID", .integer64, isOptional: true),
      AttributeDescription("bID", .integer64, isOptional: true),
    ],
    [
      RelationshipDescription("a", .toOne(foreignKey: ["aID"])) { entity },
      RelationshipDescription("b", .toOne(foreignKey: ["bID"])) { entity },
      RelationshipDescription("children", .toMany(foreignKey: ["aID"])) { entity },
    ]
  )
}
