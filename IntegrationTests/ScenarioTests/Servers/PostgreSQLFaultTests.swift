#if PostgreSQL
import ResultsStoreKit
import Foundation
import Testing

/// R164: whatever happens to the server, a list that follows it is right again afterwards, and nothing is written by halves.
///
/// Each fault has a server of its own.
@Suite("Faults of a server of PostgreSQL", .serialized, .timeLimit(.minutes(10)))
struct PostgreSQLFaultTests {
  /// A database with the demo books, on a server of its own.
  private func books(_ server: String, _ settings: String...) throws -> ServerRun {
    let run = try ServerRun(on: "tests-\(server)", settings: settings)
    try run.run("book-catalog", "demo")
    return run
  }

  private static let change =
    "UPDATE \"Book\" SET publisher = 'x' || id WHERE id < 4; DELETE FROM \"Book\" WHERE id = 5"

  @Test func `R164: after a crash of the server the list continues`() throws {
    let server = try books("crash", "fsync=on")
    var follower = try Follower(server.run, store: server.url)
    try server.psql(Self.change)
    try follower.takeList()
    try ServerRun.script(["kill", server.server])
    try ServerRun.script(["start", server.server])
    try server.psql("INSERT INTO \"Book\" (publisher, title) VALUES ('after', 'the crash')")
    try follower.takeList(within: 60)
    try server.psql("UPDATE \"Book\" SET title = 'again' WHERE publisher = 'after'")
    try follower.takeList()
  }

  @Test func `R164: after a clean restart changes are delivered as if nothing had been`() throws {
    let server = try books("restart")
    var follower = try Follower(server.run, store: server.url)
    try ServerRun.script(["stop", server.server])
    try ServerRun.script(["start", server.server])
    try server.psql(Self.change)
    try follower.takeList(within: 60)
    #expect(!follower.kinds.contains("reset"))
  }

