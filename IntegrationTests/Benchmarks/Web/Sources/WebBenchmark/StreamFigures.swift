import ResultsStoreKit
import Foundation

/// The figures of many streams.
struct StreamFigures {
  let program: String
  let folder: String
  let streams: Int
  let seconds: Int

  private func makeStore() throws -> String {
    let store = folder + "/books.sqlite"
    try Store.make(program, store, books: 100_000, of: 500)
    return store
  }

  /// Starts a server whose allocations have settled: streams were open, and are closed.
  private func serve(_ store: String) throws -> Served {
    let served = try Served(program, store: store, streams: streams + 100)
    let streams = Streams()
    let log = StreamLog(.each, streams: 50)
    try streams.open(50, port: served.port, token: served.token, log: log) { _ in
      "/api/events?from=0&count=96"
    }
    try streams.close()
    Thread.sleep(forTimeInterval: 1)
    return served
  }

  // MARK: - A commit a second

  /// All streams show one window, or each its own.
  func commits(windows: Bool) throws -> [Figure] {
    let store = try makeStore()
    let writer = try Writer(store)
    try writer.run("UPDATE Book SET title = 'tick 0' WHERE id = 1")
    let served = try serve(store)
    let before = try served.memory
    let log = StreamLog(.each, streams: streams, keepsLines: true)
    let clients = Streams()
    let distance = (100_000 - 96) / streams
    try clients.open(streams, port: served.port, token: served.token, log: log) { number in
      "/api/events?from=\(windows ? number * distance : 0)&count=96"
    }
    Thread.sleep(forTimeInterval: 2)
    let memory = Double(try served.memory - before) / Double(streams) / 1000
    var figures: [Figure] = []
    let name = windows ? "\(streams) windows" : "\(streams) streams"
    if !windows {
      let start = try served.processor
      // Long enough for the beats that each stream gets.
      Thread.sleep(forTimeInterval: 20)
      let idle = (try served.processor - start) / 20 * 100
      figures += [
        Figure(name: "\(name): memory a client", value: memory, unit: "kB", limit: .atMost(40)),
        Figure(name: "\(name): idle processor", value: idle, unit: "%", limit: .atMost(1)),
      ]
    } else {
      figures.append(Figure(name: "\(name): memory a client", value: memory, unit: "kB"))
    }
    let reference = try Program([CommandLine.arguments[0], "reference"])
    guard let port = Int(String(decoding: try reference.read(upTo: 0x0A), as: UTF8.self)) else {
      throw BenchmarkFailure("the reference does not listen")
    }
    let references = Streams()
    let written = StreamLog(.each, streams: streams)
    try references.open(streams, port: port, token: "", log: written) { "/\($0)" }

    var generator = Numbers()
    let (used, usedByReference) = (
      try served.processor, try Machine.processor(of: reference.identifier)
    )
    let begin = Clock.monotonic
    for number in 1...seconds {
      Clock.sleep(until: begin + UInt64(number) * 1_000_000_000)
      try writer.run("BEGIN IMMEDIATE; \(change(number, &generator))")
      log.begin(Clock.monotonic)
      try writer.run("COMMIT")
      // Nothing looks at the log while lines are read.
      Clock.sleep(until: begin + UInt64(number) * 1_000_000_000 + 400_000_000)
      try wait("streams have no line of commit \(number)", 60) {
        log.upToDateCount == streams || !log.failures.isEmpty
      }
      if let failure = log.failures.first { throw BenchmarkFailure(failure) }
      Clock.sleep(until: begin + UInt64(number) * 1_000_000_000 + 500_000_000)
      let lines = log.takeLatest()
      try reference.write(
        Reference.message(windows ? (0..<streams).map { lines[$0] ?? [] } : [lines[0] ?? []])
      )
      written.begin(Clock.monotonic)
      try reference.write([1])
    }
    try wait("lines of the reference are missing", 60) { written.upToDateCount == streams }
    let perLine = (try served.processor - used) / Double(log.latencies.count) * 1e6
    let perReferenceLine =
      (try Machine.processor(of: reference.identifier) - usedByReference)
      / Double(written.latencies.count) * 1e6
    if let failure = (log.failures + written.failures).first { throw BenchmarkFailure(failure) }
    guard log.positionCount == 1 else { throw BenchmarkFailure("streams show different states") }
    try clients.close()
    try references.close()
    try checkRows(served, writer, distance)
    let (own, bare) = (log.latencies, written.latencies)
    return [
      Figure(
        name: "\(name), a commit a second: p50",
        value: own.percentile(0.5),
        unit: "ms",
        limit: windows ? .none : .atMost(25),
        reference: bare.percentile(0.5)
      ),
      Figure(
        name: "\(name), a commit a second: p99",
        value: own.percentile(0.99),
        unit: "ms",
        limit: .atMost(windows ? 120 : 60),
        reference: bare.percentile(0.99)
      ),
      Figure(
        name: "\(name), a commit a second: max",
        value: own.most,
        unit: "ms",
        reference: bare.most
      ),
      Figure(
        name: "\(name): processor a line",
        value: perLine,
        unit: "µs",
        reference: perReferenceLine
      ),
    ] + figures
  }

