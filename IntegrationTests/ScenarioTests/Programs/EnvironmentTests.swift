import ResultsStoreKit
import Foundation
import Testing

/// The environment of a program: locale, home folder, terminal, and closed pipes.
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

  @Test func `machine formats do not depend on the locale`() throws {
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

  @Test func `the time zone decides the day`() throws {
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

  @Test func `without a home folder, a store must be named`() throws {
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

  @Test func `output is coloured only on a terminal or on request`() throws {
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
  func `a closed output ends the program without a message`(_ arguments: [String]) throws {
    let run = try ProgramRun()
    // More than the buffer of a pipe.
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

/// A date without a time is that date in every time zone.
@Suite struct WholeDayTests {
  private static let zones = [
    "UTC", "Asia/Tokyo", "Pacific/Auckland", "Pacific/Kiritimati", "Pacific/Pago_Pago",
    "Pacific/Honolulu", "America/St_Johns",
  ]
  private let csv = """
    date,amount,payee,category
    2026-01-31,-10.00,bakery,food
    2026-02-01,-20.00,bakery,food
    2026-07-01,-40.00,bakery,food

    """

  @Test(arguments: zones)
  func `a file that was imported in one zone adds nothing in another`(_ zone: String) throws {
    let run = try ProgramRun()
    run.environment["TZ"] = "Asia/Tokyo"
    try run.run("household-ledger", "import", "-", input: csv)
    run.environment["TZ"] = zone
    let again = try run.run("household-ledger", "import", "-", input: csv)
    #expect(again.output == "imported 0 transactions, 3 known already\n")
  }

  @Test(arguments: zones)
  func `days, months, columns and exports show the date`(_ zone: String) throws {
    let run = try ProgramRun()
    try run.run("household-ledger", "import", "-", input: csv)
    run.environment["TZ"] = zone
    let list = try run.run(
      "household-ledger",
      "list",
      "--format",
      "plain",
      "--columns",
      "date,amount"
    )
    let days = ["2026-07-01", "2026-02-01", "2026-01-31"]
    for day in days {
      #expect(
        list.lines.contains { $0.hasPrefix(day) && $0.dropFirst(10).contains(day) },
        "\(list)"
      )
    }
    #expect(!list.output.contains(":"))
    let months = try run.run("household-ledger", "totals", "--by", "month", "--time-zone", zone)
    #expect(
      months.lines.dropFirst() == [
        "2026-07\t-40.00\t1", "2026-02\t-20.00\t1", "2026-01\t-10.00\t1", "balance\t-70.00\t",
      ]
    )
    let export = try run.run("household-ledger", "export", "-", "--format", "csv")
    #expect(export.lines.dropFirst().map { String($0.prefix(11)) } == days.map { $0 + "," })
  }

  @Test(arguments: zones)
  func `a list has whole days and instants, in every zone`(_ zone: String) throws {
    let run = try ProgramRun()
    run.environment["TZ"] = zone
    let moments = (0..<48).map { half in
      "2026-11-\(half < 24 ? "02" : "03")T\(half % 24 < 10 ? "0" : "")\(half % 24):30Z,1.00,p,c"
    }
    let days = ["2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04"].map { "\($0),2.00,p,c" }
    let file = "date,amount,payee,category\n" + (moments + days).joined(separator: "\n") + "\n"
    let report = try run.run("household-ledger", "import", "-", input: file)
    #expect(report.output == "imported 52 transactions, 0 known already\n")
    let list = try run.run(
      "household-ledger",
      "list",
      "--format",
      "tsv",
      "--columns",
      "amount",
      "--time-zone",
      zone
    )
    let twos = list.lines.filter { $0.hasSuffix("2.00") }.map { String($0.prefix(10)) }
    #expect(Set(twos) == ["2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04"])
    let sections = list.lines.dropFirst().map { $0.prefix(10) }
    // Each day is one section.
    let runs = zip(sections, sections.dropFirst()).count { $0 != $1 } + 1
    #expect(runs == Set(sections).count)
    let totals = try run.run("household-ledger", "totals", "--by", "day", "--time-zone", zone)
    #expect(totals.lines.count == Set(sections).count + 2)
  }

  @Test(arguments: ["2002/01/31", "2002/1/31", "2002.01.31", "2002-1-31"])
  func `a date that begins with the year needs no locale`(_ date: String) throws {
    let run = try ProgramRun()
    let file = "date,amount,payee,category\n\(date),1.00,p,c\n"
    try run.run("household-ledger", "import", "-", input: file)
    let export = try run.run("household-ledger", "export", "-", "--format", "csv")
    #expect(export.lines.last?.hasPrefix("2002-01-31,") == true)
  }

  @Test(arguments: [
    ("31/01/2002", "is not a date in a form that is understood"),
    ("2002/02/30", "is not a date that exists"),
  ])
  func `the errors for an unknown form and for a nonexistent day differ`(
    _ date: String,
    _ words: String
  ) throws {
    let run = try ProgramRun()
    let file = "date,amount,payee,category\n\(date),1.00,p,c\n"
    let refused = try run.run("household-ledger", "import", "-", input: file, expecting: 65)
    #expect(refused.errors.contains("“\(date)” \(words)"))
  }

  @Test func `an event and an item without a time have their day in every zone`() throws {
    let run = try ProgramRun()
    run.environment["TZ"] = "Pacific/Auckland"
    for _ in 0..<2 {
      try run.run("event-log", "import", "-", input: "timeStamp\n2026-11-03\n")
      run.environment["TZ"] = "UTC"
    }
    let events = try run.run("event-log", "export", "-", "--format", "csv")
    #expect(events.output == "timeStamp,level,message,source,fields\n2026-11-03,,,,\n")
    let feed = """
      <feed xmlns="http://www.w3.org/2005/Atom"><title>f</title><id>f</id><entry><id>e</id>\
      <title>t</title><updated>2026-11-03</updated></entry></feed>
      """
    try run.run("news-feed", "import", "-", input: feed)
    run.environment["TZ"] = "America/New_York"
    let list = try run.run("news-feed", "list", "--format", "plain", "--columns", "published")
    #expect(list.output.contains("2026-11-03\n"))
    #expect(try run.run("news-feed", "open", "e").output.contains("\n2026-11-03\n"))
  }
}
