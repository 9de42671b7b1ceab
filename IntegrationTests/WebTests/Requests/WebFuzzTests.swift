#if Web
import ResultsStoreKit
import Foundation
import ResultsTesting
import Testing
import WireFormat

/// R242: whatever is sent, the answer is one of those that are documented, and the program lives.
///
/// `RESULTS_WEB_FUZZ` sets the number of requests, `RESULTS_LAW_SEED` the seed; a failure names its own.
@Suite("Random requests", .serialized)
struct WebFuzzTests {
  static let count = min(number("RESULTS_WEB_FUZZ") ?? 3000, 10_000_000)
  static let seed = UInt64(number("RESULTS_LAW_SEED") ?? 242)

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  private func serve() throws -> ServedProgram {
    let folder = try WebFolder()
    try folder.makeBooks(40)
    return try ServedProgram(in: folder, options: ["--busy-timeout", "1s"])
  }

  /// Checks an answer: no failure of the program, and the one form of all errors.
  private func check(_ answer: RawAnswer, _ context: Comment) {
    #expect(
      answer.status < 500 || answer.status == 503,
      "\(context): \(answer.status) \(answer.text)"
    )
    if answer.status >= 400 {
      #expect(answer.isError, "\(context): \(answer.status) \(answer.text)")
    }
    // The methods that an address takes are named where it does not take one.
    if answer.status == 405 {
      #expect(answer["allow"]?.isEmpty == false, context)
    }
  }

  @Test
  func `R242: random requests are answered, and the program lives`() throws {
    let served = try serve()
    var session = try WebSession(served)
    var random = RandomRequests(seed: Self.seed, token: served.token)
    var statuses: [Int: Int] = [:]
    for number in 0..<Self.count {
      // Each session has its own allowance of writes.
      if number.isMultiple(of: 40) { session = try WebSession(served) }
      let request = random.next(session)
      let context: Comment =
        "seed \(Self.seed), request \(number): \(request.method) \(request.target.prefix(300)) \(String(decoding: (request.body ?? []).prefix(300), as: UTF8.self))"
      let connection = try RawConnection(to: served.port, within: 20)
      try connection.send(request.bytes(to: served.port))
      let head = try connection.head()
      statuses[head.status, default: 0] += 1
      // A stream has no end; its greeting is enough.
      guard head["content-type"]?.hasPrefix("text/event-stream") != true else { continue }
      var answer = head
      if request.method != "HEAD" {
        answer.body = try connection.body(of: head)
        check(answer, context)
      } else {
        #expect(head.status < 500, context)
      }
    }
    #expect(try served.isHealthy)
    try wait(for: "no clients any more") { try served.figure("results_web_clients") == 0 }
    #expect(Set(statuses.keys).isSuperset(of: [200, 400, 404, 405]), "\(statuses)")
    _ = try WebSession(served).page().takeLine()
  }

  @Test
  func `R242: bytes that are no request end their connection, and nothing else`() throws {
    let served = try serve()
    let session = try WebSession(served)
    var generator = SeededGenerator(seed: Self.seed)
    for number in 0..<Self.count / 10 {
      var bytes = session.request("PATCH", "/api/row?id=1", .texts(["a": "b"])).bytes(
        to: served.port
      )
      for _ in 0...generator.number(in: 0...6) {
        let index = generator.number(in: 0...bytes.count - 1)
        switch generator.number(in: 0...3) {
        case 0: bytes[index] = UInt8(generator.number(in: 0...255))
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(UInt8(generator.number(in: 0...255)), at: index)
        default:
          bytes.removeSubrange(index..<min(index + generator.number(in: 0...30), bytes.count))
        }
        if bytes.isEmpty { bytes = [0x0D] }
      }
      let connection = try RawConnection(to: served.port, within: 20)
      try connection.send(bytes)
      connection.endOutput()
      do {
        let answer = try connection.answer()
        #expect(answer.status < 500, "seed \(Self.seed), request \(number): \(answer.status)")
      } catch {
        // It was closed without an answer.
      }
    }
    #expect(try served.isHealthy)
  }

  @Test
  func `R242: quoting texts are filters, orders, names and values like others`() throws {
    let served = try serve()
    var session = try WebSession(served)
    let marks: [Unicode.Scalar] = ["\"", "'", "\\", "%"]
    let texts = QuotingTexts.all(around: marks)
    let sequences = texts.filter { $0.unicodeScalars.count <= 3 }
    let chosen = sequences.enumerated().filter { $0.offset.isMultiple(of: 41) }.map(\.element)
    let long = texts.filter { $0.unicodeScalars.count > 3 }.map {
      String($0.unicodeScalars.prefix(700))
    }
    for (number, text) in (chosen + long.prefix(40)).enumerated() {
      if number.isMultiple(of: 3) { session = try WebSession(served) }
      let context: Comment = "text \(number)"
      let encoded = Data(text.utf8).map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        .joined()
      for name in ["filter", "sort", "sections", "after", "at", "site", "client", "list"] {
        let request = session.request("/api/events?from=0&count=32&\(name)=\(encoded)")
        let connection = try RawConnection(to: served.port)
        try connection.send(request.bytes(to: served.port))
        let head = try connection.head()
        #expect(
          [200, 400, 404, 410, 422, 503].contains(head.status),
          "\(name) \(context): \(head.status)"
        )
      }
      for target in ["/api/row?id=", "/api/links?id=", "/api/jump?text=", "/print?filter="] {
        let answer = try session.get(target + encoded)
        #expect(
          [200, 400, 404, 409, 410, 422].contains(answer.status),
          "\(target) \(context): \(answer.status)"
        )
      }
      let added = try session.post(
        "/api/rows",
        .members(["set": .texts(["publisher": text, "title": text, "tags": text])])
      )
      #expect([201, 422].contains(added.status), "\(context): \(added.text)")
      if let id = added.json["id"]?.string {
        let row = try session.get("/api/row?id=\(id)").json
        #expect(
          row["texts"]?.array?.dropFirst().first?.string?.utf8.elementsEqual(text.utf8) == true,
          context
        )
      }
      for body: JSONValue in [
        .members(["ids": .array([.string(text)])]), .texts(["name": text, "id": text]),
        .members(["set": .object([.init(name: text, value: .string(text))])]),
      ] {
        for target in ["/api/delete", "/api/command", "/api/visit", "/api/rows"] {
          let answer = try session.post(target, body)
          #expect(
            [400, 404, 409, 422].contains(answer.status),
            "\(target) \(context): \(answer.status)"
          )
        }
      }
    }
    #expect(try served.isHealthy)
    // What was stored is shown as it is.
    let page = try session.page("from=0&count=512")
    try page.take(until: try served.list())
  }
}

