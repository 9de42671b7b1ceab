#if PostgreSQL
import FetchedResults
import Foundation

/// Measures following changes of other programs in PostgreSQL: goals 3, 4, 6, 9 and 11 of a store over PostgreSQL.
///
/// A list and the same work in C take turns in blocks, and every block yields one pair.
struct ServerChanges {
  private static let blocks = 4

  let table: ServerTable

  init(_ table: ServerTable) { self.table = table }

  /// Goals 3 and 4: one row that moves, from the commit of another program to its exact paths.
  func oneChange() async throws -> [Measurement] {
    var (following, requeries) = (Pairs(), Pairs())
    var most = (queries: 0, readings: 0)
    for _ in 0..<Self.blocks {
      let (controller, first) = try await table.follow()
      var events = first
      var ours = Samples()
      for round in 0..<rounds {
        // A commit after a pause is reported by the server, and not by the next poll.
        try await Task.sleep(for: .milliseconds(100))
        try table.moveOne()
        let start = ContinuousClock.now
        let event = await events.next()
        guard case .change(let change) = event, change.delta.rows.count == 1 else {
          throw BenchmarkError.wrongResult("one change, unless another program wrote as well")
        }
        guard round >= warmUp else { continue }
        ours.add((ContinuousClock.now - start).microseconds)
        most.queries = max(most.queries, try await controller.explain()?.last.work.queries ?? 0)
      }
      controller.cancel()
      let reference = try await inC()
      following.add(ours.median, reference.median)
      requeries.add(ours.median, try requery())
    }
    let name = "one change, commit to exact paths"
    return [
      table.figure(3, name, following, against: "the same in C", limit: table.atLargest(2)),
      table.figure(
        3,
        "queries for one change, beside the reading",
        Double(most.queries),
        2,
        "queries"
      ),
      table.figure(
        4,
        name,
        requeries,
        against: "all identities read again in C",
        limit: requeryLimit
      ),
    ]
  }

  private var rounds: Int { warmUp + 2 * table.runs }
  private var warmUp: Int { 2 }

  private var requeryLimit: Double? {
    switch table.rows {
    case 1_000_000: 0.01
    case 10_000_000: 0.001
    default: nil
    }
  }

  /// The same in C: woken by a notification, it reads the log and finds both positions.
  private func inC() async throws -> Samples {
    let listener = try PlainServer(url: table.url)
    defer { listener.close() }
    try listener.run("LISTEN reference")
    var ranks = try ServerRanks(table.plain)
    var times = Samples()
    for round in 0..<rounds {
      // The same pause as before ours, after which caches are cold and processors slow.
      try await Task.sleep(for: .milliseconds(100))
      try table.writer.run("BEGIN; NOTIFY reference")
      try table.moveOne()
      try table.writer.run("COMMIT")
      let start = ContinuousClock.now
      guard try listener.notifications(within: 1000) > 0, try ranks.follow(table.plain) == 1
      else { throw BenchmarkError.wrongResult("one change in C") }
      guard round >= warmUp else { continue }
      times.add((ContinuousClock.now - start).microseconds)
    }
    return times
  }

  private func requery() throws -> Double {
    try time {
      let found = try table.plain.query("SELECT id FROM \"Message\" ORDER BY folder, date, id")
      guard found.count == table.rows else { throw BenchmarkError.wrongResult("a second fetch") }
    }
  }
}

// MARK: - Many changes, lone commits, many lists

extension ServerChanges {
  /// Goal 6: a thousand rows that move in one commit.
  func manyChanges() async throws -> [Measurement] {
    let size = min(1000, table.rows / 10)
    var pairs = Pairs()
    var queries = 0
    let (controller, first) = try await table.follow()
    var events = first
    for _ in 0..<table.runs {
      try moveMany(size)
      let ours = try await time {
        guard case .change(let change) = await events.next(), change.delta.size > size / 2 else {
          throw BenchmarkError.wrongResult("a thousand changes")
        }
      }
      queries = max(queries, try await controller.explain()?.last.work.queries ?? 0)
      var ranks = try ServerRanks(table.plain)
      try moveMany(size)
      let reference = try time { _ = try ranks.follow(table.plain) }
      guard case .change = await events.next() else {
        throw BenchmarkError.wrongResult("a thousand changes")
      }
      pairs.add(ours, reference)
    }
    controller.cancel()
    let name = "\(ReportNumber.grouped(size)) moved rows, commit to exact paths"
    return [
      table.figure(
        6,
        name,
        pairs,
        against: "counts over arrays in C",
        limit: table.rows == 1_000_000 ? 1.5 : nil
      ),
      table.figure(6, "queries for them, beside the reading", Double(queries), 6, "queries"),
    ]
  }

