#if Web && PostgreSQL
import Foundation
import Testing
import WireFormat

/// R247, R248: a page behind a balancer, which several processes over a primary and its standby serve.
@Suite(
  "The page over PostgreSQL",
  .serialized,
  .enabled(if: Chromium.isThere),
  .timeLimit(.minutes(10))
)
struct PostgreSQLPageTests {
  /// Opens the page through the balancer.
  private func open(_ served: ServedDatabase) throws -> (Chromium, BrowserPage) {
    let browser = try Chromium(in: served.folder)
    let page = try browser.blankPage()
    try page.go(to: served.address)
    try page.waitForList()
    return (browser, page)
  }

  /// Scrolls into the middle of the list, off the grid of rows, and clicks on a row.
  /// - Returns: The row, and its offset.
  private func focusRow(_ page: BrowserPage) throws -> (id: String, offset: JSONValue) {
    try page.evaluate("document.querySelector('.port').scrollTop = 24013")
    let middle = "document.querySelector('.port').getBoundingClientRect().top + 300"
    let found =
      "\(BrowserPage.rows).find((one) => Math.abs(one.getBoundingClientRect().top - (\(middle))) < 64)"
    try page.wait(for: found)
    try page.evaluate("\(found).click()")
    try page.wait(for: "document.activeElement.row")
    return (
      try page.text("document.activeElement.row.id"),
      try page.evaluate("document.activeElement.getBoundingClientRect().top")
    )
  }

  /// Opens the form of the row with the focus, and saves another title.
  private func retitle(_ title: String, in page: BrowserPage) throws {
    try page.press("e")
    try page.wait(for: "document.activeElement.closest('.pane:not([hidden]) form')")
    try page.fill("title", with: title)
    try page.press("Enter")
    try page.wait(for: "!document.querySelector('.pane form')")
    try page.press("Escape")
    try page.wait(for: "document.querySelector('.pane').hidden")
  }

