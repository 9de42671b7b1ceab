import ResultsStoreKit
import Foundation
import Testing

/// R132, R133, R135: the real programs on a terminal, while a bare `sqlite3` writes to their store.
@Suite(
  "The full-screen list on a terminal",
  .serialized,
  .enabled(if: TerminalRun.exists),
  .timeLimit(.minutes(5))
)
struct BrowserTests {
  /// A terminal in which `book-catalog browse` shows 40 books in four sections.
  private func browsing(
    columns: Int = 80,
    lines: Int = 24,
    environment: [String: String] = [:]
  ) throws -> TerminalRun {
    let terminal = try TerminalRun(columns: columns, lines: lines, environment: environment)
    let rows = ["A", "B", "C", "D"].flatMap { section in
      (0..<10).map { "\(section),\(section.lowercased())\($0),Author,200\($0)" }
    }
    try terminal.run.write(
      "publisher,title,author,year\n" + rows.joined(separator: "\n") + "\n",
      to: "books.csv"
    )
    try terminal.run.run(
      "book-catalog",
      "import",
      terminal.run.path("books.csv"),
      "--store",
      terminal.run.path("books.sqlite")
    )
    try terminal.enter(
      "sh -c 'echo $$ > pid; exec book-catalog browse --store books.sqlite'; echo status $?"
    )
    try terminal.wait("the list") { $0.contains("40 books in 4") && $0.contains("a0") }
    return terminal
  }

  @Test func `R133: the cursor stays on its row and its line while sqlite3 writes`() throws {
    let terminal = try browsing()
    try terminal.type("12j")
    var lines = try terminal.wait("the cursor") { $0.contains(">  b1") }
    let line = try #require(terminal.cursor(lines)).number
    try terminal.sqlite(
      "INSERT INTO Book (publisher, title) VALUES ('0', 'zero'), ('A', 'a00'), ('A', 'a01')"
    )
    lines = try terminal.wait("the new rows") { $0.contains("43 books in 5") }
    #expect(terminal.cursor(lines)?.number == line)
    #expect(terminal.cursor(lines)?.text.hasPrefix(">  b1") == true)

    // Others move the row away: the next one takes its line, and ^O follows.
    try terminal.sqlite("UPDATE Book SET publisher = 'D' WHERE title = 'b1'")
    lines = try terminal.wait("the reason") { $0.contains("↗ b1 went to D: ^O follows") }
    #expect(terminal.cursor(lines)?.number == line)
    #expect(terminal.cursor(lines)?.text.hasPrefix(">  b2") == true)
    try terminal.press("C-o")
    try terminal.wait("the row that moved") { $0.contains("> → b1") || $0.contains(">  b1") }
    try terminal.press("C-o")
    lines = try terminal.wait("the way back") { $0.contains(">  b2") }

    // Others delete it.
    let before = try #require(terminal.cursor(lines)).number
    try terminal.sqlite("DELETE FROM Book WHERE title = 'b2'")
    lines = try terminal.wait("the next row") { $0.contains(">  b3") }
    #expect(terminal.cursor(lines)?.number == before)
    #expect(lines.contains { $0.contains("b2 was removed by another program.") })
    try terminal.type("q")
    try terminal.wait("the end") { $0.contains("status 0") }
  }

  @Test func `R133: a table of another application is shown live, and left as it is`() throws {
    let terminal = try TerminalRun(columns: 80, lines: 12)
    try terminal.sqlite(
      """
      CREATE TABLE Track (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO Track (name) VALUES ('One'), ('Two'), ('Three')
      """
    )
    try terminal.enter("live-list browse books.sqlite; echo status $?")
    try terminal.wait("the list") { $0.contains("3 rows") && $0.contains("One") }
    try terminal.type("j")
    try terminal.wait("the cursor") { $0.contains(">  Two ") }
    try terminal.sqlite("INSERT INTO Track VALUES (-1, 'Zero'); DELETE FROM Track WHERE id = 1")
    let lines = try terminal.wait("the commit") { $0.contains("Zero") && !$0.contains("One") }
    #expect(lines.contains { $0.hasPrefix(">  Two ") })
    try terminal.type("q")
    try terminal.wait("the end") { $0.contains("status 0") }
    let files = try FileManager.default.contentsOfDirectory(atPath: terminal.run.folder)
    #expect(!files.contains { $0.hasPrefix("books.sqlite-") }, "\(files)")
  }

