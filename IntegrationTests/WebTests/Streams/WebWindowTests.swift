#if Web
import Foundation
import ResultsPresentation
import ResultsTesting
import Testing
import WireFormat

/// R239: windows move and are held, whole lists are sent to programs, and nothing is left of clients that have gone.
@Suite("Windows of pages", .serialized)
struct WebWindowTests {
  @Test
  func `R239: a window that moves comes through the stream, from one generation`() throws {
    let folder = try WebFolder()
    try folder.makeBooks(1000)
    let served = try ServedProgram(in: folder)
    let session = try WebSession(served)
    let list = try served.list()
    let page = try session.page("from=0&count=64")
    try page.take(until: list)
    var generator = SeededGenerator(seed: 2391)
    for _ in 0..<20 {
      let start = generator.number(in: 0...1100)
      let answer = try page.show(.members(["from": .number("\(start)"), "count": .number("64")]))
      #expect(answer.status == 204)
      let line = try page.takeLine()
      // The lengths of sections are known to the page.
      #expect(line["counts"] == nil && line["t"]?.string == "page")
      #expect(page.replay.start == min(start, 1000 - 64) && page.replay.shows(list))
    }
    for _ in 0..<20 {
      let position = generator.number(in: 0...999)
      let window: JSONValue = .members([
        "id": .string(list.rows[position].id), "above": .number("20"), "count": .number("64"),
      ])
      #expect(try page.show(window).status == 204)
      let line = try page.takeLine()
      #expect(line["at"]?.integer == position)
      #expect(page.replay.start == min(max(position - 20, 0), 1000 - 64))
      #expect(page.replay.shows(list))
    }
    // A page may open at a row, and at one that is not there.
    let opened = try session.page("at=\(list.rows[500].id)&above=10&count=32")
    #expect(try opened.takeLine()["at"]?.integer == 500)
    #expect(opened.replay.start == 490 && opened.replay.shows(list))
    let missing = try session.page("at=4711&above=10&count=32")
    #expect(try missing.takeLine()["at"] == nil)
    #expect(missing.replay.start == 0 && missing.replay.shows(list))
    // Another session does not move it, and neither does anyone after it is gone.
    let other = try WebSession(served)
    let move: JSONValue = .members(["from": .number("0"), "count": .number("32")])
    #expect(try other.post("/api/window?client=\(page.client)", move).status == 410)
    #expect(try session.post("/api/window?client=nobody", move).status == 410)
    #expect(page.misfits.isEmpty && opened.misfits.isEmpty && missing.misfits.isEmpty)
  }

