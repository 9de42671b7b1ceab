import ResultsStoreKit
import Foundation
import Testing

/// R143: completions offer the values of the store, as the shell must insert them.
@Suite("Completions from the store", .timeLimit(.minutes(3)))
struct CompletionTests {
  private static func catalog(_ run: ProgramRun, store: String = "books.sqlite") throws {
    for assignments in [
      ["publisher=Harper Collins", "title=A", "author=O'Brien \"Flann\"", "tags=sea; sf"],
      ["publisher=Harper & Row", "title=B", "author=夏目 漱石", "tags=short story"],
      ["publisher=$(touch owned)`x`!", "title=C", "author=夏目 雅子"],
      ["publisher=Éditions: Minuit", "title=D"],
    ] { try run.run("book-catalog", ["add"] + assignments + ["--store", store]).expectSuccess() }
  }

  /// What the hidden verb prints for a line of which bash replaces the end.
  private static func completions(
    _ run: ProgramRun,
    _ line: String,
    replacing end: String,
    of program: String = "book-catalog"
  ) throws -> [String] {
    let result = try run.run(program, ["complete-word", "--", "\(program) \(line)", end])
    #expect(result.status == 0 && result.errors == "", "\(result)")
    return result.lines
  }

  @Test(arguments: [
    ("publisher=Har", "Har", ["Harper\\ \\&\\ Row", "Harper\\ Collins"]),
    ("publisher=\"Har", "Har", ["Harper & Row", "Harper Collins"]),
    ("publisher='$", "$", ["$(touch owned)`x`!"]),
    ("publisher=\"\\$", "\\$", ["\\$(touch owned)\\`x\\`\"'!'\""]),
    ("publisher=Éditions:", "", ["\\ Minuit"]),
    ("publisher=$", "$", ["\\$\\(touch\\ owned\\)\\`x\\`\\!"]),
    ("author=O", "O", ["O\\'Brien\\ \\\"Flann\\\""]),
    ("author='O", "O", ["O'\\''Brien \"Flann\""]),
    ("author=夏", "夏", ["夏目\\ 漱石", "夏目\\ 雅子"]),
    ("author=夏目\\ 漱", "夏目\\ 漱", ["夏目\\ 漱石"]),
    ("tags=s", "s", ["sea", "sf", "short\\ story"]),
    ("tags=\"sea; s", "sea; s", ["sea; sf", "sea; short story"]),
    ("title=A pub", "pub", ["publisher="]),
    ("title=A tit", "tit", []),
    ("--locale publisher=Har", "Har", []),
    ("year=1", "1", []), ("price=", "", []), ("--st", "--st", []),
  ])
  func `R143: values and names are offered as bash inserts them`(
    _ typed: String,
    _ end: String,
    _ expected: [String]
  ) throws {
    let run = try ProgramRun()
    try Self.catalog(run)
    let found = try Self.completions(run, "add --store books.sqlite \(typed)", replacing: end)
    #expect(found == expected)
  }