  @Test
  func
    `R223: a table named without a verb is browsed on a terminal, and printed where that is asked for`()
    throws
  {
    let terminal = try TerminalRun(columns: 80, lines: 12)
    try terminal.sqlite(
      "CREATE TABLE Track (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO Track (name) VALUES ('One'), ('Two')"
    )
    try terminal.enter("live-list books.sqlite Track --sort -name; echo status $?")
    try terminal.wait("the list") { $0.contains("2 rows  ● live") && $0.contains(">  Two ") }
    try terminal.type("q")
    try terminal.wait("the end") { $0.contains("status 0") }
    for (index, words) in [
      "list books.sqlite Track", "books.sqlite Track --format table",
      "books.sqlite Track --limit 2",
      "books.sqlite Track | cat",
    ].enumerated() {
      try terminal.enter("clear; live-list \(words); echo printed $((\(index) + 0))")
      let lines = try terminal.wait(words) { $0.contains("printed \(index)\n") }
      let rows = lines.filter { $0.split(separator: " ").contains("One") }
      #expect(rows.count == 1 && !lines.contains { $0.contains("live") })
    }
  }

  @Test func `R225: the tables of a file are a list that follows them, and each opens over it`()
    throws
  {
    let terminal = try TerminalRun(columns: 80, lines: 12)
    try terminal.sqlite(
      """
      CREATE TABLE Album (id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE Track (id INTEGER PRIMARY KEY, name TEXT);
      CREATE VIEW Names AS SELECT 'a' AS letter FROM Track;
      INSERT INTO Track (name) VALUES ('One'), ('Two')
      """
    )
    try terminal.enter("live-list books.sqlite; echo status $?")
    try terminal.wait("the tables") {
      $0.contains("3 tables  ● live") && $0.contains(">  Album") && $0.contains("Names")
    }
    try terminal.type("G")
    try terminal.wait("the last table") { $0.contains(">  Track") }
    try terminal.type("kj")
    try terminal.press("Enter")
    try terminal.wait("its rows") { $0.contains("▸ Track") && $0.contains(">  One ") }
    // Meanwhile others write and make tables.
    try terminal.sqlite(
      "CREATE TABLE \"a\u{1B}[31m\" (id INTEGER PRIMARY KEY); INSERT INTO Track (name) VALUES ('Three')"
    )
    try terminal.wait("the row") { $0.contains("3 rows") && $0.contains("Three") }
    try terminal.type("jq")
    var lines = try terminal.wait("the tables again") { $0.contains("4 tables") }
    lines = try terminal.wait("the number of rows") {
      $0.split(separator: "\n").contains {
        $0.hasPrefix("> ") && $0.contains("Track") && $0.contains(" 3 ")
      }
    }
    #expect(lines.contains { $0.contains("a\\u{1B}[31m") || $0.contains("a␛[31m") }, "\(lines)")
    // A view without a key is refused with the reason, and the tables stay.
    try terminal.type("k")
    try terminal.press("Enter")
    try terminal.wait("the reason") { $0.contains("cannot be watched") && $0.contains(">  Names") }
    try terminal.sqlite("DROP VIEW Names; DROP TABLE Album")
    try terminal.wait("fewer tables") { $0.contains("2 tables") && !$0.contains("Album") }
    try terminal.type("q")
    try terminal.wait("the end") { $0.contains("status 0") }
    let files = try FileManager.default.contentsOfDirectory(atPath: terminal.run.folder)
    #expect(!files.contains { $0.hasPrefix("books.sqlite-") }, "\(files)")
  }

