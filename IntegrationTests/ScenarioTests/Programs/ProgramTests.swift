import Foundation
import Testing

/// The verbs of single programs.
@Suite struct ProgramTests {
  @Test func `the ledger sums exactly by day, month and category`() throws {
    let run = try ProgramRun()
    let csv = """
      date,amount,payee,category
      2026-11-03,-3480.10,a,food
      2026-11-03,-0.20,b,food
      2026-10-31,285000,c,income
      """
    try run.run("household-ledger", "import", "-", "--format", "csv", input: csv + "\n")
    func totals(_ by: String) throws -> [String] {
      try run.run("household-ledger", "totals", "--by", by).lines
    }
    #expect(
      try totals("category") == [
        "category\tsum\tcount", "food\t-3480.30\t2", "income\t285000.00\t1", "balance\t281519.70\t",
      ]
    )
    #expect(try totals("month").contains("2026-11\t-3480.30\t2"))
    #expect(try totals("day").contains("2026-10-31\t285000.00\t1"))
    #expect(
      try run.run("household-ledger", "totals", "--where", "category = 'food'").lines.last
        == "balance\t-3480.30\t"
    )
  }

  @Test func `the ledger sums by payee, year and week, in every format`() throws {
    let run = try ProgramRun()
    let csv = """
      date,amount,payee,category
      2026-11-03,-3480.10,"a, b",food
      2027-01-03,-0.20,"a, b",food
      2026-12-28,285000,c,income
      2027-01-04,-1,c,food
      """
    try run.run("household-ledger", "import", "-", "--format", "csv", input: csv + "\n")
    func totals(_ by: String, _ format: String) throws -> [String] {
      try run.run("household-ledger", "totals", "--by", by, "--format", format).lines
    }
    #expect(
      try totals("payee", "csv") == [
        "payee,sum,count", "\"a, b\",-3480.30,2", "c,284999.00,2", "balance,281518.70,",
      ]
    )
    #expect(
      try totals("year", "tsv") == [
        "year\tsum\tcount", "2027\t-1.20\t2", "2026\t281519.90\t2", "balance\t281518.70\t",
      ]
    )
    // The week of 28 December 2026 ends on 3 January.
    #expect(
      try totals("week", "jsonl") == [
        #"{"week":"2027-W01","sum":"-1.00","count":1}"#,
        #"{"week":"2026-W53","sum":"284999.80","count":2}"#,
        #"{"week":"2026-W45","sum":"-3480.10","count":1}"#, #"{"balance":"281518.70"}"#,
      ]
    )
    #expect(try totals("category", "table").first?.hasPrefix("category  ") == true)
    #expect(try totals("category", "plain").first == "food\t-3481.30\t3")
    let refused = try run.run("household-ledger", ["totals", "--format", "json"])
    #expect(refused.status == 64)
    #expect(refused.errors.contains("'table', 'plain', 'tsv', 'csv' or 'jsonl'"), "\(refused)")
    let sections = try run.run(
      "household-ledger",
      "list",
      "--section-by",
      "week(date)",
      "--columns",
      "amount"
    )
    #expect(sections.lines.contains("2026-W53\t285000.00"), "\(sections)")
  }

  @Test func `the ledger accepts dates and amounts of the user's locale, and no others`() throws {
    let run = try ProgramRun()
    let who = ["payee=p", "category=c"]
    for (date, amount, locale) in [
      ("2026/11/3", "3,480", "ja_JP"), ("3.11.2026", "3.480,5", "de_DE"),
    ] {
      let values = ["date=\(date)", "amount=\(amount)", "--locale", locale]
      let added = try run.run("household-ledger", ["add"] + who + values)
      #expect(added.status == 0, "\(added)")
    }
    let refused = try run.run(
      "household-ledger",
      "add",
      "date=2026-11-03",
      "amount=3,48",
      "--locale",
      "en_US",
      expecting: 65
    )
    #expect(refused.errors.contains("amount"))
    let rows = try run.run("household-ledger", "export", "-", "--format", "csv").output
    #expect(rows.contains("3480.00") && rows.contains("3480.50"))
  }

  @Test(arguments: [
    ("book-catalog", "a book"), ("event-log", "an event"), ("news-feed", "an item"),
  ])
  func `help names one object in plain English`(_ program: String, _ noun: String) throws {
    let run = try ProgramRun()
    #expect(try run.run(program, "add", "--help").lines.first == "OVERVIEW: Add \(noun).")
    #expect(try run.run(program, "edit", "--help").lines.first == "OVERVIEW: Change \(noun).")
  }

  @Test(arguments: [
    (
      "book-catalog", "import",
      "MARC 21 by its fields. The import is one transaction; records that are already"
    ),
    ("book-catalog", "watch", "or a delta that another program can follow. Ctrl-C ends it."),
    (
      "book-catalog", "cache",
      "with one that is out of date, lists are the same."
    ),
    (
      "student-roster", "simulate",
      "each change. On fresh stores the same seed prints the same bytes."
    ),
  ])
  func `the help wraps its sentences`(
    _ program: String,
    _ verb: String,
    _ line: String
  ) throws {
    #expect(try ProgramRun().run(program, verb, "--help").lines.contains(line))
  }

  @Test func `the event log stamps, lists newest first and removes by position`() throws {
    let run = try ProgramRun()
    #expect(try run.run("event-log", "stamp").output.hasPrefix("stamped Event 1 at 2"))
    try run.run("event-log", "stamp")
    try run.run("event-log", "add", "timeStamp=2001-01-01T00:00:00Z")
    let times = try run.run("event-log", "list", "--columns", "timeStamp").lines.dropFirst()
    #expect(Array(times) == times.sorted(by: >))
    #expect(try run.run("event-log", "remove-at", "2").output == "removed Event 3\n")
    try run.run("event-log", "remove-at", "2", expecting: 1)
    #expect(try run.run("event-log", "list").lines.count == 3)
  }

  @Test func `the roster adds random students and removes by path`() throws {
    let run = try ProgramRun()
    for _ in 0..<3 { try run.run("student-roster", "add-random") }
    let rows = try run.run("student-roster", "list", "--format", "jsonl").lines
    #expect(rows.count == 3)
    let removed = try run.run("student-roster", "remove-at", "0", "0").output
    let first = try #require(rows.first)
    let number = removed.filter(\.isNumber)
    #expect(first.contains("\"id\":\(number),"), "\(removed) \(first)")
    #expect(try run.run("student-roster", "list").lines.count == 3)
  }

  @Test func `the feed opens, marks unread and marks all read`() throws {
    let run = try ProgramRun()
    try run.run("news-feed", "import", "-", input: items)
    func unread() throws -> Int {
      try run.run("news-feed", "list", "--unread", "--format", "jsonl").lines.count
    }
    #expect(try unread() == 3)
    #expect(try run.run("news-feed", "open", "g2").output.hasPrefix("t2\n"))
    #expect(try unread() == 2)
    try run.run("news-feed", "mark-unread", "g2")
    #expect(try unread() == 3)
    #expect(try run.run("news-feed", "mark-read", "--all").output == "marked 3 read\n")
    #expect(try unread() == 0)
    try run.run("news-feed", "mark-read", "g1", "nope", expecting: 1)
  }

  @Test func `an opened item stays in the list until it is refreshed`() throws {
    let run = try ProgramRun()
    try run.run("news-feed", "import", "-", input: items)
    let result = try run.run("news-feed", "read", input: "2\n\nr\nx\nu\nq\n")
    #expect(result.status == 0, "\(result)")
    let text = result.output
    // The list before, then with the opened item at its position, then without it.
    #expect(text.contains("  ● 2 t2\n"))
    #expect(text.contains("  ○ 2 t2\n"))
    #expect(text.contains("2 items. Type a number to open an item"))
    #expect(text.contains("There is no item x."))
    #expect(text.contains("Open an item first."))
  }

  private let items = (1...3).map {
    #"{"guid":"g\#($0)","title":"t\#($0)","feed":"f","published":"2026-11-0\#(4 - $0)T00:00:00Z"}"#
      + "\n"
  }.joined()

  @Test func `R267: events come from the command line and from a pipe, each line at once`() throws {
    let run = try ProgramRun()
    func log(_ words: String..., expecting status: Int32 = 0) throws -> ProgramResult {
      let result = try run.run("event-log", words)
      #expect(result.status == status, "\(result)")
      return result
    }
    #expect(try log("stamp", "deployed 2.1", "level=notice", "host=a3").output.contains("stamped"))
    #expect(try log("stamp", "a", "b", expecting: 64).errors.contains("There are two messages"))
    let wrong = try log("stamp", "level=oops", expecting: 65)
    #expect(wrong.errors.contains("level: “oops” is no level. Use one of debug, info,"), "\(wrong)")
    let pipe = try run.start("event-log", "stamp", "-", "source=api", "rack=7")
    let watch = try run.start(
      "event-log",
      "watch",
      "--format",
      "jsonl",
      "--deltas",
      "1",
      "--where",
      "source = 'api'"
    )
    #expect(try watch.line()?.contains("\"t\":\"snapshot\"") == true)
    try pipe.write("{\"level\":\"WARN\",\"msg\":\"disk\",\"host\":\"a3\"}\n")
    // The watch ends with the change, though the pipe is still open.
    #expect(try watch.finish().status == 0)
    try pipe.write("2026-11-28T10:00:00Z started")
    pipe.endInput()
    #expect(try pipe.finish().output == "stamped 2 events\n")
    let columns = ["--columns", "level,message,source,fields", "--sort", "id", "--format", "tsv"]
    #expect(
      try run.run("event-log", ["list"] + columns).lines == [
        "level\tmessage\tsource\tfields", "notice\tdeployed 2.1\t\t{\"host\":\"a3\"}",
        "warning\tdisk\tapi\t{\"host\":\"a3\",\"rack\":\"7\"}", "\tstarted\tapi\t{\"rack\":\"7\"}",
      ]
    )
    #expect(try log("list", "--where", "level >= 'warning'").lines.count == 2)
    #expect(try log("prune", expecting: 64).errors.contains("--older-than 30d, --keep 1000"))
    #expect(try log("prune", "--keep", "1", "--dry-run").output == "would remove 2 events\n")
    #expect(try log("prune", "--keep", "1").output == "removed 2 events\n")
    #expect(try log("prune", "--older-than", "1d").output == "removed 0 events\n")
  }

  @Test func `R267: a pipe that is interrupted stores what has come`() throws {
    let run = try ProgramRun()
    let pipe = try run.start("event-log", "stamp", "-")
    let watch = try run.start("event-log", "watch", "--format", "jsonl", "--deltas", "1")
    #expect(try watch.line() != nil)
    try pipe.write("one\n")
    #expect(try watch.finish().status == 0)
    pipe.send(SIGTERM)
    // The input stays open.
    #expect(try pipe.status(within: 60) == 128 + SIGTERM)
    #expect(try pipe.line() == "stamped 1 event")
    #expect(
      try run.run("event-log", ["list", "--columns", "message"]).lines == ["message", "one"]
    )
  }

  @Test func `R267: an input that cannot be read is an error`() throws {
    let run = try ProgramRun()
    let program = try ProgramFolder.executable("event-log")
    let shell = try RunningProgram(
      "/bin/sh",
      ["-c", "'\(program)' stamp - < ."],
      environment: run.environment,
      folder: run.folder
    )
    let result = try shell.finish()
    #expect(result.status == 74, "\(result)")
    #expect(result.errors.contains("The input cannot be read: "), "\(result)")
  }

  @Test func `R266: words are found, filtered and changed as words`() throws {
    let run = try ProgramRun()
    for level in ["info", "error", "fatal"] {
      _ = try run.run("event-log", ["stamp", "m", "level=\(level)"])
    }
    func found(_ filter: String) throws -> [String] {
      let screen = ["browse", "--print", "--size", "80x10", "--keys", "/\(filter)"]
      let result = try run.run("event-log", screen)
      return ["info", "error", "fatal"].filter { word in
        result.lines.dropFirst(2).dropLast(2).contains { $0.contains(" \(word) ") }
      }
    }
    #expect(try found("level:err") == ["error"])
    #expect(try found("FAT") == ["fatal"])
    #expect(try found("level>=error") == ["error", "fatal"])
    #expect(try found("level:info..error") == ["info", "error"])
    #expect(try found("oops") == [])
    let edited = try run.run("event-log", ["edit", "1", "level=warnign"])
    #expect(edited.status == 65 && edited.errors.contains("Did you mean “warning”?"), "\(edited)")
    #expect(try run.run("event-log", ["edit", "1", "level=warning"]).status == 0)
    let exported = try run.run("event-log", ["export", "e.csv"])
    #expect(exported.status == 0)
    #expect(try run.run("event-log", ["import", "e.csv"]).output.contains("3 known already"))
  }
}
