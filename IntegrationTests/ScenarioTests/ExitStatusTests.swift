import Testing

/// How programs end: one status for each kind of failure, one line that says what happened and what to do.
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
    Case(64, "The commands are list, show", "book-catalog", "frobnicate"),
    Case(64, "Did you mean '--format'?", "book-catalog", "list", "--frmat", "json"),
    Case(64, "'yaml'", "book-catalog", "list", "--format", "yaml"),
    Case(64, "ATTRIBUTE=VALUE", "book-catalog", "add", "title"),
    Case(64, "given twice", "book-catalog", "add", "title=a", "title=b"),
    Case(64, "no csv form", "book-catalog", "watch", "--format", "csv"),
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
    Case(65, "publisher", "book-catalog", "add", "title=B"),
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
    Case(1, "[0,0]", "student-roster", "remove-at", "0", "0"),
    Case(1, "There is no Item x.", "news-feed", "open", "x"),
    Case(64, "“xx_YY” is not a locale", "book-catalog", "list", "--locale", "xx_YY"),
    Case(64, "“Mars” is not a time zone", "book-catalog", "list", "--time-zone", "Mars"),
    Case(64, "“julian” is not a calendar", "book-catalog", "list", "--calendar", "julian"),
  ])
  func `a failure has its status and its words`(_ test: Case) throws {
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

  @Test func `a predicate that is not understood is shown with the place`() throws {
    let run = try ProgramRun()
    let result = try run.run("book-catalog", "list", "--where", "title = 3 AND", expecting: 64)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 3, "\(result)")
    #expect(lines.last?.trimmingPrefix { $0 == " " } == "^", "\(result)")
  }

  @Test func `verbose says more`() throws {
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
