import ResultsStoreKit
import Foundation
import ResultsTesting
import Testing

/// R217: random databases whose files were forged: any schema, any bytes.
///
/// The programs that describe and list them end in time, with a
/// status that is documented, and never by a signal.
///
/// `script/strangers` is the long form.
@Suite("Forged databases", .serialized, .enabled(if: SQLiteShell.isThere))
struct ForgedDatabaseTests {
  @Test(.timeLimit(.minutes(600)))
  func `R217: a forged file is described and listed, or refused with a reason`() async throws {
    let plan = StrangersPlan.current
    let report = try await OwnThread.run {
      var report = ForgedReport()
      let deadline = ContinuousClock.now.advanced(by: .seconds(plan.seconds))
      var number: UInt64 = 0
      while ContinuousClock.now < deadline, number / 8 < UInt64(plan.databases),
        report.defects.count < 8
      {
        try ForgedDatabase(seed: plan.seed &+ number).examine(&report)
        number += 1
      }
      return report
    }
    for defect in report.defects { Issue.record("\(defect)") }
    try plan.print(report.line(plan.seed))
  }
}

/// What was done and seen with forged files.
struct ForgedReport {
  var files = 0
  var runs = 0
  var statuses: [Int32: Int] = [:]
  var defects: [String] = []

  /// The last line of a run.
  func line(_ seed: UInt64) -> String {
    let statuses = statuses.sorted { $0.key < $1.key }.map { "\($0.value) with status \($0.key)" }
    return """
      forged databases, seed \(seed): \(files) files, \(runs) runs of programs \
      (\(statuses.joined(separator: ", "))); \(defects.count) defects
      """
  }
}

/// A random database whose schema, records or bytes are then changed at random.
struct ForgedDatabase {
  /// The statuses by which a program says what is wrong with its input (`docs/commands.md`).
  private static let documented: Set<Int32> = [0, 64, 65, 66, 69, 73, 74, 75]
  /// The memory that a program may reserve, in kilobytes.
  private static let memory = 1_500_000
  /// How long a program may take: what it reads has a bound of ten seconds.
  private static let seconds = 40.0

  private let seed: UInt64
  private let run: ProgramRun
  private let shell: SQLiteShell
  private var random: SeededGenerator

  init(seed: UInt64) throws {
    self.seed = seed
    run = try ProgramRun()
    shell = try SQLiteShell(run, folder: run.path("forged"))
    random = SeededGenerator(seed: seed ^ 0xF0)
  }

  /// Makes the file and runs the programs on it.
  func examine(_ report: inout ForgedReport) throws {
    var forged = self
    try forged.make(&report)
  }

  private mutating func make(_ report: inout ForgedReport) throws {
    var features = StrangerFeature.used
    // One file of this size takes the time of a hundred others.
    if !random.happens(percent: 3) { features.remove(.manyTables) }
    if !random.happens(percent: 10) { features.remove(.endlessViews) }
    var database = StrangerDatabase(
      StrangerText(random: SeededGenerator(seed: seed), features: features)
    )
    var story = database.script()
    _ = try shell.run(story)
    let catalog = try StrangerCatalog(with: shell, isUTF16: database.isUTF16)
    for _ in 0..<random.number(in: 0...2) {
      let forgery = schemaForgery(of: catalog)
      story += forgery
      _ = try shell.run(forgery)
    }
    if random.happens(percent: 50) {
      let damage = try damageBytes()
      story += damage
    }
    report.files += 1
    let names = catalog.tables.map(\.name)
    let table = random.element(of: names) ?? "t"
    let other = random.element(of: names) ?? "t"
    let commands: [(String, [String])] = [
      ("live-list", ["d.db"]),
      ("live-list", ["list", "d.db", "--format", "jsonl", "--", table]),
      ("live-list", ["watch", "d.db", "--for", "100ms", "--format", "jsonl", "--", other]),
      ("results-schema", ["d.db"]),
    ]
    for (program, arguments) in commands {
      try examine(program, arguments, after: story, &report)
    }
  }

