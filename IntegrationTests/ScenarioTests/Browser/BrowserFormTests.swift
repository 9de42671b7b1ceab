import ResultsStoreKit
import Foundation
import Testing

/// R137: forms of the real programs on a terminal, while a bare `sqlite3` writes to their store.
@Suite(
  "Forms on a terminal",
  .serialized,
  .enabled(if: TerminalRun.exists),
  .timeLimit(.minutes(5))
)
struct BrowserFormTests {
  /// A terminal in which `book-catalog browse` shows three books.
  private func browsing(
    _ environment: [String: String] = [:],
    options: String = ""
  ) throws -> TerminalRun {
    let terminal = try TerminalRun(environment: environment)
    try terminal.run.write(
      "publisher,title,author,year\nA,a0,Ann,1990\nA,a1,Bob,1991\nB,b0,Ann,1992\n",
      to: "books.csv"
    )
    let (books, store) = (terminal.run.path("books.csv"), terminal.run.path("books.sqlite"))
    try terminal.run.run("book-catalog", "import", books, "--store", store)
    try terminal.enter("book-catalog browse \(options) --store books.sqlite; echo status $?")
    try terminal.wait("the list") { $0.contains("3 books in ") && $0.contains("a0") }
    return terminal
  }

  /// The stored year, publisher and author of a book.
  private func stored(_ title: String, _ terminal: TerminalRun) throws -> String {
    let sql =
      "SELECT year, publisher, name FROM Book LEFT JOIN Author ON authorID = Author.id WHERE title = '\(title)'"
    let path = terminal.run.path("books.sqlite")
    return try terminal.run.run(TerminalRun.sqlite3, [path, ".timeout 5000", sql]).output
  }

  /// Opens the form on a row whose year others then change, and tries to save another year and another author.
  private func conflict(_ terminal: TerminalRun) throws {
    try terminal.type("e")
    try terminal.wait("the form") { $0.contains("┌ edit a0") && $0.contains("[1990") }
    try terminal.press("Tab", "Tab", "C-u")
    try terminal.type("Cem")
    try terminal.press("Tab", "C-u")
    try terminal.type("2001")
    try terminal.sqlite("UPDATE Book SET year = 1950 WHERE title = 'a0'")
    try terminal.press("Enter")
    try terminal.wait("the conflict") {
      $0.contains("changed by others meanwhile") && $0.contains("1950  !") && $0.contains("2001  !")
    }
  }

  @Test(arguments: [("t", "1950|A|Ann"), ("o", "2001|A|Cem"), ("m", "1950|A|Cem")])
  func `R137: a field that sqlite3 changed meanwhile is shown, and the key decides`(
    _ key: String,
    _ expected: String
  ) throws {
    let terminal = try browsing()
    try conflict(terminal)
    #expect(try stored("a0", terminal) == "1950|A|Ann\n")
    try terminal.type(key)
    try terminal.wait("the list") { !$0.contains("┌ a0") && $0.contains("? keys") }
    #expect(try stored("a0", terminal) == "\(expected)\n")
    guard key != "t" else { return }
    // One step takes everything back, the new author too.
    try terminal.type("u")
    try terminal.wait("the undo") { $0.contains("undid: changed author") }
    #expect(try stored("a0", terminal) == "1950|A|Ann\n")
  }

  @Test func `R208: ^C gives up a wait for another writer, and the form keeps what was typed`()
    throws
  {
    let terminal = try browsing()
    let writer = try WaitingWriter(terminal.run.path("books.sqlite"))
    try terminal.type("d")
    try terminal.wait("the writer") {
      $0.contains(" waiting for sqlite3 ") && $0.contains("…  ^C gives up")
    }
    try terminal.press("C-c")
    try terminal.wait("the end of the wait", seconds: 4) {
      $0.contains("Gave up waiting for sqlite3: nothing was changed.")
    }
    try terminal.type("e")
    try terminal.wait("the form") { $0.contains("┌ edit a0") && $0.contains("[1990") }
    try terminal.press("Tab", "Tab", "Tab", "C-u")
    try terminal.type("2001")
    try terminal.press("Enter")
    try terminal.wait("the writer") {
      $0.contains(" waiting for sqlite3 ") && $0.contains("…  ^C gives up")
    }
    try terminal.press("C-c")
    try terminal.wait("the form again", seconds: 4) {
      $0.contains("Gave up waiting for sqlite3: nothing was changed.") && $0.contains("[2001")
    }
    try writer.finish()
    try terminal.press("Enter")
    try terminal.wait("the new year") { $0.contains("changed year of") && !$0.contains("[2001") }
    #expect(try stored("a0", terminal) == "2001|A|Ann\n")
    try terminal.type("q")
    try terminal.wait("the end") { $0.contains("status 0") }
  }

