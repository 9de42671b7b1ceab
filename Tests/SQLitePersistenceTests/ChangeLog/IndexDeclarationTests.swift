@testable import SQLitePersistence
import Foundation
import GRDB
import ResultsDomain
import Testing

/// R58: the terms of an index are parsed from any declaration that SQLite accepts.
@Suite struct `Declarations of indexes` {
  @Test(arguments: [
    ("CREATE UNIQUE INDEX u ON Book(lower(title))", ["lower(title)"]),
    ("CREATE UNIQUE INDEX u /* of (title) */ ON Book(lower(title))", ["lower(title)"]),
    ("CREATE UNIQUE INDEX u ON Book(/* don't */ lower(title))", ["lower(title)"]),
    (
      "CREATE UNIQUE INDEX u ON Book(/* a, b */ lower(title) -- (c,\n, id)", ["lower(title)", "id"]
    ),
    ("CREATE INDEX \"u(x\" ON [Bo(ok](a, b) WHERE c = ')'", ["a", "b"]),
    (
      "CREATE INDEX `u(x` ON 'Book'(a COLLATE NOCASE DESC, b asc /* x */)",
      ["a COLLATE NOCASE", "b"]
    ),
    (
      "CREATE INDEX u ON Book(replace(a, '  ', '('), x'00', 1.5e-3)",
      ["replace(a, '  ', '(')", "x'00'", "1.5e-3"]
    ),
    ("CREATE INDEX u ON Book(\"a\"\"(b\", 'it''s', [c,d])", ["\"a\"\"(b\"", "'it''s'", "[c,d]"]),
    ("CREATE INDEX u ON Book(a/**/||b, a - -b, a--x\n-b)", ["a ||b", "a - -b", "a -b"]),
    ("CREATE INDEX u ON Book(a /* never ends", []),
    ("", []),
  ])
  func `are parsed as SQL`(_ sql: String, _ terms: [String]) {
    #expect(IndexDeclaration(sql).terms == terms)
  }

  @Test(arguments: [
    "CREATE UNIQUE INDEX u /* of (title) */ ON Book(lower(title))",
    "CREATE UNIQUE INDEX u ON Book(/* don't */ lower(title))",
    "CREATE UNIQUE INDEX u ON Book(/* a, b */ lower(title) /* ' */ DESC) -- the end",
    "CREATE UNIQUE INDEX u ON Book(replace(lower(title), '  (', ''))",
    "CREATE UNIQUE INDEX [u ( '] ON [Book](lower(`title`), \"publisher\")",
  ])
  func `neither hide a replaced row nor prevent opening a store`(_ declaration: String) throws {
    let folder = try TemporaryFolder()
    let first = try SQLiteStore(at: folder.file(), entities: Sample.entities)
    try first.write { transaction in
      try transaction.insert(Sample.values("P", "T3"), key: nil, into: Sample.book)
    }
    try first.close()
    try LogFixture.execute(folder.file(), declaration)
    let store = try SQLiteStore(
      at: folder.file(),
      entities: Sample.entities,
      options: SQLiteStoreOptions(pollInterval: nil)
    )
    let start = try store.currentVersion()
    try LogFixture.execute(
      folder.file(),
      "INSERT OR REPLACE INTO Book (publisher, title) VALUES ('P', 't3')"
    )
    try store.checkForExternalChanges()
    let changes = try store.history(since: start, of: Sample.book).changes?.flatMap(\.self)
    #expect(changes?.map(LogFixture.text) == ["1:T3-", "2:-t3"])
    try store.close()
  }
}
