import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLitePersistence
import Testing

/// R58: the history of the store's commits lists exactly the changed rows, whatever statement changed them.
@Suite struct `SQLite history` {
  private func transaction(_ body: any StoreTransaction) throws -> SQLiteTransaction {
    try #require(body as? SQLiteTransaction)
  }

  @Test func `an insert, an update and a delete are listed with both images`() throws {
    let store = try SQLiteStore.inMemory(entities: Sample.entities)
    let start = try store.currentVersion()
    let first = Sample.values("A", "one")
    let second = Sample.values("A", "two", 1999)
    try store.write { _ = try $0.insert(first, key: nil, into: Sample.book) }
    try store.write {
      try $0.update(Sample.id(1), to: second, of: Sample.book, ifUnchangedFrom: nil)
    }
    try store.write { _ = try $0.delete(Sample.id(1), of: Sample.book) }
    let rows = [first, second].map { Row(entity: Sample.book, id: Sample.id(1), values: $0) }
    let changes = try store.history(since: start, of: Sample.book).changes
    #expect(
      changes == [
        [CommittedChange(id: Sample.id(1), before: nil, after: rows[0])],
        [CommittedChange(id: Sample.id(1), before: rows[0], after: rows[1])],
        [CommittedChange(id: Sample.id(1), before: rows[1], after: nil)],
      ]
    )
  }

  @Test func `statements of the application are listed like the store's`() throws {
    let store = try SQLiteStore.inMemory(entities: Sample.entities)
    try store.write { transaction in
      for title in ["a", "b", "c"] {
        try transaction.insert(Sample.values("P", title), key: nil, into: Sample.book)
      }
      try transaction.insert([.integer(1)], key: .text("x"), into: Sample.tag)
      try transaction.insert(
        [.integer(5), .text("Ann"), .integer(1)],
        key: nil,
        into: Sample.score
      )
    }
    let start = try store.currentVersion()
    try store.write { body in
      try transaction(body).withDatabase { database in
        try database.execute(sql: "UPDATE Book SET title = title || '!' WHERE id < 3")
        try database.execute(
          sql: "INSERT OR REPLACE INTO Book (id, publisher, title) VALUES (3, 'Q', 'r')"
        )
        try database.execute(sql: "UPDATE Book SET id = 30 WHERE id = 2")
        try database.execute(sql: "UPDATE Tag SET name = 'y'")
        try database.execute(sql: "UPDATE Score SET subject = 2, points = 6")
      }
    }
    let books = try #require(try store.history(since: start, of: Sample.book).changes?.first)
    #expect(books.map(\.id.key) == [.integer(1), .integer(2), .integer(3), .integer(30)])
    #expect(books.map { $0.before?["title"] } == ["a", "b", "c", nil])
    #expect(books.map { $0.after?["title"] } == ["a!", nil, "r", "b!"])
    let tags = try #require(try store.history(since: start, of: Sample.tag).changes?.first)
    #expect(tags.map(\.id.key) == [.text("x"), .text("y")])
    #expect(tags.map { $0.after?["rank"] } == [nil, 1])
    let scores = try #require(try store.history(since: start, of: Sample.score).changes?.first)
    #expect(scores.map { $0.before?["points"] } == [5, nil])
    #expect(scores.map { $0.after?["points"] } == [nil, 6])
  }

  @Test func `a delete without a condition lists every row`() throws {
    let store = try SQLiteStore.inMemory(entities: Sample.entities)
    try store.write { transaction in
      for title in ["a", "b", "c"] {
        try transaction.insert(Sample.values("P", title), key: nil, into: Sample.book)
      }
    }
    let start = try store.currentVersion()
    try store.write { body in
      try transaction(body).withDatabase { try $0.execute(sql: "DELETE FROM Book") }
    }
    let changes = try #require(try store.history(since: start, of: Sample.book).changes?.first)
    #expect(changes.map { $0.before?["title"] } == ["a", "b", "c"])
  }

  @Test func `changes that a savepoint rolled back are not listed`() throws {
    let store = try SQLiteStore.inMemory(entities: Sample.entities)
    try store.write { try $0.insert(Sample.values("P", "a"), key: nil, into: Sample.book) }
    let start = try store.currentVersion()
    try store.write { body in
      try transaction(body).withDatabase { try $0.execute(sql: "SAVEPOINT s") }
      try body.insert(Sample.values("P", "phantom"), key: nil, into: Sample.book)
      let changed = Sample.values("P", "b")
      try body.update(Sample.id(1), to: changed, of: Sample.book, ifUnchangedFrom: nil)
      try transaction(body).withDatabase { try $0.execute(sql: "ROLLBACK TO s") }
      try transaction(body).withDatabase { try $0.execute(sql: "RELEASE s") }
    }
    #expect(try store.currentVersion() == start)
    try store.write { body in
      try transaction(body).withDatabase { database in
        try database.execute(
          sql: "SAVEPOINT s; UPDATE Book SET title = 'x'; ROLLBACK TO s; RELEASE s"
        )
      }
      try body.update(
        Sample.id(1),
        to: Sample.values("P", "c"),
        of: Sample.book,
        ifUnchangedFrom: nil
      )
    }
    let changes = try #require(try store.history(since: start, of: Sample.book).changes?.first)
    #expect(changes.map { $0.before?["title"] } == ["a"])
    #expect(changes.map { $0.after?["title"] } == ["c"])
  }

  @Test func `rows that triggers and foreign keys change are listed`() throws {
    let store = try SQLiteStore.inMemory(entities: Sample.entities)
    try store.write { body in
      try transaction(body).withDatabase { database in
        try database.execute(
          sql: """
            CREATE TABLE Author (name TEXT PRIMARY KEY);
            CREATE TRIGGER stamp AFTER INSERT ON Book BEGIN
              UPDATE Book SET year = 2000 WHERE id = new.id;
              INSERT INTO Tag (name, rank) VALUES (new.title, new.id);
            END;
            CREATE TRIGGER clear AFTER DELETE ON Tag BEGIN
              DELETE FROM Book WHERE title = old.name;
            END;
            """
        )
      }
    }
    let start = try store.currentVersion()
    try store.write { try $0.insert(Sample.values("P", "t"), key: nil, into: Sample.book) }
    let inserted = try #require(try store.history(since: start, of: Sample.book).changes?.first)
    #expect(inserted.map { $0.after?["year"] } == [2000])
    let tags = try #require(try store.history(since: start, of: Sample.tag).changes?.first)
    #expect(tags.map { $0.after?["rank"] } == [1])
    let next = try store.currentVersion()
    try store.write { body in
      _ = try body.delete(ObjectID(entity: "Tag", key: .text("t")), of: Sample.tag)
    }
    let deleted = try #require(try store.history(since: next, of: Sample.book).changes?.first)
    #expect(deleted.map { $0.before?["year"] } == [2000])
    #expect(deleted.map(\.after) == [nil])
  }

  @Test func `a statement that fails halfway leaves no trace`() throws {
    let store = try SQLiteStore.inMemory(entities: Sample.entities)
    try store.write { body in
      try transaction(body).withDatabase { database in
        try database.execute(
          sql: """
            CREATE TRIGGER refuse AFTER INSERT ON Book WHEN new.title = 'bad' BEGIN
              INSERT INTO Tag (name) VALUES ('phantom');
              SELECT RAISE(ABORT, 'no');
            END
            """
        )
      }
    }
    let start = try store.currentVersion()
    try store.write { body in
      #expect(throws: StoreError.self) {
        try body.insert(Sample.values("P", "bad"), key: .integer(7), into: Sample.book)
      }
      try body.insert(Sample.values("P", "good"), key: nil, into: Sample.book)
    }
    let books = try store.history(since: start, of: Sample.book).changes
    #expect(books?.map { $0.map { $0.after?["title"] } } == [["good"]])
    #expect(try store.history(since: start, of: Sample.tag).changes == [])
  }

  @Test func `rows that cascading foreign keys change are listed`() throws {
    let queue = try DatabaseQueue()
    try queue.write { database in
      try database.execute(
        sql: """
          CREATE TABLE Tag (name TEXT NOT NULL PRIMARY KEY, rank INTEGER);
          CREATE TABLE Book (id INTEGER PRIMARY KEY, publisher TEXT NOT NULL REFERENCES Tag
            ON DELETE CASCADE ON UPDATE CASCADE, title TEXT NOT NULL, year INTEGER, rating REAL,
            cover BLOB);
          INSERT INTO Tag (name) VALUES ('P');
          INSERT INTO Book (publisher, title) VALUES ('P', 'a'), ('P', 'b');
          """
      )
    }
    let store = try SQLiteStore(
      writer: queue,
      entities: [Sample.book, Sample.tag],
      options: .making
    )
    let start = try store.currentVersion()
    try queue.write { try $0.execute(sql: "UPDATE Tag SET name = 'Q'") }
    let renamed = try #require(try store.history(since: start, of: Sample.book).changes?.first)
    #expect(renamed.map { $0.after?["publisher"] } == ["Q", "Q"])
    let next = try store.currentVersion()
    try store.write { body in
      _ = try body.delete(ObjectID(entity: "Tag", key: .text("Q")), of: Sample.tag)
    }
    let gone = try #require(try store.history(since: next, of: Sample.book).changes?.first)
    #expect(gone.map { $0.before?["title"] } == ["a", "b"])
  }

  @Test func `without the hook, rows that triggers change are a gap`() throws {
    var options = SQLiteStoreOptions()
    options.usesPreUpdateHook = false
    let store = try SQLiteStore.inMemory(entities: Sample.entities, options: options)
    let start = try store.currentVersion()
    try store.write { try $0.insert(Sample.values("P", "a"), key: nil, into: Sample.book) }
    #expect(try store.history(since: start, of: Sample.book).changes?.count == 1)
    let next = try store.currentVersion()
    try store.write { body in
      try transaction(body).withDatabase { try $0.execute(sql: "UPDATE Book SET title = 'b'") }
    }
    #expect(try store.history(since: next, of: Sample.book).gap == .otherWriter)
  }

  @Test func `a commit of more rows than the history remembers is a gap`() throws {
    let options = SQLiteStoreOptions(historyCapacity: 10)
    let store = try SQLiteStore.inMemory(entities: Sample.entities, options: options)
    let start = try store.currentVersion()
    try store.write { transaction in
      for _ in 0..<11 {
        try transaction.insert(Sample.values("P", "a"), key: nil, into: Sample.book)
      }
    }
    #expect(try store.history(since: start, of: Sample.book).gap == .trimmed)
  }
}
