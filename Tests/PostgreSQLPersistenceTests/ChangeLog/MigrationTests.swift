#if PostgreSQL
import ResultsDomain
import Testing

@testable import PostgreSQLPersistence

/// R182: whatever a migration does to a captured table or to the log, no write of an application fails because of the log.
@Suite struct MigrationTests {
  /// What happens to a table.
  ///
  /// If something is lost, a follower reads no commits after it: there is a gap, or the table cannot be read.
  static let tableMigrations: [(statement: String, isLoss: Bool?)] = [
    (#"ALTER TABLE "Book" RENAME COLUMN year TO published"#, true),
    (#"ALTER TABLE "Book" DROP COLUMN year"#, true),
    (#"ALTER TABLE "Book" DROP COLUMN year CASCADE"#, true),
    (#"ALTER TABLE "Book" ALTER COLUMN year TYPE integer"#, true),
    (#"ALTER TABLE "Book" ALTER COLUMN year TYPE text"#, true),
    (#"ALTER TABLE "Book" ALTER COLUMN id TYPE integer"#, true),
    (#"ALTER TABLE "Book" RENAME COLUMN id TO number"#, true),
    (#"ALTER TABLE "Book" DROP CONSTRAINT "Book_pkey""#, false),
    (#"ALTER TABLE "Book" DROP COLUMN id CASCADE"#, true),
    (#"ALTER TABLE "Book" RENAME TO "OldBook""#, true),
    (#"CREATE SCHEMA other; ALTER TABLE "Book" SET SCHEMA other"#, true),
    ("DROP SCHEMA fetched_results CASCADE", true),
  ]

  /// What happens to the log.
  static let logMigrations: [(statement: String, isLoss: Bool?)] = [
    ("DROP TABLE fetched_results.log", true),
    ("ALTER TABLE fetched_results.log RENAME TO journal", true),
    ("ALTER TABLE fetched_results.log DROP COLUMN old", true),
    ("ALTER TABLE fetched_results.log ADD CHECK (kind = 'm') NOT VALID", true),
    ("DROP SEQUENCE fetched_results.step CASCADE", true),
    ("ALTER FUNCTION fetched_results.own(xid) RENAME TO other", nil),
    ("ALTER SCHEMA fetched_results RENAME TO elsewhere", true),
    ("REVOKE ALL ON SEQUENCE fetched_results.bell, fetched_results.lost FROM PUBLIC", false),
  ]

  static let migrations = tableMigrations + logMigrations

  /// A statement of every kind, for a table that may have another name and lack a column.
  private func write(_ table: String, on connection: Connection) throws {
    try connection.runOnce("UPDATE \(table) SET title = title || 'x'")
    try connection.runOnce("UPDATE \(table) SET title = title || 'y' WHERE title LIKE 'a%'")
    try connection.runOnce("DELETE FROM \(table) WHERE title LIKE 'b%'")
  }

  private func table(_ connection: Connection) throws -> String {
    let found = try connection.runOnce(
      "SELECT oid::regclass::text FROM pg_class WHERE relname IN ('Book', 'OldBook') AND relkind = 'r'"
    )
    return try #require(found.text(0, 0))
  }

  @Test(arguments: migrations.indices, [CaptureText.Mode.row, .statement])
  func `a migration makes no write fail, and is a gap of the table (R182)`(
    migration: Int,
    mode: CaptureText.Mode
  ) throws {
    let (statement, isLoss) = Self.migrations[migration]
    try TestServer.withDatabase { url in
      let follower = try LogFixture(url).open(mode: mode)
      let writer = try TestServer.connect(url)
      try writer.runOnce(
        #"INSERT INTO "Book" VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3), (4, 'b', 4)"#
      )
      // This session has prepared the triggers' statements.
      try write(#""Book""#, on: writer)
      try follower.advance()
      let migrating = try TestServer.connect(url)
      for part in statement.split(separator: ";") { try migrating.runOnce(String(part)) }
      let name = try table(writer)
      for connection in [writer, migrating, try TestServer.connect(url)] {
        try write(name, on: connection)
        try connection.runOnce("INSERT INTO \(name) (title) SELECT 'n' WHERE false")
      }
      #expect(try writer.runOnce("SELECT count(*) FROM \(name)").integer(0, 0) == 2)
      // By statement, only rows that are written twice need this function.
      guard let isLoss else { return }
      if isLoss {
        #expect(throws: (any Error).self, "\(statement)") { try follower.commits(of: [0]) }
      } else {
        #expect(try !follower.commits(of: [0]).isEmpty, "\(statement)")
      }
    }
  }

  @Test(arguments: [CaptureText.Mode.row, .statement])
  func `a migration that writes before and after, in one transaction, is a gap (R182)`(
    mode: CaptureText.Mode
  ) throws {
    for (statement, isLoss) in Self.tableMigrations {
      try TestServer.withDatabase { url in
        let follower = try LogFixture(url).open(mode: mode)
        let writer = try TestServer.connect(url)
        try writer.runOnce(#"INSERT INTO "Book" VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3)"#)
        try follower.advance()
        try writer.run([.begin(.readCommitted)])
        try write(#""Book""#, on: writer)
        for part in statement.split(separator: ";") { try writer.runOnce(String(part)) }
        try write(table(writer), on: writer)
        try writer.run([.commit])
        guard isLoss == true else { return }
        #expect(throws: (any Error).self, "\(statement)") { try follower.commits(of: [0]) }
      }
    }
  }

  @Test func `a writer sees no setting of the log's functions (R182)`() throws {
    try TestServer.withDatabase { url in
      _ = try LogFixture(url).open()
      let writer = try TestServer.connect(url)
      try writer.runOnce("SET client_encoding = 'LATIN1'")
      try writer.runOnce(#"ALTER TABLE "Book" RENAME COLUMN year TO published"#)
      try writer.run([.begin(.readCommitted)])
      try writer.runOnce(#"INSERT INTO "Book" VALUES (1, 'a', 1)"#)
      try writer.runOnce(#"UPDATE "Book" SET title = 'b'"#)
      #expect(try writer.runOnce("SHOW client_encoding").text(0, 0) == "LATIN1")
      try writer.run([.commit])
    }
  }
}
#endif
