#if Web
import ResultsStoreKit
import Foundation
import Testing
import WireFormat

/// R244: files that are dropped on the page or chosen, and the list as a file.
@Suite("Files in the page", .serialized, .enabled(if: Chromium.isThere))
struct WebPageFileTests {
  private func serve(_ count: Int, _ options: String...) throws -> (ServedProgram, Chromium) {
    let folder = try WebFolder()
    try folder.makeBooks(count)
    let served = try ServedProgram(in: folder, options: options)
    return (served, try Chromium(in: folder))
  }

  private func write(_ text: String, as name: String, in folder: WebFolder) throws -> String {
    let path = "\(folder.path)/\(name)"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private static let said = "document.querySelector('dialog [role=status]')?.textContent"

  @Test
  func `R244: a dropped file is checked first, and imported when the person says so`() throws {
    let (served, browser) = try serve(40)
    let pages = [try browser.open(served), try browser.open(served, "sort=year&sections=none")]
    let page = pages[0]
    let before = try served.list()
    let file = try write(
      "title,publisher,year,colour\nNew one,Aa,1999,red\nNew two,Aa,2000,blue\n",
      as: "new.csv",
      in: served.folder
    )
    try page.drop(file, showing: "drop")
    try page.wait(for: "\(Self.said)?.startsWith('Would import 2 books')")
    #expect(try page.text("document.querySelector('#format').value") == "csv")
    let dialog = try page.text("document.querySelector('dialog').innerText")
    #expect(dialog.contains("new.csv") && dialog.contains("colour"), "\(dialog)")
    try page.screenshot("import")
    #expect(try served.list().rows == before.rows)
    // The focus is where Enter imports.
    try page.wait(for: "document.activeElement.textContent === 'Import'")
    try page.press("Enter")
    try page.wait(
      for: "document.querySelector('.toast').textContent.startsWith('Imported 2 books')"
    )
    let after = try served.list()
    #expect(after.rows.count == 42)
    try pages[0].wait(for: after)
    try pages[1].wait(for: try served.list(["--sort", "year", "--section-by", "none"]))
    // What was left out can be read.
    try page.click(".toast button")
    try page.wait(for: "document.querySelector('dialog')?.innerText.includes('colour')")
    try page.press("Escape")
    // A second time there is nothing to add.
    try page.drop(file)
    try page.wait(for: "\(Self.said)?.startsWith('Would import 0 books, 2 known already')")
    #expect(
      try page.evaluate("document.querySelector('dialog .main').disabled") == .boolean(true)
    )
    try page.press("Escape")
    try page.wait(for: "!document.querySelector('dialog')")
    #expect(try pages.flatMap { try $0.takeProblems() } == [])
  }

