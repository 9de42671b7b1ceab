#if PostgreSQL
import Foundation
import ResultsTesting
import Synchronization
import Testing

@testable import PostgreSQLPersistence

@Suite struct DoorbellTests {
  /// A watch that counts its reports, and a connection of another program.
  private final class Watched: Sendable {
    let watch: StoreWatch
    private let news: Mutex<Int>
    private let url: String

    init(_ url: String, timing: StoreWatch.Timing = StoreWatch.Timing()) throws {
      self.url = url
      let counter = Counter()
      news = Mutex(0)
      watch = StoreWatch(log: try LogFixture(url, creates: false).open().log, timing: timing) {
        () throws(PostgreSQLFailure) in
        try Watched.connect(url)
      } onNews: {
        counter.add()
      }
      self.counter = counter
      watch.start()
    }

    deinit { watch.stop() }

    final class Counter: Sendable {
      private let count = Mutex(0)
      func add() { count.withLock { $0 += 1 } }
      var value: Int { count.withLock { $0 } }
    }

    let counter: Counter

    static func connect(_ url: String) throws(PostgreSQLFailure) -> Connection {
      do {
        return try Connection(ConnectionSettings(url: url))
      } catch {
        throw error as? PostgreSQLFailure ?? PostgreSQLFailure(state: "", message: "\(error)")
      }
    }

    /// Waits until something holds; it fails after 20 seconds.
    func wait(
      _ what: String,
      _ condition: (StoreWatch.Tally, Int) -> Bool
    ) throws {
      let deadline = ContinuousClock.now + .seconds(60)
      while !condition(watch.report, counter.value) {
        guard ContinuousClock.now < deadline else {
          Issue.record("never: \(what); \(watch.report), \(counter.value) reports")
          return
        }
        usleep(500)
      }
    }
  }

