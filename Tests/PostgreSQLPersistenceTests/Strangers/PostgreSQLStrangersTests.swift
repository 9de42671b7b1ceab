#if PostgreSQL
import Foundation
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import PostgreSQLPersistence

/// R214: lists over random databases of other applications on a server, while others change rows and schemas.
///
/// `script/strangers` is the long form.
@Suite("Strangers' databases on a server", .serialized)
struct PostgreSQLStrangersTests {
  @Test(.timeLimit(.minutes(600)))
  func `R214: a list is what the server reads or says why not, and no writer is disturbed`()
    async throws
  {
    let environment = ProcessInfo.processInfo.environment
    let seconds = environment["RESULTS_STRANGERS_SECONDS"].flatMap { Double($0) }
    let seed = environment["RESULTS_STRANGERS_SEED"].flatMap { UInt64($0) } ?? 1
    let deadline = ContinuousClock.now.advanced(by: .seconds(seconds ?? 60))
    var report = StrangerReport()
    var number: UInt64 = 0
    while ContinuousClock.now < deadline, number < (seconds == nil ? 2 : .max),
      report.defects.count < 8
    {
      var life = try StrangerLife(seed: seed &+ number, StrangerFeature.used)
      try await life.live(steps: seconds == nil ? 6 : 20, until: deadline, &report)
      number += 1
    }
    for defect in report.defects { Issue.record("\(defect)") }
    guard let path = environment["RESULTS_STRANGERS_REPORT"] else { return }
    let earlier = FileManager.default.contents(atPath: path) ?? Data()
    try (earlier + Data((report.line(seed) + "\n").utf8)).write(to: URL(fileURLWithPath: path))
  }
}

/// What was done and seen in the lives of several databases.
struct StrangerReport {
  var databases = 0
  var steps = 0
  var writes = 0
  var writesFailed = 0
  var lists = 0
  var equal = 0
  var reasons: [String: Int] = [:]
  var defects: [String] = []

  /// The last line of a run.
  func line(_ seed: UInt64) -> String {
    let reasons = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    return """
      strangers over PostgreSQL, seed \(seed): \(databases) databases, \(steps) steps, \(writes) scripts of writers \
      (\(writesFailed) failed with us and without us alike), \(lists) lists, \(equal) comparisons equal, \
      said why not: \(reasons.isEmpty ? "none" : reasons); \(defects.count) defects
      """
  }

  /// Counts a reason without the name of its table and what else is in quotation marks.
  mutating func count(_ reason: String, of table: String) {
    let reason = reason.replacingOccurrences(of: table, with: "…")
    let plain = reason.replacing(/[“\x22][^”\x22]*[”\x22]/, with: "…")
    reasons[String(plain.suffix(110)), default: 0] += 1
  }
}

/// One random database on a server, its twin that nobody watches, its writers and its lists.
struct StrangerLife {
  private static let reader = "stranger_reader"
  private static let writer = "stranger_writer"

  private let seed: UInt64
  private let features: Set<StrangerFeature>
  private let url: String
  private let twinURL: String
  private var writer: StrangerWriter
  private var tables: [StrangerTable] = []
  private var lists: [StrangerList] = []
  private var history: [String] = []

  init(seed: UInt64, _ features: Set<StrangerFeature>) throws {
    self.seed = seed
    self.features = features
    url = try TestServer.newDatabase()
    twinURL = try TestServer.newDatabase()
    writer = StrangerWriter(tables: StrangerTables(seed: seed, features))
  }

  mutating func live(
    steps: Int,
    until deadline: ContinuousClock.Instant,
    _ report: inout StrangerReport
  ) async throws {
    defer {
      for list in lists { list.end() }
      for url in [url, twinURL] { try? TestServer.removeDatabase(url) }
    }
    report.databases += 1
    try begin()
    for table in tables { try await follow(table, &report) }
    let before = report.defects.count
    for step in 0..<steps where ContinuousClock.now < deadline && report.defects.count == before {
      report.steps += 1
      let (statements, isOwner) = writer.script(&tables)
      report.writes += 1
      history.append(statements.joined(separator: ";\n") + ";")
      let watched = try run(statements, asOwner: isOwner, at: url)
      let free = try run(statements, asOwner: isOwner, at: twinURL)
      if free != nil { report.writesFailed += 1 }
      if watched != free {
        let (found, wanted) = (watched ?? "success", free ?? "success")
        fail(step, "a writer was disturbed: \(found), without us \(wanted)", &report)
        return
      }
      try await compare(step, &report)
      if let growth = try growth() { fail(step, growth, &report) }
    }
  }

  // MARK: - Beginning

