#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import SQLStoreSupport
import Testing

@testable import PostgreSQLPersistence

/// R182, R251: a store waits for a table of others only while it holds none, so the server ends no transaction of an application to resolve a
/// deadlock.
@Suite struct DeadlockTests {
  /// What an application does to two tables in one transaction, in the opposite order of the log's.
  static let transactions = [
    [#"UPDATE "Score" SET points = 1"#, #"UPDATE "Book" SET year = 1"#],
    [#"ALTER TABLE "Tag" ADD COLUMN extra int"#, #"ALTER TABLE "Book" ADD COLUMN extra int"#],
    [#"TRUNCATE "Score""#, #"TRUNCATE "Tag""#],
    [#"CREATE INDEX ON "Tag" (color)"#, #"DELETE FROM "Book""#],
  ]

  @Test(arguments: transactions)
  func `R182: creating a log ends no transaction of an application`(_ statements: [String]) throws {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      let url = fixture.url
      try run(statements, at: url) { _ = try LogFixture(url, creates: false).open(mode: nil) }
      #expect(try fixture.open(mayInstall: false).log.isComplete)
    }
  }

  @Test(arguments: transactions)
  func `R182: repairing a log ends no transaction of an application`(_ statements: [String]) throws
  {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      let follower = try fixture.open()
      let owner = try TestServer.connect(url)
      for table in ["Book", "Tag", "Score"] {
        try owner.runOnce(#"ALTER TABLE "\#(table)" DISABLE TRIGGER "!results_insert""#)
      }
      try owner.runOnce("SELECT nextval('fetched_results.lost')")
      let repaired = Parcel(follower)
      try run(statements, at: url) {
        try repaired.content.log.repair(on: repaired.content.connection)
      }
      #expect(try fixture.open(mayInstall: false).log.isComplete)
    }
  }

  @Test func `R182: upgrading a log ends no transaction of an application`() throws {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      _ = try fixture.open()
      let owner = try TestServer.connect(url)
      for statement in [
        """
        CREATE OR REPLACE FUNCTION fetched_results.delete_1() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER \
        SET search_path = pg_catalog, pg_temp AS 'BEGIN RETURN OLD; END'
        """,
        """
        CREATE TRIGGER "!results_rekey" AFTER UPDATE ON "Book" FOR EACH ROW \
        WHEN (pg_catalog.record_image_ne(ROW(OLD.id), ROW(NEW.id))) EXECUTE FUNCTION fetched_results.delete_1()
        """, #"ALTER TABLE "Book" ENABLE ALWAYS TRIGGER "!results_rekey""#,
      ] {
        try owner.runOnce(statement)
      }
      // Dropping a trigger excludes those who read.
      try run([#"SELECT FROM "Book""#, #"UPDATE "Book" SET year = 1"#], at: url) {
        _ = try LogFixture(url, creates: false).open()
      }
      #expect(try fixture.open(mayInstall: false).log.isComplete)
    }
  }

  @Test func `R182: reading a log ends no transaction of an application`() throws {
    try TestServer.withDatabase { url in
      let follower = try LogFixture(url).open()
      try follower.advance()
      let reading = Parcel(follower)
      let statements = [
        #"ALTER TABLE "Score" ADD COLUMN extra bigint"#,
        #"ALTER TABLE "Book" ADD COLUMN extra bigint"#,
      ]
      try run(statements, at: url) { try reading.content.advance() }
    }
  }

  @Test func `R182: migrating tables ends no transaction of an application`() throws {
    func entities(_ attributes: [AttributeDescription]) throws -> [EntityDescription] {
      try ["First", "Second"].map { try SchemaSample.entity($0, attributes) }
    }
    let old = try entities([AttributeDescription("a", .text)])
    let new = try entities([
      AttributeDescription("a", .text), AttributeDescription("b", .text, isOptional: true),
    ])
    try TestServer.withDatabase { url in
      _ = try ReadTables(old, at: url)
      let statements = [#"UPDATE "Second" SET a = 'x'"#, #"UPDATE "First" SET a = 'x'"#]
      try run(statements, at: url) { _ = try ReadTables(new, at: url) }
      #expect(try ReadTables(new, at: url).tables.all[0].attributeColumns.count == 2)
    }
  }

  @Test(arguments: [false, true])
  func `R251: reading several tables ends no transaction of an application`(
    hasLog: Bool
  ) throws {
    try TestServer.withDatabase { url in
      let url = try LogFixture(url).url
      var options = PostgreSQLStoreOptions()
      options.adoptsTables = true
      options.maintainsChangeLog = hasLog
      let entities = try LogFixture.entities()
      let store = try PostgreSQLStore(url: url, entities: entities, options: options)
      let statements = [
        #"ALTER TABLE "Score" ADD COLUMN extra bigint"#,
        #"ALTER TABLE "Book" ADD COLUMN extra bigint"#,
      ]
      try run(statements, at: url) {
        try store.read { (snapshot) throws(StoreError) in
          for entity in entities { _ = try snapshot.count(of: entity, where: .all) }
        }
      }
    }
  }

  @Test func `R251: a reading of some of very many tables waits for none`() throws {
    try TestServer.withDatabase { url in
      let url = try LogFixture(url).url
      let application = try TestServer.connect(url)
      var entities = try LogFixture.entities()
      for number in 1...60 {
        try application.runOnce("CREATE TABLE many_\(number) (id integer PRIMARY KEY)")
        entities.append(try EntityDescription(name: "many_\(number)", attributes: []))
      }
      var options = PostgreSQLStoreOptions()
      options.adoptsTables = true
      options.maintainsChangeLog = false
      options.session = ConnectionSettings.ofStrangers(
        patience: .seconds(10),
        limit: .seconds(60),
        isReadOnly: true
      )
      let store = try PostgreSQLStore(url: url, entities: entities, options: options)
      let read = entities.prefix(3)
      func reading() throws {
        try store.read { (snapshot) throws(StoreError) in
          for entity in read { _ = try snapshot.count(of: entity, where: .all) }
        }
      }
      try application.run([.begin(.readCommitted)])
      try application.runOnce(#"LOCK TABLE "Score" IN ACCESS EXCLUSIVE MODE"#)
      let start = ContinuousClock.now
      #expect {
        try reading()
      } throws: {
        Self.isBusy($0)
      }
      #expect(ContinuousClock.now - start < .seconds(5))
      try application.runOnce(#"LOCK TABLE "Book" IN ACCESS EXCLUSIVE MODE"#)
      try application.run([.commit])
      try reading()
    }
  }

  @Test func `R251: without a transaction a reading waits for no table while it may hold another`()
    throws
  {
    try TestServer.withDatabase { url in
      let follower = try LogFixture(url).open()
      try follower.advance()
      let connection = follower.connection
      let expected = try #require(follower.log.expectation(on: connection))
      try connection.runOnce("SET lock_timeout = '10s'")
      let application = try TestServer.connect(url)
      try application.run([.begin(.readCommitted)])
      try application.runOnce(#"LOCK TABLE "Score" IN ACCESS EXCLUSIVE MODE"#)
      let reader = TableReader(connection, tables: follower.log.tables, path: "test")
      let start = ContinuousClock.now
      #expect {
        try connection.expecting(expected) { () throws(StoreError) in
          _ = try reader.run([
            Statement(#"SELECT FROM public."Book""#), Statement(#"SELECT FROM public."Score""#),
          ])
        }
      } throws: {
        Self.isBusy($0)
      }
      #expect(ContinuousClock.now - start < .seconds(5))
    }
  }

  @Test func `R251: a table that is not needed does not stop a reading for long`() throws {
    try TestServer.withDatabase { url in
      let url = try LogFixture(url).url
      var options = PostgreSQLStoreOptions()
      options.adoptsTables = true
      options.maintainsChangeLog = false
      options.session = ConnectionSettings.ofStrangers(
        patience: .milliseconds(200),
        limit: .seconds(60),
        isReadOnly: true
      )
      let entities = try LogFixture.entities()
      let store = try PostgreSQLStore(url: url, entities: entities, options: options)
      let application = try TestServer.connect(url)
      try application.run([.begin(.readCommitted)])
      try application.runOnce(#"LOCK TABLE "Score" IN ACCESS EXCLUSIVE MODE"#)
      #expect(
        try store.read { (snapshot) throws(StoreError) in
          try snapshot.count(of: entities[0], where: .all)
        } == 0
      )
      #expect {
        try store.read { (snapshot) throws(StoreError) in
          _ = try snapshot.count(of: entities[2], where: .all)
        }
      } throws: {
        Self.isBusy($0)
      }
    }
  }

  @Test(arguments: [
    [#"UPDATE "Book" SET year = 1"#, #"ALTER TABLE "Book" ADD COLUMN extra int"#],
    [#"DELETE FROM "Book" WHERE id = 1"#, #"CREATE INDEX ON "Book" (title)"#],
    [#"DECLARE c CURSOR FOR SELECT * FROM "Tag""#, #"TRUNCATE "Book""#],
  ])
  func `R251: creating an index ends no transaction of an application`(_ statements: [String])
    throws
  {
    try TestServer.withDatabase { url in
      let url = try LogFixture(url).url
      let owner = try TestServer.connect(url)
      try owner.runOnce(#"INSERT INTO "Book" SELECT n, 'a', n FROM generate_series(1, 100) n"#)
      let entities = try LogFixture.entities()
      let definition = try ResultsDefinition(
        FetchRequest<Row>(entity: entities[0], sortedBy: [.ascending("title")])
      ).order()
      // The application's session looks for a deadlock before the other one does.
      try run(statements, at: url, patience: "500ms") {
        var options = PostgreSQLStoreOptions()
        options.adoptsTables = true
        options.maintainsChangeLog = false
        let store = try PostgreSQLStore(url: url, entities: entities, options: options)
        #expect(try store.createIndex(serving: definition) != nil)
      }
      let indexes = try owner.runOnce(
        """
        SELECT count(*) FILTER (WHERE i.indisvalid), count(*) FROM pg_index i \
        WHERE i.indrelid = '"Book"'::regclass AND i.indkey::text <> '1' AND pg_get_indexdef(i.indexrelid) LIKE '%BookBy%'
        """
      )
      #expect(indexes.integer(0, 0) == 1)
      #expect(indexes.integer(0, 1) == 1)
    }
  }

  @Test func `R251: a right that is granted meanwhile does not stop the installation of a log`()
    throws
  {
    try TestServer.withDatabase { url in
      let fixture = try LogFixture(url)
      _ = try fixture.open()
      try TestServer.connect(url).runOnce(
        "GRANT EXECUTE ON FUNCTION fetched_results.arm() TO PUBLIC"
      )
      let statements = [
        "GRANT EXECUTE ON FUNCTION fetched_results.life() TO CURRENT_USER WITH GRANT OPTION",
        "SELECT 1",
      ]
      try run(statements, at: url) { _ = try LogFixture(url, creates: false).open() }
    }
  }

  // MARK: - Two sessions

  private static func isBusy(_ error: any Error) -> Bool {
    if case .busy = error as? StoreError { true } else { false }
  }

  /// Carries what one thread uses after another.
  private final class Parcel<Content>: @unchecked Sendable {
    let content: Content

    init(_ content: Content) { self.content = content }
  }

  /// Runs the first statement of an application's transaction, then work of a store until it waits for that transaction, and then the
  /// second statement.
  ///
  /// The application's session looks for deadlocks early, so it would be the one that the server ends.
  private func run(
    _ statements: [String],
    at url: String,
    patience: String = "10ms",
    beside body: @escaping @Sendable () throws -> Void
  ) throws {
    let application = try TestServer.connect(url)
    try application.runOnce("SET deadlock_timeout = '\(patience)'")
    let process = try #require(application.processID)
    try application.run([.begin(.readCommitted)])
    try application.runOnce(statements[0])
    let work = ThreadWork(body)
    let watching = try TestServer.connect(url)
    let blocked = "SELECT FROM pg_stat_activity WHERE \(process) = ANY (pg_blocking_pids(pid))"
    while !work.isDone, try watching.run(blocked).count == 0 {}
    #expect(!work.isDone)
    #expect(throws: Never.self) {
      try application.runOnce(statements[1])
      try application.run([.commit])
    }
    if application.isInTransaction { try application.run([.rollback]) }
    try work.wait()
  }
}
#endif
