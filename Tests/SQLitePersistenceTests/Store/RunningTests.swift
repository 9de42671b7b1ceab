import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport
@testable import SQLitePersistence
import Synchronization
import Testing

/// Hostile names and values, nested calls, and a full disk.
@Suite struct `Using an SQLite store` {
  private let hostile = [
    "'; DROP TABLE Book; --", "\"", "a\0b", "\0", "", "👩‍👩‍👧", "e\u{301}", "\u{E9}", "%_*?[x]", "\\",
    "\u{1B}[31m", String(repeating: "x", count: 1_000_000),
  ]

  @Test func `all values are stored byte by byte`() throws {
    let store = try SQLiteStore.inMemory(entities: Sample.entities)
    try store.write { transaction in
      for text in hostile {
        let values: [Value] = [.text(text), .text(text), 1, 0.5, .blob(Array(text.utf8))]
        try transaction.insert(values, key: nil, into: Sample.book)
        try transaction.insert([.null], key: .text(text), into: Sample.tag)
      }
    }
    let rows = try store.allRows(of: Sample.book)
    #expect(Set(rows.map { $0["title"] }) == Set(hostile.map { .text($0) }))
    for text in hostile {
      let equal = FetchPredicate.comparison(.attribute("title"), .equal, .literal(.text(text)))
      let form = FetchPredicate.text(.attribute("title"), .endsWith, text, caseInsensitive: false)
      let key = FetchPredicate.identity(IdentitySet(keys: [.text(text)]))
      let expected = rows.count { form.holds(for: $0) }
      try store.read { (snapshot) throws(StoreError) in
        #expect(try snapshot.count(of: Sample.book, where: equal) == 1)
        #expect(try snapshot.count(of: Sample.book, where: form) == expected)
        #expect(try snapshot.count(of: Sample.tag, where: key) == 1)
        #expect(try snapshot.rows([.text(text)], of: Sample.tag).first??.id.key == .text(text))
      }
    }
  }

  @Test(arguments: ["x\"y", "select", "a b", "naïve", "'", "ROWID", "a;--", "日本"])
  func `all names are quoted`(_ name: String) throws {
    let entity = Sample.entity(
      name,
      .text(column: name + " key"),
      [
        AttributeDescription(name, .text),
        AttributeDescription(name + "2", .real, isOptional: true),
      ]
    )
    let store = try SQLiteStore.inMemory(entities: [entity])
    try store.write { try $0.insert(["v", 2.5], key: .text("k"), into: entity) }
    #expect(try store.allRows(of: entity).map(\.values) == [["v", 2.5]])
    try store.write { transaction in
      let id = ObjectID(entity: name, key: .text("k"))
      try transaction.update(id, to: ["w", .null], of: entity, ifUnchangedFrom: nil)
      #expect(try transaction.delete(id, of: entity))
    }
  }

  @Test func `no value is part of a statement's text`() throws {
    let store = try SQLiteStore.inMemory(entities: Sample.entities)
    let table = try store.database.context.tables.table(of: Sample.book)
    let predicate = FetchPredicate.and([
      .comparison(.attribute("title"), .equal, .literal("secret")),
      .membership(.attribute("title"), (0..<20).map { .text("secret \($0)") }),
      .between(.attribute("year"), 31_337, 31_338),
      .text(
        .prefix(.ifNull(.attribute("publisher"), "secret"), length: 31_337),
        .like,
        "secret",
        caseInsensitive: true
      ),
      .identity(IdentitySet(keys: (31_337...31_399).map { .integer($0) })),
      .comparison(.bucket(.attribute("year"), width: 31_337), .less, .literal(31_337)),
    ])
    var sql = SQLText()
    sql.append(where: predicate, in: table)
    #expect(!sql.text.contains("secret") && !sql.text.contains("3133"))
  }

