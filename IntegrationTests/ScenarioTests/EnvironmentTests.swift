import Foundation
import Testing

/// The environment of a program: locale, home folder, terminal, and outputs that are closed.
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
    // An unknown locale counts as C.
    run.environment["LC_ALL"] = "xx_YY.UTF-8"
    #expect(try table() == plain)
  }

  @Test func `machine formats are the same in every locale and time zone`() throws {
    let run = try ProgramRun()
    for (date, amount) in [("2026-11-03T18:00:00Z", "-1234567.50"), ("2026-11-03", "-0.5")] {
      try run.run(
        "household-ledger",
        "add",
        "date=\(date)",
        "amount=\(amount)",
        "payee=IIi",
        "category=c"
      )
    }
    try run.run("student-roster", "add", "studentId=1", "studentName=IIi", "studentAge=1234")
    let commands =
      ["csv", "tsv", "jsonl", "json"].flatMap { format in
        [
          ["household-ledger", "list", "--format", format],
          ["household-ledger", "list", "--format", format, "--section-by", "month"],
          ["household-ledger", "list", "--format", format, "--section-by", "amount"],
          ["household-ledger", "list", "--format", format, "--where", "payee CONTAINS[c] 'iii'"],
          ["student-roster", "list", "--format", format, "--section-by", "studentAge"],
        ]
      } + [
        ["household-ledger", "list"], ["household-ledger", "totals", "--by", "day"],
        ["household-ledger", "export", "-", "--format", "csv"],
        ["household-ledger", "watch", "--deltas", "0", "--format", "jsonl"],
      ]
    func outputs() throws -> [String] {
      try commands.map { command in
        let result = try run.run(command[0], Array(command.dropFirst()))
        #expect(result.status == 0, "\(result)")
        // The life of a watched list is random.
        return result.output.replacing(/"life":"[^"]*"/, with: "")
      }
    }
    let plain = try outputs()
    #expect(plain.allSatisfy { !$0.isEmpty })
    for (locale, zone) in [
      ("de_DE.UTF-8", "Europe/Berlin"), ("tr_TR.UTF-8", "Asia/Tokyo"), ("ja_JP.UTF-8", "UTC"),
      ("C", "Pacific/Kiritimati"),
    ] {
      run.environment["LC_ALL"] = locale
      run.environment["TZ"] = zone
      for (command, (here, there)) in zip(commands, zip(plain, try outputs())) {
        #expect(here == there, "\(locale) \(zone): \(command)")
      }
    }
    let export = try run.run("household-ledger", "export", "-", "--format", "csv")
    #expect(export.output.contains("2026-11-03T18:00:00Z,-1234567.50"))
    // What the command line says counts in every format.
    let tokyo = try run.run("household-ledger", "list", "--time-zone", "Asia/Tokyo")
    #expect(tokyo.lines.contains { $0.hasPrefix("2026-11-04\t") })
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
      try run.run("household-ledger", "list", "--format", "plain").lines.first
    }
    #expect(try day()?.hasPrefix("2026-11-03\t") == true)
    run.environment["TZ"] = "Asia/Tokyo"
    #expect(try day()?.hasPrefix("2026-11-04\t") == true)
  }

  @Test func `without a home folder a store has to be named`() throws {
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

  @Test func `nothing is coloured without a terminal, unless it is forced`() throws {
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
  func `a closed output ends the program silently`(_ arguments: [String]) throws {
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

  @Test func `a full disk is reported`() throws {
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
