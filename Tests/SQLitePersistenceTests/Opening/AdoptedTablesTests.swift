import CSQLiteHooks
import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLitePersistence
import Testing

/// Tables of an application: used as they are, or refused with a reason, and never changed.
@Suite struct `Tables of an application` {
  private static let event = Sample.entity(
    "Event",
    .integer(),
    [AttributeDescription("at", .date), AttributeDescription("name", .text, isOptional: true)]
  )

  private func open(
    _ queue: DatabaseQueue,
    _ entity: EntityDescription,
    _ options: SQLiteStoreOptions = SQLiteStoreOptions()
  ) throws(StoreError) -> SQLiteStore {
    try SQLiteStore(writer: queue, entities: [entity], options: options)
  }

  private func refusal(
    _ sql: String,
    _ entity: EntityDescription,
    _ options: SQLiteStoreOptions = SQLiteStoreOptions()
  ) throws -> String? {
    let queue = try DatabaseQueue()
    try queue.inDatabase { try $0.execute(sql: sql) }
    let schema = { (database: Database) in
      try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema ORDER BY name")
    }
    let before = try queue.inDatabase(schema)
    do throws(StoreError) {
      try open(queue, entity, options).close()
      return nil
    } catch {
      #expect(try queue.inDatabase(schema) == before)
      return error.description
    }
  }

