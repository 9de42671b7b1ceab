import ResultsStoreKit
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

  /// Counts a reason without the name of its table and what else is in quotation marks.
  mutating func count(_ reason: String, of table: String) {
    var text = reason.split(separator: "\n").last.map(String.init) ?? ""
    if let program = text.range(of: "live-list: ") { text = String(text[program.upperBound...]) }
    if !table.isEmpty { text = text.replacingOccurrences(of: table, with: "…") }
    text = text.replacing(/“[^”]*”/, with: "…")
    reasons["“\(text.prefix(90))”", default: 0] += 1
  }
}

/// One random database, its twin that nobody watches, its writers and its lists.
///
/// Each script of a writer runs over both files, by shells that wait for no lock. It must succeed or fail alike, and leave the same rows.
/// Where a list has added a log, there is another writer in the file, so the shells wait for locks; and they drop no columns, which SQLite
/// refuses where a trigger names them.
struct StrangerLife {
  private let seed: UInt64
  private let run: ProgramRun
  private var twins: StrangerTwins
  private let features: Set<StrangerFeature>
  private var writer: StrangerWriter
  private let isUTF16: Bool
  private let hasWriteAheadLog: Bool
  private let beginning: String
  private var watches: [StrangerWatch] = []
  private var hasLog = false
  private var history: [String] = []

  init(seed: UInt64, _ features: Set<StrangerFeature>) throws {
    self.seed = seed
    self.features = features
    run = try ProgramRun()
    twins = try StrangerTwins(run)
    var database = StrangerDatabase(
      StrangerText(random: SeededGenerator(seed: seed), features: features)
    )
    beginning = database.script()
    isUTF16 = database.isUTF16
    hasWriteAheadLog = database.hasWriteAheadLog
    writer = StrangerWriter(database, features)
  }

  /// Lives for some steps.
  mutating func live(
    steps: Int,
    until deadline: ContinuousClock.Instant,
    _ report: inout StrangerReport
  ) throws {
    report.databases += 1
    try twins.begin(beginning)
    history = [beginning]
    let before = report.defects.count
    for step in 0..<steps where ContinuousClock.now < deadline && report.defects.count == before {
      report.steps += 1
      let catalog = try StrangerCatalog(with: twins.watched, isUTF16: isUTF16)
      while watches.count < 3, let table = writer.choose(catalog.tables) {
        let watch = try start(table)
        history.append(watch.command)
        watches.append(watch)
        report.lists += 1
        if writer.choice(in: 0...2) == 0 { break }
      }
      // A list that starts is compared before the next script.
      try compare(step, &report)
      let outcome = try write(catalog)
      history.append(outcome.story)
      report.writes += 1
      if outcome.hasFailed { report.writesFailed += 1 }
      if let difference = outcome.difference {
        fail(step, "a writer was disturbed: \(difference)", &report)
        return
      }
      // The shells were killed, each amid another part of the script.
      guard !outcome.isEndless else { return }
      try compare(step, &report)
      if let growth = try twins.growth() { fail(step, growth, &report) }
    }
  }

  /// Changes both databases in a random way.
  private mutating func write(_ catalog: StrangerCatalog) throws -> StrangerTwins.Outcome {
    var script = writer.script(catalog)
    // VACUUM renumbers the rows of a table without an integer key unless the table has an index, and a log adds one.
    while hasLog, script.contains(" DROP COLUMN ") || script.contains("VACUUM") {
      script = writer.script(catalog)
    }
    // Under this setting the triggers of a log that nobody maintains any more read the other one of two swapped tables (R190).
    if hasLog, script.contains("swapped_away") {
      script = script.replacing("PRAGMA legacy_alter_table = ON;\n", with: "")
    }
    switch writer.choice(in: 0...99) {
    case 0..<4 where features.contains(.heldLocks): return try twins.hold(script)
    case 4..<7 where features.contains(.killedWriters): return try twins.kill(script)
    // SQLite forbids replacing a file while another process writes into it, as a list with a log does.
    case 7..<9 where features.contains(.replacedFiles) && !hasLog:
      return try twins.replace(script, hasWriteAheadLog: hasWriteAheadLog)
    default: return try twins.run(script)
    }
  }

  private mutating func start(_ table: StrangerTable) throws -> StrangerWatch {
    let plain = table.columns.map(\.name).filter(\.isPlainName)
    let isOrdered = !table.isView && writer.choice(in: 0...2) == 0
    let column = isOrdered ? writer.choose(plain) : nil
    let isSection = writer.choice(in: 0...1) == 0
    let limit = !table.isView && writer.choice(in: 0...4) == 0 ? writer.choice(in: 0...8) : nil
    let addsLog =
      features.contains(.changeLogs) && table.kind == "table" && writer.choice(in: 0...3) == 0
    if addsLog {
      hasLog = true
      twins.wait()
    }
    return try StrangerWatch(
      table,
      sort: isSection ? nil : column,
      section: isSection ? column : nil,
      limit: limit,
      addsLog: addsLog,
      run,
      folder: twins.watched.folder
    )
  }

  /// Compares every list and every table with the twin's.
  private mutating func compare(_ step: Int, _ report: inout StrangerReport) throws {
    let names = Set(watches.map(\.table))
    let catalog = try StrangerCatalog(with: twins.watched, isUTF16: isUTF16, including: names)
    let watched = catalog.tables.filter { names.contains($0.name) }
    let (tables, failures) = try NaiveTable.read(watched, with: twins.watched, isUTF16: isUTF16)
    let (others, _) = try NaiveTable.read(watched, with: twins.free, isUTF16: isUTF16)
    for (name, table) in tables where others[name]?.rows != table.rows {
      let difference = table.difference(from: others[name])
      fail(
        step,
        "the table \(name) differs from its twin that nobody watches: \(difference)",
        &report
      )
    }
    for index in watches.indices.reversed() {
      let name = watches[index].table
      switch watches[index].settle(on: tables[name], or: failures[name]) {
      case .equal:
        report.equal += 1
        if let growth = watches[index].growth() { fail(step, growth, &report) }
      case .saidWhyNot(let reason):
        report.count(reason, of: name)
        watches.remove(at: index)
      case .defect(let text):
        fail(step, "\(watches[index].command) \(text)", &report)
        watches.remove(at: index)
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
