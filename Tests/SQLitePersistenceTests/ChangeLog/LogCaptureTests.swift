import Foundation
import GRDB
import ResultsDomain
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
