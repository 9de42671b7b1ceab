#if Web
import Foundation
import Testing
import WireFormat

/// R240: nobody reads or changes a list who was not let in, or through the browser of one who was.
@Suite("Guard of the server", .serialized)
struct WebGuardTests {
  /// Requests that change something, and what each needs as its body.
  private static let writes: [(method: String, target: String, body: JSONValue)] = [
    ("POST", "/api/rows", .members(["set": .texts(["publisher": "A", "title": "B"])])),
    ("PATCH", "/api/row?id=1", .members(["set": .texts(["title": "changed"])])),
    ("POST", "/api/delete", .members(["ids": .array([.string("1")])])),
    ("POST", "/api/command", .members(["name": .string("demo"), "ids": .array([])])),
    ("POST", "/api/undo", .object([])), ("POST", "/api/redo", .object([])),
    ("POST", "/api/window", .object([])), ("POST", "/api/hold", .object([])),
    ("POST", "/api/visit", .texts(["id": "1", "name": "a"])),
  ]
  /// What a request that was let in may read.
  private static let reads = [
    "/", "/print", "/metrics", "/api/program", "/api/events", "/api/events?whole", "/api/sections",
    "/api/jump?text=a", "/api/row?id=1", "/api/links?id=1",
  ]

  private func serve(_ options: String...) throws -> (ServedProgram, WebSession) {
    let folder = try WebFolder()
    try folder.makeBooks(40)
    let served = try ServedProgram(in: folder, options: options)
    return (served, try WebSession(served))
  }

  /// Whether the store is as it was, by another process.
  private func expectUnchanged(_ served: ServedProgram, _ list: ListedRows, _ context: Comment)
    throws
  {
    #expect(try served.list().rows == list.rows, context)
  }

  @Test
  func `R240: without a cookie or the token nothing is answered`() throws {
    let (served, session) = try serve()
    let list = try served.list()
    let strangers: [(String, (WebRequest) -> WebRequest)] = [
      ("nothing", { $0 }),
      (
        "another cookie",
        { $0.setting("Cookie", to: "book-catalog-\(served.port)=0123456789abcdef0123456789abcdef") }
      ),
      ("an empty cookie", { $0.setting("Cookie", to: "book-catalog-\(served.port)=") }),
      (
        "the cookie of another port",
        { $0.setting("Cookie", to: session.cookie.replacing("\(served.port)", with: "1")) }
      ),
      (
        "the token as a cookie",
        { $0.setting("Cookie", to: "book-catalog-\(served.port)=\(served.token)") }
      ),
      (
        "another token",
        { $0.setting("Authorization", to: "Bearer 0123456789abcdef0123456789abcdef") }
      ),
      (
        "a beginning of the token",
        { $0.setting("Authorization", to: "Bearer \(served.token.dropLast())") }
      ),
      ("a longer token", { $0.setting("Authorization", to: "Bearer \(served.token)0") }),
      (
        "the token with a password's scheme",
        { $0.setting("Authorization", to: "Basic \(served.token)") }
      ),
      (
        "the token in another case",
        { $0.setting("Authorization", to: "Bearer \(served.token.uppercased())x") }
      ),
    ]
    for (name, change) in strangers {
      for target in Self.reads {
        let answer = try change(WebRequest("GET", target)).answer(from: served.port)
        #expect(answer.status == 401 && answer.isError, "\(name): \(target): \(answer.status)")
      }
      for (method, target, body) in Self.writes {
        let request = WebRequest(method, target, json: body)
          .setting("Origin", to: "http://127.0.0.1:\(served.port)")
        let answer = try change(request).answer(from: served.port)
        #expect(answer.status == 401 && answer.isError, "\(name): \(target): \(answer.status)")
      }
    }
    for token in [
      "", "0", String(served.token.dropLast()), "\(served.token)0", "%00", "\(served.token)%00",
    ] {
      let answer = try WebRequest("GET", "/open?token=\(token)").answer(from: served.port)
      #expect(answer.status == 401 && answer["set-cookie"] == nil, "\(token)")
    }
    try expectUnchanged(served, list, "strangers")
    // Health is for those who start and watch the program, and says nothing else.
    #expect(try served.isHealthy)
    #expect(try session.get("/api/program").status == 200)
    let cookie = try WebRequest("GET", "/open?token=\(served.token)").answer(from: served.port)[
      "set-cookie"
    ]
    #expect(cookie?.hasSuffix("; Path=/; HttpOnly; SameSite=Strict") == true)
    #expect(cookie?.contains(served.token) == false)
    // The address that is opened once more leaves a browser in its session, to which its pages belong.
    let again = try session.request("/open?token=\(served.token)").answer(from: served.port)
    #expect(again.status == 303 && again["set-cookie"] == nil)
  }

