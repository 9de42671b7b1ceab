import Foundation
import Testing

/// What every program's command line promises: nothing is created, guessed or left unsaid.
@Suite struct CommandLineTests {
  @Test(arguments: [
    ["list"], ["show", "1"], ["export", "-"], ["dump"], ["doctor"], ["remove", "1"],
    ["edit", "1", "title=x"], ["cache", "list"], ["list", "--explain"], ["list", "--read-only"],
  ])
  func `a store that was named and does not exist is refused, not created`(_ verb: [String])
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

  @Test func `the default store is empty until something is added, and that is said`() throws {
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
  func `a pattern of SQL is remarked upon, as it matches nothing here`(_ condition: String) throws {
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
  func `an export for spreadsheets has no formula in any disguise`(_ form: String) throws {
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
  func `help says how a program ends, what it is and what it lists`(_ program: String) throws {
    let run = try ProgramRun()
    let help = try run.run(program, "--help").output
    #expect(help.contains("  64   the command line was not understood\n"))
    #expect(try run.run(program, "--version").output.hasPrefix("\(program) "))
    #expect(try run.run(program, "add", "--help").output.contains("Attributes: "))
    let language = try run.run(program, "help", "where").output
    #expect(language.contains("BEGINSWITH") && language.contains("\(program) list --where"))
  }

  @Test func `removing at a path that is not there says that nothing was removed`() throws {
    let run = try ProgramRun()
    try run.run("event-log", "stamp")
    let event = try run.run("event-log", "remove-at", "4", expecting: 1)
    #expect(
      event.errors.contains("There is no event at position 4: the list has positions 0 to 0.")
    )
    let student = try run.run("student-roster", "remove-at", "1", "2", expecting: 1)
    for result in [event, student] { #expect(result.errors.contains("Nothing was removed.")) }
    try run.run("book-catalog", "demo")
    let several = try run.run("book-catalog", "remove", "1", "99", expecting: 1)
    #expect(several.errors.contains("There is no Book 99. None of them was removed."))
    #expect(try run.run("book-catalog", "dump").lines.count == 14)
  }
}
