#if Web
import Foundation
import Testing
import WireFormat

/// R240: the headers of every answer, and the bounds of what the server takes.
@Suite("Limits of the server", .serialized)
struct WebLimitTests {
  private func serve(_ options: String...) throws -> (ServedProgram, WebSession) {
    let folder = try WebFolder()
    try folder.makeBooks(40)
    let served = try ServedProgram(in: folder, options: options)
    return (served, try WebSession(served))
  }

  @Test
  func `R240: every answer forbids what a page must not do`() throws {
    let (served, session) = try serve()
    let shell = try session.get("/")
    let asset = try #require(try /\/assets\/[^"]+app\.js/.firstMatch(in: shell.text)).output
    let row: JSONValue = .members(["set": .texts(["publisher": "A", "title": "B"])])
    let answers: [(String, RawAnswer)] = [
      ("page", shell), ("print", try session.get("/print")), ("asset", try session.get("\(asset)")),
      ("program", try session.get("/api/program")), ("health", try session.get("/health")),
      ("nothing", try session.get("/nothing")), ("metrics", try session.get("/metrics")),
      ("stream", try session.page().stream.head), ("row", try session.get("/api/row?id=1")),
      ("added", try session.post("/api/rows", row)),
      ("gone", try session.post("/api/hold?client=a")),
      ("not let in", try WebRequest("GET", "/").answer(from: served.port)),
      ("let in", try WebRequest("GET", "/open?token=\(served.token)").answer(from: served.port)),
    ]
    let policy = [
      "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:",
      "connect-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]
    for (name, answer) in answers {
      let found = answer["content-security-policy"]?.split(separator: ";").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      #expect(found == policy, "\(name)")
      #expect(answer["x-content-type-options"] == "nosniff", "\(name)")
      #expect(answer["referrer-policy"] == "no-referrer", "\(name)")
      #expect(answer["cross-origin-opener-policy"] == "same-origin", "\(name)")
      #expect(answer["cross-origin-resource-policy"] == "same-origin", "\(name)")
      let caching = name == "asset" ? "public, max-age=31536000, immutable" : "no-store"
      #expect(answer["cache-control"] == caching, "\(name)")
      #expect(!answer.fields.contains { $0.name.hasPrefix("access-control") }, "\(name)")
      #expect(answer["server"] == nil, "\(name)")
    }
    // The page and its scripts hold no script or style that the policy would stop.
    #expect(
      !shell.text.contains("<script>") && !shell.text.contains("style=")
        && !shell.text.contains(" on")
    )
  }

  @Test
  func `R240: files of the page are compressed for those who accept it, and plain for others`()
    throws
  {
    let (served, session) = try serve()
    let shell = try session.get("/")
    let asset = String(try #require(try /\/assets\/[^"]+app\.js/.firstMatch(in: shell.text)).output)
    let plain = try session.get(asset)
    #expect(plain["content-encoding"] == nil && plain.text.hasPrefix("// The page"))
    let packed = try session.request(asset).setting("Accept-Encoding", to: "gzip, deflate, br")
      .answer(from: served.port)
    #expect(packed["content-encoding"] == "gzip" && packed.body.starts(with: [0x1F, 0x8B]))
    #expect(packed["content-type"] == plain["content-type"])
    #expect(plain["vary"] == "Accept-Encoding" && packed["vary"] == "Accept-Encoding")
    // The last four bytes of gzip are the length of what comes out.
    let length = packed.body.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    #expect(length == plain.body.count && packed.body.count < length / 2)
  }

  @Test
  func `R240: no file is behind an address`() throws {
    let (served, session) = try serve()
    let hash = try #require(
      try /\/assets\/([^\/"]+)\/app\.js/.firstMatch(in: try session.get("/").text)
    ).1
    for target in [
      "/../../etc/passwd", "/assets/../../etc/passwd", "/assets/\(hash)/../app.js",
      "/assets/\(hash)/..%2Fapp.js", "/assets/\(hash)/%2e%2e/app.js", "/assets/\(hash)/",
      "/assets/",
      "/assets/\(hash)", "/assets/\(hash)//app.js", "/assets/\(hash)/app.js/",
      "/assets/\(hash)/app%2Ejs",
      "/assets/\(hash)/APP.JS", "/assets/\(hash)/app.js%00", "/assets/0/app.js", "//etc/passwd",
      "/api",
      "/api/", "/api/row/", "/api//row?id=1", "/API/program", "/api/program/", "/api%2Fprogram",
      "/%61pi/program",
      "/assets/\(hash)/%2fetc%2fpasswd", "/b.sqlite", "/.", "/..", "/./",
    ] {
      let answer = try session.get(target)
      #expect(answer.status == 404 && answer.isError, "\(target): \(answer.status)")
    }
    #expect(try session.get("/assets/\(hash)/app.js").status == 200)
    #expect(
      try session.get("/assets/\(hash)/app.css")["content-type"]?.hasPrefix("text/css") == true
    )
    #expect(try served.isHealthy)
  }

  @Test
  func `R240: long heads and bodies are refused`() throws {
    let (served, session) = try serve()
    let list = try served.list()
    let long = String(repeating: "a", count: 1 << 20)
    let body: JSONValue = .members(["set": .texts(["publisher": "A", "title": "\(long)"])])
    let answer = try session.post("/api/rows", body)
    #expect(answer.status == 413 && answer.isError, "\(answer.status)")
    // A text that just fits is a title, however long it is.
    let fitting = String(long.dropLast(1000))
    #expect(
      try session.post(
        "/api/rows",
        .members(["set": .texts(["publisher": "A", "title": fitting])])
      ).status == 201
    )
    #expect(try served.list().rows.count == list.rows.count + 1)
    for request in [
      session.request("/api/program").setting("X-Long", to: String(repeating: "a", count: 20_000)),
      session.request("/api/program?filter=\(String(repeating: "a", count: 20_000))"),
      (0..<200).reduce(session.request("/api/program")) { $0.setting("X-\($1)", to: "a") },
    ] {
      let refused: Int?
      do {
        refused = try request.answer(from: served.port).status
      } catch is WebTestFailure {
        // The connection was closed without an answer.
        refused = nil
      }
      #expect(refused.map { (400...499).contains($0) } ?? true, "\(refused ?? 0)")
    }
    // A text of a list's address, which the head has room for.
    let filter = String(repeating: "a", count: 8193)
    #expect(try session.get("/api/events?filter=\(filter)").status == 400)
    #expect(try served.isHealthy)
  }

