import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Testing

/// R58, R47: the history lists exactly the rows that any statement of any connection of any program changes.
@Suite struct `Capture by the change log` {
  /// The statements, and the expected changes: keys with the titles (or ranks, points) before and after.
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let sql: String
    var books: [String] = []
    var tags: [String] = []
    var scores: [String] = []

    var testDescription: String { name }
  }

  /// Books 1 to 4 have the titles a to d, tags x and y the ranks 1 and 2, the score Ann/1 has 5 points.
  static let cases = [
    Case(name: "nothing", sql: "SELECT 1"),
    Case(
      name: "an insert",
      sql: "INSERT INTO Book VALUES (9, 'P', 'n', 2, 0.5, x'00', 1)",
      books: ["9:-n"]
    ),
    Case(
      name: "an insert without a key",
      sql: "INSERT INTO Book (publisher, title) VALUES ('P', 'n'), ('P', 'm')",
      books: ["5:-n", "6:-m"]
    ),
    Case(
      name: "REPLACE of the same key",
      sql: "REPLACE INTO Book (id, publisher, title) VALUES (2, 'P', 'z')",
      books: ["2:bz"]
    ),
    Case(
      name: "REPLACE with the same values",
      sql: "REPLACE INTO Book (id, publisher, title) VALUES (2, 'P', 'b')"
    ),
    Case(
      name: "REPLACE that evicts by a unique index",
      sql: "INSERT OR REPLACE INTO Book (id, publisher, title) VALUES (9, 'P', 'b')",
      books: ["2:b-", "9:-b"]
    ),
    Case(
      name: "REPLACE that evicts two rows",
      sql: "INSERT OR REPLACE INTO Book (id, publisher, title) VALUES (1, 'P', 'b')",
      books: ["1:ab", "2:b-"]
    ),
    Case(
      name: "REPLACE that evicts by a partial index",
      sql: "INSERT OR REPLACE INTO Book (publisher, title, year) VALUES ('P', 'n', 1)",
      books: ["4:d-", "5:-n"]
    ),
    Case(
      name: "REPLACE that evicts by an expression",
      sql: "INSERT OR REPLACE INTO Book (publisher, title, rating) VALUES ('P', 'n', -3.0)",
      books: ["3:c-", "5:-n"]
    ),
    Case(
      name: "REPLACE of the key -1",
      sql: "INSERT INTO Tag (name) VALUES ('-1'); REPLACE INTO Tag VALUES ('-1', 3)",
      tags: ["-1:-3"]
    ),
    Case(
      name: "UPDATE OR REPLACE by a unique index",
      sql: "UPDATE OR REPLACE Book SET title = 'b' WHERE id = 1",
      books: ["1:ab", "2:b-"]
    ),
    Case(
      name: "UPDATE OR REPLACE by the key",
      sql: "UPDATE OR REPLACE Book SET id = 2 WHERE id = 1",
      books: ["1:a-", "2:ba"]
    ),
    Case(
      name: "UPDATE OR REPLACE by a partial index",
      sql: "UPDATE OR REPLACE Book SET year = 1 WHERE id = 1",
      books: ["1:aa", "4:d-"]
    ),
    Case(
      name: "UPDATE OR REPLACE by a column that is in no index",
      sql: "UPDATE OR REPLACE Book SET publisher = 'U' WHERE id = 4",
      books: ["3:c-", "4:dd"]
    ),
    Case(
      name: "UPSERT that updates",
      sql:
        "INSERT INTO Book (id, publisher, title) VALUES (2, 'P', 'q') ON CONFLICT (id) DO UPDATE SET title = 'u'",
      books: ["2:bu"]
    ),
    Case(
      name: "UPSERT that does nothing",
      sql: "INSERT INTO Book (id, publisher, title) VALUES (2, 'P', 'q') ON CONFLICT DO NOTHING"
    ),
    Case(
      name: "OR IGNORE",
      sql:
        "INSERT OR IGNORE INTO Book (id, publisher, title) VALUES (2, 'P', 'q'), (7, 'P', 'b'), (8, 'P', 'k')",
      books: ["8:-k"]
    ),
    Case(
      name: "an update",
      sql: "UPDATE Book SET title = title || '!' WHERE id > 3",
      books: ["4:dd!"]
    ),
    Case(name: "an update without effect", sql: "UPDATE Book SET title = title"),
    Case(
      name: "a change of an integer key",
      sql: "UPDATE Book SET id = 20 WHERE id = 2",
      books: ["2:b-", "20:-b"]
    ),
    Case(
      name: "a change of the row number",
      sql: "UPDATE Book SET _rowid_ = 20 WHERE rowid = 2",
      books: ["2:b-", "20:-b"]
    ),
    Case(
      name: "keys that move along",
      sql: "UPDATE Book SET id = -id; UPDATE Book SET id = 1 - id",
      books: ["1:a-", "2:ba", "3:cb", "4:dc", "5:-d"]
    ),
    Case(
      name: "a change of a text key",
      sql: "UPDATE Tag SET name = 'z' WHERE name = 'x'",
      tags: ["x:1-", "z:-1"]
    ),
    Case(
      name: "a change of a compound key",
      sql: "UPDATE Score SET subject = 2, points = 6",
      scores: ["Ann,1:5-", "Ann,2:-6"]
    ),
    Case(
      name: "a table without row numbers",
      sql:
        "INSERT INTO Score VALUES (7, 'Bob', 1); UPDATE Score SET points = 8; DELETE FROM Score WHERE student = 'Ann'",
      scores: ["Ann,1:5-", "Bob,1:-8"]
    ),
    Case(
      name: "REPLACE without row numbers",
      sql: "REPLACE INTO Score VALUES (9, 'Ann', 1)",
      scores: ["Ann,1:59"]
    ),
    Case(name: "a delete", sql: "DELETE FROM Book WHERE id = 2", books: ["2:b-"]),
    Case(
      name: "a delete without a condition",
      sql: "DELETE FROM Book; DELETE FROM Tag",
      books: ["1:a-", "2:b-", "3:c-", "4:d-"],
      tags: ["x:1-", "y:2-"]
    ),
    Case(
      name: "a delete and an insert of the same key",
      sql: "DELETE FROM Book WHERE id = 4; INSERT INTO Book (publisher, title) VALUES ('P', 'e')",
      books: ["4:de"]
    ),
    Case(
      name: "nested savepoints",
      sql: """
        SAVEPOINT a; UPDATE Book SET title = 'p' WHERE id = 1; SAVEPOINT b; DELETE FROM Book WHERE id = 2;
        INSERT INTO Book (id, publisher, title) VALUES (2, 'P', 'ghost'); ROLLBACK TO b;
        INSERT INTO Tag VALUES ('s', 9); RELEASE b; RELEASE a
        """,
      books: ["1:ap"],
      tags: ["s:-9"]
    ),
    Case(
      name: "a savepoint that undoes everything",
      sql: "SAVEPOINT a; DELETE FROM Book; ROLLBACK TO a; RELEASE a"
    ),
    Case(
      name: "a statement that fails half way",
      sql: "INSERT OR FAIL INTO Book (id, publisher, title) VALUES (7, 'P', 'k'), (1, 'P', 'l')",
      books: ["7:-k"]
    ),
    Case(
      name: "exact values",
      sql:
        "INSERT INTO Book VALUES (9, '', 'a' || char(0) || 'b', 9223372036854775807, 1.0, zeroblob(3), 0)",
      books: ["9:-a\0b"]
    ),
    Case(name: "an unlisted column", sql: "UPDATE Book SET extra = id"),
    Case(
      name: "a table that is attached",
      sql: "INSERT INTO aside.Book VALUES (1, 'P', 'other', NULL, NULL, NULL)"
    ),
  ]

  /// The writer that executes them.
  enum Writer: String, CaseIterable, Sendable {
    case ownSQL, secondStore, triggersOfTheApplication, queue, recursiveTriggers, shell
  }

  @Test(arguments: Writer.allCases, cases)
  func `is exact`(_ writer: Writer, _ testCase: Case) throws {
    let folder = try TemporaryFolder()
    let store = try LogFixture.open(folder)
    let aside = folder.file("aside.sqlite")
    try LogFixture.execute(aside, "CREATE TABLE Book (id INTEGER PRIMARY KEY, a, b, c, d, e)")
    let attach = "ATTACH '\(aside)' AS aside"
    if writer == .triggersOfTheApplication {
      try LogFixture.execute(
        folder.file(),
        "CREATE TABLE other (x); CREATE TRIGGER stamp AFTER INSERT ON other BEGIN SELECT 1; END"
      )
    }
    let start = try store.currentVersion()
    let before = try Sample.entities.map { LogFixture.content(try store.allRows(of: $0)) }
    switch writer {
    case .ownSQL, .triggersOfTheApplication:
      try LogFixture.run(testCase.sql, attach, in: store)
    case .secondStore:
      let second = try LogFixture.open(folder, isNew: false)
      try LogFixture.run(testCase.sql, attach, in: second)
      try second.close()
    case .queue, .recursiveTriggers:
      let pragma = "PRAGMA recursive_triggers = \(writer == .queue ? 0 : 1)"
      try LogFixture.execute(
        folder.file(),
        before: [attach, pragma, "BEGIN"],
        testCase.sql,
        after: "COMMIT"
      )
    case .shell:
      guard LogFixture.shell != nil else { return }
      try LogFixture.runShell(folder.file(), "\(attach); BEGIN;\n\(testCase.sql);\nCOMMIT;")
    }
    try store.checkForExternalChanges()
    for (index, entity) in Sample.entities.enumerated() {
      let expected = [testCase.books, testCase.tags, testCase.scores][index]
      let history = try store.history(since: start, of: entity)
      let records = try #require(history.records, "\(history)")
      #expect(records.count == (expected.isEmpty ? 0 : 1))
      let changes = records.flatMap(\.changes)
      #expect(changes.map(LogFixture.text) == expected)
      #expect(
        records.allSatisfy {
          $0.isOwn == (writer == .ownSQL || writer == .triggersOfTheApplication)
        }
      )
      let after = LogFixture.content(try store.allRows(of: entity))
      #expect(LogFixture.replay(changes, on: before[index]) == after)
    }
    try store.close()
    withExtendedLifetime(folder) {}
  }
}

