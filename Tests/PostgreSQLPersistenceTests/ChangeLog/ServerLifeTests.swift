#if PostgreSQL
import Foundation
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport
import Testing

@testable import PostgreSQLPersistence

/// Versions and bookmarks across restarts, crashes, failovers and copies, with servers of their own.
@Suite(.serialized) struct ServerLifeTests {
  private static let server = "lives"

  /// Starts a server again, which may take a while after a crash.
  private func restart(_ name: String = ServerLifeTests.server) throws -> String {
    for _ in 0..<40 {
      if let url = try? TortureRun.url(TestServer.run(["start", name])) { return url }
      usleep(250_000)
    }
    throw TortureRun.NoServer(output: name)
  }

  private func withDatabase(_ body: (String, LogFixture) throws -> Void) throws {
    let base = try restart()
    let name = "life_\(UInt32.random(in: 0 ... .max))"
    try TestServer.connect(base).runOnce("CREATE DATABASE \(name)")
    let url = TortureRun.url(base, database: name)
    try body(url, LogFixture(url))
    _ = try? TestServer.connect(restart()).runOnce("DROP DATABASE \(name) WITH (FORCE)")
    TestServer.run(["stop", ServerLifeTests.server])
  }

  private func write(_ id: Int, _ url: String) throws {
    try TestServer.connect(url).runOnce(#"INSERT INTO "Book" VALUES (\#(id), 't', NULL)"#)
  }

  private func bookmark(_ follower: Follower) throws -> StoreBookmark {
    try #require(try follower.read { follower.log.bookmark(in: $0) })
  }

  /// The changes since a bookmark in words, or `nil` if the bookmark is not valid.
  private func words(since bookmark: StoreBookmark, _ follower: Follower) throws -> [String]? {
    try follower.read { pinned in
      guard let version = follower.log.version(at: bookmark, in: pinned) else { return nil }
      let all = follower.log.tables.all
      let history = try follower.log.history(
        since: version,
        ofEach: all,
        in: pinned,
        on: follower.connection
      )
      guard case .commits(let records) = history else { throw Follower.Gap(history: history) }
      return records.flatMap(\.words)
    }
  }

  @Test func `a clean restart keeps versions and bookmarks (R147)`() throws {
    try withDatabase { url, fixture in
      let follower = try fixture.open()
      try write(1, url)
      try follower.advance()
      let bookmark = try bookmark(follower)
      try write(2, url)
      TestServer.run(["stop", ServerLifeTests.server])
      _ = try restart()
      try write(3, url)
      follower.connection = try TestServer.connect(url)
      #expect(
        try follower.commits().flatMap(\.words) == ["Book 2: none → t,-", "Book 3: none → t,-"]
      )
      let later = try fixture.open()
      let found = try words(since: bookmark, later)
      #expect(found == ["Book 2: none → t,-", "Book 3: none → t,-"])
    }
  }

  @Test func `a crash is another life, and no bookmark of before is valid (R147)`() throws {
    try withDatabase { url, fixture in
      let follower = try fixture.open()
      let version = try follower.advance()
      let bookmark = try bookmark(follower)
      let writer = try TestServer.connect(url)
      try writer.runOnce("SET synchronous_commit = off")
      try writer.runOnce(#"INSERT INTO "Book" VALUES (1, 't', NULL)"#)
      #expect(try follower.commits().count == 1)
      TestServer.run(["kill", ServerLifeTests.server])
      _ = try restart()
      try write(2, url)
      follower.connection = try TestServer.connect(url)
      guard case .gap(.otherEpoch) = try follower.history() else {
        Issue.record("a version of before the crash counts")
        return
      }
      #expect(follower.version?.epoch != version.epoch)
      #expect(try words(since: bookmark, follower) == nil)
      #expect(try words(since: bookmark, fixture.open()) == nil)
      // From here on everything is followed again.
      try write(3, url)
      #expect(try follower.commits().flatMap(\.words) == ["Book 3: none → t,-"])
    }
  }

  @Test func `a promoted standby is another life (R147, R151)`() throws {
    try withDatabase { url, fixture in
      _ = try fixture.open()
      let base = try TortureRun.url(TestServer.run(["standby", "lives-standby", "lives"]))
      defer { TestServer.run(["remove", "lives-standby"]) }
      guard let name = URLComponents(string: url)?.path.dropFirst() else { return }
      let standby = TortureRun.url(base, database: String(name))
      let reader = Follower(
        try #require(
          try ChangeLog.open(
            tables: fixture.tables,
            mayInstall: true,
            on: TestServer.connect(standby),
            path: "standby"
          )
        ),
        try TestServer.connect(standby)
      )
      try reader.advance()
      try write(1, url)
      var records: [CommitRecord] = []
      for _ in 0..<2000 where records.isEmpty {
        records = try reader.commits()
        usleep(2000)
      }
      #expect(records.flatMap(\.words) == ["Book 1: none → t,-"])
      #expect(!reader.log.canListen)
      let bookmark = try bookmark(reader)
      TestServer.run(["promote", "lives-standby"])
      // The connection survives the promotion, the life does not.
      var isOther = false
      for _ in 0..<2000 where !isOther {
        if case .gap(.otherEpoch) = try reader.history() { isOther = true }
        usleep(2000)
      }
      #expect(isOther)
      #expect(try words(since: bookmark, reader) == nil)
      try write(2, standby)
      #expect(try reader.commits().flatMap(\.words) == ["Book 2: none → t,-"])
    }
  }

