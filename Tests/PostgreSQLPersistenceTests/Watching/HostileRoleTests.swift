#if PostgreSQL
import Foundation
import Synchronization
import Testing

@testable import PostgreSQLPersistence

/// R179: a role without rights holds up no follower.
@Suite struct HostileRoleTests {
  /// A watch whose listener reads a row, as a store does that is notified.
  private final class Viewer: Sendable {
    let watch: StoreWatch
    let seen = Seen()

    init(_ url: String, timing: StoreWatch.Timing) throws {
      let log = try LogFixture(url, creates: false).open().log
      watch = StoreWatch(log: log, timing: timing) { () throws(PostgreSQLFailure) in
        try Viewer.connect(url)
      } onNews: { [seen] in
        let year = try? Viewer.connect(url).run(#"SELECT max(year) FROM "Book""#).integer(0, 0)
        seen.set(year ?? nil)
      }
      watch.start()
    }

    deinit { watch.stop() }

    /// The greatest value that was read.
    final class Seen: Sendable {
      private let year = Mutex<Int64?>(nil)
      func set(_ value: Int64?) { year.withLock { $0 = value } }
      var value: Int64? { year.withLock { $0 } }
    }

    static func connect(_ url: String) throws(PostgreSQLFailure) -> Connection {
      do {
        return try Connection(ConnectionSettings(url: url))
      } catch {
        throw error as? PostgreSQLFailure ?? PostgreSQLFailure(state: "", message: "\(error)")
      }
    }

    /// Waits until a value was read.
    /// - Returns: Whether it was, within the interval at which a follower looks that cannot be notified, and room for a busy machine.
    func sees(_ year: Int) -> Bool {
      waits(.seconds(3)) { [seen] _ in seen.value == Int64(year) }
    }

    /// Waits for a second, or until the watch sleeps.
    func mayFallAsleep() { _ = waits(.seconds(1)) { $0.isAsleep } }

    /// Waits until something holds.
    /// - Returns: Whether it came to be in time.
    func waits(_ limit: Duration, _ condition: (StoreWatch.Tally) -> Bool) -> Bool {
      let deadline = ContinuousClock.now + limit
      while !condition(watch.report) {
        guard ContinuousClock.now < deadline else { return false }
        usleep(200)
      }
      return true
    }
  }

  private func database(
    _ body: (Viewer, _ writer: Connection, _ intruder: Connection) throws -> Void
  )
    throws
  {
    try TestServer.withDatabase { try run(at: $0, body) }
  }

