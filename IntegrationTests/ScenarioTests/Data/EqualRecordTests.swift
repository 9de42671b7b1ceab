import ResultsStoreKit
import Foundation
import Testing

/// An import compares records with the store by count: equal records of one file are all imported.
@Suite struct EqualRecordTests {
  @Test func `an export and import preserves the number of equal transactions`() throws {
    let run = try ProgramRun()
    for _ in 0..<3 {
      try run.run(
        "household-ledger",
        "add",
        "date=2026-11-03",
        "amount=-3.50",
        "payee=bakery",
        "category=food",
        "--store",
        "a.sqlite"
      )
    }
    try expectRoundTrip("household-ledger", of: 3, "transactions", in: run)
  }

  @Test func `an export and import preserves the number of equal events`() throws {
    let run = try ProgramRun()
    for time in ["2026-11-03T09:00Z", "2026-11-03T09:00Z", "2026-11-04T09:00Z"] {
      try run.run("event-log", "add", "timeStamp=\(time)", "--store", "a.sqlite")
    }
    try expectRoundTrip("event-log", of: 3, "events", in: run)
  }

  @Test func `an export and import preserves the number of equal students`() throws {
    let run = try ProgramRun()
    for _ in 0..<2 {
      try run.run(
        "student-roster",
        "add",
        "studentId=1",
        "studentName=ann",
        "studentAge=12",
        "--store",
        "a.sqlite"
      )
    }
    try expectRoundTrip("student-roster", of: 2, "students", in: run)
  }

  @Test func `a file adds equal records until the store has as many`() throws {
    let run = try ProgramRun()
    func csv(_ count: Int) -> String {
      "studentId,studentName,studentAge\n" + String(repeating: "1,ann,12\n", count: count)
    }
    for (count, report) in [
      (2, "imported 2 students, 0 known already\n"), (1, "imported 0 students, 1 known already\n"),
      (5, "imported 3 students, 2 known already\n"), (5, "imported 0 students, 5 known already\n"),
    ] {
      let result = try run.run("student-roster", "import", "-", input: csv(count))
      #expect(result.output == report)
    }
  }

  @Test func `two books that share an identifier are both imported, once`() throws {
    let run = try ProgramRun()
    let csv = "publisher,title,isbn\nA,B,1\nX,Y,1\n"
    let first = try run.run("book-catalog", "import", "-", input: csv)
    #expect(first.output == "imported 2 books, 0 known already\n")
    let second = try run.run("book-catalog", "import", "-", input: csv)
    #expect(second.output == "imported 0 books, 2 known already\n")
  }