  @Test func `a copy of the database is another store (R147)`() throws {
    try withDatabase { url, fixture in
      let follower = try fixture.open()
      try write(1, url)
      try follower.advance()
      let bookmark = try bookmark(follower)
      let (log, name) = (follower.log, String(URLComponents(string: url)?.path.dropFirst() ?? ""))
      follower.connection.close()
      let copy = "\(name)_copy"
      let server = try TestServer.connect(TortureRun.url(url, database: "postgres"))
      try server.runOnce(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'"
      )
      try server.runOnce("CREATE DATABASE \(copy) TEMPLATE \(name)")
      defer { _ = try? server.runOnce("DROP DATABASE \(copy) WITH (FORCE)") }
      let copied = try LogFixture(TortureRun.url(url, database: copy), creates: false).open()
      #expect(copied.log.uniqueName != log.uniqueName)
      #expect(try words(since: bookmark, copied) == nil)
      try copied.advance()
      try write(5, TortureRun.url(url, database: copy))
      #expect(try copied.commits().flatMap(\.words) == ["Book 5: none → t,-"])
      // The first one goes on.
      #expect(try words(since: bookmark, fixture.open()) == [])
    }
  }

  /// How a database is dumped, and whether by a role that may only read it.
  static let dumps: [(options: String, isReader: Bool)] = [
    ("", false), ("--exclude-table-data='fetched_results.*'", false),
    ("--exclude-table-data='fetched_results.*'", true),
  ]

  @Test(arguments: dumps.indices)
  func `a restored dump is another store, and can be written before it is opened (R147)`(
    dump: Int
  ) throws {
    let (options, isReader) = Self.dumps[dump]
    try withDatabase { url, fixture in
      let follower = try fixture.open()
      try write(1, url)
      let bookmark = try bookmark(follower)
      let name = String(URLComponents(string: url)?.path.dropFirst() ?? "")
      let server = try TestServer.connect(TortureRun.url(url, database: "postgres"))
      try server.runOnce("CREATE DATABASE \(name)_dump")
      defer { _ = try? server.runOnce("DROP DATABASE \(name)_dump WITH (FORCE)") }
      let other = TortureRun.url(url, database: "\(name)_dump")
      try TestServer.withRole(url) { role in
        let owner = try TestServer.connect(url)
        let grants = LogSchema(name: "fetched_results").grants(to: role)
        for statement in grants + ["GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role)"] {
          try owner.runOnce(statement)
        }
        let dumped = isReader ? TestServer.url(url, as: role) : url
        let command = "pg_dump \(options) '\(dumped)' | psql -q -v ON_ERROR_STOP=1 '\(other)'"
        #expect(try shell(command) == 0)
        try write(2, other)
        // Who may not install finds no log that serves.
        #expect(throws: LogFixture.NoLog.self) {
          try LogFixture(other, creates: false).open(mayInstall: false)
        }
        let restored = try LogFixture(other, creates: false).open()
        #expect(restored.log.uniqueName != follower.log.uniqueName)
        #expect(try words(since: bookmark, restored) == nil)
        try restored.advance()
        try write(3, other)
        #expect(try restored.commits().flatMap(\.words) == ["Book 3: none → t,-"])
        let restoredOwner = try TestServer.connect(other)
        try restoredOwner.runOnce("DROP OWNED BY \(role)")
      }
    }
  }

  private func shell(_ command: String) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-o", "pipefail", "-c", command + " >/dev/null"]
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
#endif
