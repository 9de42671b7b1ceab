#if Web
import ResultsStoreKit
import Foundation
import ResultsTesting
import Testing
import WireFormat

/// R239: the stream of a page shows what the program itself lists, from any generation, at any pace.
@Suite("Streams of pages", .serialized)
struct WebStreamTests {
  /// A list: the query of a page, and the options of `list` that name the same.
  struct Query: CustomTestStringConvertible {
    let query: String
    let options: [String]
    var testDescription: String { query }

    static let all = [
      Query(query: "from=0&count=96", options: []),
      Query(query: "from=64&count=64", options: []),
      Query(
        query: "from=0&count=32&sections=none&sort=-title",
        options: ["--section-by", "none", "--sort", "-title"]
      ),
      Query(query: "from=32&count=32&filter=year%3E1960", options: ["--where", "year > 1960"]),
      Query(
        query: "from=0&count=512&sections=year&sort=-year,title",
        options: ["--section-by", "year", "--sort", "-year,title"]
      ),
    ]
  }

  /// Statements of another program over some hundred books.
  struct Commits {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private mutating func id() -> Int { generator.number(in: 1...400) }

    mutating func next() -> String {
      let publisher = "printf('Publisher %02d', \(generator.number(in: 0...20)))"
      let title = "printf('Title %05d', \(generator.number(in: 0...99_999)))"
      switch generator.number(in: 0...6) {
      case 0, 1:
        return
          "INSERT INTO Book(publisher, title, year) VALUES(\(publisher), \(title), \(1900 + id() % 120))"
      case 2: return "UPDATE Book SET title = \(title) WHERE id = \(id())"
      case 3:
        return
          "UPDATE Book SET publisher = \(publisher), year = \(1900 + id() % 120) WHERE id = \(id())"
      case 4: return "DELETE FROM Book WHERE id = \(id())"
      case 5: return "UPDATE Book SET year = year + 1 WHERE id % 37 = \(id() % 37) AND year < 2100"
      default:
        return
          "BEGIN; DELETE FROM Book WHERE id = \(id()); UPDATE Book SET publisher = \(publisher) WHERE id = \(id()); COMMIT"
      }
    }
  }

  @Test(arguments: Query.all)
  func `R239: a page shows what list prints after any commits of another program`(
    _ query: Query
  ) throws {
    let folder = try WebFolder()
    try folder.makeBooks(300)
    let served = try ServedProgram(in: folder)
    let shell = try SQLiteWriter(folder)
    let page = try WebSession(served).page(query.query)
    try page.take(until: try served.list(query.options))
    #expect(page.replay.rows.count >= 32)
    var commits = Commits(seed: 239)
    for _ in 0..<12 {
      for _ in 0..<8 { try shell.run(commits.next()) }
      try page.take(until: try served.list(query.options))
    }
    // The program's own writes come like those of any other process.
    try folder.run(
      "book-catalog",
      "add",
      "publisher=Aa",
      "title=Aa",
      "year=2001",
      "--store",
      "b.sqlite"
    )
    try folder.run("book-catalog", "remove", "1", "--store", "b.sqlite")
    try page.take(until: try served.list(query.options))
    #expect(page.misfits.isEmpty, "\(page.misfits)")
    #expect(page.lines.contains { $0["t"]?.string == "delta" })
  }

  @Test
  func `R239: a store that is gone, damaged or replaced is said once, and the last list stays`()
    throws
  {
    let folder = try WebFolder()
    try folder.makeBooks(100)
    try folder.makeBooks(7, in: "other.sqlite")
    try SQLiteWriter(folder, "other.sqlite").run("PRAGMA wal_checkpoint(TRUNCATE)")
    let served = try ServedProgram(in: folder)
    let session = try WebSession(served)
    let page = try session.page("from=0&count=64")
    try page.take(until: try served.list())
    let files = FileManager.default
    func path(_ name: String) -> String { "\(folder.path)/\(name)" }
    try files.moveItem(atPath: path("b.sqlite"), toPath: path("away.sqlite"))
    let gone = try page.stream.next("failure").json
    #expect(gone["error"]?.string?.contains("does not exist") == true, "\(gone.text)")
    // The rows that were shown are still shown, and a change is refused.
    let refused = try session.patch(
      "/api/row?id=1",
      .members(["set": .texts(["year": "1993"]), "was": .texts(["year": "1901"])])
    )
    #expect(refused.status == 409 && refused.error.contains("does not exist"), "\(refused.text)")
    try files.moveItem(atPath: path("away.sqlite"), toPath: path("b.sqlite"))
    let event = try #require(try page.stream.next())
    #expect(event.name == "recovered", "\(event)")
    let shell = try SQLiteWriter(folder)
    try shell.run("UPDATE Book SET year = 1850 WHERE id = 3")
    try page.take(until: try served.list())
    #expect(page.lines.last?["t"]?.string == "delta" && page.misfits.isEmpty)

    try shell.run("PRAGMA wal_checkpoint(TRUNCATE)")
    try Data(repeating: 0xA5, count: 40_960).write(to: URL(fileURLWithPath: path("junk")))
    // As one that restores it does: by another file under its name.
    #expect(rename(path("junk"), path("b.sqlite")) == 0)
    let damaged = try page.stream.next("failure").json
    #expect(damaged["error"]?.string?.isEmpty == false, "\(damaged.text)")
    for suffix in ["-wal", "-shm"] { try? files.removeItem(atPath: path("b.sqlite" + suffix)) }
    #expect(rename(path("other.sqlite"), path("b.sqlite")) == 0)
    try page.take(until: try served.list())
    #expect(page.replay.count == 7 && page.misfits.isEmpty)
    #expect(try served.isHealthy)
  }

