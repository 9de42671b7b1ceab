#if Web
import Foundation
import ResultsTesting
import Testing
import WireFormat

/// R285: a page shows the running values of the list's present generation, whichever row has changed.
@Suite("Pages with running values", .serialized)
struct RunningPageTests {
  /// A ledger of 60 transactions on 20 days, served, and a shell that writes to it.
  private func ledger() throws -> (ServedProgram, SQLiteWriter) {
    let folder = try WebFolder()
    try folder.run(
      "household-ledger",
      "add",
      "date=2026-01-01",
      "amount=5",
      "payee=First",
      "category=c",
      "--store",
      "b.sqlite"
    )
    let shell = try SQLiteWriter(folder)
    try shell.run(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
      INSERT INTO "Transaction"(date, amount, payee, category)
        SELECT 1767225600000000 + i % 20 * 86400000000, i * 137 % 1009 - 300, 'Payee ' || i, 'c' FROM n
      """
    )
    return (try ServedProgram("household-ledger", in: folder), shell)
  }

  /// The payees and balances that `list` prints.
  private func listed(_ served: ServedProgram) throws -> [[String]] {
    try served.folder.run(
      "household-ledger",
      "list",
      "--store",
      "b.sqlite",
      "--columns",
      "payee,balance",
      "--section-by",
      "none",
      "--format",
      "csv"
    )
    .split(separator: "\n").dropFirst().map { $0.split(separator: ",").map(String.init) }
  }

  private static let commits = [
    "UPDATE \"Transaction\" SET amount = amount + 12345 WHERE payee = 'First'",
    "DELETE FROM \"Transaction\" WHERE payee = 'Payee 20'",
    "INSERT INTO \"Transaction\"(date, amount, payee, category) VALUES(1767225600000001, 7, 'Old', 'c')",
    "UPDATE \"Transaction\" SET amount = -amount WHERE id % 7 = 3",
    "UPDATE \"Transaction\" SET date = date + 86400000000 WHERE id % 11 = 4",
  ]

  @Test func `R285: a window shows the balances that list prints after every commit`() throws {
    let (served, shell) = try ledger()
    let page = try WebSession(served).page("from=8&count=32")
    func shown() -> [[String]] {
      page.replay.rows.map { row in row.map { [$0.cells[0], $0.cells[3]] } ?? [] }
    }
    func follow() throws {
      let all = try listed(served)
      // The window keeps to its rows, so its beginning moves with those above.
      while shown() != Array(all.dropFirst(page.replay.start).prefix(32)) { try page.takeLine() }
    }
    try follow()
    for statement in RunningPageTests.commits {
      try shell.run(statement)
      try follow()
    }
    #expect(page.misfits.isEmpty)
    #expect(page.lines.contains { $0["t"]?.string == "delta" && $0["running"] != nil })
  }

  @Test(.enabled(if: Chromium.isThere))
  func `R285: the page shows them too, and marks no row whose balance alone has changed`() throws {
    let (served, shell) = try ledger()
    let browser = try Chromium(in: served.folder)
    defer { withExtendedLifetime(browser) {} }
    let page = try browser.open(served, "", width: 1200, height: 700)
    func wait() throws {
      let (payee, balance) = try (listed(served)[0][0], listed(served)[0][1])
      try page.wait(
        for: """
          \(BrowserPage.rows).some((row) =>
            row.textContent.includes('\(payee)') && row.textContent.includes('\(balance)'))
          """
      )
    }
    try wait()
    try shell.run(RunningPageTests.commits[0])
    try wait()
    #expect(try page.evaluate("document.querySelectorAll('[data-changed]').length").integer == 0)
    try page.screenshot("balance")
    #expect(try page.takeProblems() == [])
  }
}
#endif
