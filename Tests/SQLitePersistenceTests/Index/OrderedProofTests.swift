import GRDB
import ResultsDomain
import ResultsStoreKit
@testable import SQLitePersistence
import Testing

/// R55, R56: a list has an ordered source only if SQLite's query plan proves that an index answers for it.
@Suite struct `Which lists an index answers for` {
  private static let note = Sample.entity(
    "Note",
    .integer(),
    [
      AttributeDescription("folder", .integer64, isOptional: true),
      AttributeDescription("date", .integer64, isOptional: true),
      AttributeDescription("name", .text, isOptional: true),
    ]
  )

  /// Runs a closure with the list's source, or `nil`.
  private func withSource<Result: Sendable>(
    _ statements: String,
    where predicate: FetchPredicate = .all,
    _ terms: [FetchSortDescriptor],
    _ body: (SQLiteOrderedSource?, any StoreSnapshot) throws(StoreError) -> Result
  ) throws -> Result {
    let store = try SQLiteStore.inMemory(entities: [Self.note])
    try run(statements, in: store)
    let definition = try OrderDefinition(
      entity: Self.note,
      predicate: predicate,
      sortDescriptors: terms
    )
    return try store.read { (snapshot) throws(StoreError) in
      try body(snapshot.orderedSource(of: definition) as? SQLiteOrderedSource, snapshot)
    }
  }

  private func run(_ statements: String, in store: SQLiteStore) throws {
    _ = try store.commit(origin: .unnamed) { transaction in
      try (transaction as? SQLiteTransaction)?.withDatabase { try $0.execute(sql: statements) }
    }
  }

  private static let folder5 = FetchPredicate.comparison(
    .attribute("folder"),
    .equal,
    .literal(.integer(5))
  )
  private static let byFolderAndDate = "CREATE INDEX i ON Note(folder, date);"

