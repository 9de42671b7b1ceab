import Foundation
import Testing

/// R135: what `browse --print` prints after some keys, and the screens of the documentation.
@Suite("The full-screen list, printed", .timeLimit(.minutes(2)))
struct PrintedScreenTests {
  /// A folder with the 200 books of the fixture.
  private func library() throws -> ProgramRun {
    let run = try ProgramRun()
    let books = ProgramFolder.fixture("books-200.tsv")
    try run.run("book-catalog", "import", books, "--store", "books.sqlite")
    return run
  }

  /// The screen of a program after some keys.
  private func screen(
    _ run: ProgramRun,
    _ program: String,
    _ store: String,
    keys: String,
    size: String = "80x24",
    _ others: String...
  ) throws -> [String] {
    let arguments = ["browse", "--print", "--store", store, "--size", size, "--keys", keys]
    let result = try run.run(program, arguments + others)
    #expect(result.status == 0, "\(result)")
    return result.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
  }

  @Test func `R135: the screen has its size, and a pipe gets the list`() throws {
    let run = try library()
    let lines = try screen(run, "book-catalog", "books.sqlite", keys: "jjj", size: "60x12")
    #expect(lines.count == 12)
    #expect(lines.count { $0.hasPrefix(">") } == 1)
    let piped = try run.run("book-catalog", "browse", "--store", "books.sqlite")
    let listed = try run.run("book-catalog", "list", "--store", "books.sqlite")
    #expect(piped.output == listed.output)
  }

  @Test func `R135: a list that is opened for reading only cannot be changed, in any store`() throws
  {
    let run = try library()
    for store in ["books.sqlite", ":memory:"] {
      let screen = try screen(run, "book-catalog", store, keys: "a", "--read-only")
      #expect(screen.contains { $0.contains("Rows cannot be changed here.") }, "\(screen)")
    }
  }

  @Test func `R135: a word finds the author of a book, and all values have the author's name`()
    throws
  {
    let run = try library()
    let found = try screen(run, "book-catalog", "books.sqlite", keys: "/shukshin\\r\\r")
    #expect(found[0].contains("1 book in 1"))
    #expect(found.contains { $0.hasPrefix(">  Do tretʹikh petukhov") && $0.contains("Shukshin") })
    #expect(found.contains { $0.hasPrefix("  author ") && $0.hasSuffix("Shukshin, Vasiliĭ") })
    #expect(!found.contains { $0.contains("authorID") })
    for keys in ["/author:sampsel", "/author=\"Sampsel, Laurie J\"", "/author.name:sampsel"] {
      let same = try screen(run, "book-catalog", "books.sqlite", keys: keys)
      #expect(same[0].contains("1 book in 1"), "\(keys)")
    }
    // A negated word keeps the books that have no author.
    let others = try screen(run, "book-catalog", "books.sqlite", keys: "/-author:shukshin")
    #expect(others[0].contains("199 books"))
  }

  @Test
  func `R135: the names of several related objects are found, and shown if a column asks for them`()
    throws
  {
    let run = try ProgramRun()
    for (title, tags) in [("a", "sea; war"), ("b", "war"), ("c", "")] {
      try run.run(
        "book-catalog",
        "add",
        "--store",
        "books.sqlite",
        "publisher=P",
        "title=\(title)",
        "tags=\(tags)"
      )
    }
    for (keys, count) in [
      ("/all:sea", 1), ("/tags:war", 2), ("/tags=war", 2), ("/-all:war", 1), ("/sea", 0),
    ] {
      let lines = try screen(run, "book-catalog", "books.sqlite", keys: keys)
      #expect(lines[0].contains("\(count) book"), "\(keys)")
    }
    let shown = try run.run(
      "book-catalog",
      [
        "browse", "--print", "--store", "books.sqlite", "--columns", "title,tags", "--keys",
        "/war\\r",
      ]
    )
    // A word is searched in what is shown.
    #expect(shown.lines[0].contains("2 books") && shown.output.contains("sea; war"), "\(shown)")
  }

