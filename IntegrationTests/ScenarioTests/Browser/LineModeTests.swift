import ResultsStoreKit
import Foundation
import Testing

/// R140: the list in lines, on a real terminal that gets no escape sequence.
@Suite(
  "The list in lines, on a terminal",
  .enabled(if: TerminalRun.exists),
  .serialized,
  .timeLimit(.minutes(3))
)
struct LineModeTests {
  /// A terminal with books in a catalog, in which a program reads them out; all that it writes is kept in the file `raw`.
  private func reading(_ command: String) throws -> TerminalRun {
    let terminal = try TerminalRun()
    let books = ["A", "B"].flatMap { publisher in
      (1...3).map { "\(publisher),\(publisher.lowercased())\($0)" }
    }
    try terminal.run.write("publisher,title\n" + books.joined(separator: "\n"), to: "books.csv")
    try terminal.run.run("book-catalog", "import", "books.csv", "--store", "books.sqlite")
    try terminal.command("pipe-pane", "cat > \(terminal.run.path("raw"))")
    try terminal.enter(command)
    try terminal.wait("the first row") { $0.contains("a1, 1 of 6") }
    return terminal
  }

  @Test func `R225: a table is read out over the list of tables, which comes back`() throws {
    let terminal = try TerminalRun()
    try terminal.sqlite(
      """
      CREATE TABLE Album (id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE Track (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO Track VALUES (7, 'One')
      """
    )
    try terminal.enter("live-list books.sqlite --linear; echo status $?")
    try terminal.wait("the tables") {
      $0.contains("live-list, books.sqlite, by table: 2 tables.") && $0.contains(", 1 of 2")
    }
    try terminal.enter("j")
    try terminal.wait("the second") { $0.contains("Track; table; 1; id, 2 of 2") }
    try terminal.enter("")
    try terminal.wait("its rows") {
      $0.contains("books.sqlite ▸ Track, by id: 1 row.") && $0.contains("q back.")
        && $0.contains("One; 7, 1 of 1")
    }
    try terminal.enter("q")
    try terminal.wait("the tables again") {
      $0.contains("by table: 2 tables.\nTrack; table; 1; id, 2 of 2\n")
    }
    try terminal.enter("q")
    try terminal.wait("the end") { $0.contains("status 0") }
  }

  @Test(arguments: [
    "TERM=dumb book-catalog", "book-catalog browse --store books.sqlite --linear",
  ])
  func `R140: the same keys are typed as lines, and nothing but text is written`(_ command: String)
    throws
  {
    let isDumb = command.hasPrefix("TERM")
    let terminal = try reading(isDumb ? "\(command) browse --store books.sqlite" : command)
    try terminal.enter("4j")
    try terminal.wait("the next section") { $0.contains("Section B, 3 books\nb1, 4 of 6") }
    try terminal.press("Down")
    try terminal.wait("an arrow") { $0.contains("b2, 5 of 6") }
    try terminal.type("xyz")
    try terminal.press("C-u")
    try terminal.enter("/a3")
    try terminal.wait("the match") {
      $0.contains("/a3: 1 book in 1 section.") && $0.contains("a3, 1 of 1")
    }
    try terminal.enter("/")
    try terminal.wait("all books") { $0.contains("6 books in 2 sections.") }
    try terminal.enter("d")
    try terminal.wait("the deletion") { $0.contains("deleted 1 book: u undoes.\nb3, 5 of 5\n>") }
    try terminal.enter("u")
    try terminal.wait("the undo") { $0.contains("undid: deleted 1 book") }
    // Another program writes while nothing is typed.
    try terminal.sqlite("INSERT INTO Book (publisher, title) VALUES ('B', 'b0')")
    try terminal.wait("the change") { $0.contains("added: b0, in B") }
    // What is being typed is not interrupted.
    try terminal.type("G")
    try terminal.sqlite("INSERT INTO Book (publisher, title) VALUES ('B', 'b9')")
    try terminal.press("Enter")
    try terminal.wait("the last row") {
      $0.contains("> G\n") && $0.contains("added: b9, in B\nb9, 8 of 8")
    }
    try terminal.enter("q")
    try terminal.wait("the shell") { $0.contains("READY") }
    let raw = try Data(contentsOf: URL(fileURLWithPath: terminal.run.path("raw")))
    #expect(raw.count > 100 && !raw.contains(0x1B))
    try terminal.enter(
      "stty -a | tr ' ' '\\n' | grep -c -e '^icanon' -e '^echo;*$'; echo 'status' $?"
    )
    try terminal.wait("the settings") { $0.contains("2\nstatus 0") }
  }

  @Test func `R208: a wait for another writer is said once, and ^C gives it up`() throws {
    let terminal = try reading("book-catalog browse --store books.sqlite --linear")
    let writer = try WaitingWriter(terminal.run.path("books.sqlite"))
    try terminal.enter("d")
    try terminal.wait("the wait") {
      $0.contains("> d\nwaiting for sqlite3 ") && $0.contains("…  ^C gives up\n")
    }
    try terminal.press("C-c")
    try terminal.wait("the end of the wait", seconds: 4) {
      $0.contains("^C gives up\nGave up waiting for sqlite3: nothing was changed.\na1, 1 of 6")
    }
    try writer.finish()
    try terminal.enter("d")
    try terminal.wait("the deletion") { $0.contains("deleted 1 book: u undoes.") }
  }

  @Test func `R140: ^C on an empty line, twice, leaves, and the end of the input does`() throws {
    var terminal = try reading(
      "book-catalog browse --store books.sqlite --linear; echo \"status $?\""
    )
    try terminal.press("C-c")
    try terminal.wait("the message") { $0.contains("^C once more") }
    try terminal.press("C-c")
    try terminal.wait("the end") { $0.contains("status 130") }
    terminal = try reading("book-catalog browse --store books.sqlite --linear; echo \"status $?\"")
    try terminal.press("C-d")
    try terminal.wait("the end") { $0.contains("status 0") }
  }
}
