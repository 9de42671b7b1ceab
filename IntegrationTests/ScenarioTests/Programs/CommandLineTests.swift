import Foundation
import Testing

/// The command line of all programs: nothing is created or guessed silently.
@Suite struct CommandLineTests {
  @Test(arguments: [
    ["list"], ["show", "1"], ["export", "-"], ["dump"], ["doctor"], ["remove", "1"],
    ["edit", "1", "title=x"], ["cache", "list"], ["list", "--explain"], ["list", "--read-only"],
  ])
  func `a named store that does not exist is refused, not created`(_ verb: [String])
    throws
  {
    let run = try ProgramRun()
    let refused = try run.run("book-catalog", verb + ["--store", "typo.sqlite"])
    #expect(refused.status == 66, "\(refused)")
    #expect(refused.errors.contains("The store typo.sqlite does not exist. Check its name;"))
    #expect(refused.errors.contains("'book-catalog add'"))
    #expect(refused.output == "")
    #expect(try FileManager.default.contentsOfDirectory(atPath: run.folder) == [])
  }

  @Test func `the default store is empty until something is added, with a message`() throws {
    let run = try ProgramRun()
    let list = try run.run("book-catalog", "list", "--format", "plain")
    #expect(list.lines == ["0 books in 0 sections"])
    #expect(list.errors.hasPrefix("book-catalog: There are no books yet: \(run.folder)/"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: run.folder) == [])
    try run.run("book-catalog", "add", "publisher=A", "title=B")
    let filled = try run.run("book-catalog", "list", "--format", "plain")
    #expect(filled.errors == "")
    #expect(filled.lines.last == "1 book in 1 section")
  }

  @Test(arguments: ["title LIKE 't%'", "year > 3 OR NOT (title LIKE[c] '%t')"])
  func `a pattern in SQL form gives a warning, because it matches nothing`(_ condition: String)
    throws
  {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    let words = "has no wildcard, and % is an ordinary character in it. The wildcards are * for any"
    for verb in ["list", "export -"] {
      let verb = verb.split(separator: " ").map(String.init)
      let result = try run.run(
        "book-catalog",
        verb + ["--where", condition, "--store", "b.sqlite"]
      )
      #expect(result.status == 0 && result.errors.contains(words), "\(result)")
    }
    let meant = try run.run(
      "book-catalog",
      "list",
      "--where",
      "title LIKE '*100%*'",
      "--store",
      "b.sqlite"
    )
    #expect(meant.errors == "")
  }

  @Test func `values of options may begin with a minus`() throws {
    let run = try ProgramRun()
    for year in ["-1", "7"] {
      try run.run("book-catalog", "add", "publisher=A", "title=B", "year=\(year)")
    }
    let list = try run.run(
      "book-catalog",
      "list",
      "--where",
      "-1 == year",
      "--columns",
      "year",
      "--section-by",
      "none"
    )
    #expect(list.lines == ["year", "-1"])
  }

  @Test(arguments: ["csv", "tsv"])
  func `an export for spreadsheets contains no formulas in any form`(_ form: String) throws {
    let run = try ProgramRun()
    let titles = ["=1+1", "\n=1+1", "＝1+1", " +1", "\t-1", "\u{FEFF}@a", "−1", "a=1", "plain"]
    for title in titles {
      try run.run("book-catalog", "add", "publisher=p", "title=\(title)", "--store", "b.sqlite")
    }
    let safe = try run.run(
      "book-catalog",
      "export",
      "-",
      "--format",
      form,
      "--spreadsheet-safe",
      "--sort",
      "id",
      "--store",
      "b.sqlite"
    )
    #expect(safe.output.components(separatedBy: "'").count == titles.count - 1, "\(safe)")
    let plain = try run.run("book-catalog", "export", "-", "--format", form, "--store", "b.sqlite")
    #expect(!plain.output.contains("'"))
  }

