#if PostgreSQL
import FetchedResults
import Foundation
import PostgreSQLPersistence
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import Synchronization

/// Measures what the log costs writers, and how often they notify: goals 7 and 8 of a store over PostgreSQL.
struct ServerWriters {
  private static let clients = 16

  let table: ServerTable
  private let pgbench: String?

  init(_ table: ServerTable) {
    self.table = table
    let folders =
      (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
      + (8...30).reversed().map { "/usr/lib/postgresql/\($0)/bin" }
    pgbench = folders.map { "\($0)/pgbench" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Goal 7: sixteen clients, and statements of many rows, with and without a log.
  func capture() throws -> [Measurement] {
    // The same columns and indexes, without triggers.
    try table.writer.run("DROP TABLE IF EXISTS \"Uncaptured\"")
    try table.writer.run("CREATE TABLE \"Uncaptured\" (LIKE \"Message\" INCLUDING ALL)")
    defer { _ = try? table.writer.run("DROP TABLE IF EXISTS \"Uncaptured\"") }
    let rows = min(100_000, table.rows)
    try table.writer.run(ServerTable.insertion(1...rows, into: "Uncaptured"))
    try table.writer.run("VACUUM (ANALYZE) \"Uncaptured\"")
    return try commits(rows)
      + statements(rows, in: "Message", of: "by statement", limits: (2, 2.5)) + byRow(rows)
  }

  private func commits(_ rows: Int) throws -> [Measurement] {
    let name = "commits a second of 16 clients, with a log"
    guard pgbench != nil else {
      return [.missing(goal: 7, name, rows: rows, unit: "commits/s", because: "no pgbench")]
    }
    var (captured, plain, ratios) = (Samples(), Samples(), Samples())
    for _ in 0..<max(3, table.runs / 2) {
      let ours = try load("Message", rows, commits: 400)
      let reference = try load("Uncaptured", rows, commits: 400)
      captured.add(ours)
      plain.add(reference)
      // A rate must not fall below a share, so its inverse has the limit.
      ratios.add(reference / max(1, ours))
    }
    return [
      table.figure(7, name, captured.median, nil, "commits/s")
        .compared(to: plain.median, "the same without a log"),
      table.figure(
        7,
        "how many times as long as without a log",
        ratios.median,
        table.atLargest(1 / 0.6),
        "times"
      ),
    ]
  }

  /// The commits a second of sixteen clients that update random rows.
  ///
  /// Their number is given, not a time: this process may block the signal of the timer, and its children then do.
  private func load(_ name: String, _ rows: Int, commits: Int, rate: Int? = nil) throws -> Double {
    guard let pgbench else { return 0 }
    let script = FileManager.default.temporaryDirectory
      .appendingPathComponent(
        "results-benchmark-\(name)-\(ProcessInfo.processInfo.processIdentifier).sql"
      )
    try Data(
      """
      \\set id random(1, \(rows))
      UPDATE "\(name)" SET mark = mark + 1 WHERE id = :id;

      """.utf8
    ).write(to: script)
    defer { try? FileManager.default.removeItem(at: script) }
    let output = try ChildProgram(pgbench).output(
      [
        "-n", "-M", "prepared", "-c", "\(Self.clients)", "-j", "2", "-t", "\(commits)", "-f",
        script.path,
      ] + (rate.map { ["-R", "\($0)"] } ?? []) + [table.url]
    )
    // tps = 1234.567890 (without initial connection time)
    guard let line = output.split(separator: "\n").last(where: { $0.hasPrefix("tps = ") }),
      let rate = line.split(separator: " ").dropFirst(2).first.flatMap({ Double($0) })
    else { throw BenchmarkError.wrongResult("pgbench") }
    return rate
  }

  /// Bulk statements, in transactions that are rolled back.
  private func statements(
    _ rows: Int,
    in captured: String,
    of kind: String,
    limits: (insert: Double, update: Double)
  ) throws -> [Measurement] {
    var (inserts, updates, bytes) = (Pairs(), Pairs(), Samples())
    let first = table.rows + 1
    for _ in 0..<table.runs {
      inserts.add(
        try rolledBack(ServerTable.insertion(first...(first + rows - 1), into: captured)),
        try rolledBack(ServerTable.insertion(first...(first + rows - 1), into: "Uncaptured"))
      )
      let before = try logBytes()
      updates.add(
        try rolledBack(update(captured, rows)),
        try rolledBack(update("Uncaptured", rows))
      )
      bytes.add(Double(try logBytes() - before) / Double(rows))
    }
    let count = ReportNumber.grouped(rows)
    return [
      table.figure(
        7,
        "\(count) rows inserted at once, captured \(kind)",
        inserts,
        against: "the same without a log",
        limit: table.atLargest(limits.insert)
      ),
      table.figure(
        7,
        "\(count) rows updated at once, captured \(kind)",
        updates,
        against: "the same without a log",
        limit: table.atLargest(limits.update)
      ),
      table.figure(7, "bytes of the log a row, updated \(kind)", bytes.median, nil, "bytes"),
    ]
  }

  /// The size of the log with its index; what was rolled back counts until it is vacuumed.
  private func logBytes() throws -> Int64 {
    try table.writer.integer("SELECT pg_total_relation_size('fetched_results.log')")
  }

  private func update(_ name: String, _ rows: Int) -> String {
    "UPDATE \"\(name)\" SET mark = mark + 1 WHERE id <= \(rows)"
  }

  private func rolledBack(_ sql: String) throws -> Double {
    try table.writer.run("BEGIN")
    defer { _ = try? table.writer.run("ROLLBACK") }
    return try time { try table.writer.run(sql) }
  }

  /// The same with triggers by row, in a table of its own.
  private func byRow(_ rows: Int) throws -> [Measurement] {
    let entity = try EntityDescription(name: "ByRow", attributes: Message.entity.attributes)
    try table.writer.run("DROP TABLE IF EXISTS \"ByRow\"")
    try table.writer.run("CREATE TABLE \"ByRow\" (LIKE \"Message\" INCLUDING ALL)")
    defer { _ = try? table.writer.run("DROP TABLE IF EXISTS \"ByRow\"") }
    try table.writer.run(ServerTable.insertion(1...rows, into: "ByRow"))
    try table.writer.run("VACUUM (ANALYZE) \"ByRow\"")
    let store = try PostgreSQLStore(
      url: table.url,
      entities: [entity],
      options: PostgreSQLStoreOptions(
        adoptsTables: true,
        maintainsChangeLog: true,
        capture: .byRow
      )
    )
    defer { try? store.close() }
    return try statements(rows, in: "ByRow", of: "by row", limits: (6, 6))
  }
}

// MARK: - Notifications

extension ServerWriters {
  /// Goal 8: the notifications during a minute of a thousand commits a second.
  ///
  /// Those of the transactions that were running when the first commit woke the watch are counted apart.
  func notifications() async throws -> [Measurement] {
    let seconds = table.rows >= 1_000_000 ? 60 : 10
    let name = "notifications in \(seconds) seconds of load"
    guard pgbench != nil else {
      return [.missing(goal: 8, name, rows: table.rows, unit: "", because: "no pgbench")]
    }
    let controller = table.list(of: Message.self)
    try await controller.performFetch()
    controller.observedRows = 0..<100
    let arrivals = NotificationArrivals(url: table.url)
    defer { arrivals.stop() }
    let generation = try controller.results.generation
    let rate = try load("Message", table.rows, commits: seconds * 1000 / Self.clients, rate: 1000)
    try await controller.refresh()
    try await Task.sleep(for: .seconds(1))
    let times = arrivals.times
    let first = times.prefix { $0 - times[0] < .milliseconds(100) }
    // A lone commit after a pause must arrive here; otherwise the count says nothing.
    try table.moveOne()
    let deadline = ContinuousClock.now + .seconds(5)
    while arrivals.times.count == times.count, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(10))
    }
    guard arrivals.times.count > times.count else {
      throw BenchmarkError.wrongResult("the notification of a lone commit")
    }
    let changes = try controller.results.generation - generation
    controller.cancel()
    return [
      table.figure(8, name, Double(times.count - first.count), 3, "notifications"),
      table.figure(
        8,
        "notifications as \(Self.clients) clients begin",
        Double(first.count),
        nil,
        "notifications"
      ),
      table.figure(8, "commits a second meanwhile", rate, nil, "commits/s"),
      table.figure(8, "changes delivered meanwhile", Double(changes), nil, "changes"),
    ]
  }
}

/// When notifications arrive, on a thread and a connection of its own.
private final class NotificationArrivals: Sendable {
  private let arrived = Mutex<[ContinuousClock.Instant]>([])
  private let isOver = Atomic<Bool>(false)

  /// Listens from now on.
  init(url: String) {
    let isListening = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [self] in
      let listener = try? PlainServer(url: url)
      defer { listener?.close() }
      _ = try? listener?.run("LISTEN fetched_results")
      isListening.signal()
      while !isOver.load(ordering: .relaxed),
        let count = try? listener?.notifications(within: 50)
      {
        arrived.withLock { $0 += Array(repeating: .now, count: count) }
      }
    }
    isListening.wait()
  }

  /// When each has arrived so far.
  var times: [ContinuousClock.Instant] { arrived.withLock { $0 } }

  /// Ends the listening.
  func stop() { isOver.store(true, ordering: .relaxed) }
}
#endif