  @Test func `an index of the order's columns serves, and so does the table's order (R55)`()
    throws
  {
    let terms: [FetchSortDescriptor] = [.ascending("folder"), .ascending("date")]
    #expect(try withSource(Self.byFolderAndDate, terms) { source, _ in source != nil })
    #expect(
      try withSource("SELECT 1", [FetchSortDescriptor(.objectKey)]) { source, _ in source != nil }
    )
    #expect(
      try withSource(Self.byFolderAndDate, where: Self.folder5, [.ascending("date")]) {
        source,
        _ in source != nil
      }
    )
  }

  @Test(arguments: [
    ("CREATE INDEX s ON Note(folder)", true), ("CREATE INDEX s ON Note(folder DESC)", true),
    ("SELECT 1", false), ("CREATE INDEX s ON Note(folder) WHERE folder > 0", false),
    ("CREATE INDEX s ON Note(date)", false),
  ])
  func `rows are counted over the smallest index that has their sections (R55)`(
    _ statement: String,
    _ isSmaller: Bool
  ) throws {
    let rows = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
      INSERT INTO Note(folder, date, name) SELECT nullif(i % 4, 3), i, 'name ' || i FROM n
      """
    let index = "CREATE INDEX long ON Note(folder, date, name)"
    let terms: [FetchSortDescriptor] = [
      .ascending("folder"), .ascending("date"), .ascending("name"),
    ]
    let found = try withSource("\(rows); \(index); \(statement)", terms) {
      (source, snapshot) throws(StoreError) -> (step: String, counts: [Int]) in
      guard let source, let snapshot = snapshot as? SQLiteSnapshot else { return ("", []) }
      var counts: [Int] = []
      try source.groups(byFirstColumns: 1) { (_, count) throws(StoreError) in
        counts.append(count)
        return true
      }
      let step = try snapshot.with { database in
        let text = try source.plan.groups(byFirst: 1, on: database) ?? ""
        return try database.texts("EXPLAIN QUERY PLAN " + text).compactMap(\.last).joined()
      }
      return (step, counts)
    }
    #expect(found.counts == [15, 15, 15, 15])
    #expect(found.step == "SCAN Note USING COVERING INDEX \(isSmaller ? "s" : "long")")
  }

  @Test(arguments: [
    "SELECT 1", "CREATE INDEX i ON Note(folder)", "CREATE INDEX i ON Note(date, folder)",
    "CREATE INDEX i ON Note(folder, date DESC)", "CREATE INDEX i ON Note(folder DESC, date DESC)",
    "CREATE INDEX i ON Note(folder, date) WHERE folder > 0",
    "CREATE INDEX i ON Note(folder, abs(date))",
  ])
  func `an order that no index has gets no source (R56)`(_ statement: String) throws {
    let terms: [FetchSortDescriptor] = [.ascending("folder"), .ascending("date")]
    #expect(try withSource(statement, terms) { source, _ in source == nil })
  }

  @Test func `a statement that tests every row gets no source (R56)`() throws {
    let predicates: [FetchPredicate] = [
      .comparison(.attribute("name"), .equal, .literal(.text("x"))),
      .comparison(.attribute("folder"), .greater, .literal(.integer(5))),
      .or([Self.folder5, .isNull(.attribute("folder"))]),
      .and([Self.folder5, .text(.attribute("name"), .contains, "x", caseInsensitive: false)]),
      .and([Self.folder5, .comparison(.attribute("folder"), .equal, .literal(.integer(6)))]),
    ]
    for predicate in predicates {
      #expect(
        try withSource(Self.byFolderAndDate, where: predicate, [.ascending("date")]) {
          source,
          _ in source == nil
        },
        "\(predicate)"
      )
    }
  }

  @Test func `other orders of texts and nulls, and other expressions, get no source (R85)`() throws
  {
    let caseless = "CREATE INDEX i ON Note(name COLLATE NOCASE)"
    #expect(try withSource(caseless, [.ascending("name")]) { source, _ in source == nil })
    let last = FetchSortDescriptor(.attribute("folder"), .ascending, nulls: .last)
    #expect(try withSource("CREATE INDEX i ON Note(folder)", [last]) { source, _ in source == nil })
    let length = FetchSortDescriptor(.length(.attribute("name")))
    for other in ["lower(name)", "length(folder)", "length(name) + 0", "folder"] {
      let statement = "CREATE INDEX i ON Note(\(other))"
      #expect(try withSource(statement, [length]) { source, _ in source == nil }, "\(other)")
    }
  }

  @Test func `an index over the order's expression serves, whatever program created it (R55)`()
    throws
  {
    let name = FetchExpression.attribute("name")
    let cases: [(FetchExpression, String)] = [
      (.length(name), "length(name)"), (.prefix(name, length: 2), "SUBSTR(name,1,2)"),
      (.lowercased(.prefix(name, length: 1)), "lower(substr(name, 1, 1))"),
      (.ifNull(.uppercased(name), "it's"), "ifnull(upper(name), 'it''s')"),
      (
        .bucket(.attribute("folder"), width: 10),
        "CASE WHEN folder >= -9223372036854775800 THEN folder - (folder % 10 + 10) % 10 END"
      ),
    ]
    for (expression, sql) in cases {
      let terms = [FetchSortDescriptor(expression), .descending("date"), .ascending("name")]
      let columns = "(\(sql), date DESC, name)"
      for statement in [
        "CREATE INDEX i ON Note\(columns)", "CREATE INDEX i ON Note\(columns) WHERE folder = 5",
      ] {
        let isPartial = statement.contains("WHERE")
        // If the value of an attribute is known, SQLite does not recognize an expression over it.
        if isPartial, expression.attributes == ["folder"] { continue }
        let predicate = isPartial ? Self.folder5 : .all
        let isServed = try withSource(statement, where: predicate, terms) { source, _ in
          source != nil
        }
        #expect(isServed, "\(statement)")
      }
    }
    let fixed = FetchPredicate.comparison(.lowercased(name), .equal, .literal("a"))
    let statement = "CREATE INDEX i ON Note(lower(name), date)"
    #expect(
      try withSource(statement, where: fixed, [.ascending("date")]) { found, _ in found != nil }
    )
  }

  @Test func `texts that are not stored in UTF-8 get no source (R85)`() throws {
    let queue = try DatabaseQueue()
    try queue.write { database in
      try database.execute(sql: "PRAGMA encoding = 'UTF-16'")
      try database.execute(
        sql: "CREATE TABLE Note(id INTEGER PRIMARY KEY, folder INTEGER, date INTEGER, name TEXT)"
      )
    }
    let store = try SQLiteStore(writer: queue, entities: [Self.note], options: .making)
    let definition = try OrderDefinition(
      entity: Self.note,
      predicate: .all,
      sortDescriptors: [FetchSortDescriptor(.objectKey)]
    )
    let found = try store.read { (snapshot) throws(StoreError) in
      try snapshot.orderedSource(of: definition) != nil
    }
    #expect(try queue.read { try String.fetchOne($0, sql: "PRAGMA encoding") } == "UTF-16le")
    #expect(!found)
  }

  @Test func `an index that is dropped or created is noticed by the next snapshot (R56)`() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(at: folder.file(), entities: [Self.note])
    let definition = try OrderDefinition(
      entity: Self.note,
      predicate: .all,
      sortDescriptors: [.ascending("date")]
    )
    func isServed() throws -> Bool {
      try store.read { (snapshot) throws(StoreError) in
        try snapshot.orderedSource(of: definition) != nil
      }
    }
    #expect(try !isServed())
    try run("CREATE INDEX i ON Note(date)", in: store)
    #expect(try isServed())
    #expect(try isServed())
    try run("DROP INDEX i", in: store)
    #expect(try !isServed())
    try store.close()
  }

  @Test func `every statement searches the index for any ends of its range (R55)`()
    throws
  {
    let terms: [FetchSortDescriptor] = [.ascending("folder"), .descending("date")]
    let statements = "CREATE INDEX i ON Note(folder, date DESC); CREATE INDEX j ON Note(date);"
    let store = try SQLiteStore.inMemory(entities: [Self.note])
    try run(statements, in: store)
    let definition = try OrderDefinition(
      entity: Self.note,
      predicate: .all,
      sortDescriptors: terms
    )
    let found = try store.read { (snapshot) throws(StoreError) in
      (try snapshot.orderedSource(of: definition) as? SQLiteOrderedSource)?.plan
    }
    let plan = try #require(found)
    #expect(plan.shapeCount == 28)
    let columns = ["folder", "date", "rowid"]
    _ = try store.commit(origin: .unnamed) { transaction in
      try (transaction as? SQLiteTransaction)?
        .withDatabase { database in
          #expect(try plan.sample(on: database) != nil)
          let uses = (0..<27).flatMap { [StatementPurpose.count($0), .page($0)] }
          for use in uses {
            let text = try plan.text(for: use, on: database)
            let (equal, lower, upper) = KeySubrange.forms(of: use.shape ?? 0)
            var conditions = columns.prefix(equal).map { $0 + "=?" }
            if lower > 0 { conditions.append(columns[equal] + ">?") }
            if upper > 0 { conditions.append(columns[equal] + "<?") }
            guard !conditions.isEmpty else { continue }
            let steps = try GRDB.Row.fetchAll(
              database,
              sql: "EXPLAIN QUERY PLAN " + text,
              arguments: StatementArguments(
                Array(repeating: nil as Int?, count: text.count { $0 == "?" })
              )
            )
            .map { $0["detail"] as String }
            let expected =
              "SEARCH Note USING COVERING INDEX i (\(conditions.joined(separator: " AND ")))"
            #expect(steps == [expected], "\(text)")
          }
          #expect(plan.serves)
        }
    }
  }

  @Test
  func
    `a statement that fails its proof is run without the index, and ends the use of the index (R56)`()
    throws
  {
    let store = try SQLiteStore.inMemory(entities: [Self.note])
    try run(
      """
      CREATE INDEX i ON Note(date);
      INSERT INTO Note(id, date) VALUES (1, 30), (2, 20), (3, 10), (4, NULL);
      """,
      in: store
    )
    let definition = try OrderDefinition(
      entity: Self.note,
      predicate: .all,
      sortDescriptors: [.ascending("date")]
    )
    let values: [Value] = [.null, .integer(20), .null]
    let key = try RowKeyEncoder(definition).key(values, key: .integer(2))
    let bound = KeyBound.before(key)
    try store.read { (snapshot) throws(StoreError) in
      guard let source = try snapshot.orderedSource(of: definition) as? SQLiteOrderedSource else {
        Issue.record("no source")
        return
      }
      let other = OrderedIndex(
        clause: " INDEXED BY i",
        titles: [" USING INDEX other"],
        columns: ["date", "rowid"],
        isPartial: false,
        isRowNumber: false
      )
      let proof = StatementProof(index: other, fixedPrefix: 0, required: [])
      let plan = OrderedPlan(source.plan.statements, proof)
      let again = SQLiteOrderedSource(plan, of: definition, in: source.table, source.snapshot)
      #expect(plan.serves)
      #expect(try again.count(from: bound, to: nil) == 2)
      let keys = try source.keys(from: bound, to: nil, skipping: 0, limit: 9).bytes
      #expect(try again.keys(from: bound, to: nil, skipping: 0, limit: 9).bytes == keys)
      #expect(!plan.serves)
      again.end()
    }
  }
}