  @Test(arguments: [
    "book-catalog", "household-ledger", "event-log", "student-roster", "news-feed",
  ])
  func `help describes exit codes, the version and attributes`(_ program: String) throws {
    let run = try ProgramRun()
    let help = try run.run(program, "--help").output
    #expect(help.contains("  64   the command line was not understood\n"))
    #expect(try run.run(program, "--version").output.hasPrefix("\(program) "))
    #expect(try run.run(program, "add", "--help").output.contains("Attributes: "))
    let language = try run.run(program, "help", "where").output
    #expect(language.contains("SELF ==") && language.contains("\(program) list --where"))
    #expect(language.contains("BEGINSWITH"))
  }

  @Test func `sections have the direction of an order that begins with them`() throws {
    let run = try ProgramRun()
    try run.write(
      "publisher,title,year\nP,a,1985\nP,b,1987\nP,c,1991\nP,d,1985\n",
      to: "b.csv"
    )
    try run.run("book-catalog", "import", "b.csv", "--store", "s.sqlite")
    func titles(_ options: String...) throws -> [String] {
      let list = ["list", "--store", "s.sqlite", "--columns", "title", "--format", "csv"]
      return try run.run("book-catalog", list + options).lines.dropFirst().map {
        String($0.suffix(1))
      }
    }
    #expect(try titles("--section-by", "year", "--sort", "-year,title") == ["c", "b", "a", "d"])
    #expect(try titles("--section-by", "year", "--sort", "year,-title") == ["d", "a", "b", "c"])
    #expect(try titles("--section-by", "decade", "--sort", "-year,title") == ["c", "b", "a", "d"])
    // An order of something else leaves the sections as they are.
    #expect(try titles("--section-by", "year", "--sort", "-title") == ["d", "a", "b", "c"])
  }

  @Test func `removing at a missing position reports that nothing was removed`() throws {
    let run = try ProgramRun()
    try run.run("event-log", "stamp")
    let event = try run.run("event-log", "remove-at", "4", expecting: 1)
    #expect(
      event.errors.contains("There is no event at position 4: the list has positions 0 to 0.")
    )
    let student = try run.run("student-roster", "remove-at", "1", "2", expecting: 1)
    #expect(student.errors.contains("There is no student at section 1, row 2: the list is empty."))
    try run.run("student-roster", "add-random")
    let row = try run.run("student-roster", "remove-at", "0", "2", expecting: 1)
    #expect(
      row.errors.contains("There is no student at section 0, row 2: the section has rows 0 to 0.")
    )
    let section = try run.run("student-roster", "remove-at", "1", "0", expecting: 1)
    #expect(section.errors.contains("section 1, row 0: the list has sections 0 to 0."))
    for result in [event, student] { #expect(result.errors.contains("Nothing was removed.")) }
    try run.run("book-catalog", "demo")
    let several = try run.run("book-catalog", "remove", "1", "99", expecting: 1)
    #expect(several.errors.contains("There is no Book 99. None of them was removed."))
    #expect(try run.run("book-catalog", "dump").lines.count == 14)
  }
}