  @Test func `R164: readers and watchers whose connections are ended miss nothing`() throws {
    let server = try books("terminated")
    var follower = try Follower(server.run, store: server.url)
    for number in 0..<5 {
      try server.psql(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'fetched-results' AND pid <> pg_backend_pid()
        """
      )
      try server.psql("INSERT INTO \"Book\" (publisher, title) VALUES ('n', 'number \(number)')")
    }
    try follower.takeList(within: 60)
    #expect(!follower.kinds.contains("reset"))
  }

  @Test func `R164: a writer whose connection is ended has written all or nothing`() throws {
    let server = try books("writer")
    let holder = try server.startPsql("BEGIN; LOCK TABLE \"Book\"; SELECT pg_sleep(600)")
    try server.wait("the lock") {
      try server.psql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "1"
    }
    let writer = try server.run.start(
      "book-catalog",
      "add",
      "publisher=w",
      "title=t",
      "--store",
      server.url,
      "--busy-timeout",
      "60s"
    )
    try server.wait("the writer") {
      try server.psql(
        """
        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE application_name = 'fetched-results' AND wait_event_type = 'Lock'
        """
      ) != "0"
    }
    try server.psql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    )
    let result = try writer.finish()
    #expect([69, 75].contains(result.status), "\(result)")
    #expect(try server.psql("SELECT count(*) FROM \"Book\" WHERE publisher = 'w'") == "0")
    _ = try holder.finish()
  }

  @Test func `R164: when a standby takes over, the list is the new primary's`() throws {
    let server = try books("primary")
    let standby = "tests-standby"
    try ServerRun.script(["remove", standby])
    let line = try ServerRun.script(["standby", standby, server.server]).output
    let second = try #require(line.split(separator: "host=").last?.prefix { $0 != "'" })
    let url = "\(server.url),\(second)&target_session_attrs=read-write"
    var follower = try Follower(server.run, store: url)
    try server.psql(Self.change)
    try follower.takeList()
    try ServerRun.script(["kill", server.server])
    try ServerRun.script(["promote", standby])
    try ServerRun.psql(
      "INSERT INTO \"Book\" (publisher, title) VALUES ('after', 'the failover')",
      url
    )
    try follower.takeList(within: 60)
    try ServerRun.psql("DELETE FROM \"Book\" WHERE id = 7", url)
    try follower.takeList()
    try ServerRun.script(["stop", standby])
  }

  @Test func `R164: a follower on a standby shows what the primary commits`() throws {
    let server = try books("origin")
    try ServerRun.script(["remove", "tests-reader"])
    let line = try ServerRun.script(["standby", "tests-reader", server.server]).output
    let host = try #require(line.split(separator: "host=").last?.prefix { $0 != "'" })
    let primary = try #require(server.url.split(separator: "host=").last)
    let url = server.url.replacing(primary, with: host)
    var replayed = try Follower(server.run, store: url)
    try server.psql(Self.change)
    try server.wait("the standby") {
      try ServerRun.psql("SELECT count(*) FROM \"Book\"", url) == "13"
    }
    try replayed.takeList()
    let refused = try server.run.run(
      "book-catalog",
      ["add", "publisher=p", "title=t", "--store", url]
    )
    #expect(refused.status == 73, "\(refused)")
    try ServerRun.script(["stop", "tests-reader"])
  }

  @Test func `R164: a follower that was stopped while the log was trimmed is right again`() throws {
    let server = try books("trimmed")
    var follower = try Follower(server.run, store: server.url)
    follower.send(SIGSTOP)
    try server.psql(Self.change)
    try server.psql(
      """
      DELETE FROM fetched_results.reader; DELETE FROM fetched_results.log;
      UPDATE fetched_results.store SET trimmed = pg_snapshot_xmax(pg_current_snapshot())
      """
    )
    follower.send(SIGCONT)
    try follower.takeList(within: 60)
  }

  @Test func `R164: where no connection is left, the reason is said, and nothing was done`() throws
  {
    let server = try books(
      "few",
      "max_connections=5",
      "superuser_reserved_connections=0",
      "max_wal_senders=0"
    )
    var sleepers: [RunningProgram] = []
    var refusals = 0
    // A process that has just ended may keep its connection for a moment.
    while refusals < 5 {
      let isFull = !server.accepts
      refusals = isFull ? refusals + 1 : 0
      if !isFull { sleepers.append(try server.startPsql("SELECT pg_sleep(600)")) }
    }
    let result = try server.run.run(
      "book-catalog",
      ["add", "publisher=p", "title=t", "--busy-timeout", "500ms", "--store", server.url]
    )
    #expect(result.status == 69, "\(result)")
    #expect(result.errors.contains("clients") || result.errors.contains("slots"), "\(result)")
    try ServerRun.script(["stop", server.server])
    for sleeper in sleepers { _ = try sleeper.finish() }
  }

  @Test(.enabled(if: getuid() == 0 && FileManager.default.fileExists(atPath: "/proc/self")))
  func `R164: where the disk is full, nothing of an import stays`() throws {
    let server = try books("full")
    let folder = "\(NSTemporaryDirectory())results-full-\(getpid())"
    try ServerRun.shell("mkdir -p \(folder) && mount -t tmpfs -o size=4m,mode=777 none \(folder)")
    defer { _ = try? ServerRun.shell("umount \(folder); rmdir \(folder)") }
    try ServerRun.shell(
      "mkdir \(folder)/space && chmod 700 \(folder)/space && chown $(stat -c %u:%g \"$0\") \(folder)/space",
      argument: try server.psql("SHOW data_directory")
    )
    try server.psql("CREATE TABLESPACE small LOCATION '\(folder)/space'")
    try server.psql("ALTER TABLE \"Book\" SET TABLESPACE small")
    let long = String(repeating: "long title ", count: 60)
    let rows = (0..<15_000).map { "p\($0 % 9),\($0) \(long)" }
    try server.run.write("publisher,title\n" + rows.joined(separator: "\n") + "\n", to: "big.csv")
    let result = try server.run.run(
      "book-catalog",
      ["import", "big.csv", "--store", server.url]
    )
    #expect(result.status == 74, "\(result)")
    #expect(result.errors.contains("full"), "\(result)")
    #expect(try server.psql("SELECT count(*) FROM \"Book\"") == "14")
    try server.run("book-catalog", "remove", "1")
    try server.psql("ALTER TABLE \"Book\" SET TABLESPACE pg_default")
    try server.psql("DROP TABLESPACE small")
  }
}
#endif
