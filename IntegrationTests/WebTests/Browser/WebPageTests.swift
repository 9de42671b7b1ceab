#if Web
import Foundation
import ResultsTesting
import Testing
import WireFormat

/// R244: the page, in a real browser.
@Suite("The page", .serialized, .enabled(if: Chromium.isThere))
struct WebPageTests {
  private func open(
    _ count: Int,
    _ query: String = "",
    width: Int = 1440,
    height: Int = 900
  ) throws -> (ServedProgram, Chromium, BrowserPage) {
    let folder = try WebFolder()
    try folder.makeBooks(count)
    let served = try ServedProgram(in: folder)
    let browser = try Chromium(in: folder)
    return (served, browser, try browser.open(served, query, width: width, height: height))
  }

  @Test
  func `R239: the page's own replay makes of every line what the laws make of it`() throws {
    let (served, browser, page) = try open(400)
    defer { withExtendedLifetime(browser) {} }
    let session = try WebSession(served)
    let shown = try session.page("from=0&count=64")
    try shown.takeLine()
    let shell = try SQLiteWriter(served.folder)
    var commits = WebStreamTests.Commits(seed: 2391)
    var generator = SeededGenerator(seed: 2392)
    for turn in 0..<40 {
      for _ in 0..<generator.number(in: 1...4) { try shell.run(commits.next()) }
      if turn % 3 == 0 {
        let start = generator.number(in: 0...300)
        _ = try shown.show(.members(["from": .number("\(start)"), "count": .number("64")]))
      }
      try shown.take(until: try served.list())
    }
    #expect(shown.lines.count { $0["t"]?.string == "delta" } > 20 && shown.misfits.isEmpty)
    // Each line once in order, and each once more, when it does not fit.
    let state = try page.evaluate(
      """
      (async () => {
        const address = document.querySelector('script[type=module]').src.replace(/[^/]*$/, 'replay.js');
        const { applyLine } = await import(address);
        let state = null;
        let misfits = 0;
        for (const line of \(JSONValue.array(shown.lines).text)) {
          const done = applyLine(state, line);
          if (!done) return { problem: JSON.stringify(line).slice(0, 200) };
          state = done.state;
          if (line.t === 'delta' && applyLine(state, line) !== null) misfits += 1;
        }
        return { misfits, rows: state.rows, from: state.from, counts: state.counts,
          ids: state.page.map((row) => row?.id ?? null), cells: state.page.map((row) => row?.cells ?? null) };
      })()
      """
    )
    let replay = shown.replay
    #expect(state["problem"] == nil && state["misfits"]?.integer == 0, "\(state.text.prefix(300))")
    #expect(state["rows"]?.integer == replay.count && state["from"]?.integer == replay.start)
    #expect(state["counts"]?.array?.map(\.integer) == replay.counts)
    #expect(state["ids"]?.array?.map(\.string) == replay.rows.map(\.?.id))
    #expect(
      state["cells"]?.array?.map { $0.array?.compactMap(\.string) } == replay.rows.map(\.?.cells)
    )
    #expect(try page.takeProblems() == [])
  }

  @Test
  func `R244: the page shows the list, and every change of it by another program`() throws {
    let (served, browser, page) = try open(200)
    defer { withExtendedLifetime(browser) {} }
    try page.wait(for: try served.list())
    let shell = try SQLiteWriter(served.folder)
    var commits = WebStreamTests.Commits(seed: 244)
    for _ in 0..<5 {
      for _ in 0..<10 { try shell.run(commits.next()) }
      try page.wait(for: try served.list())
    }
    try shell.run("DELETE FROM Book")
    try page.wait(for: "!document.querySelector('.empty').hidden")
    try page.screenshot("empty")
    try shell.run("INSERT INTO Book(publisher, title, year) VALUES('A', 'The first', 2001)")
    try page.wait(for: try served.list())
    #expect(try page.takeProblems() == [])
  }

  @Test
  func `R244: all that a browser loads for the page is at most 60 kB`() throws {
    let (_, browser, page) = try open(20)
    defer { withExtendedLifetime(browser) {} }
    // The bytes that came, and those that they stand for, of everything that the page loads once.
    let loaded = try page.evaluate(
      """
      (() => {
        const files = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/'));
        const sum = (member) => files.reduce((total, file) => total + file[member], 0);
        return [files.length, sum('encodedBodySize'), sum('decodedBodySize')];
      })()
      """
    ).integers
    let (count, sent, plain) = try #require(loaded.map { ($0[0], $0[1], $0[2]) })
    #expect(count >= 14 && plain > 100_000, "\(count) files of \(plain) bytes")
    #expect(sent > 20_000 && sent <= 60_000, "\(sent) bytes for \(plain)")
  }

  @Test
  func `R244: what others write above leaves focus, cursor and offset to the pixel`() throws {
    let (served, browser, page) = try open(2000)
    defer { withExtendedLifetime(browser) {} }
    let shell = try SQLiteWriter(served.folder)
    // Into the middle of the list, and off the grid of rows.
    try page.press("j")
    try page.evaluate("document.querySelector('.port').scrollTop = 24013")
    let middle = "document.querySelector('.port').getBoundingClientRect().top + 300"
    try page.wait(
      for:
        "\(BrowserPage.rows).some((one) => Math.abs(one.getBoundingClientRect().top - (\(middle))) < 64)"
    )
    try page.evaluate(
      "\(BrowserPage.rows).find((one) => Math.abs(one.getBoundingClientRect().top - (\(middle))) < 64).click()"
    )
    try page.wait(for: "document.activeElement.row")
    let id = try page.text("document.activeElement.row.id")
    let offset = try page.evaluate("document.activeElement.getBoundingClientRect().top")
    // Seen at each frame, not only at the end.
    try page.evaluate(
      """
      window.seen = new Set();
      window.watching = true;
      const look = () => {
        const one = document.activeElement;
        seen.add(`${one.row?.id} ${one.getBoundingClientRect().top} ${one.classList.contains('cursor')}`);
        if (watching) requestAnimationFrame(look);
      };
      look();
      """
    )
    let before = try served.list()
    let position = try #require(before.rows.firstIndex { $0.id == id })
    for number in 0..<200 {
      switch number % 4 {
      case 0, 1:
        try shell.run("INSERT INTO Book(publisher, title) VALUES('Publisher 00', 'A \(number)')")
      case 2: try shell.run("DELETE FROM Book WHERE id = \(before.rows[number].id)")
      default:
        try shell.run("UPDATE Book SET year = \(number) WHERE id = \(before.rows[number].id)")
      }
    }
    let after = try served.list()
    let moved = try #require(after.rows.firstIndex { $0.id == id })
    #expect(moved > position)
    try page.wait(for: after, from: moved)
    try page.evaluate("watching = false")
    let seen = try page.evaluate("[...seen]").array?.compactMap(\.string) ?? []
    #expect(seen == ["\(id) \(offset.text) true"], "\(seen.prefix(5))")
    #expect(try page.takeProblems() == [])
  }

  @Test
  func `R244: keys move the cursor, open a row and close it`() throws {
    let (served, browser, page) = try open(200)
    defer { withExtendedLifetime(browser) {} }
    let list = try served.list()
    func focused() throws -> String { try page.text("document.activeElement.row?.id ?? ''") }
    // Down to the third row and back.
    for _ in 0..<10 where try focused() != list.rows[2].id { try page.press("j") }
    try page.press("k")
    #expect(try focused() == list.rows[1].id)
    try page.press("ArrowUp", "ArrowDown", "ArrowDown")
    #expect(try focused() == list.rows[2].id)
    try page.press("G")
    try page.wait(for: "document.activeElement.row?.id === '\(list.rows[199].id)'")
    try page.press("g")
    try page.wait(for: "document.activeElement.row?.id === '\(list.rows[0].id)'")
    try page.press("Enter")
    try page.wait(
      for:
        "!document.querySelector('.pane').hidden && document.querySelector('.pane').innerText.includes('\(list.rows[0].cells[0])')"
    )
    try page.wait(for: "location.search.includes('row=\(list.rows[0].id)')")
    try page.press("Escape")
    try page.wait(for: "document.querySelector('.pane').hidden")
    #expect(try focused() == list.rows[0].id)
    // The help has the keys of the list, in groups.
    try page.press("?")
    try page.wait(
      for:
        "['next line', 'fold or open the section'].every((text) => document.querySelector('dialog[open]')?.innerText.includes(text))"
    )
    try page.press("Escape")
    try page.wait(for: "!document.querySelector('dialog[open]')")
    #expect(try page.takeProblems() == [])
  }

  @Test
  func `R244: a filter narrows the list, and a wrong one says where`() throws {
    let (served, browser, page) = try open(300)
    defer { withExtendedLifetime(browser) {} }
    try page.press("/")
    try page.wait(for: "document.activeElement.type === 'search'")
    try page.type("year>1960")
    let list = try served.list(["--where", "year > 1960"])
    #expect(list.rows.count > 20 && list.rows.count < 300)
    try page.wait(for: list)
    try page.evaluate("document.activeElement.select()")
    try page.type("year>soon")
    try page.wait(for: "!document.querySelector('#filter-problem').hidden")
    // A caret below the character, in letters of one width.
    let picture = try page.text("document.querySelector('#filter-problem pre').textContent")
    #expect(picture == "year>soon\n     ^")
    #expect(
      try page.text("getComputedStyle(document.querySelector('#filter-problem pre')).fontFamily")
        .contains("monospace")
    )
    // The list that was there stays.
    try page.wait(for: list)
    try page.screenshot("filter-problem")
    try page.evaluate("document.activeElement.select()")
    try page.type("year<1950")
    let other = try served.list(["--where", "year < 1950"])
    try page.wait(for: other)
    try page.wait(for: "document.querySelector('#filter-problem').hidden")
    try page.press("Escape")
    try page.wait(for: try served.list())
    #expect(try page.takeProblems() == [])
  }

  @Test
  func `R244: an order and sections are chosen, kept in the address, and found again by it`() throws
  {
    let (served, browser, page) = try open(300)
    defer { withExtendedLifetime(browser) {} }
    try page.evaluate(
      "[...document.querySelectorAll('[role=columnheader] button')].find((one) => one.textContent === 'year').click()"
    )
    try page.wait(for: "location.search.includes('sort=year')")
    let sorted = try served.list(["--sort", "year"])
    try page.wait(for: sorted)
    try page.press("S")
    try page.wait(for: "document.querySelector('dialog[open]')")
    try page.type("none")
    try page.press("Enter")
    let flat = try served.list(["--sort", "year", "--section-by", "none"])
    try page.wait(for: flat)
    try page.evaluate("history.back()")
    try page.wait(for: sorted)
    let again = try browser.open(served, "sort=year&sections=none")
    try again.wait(for: flat)
    // A row that is named by the address is on the screen, however far down it is.
    let far = try browser.open(served, "sort=year&sections=none&at=\(flat.rows[250].id)")
    try far.wait(for: "\(BrowserPage.rows).some((one) => one.row.id === '\(flat.rows[250].id)')")
    #expect(try page.takeProblems() + again.takeProblems() + far.takeProblems() == [])
  }

  @Test
  func `R11: the first section of a group says what the group has, and follows it`() throws {
    let folder = try WebFolder()
    try folder.makeBooks(12)
    let shell = try SQLiteWriter(folder)
    try shell.run("UPDATE Book SET publisher = substr('ABC', 1 + id % 3, 1) || ' ' || (id % 6)")
    let options = ["--section-by", "publisher", "--group-by", "initial"]
    let served = try ServedProgram(in: folder, options: options)
    let browser = try Chromium(in: folder)
    let page = try browser.open(served)
    let shown =
      "JSON.stringify([...document.querySelectorAll('.head.first')].map((head) => [head.querySelector('.groupname').textContent, head.querySelector('.name').textContent]))"
    func wait(_ groups: [[String]]) throws {
      let wanted = JSONValue.array(groups.map { .array($0.map { .string($0) }) }).text
      try page.wait(for: "\(shown) === JSON.stringify(\(wanted))")
    }
    try wait([["A · 4", "A 0"], ["B · 4", "B 1"], ["C · 4", "C 2"]])
    try page.screenshot("groups")
    // A row in another section of the group, then a new first section.
    try shell.run("INSERT INTO Book(publisher, title) VALUES('B 4', 'Another')")
    try wait([["A · 4", "A 0"], ["B · 5", "B 1"], ["C · 4", "C 2"]])
    try shell.run("INSERT INTO Book(publisher, title) VALUES('A', 'The first')")
    try wait([["A · 5", "A"], ["B · 5", "B 1"], ["C · 4", "C 2"]])
    try shell.run("DELETE FROM Book WHERE publisher >= 'C'")
    try wait([["A · 5", "A"], ["B · 5", "B 1"]])
    #expect(try page.takeProblems() == [])
  }

  @Test
  func `R244: hostile titles are shown as text, and do nothing`() throws {
    let folder = try WebFolder()
    try folder.makeBooks(1)
    let titles = [
      "<img src=x onerror=alert(1)>", "<script>alert(2)</script>", "\u{202E}reversed\u{202C}",
      "\u{1B}[31mred",
      "javascript:alert(3)", "a\u{0}b".replacing("\u{0}", with: "\u{1}"), "line\nend", "{{7*7}}",
      "\u{2066}isolated",
      "\" onmouseover=\"alert(4)", "</div></body>", "e\u{301}\u{301}\u{301}",
      String(repeating: "W", count: 5000),
    ]
    let shell = try SQLiteWriter(folder)
    for (number, title) in titles.enumerated() {
      let hex = Data(title.utf8).map { String(format: "%02X", $0) }.joined()
      try shell.run(
        "INSERT INTO Book(publisher, title) VALUES(CAST(x'\(hex)' AS TEXT), '\(number) ' || CAST(x'\(hex)' AS TEXT))"
      )
    }
    let served = try ServedProgram(in: folder)
    let browser = try Chromium(in: folder)
    let page = try browser.open(served)
    try page.wait(for: "\(BrowserPage.rows).length >= \(titles.count)")
    let shown = try page.text("document.querySelector('.layer').textContent")
    for title in titles.prefix(2) { #expect(shown.contains(title), "\(title)") }
    for hidden in ["\u{202E}", "\u{1B}", "\u{1}", "\u{2066}", "\n"] {
      #expect(!shown.contains(hidden))
    }
    #expect(
      try page.evaluate(
        "document.querySelectorAll('img, .layer script, .layer [onmouseover]').length"
      ) == .number("0")
    )
    // Each of them in the pane, and in a form.
    try page.press("g")
    for _ in titles.indices {
      try page.press("j", "j", "Enter")
      try page.wait(for: "!document.querySelector('.pane').hidden")
      try page.press("e")
      try page.wait(for: "document.querySelector('.pane form')")
      try page.press("Escape", "Escape")
      try page.wait(for: "document.querySelector('.pane').hidden")
    }
    #expect(try page.evaluate("document.querySelectorAll('img').length") == .number("0"))
    try page.screenshot("hostile")
    try page.go(to: "http://127.0.0.1:\(served.port)/print")
    #expect(try page.evaluate("document.querySelectorAll('img, td script').length") == .number("0"))
    #expect(try page.text("document.body.innerText").contains(titles[0]))
    #expect(try page.takeProblems() == [])
  }

  @Test
  func `R244: without motion nothing moves, and readers of screens find a grid of rows`() throws {
    let (served, browser, page) = try open(300)
    defer { withExtendedLifetime(browser) {} }
    let shell = try SQLiteWriter(served.folder)
    try page.evaluate(
      """
      window.moving = 0;
      window.looks = () => { moving = Math.max(moving, document.getAnimations().length); requestAnimationFrame(looks); };
      looks();
      """
    )
    let change =
      "UPDATE Book SET title = 'A' || title WHERE id IN (SELECT id FROM Book ORDER BY publisher, title LIMIT 1 OFFSET 7)"
    try shell.run(change)
    try page.wait(for: try served.list())
    try page.wait(for: "moving > 0")
    try page.setPreference("prefers-reduced-motion", to: "reduce")
    try page.wait(for: "document.getAnimations().length === 0")
    try page.evaluate("moving = 0")
    for _ in 0..<5 { try shell.run(change) }
    try page.wait(for: try served.list())
    #expect(try page.evaluate("moving") == .number("0"))

    let nodes = try page.command("Accessibility.getFullAXTree")["nodes"]?.array ?? []
    let grid = try #require(nodes.first { $0["role"]?["value"]?.string == "treegrid" })
    #expect(grid["name"]?["value"]?.string == "b.sqlite")
    let count = try page.text(
      "document.querySelector('[role=treegrid]').getAttribute('aria-rowcount')"
    )
    #expect(Int(count) ?? 0 >= 300 + 17)
    let rows = nodes.filter { $0["role"]?["value"]?.string == "row" }
    #expect(rows.count > 20)
    #expect(
      try page.evaluate(
        "\(BrowserPage.rows).every((one) => one.getAttribute('aria-rowindex') > 0 && one.getAttribute('aria-level'))"
      ) == .boolean(true)
    )
    #expect(
      try page.evaluate("document.querySelectorAll('[aria-live=polite]').length") == .number("1")
    )
    #expect(try page.takeProblems() == [])
  }

  @Test(arguments: [
    ("light", 1440, 900), ("dark", 1440, 900), ("light", 390, 844), ("dark", 390, 844),
  ])
  func `R244: the page has its colours and its columns`(
    _ scheme: String,
    _ width: Int,
    _ height: Int
  ) throws {
    let folder = try WebFolder()
    try folder.run("book-catalog", "demo", "--store", "b.sqlite")
    let served = try ServedProgram(in: folder)
    let browser = try Chromium(in: folder)
    let page = try browser.blankPage(width: width, height: height)
    try page.setPreference("prefers-color-scheme", to: scheme)
    try page.go(to: "http://127.0.0.1:\(served.port)/open?token=\(served.token)")
    try page.waitForList()
    try page.press("j", "j")
    try page.screenshot("\(scheme)-\(width)")
    // Nothing is wider than the page, and the ground is light or dark.
    #expect(try page.evaluate("document.documentElement.scrollWidth <= \(width)") == .boolean(true))
    let ground = try page.evaluate(
      "getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number)"
    )
    let brightness = ground.integers?.reduce(0, +) ?? 0
    #expect(scheme == "light" ? brightness > 600 : brightness < 200, "\(ground.text)")
    try page.press("Enter")
    try page.wait(for: "!document.querySelector('.pane').hidden")
    try page.screenshot("\(scheme)-\(width)-row")
    try page.press("e")
    try page.wait(for: "document.querySelector('.pane form')")
    try page.screenshot("\(scheme)-\(width)-form")
    #expect(try page.evaluate("document.documentElement.scrollWidth <= \(width)") == .boolean(true))
    #expect(try page.takeProblems() == [])
  }
}
#endif