/// Exit codes: one for each kind of failure, with one line that says what happened and what to do.
@Suite struct ExitStatusTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let program: String
    let arguments: [String]
    let status: Int32
    let words: String
    var testDescription: String { "\(program) \(arguments.joined(separator: " ")) → \(status)" }

    init(_ status: Int32, _ words: String, _ program: String, _ arguments: String...) {
      (self.program, self.arguments, self.status, self.words) = (program, arguments, status, words)
    }
  }

  @Test(arguments: [
    Case(64, "Did you mean “list”?", "book-catalog", "lst"),
    Case(64, "The commands are browse, list, show", "book-catalog", "frobnicate"),
    Case(64, "Did you mean '--format'?", "book-catalog", "list", "--frmat", "json"),
    Case(64, "'yaml'", "book-catalog", "list", "--format", "yaml"),
    Case(64, "ATTRIBUTE=VALUE", "book-catalog", "add", "title"),
    Case(64, "given twice", "book-catalog", "add", "title=a", "title=b"),
    Case(
      64,
      "one of 'table', 'plain', 'json' or 'jsonl'",
      "book-catalog",
      "watch",
      "--format",
      "csv"
    ),
    Case(64, "--store", "student-roster", "simulate", "--seed", "7"),
    Case(64, "--all", "news-feed", "mark-read"),
    Case(64, "a name is missing", "book-catalog", "list", "--columns", ","),
    Case(64, "a name is missing", "book-catalog", "list", "--sort", "title,,year"),
    Case(64, "--sort is empty. Name at least one", "book-catalog", "list", "--sort", ""),
    Case(64, "--limit must be 0 or more, not -1.", "book-catalog", "list", "--limit", "-1"),
    Case(64, "--offset must be 0 or more", "book-catalog", "list", "--offset", "-3"),
    Case(64, "--deltas must be 0 or more", "book-catalog", "watch", "--deltas", "-1"),
    Case(64, "--store is empty.", "book-catalog", "list", "--store", ""),
    Case(64, "“.xlsx” is not a format of export", "book-catalog", "export", "x.xlsx"),
    Case(64, "no meaning for jsonl", "book-catalog", "export", "-", "--spreadsheet-safe"),
    Case(64, "--where: column 4: ", "book-catalog", "list", "--where", "-1 year"),
    Case(64, "cannot be changed", "book-catalog", "edit", "1", "id=2"),
    Case(64, "Did you mean “title”?", "book-catalog", "add", "titel=x"),
    Case(65, "whole number", "book-catalog", "add", "publisher=A", "title=B", "year=19x"),
    Case(65, "whole number", "book-catalog", "add", "publisher=A", "title=B", "year=99999"),
    Case(64, "publisher", "book-catalog", "add", "title=B"),
    Case(64, "--where: column 1: ", "book-catalog", "list", "--where", "yaer > 3"),
    Case(64, "Did you mean “year”?", "book-catalog", "list", "--sort", "yaer"),
    Case(64, "not an attribute of Book", "book-catalog", "list", "--columns", "colour"),
    Case(64, "not an attribute of Book", "book-catalog", "list", "--section-by", "colour"),
    Case(64, "is not an id of Book", "book-catalog", "show", "x"),
    Case(64, "without sections", "household-ledger", "list", "--sort", "amount"),
    Case(
      65,
      "“3,48”",
      "household-ledger",
      "add",
      "--locale",
      "en_US",
      "date=2026-11-03",
      "amount=3,48"
    ),
    Case(65, "2026-02-30", "household-ledger", "add", "date=2026-02-30", "amount=1"),
    Case(1, "There is no Book 99.", "book-catalog", "show", "99"),
    Case(1, "There is no Book 99.", "book-catalog", "edit", "99", "title=B"),
    Case(1, "There is no Book 99. Nothing was removed.", "book-catalog", "remove", "99"),
    Case(1, "position 3: the list is empty. Nothing was removed.", "event-log", "remove-at", "3"),
    Case(1, "section 0, row 0: the list is empty.", "student-roster", "remove-at", "0", "0"),
    Case(1, "There is no Item x.", "news-feed", "open", "x"),
    Case(64, "“xx_YY” is not a locale", "book-catalog", "list", "--locale", "xx_YY"),
    Case(64, "“Mars” is not a time zone", "book-catalog", "list", "--time-zone", "Mars"),
    Case(64, "“julian” is not a calendar", "book-catalog", "list", "--calendar", "julian"),
  ])
  func `a failure has its exit code and message`(_ test: Case) throws {
    let run = try ProgramRun()
    let result = try run.run(test.program, test.arguments)
    #expect(result.status == test.status, "\(result)")
    #expect(result.errors.contains(test.words), "\(result)")
    #expect(result.output == "", "\(result)")
    #expect(!result.errors.contains("Fatal error"), "\(result)")
  }

  @Test(arguments: [
    "book-catalog", "household-ledger", "event-log", "student-roster", "news-feed",
  ])
  func `an empty list is a success, and help goes to standard output`(_ program: String) throws {
    let run = try ProgramRun()
    #expect(try run.run(program, "list", "--store", ":memory:").errors == "")
    #expect(try run.run(program, "list", "--help").output.contains("--section-by"))
    #expect(try run.run(program, "--help").output.contains("story"))
    try run.run(program, "list", "--fail-if-empty", expecting: 1)
  }

  @Test func `a predicate with an error is shown with its position`() throws {
    let run = try ProgramRun()
    let result = try run.run("book-catalog", "list", "--where", "title = 3 AND", expecting: 64)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 3, "\(result)")
    #expect(lines.last?.trimmingPrefix { $0 == " " } == "^", "\(result)")
  }

  @Test(arguments: [
    ("==", 2), ("<=", 3), ("<", 1), (">", 1), (">=", 3), ("!=", 2),
  ])
  func `a date in a condition is the whole day`(_ comparison: String, _ count: Int) throws {
    let run = try ProgramRun()
    for date in [
      "2026-01-14", "2026-01-15", "2026-01-15T23:59:59Z", "2026-01-16",
    ] {
      try run.run("household-ledger", "add", "date=\(date)", "amount=1", "payee=p", "category=c")
    }
    let list = try run.run(
      "household-ledger",
      "list",
      "--format",
      "jsonl",
      "--where",
      "date \(comparison) '2026-01-15'"
    )
    #expect(list.lines.count == count, "\(list)")
  }

  @Test(arguments: ["json", "jsonl", "csv", "tsv"])
  func `a whole day is printed as its date in every format for programs`(_ form: String) throws {
    let run = try ProgramRun()
    try run.run("household-ledger", "add", "date=2026-01-15", "amount=1", "payee=p", "category=c")
    let options = ["--section-by", "none", "--columns", "id,date", "--format", form]
    let list = try run.run("household-ledger", ["list"] + options)
    #expect(list.output.contains("2026-01-15"))
    #expect(!list.output.contains("T10:00"), "\(list)")
  }

  @Test func `an unknown time zone of the environment is reported`() throws {
    let run = try ProgramRun()
    run.environment["TZ"] = "Nope"
    let list = try run.run("book-catalog", "list", "--format", "table", "--store", ":memory:")
    #expect(list.errors.contains("TZ=Nope is not a time zone"), "\(list)")
    let machine = try run.run("book-catalog", "list", "--format", "csv", "--store", ":memory:")
    #expect(machine.errors == "")
    run.environment["TZ"] = ":Asia/Tokyo"
    let known = try run.run("book-catalog", "list", "--format", "table", "--store", ":memory:")
    #expect(known.errors == "")
  }

  @Test func `a program whose standard output is closed does nothing`() throws {
    let run = try ProgramRun()
    let program = try ProgramFolder.executable("book-catalog")
    let result = try RunningProgram(
      "/bin/sh",
      ["-c", "\(program) add publisher=A title=B --store b.sqlite >&-"],
      environment: run.environment,
      folder: run.folder
    ).finish()
    #expect(result.status == 74, "\(result)")
    #expect(result.errors.contains("Standard output is closed. Nothing was done."), "\(result)")
    #expect(!FileManager.default.fileExists(atPath: run.path("b.sqlite")))
  }

  @Test func `an export to a folder names the folder`() throws {
    let run = try ProgramRun()
    let folder = try run.run("book-catalog", "export", "/etc", "--store", ":memory:", expecting: 73)
    #expect(folder.errors.contains("/etc is a folder. Name a file in it, such as /etc/export.csv."))
    let missing = try run.run(
      "book-catalog",
      "export",
      "none/a.csv",
      "--store",
      ":memory:",
      expecting: 73
    )
    #expect(missing.errors.contains("/none does not exist."), "\(missing)")
  }

  @Test func `a data folder that cannot be created is reported with the reason`() throws {
    let run = try ProgramRun()
    run.environment["HOME"] = "/dev/null"
    let refused = try run.run("book-catalog", "add", "publisher=A", "title=B", expecting: 73)
    #expect(refused.errors.contains("cannot be created: /dev/null is not a folder."), "\(refused)")
  }

  @Test func `verbose prints more`() throws {
    let run = try ProgramRun()
    let quiet = try run.run("book-catalog", "demo", "--store", "none/b.sqlite", expecting: 73)
    let verbose = try run.run(
      "book-catalog",
      "demo",
      "--store",
      "none/b.sqlite",
      "--verbose",
      expecting: 73
    )
    #expect(verbose.errors.hasPrefix(quiet.errors))
    #expect(verbose.errors.contains("missingFolder"))
  }
}