  @Test
  func `R247: a page whose process is killed comes back through another one, at the same pixel`()
    throws
  {
    let served = try ServedDatabase(books: 2000)
    let (browser, page) = try open(served)
    defer { withExtendedLifetime(browser) {} }
    let (id, offset) = try focusRow(page)
    for round in 0..<3 {
      let stream = try #require(served.streaming.first)
      try served.database.psql(
        "INSERT INTO \"Book\"(publisher, title) SELECT 'Publisher 00', 'A \(round) ' || i FROM generate_series(1, 40) i"
      )
      try page.wait(for: try served.list(), from: try position(of: id, in: served))
      try served.kill(stream)
      // What happens while no process serves the page is in the list that it gets.
      try served.database.psql(
        "DELETE FROM \"Book\" WHERE publisher = 'Publisher 01' AND id % 3 = \(round) AND id <> \(id)"
      )
      try page.wait(for: "document.querySelector('.live').textContent === 'live'")
      try page.wait(for: try served.list(), from: try position(of: id, in: served))
      #expect(try page.text("document.activeElement.row?.id ?? ''") == id)
      #expect(
        try page.evaluate("document.activeElement.getBoundingClientRect().top") == offset
      )
      let next = try served.streaming
      #expect(next.count == 1 && next != [stream])
      try served.restart(stream)
    }
    #expect(try page.takeProblems() == [])
  }

  private func position(of id: String, in served: ServedDatabase) throws -> Int {
    try #require(served.list().rows.firstIndex { $0.id == id })
  }

  @Test
  func `R247: requests find the process of the stream, and undo what it did`() throws {
    let served = try ServedDatabase(books: 2000)
    // Two processes in turn, so that every other connection reaches the wrong one.
    served.balancer.pin([served.servers[0].port, served.servers[1].port])
    let (browser, page) = try open(served)
    defer { withExtendedLifetime(browser) {} }
    let stream = try served.streaming
    for top in [50_000, 3000, 31_000, 9000] {
      try page.evaluate("document.querySelector('.port').scrollTop = \(top)")
      try page.wait(for: "\(BrowserPage.rows).length > 20")
    }
    let (id, _) = try focusRow(page)
    let before = try served.list()
    for number in 0..<4 { try retitle("Title 00000 \(number)", in: page) }
    let edited = try served.list()
    #expect(edited.rows.first { $0.id == id }?.cells[0] == "Title 00000 3")
    try page.wait(for: edited, from: try position(of: id, in: served))
    for _ in 0..<4 { try page.press("u") }
    try page.wait(for: before, from: try position(of: id, in: served))
    #expect(try served.list().rows == before.rows)
    #expect(try served.streaming == stream)
    #expect(try page.takeProblems() == [])
  }

  @Test
  func `R247: where no connection reaches the stream's process, the stream moves once`() throws {
    let served = try ServedDatabase(books: 2000)
    let ports = served.servers.map(\.port)
    served.balancer.pin([ports[0]])
    let (browser, page) = try open(served)
    defer { withExtendedLifetime(browser) {} }
    #expect(try served.streaming == [0])
    served.balancer.pin([ports[1]])
    // The connections that are idle belong to the first process, and serve a request or two more.
    try page.evaluate("document.querySelector('.port').scrollTop = 50000")
    try page.wait(for: "\(BrowserPage.rows).length > 20")
    let (id, _) = try focusRow(page)
    try retitle("Title of another process", in: page)
    try page.wait(for: try served.list(), from: try position(of: id, in: served))
    // Now nothing is left of the first process.
    served.balancer.cut(ports[0])
    try page.wait(for: "document.querySelector('.live').textContent === 'live'")
    try wait(for: "the stream of the second process") { try served.streaming == [1] }
    let connections = served.balancer.accepted
    try retitle("Title of the second process", in: page)
    try page.press("h")
    try served.database.psql("DELETE FROM \"Book\" WHERE id % 7 = 3 AND id <> \(id)")
    try page.wait(for: "document.querySelector('.live').textContent !== 'live'")
    try page.press("h")
    try page.wait(for: try served.list(), from: try position(of: id, in: served))
    #expect(try served.streaming == [1])
    #expect(served.balancer.accepted - connections < 30)
    #expect(try page.takeProblems() == [])
  }

  @Test(.enabled(if: WebTerminal.exists))
  func `R248: a commit of psql is in a terminal on the primary, and in the page of a standby`()
    throws
  {
    let served = try ServedDatabase(books: 40)
    served.balancer.pin([served.servers[2].port])
    let (browser, page) = try open(served)
    defer { withExtendedLifetime(browser) {} }
    let terminal = try WebTerminal(
      "book-catalog",
      ["browse", "--store", served.database.url],
      in: served.folder
    )
    try terminal.wait(for: "40 books in 17")
    try served.database.psql(
      "INSERT INTO \"Book\"(publisher, title, year) VALUES ('A', 'From psql', 2001)"
    )
    try terminal.wait(for: "41 books in 18")
    try terminal.type("g")
    try terminal.wait(for: "From psql")
    try page.wait(for: try served.list())
    #expect(try page.drawnRows().first?.cells == ["From psql", "", "2001"])
    // What the terminal writes on the primary is in the page of the standby.
    try terminal.type("d")
    try terminal.wait(for: "40 books in 17")
    try page.wait(for: try served.list())
    try terminal.type("q")
    // The page says that it writes nothing.
    try page.press("e")
    try page.wait(for: "document.querySelector('.toast').innerText.includes('read only')")
    #expect(try page.takeProblems() == [])
  }

  @Test
  func `R247: a page that comes to a standby keeps what was typed, and says why it is not saved`()
    throws
  {
    let served = try ServedDatabase(books: 40)
    let ports = served.servers.map(\.port)
    served.balancer.pin([ports[0]])
    let (browser, page) = try open(served)
    defer { withExtendedLifetime(browser) {} }
    served.balancer.pin([ports[2]])
    served.balancer.cut(ports[0])
    try wait(for: "the stream of the standby") { try served.streaming == [2] }
    try page.wait(for: try served.list())
    try page.evaluate("\(BrowserPage.rows)[0].click()")
    try page.press("e")
    try page.wait(for: "document.activeElement.closest('.pane:not([hidden]) form')")
    try page.fill("title", with: "Never")
    try page.press("Enter")
    try page.wait(
      for:
        "document.querySelector('.pane form .problem[role=alert]')?.innerText.includes('read-only')"
    )
    #expect(try page.text("document.querySelector('.pane [name=title]').value") == "Never")
    try page.screenshot("standby")
    #expect(try served.list().rows.contains { $0.cells[0] == "Never" } == false)
    #expect(try page.takeProblems() == [])
  }
}
#endif
