#if Web
import Foundation
import Testing
import WireFormat

/// R245: lists are written to files, and files are added, as the verbs `export` and `import` do.
@Suite("Files of pages", .serialized)
struct WebFileTests {
  private func serve(_ count: Int = 40, _ options: String...) throws -> (ServedProgram, WebSession)
  {
    let folder = try WebFolder()
    try folder.makeBooks(count)
    let served = try ServedProgram(in: folder, options: options)
    return (served, try WebSession(served))
  }

  private func upload(
    _ text: String,
    _ query: String,
    _ session: WebSession,
    type: String? = "application/octet-stream"
  ) throws -> RawAnswer {
    var request = session.request("POST", "/api/import?\(query)", .null)
    request.body = Array(text.utf8)
    return try request.setting("Content-Type", to: type).answer(from: session.port)
  }

  @Test
  func `R245: an export has the bytes that the command line writes, in every format`() throws {
    let (served, session) = try serve(700)
    let shell = try SQLiteWriter(served.folder)
    try shell.run("UPDATE Book SET title = '=1+1, \"quoted\"' || char(10) || 'é' WHERE id % 50 = 1")
    for format in ["csv", "tsv", "jsonl"] {
      let file = "out.\(format)"
      try served.folder.run("book-catalog", "export", file, "--store", "b.sqlite")
      let expected = try Data(contentsOf: URL(fileURLWithPath: "\(served.folder.path)/\(file)"))
      let answer = try session.get("/api/export?format=\(format)")
      #expect(answer.status == 200 && answer.body == Array(expected), "\(format)")
      let name = try #require(answer["content-disposition"])
      #expect(name.hasPrefix("attachment; filename=\"books.\(format)\""), "\(name)")
      #expect(answer["x-content-type-options"] == "nosniff")
      #expect(answer["cache-control"] == "no-store")
    }
    let guarded = try session.get("/api/export?format=csv&spreadsheetSafe=")
    #expect(guarded.text.contains("'=1+1"), "\(guarded.text.prefix(200))")
    // The list that is shown: its filter and its order.
    let narrowed = try session.get("/api/export?format=csv&filter=year%3C1920&sort=-year")
    try served.folder.run(
      "book-catalog",
      "export",
      "n.csv",
      "--store",
      "b.sqlite",
      "--where",
      "year < 1920",
      "--sort",
      "-year"
    )
    let expected = try Data(contentsOf: URL(fileURLWithPath: "\(served.folder.path)/n.csv"))
    #expect(narrowed.body == Array(expected))
    #expect(try session.get("/api/export?format=doc").status == 400)
    let filter = try session.get("/api/export?format=csv&filter=year%3Esoon")
    #expect(filter.status == 400 && filter.isError, "\(filter.text)")
    #expect(
      try session.request("HEAD", "/api/export?format=csv", .null).answer(from: session.port).status
        == 200
    )
  }

  @Test
  func `R245: exports that nobody reads end, and hold neither the list nor other programs`() throws
  {
    let (served, session) = try serve(60_000)
    let shell = try SQLiteWriter(served.folder)
    let page = try session.page("from=0&count=64")
    try page.takeLine()
    // Four at once; one that the system takes whole before it notices that nobody reads has ended already.
    var unread: [RawConnection] = []
    var answer: RawAnswer?
    while answer?.status ?? 200 == 200, unread.count < 16 {
      let connection = try RawConnection(to: session.port, within: 120, receiveBuffer: 2048)
      let request = session.request("/api/export?format=jsonl")
      try connection.send(request.bytes(to: session.port))
      answer = try connection.head()
      unread.append(connection)
    }
    #expect(unread.count > 4 && answer?.status == 503 && answer?["retry-after"] != nil)
    // The rows of all were read in versions that have ended: a checkpoint gets the whole log.
    try shell.run("INSERT INTO Book(publisher, title) VALUES('A', 'While others do not read')")
    try page.take(until: try served.list())
    try wait(for: "the log to be reset, which no reader keeps") {
      try shell.run("PRAGMA wal_checkpoint(TRUNCATE)") == ["0|0|0"]
    }
    // They are closed as a stream is whose client reads nothing; the page, which reads, is not.
    let whole = try RawConnection(to: session.port, within: 120, receiveBuffer: 2048)
    try whole.send(session.request("/api/events?whole").bytes(to: session.port))
    #expect(try whole.head().status == 200 && served.figure("results_web_streams") == 2)
    try wait(90, for: "clients that read nothing to be closed") {
      try served.figure("results_web_streams") == 1
        && session.get("/api/export?format=csv").status == 200
    }
    try shell.run("DELETE FROM Book WHERE title = 'While others do not read'")
    try page.take(until: try served.list())
    withExtendedLifetime((unread, whole)) {}
    #expect(try served.isHealthy)
  }

  @Test
  func `R245: a file is added once, wholly or not at all, and every page follows`() throws {
    let (served, session) = try serve()
    let page = try session.page("from=0&count=64")
    try page.takeLine()
    let csv = "title,publisher,year,colour\nNew one,Aa,1999,red\nNew two,Aa,2000,blue\n"
    let before = try served.list()
    let tried = try upload(csv, "format=csv&name=new.csv&dryRun&client=\(page.client)", session)
    #expect(tried.status == 200, "\(tried.text)")
    #expect(tried.json["message"]?.string == "would import 2 books, 0 known already")
    #expect(tried.json["added"]?.integer == 2 && tried.json["position"] == .null)
    #expect(tried.json["notes"]?.array?.first?.string == "columns not imported: colour")
    #expect(try served.list().rows == before.rows)
    let added = try upload(csv, "format=csv&name=new.csv&client=\(page.client)", session)
    #expect(added.status == 200 && added.json["added"]?.integer == 2, "\(added.text)")
    try page.take(untilPosition: try #require(added.json["position"]?.string))
    #expect(page.replay.shows(try served.list()) && page.misfits.isEmpty)
    let again = try upload(csv, "format=csv", session)
    #expect(again.json["message"]?.string == "imported 0 books, 2 known already")

    let bad = "title,publisher,year\nGood,Aa,1999\nBad,Aa,soon\n"
    let refused = try upload(bad, "format=csv&name=bad.csv", session)
    #expect(refused.status == 422 && refused.isError, "\(refused.text)")
    #expect(refused.error.contains("bad.csv:3") && refused.error.hasSuffix("Nothing was imported."))
    let skipped = try upload(bad, "format=csv&name=bad.csv&skipBad", session)
    #expect(skipped.status == 200 && skipped.json["added"]?.integer == 1, "\(skipped.text)")
    #expect(skipped.json["notes"]?.array?.first?.string?.contains("bad.csv:3") == true)
  }

  @Test
  func `R245: a file with other columns is read with the options of a saved import`() throws {
    let folder = try WebFolder()
    try folder.makeBooks(10)
    let csv = "written by the shop\nTitel;Verlag;Preis\nNew one;Aa;1,20\nNew two;Aa;2,40\n"
    try Data(csv.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/shop.csv"))
    try folder.run(
      "book-catalog",
      "import",
      "shop.csv",
      "--map",
      "title=Titel,publisher=Verlag",
      "--set",
      "language=de",
      "--skip-lines",
      "1",
      "--dry-run",
      "--save",
      "shop",
      "--store",
      "b.sqlite"
    )
    try folder.run(
      "book-catalog",
      "list",
      "--sort",
      "-year",
      "--save",
      "late",
      "--store",
      "b.sqlite"
    )
    let served = try ServedProgram(in: folder, options: [])
    let session = try WebSession(served)
    let program = try session.get("/api/program").json
    #expect(program["mappings"]?.array?.compactMap(\.string) == ["shop"])
    let plain = try upload(csv, "format=csv&name=shop.csv", session)
    #expect(plain.status == 422, "\(plain.text)")
    for name in ["late", "none", "..%2Fx"] {
      #expect(try upload(csv, "format=csv&mapping=\(name)", session).status == 400)
    }
    let added = try upload(csv, "format=csv&name=shop.csv&mapping=shop", session)
    #expect(added.status == 200 && added.json["added"]?.integer == 2, "\(added.text)")
    #expect(added.json["notes"]?.array?.first?.string == "columns not imported: Preis")
    let exported = try session.get("/api/export?format=jsonl&filter=New").text
    #expect(exported.contains(#""title":"New two""#) && exported.contains(#""language":"de""#))
    // What is refused names the file of the page.
    let bytes = try upload("a\nb\nc\n", "format=csv&name=x.csv&mapping=shop", session)
    #expect(bytes.status == 422 && bytes.error.contains("Titel"), "\(bytes.text)")
  }

  @Test
  func `R245: what is no file of the program's formats is refused, and changes nothing`() throws {
    let (served, session) = try serve(10, "--max-import", "1")
    let before = try served.list().rows
    let line = "{\"title\":\"T\",\"publisher\":\"P\"}\n"
    #expect(try upload(line, "format=xml", session).status == 400)
    #expect(try upload(line, "format=feed", session).status == 400)
    for text in ["", "\u{0}\u{1}\u{2}", "[", "title\n", String(repeating: "x", count: 70_000)] {
      for format in ["csv", "tsv", "jsonl"] {
        let answer = try upload(text, "format=\(format)", session)
        #expect([200, 422].contains(answer.status), "\(format) \(text.prefix(9)): \(answer.text)")
        if answer.status == 200 { #expect(answer.json["added"]?.integer == 0) }
      }
    }
    for type in ["text/plain", "application/json", "multipart/form-data", "text/csv", nil] {
      #expect(try upload(line, "format=jsonl", session, type: type).status == 415, "\(type ?? "")")
    }
    let long = String(repeating: line, count: 50_000)
    #expect(try upload(long, "format=jsonl", session).status == 413)
    // The length is not what decides.
    var chunked = session.request("POST", "/api/import?format=jsonl", .null)
      .setting("Content-Type", to: "application/octet-stream")
      .setting("Transfer-Encoding", to: "chunked")
    chunked.body = nil
    let connection = try RawConnection(to: session.port)
    try connection.send(chunked.bytes(to: session.port))
    let part = Array(long.utf8.prefix(65_536))
    for _ in 0..<20 {
      do {
        try connection.send("10000\r\n".utf8)
        try connection.send(part)
        try connection.send("\r\n".utf8)
      } catch { break }
    }
    #expect(try connection.answer().status == 413)
    #expect(try served.list().rows == before)
    #expect(try served.isHealthy)
  }

  @Test
  func `R245: a read-only list takes no file, and a list without an import says so`() throws {
    let (served, session) = try serve(10, "--read-only")
    #expect(try upload("title\n", "format=csv", session).status == 403)
    let program = try session.get("/api/program").json
    #expect(program["imports"]?.array?.isEmpty == true)
    #expect(program["exports"]?.array?.compactMap(\.string) == ["csv", "tsv", "jsonl"])
    let table = try ServedProgram("live-list", in: served.folder, arguments: ["b.sqlite", "Book"])
    let other = try WebSession(table)
    #expect(try other.get("/api/program").json["imports"]?.array?.isEmpty == true)
    #expect(try upload("title\n", "format=csv", other).status == 403)
    let exported = try other.get("/api/export?format=csv")
    try served.folder.run("live-list", "export", "b.sqlite", "Book", "t.csv")
    let expected = try Data(contentsOf: URL(fileURLWithPath: "\(served.folder.path)/t.csv"))
    #expect(exported.body == Array(expected), "\(exported.text.prefix(200))")
    #expect(exported["content-disposition"]?.contains("\"Book.csv\"") == true)
  }

  @Test
  func `R245: a long import is followed by every page, and a second one waits its turn`() throws {
    let (served, session) = try serve(10)
    let page = try session.page("from=0&count=64")
    let lines = (0..<40_000).map { "{\"title\":\"T\($0)\",\"publisher\":\"P\($0 % 7)\"}\n" }
    var request = session.request("POST", "/api/import?format=jsonl", .null)
      .setting("Content-Type", to: "application/octet-stream")
    request.body = Array(lines.joined().utf8)
    let connection = try RawConnection(to: session.port, within: 300)
    try connection.send(request.bytes(to: session.port))
    let first = try page.stream.next("progress").json
    #expect(first["task"]?.string == "import" && first["of"]?.integer == 40_000)
    #expect(first["ended"] == .boolean(false))
    let second = try upload("title,publisher\na,b\n", "format=csv", session)
    #expect(second.status == 503 && second["retry-after"] != nil, "\(second.text)")
    var last = first
    while last["ended"] != .boolean(true) {
      let next = try page.stream.next("progress").json
      #expect(next["done"]?.integer ?? 0 >= last["done"]?.integer ?? 0)
      last = next
    }
    #expect(try connection.answer().json["added"]?.integer == 40_000)
    #expect(try session.get("/api/sections?client=\(page.client)").json["total"]?.integer ?? 0 > 6)
    #expect(try served.isHealthy)
  }
}
#endif