  @Test
  func `R240: a browser stays let in for as long as the token is the same`() throws {
    let folder = try WebFolder()
    try folder.makeBooks(40)
    let first = try ServedProgram(in: folder, options: ["--token-file", "token"])
    let session = try WebSession(first)
    #expect(!session.cookie.contains(first.token))
    let mode = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/token")
    #expect(mode[.posixPermissions] as? Int == 0o600)
    try first.process.end()
    let second = try ServedProgram(
      in: folder,
      port: first.port,
      options: ["--token-file", "token"]
    )
    #expect(second.token == first.token)
    #expect(try session.get("/api/program").status == 200)
    #expect(
      try session.post("/api/delete", .members(["ids": .array([.string("1")])])).status == 200
    )
    #expect(try session.post("/api/undo").status == 200)
    // Only the secret of this token, and only in its form.
    let forged = [
      session.cookie + "0", session.cookie.replacing(".", with: ".0"),
      session.cookie.replacing(".", with: ""),
    ]
    for cookie in forged {
      let answer = try WebRequest("GET", "/api/program").setting("Cookie", to: cookie)
        .answer(from: second.port)
      #expect(answer.status == 401, "\(cookie)")
    }
    try second.process.end()
    try FileManager.default.removeItem(atPath: "\(folder.path)/token")
    let third = try ServedProgram(in: folder, port: first.port, options: ["--token-file", "token"])
    #expect(third.token != first.token)
    #expect(try session.get("/api/program").status == 401)
    // Without the file, each server has sessions of its own.
    try third.process.end()
    let fourth = try ServedProgram(in: folder, port: first.port)
    #expect(try session.get("/api/program").status == 401)
    let other = try WebSession(fourth)
    try fourth.process.end()
    let fifth = try ServedProgram(in: folder, port: first.port)
    #expect(try other.get("/api/program").status == 401)
    try fifth.process.end()
  }

  @Test
  func `R240: a request that names another host is not answered`() throws {
    let (served, session) = try serve()
    let port = served.port
    for host in [
      "evil.example", "evil.example:\(port)", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:\(port)0",
      "localhost",
      "localhost.:\(port)", "127.0.0.1.evil.example:\(port)", "127.0.0.2:\(port)", "[::2]:\(port)",
      "",
      "127.0.0.1:\(port)@evil.example", "book-catalog:\(port)",
    ] {
      for target in ["/", "/health", "/open?token=\(served.token)", "/api/program", "/nothing"] {
        var request = session.request(target)
        request.host = host
        let answer = try request.answer(from: port)
        #expect([400, 421].contains(answer.status), "\(host) \(target): \(answer.status)")
        #expect(answer["set-cookie"] == nil && !answer.text.contains("columns"))
      }
    }
    for host in ["127.0.0.1:\(port)", "localhost:\(port)", "LocalHost:\(port)", "[::1]:\(port)"] {
      var request = session.request("/api/program")
      request.host = host
      #expect(try request.answer(from: port).status == 200, "\(host)")
    }
    // Two hosts, in either order.
    for host in [nil, "evil.example"] {
      var twice = session.request("/api/program")
      twice.host = host
      twice.fields.append(("Host", host == nil ? "evil.example" : "127.0.0.1:\(port)"))
      #expect([400, 421].contains(try twice.answer(from: port).status))
    }
  }

  @Test
  func `R240: what comes from a page of another site changes nothing`() throws {
    let (served, session) = try serve()
    let list = try served.list()
    let here = "http://127.0.0.1:\(served.port)"
    let origins: [(origin: String?, site: String?)] = [
      (nil, nil), (nil, "same-origin"), ("null", nil), ("http://evil.example", nil),
      ("http://127.0.0.1", nil), ("http://127.0.0.1:1", "same-site"), ("\(here)0", nil),
      ("http://localhost:\(served.port)", nil), ("\(here).evil.example", nil), (here, "same-site"),
      (here, "cross-site"), (here, "none"), ("http://evil.example", "same-origin"), ("", nil),
      ("\(here), http://evil.example", nil), (nil, "cross-site"),
    ]
    for (method, target, body) in Self.writes {
      for (origin, site) in origins {
        let request = session.request(method, target, body).setting("Origin", to: origin)
          .setting("Sec-Fetch-Site", to: site)
        let answer = try request.answer(from: served.port)
        #expect(
          answer.status == 403 && answer.isError,
          "\(method) \(target) \(origin ?? "-") \(site ?? "-"): \(answer.status)"
        )
        #expect(!answer.fields.contains { $0.name.hasPrefix("access-control") })
      }
    }
    // With the token, which no page knows, no origin is needed; but a page's request is recognized as one.
    let token = WebRequest(
      "PATCH",
      "/api/row?id=1",
      bearer: served.token,
      json: Self.writes[1].body
    )
    #expect(
      try token.setting("Origin", to: "http://evil.example").answer(from: served.port).status == 403
    )
    #expect(
      try token.setting("Sec-Fetch-Site", to: "cross-site").answer(from: served.port).status == 403
    )
    try expectUnchanged(served, list, "other sites")
    #expect(try token.answer(from: served.port).status == 200)
    #expect(try served.list().rows != list.rows)
  }

  @Test
  func `R240: reading changes nothing, and what changes is not asked for by reading`() throws {
    let (served, session) = try serve()
    let list = try served.list()
    for (_, target, body) in Self.writes {
      for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "MOVE"] {
        var request = session.request(method, target, body)
        if method == "GET" || method == "HEAD" { request.body = nil }
        let answer = try request.answer(from: served.port)
        let isRead = target.hasPrefix("/api/row?") && ["GET", "HEAD"].contains(method)
        #expect(answer.status == (isRead ? 200 : 405), "\(method) \(target): \(answer.status)")
      }
    }
    for target in Self.reads where !target.hasPrefix("/api/row?") {
      let answer = try session.request("POST", target, .object([])).answer(from: served.port)
      #expect(answer.status == 405 && answer.isError, "\(target): \(answer.status)")
    }
    for target in ["/", "/print", "/api/program", "/api/row?id=1"] {
      var head = session.request(target)
      head.method = "HEAD"
      let answer = try head.answer(from: served.port)
      #expect(answer.status == 200 && answer["content-security-policy"] != nil, "\(target)")
    }
    try expectUnchanged(served, list, "reading")
  }

  @Test
  func `R240: a body must be JSON, and an object`() throws {
    let (served, _) = try serve()
    let list = try served.list()
    for (method, target, body) in Self.writes {
      // Each session has an allowance of changes.
      let session = try WebSession(served)
      for type in [
        nil, "", "text/plain", "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=a",
        "application/jsonp", "text/json", "application/json-patch+json",
      ] {
        let request = session.request(method, target, body).setting("Content-Type", to: type)
        let answer = try request.answer(from: served.port)
        #expect(
          answer.status == 415 && answer.isError,
          "\(target) \(type ?? "-"): \(answer.status)"
        )
      }
      for text in [
        "", "[]", "1", "null", "{", #"{"a":1,"a":2}"#, "{}x", String(repeating: "[", count: 1000),
      ] {
        var request = session.request(method, target, body)
        request.body = Array(text.utf8)
        // Undoing with nothing to undo is refused after its body was read.
        let answer = try request.answer(from: served.port)
        #expect(answer.status == 400 && answer.isError, "\(target) \(text): \(answer.status)")
      }
      var broken = session.request(method, target, body)
      broken.body = [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]
      #expect(try broken.answer(from: served.port).status == 400)
    }
    try expectUnchanged(served, list, "bodies")
  }
}
#endif
