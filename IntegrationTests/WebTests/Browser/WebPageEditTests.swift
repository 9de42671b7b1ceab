#if Web
import Foundation
import Testing
import WireFormat

/// R244: editing in the page, and what it does when the server or the network is gone.
@Suite("Edits in the page", .serialized, .enabled(if: Chromium.isThere))
struct WebPageEditTests {
  private func serve(_ count: Int) throws -> (ServedProgram, Chromium) {
    let folder = try WebFolder()
    try folder.makeBooks(count)
    let served = try ServedProgram(in: folder)
    return (served, try Chromium(in: folder))
  }

  /// Opens the form of a row by the keys.
  private func edit(_ id: String, in page: BrowserPage) throws {
    try page.evaluate("\(BrowserPage.rows).find((one) => one.row.id === '\(id)').click()")
    try page.wait(for: "document.activeElement.row?.id === '\(id)'")
    try page.press("e")
    try page.wait(for: "document.activeElement.closest('.pane:not([hidden]) form')")
  }

  @Test
  func `R244: a row is added, changed, refused by its field, deleted, and taken back`() throws {
    let (served, browser) = try serve(40)
    let page = try browser.open(served)
    try page.press("a")
    try page.wait(for: "document.querySelector('.pane form')")
    try page.fill("publisher", with: "Aa")
    try page.fill("title", with: "A new title")
    try page.fill("year", with: "soon")
    try page.press("Enter")
    try page.wait(
      for:
        "document.querySelector('.pane [name=year]').closest('.field').querySelector('.problem').innerText.length > 3"
    )
    #expect(try page.text("document.activeElement.name") == "year")
    try page.screenshot("refused")
    #expect(try served.list().rows.count == 40)
    try page.fill("year", with: "1999")
    try page.press("Enter")
    try page.wait(for: "document.querySelector('.pane').hidden")
    let added = try served.list()
    #expect(added.rows.count == 41 && added.rows[0].cells == ["A new title", "", "1999"])
    try page.wait(for: added)

    try edit(added.rows[0].id, in: page)
    try page.fill("title", with: "A newer title")
    try page.press("Enter")
    try page.wait(for: "!document.querySelector('.pane form')")
    let edited = try served.list()
    #expect(edited.rows[0].cells[0] == "A newer title")
    try page.wait(for: edited)
    try page.press("Escape")
    try page.wait(
      for:
        "document.querySelector('.pane').hidden && document.activeElement.row?.id === '\(added.rows[0].id)'"
    )
    try page.press("d", "d")
    try page.wait(
      for: "!document.querySelector('.toast').hidden && document.querySelector('.toast button')"
    )
    let deleted = try served.list()
    #expect(deleted.rows.count == 40)
    try page.wait(for: deleted)
    try page.screenshot("deleted")
    try page.click(".toast button")
    try page.wait(for: edited)
    #expect(try served.list().rows == edited.rows)
    #expect(try page.takeProblems() == [])
  }

  @Test
  func `R244: what others changed meanwhile is shown, and the person decides`() throws {
    let (served, browser) = try serve(40)
    let page = try browser.open(served)
    let shell = try SQLiteWriter(served.folder)
    let id = try served.list().rows[0].id
    try edit(id, in: page)
    try page.fill("year", with: "1993")
    try shell.run("UPDATE Book SET year = 1991 WHERE id = \(id)")
    try page.press("Enter")
    try page.wait(for: "document.querySelector('dialog.conflict')")
    let dialog = try page.text("document.querySelector('dialog.conflict').innerText")
    #expect(dialog.contains("1991") && dialog.contains("1993"), "\(dialog)")
    try page.screenshot("conflict")
    #expect(try served.list().rows[0].cells[2] == "1991")
    try page.click("dialog.conflict .main")
    try page.wait(
      for: "!document.querySelector('dialog.conflict') && !document.querySelector('.pane form')"
    )
    let after = try served.list()
    #expect(after.rows[0].cells[2] == "1993")
    try page.wait(for: after)
    // The row is deleted while its form is open.
    try edit(id, in: page)
    try page.fill("year", with: "1994")
    try shell.run("DELETE FROM Book WHERE id = \(id)")
    try page.press("Enter")
    try page.wait(
      for: "document.querySelector('dialog.conflict')?.innerText.toLowerCase().includes('deleted')"
    )
    #expect(try served.list().rows.count == 39)
    #expect(try page.takeProblems() == [])
  }