/// R58, R61: the history from any earlier version, replayed, gives the present rows, whatever program wrote them.
@Suite struct `Random writers of an SQLite store` {
  /// The rows of all entities at a version.
  private struct Moment {
    let version: StoreVersion
    let content: [[ObjectID: ResultsDomain.Row]]
  }

  /// `RESULTS_TORTURE_OPERATIONS`, as `script/torture` sets it, doubles the number of histories.
  private static let seeds: Range<UInt64> =
    0..<(ProcessInfo.processInfo.environment["RESULTS_TORTURE_OPERATIONS"] == nil ? 6 : 12)

  @Test(arguments: seeds)
  func `are recorded exactly`(_ seed: UInt64) throws {
    let folder = try TemporaryFolder()
    var generator = SeededGenerator(seed: seed)
    // Half of the histories exceed what a store remembers in memory.
    let options = SQLiteStoreOptions(
      pollInterval: nil,
      historyCapacity: seed.isMultiple(of: 2) ? 65_536 : 7
    )
    let store = try LogFixture.open(folder, options)
    let second = try LogFixture.open(folder, isNew: false, options)
    let queue = try DatabaseQueue(path: folder.file())
    var moments: [Moment] = []
    for _ in 0..<40 {
      moments.append(try moment(store))
      for _ in 0..<generator.number(in: 1...3) {
        try step(&generator, store, second, queue, folder)
      }
      try store.checkForExternalChanges()
      let now = try moment(store)
      for past in moments {
        for (index, entity) in Sample.entities.enumerated() {
          let history = try store.history(since: past.version, of: entity)
          let records = try #require(history.records, "seed \(seed): \(history)")
          var content = past.content[index]
          for record in records {
            #expect(!record.changes.isEmpty && record.version.sequence > past.version.sequence)
            content = LogFixture.replay(record.changes, on: content)
          }
          try #require(content == now.content[index], "seed \(seed), \(entity.name)")
        }
      }
    }
    try queue.close()
    try second.close()
    try store.close()
  }

