#if PostgreSQL
import ResultsDomain
import ResultsTesting
import Testing

@testable import PostgreSQLPersistence

/// R183: the rows before a transaction are exact although its statements run others, which change the same rows.
@Suite struct NestedStatementTests {
  /// Code that runs within a statement; each changes rows that the statement changes too.
  private static let functions = [
    """
    CREATE FUNCTION bump(k bigint) RETURNS bigint LANGUAGE plpgsql AS \
    'BEGIN UPDATE "Book" SET year = coalesce(year, 0) + 10 WHERE id = k; RETURN 1; END'
    """,
    """
    CREATE FUNCTION try_bump(k bigint) RETURNS bigint LANGUAGE plpgsql AS \
    'BEGIN BEGIN UPDATE "Book" SET year = coalesce(year, 0) + 10 WHERE id = k; \
    EXCEPTION WHEN OTHERS THEN RETURN 2; END; RETURN 1; END'
    """,
    """
    CREATE FUNCTION fail_bump(k bigint) RETURNS bigint LANGUAGE plpgsql AS \
    'BEGIN BEGIN UPDATE "Book" SET year = coalesce(year, 0) + 10 WHERE id = k; RAISE EXCEPTION $$undone$$; \
    EXCEPTION WHEN OTHERS THEN RETURN 2; END; RETURN 1; END'
    """,
    """
    CREATE FUNCTION replace_book(k bigint) RETURNS bigint LANGUAGE plpgsql AS \
    'BEGIN DELETE FROM "Book" WHERE id = k; INSERT INTO "Book" VALUES (k, $$new$$, 0) ON CONFLICT DO NOTHING; RETURN 1; END'
    """,
    """
    CREATE FUNCTION move_book(k bigint) RETURNS bigint LANGUAGE plpgsql AS \
    'BEGIN UPDATE "Book" SET id = id + 100 WHERE id = k AND NOT EXISTS (SELECT FROM "Book" WHERE id = k + 100); RETURN 1; END'
    """,
    """
    CREATE FUNCTION sibling() RETURNS trigger LANGUAGE plpgsql AS \
    'BEGIN PERFORM CASE NEW.year % 5 WHEN 0 THEN bump(NEW.id - 1) WHEN 1 THEN try_bump(NEW.id + 1) \
    WHEN 2 THEN replace_book(NEW.id - 2) WHEN 3 THEN move_book(NEW.id - 1) ELSE fail_bump(NEW.id - 1) END; RETURN NEW; END'
    """,
  ]

  private static func trigger(_ time: String) -> String {
    """
    CREATE TRIGGER \(time.lowercased())_row \(time) INSERT OR UPDATE ON "Book" FOR EACH ROW \
    WHEN (pg_trigger_depth() < 2) EXECUTE FUNCTION sibling()
    """
  }