  @Test func `R137: a form says where its row lands, and the row is there`() throws {
    let terminal = try browsing()
    try terminal.type("e")
    try terminal.wait("the form") { $0.contains("┌ edit a0") }
    try terminal.press("C-u")
    try terminal.type("B")
    try terminal.wait("the landing") { $0.contains("└ lands first in B, before b0 ─") }
    try terminal.press("Enter")
    let lines = try terminal.wait("the row") { $0.contains("1 book") || $0.contains("a0  ") }
    #expect(terminal.cursor(lines)?.text.contains("a0") == true)
    try terminal.type("a")
    try terminal.wait("the form") {
      $0.contains("┌ add a book") && $0.contains("publisher has no value yet")
    }
    try terminal.type("C")
    try terminal.press("Tab")
    try terminal.command("set-buffer", "q\nnew")
    try terminal.command("paste-buffer", "-p")
    try terminal.wait("the landing") { $0.contains("lands in a new section, C, after B") }
    try terminal.press("Enter")
    let added = try terminal.wait("the row") { $0.contains("4 books in 3") && !$0.contains("┌") }
    #expect(terminal.cursor(added)?.text.contains("q␊new") == true)
  }

  @Test func `R271: a form follows what sqlite3 commits, and shows both values of a conflict`()
    throws
  {
    let terminal = try browsing()
    try terminal.type("e")
    try terminal.wait("the form") { $0.contains("┌ edit a0") && $0.contains("[1990") }
    try terminal.sqlite("UPDATE Book SET year = 1950 WHERE title = 'a0'")
    try terminal.wait("the year") {
      $0.contains("[1950") && $0.contains("Others have changed year.")
    }
    try terminal.press("Tab", "Tab", "Tab", "C-u")
    try terminal.type("2001")
    try terminal.sqlite("UPDATE Book SET year = 1951, publisher = 'B' WHERE title = 'a0'")
    try terminal.wait("the conflict") {
      $0.contains("year: Others have stored “1951”; ^R takes it.") && $0.contains("[2001")
        && $0.contains("[B ")
    }
    try terminal.press("C-r")
    try terminal.wait("the other year") { $0.contains("[1951") && !$0.contains("field changed") }
    try terminal.press("Escape")
    try terminal.wait("the list") { !$0.contains("┌ edit a0") }
    #expect(try stored("a0", terminal) == "1951|B|Ann\n")
  }

  @Test func `R271: a row lands in the section of an author that is new`() throws {
    let terminal = try browsing(options: "--section-by author.name")
    try terminal.type("e")
    try terminal.wait("the form") { $0.contains("┌ edit a0") }
    try terminal.press("Tab", "Tab", "C-u")
    try terminal.type("Cem")
    try terminal.wait("the landing") { $0.contains("lands in a new section, Cem, after Bob") }
    #expect(try stored("a0", terminal) == "1990|A|Ann\n")
    try terminal.press("Enter")
    let lines = try terminal.wait("the section") {
      $0.contains("▾ Cem ─") && !$0.contains("┌ edit")
    }
    #expect(terminal.cursor(lines)?.text.contains("a0") == true)
    #expect(try stored("a0", terminal) == "1990|A|Cem\n")
  }

  @Test func `R272: a row that sqlite3 deletes says so in its form, and is added again`() throws {
    let terminal = try browsing()
    try terminal.type("e")
    try terminal.wait("the form") { $0.contains("┌ edit a0") }
    try terminal.press("Tab", "Tab", "Tab", "C-u")
    try terminal.type("2001")
    try terminal.sqlite("DELETE FROM Book WHERE title = 'a0'")
    try terminal.wait("the reason") { $0.contains("Others have deleted it. Enter offers") }
    try terminal.press("Enter")
    try terminal.wait("the question") { $0.contains("a add it again") }
    try terminal.type("a")
    try terminal.wait("the list") {
      $0.contains("added Book 1 again: u undoes.") && !$0.contains("┌")
    }
    #expect(try stored("a0", terminal) == "2001|A|Ann\n")
  }

  @Test func `R137: E edits the row in an editor, and a failing editor writes nothing`() throws {
    let script = "sed -i 's/^year: .*/year: 2002/; s/^author: .*/author: Dora/' \"$1\""
    let terminal = try browsing(["EDITOR": "sh ./edit.sh"])
    try terminal.run.write(script, to: "edit.sh")
    try terminal.type("E")
    try terminal.wait("the row") { $0.contains("changed author, year of Book 1: u undoes.") }
    #expect(try stored("a0", terminal) == "2002|A|Dora\n")
    try terminal.run.write("exit 3", to: "edit.sh")
    try terminal.type("E")
    try terminal.wait("the reason") { $0.contains("The editor ended with status 3") }
    try terminal.run.write("echo nonsense >> \"$1\"", to: "edit.sh")
    try terminal.type("E")
    try terminal.wait("the form") { $0.contains("“nonsense”") && $0.contains("┌ edit a0") }
    // Keys go to the list again, and the terminal is left as it was found.
    try terminal.press("Escape")
    try terminal.wait("the list") { !$0.contains("┌ edit a0") }
    try terminal.type("q")
    try terminal.wait("the end") { $0.contains("status 0") }
    try terminal.enter("stty -a | tr ' ' '\\n' | grep icanon")
    try terminal.wait("the settings") { $0.contains("\nicanon") }
    #expect(try stored("a0", terminal) == "2002|A|Dora\n")
  }
}