  private func examine(
    _ program: String,
    _ arguments: [String],
    after story: String,
    _ report: inout ForgedReport
  ) throws {
    let command = "\(program) \(arguments.joined(separator: " "))"
    report.runs += 1
    do {
      let limited = try RunningProgram(
        "/bin/sh",
        ["-c", "ulimit -v \(ForgedDatabase.memory); exec \"$@\"", "sh"]
          + [try ProgramFolder.executable(program)] + arguments,
        environment: run.environment,
        folder: shell.folder
      )
      let result = try limited.finish(within: ForgedDatabase.seconds)
      report.statuses[result.status, default: 0] += 1
      guard !ForgedDatabase.documented.contains(result.status) else { return }
      report.defects.append(
        "seed \(seed): \(command): status \(result.status): \(result.errors.suffix(400))\n\(story)"
      )
    } catch let failure as RunningProgram.Failure {
      report.defects.append("seed \(seed): \(command): \(failure)\n\(story)")
    }
  }

  // MARK: - Forgeries

  /// Statements that change the schema's own table, as no statement of SQL could.
  private mutating func schemaForgery(of catalog: StrangerCatalog) -> String {
    let row =
      "rowid = (SELECT rowid FROM sqlite_schema ORDER BY rowid LIMIT 1 OFFSET \(random.number(in: 0...12)))"
    let change = random.choice(
      "UPDATE sqlite_schema SET rootpage = \(random.choice(-1, 0, 1, 2, 3, 99_999)) WHERE \(row)",
      "UPDATE sqlite_schema SET sql = substr(sql, 1, length(sql) - \(random.number(in: 1...9))) WHERE \(row)",
      "UPDATE sqlite_schema SET sql = replace(sql, '\(letter())', '\(letter())') WHERE \(row)",
      "UPDATE sqlite_schema SET sql = CAST(sql AS BLOB) || x'\(bytes())' WHERE \(row)",
      "UPDATE sqlite_schema SET name = CAST(x'\(bytes())' AS TEXT) WHERE \(row)",
      "UPDATE sqlite_schema SET type = '\(random.choice("table", "index", "view", "trigger", "", "x"))' WHERE \(row)",
      "UPDATE sqlite_schema SET tbl_name = 'nowhere' WHERE \(row)",
      "INSERT INTO sqlite_schema VALUES ('view', 'v', 'v', 0, 'CREATE VIEW v AS SELECT * FROM v')",
      "INSERT INTO sqlite_schema SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema LIMIT 1",
      "INSERT INTO sqlite_schema VALUES ('table', 'deep', 'deep', 2, 'CREATE TABLE deep(a CHECK (\(String(repeating: "(", count: 900))1\(String(repeating: ")", count: 900))))')",
      "INSERT INTO sqlite_schema VALUES ('table', 'wide', 'wide', 2, 'CREATE TABLE wide(\((0..<1900).map { "c\($0)" }.joined(separator: ",")))')",
      "DELETE FROM sqlite_schema WHERE \(row)",
      "PRAGMA user_version = \(random.number(in: -9...9)); PRAGMA application_id = \(random.number(in: 0...9999))",
      "PRAGMA schema_version = \(random.number(in: 0...9))",
      "ANALYZE; UPDATE sqlite_stat1 SET stat = x'\(bytes())'"
    )
    return ".dbconfig defensive off\nPRAGMA writable_schema = ON;\n\(change);\n"
  }

  private mutating func letter() -> String {
    random.choice("a", "e", "T", "(", ")", ",", " ", "EY", "\"", "IN")
  }

  private mutating func bytes() -> String {
    (0..<random.number(in: 0...12)).map { _ in
      let digits = String(random.number(in: 0...255), radix: 16)
      return digits.utf8.count < 2 ? "0" + digits : digits
    }.joined()
  }

  /// Changes bytes of the file, or its length.
  /// - Returns: What was done, for a message.
  private mutating func damageBytes() throws -> String {
    let path = "\(shell.folder)/d.db"
    var file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    guard !file.isEmpty else { return "" }
    var damage = "-- bytes:"
    for _ in 0..<random.number(in: 1...8) {
      // The header, the first page and the ends of cells are the likely places.
      let offset =
        random.happens(percent: 40)
        ? random.number(in: 0...min(199, file.count - 1)) : random.number(in: 0...file.count - 1)
      file[offset] = UInt8(random.choice(0, 1, 0x7F, 0xFF, random.number(in: 0...255)))
      damage += " \(offset)=\(file[offset])"
    }
    if random.happens(percent: 20) {
      let length = random.number(in: 0...file.count)
      file.removeLast(file.count - length)
      damage += " length=\(length)"
    }
    try Data(file).write(to: URL(fileURLWithPath: path))
    return damage + "\n"
  }
}