  /// A statement that runs others.
  private static func statement(_ random: inout SeededGenerator) -> String {
    func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
    let key = number(1...12)
    let name = ["bump", "try_bump", "fail_bump", "replace_book", "move_book"][number(0...4)]
    let keys = "id BETWEEN \(key) AND \(key + number(0...4))"
    switch number(0...11) {
    case 0:
      return
        #"INSERT INTO "Book" VALUES (\#(key), 'i', \#(number(0...9))) ON CONFLICT DO NOTHING"#
    case 1:
      return #"""
        INSERT INTO "Book" VALUES (\#(key), 'i', 1), (\#(key + 1), 'j', \#(name)(\#(key))) \#
        ON CONFLICT (id) DO UPDATE SET year = excluded.year
        """#
    case 2: return #"DELETE FROM "Book" WHERE \#(keys) AND \#(name)(id - 1) > 0"#
    case 3: return #"UPDATE "Book" SET year = year + 1 WHERE \#(keys)"#
    case 4:
      return #"UPDATE "Book" SET title = title || 'x', year = \#(name)(id - 1) WHERE \#(keys)"#
    case 5: return #"UPDATE "Book" SET year = \#(name)(id + 1) WHERE \#(keys)"#
    case 6: return #"UPDATE "Book" SET extra = extra + \#(name)(id - 1) WHERE \#(keys)"#
    case 7: return "SAVEPOINT s"
    case 8: return "ROLLBACK TO SAVEPOINT s"
    case 9: return #"UPDATE "Book" SET id = id + 1 WHERE id = \#(key)"#
    case 10:
      return
        #"WITH a AS (UPDATE "Book" SET year = \#(name)(id - 1) WHERE \#(keys) RETURNING id) UPDATE "Book" SET title = 'w' WHERE id NOT IN (SELECT id FROM a)"#
    default:
      return
        #"MERGE INTO "Book" b USING generate_series(\#(key), \#(key + 3)) n ON b.id = n WHEN MATCHED AND b.year > 20 THEN DELETE WHEN MATCHED THEN UPDATE SET year = b.year + \#(name)(n - 1) WHEN NOT MATCHED THEN INSERT VALUES (n, 'm', 1)"#
    }
  }

  /// By statement, with triggers before a row; by row, with triggers before and after it.
  static let forms: [(mode: CaptureText.Mode, triggers: [String])] = [
    (.statement, []), (.statement, ["BEFORE"]), (.row, []), (.row, ["BEFORE", "AFTER"]),
  ]

  @Test(arguments: forms.indices)
  func `old rows are exact although statements run others (R183)`(form: Int) throws {
    let (mode, triggers) = Self.forms[form]
    let seed = UInt64.random(in: 0..<1_000_000)
    var random = SeededGenerator(seed: seed)
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      let writer = try TestServer.connect(url)
      try writer.runOnce(#"ALTER TABLE "Book" ADD COLUMN extra integer NOT NULL DEFAULT 0"#)
      for text in Self.functions + triggers.map(Self.trigger) { try writer.runOnce(text) }
      _ = try fixture.open(mode: mode == .row ? .row : nil)
      let modes = try writer.runOnce("SELECT capture FROM fetched_results.entity WHERE number = 1")
      #expect(modes.text(0, 0) == mode.rawValue)
      let follower = TortureFollower("nested", url, seed: seed) {
        try ChangeLog.open(tables: fixture.tables, mayInstall: false, on: $0, path: "test")
      }
      follower.look()
      for _ in 0..<250 {
        try writer.run([.begin(.readCommitted)])
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          // A statement that fails ends nothing but itself.
          try writer.runOnce("SAVEPOINT each")
          if (try? writer.runOnce(Self.statement(&random))) == nil {
            try writer.runOnce("ROLLBACK TO SAVEPOINT each")
          }
        }
        try writer.run([.commit])
        #expect(follower.look(), "\(follower.lastError)")
      }
      #expect(follower.report.isRight, "seed \(seed): \(follower.report.example ?? "")")
      // A row whose other columns were changed before, and which is changed twice.
      let gaps = follower.report.gaps.values.reduce(0, +)
      #expect(gaps < (mode == .row ? 100 : 1), "seed \(seed): \(follower.report)")
      #expect(follower.report.changes > 300)
    }
  }

  @Test func `what cannot be known is a gap, and no guess (R183)`() throws {
    try TestServer.withDatabase { url in
      let follower = try LogFixture(url).open()
      let writer = try TestServer.connect(url)
      try writer.runOnce(#"INSERT INTO "Book" VALUES (1, 'a', 1)"#)
      try follower.advance()
      // All rows are rewritten, so none shows any more who wrote it first.
      try writer.run([.begin(.readCommitted)])
      try writer.runOnce(#"ALTER TABLE "Book" ADD COLUMN extra float DEFAULT random()"#)
      try writer.runOnce(#"UPDATE "Book" SET title = 'b'"#)
      try writer.runOnce(#"UPDATE "Book" SET title = 'c'"#)
      try writer.run([.commit])
      #expect(throws: Follower.Gap.self) { try follower.commits() }
    }
  }
}
#endif
