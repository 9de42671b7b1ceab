#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport
import Testing

@testable import PostgreSQLPersistence

/// What the log does not know is a gap with its reason, never a wrong history.
@Suite struct LogGapTests {
  private func gap(_ follower: Follower, of indexes: [Int]? = nil) throws -> GapReason? {
    guard case .gap(let reason) = try follower.history(of: indexes) else { return nil }
    return reason
  }

  @Test(arguments: [
    #"TRUNCATE "Book""#, #"ALTER TABLE "Book" DISABLE TRIGGER "!results_insert""#,
    #"DROP TRIGGER "!results_delete" ON "Book""#,
  ])
  func `a change that no row of the log has is a gap of its table alone (R148)`(
    statement: String
  ) throws {
    try TestServer.withDatabase { url in
      let follower = try LogFixture(url).open()
      let writer = try TestServer.connect(url)
      try writer.run(#"INSERT INTO "Book" VALUES (1, 'a', 1)"#)
      let old = try follower.advance()
      try writer.runOnce(statement)
      try writer.run(#"INSERT INTO "Tag" VALUES ('x', NULL)"#)
      #expect(try gap(follower) != nil)
      // The gap is between two versions: for the table of before, not for others, nor for later.
      try follower.read { pinned in
        let all = follower.log.tables.all
        let tags = try follower.log.history(
          since: old,
          ofEach: [all[1]],
          in: pinned,
          on: follower.connection
        )
        guard case .commits(let records) = tags else { throw Follower.Gap(history: tags) }
        #expect(records.flatMap(\.words) == ["Tag x: none → -"])
      }
      try writer.run(#"INSERT INTO "Tag" VALUES ('y', NULL)"#)
      #expect(try follower.commits().flatMap(\.words) == ["Tag y: none → -"])
    }
  }

  @Test func `a trigger that was disabled and enabled again is a gap (R148)`() throws {
    try TestServer.withDatabase { url in
      let follower = try LogFixture(url).open()
      try follower.advance()
      let writer = try TestServer.connect(url)
      try writer.runOnce(#"ALTER TABLE "Book" DISABLE TRIGGER USER"#)
      try writer.runOnce(#"INSERT INTO "Book" VALUES (1, 'a', 1)"#)
      try writer.runOnce(#"ALTER TABLE "Book" ENABLE TRIGGER USER"#)
      #expect(try gap(follower) == .schemaChanged)
    }
  }

  @Test func `a table that was made again is a gap, and is captured when it is opened (R148)`()
    throws
  {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      let follower = try fixture.open()
      try follower.advance()
      let writer = try TestServer.connect(url)
      try writer.runOnce(#"DROP TABLE "Book""#)
      try writer.runOnce(LogFixture.creation[0])
      #expect(try gap(follower) == .schemaChanged)
      try follower.log.maintain(on: follower.connection)
      #expect(!follower.log.isComplete)
      _ = try fixture.open()
      #expect(try gap(follower) == .schemaChanged)
      try writer.runOnce(#"INSERT INTO "Book" VALUES (1, 'a', 1)"#)
      #expect(try follower.commits().flatMap(\.words) == ["Book 1: none → a,1"])
    }
  }

  @Test func `what does not concern the entity is no gap (R148)`() throws {
    try TestServer.withDatabase { url in
      let follower = try LogFixture(url).open()
      let version = try follower.advance()
      let writer = try TestServer.connect(url)
      for statement in [
        #"ALTER TABLE "Book" ADD COLUMN isbn text"#, #"CREATE INDEX ON "Book" (title)"#,
        #"ANALYZE "Book""#, #"VACUUM "Book""#, #"GRANT SELECT ON "Book" TO PUBLIC"#,
        #"CREATE TABLE other (book bigint REFERENCES "Book")"#,
      ] {
        try writer.runOnce(statement)
        #expect(try follower.commits().isEmpty, "\(statement)")
      }
      #expect(follower.version == version)
    }
  }

  @Test func `a log that was trimmed is a gap for those who come later (R149)`() throws {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      var limits = ChangeLog.Limits()
      limits.retention = .zero
      limits.rowsInMemory = 0
      let follower = try fixture.open(limits: limits)
      let late = try fixture.open(limits: limits)
      let writer = try TestServer.connect(url)
      try follower.advance()
      let version = try late.advance()
      // Transactions of other tests go on meanwhile, so nothing may be trimmed before both have a lease.
      try writer.run(
        "INSERT INTO fetched_results.reader (id, floor) VALUES (gen_random_uuid(), '3')"
      )
      try follower.log.maintain(on: follower.connection)
      try late.log.maintain(on: late.connection)
      try writer.run("DELETE FROM fetched_results.reader WHERE floor = '3'")
      try writer.run(#"INSERT INTO "Book" SELECT n, 'x', NULL FROM generate_series(1, 11000) n"#)
      try writer.run(#"DELETE FROM "Book""#)
      #expect(try follower.commits().map(\.changes.count) == [11_000, 11_000])
      // The lease of the one who has read nothing keeps all rows.
      try late.log.maintain(on: late.connection)
      try follower.log.release(through: #require(follower.version))
      try follower.log.maintain(on: follower.connection)
      let count = "SELECT count(*) FROM fetched_results.log"
      #expect(try writer.run(count).integer(0, 0) == 22_000)
      #expect(try late.commits().count == 2)
      late.log.release(through: try #require(late.version))
      // A long transaction of another test holds up the trimming for as long as it runs.
      let deadline = ContinuousClock.now + .seconds(120)
      repeat {
        try late.log.maintain(on: late.connection)
      } while try writer.run(count).integer(0, 0) != 0 && ContinuousClock.now < deadline
      #expect(try writer.run(count).integer(0, 0) == 0)
      late.version = version
      #expect(try gap(late) == .trimmed)
      #expect(try follower.commits().isEmpty)
    }
  }

  @Test func `a store that nothing happens to does not hold up the trimming (R149)`() throws {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      var limits = ChangeLog.Limits()
      limits.retention = .zero
      let follower = try fixture.open(limits: limits)
      let version = try follower.advance()
      let writer = try TestServer.connect(url)
      let floor = "SELECT floor FROM fetched_results.reader"
      try follower.log.maintain(on: follower.connection)
      let before = try #require(try writer.run(floor).unsigned(0, 0))
      // Transactions that change nothing of the store's.
      for _ in 0..<20 { try writer.run("SELECT pg_current_xact_id()") }
      var after = before
      // A long transaction of another test's database holds the floor for as long as it runs.
      let deadline = ContinuousClock.now + .seconds(120)
      while after <= before, ContinuousClock.now < deadline {
        try follower.log.maintain(on: follower.connection)
        after = try #require(try writer.run(floor).unsigned(0, 0))
      }
      #expect(after > before)
      #expect(try follower.commits().isEmpty)
      #expect(follower.version == version)
    }
  }

  @Test func `a user without rights to create opens a log that fits (R146)`() throws {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      let writer = try TestServer.connect(url)
      let role = "reader_\(UInt32.random(in: 0 ... .max))"
      try writer.runOnce("CREATE ROLE \(role)")
      defer { _ = try? writer.runOnce("DROP OWNED BY \(role); DROP ROLE \(role)") }
      let reader = try TestServer.connect(url)
      try reader.runOnce("SET ROLE \(role)")
      func open() throws -> ChangeLog? {
        try ChangeLog.open(tables: fixture.tables, mayInstall: true, on: reader, path: "test")
      }
      #expect {
        try open()
      } throws: { error in
        guard case .cannotOpen(_, .needsRights(let statements)) = error as? StoreError else {
          return false
        }
        // What the owner is asked to run makes a complete log.
        for statement in statements { _ = try? writer.runOnce(statement) }
        return statements.contains { $0.hasPrefix("CREATE SCHEMA") }
      }
      _ = try fixture.open(mayInstall: false)
      try writer.runOnce("GRANT USAGE ON SCHEMA fetched_results TO \(role)")
      try writer.runOnce("GRANT SELECT ON ALL TABLES IN SCHEMA fetched_results TO \(role)")
      try writer.runOnce("GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role)")
      let log = try #require(try open())
      let follower = Follower(log, reader)
      try follower.advance()
      try writer.run(#"INSERT INTO "Book" VALUES (1, 'a', 1)"#)
      #expect(try follower.commits().flatMap(\.words) == ["Book 1: none → a,1"])
      try log.maintain(on: reader)
      _ = try writer.runOnce("DROP OWNED BY \(role)")
    }
  }

  @Test func `a trigger of others after a row ends the capture by statement (R152)`() throws {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      let follower = try fixture.open(mode: nil)
      try follower.advance()
      let writer = try TestServer.connect(url)
      let modes = "SELECT capture FROM fetched_results.entity ORDER BY number"
      func captures() throws -> [String?] {
        let result = try writer.run(modes)
        return (0..<result.count).map { result.text($0, 0) }
      }
      #expect(try captures() == ["statement", "statement", "statement"])
      try writer.runOnce(
        """
        CREATE FUNCTION again() RETURNS trigger LANGUAGE plpgsql AS \
        'BEGIN UPDATE "Book" SET year = NEW.year + 1 WHERE id = NEW.id AND year < 3; RETURN NULL; END'
        """
      )
      try writer.runOnce(
        #"CREATE TRIGGER again AFTER INSERT OR UPDATE ON "Book" FOR EACH ROW EXECUTE FUNCTION again()"#
      )
      #expect(try gap(follower) == .schemaChanged)
      try follower.log.maintain(on: follower.connection)
      #expect(try captures() == ["statement", "statement", "statement"])
      try follower.log.repair(on: follower.connection)
      #expect(try captures() == ["row", "statement", "statement"])
      #expect(try gap(follower) == .schemaChanged)
      try writer.runOnce(#"INSERT INTO "Book" VALUES (1, 'a', 1)"#)
      try writer.runOnce(#"UPDATE "Book" SET year = 0"#)
      // The trigger changes the row again, until nothing is left of the update.
      #expect(try follower.commits().flatMap(\.words) == ["Book 1: none → a,3"])
      _ = try fixture.open(mode: nil)
      #expect(try captures() == ["row", "statement", "statement"])
    }
  }

  @Test func `a trigger that fires before the log's is refused by name (R148)`() throws {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      let writer = try TestServer.connect(url)
      try writer.runOnce(
        "CREATE FUNCTION does_nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"
      )
      try writer.runOnce(
        #"CREATE TRIGGER "!a" AFTER UPDATE ON "Book" FOR EACH ROW EXECUTE FUNCTION does_nothing()"#
      )
      #expect {
        try fixture.open()
      } throws: { "\($0)".contains("!a") }
      try writer.runOnce(#"ALTER TRIGGER "!a" ON "Book" RENAME TO a"#)
      let follower = try fixture.open()
      try follower.advance()
      try writer.runOnce(#"ALTER TRIGGER a ON "Book" RENAME TO "!a""#)
      #expect(try gap(follower) == .schemaChanged)
    }
  }
}
#endif
