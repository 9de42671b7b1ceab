import ResultsStoreKit
import Foundation
import Testing

/// Files that are not stores, or cannot be used now: an exit code, a remedy, and no data loss.
@Suite struct StoreFileTests {
  private static let shell = "/usr/bin/sqlite3"
  private static var hasShell: Bool { FileManager.default.isExecutableFile(atPath: shell) }

  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let status: Int32
    let words: String
    var make: @Sendable (ProgramRun) throws -> Void
    var testDescription: String { name }
  }

  private static let corpus = [
    Case(name: "a folder", status: 66, words: "is a folder") { run in
      try FileManager.default.createDirectory(
        atPath: run.path("store"),
        withIntermediateDirectories: false
      )
    },
    Case(name: "a text", status: 65, words: "is not a database") { run in
      try run.write("This is a text, and no database at all; it is long enough.", to: "store")
    },
    Case(name: "one byte", status: 65, words: "is not a database") { run in
      try run.write("\n", to: "store")
    },
    Case(name: "random bytes", status: 65, words: "is not a database") { run in
      try Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 37) })
        .write(to: URL(fileURLWithPath: run.path("store")))
    },
    Case(name: "a truncated database", status: 65, words: "damaged") { run in
      let whole = try makeStore(run, "whole")
      try whole.prefix(5000).write(to: URL(fileURLWithPath: run.path("store")))
    },
    Case(name: "a database with a torn page", status: 65, words: "damaged") { run in
      var whole = try makeStore(run, "whole")
      for index in 4096..<whole.count { whole[index] = 0xFF }
      try whole.write(to: URL(fileURLWithPath: run.path("store")))
    },
  ]

  @Test(arguments: corpus)
  func `a file that is not a store is refused and not changed`(_ test: Case) throws {
    let run = try ProgramRun()
    try test.make(run)
    let before = FileManager.default.contents(atPath: run.path("store"))
    for verb in [["list"], ["demo"], ["doctor"], ["add", "publisher=A", "title=B"]] {
      let result = try run.run("book-catalog", verb + ["--store", "store"])
      #expect(result.status == test.status, "\(result)")
      #expect(result.errors.contains("store"), "\(result)")
      #expect(result.errors.contains(test.words), "\(result)")
    }
    #expect(FileManager.default.contents(atPath: run.path("store")) == before)
  }

  @Test(arguments: [["list"], ["doctor"], ["export", "-"]])
  func `a verb that only reads adds no table to a store of other objects`(
    _ verb: [String]
  ) throws {
    let run = try ProgramRun()
    try run.run("event-log", "stamp", "--store", "store")
    let before = FileManager.default.contents(atPath: run.path("store"))
    let result = try run.run("book-catalog", verb + ["--store", "store"])
    #expect(result.status == 65 && result.output.isEmpty, "\(result)")
    #expect(result.errors.contains("this is a store of other objects"), "\(result)")
    #expect(FileManager.default.contents(atPath: run.path("store")) == before)
  }

  @Test func `a missing folder and a missing file have remedies`() throws {
    let run = try ProgramRun()
    let folder = try run.run("book-catalog", "demo", "--store", "none/b.sqlite", expecting: 73)
    #expect(folder.errors.contains("Create the folder first."))
    let file = try run.run(
      "book-catalog",
      "list",
      "--store",
      "none.sqlite",
      "--read-only",
      expecting: 66
    )
    #expect(file.errors.contains("none.sqlite does not exist"))
    #expect(!FileManager.default.fileExists(atPath: run.path("none.sqlite")))
  }

  @Test(arguments: [
    ["list"], ["doctor"], ["export", "-"], ["dump"], ["show", "1"], ["cache", "list"],
    ["remove", "1"], ["edit", "1", "title=x"], ["list", "--read-only"],
  ])
  func `an empty file is no store, and no verb but those that add makes one of it`(
    _ verb: [String]
  ) throws {
    let run = try ProgramRun()
    try run.write("", to: "empty")
    let result = try run.run("book-catalog", verb + ["--store", "empty"])
    #expect(result.status == 65, "\(result)")
    #expect(result.output.isEmpty, "\(result)")
    #expect(
      result.errors.contains("The file empty is empty, so it is not a store. 'book-catalog add'"),
      "\(result)"
    )
    #expect(try FileManager.default.contentsOfDirectory(atPath: run.folder) == ["empty"])
    #expect(try run.read("empty") == "")
  }

  @Test func `an empty file becomes a store`() throws {
    let run = try ProgramRun()
    try run.write("", to: "b.sqlite")
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    #expect(try run.run("book-catalog", "dump", "--store", "b.sqlite").lines.count == 14)
  }

  @Test(.enabled(if: hasShell)) func `other applications' tables are not touched`() throws {
    let run = try ProgramRun()
    try sql(run, "other.sqlite", "CREATE TABLE Notes(text); INSERT INTO Notes VALUES('precious')")
    let refused = try run.run("book-catalog", "demo", "--store", "other.sqlite", expecting: 65)
    #expect(refused.errors.contains("another application"))
    #expect(refused.errors.contains("Notes"))
    #expect(try sql(run, "other.sqlite", "SELECT group_concat(name) FROM sqlite_schema") == "Notes")
  }

  @Test(.enabled(if: hasShell)) func `a newer format is refused with both versions`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    try sql(run, "b.sqlite", "UPDATE _results_store SET format = 99")
    let refused = try run.run("book-catalog", "list", "--store", "b.sqlite", expecting: 65)
    #expect(refused.errors.contains("version 99"))
    #expect(try sql(run, "b.sqlite", "SELECT count(*) FROM Book") == "14")
  }

  @Test(.enabled(if: hasShell)) func `another program's store of the same format is refused`()
    throws
  {
    let run = try ProgramRun()
    try run.run("student-roster", "add-random", "--store", "s.sqlite")
    // The file may have other entities, so it gets a table; the existing ones stay.
    try run.run("book-catalog", "demo", "--store", "s.sqlite")
    #expect(try run.run("student-roster", "list", "--store", "s.sqlite").lines.count == 2)
  }

  @Test(.enabled(if: hasShell)) func `a locked store is waited for, then reported as busy`()
    throws
  {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    let writer = try RunningShell(run)
    try writer.execute("BEGIN IMMEDIATE; SELECT 'begun';")
    #expect(try writer.line() == "begun")

    let busy = try run.run(
      "book-catalog",
      "add",
      "publisher=A",
      "title=B",
      "--store",
      "b.sqlite",
      "--busy-timeout",
      "100ms",
      expecting: 75
    )
    #expect(busy.errors.contains("Try again"))
    #expect(try run.run("book-catalog", "dump", "--store", "b.sqlite").lines.count == 14)

    let patient = try run.start(
      "book-catalog",
      "add",
      "publisher=A",
      "title=B",
      "--store",
      "b.sqlite",
      "--busy-timeout",
      "30s"
    )
    try writer.execute("COMMIT; SELECT 'done';")
    #expect(try writer.line() == "done")
    #expect(try patient.finish().status == 0)
    #expect(try run.run("book-catalog", "dump", "--store", "b.sqlite").lines.count == 15)
  }

  @Test func `a writer that is killed leaves a store that can be listed`() throws {
    let run = try ProgramRun()
    for seed in 1...3 {
      let writer = try run.start(
        "student-roster",
        "simulate",
        "--seed",
        "\(seed)",
        "--operations",
        "1000000",
        "--watch",
        "--format",
        "jsonl",
        "--store",
        "s.sqlite"
      )
      for _ in 0..<50 { _ = try writer.line() }
      writer.send(SIGKILL)
      #expect(try writer.finish().status == 137)
      let list = try run.run("student-roster", "list", "--store", "s.sqlite", "--format", "json")
      #expect(list.output.hasPrefix(#"{"v":1,"t":"snapshot""#))
      let health = try run.run("student-roster", "doctor", "--store", "s.sqlite")
      #expect(health.lines.contains { $0.hasPrefix("check") && $0.hasSuffix("ok") })
    }
  }

  /// A store with the demo books, in one file.
  private static func makeStore(_ run: ProgramRun, _ name: String) throws -> Data {
    try run.run("book-catalog", "import", ProgramFolder.fixture("books-200.tsv"), "--store", name)
    let data = try #require(FileManager.default.contents(atPath: run.path(name)))
    try #require(data.count > 8192)
    return data
  }

  /// The output of the SQLite shell.
  @discardableResult
  private func sql(_ run: ProgramRun, _ file: String, _ statement: String) throws -> String {
    let result = try RunningShell.run(run, file, statement)
    #expect(result.status == 0, "\(result)")
    return result.output.trimmingCharacters(in: .newlines)
  }
}

/// The SQLite shell on the file `b.sqlite`, which executes one statement after another.
private struct RunningShell {
  private let shell: RunningProgram

  init(_ run: ProgramRun) throws {
    shell = try RunningProgram(
      "/usr/bin/sqlite3",
      ["b.sqlite"],
      environment: run.environment,
      folder: run.folder
    )
  }

  func execute(_ statements: String) throws { try shell.write(statements + "\n") }

  func line() throws -> String? { try shell.line() }

  static func run(_ run: ProgramRun, _ file: String, _ statement: String) throws -> ProgramResult {
    try RunningProgram(
      "/usr/bin/sqlite3",
      ["-batch", file, statement],
      environment: run.environment,
      folder: run.folder
    ).finish()
  }
}