  @Test
  func `R244: several rows are changed by one form, and taken back as one step`() throws {
    let (served, browser) = try serve(40)
    let page = try browser.open(served)
    let before = try served.list()
    try page.press(" ", " ", " ")
    try page.wait(for: "document.querySelector('.chip').textContent.startsWith('3 selected')")
    try page.press("e")
    try page.wait(for: "document.querySelector('.pane h2')?.textContent === 'Change 3 books'")
    func field(_ name: String, _ member: String) throws -> String {
      try page.text("document.querySelector('.pane [name=\(name)]').\(member)")
    }
    #expect(try field("title", "placeholder") == "(several values)")
    #expect(try field("title", "value").isEmpty)
    #expect(try field("author", "placeholder").isEmpty)
    try page.fill("year", with: "soon")
    try page.press("Enter")
    try page.wait(for: "document.querySelector('.pane [name=year]').hasAttribute('aria-invalid')")
    #expect(try served.list().rows == before.rows)
    try page.fill("year", with: "1993")
    try page.screenshot("several")
    try page.press("Enter")
    try page.wait(for: "document.querySelector('.pane').hidden")
    let after = try served.list()
    #expect(after.rows.map { $0.cells[0] } == before.rows.map { $0.cells[0] })
    #expect(after.rows.prefix(3).allSatisfy { $0.cells[2] == "1993" })
    #expect(after.rows.dropFirst(3).elementsEqual(before.rows.dropFirst(3)))
    try page.wait(for: after)
    #expect(try page.text("document.querySelector('.toast').textContent").contains("3 books"))
    try page.click(".toast button")
    try page.wait(for: before)
    #expect(try served.list().rows == before.rows)
    #expect(try page.takeProblems() == [])
  }