  @Test
  func `R240: more streams than allowed are refused, and are there again when others end`() throws {
    let (served, session) = try serve("--max-streams", "3")
    var pages = try (0..<3).map { _ in try session.page() }
    for query in ["from=0&count=32", "whole"] {
      let answer = try session.get("/api/events?\(query)")
      #expect(answer.status == 503 && answer.isError, "\(query)")
      #expect(answer["retry-after"].flatMap { Int($0) } ?? 0 > 0, "\(query)")
    }
    #expect(try session.get("/api/program").status == 200)
    pages.removeLast()
    try wait(for: "a stream less") { try served.figure("results_web_streams") == 2 }
    try session.page().takeLine()
  }

  @Test
  func `R240: asking for the head of a stream takes none of those that may be open`() throws {
    let (served, session) = try serve("--max-streams", "2")
    for query in ["from=0&count=32", "whole"] {
      for _ in 0..<3 {
        var head = session.request("/api/events?\(query)")
        head.method = "HEAD"
        #expect(try head.answer(from: served.port).status == 200, "\(query)")
      }
    }
    #expect(try served.figure("results_web_streams") == 0)
    try session.page().takeLine()
  }

  @Test
  func `R240: lists that nobody shows give way to others, and those that are shown do not`() throws
  {
    let (served, session) = try serve()
    for number in 0..<100 {
      let answer = try session.get("/print?filter=year%3E\(1900 + number)")
      #expect(answer.status == 200, "\(number): \(answer.text)")
    }
    #expect(try served.figure("results_web_lists") <= 64)
    var pages: [ShownPage] = []
    for number in 0..<64 {
      pages.append(try session.page("from=0&count=32&filter=year%3E\(1800 + number)"))
    }
    for page in pages { try page.takeLine() }
    let answer = try session.get("/api/events?filter=year%3E1899")
    #expect(
      answer.status == 503 && answer.isError && answer["retry-after"] != nil,
      "\(answer.text)"
    )
    let shell = try SQLiteWriter(served.folder)
    try shell.run("DELETE FROM Book WHERE id = 3")
    for page in pages { try page.takeLine() }
    #expect(pages.allSatisfy { $0.misfits.isEmpty && $0.replay.count == 39 })
  }

  @Test
  func `R246: reading a list ends soon after the last request for it has gone`() throws {
    let folder = try WebFolder()
    try folder.makeBooks(1)
    let shell = try SQLiteWriter(folder)
    // Reading it takes longer than anybody waits.
    try shell.run(
      """
      CREATE VIEW Slow AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900000)
        SELECT i, printf('%d %s', i, hex(randomblob(8))) AS text FROM n
      """
    )
    let served = try ServedProgram("live-list", in: folder, arguments: ["b.sqlite"])
    let session = try WebSession(served)
    let rows = try session.page("from=0&count=64")
    try rows.takeLine()
    let row = try #require(rows.replay.rows.first { $0?.cells.first == "Slow" } ?? nil)
    let links = try session.get("/api/links?id=\(row.id)").json["links"]?.array
    let name = try #require(links?.first?["name"]?.string)
    let visit = try session.post("/api/visit", .texts(["id": row.id, "name": name]))
    let site = try #require(visit.json["site"]?.string, "\(visit.text)")
    do {
      let request = session.request("/api/events?site=\(site)&filter=zzzz")
      let stream = try EventStream(request, from: session.port)
      #expect(try stream.next()?.name == "hello")
      #expect(try served.figure("results_web_lists") == 2)
    }
    try wait(20, for: "the list to end") { try served.figure("results_web_lists") == 1 }
    #expect(try served.isHealthy)
  }

  @Test
  func `R240: the figures of a server count what it has sent, and how late`() throws {
    let (served, session) = try serve()
    let page = try session.page("from=0&count=32")
    try page.takeLine()
    let shell = try SQLiteWriter(served.folder)
    let before = try served.figure("results_web_stream_bytes_total")
    for number in 0..<5 {
      try shell.run("UPDATE Book SET title = 'Changed \(number)' WHERE id = 3")
      try page.take(until: try served.list())
    }
    try wait(for: "the lags to be counted") {
      try served.figure("results_web_lag_seconds_count") >= 5
    }
    #expect(try served.figure("results_web_changes_total") >= 5)
    #expect(try served.figure("results_web_stream_bytes_total") - before > 5 * 200)
    let text = try WebRequest("GET", "/metrics", bearer: served.token).answer(from: served.port)
      .text
    #expect(text.contains("results_web_lag_seconds_bucket{le=\"+Inf\"}"))
    for name in ["resets_total", "failures_total"] {
      #expect(try served.figure("results_web_\(name)") == 0)
    }
    #expect(try served.figure("results_web_compared_lists") == 0)
  }

  @Test
  func `R240: a session that writes too much is slowed, and others are not`() throws {
    let (served, session) = try serve()
    let change: (Int) -> JSONValue = { .members(["set": .texts(["year": "\($0)"])]) }
    var answers: [RawAnswer] = []
    let deadline = Deadline(20)
    while !answers.contains(where: { $0.status == 429 }), !deadline.hasPassed {
      // Without a change of the store, so that it is no matter how fast it writes.
      let requests = try (0..<8).map { _ in try RawConnection(to: served.port) }
      for request in requests {
        try request.send(
          session.request("POST", "/api/hold", change(1)).bytes(to: served.port)
        )
      }
      answers += try requests.map { try $0.answer() }
      guard answers.count < 10_000 else { break }
    }
    #expect(answers.contains { $0.status == 429 })
    let unexpected = Set(answers.map(\.status)).subtracting([410, 429])
    #expect(unexpected.isEmpty, "\(unexpected)")
    let refused = try #require(answers.last { $0.status == 429 })
    #expect(refused.isError && refused["retry-after"] == "1")
    #expect(answers.filter { $0.status == 410 }.count >= 50)
    let other = try WebSession(served)
    #expect(try other.patch("/api/row?id=1", change(7)).status == 200)
  }

  @Test
  func `R240: a list that is read only is not changed`() throws {
    let (served, session) = try serve("--read-only")
    let list = try served.list()
    #expect(try session.get("/api/program").json["canWrite"] == .boolean(false))
    let page = try session.page()
    try page.take(until: list)
    for (method, target, body) in [
      ("POST", "/api/rows", JSONValue.members(["set": .texts(["publisher": "A", "title": "B"])])),
      ("PATCH", "/api/row?id=1", .members(["set": .texts(["title": "changed"])])),
      ("POST", "/api/delete", .members(["ids": .array([.string("1")])])),
      ("POST", "/api/command", .members(["name": .string("demo")])),
      ("POST", "/api/undo", .object([])), ("POST", "/api/redo", .object([])),
    ] {
      let answer = try session.request(method, target, body).answer(from: served.port)
      #expect(
        [400, 403, 409].contains(answer.status) && answer.isError,
        "\(target): \(answer.status)"
      )
    }
    #expect(try served.list().rows == list.rows)
    // What only moves the window is no change.
    #expect(try page.hold(true).status == 204)
    let row = try session.get("/api/row?id=1")
    #expect(row.status == 200 && row.json["title"]?.string?.isEmpty == false, "\(row.text)")
  }
}
#endif
