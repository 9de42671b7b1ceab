import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
@testable import SQLitePersistence
import Synchronization
import Testing

/// R59 to R61, R68: changes of the log and its triggers, and the history after them.
@Suite struct `Lifecycle of the change log` {
  private func insert(_ store: SQLiteStore, _ name: String, _ rank: Value = 1) throws {
    _ = try store.commit(origin: CommitOrigin(name)) { transaction in
      try transaction.insert([rank], key: .text(name), into: Sample.tag)
    }
  }

  private func open(
    _ folder: TemporaryFolder,
    _ change: (inout SQLiteStoreOptions) -> Void = { _ in }
  )
    throws -> SQLiteStore
  {
    var options = SQLiteStoreOptions(pollInterval: nil)
    change(&options)
    return try SQLiteStore(at: folder.file(), entities: Sample.entities, options: options)
  }

  private func keys(_ history: StoreHistory) -> [[ObjectKey]]? {
    history.records?.map { $0.changes.map(\.id.key) }
  }

  private func integer(_ folder: TemporaryFolder, _ sql: String) throws -> Int {
    let queue = try DatabaseQueue(path: folder.file())
    defer { try? queue.close() }
    return try queue.read { try Int.fetchOne($0, sql: sql) } ?? 0
  }

  @Test func `commits of other stores are separate records with their origin`() throws {
    let folder = try TemporaryFolder()
    let (store, other) = (try open(folder), try open(folder))
    let start = try store.currentVersion()
    try insert(other, "a")
    try insert(store, "b")
    try LogFixture.execute(folder.file(), "INSERT INTO Tag VALUES ('c', 1)")
    try LogFixture.execute(folder.file(), "INSERT INTO Tag VALUES ('d', 1)")
    try insert(other, "e")
    let records = try #require(try store.history(since: start, of: Sample.tag).records)
    #expect(records.map(\.origin.name) == ["a", "b", "", "e"])
    #expect(records.map(\.isOwn) == [false, true, false, false])
    #expect(records.map { $0.changes.count } == [1, 1, 2, 1])
    let seen = try #require(try other.history(since: start, of: Sample.tag).records)
    #expect(seen.map(\.isOwn) == [true, false, false, true])
    #expect(seen.map(\.version) == records.map(\.version))
    #expect(seen.map(\.changes) == records.map(\.changes))
    try other.close()
    try store.close()
  }