  @Test
  func `R239: events are read however their bytes are split`() throws {
    let text = "event: hello\ndata: {}\n\nid: 7.é\nevent: list\ndata: {\"t\": 1}\n\n"
    let bytes = Array(text.utf8)
    for split in 0...bytes.count {
      var parser = EventParser()
      let events = try parser.take(bytes[..<split]) + parser.take(bytes[split...])
      #expect(
        events == [
          ServerEvent(name: "hello", data: "{}"),
          ServerEvent(id: "7.é", name: "list", data: "{\"t\": 1}"),
        ]
      )
    }
  }

  @Test
  func `R239: a client that did not read for thousands of commits gets few lines, and ends right`()
    throws
  {
    let folder = try WebFolder()
    try folder.makeBooks(200)
    let served = try ServedProgram(in: folder)
    let shell = try SQLiteWriter(folder)
    // Each line of the window is so long that few of them are on the way while nothing is read.
    try shell.run("UPDATE Book SET title = title || hex(zeroblob(900))")
    let page = try WebSession(served).page("from=0&count=192", receiveBuffer: 4096)
    try page.take(until: try served.list())
    let commits = (0..<3000).map { "UPDATE Book SET year = \($0) WHERE id <= 200" }
    // A client that reads nothing for half a minute is closed, so a busy machine makes fewer of them.
    let enough = Deadline(15)
    for batch in stride(from: 0, to: commits.count, by: 100) where batch < 500 || !enough.hasPassed
    {
      try shell.run(commits[batch..<batch + 100].joined(separator: ";"))
    }
    try shell.run(
      "UPDATE Book SET title = 'The last' WHERE id = 17; DELETE FROM Book WHERE id = 18"
    )
    try page.take(until: try served.list(), by: Deadline(60))
    #expect(page.misfits.isEmpty, "\(page.misfits.map { $0["from"] })")
    #expect(page.lines.count < 100, "\(page.lines.count) lines")
  }

  @Test
  func `R239: a page returns from each of the last 200 generations by one change`() throws {
    let folder = try WebFolder()
    try folder.makeBooks(300)
    let served = try ServedProgram(in: folder)
    let shell = try SQLiteWriter(folder)
    let session = try WebSession(served)
    let page = try session.page("from=32&count=64&sections=none")
    try page.takeLine()
    var commits = Commits(seed: 240)
    var seen: [PageReplay] = [page.replay]
    while seen.count < 200 {
      try shell.run(commits.next())
      // A commit that changes nothing of the list has no line; the next one has.
      try shell.run("INSERT INTO Book(publisher, title) VALUES('New', 'Title \(seen.count)')")
      try page.takeLine()
      seen.append(page.replay)
    }
    let list = try served.list(["--section-by", "none"])
    try page.take(until: list)
    #expect(page.misfits.isEmpty)
    for (index, replay) in seen.enumerated() {
      let window = "from=\(replay.start)&count=64&sections=none"
      let returned = try ShownPage(
        session,
        "\(window)&after=\(replay.position)",
        from: replay
      )
      if replay.position == page.replay.position { continue }
      let line = try returned.takeLine()
      #expect(line["t"]?.string == "delta", "generation \(index): \(line["reason"]?.string ?? "")")
      #expect(returned.misfits.isEmpty && returned.replay.shows(list), "generation \(index)")
    }
    // The present generation has nothing to catch up with: the next line is the next change.
    let present = try ShownPage(
      session,
      "from=\(page.replay.start)&count=64&sections=none&after=\(page.replay.position)",
      from: page.replay
    )
    try shell.run("INSERT INTO Book(publisher, title) VALUES('New', 'Aa')")
    try present.take(until: try served.list(["--section-by", "none"]))
    #expect(present.lines.count == 1 && present.misfits.isEmpty)
    // A position that the server never had is answered by a page.
    let other = try session.page("from=0&count=32&after=17.abc")
    #expect(try other.takeLine()["t"]?.string == "page")
  }
}
#endif
