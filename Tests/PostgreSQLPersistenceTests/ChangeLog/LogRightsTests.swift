#if PostgreSQL
import ResultsDomain
import Testing

@testable import PostgreSQLPersistence

/// R177: nobody runs code as the owner of the log.
@Suite struct LogRightsTests {
  /// A database with a log, and a role with rights on it.
  private func database(
    _ mode: CaptureText.Mode? = .row,
    _ body: (_ url: String, _ owner: Connection, _ role: String) throws -> Void
  ) throws {
    try TestServer.withDatabase { url in
      _ = try LogFixture(url).open(mode: mode)
      let owner = try TestServer.connect(url)
      try TestServer.withRole(url) { role in try body(url, owner, role) }
    }
  }

  /// What docs/postgresql.md has an administrator grant.
  private func grant(_ role: String, editing: Bool, by owner: Connection) throws {
    var statements = LogSchema(name: "fetched_results").grants(to: role)
    statements.append("GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role)")
    if editing {
      statements += [
        "GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role)",
        "GRANT UPDATE ON fetched_results.turn TO \(role)",
        "GRANT EXECUTE ON FUNCTION fetched_results.marker(bigint, text) TO \(role)",
      ]
    }
    for statement in statements { try owner.runOnce(statement) }
  }

  /// A type whose assignment to a number runs code, which notes as whom.
  private static let type = [
    "CREATE TYPE pg_temp.evil AS (x int)",
    """
    CREATE FUNCTION pg_temp.f(pg_temp.evil) RETURNS bigint LANGUAGE plpgsql AS \
    $$ BEGIN PERFORM set_config('test.ran', current_user, false); RETURN 1; END $$
    """,
    "CREATE CAST (pg_temp.evil AS bigint) WITH FUNCTION pg_temp.f(pg_temp.evil) AS ASSIGNMENT",
    "CREATE TEMP TABLE t (id pg_temp.evil, title text, year bigint)",
    "INSERT INTO t VALUES (ROW(1), 'x', 1)",
  ]

  private static let triggers = [
    "AFTER DELETE ON t FOR EACH ROW", "AFTER INSERT ON t FOR EACH ROW",
    "AFTER DELETE ON t REFERENCING OLD TABLE AS o FOR EACH STATEMENT",
    "AFTER INSERT ON t REFERENCING NEW TABLE AS n FOR EACH STATEMENT",
    "AFTER UPDATE ON t REFERENCING OLD TABLE AS o NEW TABLE AS n FOR EACH STATEMENT",
  ]

  private func ran(on connection: Connection) throws -> String? {
    try connection.runOnce("SELECT nullif(current_setting('test.ran', true), '')").text(0, 0)
  }

