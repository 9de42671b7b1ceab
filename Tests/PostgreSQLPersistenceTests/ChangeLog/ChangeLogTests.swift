#if PostgreSQL
import ResultsDomain
import Testing

@testable import PostgreSQLPersistence

@Suite struct ChangeLogTests {
  private func book(_ id: Int, _ title: String) -> String {
    #"INSERT INTO "Book" VALUES (\#(id), '\#(title)', NULL)"#
  }

  @Test(arguments: [CaptureText.Mode.row, .statement])
  func `commits of others are listed one by one, with the rows before and after (R145)`(
    mode: CaptureText.Mode
  ) throws {
    try TestServer.withDatabase { url in
      let follower = try LogFixture(url).open(mode: mode)
      try follower.advance()
      let writer = try TestServer.connect(url)
      try writer.run(book(1, "a"))
      try writer.run(#"INSERT INTO "Tag" VALUES ('x', 'red'), ('ü', NULL)"#)
      try writer.run(#"INSERT INTO "Score" VALUES ('Zoë', 7, 1.5)"#)
      let inserts = try follower.commits().map(\.words)
      #expect(
        inserts == [
          ["Book 1: none → a,-"], ["Tag x: none → red", "Tag ü: none → -"],
          ["Score Zoë,7: none → 7,Zoë,1.5"],
        ]
      )
      try writer.run(#"UPDATE "Book" SET title = 'b', year = 3"#)
      try writer.run(#"UPDATE "Score" SET game = 8, points = 2"#)
      try writer.run(#"DELETE FROM "Tag""#)
      let others = try follower.commits().map(\.words)
      #expect(
        others == [
          ["Book 1: a,- → b,3"],
          ["Score Zoë,7: 7,Zoë,1.5 → none", "Score Zoë,8: none → 8,Zoë,2.0"],
          ["Tag x: red → none", "Tag ü: - → none"],
        ]
      )
    }
  }

  @Test(arguments: [CaptureText.Mode.row, .statement])
  func `what changes nothing makes no version (R145)`(mode: CaptureText.Mode) throws {
    try TestServer.withDatabase { url in
      let follower = try LogFixture(url).open(mode: mode)
      let writer = try TestServer.connect(url)
      try writer.run(book(1, "a"))
      let version = try follower.advance()
      try writer.run(#"UPDATE "Book" SET title = 'a'"#)
      _ = try writer.run([
        .begin(.readCommitted), Statement(book(2, "b")), Statement(#"DELETE FROM "Book""#),
        Statement(book(1, "a")), .commit,
      ])
      #expect(try follower.commits().map(\.words) == [])
      #expect(follower.version == version)
    }
  }

  @Test func `an old image is exact, whatever the writer's settings are (R145)`() throws {
    try TestServer.withDatabase { url in
      let follower = try LogFixture(url).open()
      let writer = try TestServer.connect(url)
      try writer.runOnce("SET client_encoding = 'LATIN1'")
      try writer.runOnce("SET search_path = pg_temp")
      try writer.runOnce("INSERT INTO public.\"Book\" VALUES (1, U&'\\20AC', 1)")
      try follower.advance()
      try writer.runOnce("DELETE FROM public.\"Book\"")
      #expect(try follower.commits().map(\.words) == [["Book 1: €,1 → none"]])
    }
  }

  @Test func `opening a log that fits changes nothing in the database (R146)`() throws {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      _ = try fixture.open()
      let connection = try TestServer.connect(url)
      let count = "SELECT sum(xmin::text::bigint) FROM pg_class WHERE relkind <> 'i'"
      let triggers = "SELECT sum(xmin::text::bigint) FROM pg_trigger"
      let before = [try connection.run(count), try connection.run(triggers)].map { $0.text(0, 0) }
      _ = try fixture.open()
      _ = try fixture.open(mayInstall: false)
      let after = [try connection.run(count), try connection.run(triggers)].map { $0.text(0, 0) }
      #expect(before == after)
    }
  }

  @Test(arguments: [1, 8])
  func `R180: no statement reads the log as a whole while it grows, though nobody has analyzed it`(
    _ unseen: Int
  ) throws {
    try TestServer.withDatabase { url in
      let follower = try LogFixture(url).open()
      let connection = try TestServer.connect(url)
      try connection.runOnce("ALTER TABLE fetched_results.log SET (autovacuum_enabled = off)")
      let session = try TestServer.connect(url)
      try session.startSession()
      let trimming = Statement("SELECT fetched_results.trim(NULL, NULL)")
      _ = try session.run([trimming])
      // Transactions that run while the marks are taken, so that looks ask for them.
      let others = try (0..<unseen).map { _ in try TestServer.connect(url) }
      for other in others {
        try other.run([.begin(.readCommitted)])
        try other.run("SELECT pg_current_xact_id()")
      }
      var look = try follower.log.look(since: nil, on: session)
      for round in 1...5 {
        for _ in 0..<10 {
          try connection.run(#"INSERT INTO "Book" VALUES (0, 'a', 1)"#)
          look = try follower.log.look(since: look, on: session)
          try follower.advance()
          try connection.run(#"DELETE FROM "Book""#)
        }
        try connection.runOnce(
          """
          INSERT INTO fetched_results.log (xid, entity, kind, ki) \
          SELECT (100 + n / 10)::text::xid8, 1, 'i', n FROM generate_series(1, 30000) n
          """
        )
        // The connections have the plans of their first statements, when the log was empty.
        let texts = follower.log.lookState.texts
        for connection in [session, follower.connection] {
          for statement in [texts.fresh(since: look.mark), texts.newness(since: look.mark)] {
            #expect(try scannedRows(statement, on: connection) == 0, "round \(round)")
          }
        }
        // It measures the rows of a thousand.
        #expect(try scannedRows(trimming, on: session) ?? .max <= 1000, "round \(round)")
      }
    }
  }

  /// How many rows of the log a statement reads that does not use an index.
  private func scannedRows(_ statement: Statement, on connection: Connection) throws -> Int64? {
    let count = """
      SELECT seq_tup_read FROM pg_stat_xact_user_tables WHERE relid = 'fetched_results.log'::regclass
      """
    try connection.run([.begin(.readCommitted)])
    defer { _ = try? connection.run([.rollback]) }
    let results = try connection.run([Statement(count), statement, Statement(count)])
    guard let before = results[0].integer(0, 0), let after = results[2].integer(0, 0) else {
      return nil
    }
    return after - before
  }

  @Test func `what is fresh is read through the index, however long the log is (R150)`() throws {
    try TestServer.withDatabase { url in
      _ = try LogFixture(url).open()
      let connection = try TestServer.connect(url)
      try connection.runOnce(
        """
        INSERT INTO fetched_results.log (xid, entity, kind, ki) \
        SELECT (1000 + n / 10)::text::xid8, 1, 'i', n FROM generate_series(1, 100000) n
        """
      )
      try connection.runOnce("VACUUM ANALYZE fetched_results.log")
      try connection.runOnce("SET plan_cache_mode = force_generic_plan")
      let schema = LogSchema(name: "fetched_results")
      for text in [
        FreshReader.fresh(in: schema), FreshReader.newness(in: schema),
        FreshReader.visible(in: schema),
      ] {
        let hasParameters = text.contains("$1")
        let types = hasParameters ? "(xid8, xid8[], xid8[])" : ""
        try connection.runOnce("PREPARE p\(types) AS \(text)")
        let values = hasParameters ? "('1', '{}', '{}')" : ""
        let plan = try connection.runOnce("EXPLAIN EXECUTE p\(values)")
        let lines = (0..<plan.count).compactMap { plan.text($0, 0) }
        #expect(!lines.contains { $0.contains("Seq Scan") }, "\(lines)")
        try connection.runOnce("DEALLOCATE p")
      }
    }
  }
}
#endif