  @Test func `R135: a row is named by its first text, whichever columns stand before it`() throws {
    let run = try ProgramRun()
    try run.run(
      "news-feed",
      "add",
      "id=note",
      "title=Comet",
      "feed=F",
      "isRead=false",
      "--store",
      "f.sqlite"
    )
    let lines = try screen(run, "news-feed", "f.sqlite", keys: "\\r")
    #expect(lines.contains { $0.hasPrefix("── Comet ─ Item ") }, "\(lines)")
    // The title is the wide column, too.
    #expect(lines[1].hasPrefix("   isRead  title    "))
  }

  @Test func `R135: a command shows lines, jumps, opens a row, or has nothing to do`() throws {
    let run = try ProgramRun()
    for date in ["2026-01-05", "2026-02-07", "2026-02-09", "2026-03-01"] {
      try run.run(
        "household-ledger",
        "add",
        "date=\(date)",
        "amount=-12.50",
        "category=food",
        "payee=Cafe",
        "--store",
        "ledger.sqlite"
      )
    }
    let totals = try screen(run, "household-ledger", "ledger.sqlite", keys: "t")
    #expect(totals.contains { $0.contains("totals:") })
    #expect(totals.contains { $0.contains("2026-02 ") && $0.hasSuffix(" -25.00  (2)") })
    let jumped = try screen(run, "household-ledger", "ledger.sqlite", keys: "[")
    let line = try #require(jumped.firstIndex { $0.hasPrefix(">") })
    #expect(jumped[line - 1].contains("2026-02-09"))
    let catalog = try library()
    let demo = try screen(catalog, "book-catalog", "books.sqlite", keys: "b")
    #expect(demo.contains { $0.contains("b is not a key here: ? shows all keys.") })
    try run.run("event-log", "stamp", "--store", "events.sqlite")
    let events = try screen(run, "event-log", "events.sqlite", keys: "")
    #expect(events[0].contains("⇡ first"))
  }

  /// The screens behind `<!-- screen: KEYS SIZE -->` are those of the books of the fixture.
  @Test(arguments: ["docs/browse.md", "README.md"])
  func `R135: the screens of the documentation are what the program prints`(_ page: String) throws {
    let run = try library()
    let text = try String(contentsOfFile: ProgramFolder.fixture("../\(page)"), encoding: .utf8)
    let parts = text.components(separatedBy: "<!-- screen: ").dropFirst()
    #expect(!parts.isEmpty)
    for part in parts {
      let words = part.prefix { $0 != ">" }.split(separator: " ").map(String.init)
      let block = try #require(part.components(separatedBy: "```text\n").dropFirst().first)
      let shown = block.components(separatedBy: "\n```")[0].components(separatedBy: "\n")
      let printed = try screen(
        run,
        "book-catalog",
        "books.sqlite",
        keys: words[0] == "-" ? "" : words[0],
        size: words[1]
      )
      func trimmed(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
      }
      #expect(shown.map(trimmed) == printed.map(trimmed), "screen \(words[0]) of \(page)")
    }
  }
  /// Those behind `<!-- screen of live-list TABLE: KEYS SIZE -->` are those of the tables of music, or of one of them.
  @Test func `R225: the screens of the tables in the documentation are what the program prints`()
    throws
  {
    let run = try ProgramRun()
    let sql = ProgramFolder.fixture("Databases/music.sql")
    try run.run("/bin/sh", "-c", "sqlite3 music.sqlite < '\(sql)'")
    let text = try String(
      contentsOfFile: ProgramFolder.fixture("../docs/browse.md"),
      encoding: .utf8
    )
    let parts = text.components(separatedBy: "<!-- screen of live-list").dropFirst()
    #expect(!parts.isEmpty)
    for part in parts {
      let names = part.prefix { $0 != ":" }.split(separator: " ").map(String.init)
      let words = part.drop { $0 != ":" }.dropFirst().prefix { $0 != ">" }.split(separator: " ")
        .map(String.init)
      let block = try #require(part.components(separatedBy: "```text\n").dropFirst().first)
      let shown = block.components(separatedBy: "\n```")[0].components(separatedBy: "\n")
      let printed = try run.run(
        "live-list",
        ["browse", "music.sqlite"] + names + ["--print", "--keys", words[0], "--size", words[1]]
      )
      #expect(printed.lines == shown, "screen \(words[0])")
    }
  }
}
