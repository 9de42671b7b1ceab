import Foundation
import ResultsTesting

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
  func line(_ seed: UInt64, _ store: String = "SQLite") -> String {
    let reasons = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    return """
      strangers over \(store), seed \(seed): \(databases) databases, \(steps) steps, \(writes) scripts of writers \
      (\(writesFailed) failed with us and without us alike), \(lists) lists, \(equal) comparisons equal, \
      said why not: \(reasons.isEmpty ? "none" : reasons); \(defects.count) defects
      """
  }

  /// Counts a reason without the names in it.
  mutating func count(_ reason: String) {
    var text = reason.split(separator: "\n").last.map(String.init) ?? ""
    if let colon = text.range(of: "live-list: ") { text = String(text[colon.upperBound...]) }
    let words = [
      "deleted", "no key", "no table", "NULL", "locked", "busy", "column", "collation", "distinct",
      "virtual", "cannot be listed", "NOCASE", "changed", "dropped", "encoding", "generated", "UTF",
      "prepared", "no such", "limit",
    ]
    let found = words.filter { text.contains($0) }
    reasons[found.isEmpty ? String(text.suffix(60)) : found.joined(separator: "+"), default: 0] += 1
  }
}

/// One random database, its twin that nobody watches, its writers and its lists.
///
/// Each script of a writer runs over both files, by shells that wait for no lock. It must succeed or fail alike, and leave the same rows.
struct StrangerLife {
  private let seed: UInt64
  private let run: ProgramRun
  private let shell: SQLiteShell
  private let twin: SQLiteShell
  private let features: Set<StrangerFeature>
  private var writer: StrangerWriter
  private let isUTF16: Bool
  private let beginning: String
  private var watches: [StrangerWatch] = []
  private var history: [String] = []

  init(seed: UInt64, _ features: Set<StrangerFeature>) throws {
    self.seed = seed
    self.features = features
    run = try ProgramRun()
    shell = try SQLiteShell(run, folder: run.path("watched"))
    twin = try SQLiteShell(run, folder: run.path("twin"))
    var database = StrangerDatabase(
      StrangerText(random: SeededGenerator(seed: seed), features: features)
    )
    beginning = database.script()
    isUTF16 = database.isUTF16
    writer = StrangerWriter(database, features)
  }

  /// Lives for some steps.
  mutating func live(
    steps: Int,
    until deadline: ContinuousClock.Instant,
    _ report: inout StrangerReport
  ) throws {
    report.databases += 1
    for shell in [shell, twin] {
      // A statement that is refused leaves the rest: a stranger's file has no errors in it.
      let result = try shell.run(beginning)
      guard result.status == 0 else {
        let text = beginning.replacingOccurrences(of: "BEGIN;\n", with: "").replacingOccurrences(
          of: "COMMIT;\n",
          with: ""
        )
        for line in text.split(separator: ";\n") { _ = try shell.run(line + ";") }
        continue
      }
    }
    history = [beginning]
    for step in 0..<steps where ContinuousClock.now < deadline {
      report.steps += 1
      let catalog = try StrangerCatalog(with: shell, isUTF16: isUTF16)
      while watches.count < 3, let table = writer.choose(catalog.tables) {
        let watch = try start(table)
        history.append(watch.command)
        watches.append(watch)
        report.lists += 1
        if writer.choice(in: 0...2) == 0 { break }
      }
      // A list that starts is compared before the next script.
      try compare(step, &report)
      let script = writer.script(catalog)
      history.append(script)
      report.writes += 1
      let (watched, free) = (try shell.run(script), try twin.run(script))
      if free.status != 0 { report.writesFailed += 1 }
      if watched.status != free.status || watched.errors != free.errors {
        fail(
          step,
          "a writer was disturbed: \(watched.status) \(watched.errors), without us \(free.status) \(free.errors)",
          &report
        )
        return
      }
      try compare(step, &report)
      guard
        report.defects.isEmpty
          || !report.defects[report.defects.count - 1].contains("seed \(seed),")
      else { return }
    }
  }

  private mutating func start(_ table: StrangerTable) throws -> StrangerWatch {
    let plain = table.columns.map(\.name).filter(\.isPlainName)
    let isOrdered = !table.isView && writer.choice(in: 0...2) == 0
    let column = isOrdered ? writer.choose(plain) : nil
    let isSection = writer.choice(in: 0...1) == 0
    let limit = !table.isView && writer.choice(in: 0...4) == 0 ? writer.choice(in: 0...8) : nil
    return try StrangerWatch(
      table,
      sort: isSection ? nil : column,
      section: isSection ? column : nil,
      limit: limit,
      addsLog: features.contains(.changeLogs) && table.kind == "table"
        && writer.choice(in: 0...3) == 0,
      run,
      folder: shell.folder
    )
  }

  /// Compares every list and every table with the twin's.
  private mutating func compare(_ step: Int, _ report: inout StrangerReport) throws {
    let catalog = try StrangerCatalog(with: shell, isUTF16: isUTF16)
    let names = Set(watches.map(\.table))
    let watched = catalog.tables.filter { names.contains($0.name) }
    let (tables, _) = try NaiveTable.read(watched, with: shell, isUTF16: isUTF16)
    let (others, _) = try NaiveTable.read(watched, with: twin, isUTF16: isUTF16)
    for (name, table) in tables where others[name]?.rows != table.rows {
      fail(step, "the table \(name) differs from its twin that nobody watches", &report)
    }
    for index in watches.indices.reversed() {
      switch watches[index].settle(on: tables[watches[index].table]) {
      case .equal:
        report.equal += 1
        if let growth = watches[index].growth() { fail(step, growth, &report) }
      case .saidWhyNot(let reason):
        report.count(reason)
        watches.remove(at: index)
      case .defect(let text):
        fail(step, "\(watches[index].command) \(text)", &report)
        watches.remove(at: index)
      }
    }
    for file in try FileManager.default.contentsOfDirectory(atPath: shell.folder) {
      let known = ["d.db", "d.db-wal", "d.db-shm", "d.db-journal", "other.db", "script.sql"]
      if !known.contains(file), !file.hasPrefix("other.db") {
        fail(step, "there is a file \(file)", &report)
      }
    }
  }

  private func fail(_ step: Int, _ what: String, _ report: inout StrangerReport) {
    report.defects.append(
      """
      seed \(seed), step \(step): \(what)
      To repeat: RESULTS_STRANGERS_SEED=\(seed); the scripts so far:
      \(history.joined(separator: "\n--\n"))
      """
    )
  }
}