  @Test
  func `R244: a chosen file that is not valid says where, and its records can be left out`() throws
  {
    let (served, browser) = try serve(10)
    let page = try browser.open(served)
    let file = try write(
      "title,publisher,year\nGood,Aa,1999\nBad,Aa,soon\n",
      as: "bad.csv",
      in: served.folder
    )
    try page.command("Page.setInterceptFileChooserDialog", ["enabled": .boolean(true)])
    try page.choose("Import…")
    try page.answerChooser(with: file)
    try page.wait(for: "\(Self.said)?.includes('bad.csv:3')")
    #expect(
      try page.evaluate("document.querySelector('dialog .main').disabled") == .boolean(true)
    )
    #expect(try page.text(Self.said).hasSuffix("Nothing was imported."))
    try page.screenshot("import-invalid")
    try page.click("#skip")
    try page.wait(for: "\(Self.said)?.startsWith('Would import 1 book')")
    #expect(try served.list().rows.count == 10)
    try page.click("dialog .main")
    try page.wait(for: "document.querySelector('.toast').textContent.startsWith('Imported 1 book')")
    try page.wait(for: try served.list())
    #expect(try served.list().rows.count == 11)
    #expect(try page.takeProblems() == [])
  }

  @Test
  func `R244: every page shows how far a long import is`() throws {
    let (served, browser) = try serve(10)
    let pages = [try browser.open(served), try browser.open(served)]
    let lines = (0..<30_000).map { "{\"title\":\"T\($0)\",\"publisher\":\"P\($0 % 7)\"}\n" }
    let file = try write(lines.joined(), as: "many.jsonl", in: served.folder)
    for page in pages {
      try page.evaluate(
        """
        window.shares = new Set();
        window.words = new Set();
        new MutationObserver(() => {
          const bar = document.querySelector('progress');
          if (bar.hidden || !bar.hasAttribute('value')) return;
          shares.add(bar.value);
          words.add(document.querySelector('.live').textContent.split(' ')[0]);
        }).observe(document.querySelector('progress'), { attributes: true });
        """
      )
    }
    try pages[0].drop(file)
    try pages[0].wait(for: "\(Self.said)?.startsWith('Would import 30000 books')", 120)
    for page in pages {
      // Also how far the check was, and that it is one.
      #expect(try page.text("[...words].join()") == "checking")
      try page.evaluate("shares.clear(); words.clear()")
    }
    try pages[0].press("Enter")
    for page in pages {
      try page.wait(for: "shares.size > 2", 120)
      try page.screenshot("importing")
    }
    for page in pages {
      try page.wait(
        for: "document.querySelector('.counts').textContent.startsWith('30,010 ')",
        120
      )
      try page.wait(for: "document.querySelector('progress').hidden")
      #expect(try page.text("[...words].join()") == "importing")
      #expect(
        try page.evaluate("[...shares].every((one) => one > 0 && one <= 1)") == .boolean(true)
      )
    }
    #expect(try pages.flatMap { try $0.takeProblems() } == [])
  }

  @Test
  func `R244: the list that is shown is downloaded as a file`() throws {
    let (served, browser) = try serve(60)
    let page = try browser.open(served, "filter=year%3C1930&sort=-year")
    try browser.command(
      "Browser.setDownloadBehavior",
      ["behavior": .string("allow"), "downloadPath": .string("\(served.folder.path)/down")]
    )
    for (entry, suffix) in [("CSV", "csv"), ("TSV", "tsv"), ("JSON Lines", "jsonl")] {
      try page.choose("Export as \(entry)")
      let options = ["--store", "b.sqlite", "--where", "year < 1930", "--sort", "-year"]
      let ended = try served.folder.start("book-catalog", ["export", "n.\(suffix)"] + options)
        .finish()
      #expect(ended.status == 0)
      let expected = FileManager.default.contents(atPath: "\(served.folder.path)/n.\(suffix)")
      #expect(expected?.isEmpty == false)
      try wait(for: "the file \(suffix)") {
        FileManager.default.contents(atPath: "\(served.folder.path)/down/books.\(suffix)")
          == expected
      }
    }
    #expect(try page.takeProblems() == [])
  }

  @Test
  func `R244: where nothing can be imported nothing is offered, and a dropped file does nothing`()
    throws
  {
    let (served, browser) = try serve(10, "--read-only")
    let page = try browser.open(served)
    let address = try page.text("location.href")
    try page.press(":")
    try page.wait(for: "document.querySelector('dialog.menu')?.innerText.includes('Export as CSV')")
    #expect(
      try page.evaluate("document.querySelector('dialog.menu').innerText.includes('Import')")
        == .boolean(false)
    )
    try page.press("Escape")
    try page.wait(for: "!document.querySelector('dialog')")
    try page.drop(try write("title\nA\n", as: "a.csv", in: served.folder))
    #expect(try page.evaluate("document.querySelector('.drop').hidden") == .boolean(true))
    #expect(try page.evaluate("document.querySelector('dialog')") == .null)
    #expect(try page.text("location.href") == address)
    #expect(try page.takeProblems() == [])
  }
}
#endif