  @Test
  func `R239: a held window stays, says what happens meanwhile, and is released by one change`()
    throws
  {
    let folder = try WebFolder()
    try folder.makeBooks(300)
    let served = try ServedProgram(in: folder)
    let shell = try SQLiteWriter(folder)
    let page = try WebSession(served).page("from=0&count=128")
    let before = try served.list()
    try page.take(until: before)
    #expect(try page.hold(true).status == 204)
    try shell.run("UPDATE Book SET year = 1 WHERE id = \(before.rows[3].id)")
    #expect(try page.stream.next("pending").json["update"] == .number("1"))
    try shell.run(
      """
      BEGIN; INSERT INTO Book(publisher, title) VALUES('Aa', 'Aa'), ('Aa', 'Ab');
      DELETE FROM Book WHERE id = \(before.rows[5].id); UPDATE Book SET year = 2 WHERE id = \(before.rows[3].id); COMMIT
      """
    )
    #expect(
      try page.stream.next("pending").json
        == .members([
          "insert": .number("2"), "delete": .number("1"), "move": .number("0"),
          "update": .number("1"),
        ])
    )
    for number in 0..<20 { try shell.run("UPDATE Book SET year = \(number) WHERE id = 7") }
    #expect(page.lines.count == 1)
    #expect(try page.hold(false).status == 204)
    let after = try served.list()
    try page.take(until: after)
    #expect(page.lines.count == 2 && page.misfits.isEmpty)
    #expect(page.lines.last?["t"]?.string == "delta")
  }

  @Test
  func `R239: a whole list is sent as watch prints it`() throws {
    let folder = try WebFolder()
    try folder.makeBooks(200)
    let served = try ServedProgram(in: folder)
    let shell = try SQLiteWriter(folder)
    let watch = try folder.start(
      "book-catalog",
      ["watch", "--format", "jsonl", "--store", "b.sqlite"]
    )
    let request = WebRequest("GET", "/api/events?whole", bearer: served.token)
    let stream = try EventStream(request, from: served.port)
    var (sent, printed) = (WireReplay(), WireReplay())
    let first = (try stream.next("list").data, try watch.line() ?? "")
    let life = /"life":"[^"]*"/
    #expect(
      first.0.replacing(life, with: "").utf8.elementsEqual(first.1.replacing(life, with: "").utf8)
    )
    #expect(first.0.firstMatch(of: life) != nil)
    try sent.apply(line: first.0)
    try printed.apply(line: first.1)
    var commits = WebStreamTests.Commits(seed: 2392)
    for _ in 0..<10 {
      for _ in 0..<10 { try shell.run(commits.next()) }
      let line = try folder.run("book-catalog", "list", "--format", "json", "--store", "b.sqlite")
      var listed = WireReplay()
      try listed.apply(line: line.trimmingCharacters(in: .newlines))
      while sent.list?.sections != listed.list?.sections {
        try sent.apply(line: try stream.next("list").data)
      }
      while printed.list?.sections != listed.list?.sections {
        try printed.apply(line: try #require(try watch.line()))
      }
    }
    #expect(sent.list?.sections == printed.list?.sections)
    let refused = try WebRequest("GET", "/api/events?whole&sort=nothing", bearer: served.token)
      .answer(from: served.port)
    #expect(refused.status == 400 && refused.isError, "\(refused.text)")
  }

  @Test
  func `R239: clients that vanish leave neither streams nor threads`() throws {
    let folder = try WebFolder()
    try folder.makeBooks(100)
    let served = try ServedProgram(in: folder)
    let session = try WebSession(served)
    let first = try session.page()
    try first.takeLine()
    let threads = try served.threadCount
    for _ in 0..<3 {
      var pages: [ShownPage] = []
      for _ in 0..<100 { pages.append(try session.page()) }
      for page in pages { try page.takeLine() }
      #expect(try served.figure("results_web_clients") == 101)
      #expect(try served.figure("results_web_streams") == 101)
      pages = []
      try wait(for: "no clients any more") { try served.figure("results_web_clients") == 1 }
      try wait(for: "no streams any more") { try served.figure("results_web_streams") == 1 }
    }
    // A pool of threads may grow to its bound, whatever the number of clients.
    #expect(try served.threadCount <= threads + 8, "\(threads) threads before")
    #expect(try served.figure("results_web_lists") == 1)
    let shell = try SQLiteWriter(folder)
    try shell.run("DELETE FROM Book WHERE id = 3")
    try first.take(until: try served.list())
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `R239: a signal ends every stream by a last event, and the program by the signal`(
    _ signal: Int32
  ) throws {
    let folder = try WebFolder()
    try folder.makeBooks(100)
    let served = try ServedProgram(in: folder)
    let session = try WebSession(served)
    let pages = try ["", "&sections=none", "&filter=year%3E1960"].map {
      try session.page("from=0&count=32\($0)")
    }
    for page in pages { try page.takeLine() }
    let whole = try EventStream(session.request("/api/events?whole"), from: served.port)
    _ = try whole.next("list")
    // A client that reads nothing does not hold up the end.
    let stalled = try RawConnection(to: served.port, receiveBuffer: 4096)
    try stalled.send(session.request("/api/events?from=0&count=96").bytes(to: served.port))
    let start = ContinuousClock.now
    served.process.send(signal)
    for stream in pages.map(\.stream) + [whole] {
      let event = try stream.next("bye", by: Deadline(10))
      #expect(event.json["reason"]?.string?.isEmpty == false)
      try stream.waitForEnd()
    }
    let (status, texts) = try served.process.finish()
    let seconds = ContinuousClock.now - start
    #expect(status == 128 + signal, "\(texts)")
    #expect(texts[1] == "")
    #expect(seconds < .seconds(2.5), "\(seconds)")
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/b.sqlite-wal"), "not closed")
  }
}
#endif