/// Requests of random shape, most of them near to those that a page sends.
struct RandomRequests {
  private var generator: SeededGenerator
  private let token: String
  private static let paths = [
    "/", "/open", "/print", "/health", "/metrics", "/api/program", "/api/events", "/api/window",
    "/api/hold", "/api/sections", "/api/jump", "/api/row", "/api/rows", "/api/delete",
    "/api/command",
    "/api/undo", "/api/redo", "/api/links", "/api/visit", "/assets/0/app.js",
  ]
  private static let names = [
    "filter", "sort", "sections", "list", "from", "count", "at", "above", "after", "whole", "site",
    "client",
    "id", "text", "token", "held", "ids", "set", "was", "name", "section", "title", "year",
    "publisher", "tags",
  ]
  private static let values = [
    "", "0", "1", "-1", "32", "512", "513", "9223372036854775807", "-9223372036854775808",
    "9223372036854775808", "1e9", "0x10", "none", "title", "-year,title", "year > 1990",
    "title CONTAINS 'a'",
    "((((((((((", "'", "\"", "demo", "17.abc", "1.", ".1", "[1]", "[\"a\"]", "[[[[", "null", "true",
    "\u{0}",
    "\u{FEFF}", "ａ", "e\u{301}", "🇩🇪", "\r\n", "../..", "%", "<script>",
  ]