  @Test
  func `R244: a whole list is changed by one form, and cleared where its rows differ`() throws {
    let (served, browser) = try serve(600)
    let page = try browser.open(served, "filter=year%3C1960")
    let narrowed = ["--where", "year < 1960"]
    let others = ["--where", "year >= 1960"]
    let before = try served.list(others)
    let count = try served.list(narrowed).rows.count
    try page.press("j")
    try page.evaluate(
      "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', ctrlKey: true, bubbles: true }))"
    )
    try page.wait(for: "document.querySelector('.chip').textContent.startsWith('all selected')")
    // What the page has no ids for is not deleted.
    try page.press("d", "d")
    try page.wait(for: "document.querySelector('.toast').textContent.startsWith('All rows')")
    try page.press("e")
    try page.wait(
      for: "document.querySelector('.pane h2')?.textContent === 'Change \(count) books'"
    )
    try page.evaluate("document.querySelector('.pane [name=year]').focus()")
    try page.press("Backspace")
    #expect(
      try page.text("document.querySelector('.pane [name=year]').placeholder") == "(nothing)"
    )
    try page.fill("author", with: "All of them")
    try page.press("Enter")
    try page.wait(for: "document.querySelector('.pane').hidden")
    let after = try served.list(["--where", "author.name = 'All of them'"])
    #expect(after.rows.count == count && after.rows.allSatisfy { $0.cells[2].isEmpty })
    #expect(try served.list(others).rows == before.rows)
    // None of them has the year any more by which the list is filtered.
    try page.wait(for: "!document.querySelector('.empty').hidden")
    #expect(try page.takeProblems() == [])
  }

  @Test
  func `R244: a field of several rows that others changed meanwhile is shown, and decided`() throws
  {
    let (served, browser) = try serve(40)
    let page = try browser.open(served)
    let shell = try SQLiteWriter(served.folder)
    let before = try served.list()
    try page.press(" ", " ", "e")
    try page.wait(for: "document.querySelector('.pane h2')?.textContent === 'Change 2 books'")
    try page.fill("language", with: "fra")
    try shell.run("UPDATE Book SET language = 'deu' WHERE id = \(before.rows[1].id)")
    try page.press("Enter")
    try page.wait(for: "document.querySelector('dialog.conflict')")
    // What is stored now differs from row to row.
    let dialog = try page.text("document.querySelector('dialog.conflict').innerText")
    #expect(dialog.contains("(several values)") && dialog.contains("fra"), "\(dialog)")
    try page.screenshot("several-conflict")
    #expect(try shell.run("SELECT id FROM Book WHERE language = 'fra'").isEmpty)
    try page.click("dialog.conflict .main")
    try page.wait(for: "document.querySelector('.pane').hidden")
    let stored = try shell.run("SELECT id FROM Book WHERE language = 'fra' ORDER BY title")
    #expect(stored == before.rows.prefix(2).map(\.id))
    #expect(try page.takeProblems() == [])
  }

  @Test
  func `R244: two pages are live on each other's edits`() throws {
    let (served, browser) = try serve(40)
    let pages = [
      try browser.open(served), try browser.open(served, "sections=none&sort=-year,title"),
    ]
    for number in 0..<4 {
      let page = pages[number % 2]
      let id = try page.text("\(BrowserPage.rows)[2].row.id")
      try edit(id, in: page)
      try page.fill("title", with: "Edited \(number)")
      try page.press("Enter")
      try page.wait(for: "!document.querySelector('.pane form')")
      try page.press("Escape")
      try page.wait(for: "document.querySelector('.pane').hidden")
      try pages[0].wait(for: try served.list())
      try pages[1].wait(for: try served.list(["--section-by", "none", "--sort", "-year,title"]))
    }
    #expect(try pages.flatMap { try $0.takeProblems() } == [])
  }

  @Test
  func `R244: a server that is killed and started again during commits is found again`() throws {
    let folder = try WebFolder()
    try folder.makeBooks(200)
    var served = try ServedProgram(in: folder, options: ["--token-file", "token"])
    let browser = try Chromium(in: folder)
    let page = try browser.open(served)
    let shell = try SQLiteWriter(folder)
    var commits = WebStreamTests.Commits(seed: 2440)
    for _ in 0..<3 {
      for _ in 0..<30 { try shell.run(commits.next()) }
      try served.process.end()
      for _ in 0..<30 { try shell.run(commits.next()) }
      try page.wait(for: "document.querySelector('.live')?.textContent !== 'live'")
      served = try ServedProgram(in: folder, port: served.port, options: ["--token-file", "token"])
      for _ in 0..<30 { try shell.run(commits.next()) }
      try page.wait(
        for:
          "document.querySelector('.live')?.textContent === 'live' || document.body.innerText.includes('No session')",
        60
      )
      if try page.text("document.body.innerText").contains("No session") {
        // The session has ended with the server; the address that is printed again opens it.
        try page.go(to: "http://127.0.0.1:\(served.port)/open?token=\(served.token)")
      }
      try page.wait(for: try served.list())
    }
    #expect(try page.takeProblems() == [])
  }

  @Test
  func `R244: a page that was offline or hidden catches up when it is back`() throws {
    let (served, browser) = try serve(200)
    let page = try browser.open(served)
    let shell = try SQLiteWriter(served.folder)
    var commits = WebStreamTests.Commits(seed: 2441)
    try page.setOffline(true)
    try page.wait(for: "!navigator.onLine")
    for _ in 0..<30 { try shell.run(commits.next()) }
    // What was there stays.
    #expect(try page.drawnRows().count > 10)
    try page.setOffline(false)
    try page.wait(for: try served.list())

    try page.setHidden(true)
    try wait(for: "no stream of a hidden page") { try served.figure("results_web_streams") == 0 }
    for _ in 0..<30 { try shell.run(commits.next()) }
    #expect(try served.figure("results_web_streams") == 0)
    try page.setHidden(false)
    try page.wait(for: try served.list())
    #expect(try served.figure("results_web_streams") == 1)
    #expect(try page.takeProblems() == [])
  }
}
#endif