  private mutating func begin() throws {
    var statements = [
      "CREATE DOMAIN price AS numeric(12,2) CHECK (VALUE < 1000000)",
      "CREATE TYPE mood AS ENUM ('sad', 'good')",
      "CREATE DOMAIN citykind AS text CHECK (VALUE IN ('old', 'new'))",
      "CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
      "CREATE TABLE audit (what text)",
    ]
    for _ in 0..<writer.tables.random.number(in: 1...3) {
      let table = writer.tables.newTable()
      tables.append(table)
      statements += table.creation
    }
    statements.append(
      "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(Self.writer)"
    )
    statements.append("GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(Self.reader)")
    var rows: [String] = []
    for table in tables {
      for _ in 0..<writer.tables.random.number(in: 0...10) {
        rows.append(writer.insert(into: table))
      }
    }
    history = [(statements + rows).joined(separator: ";\n") + ";"]
    for url in [url, twinURL] {
      let connection = try TestServer.connect(url)
      for role in [Self.reader, Self.writer] {
        _ = try? connection.runOnce("CREATE ROLE \(role) LOGIN")
      }
      for statement in statements { try connection.runOnce(statement) }
      for statement in rows { _ = try? connection.runOnce(statement) }
    }
  }

  private mutating func follow(_ table: StrangerTable, _ report: inout StrangerReport) async throws
  {
    var forms: [(name: String, role: String?, log: Bool?, isIndexed: Bool)] = [
      ("held with a log", nil, true, false), ("indexed with a log", nil, true, true),
      ("held by comparison", nil, false, false),
    ]
    if features.contains(.roles) { forms.append(("held by a reader", Self.reader, nil, false)) }
    for form in forms {
      if form.role != nil {
        let owner = try TestServer.connect(url)
        _ = try? owner.runOnce("GRANT USAGE ON SCHEMA fetched_results TO \(Self.reader)")
        _ = try? owner.runOnce(
          "GRANT SELECT ON ALL TABLES IN SCHEMA fetched_results TO \(Self.reader)"
        )
      }
      let listed = form.role.map { StrangerLife.url(url, of: $0) } ?? url
      do {
        let store = try PostgreSQLStore(
          url: listed,
          entities: [try table.entity()],
          options: PostgreSQLStoreOptions(
            isReadOnly: form.role != nil,
            adoptsTables: true,
            maintainsChangeLog: form.log,
            connectionLimit: 2
          )
        )
        report.lists += 1
        lists.append(try await StrangerList(table, form.name, store, isIndexed: form.isIndexed))
        history.append("-- a list of \(table.name), \(form.name)")
      } catch let error as StoreError {
        switch StrangerOutcome.judged("\(error)") {
        case .saidWhyNot(let reason): report.count(reason, of: table.name)
        default: fail(0, "\(form.name), \(table.name): \(error)", &report)
        }
      }
    }
  }

  /// The URL of a database for another role.
  private static func url(_ url: String, of role: String) -> String {
    guard var components = URLComponents(string: url) else { return url }
    let items = (components.queryItems ?? []).filter { $0.name != "user" }
    components.queryItems = items + [URLQueryItem(name: "user", value: role)]
    components.user = nil
    return components.string ?? url
  }

  // MARK: - Steps

  /// Runs statements up to the first that fails.
  /// - Returns: The failure, or `nil`.
  private func run(_ statements: [String], asOwner isOwner: Bool, at url: String) throws -> String?
  {
    let connection = try TestServer.connect(url)
    if !isOwner, features.contains(.roles) { try connection.runOnce("SET ROLE \(Self.writer)") }
    for statement in statements {
      do {
        try connection.runOnce(statement)
      } catch {
        return "\(error.state) \(error.message)"
      }
    }
    return nil
  }

  private mutating func compare(_ step: Int, _ report: inout StrangerReport) async throws {
    let (watched, free) = (try TestServer.connect(url), try TestServer.connect(twinURL))
    for table in tables {
      let mine = try? NaiveRows(table, on: watched)
      let isEmpty = mine == nil && NaiveRows.isEmpty(table, on: watched)
      if mine != (try? NaiveRows(table, on: free)) {
        fail(step, "the table \(table.name) differs from its twin that nobody watches", &report)
      }
      for index in lists.indices.reversed() where lists[index].table.name == table.name {
        let list = lists[index]
        switch try await list.settle(on: mine, isEmpty: isEmpty, within: 15) {
        case .equal: report.equal += 1
        case .saidWhyNot(let reason):
          report.count(reason, of: list.table.name)
          list.end()
          lists.remove(at: index)
        case .defect(let what):
          fail(step, "the list of \(list.table.name), \(list.form): \(what)", &report)
          list.end()
          lists.remove(at: index)
        }
      }
    }
  }

  /// What grew beyond its bound, or `nil`.
  private func growth() throws -> String? {
    let connection = try TestServer.connect(url)
    let backends = try connection.runOnce(
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    )
    let count = backends.integer(0, 0) ?? Int64(backends.text(0, 0) ?? "") ?? 0
    if count > 4 * Int64(lists.count) + 4 {
      return "there are \(count) connections of \(lists.count) lists"
    }
    guard
      let log = try? connection.runOnce(
        "SELECT (pg_total_relation_size('fetched_results.log') / 1048576)::text"
      ), let megabytes = log.text(0, 0).flatMap({ Int($0) }), megabytes > 16
    else { return nil }
    return "the log has \(megabytes) MB"
  }

  private func fail(_ step: Int, _ what: String, _ report: inout StrangerReport) {
    let scripts = history.joined(separator: "\n--\n")
    report.defects.append(
      """
      seed \(seed), step \(step): \(what)
      To repeat: RESULTS_STRANGERS_SEED=\(seed); the scripts so far:
      \(scripts)
      """
    )
  }
}
#endif