  private func moment(_ store: SQLiteStore) throws -> Moment {
    Moment(
      version: try store.currentVersion(),
      content: try Sample.entities.map { LogFixture.content(try store.allRows(of: $0)) }
    )
  }

  private func step(
    _ generator: inout SeededGenerator,
    _ store: SQLiteStore,
    _ second: SQLiteStore,
    _ queue: DatabaseQueue,
    _ folder: TemporaryFolder
  ) throws {
    let statements = (0..<generator.number(in: 1...4)).map { _ in statement(&generator) }
    switch generator.number(in: 0...5) {
    case 0: for sql in statements { try? LogFixture.run(sql, in: store) }
    case 1: for sql in statements { try? LogFixture.run(sql, in: second) }
    case 2: try transaction(&generator, store)
    case 3: try transaction(&generator, second)
    default:
      try queue.writeWithoutTransaction { database in
        let commits = generator.number(in: 0...3) > 0
        try database.execute(sql: "BEGIN IMMEDIATE")
        for sql in statements { try? database.execute(sql: sql) }
        if database.isInsideTransaction {
          try database.execute(sql: commits ? "COMMIT" : "ROLLBACK")
        }
      }
    }
  }

  /// A transaction through the port.
  private func transaction(_ generator: inout SeededGenerator, _ store: SQLiteStore) throws {
    let numbers = (0..<6).map { _ in Int64(generator.number(in: 1...9)) }
    _ = try? store.commit(origin: CommitOrigin("random")) { body in
      for (index, number) in numbers.enumerated() {
        let values = Sample.values("P", "t\(number)\(index)")
        switch index % 3 {
        case 0: _ = try? body.insert(values, key: .integer(number), into: Sample.book)
        case 1:
          try? body.update(Sample.id(number), to: values, of: Sample.book, ifUnchangedFrom: nil)
        default: _ = try body.delete(Sample.id(number), of: Sample.book)
        }
      }
    }
  }

