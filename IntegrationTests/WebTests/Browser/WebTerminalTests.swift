#if Web
import Foundation
import Testing
import WireFormat

/// R248: the list in a terminal, the page, and a shell of the database: three programs on one store, and each is live on the others.
@Suite(
  "A terminal beside the page",
  .serialized,
  .enabled(if: Chromium.isThere && WebTerminal.exists),
  .timeLimit(.minutes(5))
)
struct WebTerminalTests {
  @Test
  func `R248: what sqlite3, the terminal and the page write appears in the two others`() throws {
    let folder = try WebFolder()
    try folder.makeBooks(40)
    let served = try ServedProgram(in: folder)
    let browser = try Chromium(in: folder)
    let page = try browser.open(served)
    let terminal = try WebTerminal("book-catalog", ["browse", "--store", "b.sqlite"], in: folder)
    try terminal.wait(for: "40 books in 17")
    let shell = try SQLiteWriter(folder)

    try shell.run(
      "INSERT INTO Book(publisher, title, year) VALUES('A', 'From the shell', 2001)"
    )
    try terminal.wait(for: "41 books in 18")
    // The view stays where it was, since the row came above it.
    try terminal.type("g")
    try terminal.wait(for: "From the shell")
    try page.wait(for: try served.list())
    #expect(try page.drawnRows().first?.cells == ["From the shell", "", "2001"])

    // An edit of the page, in its form.
    try page.evaluate("\(BrowserPage.rows)[0].click()")
    try page.press("e")
    try page.wait(for: "document.activeElement.closest('.pane:not([hidden]) form')")
    try page.fill("title", with: "From the page")
    try page.press("Enter")
    try terminal.wait(for: "From the page")
    try page.wait(for: try served.list())
    #expect(try shellRows(folder) == "From the page")

    // A deletion in the terminal, of the first row, and its undoing.
    try terminal.type("gd")
    try terminal.wait(for: "40 books in 17")
    try page.wait(for: try served.list())
    try page.wait(for: "!document.querySelector('.layer').innerText.includes('From the page')")
    try terminal.type("u")
    try terminal.wait(for: "41 books in 18", "From the page")
    try page.wait(for: try served.list())
    #expect(try shellRows(folder) == "From the page")
    #expect(try page.takeProblems() == [])
    try terminal.type("q")
  }

  /// The titles of the publisher that the test writes to, in a shell of its own.
  private func shellRows(_ folder: WebFolder) throws -> String {
    try folder.run("/usr/bin/sqlite3", "b.sqlite", "SELECT title FROM Book WHERE publisher = 'A'")
      .trimmingCharacters(in: .newlines)
  }
}
#endif