  /// The statements of a commit: the counter's title, and ten other books, of which one is new and one goes.
  private func change(_ number: Int, _ generator: inout Numbers) -> String {
    let books = (0..<8).map { _ in
      "UPDATE Book SET year = 1900 + \(generator.next(100)) WHERE id = \(2 + generator.next(90_000));"
    }
    return """
      UPDATE Book SET title = 'tick \(number)' WHERE id = 1; \(books.joined(separator: " "))
      INSERT INTO Book(publisher, title, year) VALUES ('Publisher \(String(format: "%05d", generator.next(200)))', 'Title new', 2000);
      DELETE FROM Book WHERE id = \(95_000 + number + 100 * generator.next(40));
      """
  }

  /// Compares windows with what the store says.
  private func checkRows(_ served: Served, _ writer: Writer, _ distance: Int) throws {
    let log = StreamLog(.each, streams: 8, keepsLines: true)
    let clients = Streams()
    let start: (Int) -> Int = { $0 * (streams / 8) * distance }
    try clients.open(8, port: served.port, token: served.token, log: log) {
      "/api/events?from=\(start($0))&count=96"
    }
    try clients.close()
    for number in 0..<8 {
      let ids = try writer.texts(
        "SELECT id FROM Book \(Store.order) LIMIT 96 OFFSET \(start(number))"
      )
      let text = String(decoding: log.page(number) ?? [], as: UTF8.self)
      let shown = text.split(separator: "\"page\":[").last?.matches(of: /\{"id":"([0-9]+)"/).map {
        String($0.1)
      }
      guard shown == ids else { throw BenchmarkFailure("wrong rows from \(start(number))") }
    }
  }

  // MARK: - Many commits

  /// A writer that commits 2,000 times a second, and 100 streams.
  func throughput() throws -> [Figure] {
    let (rate, count) = (2000, min(100, streams))
    let store = try makeStore()
    let writer = try Writer(store)
    try writer.run("UPDATE Book SET title = 'tick 0' WHERE id = 1")
    let served = try serve(store)
    let log = StreamLog(.composed, streams: count)
    let clients = Streams()
    try clients.open(count, port: served.port, token: served.token, log: log) { _ in
      "/api/events?from=0&count=96"
    }
    var generator = Numbers()
    let total = rate * seconds
    var memory: [Int] = []
    let used = try served.processor
    let begin = Clock.monotonic
    for number in 1...total {
      Clock.sleep(until: begin + UInt64(number) * 1_000_000_000 / UInt64(rate))
      let id = 2 + generator.next(number % 4 == 0 ? 90_000 : 90)
      log.begin(Clock.monotonic)
      try writer.run(
        """
        BEGIN IMMEDIATE; UPDATE Book SET title = 'tick \(number)' WHERE id = 1;
        UPDATE Book SET year = 1900 + \(generator.next(100)) WHERE id = \(id); COMMIT
        """
      )
      if number % (total / 10) == 0 { memory.append(try served.memory) }
    }
    let span = Double(Clock.monotonic - begin) / 1e9
    try wait("streams are not up to date", 60) { log.upToDateCount == count }
    if let failure = log.failures.first { throw BenchmarkFailure(failure) }
    try clients.close()
    let lines = log.lines
    let processor = (try served.processor - used) / span * 100
    // The journal and the caches of the database fill up first.
    let growth = Double((memory.last ?? 0) - memory[memory.count / 2 - 1]) / 1e6
    let name = "\(count) streams, \(rate) commits a second"
    return [
      Figure(
        name: "\(name): commits made",
        value: Double(total) / span,
        unit: "/s"
      ),
      Figure(
        name: "\(name): lines a client",
        value: Double(lines.min() ?? 0) / span,
        unit: "/s",
        limit: .atLeast(20)
      ),
      Figure(name: "\(name): lag p50", value: log.latencies.percentile(0.5), unit: "ms"),
      Figure(
        name: "\(name): lag p99",
        value: log.latencies.percentile(0.99),
        unit: "ms",
        limit: .atMost(150)
      ),
      Figure(
        name: "\(name): memory grown in the second half",
        value: growth,
        unit: "MB",
        limit: .atMost(4)
      ),
      Figure(name: "\(name): processor", value: processor, unit: "%"),
    ]
  }
}

/// Numbers that are the same in each run.
struct Numbers {
  private var state: UInt64 = 26

  mutating func next(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }
}