  @Test func `that are missing are not created, and the error names the nearest one`() throws {
    let text = try #require(
      try refusal("CREATE TABLE Tags (name TEXT NOT NULL PRIMARY KEY, rank INT)", Sample.tag)
    )
    #expect(text.contains("no table Tag") && text.contains("Tags"))
    let far = try #require(try refusal("CREATE TABLE Customers (id INTEGER)", Sample.tag))
    #expect(far.contains("no table Tag") && far.contains("Customers"))
  }

  @Test func `that are temporary or views are refused`() throws {
    let columns = "(name TEXT NOT NULL PRIMARY KEY, rank INT)"
    let temporary = try #require(try refusal("CREATE TEMP TABLE Tag \(columns)", Sample.tag))
    #expect(temporary.contains("temporary"))
    let hidden = "CREATE TABLE Tag \(columns); CREATE TEMP TABLE tag \(columns)"
    #expect(try refusal(hidden, Sample.tag)?.contains("temporary") == true)
    let view = "CREATE TABLE t \(columns); CREATE VIEW Tag AS SELECT * FROM t"
    #expect(try refusal(view, Sample.tag)?.contains("view") == true)
  }

  @Test(arguments: [
    ("INT", "1700000000", "seconds"), ("INTEGER", "1700000000123", "milliseconds"),
    ("DATETIME", "'2024-01-01 12:00:00'", "texts"), ("DATETIME", "2460310.5", "fractions"),
  ])
  func `with dates in another unit are refused`(_ type: String, _ date: String, _ word: String)
    throws
  {
    let sql = """
      CREATE TABLE Event (id INTEGER PRIMARY KEY, at \(type) NOT NULL, name TEXT);
      INSERT INTO Event (at) VALUES (\(date)), (\(date)), (\(date));
      """
    let text = try #require(try refusal(sql, Self.event))
    #expect(text.contains(word) && text.contains("microseconds") && text.contains("at"))
  }

  @Test func `with dates in microseconds are accepted`() throws {
    for date in ["1700000000000000", "0", "1000", "-1700000000000000"] {
      let sql = """
        CREATE TABLE Event (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, name TEXT);
        INSERT INTO Event (at) VALUES (\(date)), (1600000000000000);
        """
      #expect(try refusal(sql, Self.event) == nil)
    }
  }

  @Test(arguments: [
    ("DATETIME", "'2024-01-01 12:00:00.000'", StoredForm.dateText(digits: 3)),
    ("TIMESTAMP", "'2024-01-01T12:00:00Z'", .iso8601(digits: 0)),
    ("INTEGER", "1704110400", .epochSeconds), ("DATE", "'1968-12-08'", .dayText),
    ("REAL", "725803200.5", .referenceSeconds),
  ])
  func `R102: with dates in a declared form are accepted, whatever their columns are declared as`(
    _ type: String,
    _ date: String,
    _ form: StoredForm
  ) throws {
    let entity = Sample.entity(
      "Event",
      .integer(),
      [AttributeDescription("at", .date, form: form)]
    )
    let sql =
      "CREATE TABLE Event (id INTEGER PRIMARY KEY, at \(type) NOT NULL);"
      + "INSERT INTO Event (at) VALUES (\(date)), (\(date)), (\(date));"
    #expect(try refusal(sql, entity) == nil)
  }

  @Test func `R102: with decimals as text are refused where the column makes them numbers`() throws
  {
    let entity = Sample.entity(
      "Event",
      .integer(),
      [AttributeDescription("price", .text, form: .decimalText)]
    )
    let text = try #require(
      try refusal("CREATE TABLE Event (id INTEGER PRIMARY KEY, price DECIMAL NOT NULL)", entity)
    )
    #expect(text.contains("price is declared DECIMAL"))
  }

  @Test func `R91: that name each other by UUIDs as bytes have relationships`() throws {
    let key = AttributeDescription("key", .text, form: .uuidBlob)
    let list = Sample.entity("List", .compound(["key"]), [key])
    let task = try EntityDescription(
      name: "Task",
      attributes: [
        AttributeDescription("listKey", .text, isOptional: true, form: .uuidBlob)
      ],
      relationships: [RelationshipDescription("list", .toOne(foreignKey: ["listKey"])) { list }]
    )
    let queue = try DatabaseQueue()
    try queue.inDatabase { database in
      try database.execute(
        sql: """
          CREATE TABLE List (key BLOB PRIMARY KEY NOT NULL);
          CREATE TABLE Task (id INTEGER PRIMARY KEY, listKey BLOB REFERENCES List);
          """
      )
    }
    try SQLiteStore(writer: queue, entities: [list, task]).close()
  }

  @Test func `are checked for dates in another unit even if the store created them`() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(at: folder.file(), entities: [Self.event])
    try LogFixture.execute(folder.file(), "INSERT INTO Event (at) VALUES (1700000000)")
    let problems = try store.check().problems
    #expect(problems.count == 1 && problems[0].contains("Event.at"))
    try store.close()
  }

  @Test(arguments: ["name", "first name", "a.b", "x: y", "it's"])
  func `name the required attribute in the error, whatever its name`(_ name: String) throws {
    let queue = try DatabaseQueue()
    try queue.inDatabase { database in
      try database.execute(
        sql: "CREATE TABLE \"My. table\" (id INTEGER PRIMARY KEY, \"\(name)\" TEXT NOT NULL)"
      )
    }
    let attributes = [AttributeDescription(name, .text, isOptional: true)]
    let entity = Sample.entity("My. table", .integer(), attributes)
    let store = try open(queue, entity)
    let error = #expect(throws: StoreError.self) {
      try store.write { try $0.insert([.null], key: nil, into: entity) }
    }
    guard case .invalid([.missing(entity: "My. table", attribute: name)]) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try store.close()
  }

  @Test func `recreated by the application in one transaction are a gap without a log`() throws {
    let queue = try DatabaseQueue()
    try queue.inDatabase { database in
      try database.execute(
        sql: """
          CREATE TABLE Tag (name TEXT NOT NULL PRIMARY KEY, rank INTEGER) STRICT, WITHOUT ROWID;
          INSERT INTO Tag VALUES ('a', 1), ('b', 2);
          """
      )
    }
    let store = try open(queue, Sample.tag)
    let start = try store.currentVersion()
    try queue.write { database in
      try database.execute(
        sql: """
          DROP TABLE Tag;
          CREATE TABLE Tag (name TEXT NOT NULL PRIMARY KEY, rank INTEGER) STRICT, WITHOUT ROWID;
          INSERT INTO Tag VALUES ('b', 3);
          """
      )
    }
    #expect(try store.history(since: start, of: Sample.tag).gap != nil)
    try store.close()
  }

  @Test(arguments: [true, false])
  func `are captured when one of their blobs is written incrementally on the connection`(
    _ isInTransaction: Bool
  ) throws {
    let queue = try DatabaseQueue()
    try queue.inDatabase { database in
      try database.execute(
        sql: """
          CREATE TABLE Book (id INTEGER PRIMARY KEY, publisher TEXT NOT NULL, title TEXT NOT NULL,
            year INTEGER, rating REAL, cover BLOB);
          INSERT INTO Book (publisher, title) VALUES ('P', 'a');
          """
      )
    }
    let store = try open(queue, Sample.book)
    let start = try store.currentVersion()
    try queue.inDatabase { database in
      if isInTransaction { try database.beginTransaction() }
      #expect(IncrementalWrite.write("z", into: "title", row: 1, on: database) == SQLITE_OK)
      if isInTransaction { try database.commit() }
    }
    let changes = try store.history(since: start, of: Sample.book).changes?.flatMap(\.self)
    #expect(changes?.map(LogFixture.text) == ["1:az"])
    try store.close()
  }
}

/// Incremental writing (sqlite.org/c3ref/blob_open.html).
enum IncrementalWrite {
  /// Overwrites the beginning of a value.
  /// - Returns: SQLite's result code.
  static func write(
    _ text: String,
    into column: String,
    row: Int64,
    of table: String = "Book",
    on database: Database
  ) -> Int32 {
    var blob: OpaquePointer?
    let code = sqlite3_blob_open(database.sqliteConnection, "main", table, column, row, 1, &blob)
    guard code == SQLITE_OK else { return code }
    defer { sqlite3_blob_close(blob) }
    let bytes = Array(text.utf8)
    return sqlite3_blob_write(blob, bytes, Int32(bytes.count), 0)
  }
}