  @Test(arguments: [CaptureText.Mode.row, .statement], [false, true])
  func `R177: no role but the owner makes a trigger of the log's functions`(
    _ mode: CaptureText.Mode,
    _ isEditor: Bool
  ) throws {
    try database(mode) { url, owner, role in
      try grant(role, editing: isEditor, by: owner)
      let open = try owner.runOnce(
        """
        SELECT p.oid::regprocedure::text FROM pg_proc p WHERE p.pronamespace = 'fetched_results'::regnamespace \
        AND has_function_privilege('public', p.oid, 'EXECUTE')
        """
      )
      #expect((0..<open.count).map { open.text($0, 0) } == [])
      let functions = try owner.runOnce(
        """
        SELECT quote_ident(p.proname) FROM pg_proc p WHERE p.pronamespace = 'fetched_results'::regnamespace \
        AND p.prorettype = 'trigger'::regtype
        """
      )
      #expect(functions.count > 12)
      let intruder = try TestServer.connect(TestServer.url(url, as: role))
      for statement in Self.type { try intruder.runOnce(statement) }
      for row in 0..<functions.count {
        for trigger in Self.triggers {
          #expect {
            try intruder.runOnce(
              "CREATE TRIGGER x \(trigger) EXECUTE FUNCTION fetched_results.\(functions.text(row, 0) ?? "")()"
            )
          } throws: { ($0 as? PostgreSQLFailure)?.state == "42501" }
        }
      }
      try intruder.runOnce("DELETE FROM t")
      #expect(try ran(on: intruder) == nil)
    }
  }

  @Test(arguments: [CaptureText.Mode.row, .statement])
  func `R177: a function does nothing for a trigger of another table`(_ mode: CaptureText.Mode)
    throws
  {
    try database(mode) { url, owner, role in
      try grant(role, editing: false, by: owner)
      try owner.runOnce("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA fetched_results TO \(role)")
      let intruder = try TestServer.connect(TestServer.url(url, as: role))
      for statement in Self.type { try intruder.runOnce(statement) }
      for (trigger, change) in zip(
        Self.triggers,
        ["delete", "insert", "delete", "insert", "update"]
      ) {
        let definition =
          "CREATE TRIGGER x \(trigger) EXECUTE FUNCTION fetched_results.\(change)_1()"
        try intruder.runOnce(definition)
        for statement in [
          "INSERT INTO t VALUES (ROW(1), 'x', 1)", "UPDATE t SET year = 2", "DELETE FROM t",
        ] {
          _ = try? intruder.runOnce(statement)
        }
        try intruder.runOnce("DROP TRIGGER x ON t")
      }
      #expect(try ran(on: intruder) == nil)
      #expect(try owner.run("SELECT count(*) FROM fetched_results.log").integer(0, 0) == 0)
    }
  }

  /// Casts that run code when a statement runs, and already when it is planned.
  static let casts = [
    "plpgsql AS $$ BEGIN RETURN public.noting(); END $$",
    "sql IMMUTABLE AS $$ SELECT public.noting() $$",
  ]

  @Test(arguments: [CaptureText.Mode.row, .statement], casts)
  func `R177: the owner of a table runs no code by a new type of its key`(
    _ mode: CaptureText.Mode,
    _ cast: String
  ) throws {
    try database(mode) { url, owner, role in
      for statement in [
        #"INSERT INTO "Book" VALUES (1, 'a', 1), (2, 'b', 2)"#,
        #"ALTER TABLE "Book" OWNER TO \#(role)"#, "GRANT CREATE ON SCHEMA public TO \(role)",
      ] {
        try owner.runOnce(statement)
      }
      let maker = try TestServer.connect(TestServer.url(url, as: role))
      for statement in [
        "CREATE TYPE public.evil AS (x int)",
        """
        CREATE FUNCTION public.noting() RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS \
        $$ BEGIN PERFORM set_config('test.ran', current_user, false); RETURN 1; END $$
        """,
        "CREATE FUNCTION public.f(public.evil) RETURNS bigint LANGUAGE \(cast)",
        "CREATE CAST (public.evil AS bigint) WITH FUNCTION public.f(public.evil) AS ASSIGNMENT",
        #"DROP TRIGGER IF EXISTS "!results_columns" ON "Book""#,
        #"DROP TRIGGER IF EXISTS "!results_rekey" ON "Book""#,
        #"ALTER TABLE "Book" DROP CONSTRAINT "Book_pkey""#,
      ] {
        try maker.runOnce(statement)
      }
      let change = #"ALTER TABLE "Book" ALTER COLUMN id TYPE evil USING ROW(id)::evil"#
      if (try? maker.runOnce(change)) == nil {
        try maker.runOnce(#"DROP TRIGGER "!results_update" ON "Book""#)
        try maker.runOnce(change)
      }
      try maker.runOnce("SELECT set_config('test.ran', '', false)")
      // A statement that changes no row is planned all the same.
      try maker.runOnce(#"INSERT INTO "Book" SELECT * FROM "Book" WHERE false"#)
      try maker.runOnce(#"UPDATE "Book" SET year = 7 WHERE false"#)
      try maker.runOnce(#"DELETE FROM "Book" WHERE false"#)
      #expect(try ran(on: maker) == nil)
      try maker.runOnce(#"INSERT INTO "Book" VALUES (ROW(3), 'c', 3)"#)
      try maker.runOnce(#"UPDATE "Book" SET year = 7"#)
      try maker.runOnce(#"DELETE FROM "Book""#)
      #expect(try ran(on: maker) == nil)
    }
  }

  @Test func `R178: the limits of the log are the owner's, not the caller's`() throws {
    try database { url, owner, role in
      try grant(role, editing: false, by: owner)
      try owner.run(#"INSERT INTO "Book" SELECT n, 'x', NULL FROM generate_series(1, 1000) n"#)
      let reader = try TestServer.connect(TestServer.url(url, as: role))
      for _ in 0..<3 {
        try reader.runOnce("SELECT fetched_results.trim(interval '0 seconds', 0)")
      }
      #expect(try owner.run("SELECT count(*) FROM fetched_results.log").integer(0, 0) == 1000)
      var limits = ChangeLog.Limits()
      limits.retention = .seconds(3600)
      _ = try LogFixture(url, creates: false).open(limits: limits)
      let found = try owner.run(
        "SELECT extract(epoch FROM retention)::bigint, byte_limit FROM fetched_results.store"
      )
      #expect(found.integer(0, 0) == 3600)
      #expect(found.integer(0, 1) == 1 << 30)
    }
  }

  @Test func `R177: a log of an earlier program is mended by its owner, for those who use it`()
    throws
  {
    try database { url, owner, role in
      try TestServer.withRole(url) { editor in
        // The rights and the table of an earlier program.
        for statement in [
          "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA fetched_results TO PUBLIC",
          "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA fetched_results FROM CURRENT_USER",
          "ALTER TABLE fetched_results.store DROP COLUMN retention, DROP COLUMN byte_limit",
          "GRANT USAGE ON SCHEMA fetched_results TO \(role), \(editor)",
          "GRANT SELECT ON ALL TABLES IN SCHEMA fetched_results TO \(role), \(editor)",
          "GRANT UPDATE ON fetched_results.turn TO \(editor)",
        ] {
          try owner.runOnce(statement)
        }
        _ = try LogFixture(url, creates: false).open()
        func may(_ role: String, _ function: String) throws -> Bool? {
          try owner.run(
            "SELECT has_function_privilege($1, $2, 'EXECUTE')",
            [.text(role), .text("fetched_results.\(function)")]
          ).boolean(0, 0)
        }
        for function in LogSchema.followersFunctions {
          #expect(try may("public", function) == false, "\(function)")
          #expect(try may(role, function) == true, "\(function)")
          #expect(try may(editor, function) == true, "\(function)")
        }
        #expect(try may("public", "delete_1()") == false)
        #expect(try may(role, "delete_1()") == false)
        #expect(try may(role, "marker(bigint, text)") == false)
        #expect(try may(editor, "marker(bigint, text)") == true)
        #expect(
          try owner.run("SELECT byte_limit FROM fetched_results.store").integer(0, 0) == 1 << 30
        )
        // What was taken from a reader later stays so.
        try owner.runOnce("REVOKE EXECUTE ON FUNCTION fetched_results.arm() FROM \(role)")
        let log = try LogFixture(url, creates: false).open()
        try log.log.repair(on: owner)
        #expect(try may(role, "arm()") == false)
      }
    }
  }

  /// What a role may put in the way that can create schemas.
  static let squats = [
    [],
    [
      "CREATE VIEW fetched_results.store AS SELECT fetched_results.life() AS stamp, 1 AS format",
      "GRANT SELECT ON fetched_results.store TO PUBLIC",
    ],
    ["CREATE TABLE fetched_results.store (format integer)"],
    ["GRANT CREATE ON SCHEMA fetched_results TO PUBLIC"],
  ]

  @Test(arguments: squats, [false, true])
  func `R177: a schema that a stranger has made is no log, and nothing in it runs`(
    _ statements: [String],
    _ isGiven: Bool
  ) throws {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      let owner = try TestServer.connect(url)
      try TestServer.withRole(url) { role in
        let name = try owner.runOnce("SELECT quote_ident(current_database())").text(0, 0) ?? ""
        try owner.runOnce("GRANT CREATE ON DATABASE \(name) TO \(role)")
        let stranger = try TestServer.connect(TestServer.url(url, as: role))
        for statement in [
          "CREATE SCHEMA fetched_results",
          """
          CREATE FUNCTION fetched_results.life() RETURNS bigint LANGUAGE plpgsql AS \
          $$ BEGIN RAISE EXCEPTION 'runs as %', current_user; END $$
          """,
          "GRANT USAGE ON SCHEMA fetched_results TO PUBLIC",
        ] + statements {
          try stranger.runOnce(statement)
        }
        // The stranger's function stays, though the schema is another's by now.
        if isGiven { try owner.runOnce("ALTER SCHEMA fetched_results OWNER TO CURRENT_USER") }
        #expect {
          try fixture.open()
        } throws: {
          guard case .cannotOpen(_, .modelMismatch(let detail)) = $0 as? StoreError else {
            return false
          }
          return detail.contains("belongs to \(role)")
        }
        #expect(throws: LogFixture.NoLog.self) { try fixture.open(mayInstall: false) }
        let found = try owner.runOnce(
          #"SELECT count(*) FROM pg_trigger WHERE tgrelid = '"Book"'::regclass"#
        )
        #expect(found.integer(0, 0) == 0)
      }
    }
  }

  @Test
  func
    `R177: the owner of a partitioned table makes partitions of a table in the log of another role`()
    throws
  {
    try TestServer.withDatabase { url in
      let owner = try TestServer.connect(url)
      try TestServer.withRole(url) { role in
        for statement in [
          #"CREATE TABLE "Book" (id bigint PRIMARY KEY, title text COLLATE "C" NOT NULL, year bigint) PARTITION BY RANGE (id)"#,
          LogFixture.creation[1], LogFixture.creation[2],
          #"ALTER TABLE "Book" OWNER TO \#(role)"#, "GRANT CREATE ON SCHEMA public TO \(role)",
        ] {
          try owner.runOnce(statement)
        }
        let follower = try LogFixture(url, creates: false).open(mode: nil)
        let maker = try TestServer.connect(TestServer.url(url, as: role))
        try maker.runOnce(#"CREATE TABLE first PARTITION OF "Book" FOR VALUES FROM (0) TO (100)"#)
        try follower.advance()
        try maker.runOnce(#"INSERT INTO "Book" VALUES (1, 'a', 1)"#)
        #expect(try follower.commits().flatMap(\.words) == ["Book 1: none → a,1"])
        // A trigger of theirs on another table writes nothing.
        try owner.runOnce("GRANT USAGE ON SCHEMA fetched_results TO \(role)")
        try maker.runOnce("CREATE TABLE other (id bigint, title text, year bigint)")
        try maker.runOnce(
          "CREATE TRIGGER x AFTER INSERT ON other FOR EACH ROW EXECUTE FUNCTION fetched_results.insert_1()"
        )
        try maker.runOnce("INSERT INTO other VALUES (7, 'x', 7)")
        #expect(try follower.commits().map(\.words) == [])
      }
    }
  }

  @Test func `R177: what a superuser mends in the log of another role belongs to that role`() throws
  {
    try TestServer.withDatabase { url in
      let superuser = try TestServer.connect(url)
      try TestServer.withRole(url) { role in
        let fixture = try LogFixture(url)
        let name = try superuser.runOnce("SELECT quote_ident(current_database())").text(0, 0) ?? ""
        for statement in [
          "GRANT CREATE ON DATABASE \(name) TO \(role)",
          #"ALTER TABLE "Book" OWNER TO \#(role)"#, #"ALTER TABLE "Tag" OWNER TO \#(role)"#,
          #"ALTER TABLE "Score" OWNER TO \#(role)"#,
        ] {
          try superuser.runOnce(statement)
        }
        let owner = try TestServer.connect(TestServer.url(url, as: role))
        _ = try ChangeLog.open(tables: fixture.tables, mayInstall: true, on: owner, path: "test")
        // As an earlier version had it.
        for statement in [
          "DROP FUNCTION fetched_results.own(xid)",
          "DROP FUNCTION fetched_results.is_plain(regtype)",
          "DROP SEQUENCE fetched_results.lost",
        ] {
          try owner.runOnce(statement)
        }
        let follower = try fixture.open(mode: nil)
        try follower.log.repair(on: follower.connection)
        let others = try superuser.runOnce(
          """
          SELECT count(*) FROM (SELECT proowner AS owner FROM pg_proc WHERE pronamespace = 'fetched_results'::regnamespace \
          UNION ALL SELECT relowner FROM pg_class WHERE relnamespace = 'fetched_results'::regnamespace) o \
          WHERE owner <> '\(role)'::regrole
          """
        )
        #expect(others.integer(0, 0) == 0)
        try follower.advance()
        try superuser.run([.begin(.readCommitted)])
        try superuser.runOnce(#"INSERT INTO "Book" VALUES (1, 'a', 1)"#)
        try superuser.runOnce(#"UPDATE "Book" SET year = 2"#)
        try superuser.run([.commit])
        #expect(try follower.commits().flatMap(\.words) == ["Book 1: none → a,2"])
        #expect(follower.log.isComplete, "\(follower.log.problems)")
      }
    }
  }

  @Test(arguments: [CaptureText.Mode.row, .statement])
  func `R182: no check that a database demands of functions fails those of the log`(
    _ mode: CaptureText.Mode
  ) throws {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      let owner = try TestServer.connect(url)
      let name = try owner.runOnce("SELECT quote_ident(current_database())").text(0, 0) ?? ""
      for setting in [
        "plpgsql.extra_errors = 'all'", "plpgsql.extra_warnings = 'all'",
        "standard_conforming_strings = off", "transform_null_equals = on", "array_nulls = off",
        "search_path = ''",
      ] {
        try owner.runOnce("ALTER DATABASE \(name) SET \(setting)")
      }
      let follower = try fixture.open(mode: mode)
      try follower.advance()
      let writer = try TestServer.connect(url)
      try writer.runOnce(#"INSERT INTO public."Book" VALUES (1, 'a', 1), (2, 'b', 2)"#)
      try writer.runOnce(#"UPDATE public."Book" SET id = id + 10"#)
      try writer.run([.begin(.readCommitted)])
      try writer.runOnce(#"UPDATE public."Book" SET year = 3"#)
      try writer.runOnce(#"UPDATE public."Book" SET year = 4"#)
      try writer.runOnce(#"DELETE FROM public."Book""#)
      try writer.run([.commit])
      #expect(try follower.commits().map(\.changes.count) == [2, 4, 2])
      try follower.log.maintain(on: follower.connection)
      try writer.runOnce(#"TRUNCATE public."Book""#)
    }
  }
}
#endif