  init(seed: UInt64, token: String) {
    generator = SeededGenerator(seed: seed)
    self.token = token
  }

  /// The next request.
  mutating func next(_ session: WebSession) -> WebRequest {
    var request = WebRequest(method, target)
    request.fields = [("Cookie", session.cookie)]
    if generator.happens(percent: 80) {
      request.fields.append(("Origin", "http://127.0.0.1:\(session.port)"))
    }
    if generator.happens(percent: 80) {
      request.fields.append(("Content-Type", "application/json"))
    }
    if generator.happens(percent: 10) { request.fields.append((name, header)) }
    if generator.happens(percent: 5) { request.fields.append(("Last-Event-ID", header)) }
    if request.method != "GET", request.method != "HEAD" {
      request.body =
        generator.happens(percent: 90)
        ? Array(object(depth: 3).text.utf8)
        : (0..<generator.number(in: 0...200)).map { _ in UInt8(generator.number(in: 0...255)) }
    }
    return request
  }

  private var method: String {
    mutating get {
      generator.happens(percent: 45)
        ? "GET"
        : generator.choice("POST", "POST", "POST", "PATCH", "PATCH", "HEAD", "DELETE", "PUT")
    }
  }

  private var name: String { mutating get { generator.element(of: Self.names) ?? "" } }

  private var value: String {
    mutating get {
      if generator.happens(percent: 70) { return generator.element(of: Self.values) ?? "" }
      let count = generator.number(in: 0...generator.choice(3, 30, 300))
      let scalars = (0..<count).compactMap { _ in
        Unicode.Scalar(UInt32(generator.number(in: 0...generator.choice(0x7F, 0x7FF, 0x10FFFF))))
      }
      return String(String.UnicodeScalarView(scalars))
    }
  }

  /// A value that a header field may have.
  private var header: String {
    mutating get {
      String(
        String.UnicodeScalarView(
          value.unicodeScalars.filter { $0.isASCII && $0.value > 0x20 && $0.value < 0x7F }
        )
      )
    }
  }

  private var target: String {
    mutating get {
      var path = generator.element(of: Self.paths) ?? "/"
      if generator.happens(percent: 5) { path += encoded(value) }
      let members = (0..<generator.number(in: 0...5)).map { _ in
        generator.happens(percent: 5) ? encoded(value) : "\(name)=\(encoded(value))"
      }
      return members.isEmpty ? path : "\(path)?\(members.joined(separator: "&"))"
    }
  }

  private mutating func encoded(_ text: String) -> String {
    let isWrong = generator.happens(percent: 3)
    return text.utf8.map { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
        return String(Unicode.Scalar(byte))
      default: return isWrong ? "%" : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    .joined()
  }

  private mutating func object(depth: Int) -> JSONValue {
    var members: [JSONValue.Member] = []
    for _ in 0..<generator.number(in: 0...4) {
      let name = generator.happens(percent: 90) ? self.name : value
      guard !members.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { continue }
      members.append(JSONValue.Member(name: name, value: json(depth: depth)))
    }
    return .object(members)
  }

  private mutating func json(depth: Int) -> JSONValue {
    switch generator.number(in: 0...(depth > 0 ? 8 : 5)) {
    case 0: return .null
    case 1: return .boolean(generator.happens(percent: 50))
    case 2:
      return .number(
        generator.choice("0", "1", "-1", "32", "1e400", "0.5", "9223372036854775808", "512")
      )
    case 3, 4, 5: return .string(value)
    case 6: return .array((0..<generator.number(in: 0...3)).map { _ in json(depth: depth - 1) })
    default: return object(depth: depth - 1)
    }
  }
}
#endif