  @Test func `a known book with other values is counted, not changed`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "import", "-", input: "publisher,title,isbn\nA,B,1\n")
    let changed = try run.run(
      "book-catalog",
      "import",
      "-",
      input: "publisher,title,isbn\nA,C,1\n"
    )
    #expect(
      changed.output == "imported 0 books, 1 known already (1 with other values, left as is)\n"
    )
    #expect(try run.run("book-catalog", "dump").output == "publisher=A title=B\n")
  }

  @Test(arguments: ["csv", "tsv", "jsonl"])
  func `an empty text of an optional attribute is recognized`(_ form: String) throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "add", "publisher=p", "title=t", "author=")
    try run.run("book-catalog", "export", "a.\(form)")
    let again = try run.run("book-catalog", "import", "a.\(form)")
    #expect(again.output == "imported 0 books, 1 known already\n")
  }

  @Test func `a number in a file is a number, not a date`() throws {
    let run = try ProgramRun()
    let line = #"{"date":"2026-11-03","amount":12,"payee":"p","category":"c"}"#
    try run.run("household-ledger", "import", "-", input: line + "\n")
    #expect(try run.run("household-ledger", "export", "-").output.contains(#""amount":"12.00""#))
    let epoch = #"{"date":1762128000,"amount":12,"payee":"p","category":"c"}"#
    let refused = try run.run("household-ledger", "import", "-", input: epoch + "\n", expecting: 65)
    #expect(refused.errors.contains("date must be a date, not the number 1762128000."))
  }

  @Test func `a key from another store does not identify an object`() throws {
    let run = try ProgramRun()
    try run.run(
      "student-roster",
      "import",
      "-",
      input: "studentId,studentName,studentAge\n1,ann,12\n"
    )
    let line = #"{"id":1,"studentId":2,"studentName":"bo","studentAge":13}"#
    let result = try run.run("student-roster", "import", "-", input: line + "\n")
    #expect(result.output == "imported 1 student, 0 known already\n")
  }

  @Test func `columns without an attribute are listed once, also in a dry run`() throws {
    let run = try ProgramRun()
    let csv = "publisher,place,title,entered\nA,Rome,B,1\nA,Paris,C,2\n"
    for options in [["--dry-run"], []] {
      let result = try run.run("book-catalog", ["import", "-"] + options, input: csv)
      #expect(result.status == 0)
      #expect(
        result.errors == "book-catalog: columns not imported: place, entered\n"
      )
    }
    let known = try run.run("book-catalog", "import", "-", input: "publisher,title\nA,B\n")
    #expect(known.errors == "")
  }

  @Test func `the error for a missing column lists the columns of the file`() throws {
    let run = try ProgramRun()
    let csv = "txnidx,date,amount\n1,2026-11-03,5\n"
    let refused = try run.run("household-ledger", "import", "-", input: csv, expecting: 65)
    #expect(refused.errors.hasPrefix("household-ledger: -:1: there is no payee column"))
    #expect(refused.errors.contains("Columns found: txnidx, date, amount."))
    let understood =
      "Columns understood: date, amount, payee, category, memo, position, account, transfer, currency."
    #expect(refused.errors.contains(understood))
    #expect(!refused.errors.contains("--skip-bad"))
  }

  @Test func `the error for a bad line contains no control characters`() throws {
    let run = try ProgramRun()
    let csv = "title,publisher,year\nt,p,\"\u{1B}]52;c;ZXZpbA==\u{7}\"\n"
    let skipped = try run.run("book-catalog", "import", "-", "--skip-bad", input: csv, expecting: 1)
    #expect(skipped.errors.contains("skipped -:2:5"))
    #expect(!skipped.errors.unicodeScalars.contains("\u{1B}"))
    let column = "title,publisher,\u{1B}[31mred\na,b,c\n"
    let unknown = try run.run("book-catalog", "import", "-", input: column)
    #expect(!unknown.errors.isEmpty && !unknown.errors.unicodeScalars.contains("\u{1B}"))
  }

  @Test func `bad lines that are not printed are counted`() throws {
    let run = try ProgramRun()
    let csv = "title,publisher,year\n" + String(repeating: "t,p,x\n", count: 25)
    let skipped = try run.run("book-catalog", "import", "-", "--skip-bad", input: csv, expecting: 1)
    #expect(skipped.errors.hasSuffix("book-catalog: skipped 5 more\n"))
  }

  @Test(arguments: ["csv", "tsv", "jsonl"])
  func `a text with a NUL character survives export and import`(_ form: String) throws {
    let run = try ProgramRun()
    let line = #"{"publisher":"p","title":"a\u0000b"}"#
    try run.run("book-catalog", "import", "-", "--store", "a.sqlite", input: line + "\n")
    try expectRoundTrip("book-catalog", of: 1, "book", as: form, in: run)
  }

  @Test func `a ledger that stored days as noons recognizes its files`() throws {
    let run = try ProgramRun()
    run.environment["TZ"] = "Asia/Tokyo"
    // Earlier versions stored a date as noon.
    let csv = "date,amount,payee,category\n2026-01-31,-10.00,bakery,food\n2026-07-01,-40.00,a,b\n"
    let noons = csv.replacingOccurrences(of: ",-", with: "T12:00+09:00,-")
    try run.run("household-ledger", "import", "-", input: noons)
    let again = try run.run("household-ledger", "import", "-", input: csv)
    #expect(again.output == "imported 0 transactions, 2 known already\n")
    let list = try run.run("household-ledger", "list", "--format", "plain")
    #expect(list.output.contains("2026-07-01"))
  }

  private func expectRoundTrip(
    _ program: String,
    of count: Int,
    _ noun: String,
    as form: String = "csv",
    in run: ProgramRun
  ) throws {
    try run.run(program, "export", "a.\(form)", "--store", "a.sqlite")
    let imported = try run.run(program, "import", "a.\(form)", "--store", "b.sqlite")
    #expect(imported.output == "imported \(count) \(noun), 0 known already\n")
    try run.run(program, "export", "b.\(form)", "--store", "b.sqlite")
    #expect(Array(try run.read("a.\(form)").utf8) == Array(try run.read("b.\(form)").utf8))
    let again = try run.run(program, "import", "a.\(form)", "--store", "b.sqlite")
    #expect(again.output.hasPrefix("imported 0 "))
  }
}