  private func moveMany(_ size: Int) throws {
    _ = try table.writer.call(
      """
      UPDATE "Message" SET folder = (folder + 1 + $2::int8) % \(Message.folders)
      WHERE id IN (SELECT 1 + (n * 7919 + $1::int8) % \(table.rows) FROM generate_series(1, \(size)) n)
      """,
      [table.anyID(), Int64(table.numbers.draw(below: Message.folders - 2))]
    )
  }

  /// Goal 9: a lone commit after a pause, and what an idle follower costs.
  func loneCommits() async throws -> [Measurement] {
    let (controller, first) = try await table.follow()
    var events = first
    var times = Samples()
    for _ in 0..<5 * table.runs {
      try await Task.sleep(for: .milliseconds(400))
      try table.moveOne()
      let taken = try await time {
        guard case .change = await events.next() else {
          throw BenchmarkError.wrongResult("a lone commit")
        }
      }
      times.add(taken)
    }
    try await Task.sleep(for: .seconds(1))
    let armings = try await changesOfBell(during: .seconds(20))
    controller.cancel()
    return [
      table.figure(9, "a lone commit, until its delta is delivered", times.median, 5000),
      table.figure(9, "the slowest of 20 such commits", times.quantile(0.95)),
      table.figure(9, "armings of an idle follower in 20 seconds", Double(armings), 5, "armings"),
    ]
  }

  private func changesOfBell(during span: Duration) async throws -> Int {
    let bell = "SELECT last_value FROM fetched_results.bell"
    var (last, changes) = (try table.plain.integer(bell), 0)
    let end = ContinuousClock.now + span
    while ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(100))
      let now = try table.plain.integer(bell)
      if now != last { (last, changes) = (now, changes + 1) }
    }
    return changes
  }

  /// Readings that find nothing new, beside the same statements in C.
  private func emptyReadings() throws -> Pairs {
    let ranks = try ServerRanks(table.plain)
    var pairs = Pairs()
    for _ in 0..<40 * table.runs {
      let ours = try time {
        _ = try table.store.read { (snapshot) throws(StoreError) in snapshot.version }
      }
      pairs.add(ours, try time { _ = try ranks.look(table.plain) })
    }
    return pairs
  }

  /// Goal 11: a commit under a thousand lists is read once.
  func manyLists() async throws -> [Measurement] {
    let store = WorkCountingStore(table.store)
    let thread = try table.plain.integer("SELECT thread FROM \"Message\" WHERE id = 7")
    var controllers: [FetchedResultsController<Message>] = []
    for number in 0..<1000 {
      let controller = FetchedResultsController(
        FetchRequest<Message>(
          where: \.thread == thread + Int64(number),
          sortedBy: [.ascending(\.date)]
        ),
        in: store
      )
      try await controller.performFetch()
      controllers.append(controller)
    }
    var events = controllers[0].changes.makeAsyncIterator()
    _ = await events.next()
    try await Task.sleep(for: .milliseconds(200))
    let before = store.readCount
    _ = try table.writer.call(
      "UPDATE \"Message\" SET folder = (folder + 1) % \(Message.folders) WHERE id = $1::int8",
      [7]
    )
    let taken = try await time {
      guard case .change = await events.next() else {
        throw BenchmarkError.wrongResult("a commit under many lists")
      }
    }
    let readings = store.readCount - before
    for controller in controllers { controller.cancel() }
    return [
      table.figure(
        11,
        "one reading without news",
        try emptyReadings(),
        against: "its statements in C"
      ),
      table.figure(11, "one commit under 1,000 lists", taken),
      table.figure(11, "readings for it", Double(readings), 1, "readings"),
    ]
  }
}
#endif
