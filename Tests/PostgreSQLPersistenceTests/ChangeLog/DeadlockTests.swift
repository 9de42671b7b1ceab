#if PostgreSQL
import Dispatch
import Foundation
import ResultsDomain
import Synchronization
import Testing

@testable import PostgreSQLPersistence

/// R182: a store waits for a table of others only while it holds none, so the server ends no transaction of an application to resolve a
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

  // MARK: - Two sessions

  /// Carries what one thread uses after another.
  private final class Parcel<Content>: @unchecked Sendable {
    let content: Content

    init(_ content: Content) { self.content = content }
  }

  /// Work on a thread of its own.
  private final class Work: Sendable {
    private let outcome = Mutex<Result<Void, any Error>?>(nil)
    private let end = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () throws -> Void) {
      Thread.detachNewThread {
        let result = Result { try body() }
        self.outcome.withLock { $0 = result }
        self.end.signal()
      }
    }

    var isDone: Bool { outcome.withLock { $0 != nil } }

    func wait() throws {
      end.wait()
      try outcome.withLock { try $0?.get() }
    }
  }

  /// Runs the first statement of an application's transaction, then work of a store until it waits for that transaction, and then the
  /// second statement.
  ///
  /// The application's session looks for deadlocks almost at once, so it would be the one that the server ends.
  private func run(
    _ statements: [String],
    at url: String,
    beside body: @escaping @Sendable () throws -> Void
  ) throws {
    let application = try TestServer.connect(url)
    try application.runOnce("SET deadlock_timeout = '10ms'")
    let process = try #require(application.processID)
    try application.runOnce("BEGIN")
    try application.runOnce(statements[0])
    let work = Work(body)
    let watching = try TestServer.connect(url)
    let blocked = "SELECT FROM pg_stat_activity WHERE \(process) = ANY (pg_blocking_pids(pid))"
    while !work.isDone, try watching.run(blocked).count == 0 {}
    #expect(!work.isDone)
    #expect(throws: Never.self) {
      try application.runOnce(statements[1])
      try application.runOnce("COMMIT")
    }
    if application.isInTransaction { try application.runOnce("ROLLBACK") }
    try work.wait()
  }
}
#endif