  @Test func `an index is used for a list in its order`() throws {
    let store = try SQLiteStore.inMemory(entities: Sample.entities)
    try store.write { body in
      let transaction = try #require(body as? SQLiteTransaction)
      try transaction.withDatabase { database in
        try database.execute(sql: "CREATE INDEX i ON Book (publisher, title)")
        let plan = try GRDB.Row.fetchAll(
          database,
          sql: """
            EXPLAIN QUERY PLAN SELECT publisher, title, id FROM Book
            WHERE (publisher COLLATE BINARY = ? COLLATE BINARY)
            ORDER BY 1 COLLATE BINARY, 2 COLLATE BINARY, id
            """,
          arguments: ["P"]
        )
        #expect(plan.map { $0["detail"] } == ["SEARCH Book USING COVERING INDEX i (publisher=?)"])
      }
    }
  }

  @Test func `a value of another storage class is an error, not an order`() throws {
    let queue = try DatabaseQueue()
    try queue.write { database in
      try database.execute(
        sql: """
          CREATE TABLE Tag (name TEXT PRIMARY KEY NOT NULL, rank);
          INSERT INTO Tag VALUES ('a', 1), ('b', 'text');
          """
      )
    }
    let store = try SQLiteStore(writer: queue, entities: [Sample.tag], options: .making)
    let error = #expect(throws: StoreError.self) { try store.allRows(of: Sample.tag) }
    let id = ObjectID(entity: "Tag", key: .text("b"))
    guard case .unexpectedValue(id, "rank") = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a read inside a read sees the same version`() throws {
    let folder = try TemporaryFolder()
    for store in [
      try SQLiteStore.inMemory(entities: Sample.entities),
      try SQLiteStore(at: folder.file(), entities: Sample.entities),
    ] {
      let versions = try store.read { (outer) throws(StoreError) in
        try store.read { (inner) throws(StoreError) in [outer.version, inner.version] }
      }
      #expect(versions[0] == versions[1])
      try store.close()
    }
  }

  @Test func `a transaction inside a transaction is refused`() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(at: folder.file(), entities: Sample.entities)
    try store.write { transaction in
      try transaction.insert(Sample.values("P", "a"), key: nil, into: Sample.book)
      #expect(throws: StoreError.self) { try store.write { _ in } }
      // Earlier commits can be read.
      #expect(try store.allRows(of: Sample.book).isEmpty)
    }
    #expect(try store.allRows(of: Sample.book).count == 1)
    try store.close()
    let memory = try SQLiteStore.inMemory(entities: Sample.entities)
    try memory.write { _ in
      let error = #expect(throws: StoreError.self) { try memory.allRows(of: Sample.book) }
      guard case .busy(_, .zero, _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test func `the application's closures do not deadlock with the store's`() throws {
    let folder = try TemporaryFolder()
    let pool = try DatabasePool(path: folder.file())
    for writer: any DatabaseWriter in [pool, try DatabaseQueue()] {
      let store = try SQLiteStore(writer: writer, entities: Sample.entities, options: .making)
      try writer.write { _ in
        #expect(throws: StoreError.self) { try store.write { _ in } }
        let seen = Result { try store.allRows(of: Sample.book) }
        #expect((try? seen.get()) == (writer is DatabasePool ? [] : nil))
      }
      try writer.read { _ in
        let error = #expect(throws: StoreError.self) { try store.allRows(of: Sample.book) }
        #expect(error != nil)
      }
      try store.close()
    }
  }

  @Test func `a full disk rolls back the transaction`() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(at: folder.file(), entities: Sample.entities)
    let before = try store.currentVersion()
    let error = #expect(throws: StoreError.self) {
      try store.write { body in
        let transaction = try #require(body as? SQLiteTransaction)
        let pages = try transaction.withDatabase { database in
          try Int.fetchOne(database, sql: "PRAGMA max_page_count = 20")
        }
        #expect(pages == 20)
        for _ in 0..<100 {
          let long = String(repeating: "x", count: 5000)
          try body.insert(Sample.values("P", long), key: nil, into: Sample.book)
        }
      }
    }
    guard case .diskFull(folder.file()) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try store.currentVersion() == before)
    #expect(try store.allRows(of: Sample.book).isEmpty)
    try store.close()
  }

  @Test func `the error names a constraint of the database`() throws {
    let queue = try DatabaseQueue()
    let store = try SQLiteStore(writer: queue, entities: Sample.entities, options: .making)
    try queue.write { try $0.execute(sql: "CREATE UNIQUE INDEX u ON Book (title)") }
    try store.write { try $0.insert(Sample.values("P", "a"), key: nil, into: Sample.book) }
    let error = #expect(throws: StoreError.self) {
      try store.write {
        try $0.insert(Sample.values("P", "a"), key: .integer(7), into: Sample.book)
      }
    }
    guard case .aborted(let reason as SQLiteConstraintError) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.id == Sample.id(7) && reason.message.contains("Book.title"))
  }

  @Test func `a closure that ends its transaction fails with an error`() throws {
    let store = try SQLiteStore.inMemory(entities: Sample.entities)
    #expect(throws: StoreError.self) {
      try store.write { body in
        try #require(body as? SQLiteTransaction).withDatabase { try $0.execute(sql: "COMMIT") }
      }
    }
    try store.write { try $0.insert(Sample.values("P", "a"), key: nil, into: Sample.book) }
    #expect(try store.allRows(of: Sample.book).count == 1)
  }

  @Test func `a check counts rows and finds nothing wrong`() throws {
    let store = try SQLiteStore.inMemory(entities: Sample.entities)
    try store.write { try $0.insert(Sample.values("P", "a"), key: nil, into: Sample.book) }
    let check = try store.check()
    #expect(check.problems.isEmpty && check.counts == [1, 0, 0] && check.byteCount > 0)
  }

  @Test func `every error code of SQLite is translated`() {
    let cases: [(Int32, String)] = [
      (5, "busy"), (6, "busy"), (8, "readOnly"), (10, "inputOutput"), (11, "damaged"),
      (13, "diskFull"), (14, "inputOutput"), (26, "damaged"), (1, "unexpected"),
    ]
    for (code, word) in cases {
      let failure = SQLiteFailure(code: code | 7 << 8, message: "m")
      let error = StoreError(failure, path: "p", waited: .zero)
      #expect(String(describing: Mirror(reflecting: error).children.first?.label ?? "") == word)
    }
    let openings: [(Int32, Bool, OpenFailure)] = [
      (26, false, .notADatabase), (11, false, .damaged(detail: "m")),
      (3, false, .noPermission(detail: "m")), (8, false, .noPermission(detail: "m")),
      (14, true, .cannotCreate(detail: "m")), (14, false, .noPermission(detail: "m")),
    ]
    for (code, isNew, expected) in openings {
      let failure = SQLiteFailure(code: code, message: "m")
      let error = StoreError(opening: "p", failure, waited: .zero, isNew: isNew)
      guard case .cannotOpen("p", expected) = error else {
        Issue.record("\(code): \(error)")
        continue
      }
    }
  }
}

/// R123: SQLite checks whether a read is wanted, also while no row matches.
@Suite struct `A long read of an SQLite store` {
  @Test func `ends when it is not wanted any more, and the next one is whole (R123)`() throws {
    let store = try SQLiteStore.inMemory(entities: Sample.entities)
    try store.write { transaction in
      for number in 0..<20_000 {
        try transaction.insert(Sample.values("p", "t\(number)"), key: nil, into: Sample.book)
      }
    }
    let definition = try OrderDefinition(
      entity: Sample.book,
      predicate: .text(.attribute("title"), .like, "*x*y*", caseInsensitive: true),
      sortDescriptors: [FetchSortDescriptor(.objectKey)]
    )
    let checks = Atomic<Int>(0)
    let found = Atomic<Int>(0)
    func read() throws(StoreError) {
      try store.read { (snapshot) throws(StoreError) in
        try snapshot.entries(of: definition) { batch in
          found.add(batch.count, ordering: .relaxed)
          return true
        }
      }
    }
    let error = #expect(throws: StoreError.self) {
      try ReadingInterest.reading(while: { checks.add(1, ordering: .relaxed).newValue < 3 }) {
        () throws(StoreError) in try read()
      }
    }
    guard case .aborted(let inner)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(inner is CancellationError)
    #expect(checks.load(ordering: .relaxed) == 3)
    // Nothing is left behind: neither a handler nor an interrupted connection.
    try read()
    #expect(checks.load(ordering: .relaxed) == 3)
    #expect(found.load(ordering: .relaxed) == 0)
    let count = try store.read { (snapshot) throws(StoreError) in
      try snapshot.count(of: Sample.book, where: .all)
    }
    #expect(count == 20_000)
  }
}
