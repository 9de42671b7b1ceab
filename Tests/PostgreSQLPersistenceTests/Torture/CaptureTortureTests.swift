#if PostgreSQL
import ResultsStoreKit
import Dispatch
import Foundation
import ResultsTesting
import Synchronization
import Testing

@testable import PostgreSQLPersistence

/// Writers of every kind beside followers that must miss nothing.
///
/// `RESULTS_TORTURE_OPERATIONS` transactions from `RESULTS_TORTURE_SEED`, as `script/torture --store postgresql` sets them; a few hundred
/// otherwise.
@Suite(.serialized) struct CaptureTortureTests {
  private static var environment: [String: String] { ProcessInfo.processInfo.environment }
  static var isLong: Bool { environment["RESULTS_TORTURE_OPERATIONS"] != nil }
  static var operations: Int {
    environment["RESULTS_TORTURE_OPERATIONS"].flatMap { Int($0) } ?? 300
  }
  static var seed: UInt64 {
    environment["RESULTS_TORTURE_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1_000_000)
  }

  @Test(arguments: [CaptureText.Mode.row, .statement])
  func `followers miss nothing of any writer (R145)`(mode: CaptureText.Mode) throws {
    let run = try TortureRun(
      server: "torture",
      seed: CaptureTortureTests.seed,
      operations: CaptureTortureTests.operations / 2,
      mode: mode
    )
    try run.start(with: CaptureTortureTests.isLong ? ["standby"] : [])
    run.check()
    if CaptureTortureTests.isLong {
      // The check can fail: who follows the last step misses commits in the same run.
      #expect(run.missedBySteps.withLock { $0 ?? 0 } > 0)
    }
  }

  @Test(.enabled(if: CaptureTortureTests.isLong))
  func `killed processes and servers cost versions, never a right list (R147)`() throws {
    let run = try TortureRun(
      server: "torture-kills",
      seed: CaptureTortureTests.seed,
      operations: CaptureTortureTests.operations,
      mode: .row
    )
    var random = SeededGenerator(seed: CaptureTortureTests.seed)
    try run.start(with: []) { round in
      guard !round.isMultiple(of: 25) else {
        TestServer.run(["kill", run.server])
        for _ in 0..<40 where (try? TortureRun.url(TestServer.run(["start", run.server]))) == nil {
          usleep(250_000)
        }
        return
      }
      let base = try TortureRun.url(TestServer.run(["url", run.server]), isPlain: true)
      run.commitOrphans()
      let victims = Int.random(in: 0...3, using: &random)
      _ = try? TestServer.connect(base).runOnce(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' \
        AND pid <> pg_backend_pid() ORDER BY random() LIMIT \(victims)
        """
      )
    }
    run.check()
  }
}

/// One torture: its server, its writers and its followers.
final class TortureRun: Sendable {
  let server: String
  let seed: UInt64
  let operations: Int
  let mode: CaptureText.Mode
  let tally = Mutex(TortureWriter.Tally())
  private let reports = Mutex<[(name: String, report: TortureFollower.Report)]>([])
  private let database = Mutex("")
  private let isOver = Atomic<Bool>(false)
  private let begun = Atomic<Int>(0)
  /// Transactions that followers by the number of the last change have missed.
  let missedBySteps = Mutex<Int?>(nil)

  init(server: String, seed: UInt64, operations: Int, mode: CaptureText.Mode) throws {
    (self.server, self.seed, self.operations, self.mode) = (server, seed, operations, mode)
    print(
      "torture of the capture by \(mode.rawValue): \(operations) transactions from seed \(seed)"
    )
  }

  /// Starts a server, writers and followers, and waits for their end.
  /// - Parameters:
  ///   - others: `standby` follows on a hot standby too.
  ///   - disturb: Is called again and again while the writers write.
  /// - Throws: An error if there is no server.
  func start(with others: [String], disturb: ((Int) throws -> Void)? = nil) throws {
    let base = try TortureRun.url(
      TestServer.run(["start", server, "max_prepared_transactions=50", "max_connections=100"])
    )
    let database = "torture_\(mode.rawValue)_\(ProcessInfo.processInfo.processIdentifier)"
    try TestServer.connect(base).runOnce("CREATE DATABASE \(database)")
    let url = TortureRun.url(base, database: database)
    self.database.withLock { $0 = url }
    let fixture = try LogFixture(url)
    _ = try fixture.open(mode: mode == .row ? .row : nil)
    let shared = try fixture.open(mode: mode).log
    var followers = [
      // Two threads share a log, and give versions to each other.
      TortureFollower("shared 1", url, seed: seed &+ 1) { _ in shared },
      TortureFollower("shared 2", url, seed: seed &+ 2) { _ in shared },
      TortureFollower("own", url, seed: seed &+ 3) {
        try self.log(fixture, memory: 65_536, on: $0)
      },
      TortureFollower("without memory", url, seed: seed &+ 4) {
        try self.log(fixture, memory: 0, on: $0)
      },
    ]
    if others.contains("standby") {
      let standby = try TortureRun.url(TestServer.run(["standby", "\(server)-standby", server]))
      let url = TortureRun.url(standby, database: database)
      for (number, memory) in [65_536, 0].enumerated() {
        followers.append(
          TortureFollower("standby \(number + 1)", url, seed: seed &+ 5 &+ UInt64(number)) {
            try self.log(fixture, memory: memory, on: $0)
          }
        )
      }
    }
    try run(followers, url, disturb)
    _ = try? TestServer.connect(base).runOnce("DROP DATABASE \(database) WITH (FORCE)")
    if others.contains("standby") { TestServer.run(["stop", "\(server)-standby"]) }
    TestServer.run(["stop", server])
  }

  /// Commits the prepared transactions whose program was killed in between; they hold locks for ever.
  func commitOrphans() {
    guard let connection = try? TestServer.connect(database.withLock { $0 }),
      let orphans = try? connection.run(
        "SELECT gid FROM pg_prepared_xacts WHERE prepared < clock_timestamp() - interval '1 second'"
      )
    else { return }
    for row in 0..<orphans.count {
      _ = try? connection.runOnce("COMMIT PREPARED '\(orphans.text(row, 0) ?? "")'")
    }
  }

  private func log(_ fixture: LogFixture, memory: Int, on connection: Connection) throws
    -> ChangeLog?
  {
    var limits = ChangeLog.Limits()
    limits.rowsInMemory = memory
    return try ChangeLog.open(
      tables: fixture.tables,
      mayInstall: false,
      limits: limits,
      on: connection,
      path: "torture"
    )
  }

  private func run(
    _ followers: [TortureFollower],
    _ url: String,
    _ disturb: ((Int) throws -> Void)?
  ) throws {
    let (writing, following) = (DispatchGroup(), DispatchGroup())
    for follower in followers {
      onThread(following, Box(follower)) { box in
        while !self.isOver.load(ordering: .relaxed) {
          box.value.look()
          box.value.pause()
        }
        // The last look sees everything.
        for _ in 0..<200 where !box.value.look() {}
      }
    }
    onThread(following, Box(url)) { box in self.followSteps(box.value) }
    for number in 0..<6 {
      let writer = TortureWriter(url, number: number, seed: seed, prepares: true)
      onThread(writing, Box(writer)) { box in
        while self.begun.add(1, ordering: .relaxed).newValue <= self.operations {
          box.value.transact(self.tally)
        }
      }
    }
    var round = 0
    while writing.wait(timeout: .now() + .milliseconds(300)) == .timedOut {
      round += 1
      try disturb?(round)
      guard disturb == nil else { continue }
      guard round % 4 == 0, let connection = try? TestServer.connect(url) else { continue }
      _ = try? connection.runOnce("SET lock_timeout = '200ms'")
      _ = try? connection.runOnce("TRUNCATE \"\(round % 3 == 0 ? "Score" : "Book")\"")
    }
    isOver.store(true, ordering: .relaxed)
    following.wait()
    let found = followers.map(\.report)
    for (index, report) in found.enumerated() {
      reports.withLock { $0.append(("\(index)", report)) }
      print("  \(report)\(report.example.map { "; for example \($0)" } ?? "")")
    }
  }

  private struct Box<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  private func onThread<Value>(
    _ group: DispatchGroup,
    _ box: Box<Value>,
    _ body: @escaping @Sendable (Box<Value>) -> Void
  ) {
    group.enter()
    let thread = Thread {
      body(box)
      group.leave()
    }
    thread.stackSize = 4 << 20
    thread.start()
  }

  /// Follows as one should not: by the greatest number of a change that was seen.
  private func followSteps(_ url: String) {
    guard let connection = try? TestServer.connect(url) else { return }
    var (last, seen): (Int64, Set<UInt64>) = (0, [])
    var isLast = false
    while !isLast {
      isLast = isOver.load(ordering: .relaxed)
      let rows = try? connection.run(
        "SELECT xid, step FROM fetched_results.log WHERE step > $1 ORDER BY step",
        [.integer(last)]
      )
      guard let rows else { return }
      for row in 0..<rows.count {
        seen.insert(rows.unsigned(row, 0) ?? 0)
        last = rows.integer(row, 1) ?? last
      }
      usleep(2000)
    }
    let all = try? connection.run("SELECT DISTINCT xid FROM fetched_results.log")
    guard let all else { return }
    let missed = (0..<all.count).filter { !seen.contains(all.unsigned($0, 0) ?? 0) }.count
    missedBySteps.withLock { $0 = missed }
    print("  a follower by the last step missed \(missed) of \(all.count) transactions")
  }

  /// Expects that nothing is wrong, and that something happened.
  func check() {
    let tally = tally.withLock { $0 }
    print(
      "  \(tally.committed) committed, \(tally.rolledBack) rolled back, \(tally.failed) failed transactions"
    )
    #expect(tally.committed > operations / 4)
    for (name, report) in reports.withLock({ $0 }) {
      #expect(report.isRight, "follower \(name): \(report.example ?? "")")
      #expect(report.looks > 3 && report.changes > 0, "follower \(name) saw nothing")
    }
  }

  static func url(_ line: String, isPlain: Bool = false) throws -> String {
    if isPlain { return line.split(whereSeparator: \.isNewline).first.map(String.init) ?? "" }
    guard let start = line.firstIndex(of: "'"), let end = line.lastIndex(of: "'"), start < end
    else {
      throw NoServer(output: line)
    }
    return String(line[line.index(after: start)..<end])
  }

  static func url(_ base: String, database: String) -> String {
    guard var components = URLComponents(string: base) else { return base }
    components.path = "/" + database
    return components.string ?? base
  }

  struct NoServer: Error {
    let output: String
  }
}
#endif