  private func statement(_ generator: inout SeededGenerator) -> String {
    let (key, other) = (generator.number(in: -2...9), generator.number(in: 1...9))
    let title = "'t\(generator.number(in: 0...6))'"
    let or = ["", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ROLLBACK"][generator.number(in: 0...4)]
    let choices = [
      "INSERT \(or) INTO Book (id, publisher, title, year) VALUES (\(key), 'P', \(title), \(other))",
      "INSERT \(or) INTO Book (publisher, title, rating) VALUES ('P', \(title), \(other))",
      "UPDATE \(or) Book SET title = \(title), rating = \(key) WHERE id >= \(other)",
      "UPDATE \(or) Book SET id = \(key) WHERE id = \(other)",
      "UPDATE \(or) Book SET id = id + 1 WHERE id > \(other)",
      "UPDATE \(or) Book SET year = \(other), extra = 1 WHERE id = \(key)",
      "UPDATE Book SET extra = \(key)",
      "DELETE FROM Book WHERE id > \(other)",
      "DELETE FROM Book",
      "INSERT INTO Book (id, publisher, title) VALUES (\(key), 'P', \(title))"
        + " ON CONFLICT (id) DO UPDATE SET publisher = 'Q'",
      "INSERT \(or) INTO Tag VALUES (\(title), \(key)), ('x', \(other))",
      "UPDATE \(or) Tag SET name = \(title) WHERE rank = \(other) OR name = 'x'",
      "DELETE FROM Tag WHERE rank < \(other)",
      "REPLACE INTO Score VALUES (\(key), 'Ann', \(other)), (\(other), 'Bob', 1)",
      "UPDATE \(or) Score SET subject = \(other), points = points + 1",
      "SAVEPOINT s; DELETE FROM Book; INSERT INTO Tag VALUES (\(title), 1); ROLLBACK TO s; RELEASE s",
    ]
    return choices[generator.number(in: 0...(choices.count - 1))]
  }
}

/// A store with rows and constraints, and other programs that write into it.
enum LogFixture {
  /// The path of SQLite's shell, where it is installed.
  static let shell = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3"]
    .first(where: FileManager.default.isExecutableFile(atPath:))

