#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import Testing

@testable import PostgreSQLPersistence

/// R184, R185: what the log misses is noticed at the next look by every follower, compared as long as it lasts, and said; nobody puts back
/// unasked what an administrator has switched off.
@Suite struct CaptureStateTests {
  private func isGap(_ follower: Follower) throws -> Bool {
    guard case .gap = try follower.history(of: [0]) else { return false }
    return true
  }

  /// Waits until the next comparison is due.
  private func isGapInTime(_ follower: Follower) throws -> Bool {
    let end = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < end { if try isGap(follower) { return true } }
    return false
  }

  /// Opens the log as a role that may only read.
  private func reader(_ fixture: LogFixture) throws -> Follower {
    let connection = try TestServer.connect(fixture.url)
    try connection.runOnce("SET default_transaction_read_only = on")
    let log = try ChangeLog.open(
      tables: fixture.tables,
      mayInstall: false,
      on: connection,
      path: "reader"
    )
    return Follower(try #require(log), connection)
  }

  static let switches = [
    #"ALTER TABLE "Book" DISABLE TRIGGER ALL"#,
    #"ALTER TABLE "Book" DISABLE TRIGGER "!results_update""#,
    #"ALTER TABLE "Book" ENABLE REPLICA TRIGGER "!results_update""#,
    #"DROP TRIGGER "!results_update" ON "Book""#,
  ]

  @Test(arguments: switches, [CaptureText.Mode.row, .statement])
  func `while triggers are off, each follower compares, and says so (R185)`(
    statement: String,
    mode: CaptureText.Mode
  ) throws {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      let owner = try fixture.open(mode: mode)
      let writer = try TestServer.connect(url)
      try writer.runOnce(#"INSERT INTO "Book" VALUES (1, 'a', 1)"#)
      let followers = [owner, try reader(fixture)]
      for follower in followers { try follower.advance() }
      try writer.runOnce(statement)
      for follower in followers {
        let connection = follower.connection
        #expect(try follower.log.hasNews(on: connection))
        #expect(try isGap(follower))
        #expect(!follower.log.isComplete)
        #expect(follower.log.coverage == .thisStore)
        #expect(follower.log.problems.count == 1)
      }
      try writer.runOnce(#"UPDATE "Book" SET title = 'b'"#)
      for follower in followers {
        #expect(try isGapInTime(follower))
        #expect(try !isGap(follower))
      }
      // Neither a running store nor one that is opened touches them.
      let triggers = #"""
        SELECT count(*) FROM pg_trigger WHERE tgrelid = '"Book"'::regclass AND tgenabled = 'A'
        """#
      let before = try writer.runOnce(triggers).integer(0, 0)
      try owner.log.maintain(on: owner.connection)
      let opened = try fixture.open(mode: mode)
      #expect(!opened.log.isComplete)
      #expect(try writer.runOnce(triggers).integer(0, 0) == before)
      // Only a repair does, and then the log is followed again.
      try owner.log.repair(on: owner.connection)
      for follower in followers {
        #expect(try isGap(follower))
        #expect(follower.log.isComplete)
        #expect(follower.log.problems == [])
        #expect(follower.log.coverage == .everyWriter)
      }
      try writer.runOnce(#"UPDATE "Book" SET title = 'c'"#)
      for follower in followers {
        #expect(try follower.commits().flatMap(\.words) == ["Book 1: b,1 → c,1"])
      }
    }
  }

  @Test(arguments: [nil] + switches.map(Optional.some), ["drop", "replace", "add"])
  func `an opening that changes a column leaves off what was switched off, and nothing else (R185)`(
    statement: String?,
    change: String
  ) throws {
    let title = AttributeDescription("title", .text)
    func book(_ names: String...) throws -> EntityDescription {
      try SchemaSample.entity(
        "Book",
        [title] + names.map { AttributeDescription($0, .integer64, isOptional: true) }
      )
    }
    try TestServer.withDatabase { url in
      let writer = try TestServer.connect(url)
      let before = try PostgreSQLStore(url: url, entities: [book("year")])
      #expect(before.capabilities.historyCoverage == .everyWriter)
      try before.close()
      if let statement { try writer.runOnce(statement) }
      var options = PostgreSQLStoreOptions()
      var changed = try book()
      switch change {
      case "add": changed = try book("year", "pages")
      case "replace":
        changed = try book("published")
        options.attributeReplacements = [
          AttributeReplacement(
            of: "year",
            in: "Book",
            by: [#"UPDATE "Book" SET published = year"#]
          )
        ]
      default: break
      }
      // A second opening finds what the first one has left.
      for _ in 1...2 {
        let store = try PostgreSQLStore(url: url, entities: [changed], options: options)
        let coverage: StoreCapabilities.HistoryCoverage =
          statement == nil ? .everyWriter : .thisStore
        #expect(store.capabilities.historyCoverage == coverage)
        #expect(store.capabilities.captureProblems.isEmpty == (statement == nil))
        try writer.runOnce(#"INSERT INTO "Book" (title) VALUES ('a')"#)
        try store.close()
      }
      let store = try PostgreSQLStore(url: url, entities: [changed], options: options)
      try store.repair()
      try store.close()
      let repaired = try PostgreSQLStore(url: url, entities: [changed])
      #expect(repaired.capabilities.historyCoverage == .everyWriter)
      try repaired.close()
    }
  }

  @Test func `a look reports what a reader was the first to compare (R185)`() throws {
    try TestServer.withDatabase { url in
      let follower = try LogFixture(url).open()
      try follower.advance()
      let writer = try TestServer.connect(url)
      try writer.runOnce(#"ALTER TABLE "Book" DISABLE TRIGGER ALL"#)
      #expect(try isGap(follower))
      let watching = try TestServer.connect(url)
      let first = try follower.log.look(since: nil, on: watching)
      try writer.runOnce(#"INSERT INTO "Book" VALUES (1, 'a', 1)"#)
      #expect(try isGapInTime(follower))
      #expect(try follower.log.look(since: first, on: watching).news == .much)
    }
  }

  @Test func `R221: a look does not report again what lists compare because of it`() throws {
    try TestServer.withDatabase { url in
      let follower = try LogFixture(url).open()
      try follower.advance()
      let writer = try TestServer.connect(url)
      try writer.runOnce(#"ALTER TABLE "Book" DISABLE TRIGGER ALL"#)
      #expect(try isGap(follower))
      let watching = try TestServer.connect(url)
      var last = try follower.log.look(since: nil, on: watching)
      var (number, quiet) = (0, 0)
      let deadline = ContinuousClock.now + .seconds(90)
      while quiet < 2, ContinuousClock.now < deadline {
        number += 1
        try writer.runOnce(#"INSERT INTO "Book" VALUES (\#(number), 'a', 1)"#)
        let end = ContinuousClock.now + .seconds(10)
        var before = ""
        repeat {
          before = try snapshot(writer)
          last = try follower.log.look(since: last, on: watching)
        } while last.news == .none && ContinuousClock.now < end
        #expect(last.news == .much)
        #expect(try isGap(follower))
        last = try follower.log.look(since: last, on: watching)
        // A commit in another database of the server is news too: it could be one of this.
        guard try snapshot(writer) == before else { continue }
        #expect(last.news == .none)
        quiet += 1
      }
      #expect(quiet == 2, "the server was never quiet for two looks")
    }
  }

  /// The transactions of the server that are visible.
  private func snapshot(_ connection: Connection) throws -> String {
    let result = try connection.runOnce("SELECT pg_current_snapshot()::text")
    return try #require(result.text(0, 0))
  }

  @Test func `no trigger that was removed is put back unasked, not even one of few writes (R185)`()
    throws
  {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      _ = try fixture.open(mode: nil)
      let writer = try TestServer.connect(url)
      try writer.runOnce(#"DROP TRIGGER "!results_own" ON "Book""#)
      let follower = try fixture.open(mode: nil)
      #expect(!follower.log.isComplete)
      #expect(follower.log.problems.count == 1)
      try follower.log.repair(on: follower.connection)
      try follower.advance()
      #expect(follower.log.isComplete, "\(follower.log.problems)")
    }
  }

  @Test func `tables that are swapped by renaming are noticed at the next look (R184)`() throws {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      let followers = [try fixture.open(), try reader(fixture)]
      let writer = try TestServer.connect(url)
      try writer.runOnce(#"CREATE TABLE other (LIKE "Book" INCLUDING ALL)"#)
      try writer.runOnce(#"INSERT INTO other VALUES (7, 'other', 7)"#)
      for follower in followers { try follower.advance() }
      try writer.run([.begin(.readCommitted)])
      try writer.runOnce(#"ALTER TABLE "Book" RENAME TO old"#)
      try writer.runOnce(#"ALTER TABLE other RENAME TO "Book""#)
      try writer.run([.commit])
      for follower in followers {
        #expect(try follower.log.hasNews(on: follower.connection))
        #expect(try isGap(follower))
        #expect(!follower.log.isComplete)
      }
      try writer.runOnce(#"UPDATE "Book" SET year = 8"#)
      for follower in followers { #expect(try isGapInTime(follower)) }
      // The table that has the name now is captured by the next store.
      _ = try fixture.open()
      for follower in followers {
        #expect(try isGap(follower))
        #expect(follower.log.isComplete)
      }
      try writer.runOnce(#"UPDATE "Book" SET year = 9"#)
      try writer.runOnce("UPDATE old SET year = 9")
      for follower in followers {
        #expect(try follower.commits().flatMap(\.words) == ["Book 7: other,8 → other,9"])
      }
    }
  }

  @Test(arguments: [
    "TRUNCATE first", "ALTER TABLE \"Book\" DETACH PARTITION first", "DROP TABLE first",
    "ALTER TABLE \"Book\" ATTACH PARTITION third FOR VALUES FROM (200) TO (300)",
    "CREATE TABLE fourth PARTITION OF \"Book\" FOR VALUES FROM (300) TO (400)",
    "TRUNCATE second_b",
  ])
  func `what happens to a partition is noticed at the next look (R184)`(statement: String) throws {
    try TestServer.withDatabase { url in
      let writer = try TestServer.connect(url)
      for text in [
        #"CREATE TABLE "Book" (id bigint PRIMARY KEY, title text COLLATE "C" NOT NULL, year bigint) PARTITION BY RANGE (id)"#,
        #"CREATE TABLE first PARTITION OF "Book" FOR VALUES FROM (0) TO (100)"#,
        #"CREATE TABLE second PARTITION OF "Book" FOR VALUES FROM (100) TO (200) PARTITION BY RANGE (id)"#,
        "CREATE TABLE second_b PARTITION OF second FOR VALUES FROM (150) TO (200)",
        "CREATE TABLE third (LIKE first INCLUDING ALL)", LogFixture.creation[1],
        LogFixture.creation[2],
        #"INSERT INTO "Book" VALUES (1, 'a', 1), (150, 'b', 1)"#,
        "INSERT INTO third VALUES (201, 'c', 1)",
      ] {
        try writer.runOnce(text)
      }
      let fixture = try LogFixture(url, creates: false)
      let followers = [try fixture.open(mode: nil), try reader(fixture)]
      for follower in followers { try follower.advance() }
      try writer.runOnce(#"UPDATE "Book" SET year = 2"#)
      for follower in followers {
        let words = try follower.commits().flatMap(\.words)
        #expect(words == ["Book 1: a,1 → a,2", "Book 150: b,1 → b,2"])
      }
      try writer.runOnce(statement)
      for follower in followers {
        #expect(try follower.log.hasNews(on: follower.connection))
        #expect(try isGap(follower))
        #expect(follower.log.isComplete, "\(follower.log.problems)")
      }
      // Every partition is captured, the new ones too.
      try writer.runOnce(#"UPDATE "Book" SET year = 3"#)
      let count = try writer.runOnce(#"SELECT count(*) FROM "Book""#).integer(0, 0) ?? -1
      for follower in followers {
        #expect(try follower.commits().flatMap(\.changes).count == Int(count))
      }
    }
  }

  @Test func `triggers that are off in one partition are noticed (R185)`() throws {
    try TestServer.withDatabase { url in
      let writer = try TestServer.connect(url)
      for text in [
        #"CREATE TABLE "Book" (id bigint PRIMARY KEY, title text COLLATE "C" NOT NULL, year bigint) PARTITION BY RANGE (id)"#,
        #"CREATE TABLE first PARTITION OF "Book" FOR VALUES FROM (0) TO (100)"#,
        LogFixture.creation[1], LogFixture.creation[2],
      ] {
        try writer.runOnce(text)
      }
      let follower = try LogFixture(url, creates: false).open(mode: nil)
      try follower.advance()
      try writer.runOnce("ALTER TABLE first DISABLE TRIGGER ALL")
      #expect(try isGap(follower))
      #expect(!follower.log.isComplete)
      try writer.runOnce(#"INSERT INTO "Book" VALUES (1, 'a', 1)"#)
      #expect(try isGapInTime(follower))
      try follower.log.repair(on: follower.connection)
      #expect(try isGap(follower))
      #expect(follower.log.isComplete, "\(follower.log.problems)")
    }
  }

  @Test func `a new child of a table is noticed, and compared as long as it exists (R184)`() throws
  {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      let followers = [try fixture.open(mode: nil), try reader(fixture)]
      for follower in followers { try follower.advance() }
      let writer = try TestServer.connect(url)
      try writer.runOnce(#"CREATE TABLE child () INHERITS ("Book")"#)
      for follower in followers {
        #expect(try isGap(follower))
        #expect(!follower.log.isComplete)
      }
      try writer.runOnce("INSERT INTO child VALUES (9, 'child', 9)")
      for follower in followers { #expect(try isGapInTime(follower)) }
      try writer.runOnce("DROP TABLE child")
      for follower in followers {
        #expect(try isGap(follower))
        #expect(follower.log.isComplete, "\(follower.log.problems)")
      }
    }
  }

  @Test func `what could not be logged is compared until it is repaired (R182)`() throws {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      let followers = [try fixture.open(), try reader(fixture)]
      for follower in followers { try follower.advance() }
      let writer = try TestServer.connect(url)
      try writer.runOnce(
        "ALTER TABLE fetched_results.log ADD CONSTRAINT c CHECK (kind = 'm') NOT VALID"
      )
      try writer.runOnce(#"INSERT INTO "Book" VALUES (1, 'a', 1)"#)
      for follower in followers {
        #expect(try isGap(follower))
        #expect(!follower.log.isComplete)
      }
      try writer.runOnce("ALTER TABLE fetched_results.log DROP CONSTRAINT c")
      try writer.runOnce(#"INSERT INTO "Book" VALUES (2, 'a', 1)"#)
      for follower in followers {
        #expect(try isGapInTime(follower))
        #expect(!follower.log.isComplete)
      }
      try followers[0].log.repair(on: followers[0].connection)
      for follower in followers {
        #expect(try isGap(follower))
        #expect(follower.log.isComplete)
      }
      try writer.runOnce(#"INSERT INTO "Book" VALUES (3, 'a', 1)"#)
      for follower in followers { #expect(try follower.commits().count == 1) }
    }
  }

  @Test(arguments: [CaptureText.Mode.row, .statement])
  func `a log of an earlier version is mended when its owner opens it (R182)`(
    mode: CaptureText.Mode
  ) throws {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      _ = try fixture.open(mode: mode)
      let writer = try TestServer.connect(url)
      // As the first version had them.
      for text in [
        "DROP SEQUENCE fetched_results.lost",
        """
        CREATE OR REPLACE FUNCTION fetched_results.delete_1() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER \
        SET search_path = pg_catalog, pg_temp AS 'BEGIN RETURN OLD.title; END'
        """,
        """
        CREATE TRIGGER "!results_rekey" AFTER UPDATE ON "Book" FOR EACH ROW \
        WHEN (pg_catalog.record_image_ne(ROW(OLD.id), ROW(NEW.id))) EXECUTE FUNCTION fetched_results.delete_1()
        """,
        #"ALTER TABLE "Book" ENABLE ALWAYS TRIGGER "!results_rekey""#,
      ] + (mode == .row ? [] : [#"DROP TRIGGER "!results_own" ON "Book""#]) {
        try writer.runOnce(text)
      }
      let follower = try fixture.open(mode: mode)
      #expect(follower.log.isComplete, "\(follower.log.problems)")
      try follower.advance()
      try writer.runOnce(#"ALTER TABLE "Book" ALTER COLUMN id TYPE bigint"#)
      try writer.runOnce(#"INSERT INTO "Book" VALUES (1, 'a', 1)"#)
      try follower.advance()
      try writer.runOnce(#"DELETE FROM "Book""#)
      #expect(try follower.commits().flatMap(\.words) == ["Book 1: a,1 → none"])
      let lost = try writer.runOnce("SELECT to_regclass('fetched_results.lost') IS NOT NULL")
      #expect(lost.boolean(0, 0) == true)
    }
  }

  @Test(arguments: [PostgreSQLStoreOptions.Capture.byRow, .automatic])
  func `columns may have the names that the log's functions use (R148)`(
    capture: PostgreSQLStoreOptions.Capture
  ) throws {
    try TestServer.withDatabase { url in
      let names = ["old", "new", "k", "o", "n", "image", "kind", "state", "encoding", "xmax1"]
      let entity = try EntityDescription(
        name: "new",
        attributes: names.map { AttributeDescription($0, .text) }
      )
      let store = try PostgreSQLStore(
        url: url,
        entities: [entity],
        options: PostgreSQLStoreOptions(capture: capture)
      )
      let start = try store.read { (snapshot) throws(StoreError) in snapshot.version }
      let writer = try TestServer.connect(url)
      let values = names.map { _ in "'a'" }.joined(separator: ", ")
      try writer.runOnce(#"INSERT INTO "new" VALUES (1, \#(values)), (2, \#(values))"#)
      try writer.runOnce(#"UPDATE "new" SET "old" = 'b', "k" = 'c' WHERE id = 1"#)
      try writer.runOnce(#"DELETE FROM "new" WHERE id = 2"#)
      try store.checkForExternalChanges()
      let history = try store.read { (snapshot) throws(StoreError) in
        try snapshot.history(since: start, of: entity)
      }
      guard case .commits(let records) = history else {
        Issue.record("\(history)")
        return
      }
      let changes = records.flatMap(\.changes)
      #expect(changes.last { $0.id.key == .integer(1) }?.after?.values[0] == "b")
      #expect(changes.last { $0.id.key == .integer(1) }?.after?.values[2] == "c")
      try store.close()
    }
  }
}
#endif