  @Test func `R143: edit has an id first, and the configuration names the store`() throws {
    let run = try ProgramRun()
    try Self.catalog(run)
    try FileManager.default.createDirectory(
      atPath: run.path(".config/book-catalog"),
      withIntermediateDirectories: true
    )
    try run.write("store = ~/books.sqlite\n", to: ".config/book-catalog/config")
    #expect(try Self.completions(run, "edit publisher=Harper\\ C", replacing: "") == [])
    let edited = try Self.completions(run, "edit 1 publisher=Harper\\ C", replacing: "Harper\\ C")
    #expect(edited == ["Harper\\ Collins"])
    #expect(
      try Self.completions(run, "edit 1 --no-config publisher=H", replacing: "H") == []
    )
    #expect(try Self.completions(run, "list publisher=H", replacing: "H") == [])
  }

  @Test(arguments: ["zsh", "fish", "bash"])
  func `R143: zsh and fish get whole words, which they quote themselves`(_ shell: String) throws {
    let run = try ProgramRun()
    try Self.catalog(run)
    run.environment["SAP_SHELL"] = shell
    let words = ["book-catalog", "add", "--store", "books.sqlite", "publisher=É"]
    let found = try run.run(
      "book-catalog",
      ["---completion", "add", "--", "positional@0", "4", "11"] + words
    ).lines
    let colon = shell == "zsh" ? "\\:" : ":"
    // zsh gets a last line that ends the list.
    #expect(found.first == (shell == "bash" ? nil : "publisher=Éditions\(colon) Minuit"))
  }

  @Test func `R143: a store that cannot be read offers nothing, and is not created`() throws {
    let run = try ProgramRun()
    #expect(try Self.completions(run, "add publisher=", replacing: "") == [])
    #expect(try Self.completions(run, "add --store x.sqlite publisher=", replacing: "") == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: run.folder) == [])
    try run.write("no database at all, but long enough to be read as one", to: "x.sqlite")
    #expect(try Self.completions(run, "add --store x.sqlite publisher=", replacing: "") == [])
    #expect(try Self.completions(run, "add --store :memory: publisher=", replacing: "") == [])
  }

  @Test(.enabled(if: TerminalRun.exists))
  func `R143: a locked store offers nothing, and a large one ends after some rows`() throws {
    let terminal = try TerminalRun()
    let run = terminal.run
    try Self.catalog(run)
    try terminal.sqlite(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
      INSERT INTO Book (publisher, title) SELECT CASE WHEN i < 29000 THEN 'Old' ELSE 'New ' || i END, i FROM n
      """
    )
    let line = "add --store books.sqlite publisher="
    #expect(try Self.completions(run, line + "New", replacing: "New").count == 200)
    // Older than the newest 20,000 rows.
    #expect(try Self.completions(run, line + "Harper", replacing: "Harper") == [])
    try terminal.sqlite("CREATE INDEX BookOrder ON Book (publisher, title, id)")
    #expect(try Self.completions(run, line + "Harper", replacing: "Harper").count == 2)
    try run.run("/bin/cp", "books.sqlite", "locked.sqlite")
    try terminal.enter(
      "(echo 'PRAGMA journal_mode=DELETE; BEGIN EXCLUSIVE;'; echo '.print LOC''KED'; cat) | sqlite3 locked.sqlite"
    )
    try terminal.wait("the lock") { $0.contains("LOCKED") && !$0.hasSuffix("LOC''KED") }
    let locked = "add --store locked.sqlite publisher=New"
    #expect(try Self.completions(run, locked, replacing: "New") == [])
    try terminal.press("C-d")
  }

  @Test(.enabled(if: TerminalRun.exists))
  func `R143: bash inserts values with blanks, quotes and Japanese`() throws {
    let terminal = try TerminalRun(environment: ["LC_ALL": "C.UTF-8"])
    try Self.catalog(terminal.run)
    try terminal.enter("exec bash --norc --noprofile")
    try terminal.enter("PS1='RE''ADY '; clear; source <(book-catalog help completions bash)")
    try terminal.wait("bash") { $0.contains("READY") && !$0.contains("source") }
    for (typed, completed) in [
      ("publisher=Harper\\ C", "publisher=Harper\\ Collins +"),
      ("publisher=\"Harper C", "publisher=\"Harper Collins\" +"),
      ("author=O", "author=O\\'Brien\\ \\\"Flann\\\" +"),
      ("author='O", "author='O'\\''Brien \"Flann\"' +"),
      ("author=夏目\\ 漱", "author=夏目\\ 漱石 +"),
      ("publisher=Éditions: ", "publisher=Éditions:\\ Minuit +"),
      ("pub", "publisher=+"),
    ] {
      try terminal.type("book-catalog add --store books.sqlite \(typed.trimmed)")
      try terminal.press("Tab")
      try terminal.type("+")
      try terminal.wait(completed) { $0.replacing("\n", with: "").contains(completed) }
      try terminal.press("C-u")
    }
    // What is inserted is what the program gets.
    try terminal.type("book-catalog add --store books.sqlite title=E publisher=\\$")
    try terminal.press("Tab")
    try terminal.type("author=O")
    try terminal.press("Tab", "Enter")
    try terminal.wait("the book") { $0.contains("added Book 5") }
    let book = try terminal.run.run("book-catalog", "show", "5", "--store", "books.sqlite").output
    #expect(book.contains("$(touch owned)`x`!") && book.contains("O'Brien \"Flann\""), "\(book)")
    #expect(!FileManager.default.fileExists(atPath: terminal.run.path("owned")))
  }
}

extension ProgramResult {
  fileprivate func expectSuccess() { #expect(status == 0, "\(self)") }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