  @Test func `R226: the rows that refer to a row are followed, and so is the list below`() throws {
    let terminal = try TerminalRun(columns: 80, lines: 12)
    try terminal.sqlite(
      """
      CREATE TABLE Album (id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE Track (id INTEGER PRIMARY KEY, name TEXT, album INTEGER REFERENCES Album);
      INSERT INTO Album VALUES (1, 'First'), (2, 'Second');
      INSERT INTO Track VALUES (1, 'One', 2), (2, 'Two', 2), (3, 'Three', 1)
      """
    )
    try terminal.enter("live-list books.sqlite Album; echo status $?")
    try terminal.wait("the albums") { $0.contains("2 rows  ● live") && $0.contains("First") }
    // Keys that are typed while a list opens are for it.
    try terminal.type("jf")
    try terminal.wait("where to go") { $0.contains(">  rows of Track  album = 2") }
    try terminal.press("Enter")
    try terminal.type("j")
    try terminal.wait("its tracks") {
      $0.contains("▸ Track ▸ album = 2") && $0.contains("2 rows  ● live") && $0.contains(">  Two ")
    }
    try terminal.sqlite(
      "UPDATE Track SET album = 1 WHERE id = 1; UPDATE Album SET title = '2nd' WHERE id = 2; INSERT INTO Album VALUES (0, 'Zero')"
    )
    try terminal.wait("one track") { $0.contains("1 row  ● live") && !$0.contains("One") }
    try terminal.press("Escape")
    let lines = try terminal.wait("the albums again") {
      $0.contains("3 rows") && $0.contains("Zero")
    }
    #expect(
      lines.contains { $0.hasPrefix(">") && $0.contains(" 2nd ") && $0.hasSuffix(" 2") },
      "\(lines)"
    )
    try terminal.type("f")
    try terminal.wait("where to go") { $0.contains(">  rows of Track") }
    try terminal.press("Enter")
    try terminal.wait("one track") { $0.contains("album = 2") && $0.contains("1 row  ● live") }
    try terminal.type("Q")
    try terminal.wait("the end") { $0.contains("status 0") }
  }

  @Test func `R133: a section that goes and comes back is followed, fold and all`() throws {
    let terminal = try browsing()
    try terminal.type("Jza")
    try terminal.wait("the fold") { $0.contains("▸> B") || $0.contains("▸>B") }
    try terminal.sqlite("DELETE FROM Book WHERE publisher = 'B'")
    try terminal.wait("the section to go") { $0.contains("30 books in 3") }
    try terminal.sqlite("INSERT INTO Book (publisher, title) VALUES ('B', 'b again')")
    let lines = try terminal.wait("the section to return") { $0.contains("31 books in 4") }
    #expect(lines.contains { $0.hasPrefix("▸ B") })
    #expect(!lines.contains { $0.contains("b again") })
  }

  @Test func `R139: the last list stays while its store is gone, with the reason`() throws {
    let terminal = try browsing()
    let (path, other) = (terminal.run.path("books.sqlite"), terminal.run.path("gone.sqlite"))
    try FileManager.default.moveItem(atPath: path, toPath: other)
    let lines = try terminal.wait("the reason") {
      $0.contains("! failed") && $0.contains("books.sqlite does not exist")
    }
    #expect(lines.contains { $0.contains("a0") })
    try FileManager.default.moveItem(atPath: other, toPath: path)
    try terminal.wait("the list") { $0.contains("● live") && $0.contains("40 books in 4") }
    try terminal.type("q")
    try terminal.wait("the end") { $0.contains("status 0") }
  }

  @Test func `R138: the mouse puts the cursor, once it is on`() throws {
    let terminal = try browsing()
    try terminal.type("m")
    try terminal.wait("the mouse") { $0.contains("The mouse is on") }
    // What a terminal sends for a click on the sixth line.
    try terminal.type("\u{1B}[<0;10;6M")
    let lines = try terminal.wait("the cursor") { $0.contains(">  a2") }
    #expect(terminal.cursor(lines)?.number == 5)
  }

  @Test(arguments: [("SEGV", "139"), ("TERM", "143"), ("HUP", "129"), ("ABRT", "134")])
  func `R132: after a signal the terminal is as it was found`(_ signal: String, _ status: String)
    throws
  {
    let terminal = try browsing()
    try terminal.run.run("/bin/sh", "-c", "kill -\(signal) $(cat pid)")
    try terminal.wait("the status") { $0.contains("status \(status)") }
    try terminal.enter("stty -a")
    let lines = try terminal.wait("the settings") { $0.contains("icanon") }.joined(separator: " ")
    #expect(lines.contains(" icanon") && !lines.contains("-icanon"))
    #expect(lines.contains(" echo ") && lines.contains(" isig"))
  }

  @Test(arguments: [("SEGV", "139"), ("ABRT", "134")])
  func `R210: a fatal signal from outside asks for no key`(_ signal: String, _ status: String)
    throws
  {
    let terminal = try browsing(environment: ["SWIFT_BACKTRACE": "enable=yes,interactive=yes"])
    try terminal.run.run("/bin/sh", "-c", "kill -\(signal) $(cat pid)")
    let lines = try terminal.wait("the status", seconds: 15) { $0.contains("status \(status)") }
    #expect(!lines.contains { $0.contains("to interact") || $0.contains("Crash") })
    try terminal.enter("stty -a | tr ' ' '\\n' | grep icanon")
    try terminal.wait("the settings") { $0.contains("\nicanon") }
  }

  @Test func `R132: ^Z stops the program, and fg shows the list again`() throws {
    let terminal = try TerminalRun()
    try terminal.enter("set -m")
    try terminal.enter("book-catalog browse --store books.sqlite")
    try terminal.wait("the list") { $0.contains("There are no books.") }
    try terminal.press("C-z")
    try terminal.wait("the shell") { $0.contains("Stopped") && !$0.contains("There are no books.") }
    try terminal.enter("stty -a | tr ' ' '\\n' | grep icanon")
    try terminal.wait("the settings") { $0.contains("\nicanon") }
    try terminal.enter("fg")
    try terminal.wait("the list") { $0.contains("There are no books.") && $0.contains("? keys") }
    try terminal.type("q")
    try terminal.wait("the shell") { !$0.contains("There are no books.") && $0.contains("READY") }
  }

  @Test func `R135: a filter narrows the list, and Esc comes back to the very same line`() throws {
    let terminal = try browsing()
    try terminal.type("15j")
    var lines = try terminal.wait("the cursor") { $0.contains(">  b4") }
    let line = try #require(terminal.cursor(lines)).number
    try terminal.type("/b7")
    try terminal.wait("the match") { $0.contains("1 book in 1") && $0.contains("/b7") }
    try terminal.sqlite("INSERT INTO Book (publisher, title) VALUES ('A', 'a001')")
    try terminal.press("Escape")
    lines = try terminal.wait("the whole list") { $0.contains("41 books in 4") }
    #expect(terminal.cursor(lines)?.number == line)
    #expect(terminal.cursor(lines)?.text.hasPrefix(">  b4") == true)
    // A paste never starts a command.
    try terminal.command("set-buffer", "q\nq\n")
    try terminal.command("paste-buffer", "-p")
    try terminal.wait("the message") { $0.contains("A paste goes into a field") }
  }

  @Test func `R135: another size is drawn at once, down to the smallest`() throws {
    let terminal = try browsing()
    try terminal.command("resize-window", "-x", "40", "-y", "12")
    let lines = try terminal.wait("the narrow screen") {
      !$0.contains("? keys") && $0.contains("a2")
    }
    #expect(lines.allSatisfy { $0.count <= 40 })
    try terminal.command("resize-window", "-x", "18", "-y", "3")
    try terminal.wait("the message") { $0.contains("at least 20x4") }
    try terminal.command("resize-window", "-x", "80", "-y", "24")
    try terminal.wait("the whole screen") { $0.contains("? keys") }
  }

  @Test(arguments: HelpTests.programs)
  func `R135: every program shows its list`(_ program: String) throws {
    let terminal = try TerminalRun(environment: ["NO_COLOR": "1"])
    try terminal.enter("\(program) browse --store store.sqlite")
    try terminal.wait("the list") { $0.contains("There are no ") }
    try terminal.type("?")
    try terminal.wait("the keys") { $0.contains("Keys:") && $0.contains("next line") }
    try terminal.press("Escape")
    // At once, the two keys would be one: Alt-q.
    try terminal.wait("the list") { !$0.contains("Keys:") && $0.contains("There are no ") }
    try terminal.type("q")
    try terminal.wait("the shell") { $0.contains("READY") && !$0.contains("There are no ") }
  }
}