  /// Opens the store in a folder; a new one gets rows, unique indexes, and a column that is not an attribute.
  static func open(
    _ folder: TemporaryFolder,
    isNew: Bool = true,
    _ options: SQLiteStoreOptions = SQLiteStoreOptions(pollInterval: nil)
  ) throws -> SQLiteStore {
    let store = try SQLiteStore(at: folder.file(), entities: Sample.entities, options: options)
    guard isNew else { return store }
    try store.write { body in
      let transaction = try #require(body as? SQLiteTransaction)
      try transaction.withDatabase { database in
        try database.execute(
          sql: """
            ALTER TABLE Book ADD COLUMN extra INTEGER;
            CREATE UNIQUE INDEX "by""title" ON Book (title COLLATE NOCASE);
            CREATE UNIQUE INDEX byYear ON Book (year) WHERE year > 0;
            CREATE UNIQUE INDEX byRating ON Book (abs(rating), ("cover" IS NULL) DESC);
            CREATE UNIQUE INDEX onYear ON Book (abs(year)) WHERE publisher = 'U';
            INSERT INTO Book (publisher, title) VALUES ('P', 'a'), ('P', 'b'), ('P', 'c'), ('P', 'd');
            UPDATE Book SET rating = 3 WHERE id = 3;
            UPDATE Book SET year = 1 WHERE id = 4;
            UPDATE Book SET year = -1, publisher = 'U' WHERE id = 3;
            INSERT INTO Tag VALUES ('x', 1), ('y', 2);
            INSERT INTO Score VALUES (5, 'Ann', 1);
            """
        )
      }
    }
    return store
  }

  /// Runs statements in a transaction of a store.
  static func run(_ sql: String, _ attach: String? = nil, in store: SQLiteStore) throws {
    try store.write { body in
      let transaction = try #require(body as? SQLiteTransaction)
      try transaction.withDatabase { database in
        if let attach { try database.execute(sql: attach) }
        try permissive { try database.execute(sql: sql) }
      }
    }
  }

  /// Runs statements on a connection without a store.
  static func execute(
    _ path: String,
    before: [String] = [],
    _ sql: String,
    after: String? = nil
  ) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { database in
      for statement in before { try database.execute(sql: statement) }
      try permissive { try database.execute(sql: sql) }
      if let after { try database.execute(sql: after) }
    }
    try queue.close()
  }

  /// Ignores a constraint failure, as of OR FAIL.
  private static func permissive(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {}
  }

  /// Runs statements in SQLite's shell, which is another process.
  static func runShell(_ path: String, _ sql: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(shell))
    process.arguments = [path]
    let input = Pipe()
    process.standardInput = input
    process.standardError = Pipe()
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data((".timeout 5000\n" + sql + "\n").utf8))
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// A change as `key:beforeafter`, with the title, rank or points; a dash stands for no row.
  static func text(_ change: CommittedChange) -> String {
    func text(_ row: ResultsDomain.Row?) -> String {
      guard let row else { return "-" }
      let value = row.values[row.entity.name == "Book" ? 1 : 0]
      return value.text ?? value.integer.map { String($0) } ?? "?"
    }
    return "\(change.id.key):\(text(change.before))\(text(change.after))"
  }

  /// Rows by their identity.
  static func content(_ rows: [ResultsDomain.Row]) -> [ObjectID: ResultsDomain.Row] {
    Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
  }

  /// Applies changes to rows; a change whose old image differs from the row is skipped.
  static func replay(
    _ changes: [CommittedChange],
    on rows: [ObjectID: ResultsDomain.Row]
  ) -> [ObjectID: ResultsDomain.Row] {
    var rows = rows
    for change in changes where rows[change.id] == change.before { rows[change.id] = change.after }
    return rows
  }
}

extension StoreHistory {
  /// The commits, or `nil` for a gap.
  var records: [CommitRecord]? {
    if case .commits(let commits) = self { commits } else { nil }
  }
}