  private func database(_ body: (String, Connection) throws -> Void) throws {
    try TestServer.withDatabase { url in
      _ = try LogFixture(url).open()
      let writer = try TestServer.connect(url)
      try writer.run(#"INSERT INTO "Book" SELECT n, 't', 0 FROM generate_series(1, 60) n"#)
      try body(url, writer)
    }
  }

  @Test func `a lone commit wakes a watch that sleeps (R150)`() throws {
    try database { url, writer in
      let watched = try Watched(url)
      for round in 1...5 {
        try watched.wait("asleep") { tally, _ in tally.isAsleep }
        let before = (watched.watch.report.notifications, watched.counter.value)
        try writer.run(#"UPDATE "Book" SET year = \#(round) WHERE id = 1"#)
        try watched.wait("a report") { tally, count in
          tally.notifications > before.0 && count > before.1
        }
      }
      #expect(watched.watch.report.missed == 0)
    }
  }

  @Test func `a lone commit is reported once, and a look names it (R150)`() throws {
    try database { url, writer in
      let log = try LogFixture(url, creates: false).open().log
      let connection = try TestServer.connect(url)
      let watched = try Watched(url)
      var look = try log.look(since: nil, on: connection)
      for round in 1...3 {
        try watched.wait("asleep") { tally, _ in tally.isAsleep }
        let before = (watched.watch.report, watched.counter.value)
        try writer.run([.begin(.readCommitted)])
        try writer.run(#"UPDATE "Book" SET year = \#(round) WHERE id = 1"#)
        let number = try writer.run("SELECT pg_current_xact_id()").unsigned(0, 0)
        try writer.run([.commit])
        look = try log.look(since: look, on: connection)
        #expect(look.news == .oneCommit(try #require(number)))
        try watched.wait("asleep again") { tally, _ in
          tally.isAsleep && tally.notifications > before.0.notifications
            && tally.looks > before.0.looks
        }
        #expect(watched.counter.value == before.1 + 1)
      }
      try writer.run(#"UPDATE "Book" SET year = 8 WHERE id = 1"#)
      try writer.run(#"UPDATE "Book" SET year = 9 WHERE id = 1"#)
      look = try log.look(since: look, on: connection)
      #expect(look.news == .much)
      look = try log.look(since: look, on: connection)
      #expect(look.news == .none)
    }
  }

  /// Waits for the notification with which a watch goes that nobody has woken: it names no transaction.
  private func waitForLeaving(_ listener: Connection) throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      let payloads = try listener.notifications()
      if payloads.contains(where: { !$0.utf8.contains(UInt8(ascii: " ")) }) { return true }
      usleep(500)
    }
    return false
  }

  @Test func `a watch that goes without having been rung disarms the bell (R150)`() throws {
    try database { url, writer in
      let watched = try Watched(url)
      let listener = try TestServer.connect(url)
      try listener.runOnce("LISTEN fetched_results")
      try watched.wait("asleep") { tally, _ in tally.isAsleep }
      watched.watch.checkNow()
      #expect(try waitForLeaving(listener), "when it is asked to look")
      // A transaction that began before the arming makes the watch look again and again before it sleeps.
      try writer.run([.begin(.readCommitted)])
      try writer.run(#"UPDATE "Book" SET year = 1 WHERE id = 1"#)
      let before = watched.watch.report.armings
      watched.watch.checkNow()
      try watched.wait("armed") { tally, _ in tally.armings > before && !tally.isAsleep }
      _ = try listener.notifications()
      try TestServer.connect(url).run(#"UPDATE "Book" SET year = 2 WHERE id = 2"#)
      #expect(try waitForLeaving(listener), "when it finds a commit before it sleeps")
      try writer.run([.commit])
    }
  }

  @Test func `an idle watch arms the bell and looks once for each sleep (R150)`() throws {
    try database { url, _ in
      var timing = StoreWatch.Timing()
      timing.sleep = .milliseconds(200)
      let watched = try Watched(url, timing: timing)
      try watched.wait("asleep") { tally, _ in tally.isAsleep }
      let before = watched.watch.report
      try watched.wait("eight armings") { tally, _ in tally.armings >= before.armings + 8 }
      let after = watched.watch.report
      // A look before each arming, one after it, and one when the sleep ends; more while others open transactions on this server.
      #expect(after.armings - before.armings <= 9)
      #expect(watched.counter.value == 1)
    }
  }

  @Test func `under load hardly any commit notifies (R150)`() throws {
    try database { url, writer in
      let watched = try Watched(url)
      try watched.wait("asleep") { tally, _ in tally.isAsleep }
      let before = watched.counter.value
      for round in 0..<2000 {
        try writer.run(
          #"UPDATE "Book" SET year = $1 WHERE id = $2"#,
          [.integer(Int64(round)), .integer(Int64(round % 60 + 1))]
        )
      }
      try watched.wait("asleep") { tally, _ in tally.isAsleep }
      print("2,000 commits: \(watched.watch.report)")
      // One to three on a quiet machine; where the writer itself is held up, the watch falls asleep between commits.
      #expect(watched.watch.report.notifications <= 2000 / 20)
      #expect(watched.counter.value > before)
    }
  }

  @Test func `while transactions run, a watch does not arm the bell for them (R150)`() throws {
    try database { url, writer in
      var timing = StoreWatch.Timing()
      timing.busy = .seconds(1000)
      let watched = try Watched(url, timing: timing)
      try watched.wait("asleep") { tally, _ in tally.isAsleep }
      let other = try TestServer.connect(url)
      try other.run([.begin(.readCommitted)])
      try other.run(#"UPDATE "Book" SET year = 1 WHERE id = 1"#)
      try writer.run(#"UPDATE "Book" SET year = 2 WHERE id = 2"#)
      try watched.wait("the commit") { tally, _ in !tally.isAsleep }
      let before = watched.watch.report
      try watched.wait("looks of half a second") { tally, _ in tally.looks >= before.looks + 50 }
      #expect(watched.watch.report.armings == before.armings)
      try other.run([.commit])
      try watched.wait("asleep") { tally, _ in tally.isAsleep }
      #expect(watched.watch.report.missed == 0)
    }
  }

  @Test func `a watch whose connection is ended comes back and reports (R150)`() throws {
    try database { url, writer in
      let watched = try Watched(url)
      try watched.wait("asleep") { tally, _ in tally.isAsleep }
      let before = watched.counter.value
      try writer.run(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
        """
      )
      try writer.run(#"UPDATE "Book" SET year = 77 WHERE id = 1"#)
      try watched.wait("a new connection") { tally, count in
        tally.connections == 2 && count > before && tally.isAsleep
      }
    }
  }

  @Test func `no wake-up is lost (R150)`() throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    print("wake-ups of seed \(seed)")
    try database { url, _ in
      var watches: [Watched] = []
      for number in 1...3 {
        var timing = StoreWatch.Timing()
        // Nothing but a notification can end a sleep in time; the bell is armed for ten seconds.
        timing.sleep = .seconds(9)
        timing.patience = 1
        timing.quiet = .milliseconds(15 * number)
        // Armings beside transactions that run are what may go wrong.
        timing.busy = timing.quiet
        watches.append(try Watched(url, timing: timing))
      }
      var (sleeps, notifications, round) = (0, 0, UInt64(0))
      // On a busy machine the watches sleep seldom; then there is more writing.
      repeat {
        let seed = seed &+ round
        round += 1
        let group = DispatchGroup()
        for number in 0..<4 {
          group.enter()
          Thread.detachNewThread {
            WakingWriter(url, number: number, seed: seed).run(transactions: 60)
            group.leave()
          }
        }
        group.wait()
        (sleeps, notifications) = (0, 0)
        for watched in watches {
          try watched.wait("asleep") { tally, _ in tally.isAsleep }
          let report = watched.watch.report
          print("  \(report)")
          #expect(report.missed == 0)
          sleeps += report.sleeps
          notifications += report.notifications
        }
      } while (sleeps <= 9 || notifications <= 9) && round < 8
      // A watch that goes without having slept wakes the others, so the most patient one sleeps least.
      #expect(sleeps > 9 && notifications > 9)
    }
  }
}

/// Writes now and then, with old snapshots, long transactions and rollbacks.
private struct WakingWriter {
  private let url: String
  private let number: Int
  private var random: SeededGenerator

  init(_ url: String, number: Int, seed: UInt64) {
    (self.url, self.number) = (url, number)
    random = SeededGenerator(seed: seed &* 100 &+ UInt64(number))
  }

  private mutating func chance() -> Bool { Bool.random(using: &random) }

  private mutating func pause(_ milliseconds: Int) {
    usleep(UInt32.random(in: 0...UInt32(milliseconds * 1000), using: &random))
  }

  func run(transactions: Int) {
    var copy = self
    guard let connection = try? TestServer.connect(url) else { return }
    for _ in 0..<transactions {
      do {
        try copy.transact(on: connection)
      } catch {
        _ = try? connection.run([.rollback])
      }
      copy.pause([1, 20, 200][Int.random(in: 0...2, using: &copy.random)])
    }
  }

  private mutating func transact(on connection: Connection) throws {
    try connection.runOnce(
      "BEGIN ISOLATION LEVEL \(chance() ? "READ COMMITTED" : "REPEATABLE READ")"
    )
    if chance() {
      // A snapshot that is older than the first change.
      try connection.runOnce(#"SELECT 1 FROM "Book" LIMIT 1"#)
      pause(30)
    }
    let id = number * 10 + Int.random(in: 1...5, using: &random)
    try connection.runOnce(#"UPDATE "Book" SET year = year + 1 WHERE id = \#(id)"#)
    if chance() { pause(60) }
    try connection.run([Int.random(in: 0...9, using: &random) == 0 ? .rollback : .commit])
  }
}
#endif
