import Foundation
import Testing

/// What surrounds a program: its locale, its home, its terminal, and readers that go away.
@Suite struct EnvironmentTests {
  @Test func `dates and amounts follow the environment, then the option`() throws {
    let run = try ProgramRun()
    try run.run(
      "household-ledger",
      "add",
      "date=2026-11-03T09:00:00Z",
      "amount=-1234567.50",
      "payee=p",
      "category=c"
    )
    func table(_ options: String...) throws -> String {
      try run.run("household-ledger", ["list", "--format", "table"] + options).output
    }
    let plain = try table()
    #expect(plain.contains("2026-11-03  (1)") && plain.contains("-1234567.50"))
    run.environment["LANG"] = "ja_JP.UTF-8"
    let japanese = try table()
    #expect(japanese.contains("2026/11/3  (1)") && japanese.contains("-1,234,567.50"))
    run.environment["LC_ALL"] = "de_DE.UTF-8"
    let german = try table()
    #expect(german.contains("3.11.2026  (1)") && german.contains("-1.234.567,50"))
    #expect(try table("--locale", "ja_JP") == japanese)
    #expect(try table("--locale", "C") == plain)
    #expect(try table("--locale", "ja_JP", "--calendar", "japanese").contains("R8/11/03"))
    // Nobody knows this one, so it counts as C.
    run.environment["LC_ALL"] = "xx_YY.UTF-8"
    #expect(try table() == plain)
  }

  @Test func `machine forms do not depend on the reader`() throws {
    let run = try ProgramRun()
    try run.run(
      "household-ledger",
      "add",
      "date=2026-11-03T18:00:00Z",
      "amount=-0.5",
      "payee=p",
      "category=c"
    )
    for form in ["csv", "tsv", "jsonl", "json"] {
      let here = try run.run("household-ledger", "list", "--format", form, "--time-zone", "UTC")
      let there = try run.run(
        "household-ledger",
        "list",
        "--format",
        form,
        "--locale",
        "C",
        "--time-zone",
        "UTC"
      )
      #expect(here.output == there.output)
    }
    let export = try run.run("household-ledger", "export", "-", "--format", "csv")
    run.environment["LANG"] = "de_DE.UTF-8"
    run.environment["TZ"] = "Asia/Tokyo"
    #expect(
      try run.run("household-ledger", "export", "-", "--format", "csv").output == export.output
    )
    #expect(export.output.contains("2026-11-03T18:00:00Z,-0.50"))
  }

  @Test func `a time zone decides the day`() throws {
    let run = try ProgramRun()
    try run.run(
      "household-ledger",
      "add",
      "date=2026-11-03T18:00:00Z",
      "amount=1",
      "payee=p",
      "category=c"
    )
    func day() throws -> String? {
      try run.run("household-ledger", "list", "--format", "tsv").lines.last
    }
    #expect(try day()?.hasPrefix("2026-11-03\t") == true)
    run.environment["TZ"] = "Asia/Tokyo"
    #expect(try day()?.hasPrefix("2026-11-04\t") == true)
  }

  @Test func `without a home a store has to be named`() throws {
    let run = try ProgramRun()
    run.environment["HOME"] = nil
    let refused = try run.run("book-catalog", "list", expecting: 78)
    #expect(refused.errors.contains("--store"))
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    run.environment["XDG_DATA_HOME"] = run.path("data")
    try run.run("book-catalog", "demo")
    #expect(
      FileManager.default.fileExists(atPath: run.path("data/book-catalog/book-catalog.sqlite"))
    )
    run.environment["XDG_DATA_HOME"] = "/dev/null/data"
    try run.run("book-catalog", "demo", expecting: 73)
  }

  @Test func `nothing is coloured without a terminal, unless it must be`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo")
    func list(_ color: String) throws -> String {
      try run.run("book-catalog", "list", "--format", "table", "--color", color).output
    }
    #expect(try !list("auto").contains("\u{1B}"))
    #expect(try !list("never").contains("\u{1B}"))
    #expect(try list("always").contains("\u{1B}[1m岩波書店\u{1B}[0m"))
    run.environment["CLICOLOR_FORCE"] = "1"
    #expect(try list("auto").contains("\u{1B}"))
    run.environment["NO_COLOR"] = "1"
    #expect(try !list("auto").contains("\u{1B}"))
  }

  @Test(arguments: [
    ["list", "--format", "jsonl"], ["list"], ["dump"], ["export", "-"],
    ["list", "--format", "json"],
  ])
  func `a reader that goes away ends the program in silence`(_ arguments: [String]) throws {
    let run = try ProgramRun()
    // More than any pipe holds.
    let lines = (0..<4000).map { "p\($0 % 7),\(String(repeating: "t", count: 60))\($0)" }
    try run.write("publisher,title\n" + lines.joined(separator: "\n") + "\n", to: "many.csv")
    try run.run("book-catalog", "import", "many.csv")
    let running = try RunningProgram(
      "book-catalog",
      arguments,
      environment: run.environment,
      folder: run.folder
    )
    running.closeOutput()
    let result = try running.finish()
    #expect(result.status == 141, "\(result)")
    #expect(result.errors == "")
  }

  @Test func `a disk that is full is said`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo")
    for verb in ["dump", "list"] {
      let full = try RunningProgram(
        "/bin/sh",
        ["-c", "exec \"$0\" \(verb) > /dev/full", try ProgramFolder.executable("book-catalog")],
        environment: run.environment,
        folder: run.folder
      ).finish()
      #expect(full.status == 74, "\(full)")
      #expect(full.errors.contains("No space left"), "\(full)")
    }
  }
}