  @Test(arguments: [true, false])
  func `R60: the history of another store has values of words and other forms`(
    isPacked: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let event = try EntityDescription(
      name: "Event",
      attributes: [
        AttributeDescription("level", .text, form: .words(["low", "high"])),
        AttributeDescription("at", .date, isOptional: true, form: .iso8601(digits: 3)),
      ]
    )
    func open() throws -> SQLiteStore {
      var options = SQLiteStoreOptions(pollInterval: nil)
      options.usesPreUpdateHook = isPacked
      return try SQLiteStore(at: folder.file(), entities: [event], options: options)
    }
    let (store, other) = (try open(), try open())
    let id = try other.write { transaction in
      try transaction.insert([0, "2026-11-03T09:00:00.000Z"], key: nil, into: event)
    }
    let start = try store.currentVersion()
    try other.write { try $0.update(id, to: [1, .null], of: event) }
    let records = try #require(try store.history(since: start, of: event).records)
    #expect(
      records.flatMap(\.changes).map { $0.before?.values } == [[0, "2026-11-03T09:00:00.000Z"]]
    )
    #expect(records.flatMap(\.changes).map { $0.after?.values } == [[1, .null]])
    try other.close()
    try store.close()
  }

  @Test func `a store reports how it captures changes`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    #expect(store.capabilities.historyCoverage == .everyWriter)
    #expect("\(store.capture)" == "hook + log")
    try LogFixture.run(
      "CREATE TRIGGER own AFTER INSERT ON Tag BEGIN UPDATE Tag SET rank = 7 WHERE name = new.name; END",
      in: store
    )
    let start = try store.currentVersion()
    try insert(store, "a")
    #expect("\(store.capture)" == "triggers + log (the application has triggers of its own)")
    let records = try #require(try store.history(since: start, of: Sample.tag).records)
    #expect(records.map { $0.changes.map { $0.after?["rank"] } } == [[7]])
    #expect(records.map(\.isOwn) == [true] && records.map(\.origin.name) == ["a"])
    try LogFixture.run("DROP TRIGGER own", in: store)
    try insert(store, "b")
    #expect(store.capture.mode == .hookAndLog)
    #expect(try store.history(since: start, of: Sample.tag).records?.count == 2)
    #expect("\(try SQLiteStore.inMemory(entities: []).capture)".hasPrefix("this object only"))
    try store.close()
  }

  @Test(arguments: [true, false])
  func `rows that cascading foreign keys change are listed`(_ isOwn: Bool) throws {
    let folder = try TemporaryFolder()
    try LogFixture.execute(
      folder.file(),
      """
      CREATE TABLE Tag (name TEXT NOT NULL PRIMARY KEY, rank INTEGER);
      CREATE TABLE Score (points INTEGER NOT NULL, subject INTEGER NOT NULL, student TEXT NOT NULL
        REFERENCES Tag ON DELETE CASCADE ON UPDATE CASCADE, PRIMARY KEY (student, subject));
      INSERT INTO Tag (name) VALUES ('a'), ('b');
      INSERT INTO Score VALUES (1, 1, 'a'), (2, 2, 'a'), (3, 3, 'b');
      """
    )
    let options = SQLiteStoreOptions(
      adoptsTables: true,
      pollInterval: nil,
      maintainsChangeLog: true
    )
    let store = try SQLiteStore(
      at: folder.file(),
      entities: [Sample.tag, Sample.score],
      options: options
    )
    #expect(store.capture.mode == .hookAndLog)
    let start = try store.currentVersion()
    let sql = "UPDATE Tag SET name = 'z' WHERE name = 'a'; DELETE FROM Tag WHERE name = 'b'"
    if isOwn {
      try LogFixture.run(sql, in: store)
    } else {
      try LogFixture.execute(folder.file(), sql)
    }
    let history = try store.history(since: start, of: Sample.score)
    #expect(
      history.records?.flatMap(\.changes).map(LogFixture.text)
        == ["a,1:1-", "a,2:2-", "b,3:3-", "z,1:-1", "z,2:-2"]
    )
    #expect(keys(try store.history(since: start, of: Sample.tag))?.first?.count == 3)
    try store.close()
  }

  @Test func `a store of some entities does not suppress the changes of others`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    let some = try SQLiteStore(at: folder.file(), entities: [Sample.tag])
    #expect(some.capture.reason == "the file has entities that this program does not name")
    let start = try store.currentVersion()
    try LogFixture.run(
      "INSERT INTO Book (publisher, title) VALUES ('P', 'a'); INSERT INTO Tag VALUES ('x', 1)",
      in: some
    )
    #expect(keys(try store.history(since: start, of: Sample.book)) == [[.integer(1)]])
    #expect(keys(try store.history(since: start, of: Sample.tag)) == [[.text("x")]])
    #expect(keys(try some.history(since: start, of: Sample.tag)) == [[.text("x")]])
    try some.close()
    try store.close()
  }

  @Test func `the history in a transaction ends where the transaction began`() throws {
    let folder = try TemporaryFolder()
    for usesHook in [true, false] {
      let store = try open(folder) { $0.usesPreUpdateHook = usesHook }
      let start = try store.currentVersion()
      try LogFixture.execute(folder.file(), "INSERT INTO Tag VALUES ('x', 1)")
      let history = try store.write { transaction in
        try transaction.update(
          ObjectID(entity: "Tag", key: .text("x")),
          to: [2],
          of: Sample.tag,
          ifUnchangedFrom: nil
        )
        return try transaction.history(since: start, of: Sample.tag)
      }
      let changes = try #require(history.changes?.first)
      #expect(changes.map { $0.before?["rank"] } == [nil])
      #expect(changes.map { $0.after?["rank"] } == [1])
      #expect(try store.history(since: start, of: Sample.tag).records?.count == 2)
      try store.write {
        _ = try $0.delete(ObjectID(entity: "Tag", key: .text("x")), of: Sample.tag)
      }
      try store.close()
    }
  }

  @Test func `a trigger of the application runs from the closure after its creation`()
    throws
  {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    let start = try store.currentVersion()
    try store.write { body in
      let transaction = try #require(body as? SQLiteTransaction)
      try transaction.withDatabase { database in
        try database.execute(
          sql: "CREATE TRIGGER own AFTER INSERT ON Tag BEGIN DELETE FROM Tag WHERE rank = 0; END"
        )
      }
      try transaction.insert([0], key: .text("gone"), into: Sample.tag)
      try transaction.insert([1], key: .text("kept"), into: Sample.tag)
    }
    let history = try store.history(since: start, of: Sample.tag)
    #expect(keys(history) == [[.text("kept")]])
    #expect(
      try integer(folder, "SELECT count(*) FROM _results_log WHERE kind > 0 AND kind < 7") == 0
    )
    try store.close()
  }

  @Test(arguments: [
    "DROP TABLE Tag; CREATE TABLE Tag (name TEXT NOT NULL PRIMARY KEY, rank INTEGER) STRICT, WITHOUT ROWID",
    "DROP TRIGGER _results_3_insert", "CREATE UNIQUE INDEX u ON Tag (rank)",
  ])
  func `a recreated table or trigger is a gap, and later changes are captured again`(
    _ sql: String
  )
    throws
  {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    try insert(store, "a")
    let start = try store.currentVersion()
    try LogFixture.execute(folder.file(), sql + "; INSERT INTO Tag VALUES ('b', 2)")
    #expect(try store.history(since: start, of: Sample.tag).gap == .schemaChanged)
    try store.checkForExternalChanges()
    #expect(try store.history(since: start, of: Sample.tag).gap == .schemaChanged)
    #expect(keys(try store.history(since: start, of: Sample.book)) == [])
    let mended = try store.currentVersion()
    try LogFixture.execute(folder.file(), "REPLACE INTO Tag VALUES ('b', 3)")
    try insert(store, "c", 4)
    #expect(keys(try store.history(since: mended, of: Sample.tag)) == [[.text("b")], [.text("c")]])
    try store.close()
  }

  @Test func `a column that is not an attribute is not listed`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    try insert(store, "a")
    let start = try store.currentVersion()
    try LogFixture.execute(
      folder.file(),
      "ALTER TABLE Tag ADD COLUMN more INTEGER; UPDATE Tag SET more = 1"
    )
    try LogFixture.run("UPDATE Tag SET more = 2", in: store)
    try store.checkForExternalChanges()
    #expect(try store.currentVersion() == start)
    try LogFixture.run("UPDATE Tag SET more = 3, rank = 2", in: store)
    #expect(keys(try store.history(since: start, of: Sample.tag)) == [[.text("a")]])
    try store.close()
  }

  @Test func `a dropped table is a gap`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    let start = try store.currentVersion()
    try LogFixture.execute(folder.file(), "DROP TABLE Tag")
    try store.checkForExternalChanges()
    #expect(try store.currentVersion() != start)
    #expect(try store.history(since: start, of: Sample.book).gap == .schemaChanged)
    let blind = try store.currentVersion()
    try LogFixture.execute(folder.file(), "INSERT INTO Book (publisher, title) VALUES ('P', 'a')")
    try store.checkForExternalChanges()
    #expect(try store.history(since: blind, of: Sample.book).gap == .otherWriter)
    #expect("\(store.capture)".contains("does not fit"))
    try store.close()
  }

  @Test func `a file of format 1 is upgraded, and read unchanged by a read-only store`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    try insert(store, "a")
    try store.close()
    let triggers = ["insert", "update", "rekey", "delete", "replace", "evict"]
    try LogFixture.execute(
      folder.file(),
      (1...3).flatMap { n in triggers.map { "DROP TRIGGER _results_\(n)_\($0);" } }.joined()
        + """
        DROP TABLE _results_log; DROP TABLE _results_reader;
        ALTER TABLE _results_store DROP COLUMN epoch; ALTER TABLE _results_store DROP COLUMN adopted;
        ALTER TABLE _results_entity DROP COLUMN number; UPDATE _results_store SET format = 1;
        """
    )
    let reader = try open(folder) { $0.isReadOnly = true }
    #expect(reader.capabilities.historyCoverage == .thisStore)
    #expect(try reader.allRows(of: Sample.tag).count == 1)
    try reader.close()
    let upgraded = try open(folder)
    #expect(upgraded.capabilities.historyCoverage == .everyWriter)
    let start = try upgraded.currentVersion()
    try LogFixture.execute(folder.file(), "UPDATE Tag SET rank = 9")
    #expect(keys(try upgraded.history(since: start, of: Sample.tag)) == [[.text("a")]])
    #expect(try upgraded.check().problems == [])
    try upgraded.close()
  }

  @Test func `a closure that ends its transaction causes a gap`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    let start = try store.currentVersion()
    #expect(throws: StoreError.self) {
      try LogFixture.run("INSERT INTO Tag VALUES ('a', 1); COMMIT", in: store)
    }
    #expect(try store.history(since: start, of: Sample.tag).gap == .schemaChanged)
    try store.close()
  }

  @Test func `a later process finds a version again, but only with the same past`()
    throws
  {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    try insert(store, "a")
    let bookmark = try #require(
      try store.read { (snapshot) throws(StoreError) in try snapshot.bookmark() }
    )
    try store.close()
    try LogFixture.execute(folder.file(), "UPDATE Tag SET rank = 9")
    let again = try open(folder)
    func found(_ bookmark: StoreBookmark) throws -> StoreVersion? {
      try again.read { (snapshot) throws(StoreError) in try snapshot.version(at: bookmark) }
    }
    let version = try #require(try found(bookmark))
    #expect(keys(try again.history(since: version, of: Sample.tag)) == [[.text("a")]])
    let other = StoreBookmark(
      store: bookmark.store,
      sequence: bookmark.sequence,
      stamp: bookmark.stamp ^ 1
    )
    #expect(try found(other) == nil)
    #expect(
      try found(StoreBookmark(store: "x", sequence: bookmark.sequence, stamp: bookmark.stamp))
        == nil
    )
    try again.close()
  }

  @Test func `a database that was restored from a copy has another past`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    try insert(store, "a")
    let copy = try DatabaseQueue()
    let source = try DatabaseQueue(path: folder.file())
    try source.backup(to: copy)
    try insert(store, "b")
    let version = try store.currentVersion()
    try copy.backup(to: source)
    #expect(try store.history(since: version, of: Sample.tag).gap == .otherEpoch)
    #expect(try store.allRows(of: Sample.tag).count == 1)
    try insert(store, "c")
    #expect(try store.history(since: version, of: Sample.tag).gap == .otherEpoch)
    try source.close()
    try store.close()
  }

  @Test func `tables of an application get a log on request`() throws {
    let folder = try TemporaryFolder()
    let pool = try DatabasePool(path: folder.file())
    try pool.write { database in
      try database.execute(
        sql: """
          CREATE TABLE tag (rank INT, name VARCHAR(9) NOT NULL PRIMARY KEY, more);
          INSERT INTO tag VALUES (1, 'a', 2);
          """
      )
    }
    let options = SQLiteStoreOptions(pollInterval: nil, maintainsChangeLog: true)
    let store = try SQLiteStore(writer: pool, entities: [Sample.tag], options: options)
    #expect("\(store.capture)" == "triggers + log (the connection is the application's)")
    let start = try store.currentVersion()
    try pool.write { try $0.execute(sql: "UPDATE tag SET rank = 2") }
    try insert(store, "b")
    try LogFixture.execute(folder.file(), "INSERT OR REPLACE INTO tag VALUES (3, 'a', 0)")
    let records = try #require(try store.history(since: start, of: Sample.tag).records)
    #expect(records.map(\.origin.name) == ["", "b", ""])
    #expect(records.map { $0.changes[0].after?["rank"] } == [2, 1, 3])
    try store.close()
    let adopting = SQLiteStoreOptions(adoptsTables: true, pollInterval: nil)
    let again = try SQLiteStore(at: folder.file(), entities: [Sample.tag], options: adopting)
    #expect(again.capture.mode == .hookAndLog)
    #expect(keys(try again.history(since: start, of: Sample.tag))?.count == 3)
    try again.close()
    #expect(throws: StoreError.self) {
      try SQLiteStore(at: folder.file(), entities: [Sample.tag])
    }
    #expect(
      try pool.read { try Int.fetchOne($0, sql: "SELECT more FROM tag WHERE name = 'a'") } == 0
    )
  }
}