  private func run(
    at url: String,
    _ body: (Viewer, _ writer: Connection, _ intruder: Connection) throws -> Void
  )
    throws
  {
    do {
      _ = try LogFixture(url).open()
      let writer = try TestServer.connect(url)
      try writer.run(#"INSERT INTO "Book" VALUES (1, 't', 0)"#)
      try TestServer.withRole(url) { role in
        let intruder = try TestServer.connect(TestServer.url(url, as: role))
        var timing = StoreWatch.Timing()
        // What a notification does not end lasts longer than the test waits.
        timing.sleep = .seconds(30)
        let viewer = try Viewer(url, timing: timing)
        defer { viewer.watch.stop() }
        try #require(viewer.waits(.seconds(20)) { $0.isAsleep })
        try body(viewer, writer, intruder)
      }
    }
  }

  private func commit(_ year: Int, by writer: Connection) throws {
    try writer.run(#"UPDATE "Book" SET year = \#(year) WHERE id = 1"#)
  }

  @Test func `R179: advisory locks of another role delay nothing`() throws {
    try database { viewer, writer, intruder in
      try intruder.runOnce("SELECT pg_advisory_lock(5391700, n) FROM generate_series(1, 4) n")
      for round in 1...3 {
        try commit(round, by: writer)
        #expect(viewer.sees(round), "\(round)")
        viewer.mayFallAsleep()
      }
    }
  }

  @Test func `R179: a forged notification does not hide the commit that it names`() throws {
    try database { viewer, writer, intruder in
      for round in 1...10 {
        #expect(viewer.waits(.seconds(20)) { $0.isAsleep })
        let before = viewer.watch.report.notifications
        try writer.run([.begin(.readCommitted)])
        try commit(round, by: writer)
        let number = try writer.run("SELECT pg_current_xact_id()::text").text(0, 0) ?? ""
        let bell = Int64.max - 1
        try intruder.run(
          "SELECT pg_notify('fetched_results', $1)",
          [.text("\(bell) \(number)")]
        )
        #expect(viewer.waits(.seconds(20)) { $0.notifications > before })
        try writer.run([.commit])
        #expect(viewer.sees(round), "\(round)")
      }
    }
  }

  @Test func `R179: a flood of notifications neither blinds a follower nor makes it spin`() throws {
    try database { viewer, writer, intruder in
      let flood = Flood(intruder)
      flood.start()
      defer { flood.stop() }
      #expect(viewer.waits(.seconds(20)) { $0.notifications > 100 })
      let (before, start) = (viewer.watch.report.looks, ContinuousClock.now)
      for round in 1...20 {
        try commit(round, by: writer)
        #expect(viewer.sees(round), "\(round)")
      }
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      let looks = viewer.watch.report.looks - before
      // It looks a hundred times a second while it is awake, and no more often when it is woken for nothing.
      #expect(Double(looks) < 220 * max(1, seconds))
    }
  }

  @Test func `R179: a transaction that stays open delays nothing, nor does its end`() throws {
    // No follower on the server sleeps while it runs.
    let server = "tests-hostile"
    let base = try TortureRun.url(TestServer.run(["start", server]))
    defer { TestServer.run(["remove", server]) }
    try run(at: base) { viewer, writer, intruder in
      // The follower does not sleep while it runs, for longer than commits notify after an arming.
      try intruder.run([.begin(.readCommitted)])
      try intruder.run("SELECT pg_current_xact_id()")
      for round in 1...3 {
        try commit(round, by: writer)
        #expect(viewer.sees(round), "\(round)")
      }
      let armings = viewer.watch.report.armings
      #expect(viewer.waits(.seconds(20)) { $0.armings > armings })
      let armed = ContinuousClock.now
      let half = Duration.milliseconds(500)
      let isLate = viewer.waits(.seconds(20)) { _ in
        ContinuousClock.now - armed > Doorbell.duration - half
      }
      #expect(isLate)
      try intruder.run([.commit])
      let isOver = viewer.waits(.seconds(20)) { _ in
        ContinuousClock.now - armed > Doorbell.duration + half
      }
      #expect(isOver)
      try commit(4, by: writer)
      #expect(viewer.sees(4))
    }
  }

  @Test func `R179: an old snapshot of another role hides no commit`() throws {
    try database { viewer, writer, intruder in
      try intruder.run([.begin(.repeatableRead)])
      try intruder.run("SELECT 1")
      for round in 1...3 {
        try commit(round, by: writer)
        #expect(viewer.sees(round), "\(round)")
        viewer.mayFallAsleep()
      }
    }
  }

  /// Notifies as fast as the server lets it, on a thread of its own.
  private final class Flood: @unchecked Sendable {
    // The connection belongs to the thread while that runs.
    private let connection: Connection
    private let isOver = Mutex(false)
    private let end = DispatchSemaphore(value: 0)

    init(_ connection: Connection) { self.connection = connection }

    func start() {
      Thread.detachNewThread { [self] in
        while !isOver.withLock({ $0 }) {
          _ = try? connection.run(
            "SELECT pg_notify('fetched_results', concat(n, ' ', repeat('x', 100))) FROM generate_series(1, 50) n"
          )
        }
        end.signal()
      }
    }

    func stop() {
      isOver.withLock { $0 = true }
      end.wait()
    }
  }
}
#endif
