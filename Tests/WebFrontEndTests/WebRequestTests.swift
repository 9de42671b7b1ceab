#if Web
import HTTPTypes
import ResultsDomain
import ResultsTesting
import Testing

@testable import WebFrontEnd

/// R240, R242: who is answered, and what a request may say.
@Suite("Requests")
struct WebRequestTests {
  private static let token = SecretText("0123456789abcdef0123456789abcdef")

  private func guarding(_ names: [String] = [], at addresses: [String] = []) -> RequestGuard {
    RequestGuard(
      token: Self.token,
      program: "book-catalog",
      port: 8421,
      addresses: addresses,
      names: names
    )
  }

  private func request(
    _ target: String = "/",
    method: String = "GET",
    _ fields: KeyValuePairs<String, String> = [:]
  ) throws -> WebRequest {
    var headers = HTTPFields()
    for (name, value) in fields { headers[try #require(HTTPField.Name(name))] = value }
    return try WebRequest(method: method, target: target, headers: headers)
  }

  @Test(arguments: [
    ("127.0.0.1:8421", true), ("localhost:8421", true), ("LOCALHOST:8421", true),
    ("[::1]:8421", true), ("lists.example:8421", true), ("127.0.0.1", false),
    ("127.0.0.1:8422", false), ("evil.example:8421", false), ("127.0.0.1:8421.evil.example", false),
    ("", false), ("balanced.example:9000", true), ("balanced.example:8421", false),
    ("balanced.example", false), ("lists.example", true), ("lists.example:443", false),
    ("secure.example", true), ("secure.example:443", true), ("[2001:db8::7]:9000", true),
    ("[2001:db8::7]", false), ("[2001:db8::8]", true), ("[2001:db8::8]:8421", true),
  ])
  func `R240: only this server's names are answered`(host: String, isKnown: Bool) {
    let guarding = guarding([
      "lists.example", "Balanced.example:9000", "secure.example:443", "[2001:db8::7]:9000",
      "[2001:db8::8]",
    ])
    #expect(((try? guarding.checkHost(host, [:])) != nil) == isKnown)
    #expect((try? guarding.checkHost(nil, [:])) == nil)
  }

  @Test(arguments: [
    ("127.0.0.1", [], "127.0.0.1:8421"), ("127.0.0.9", [], "127.0.0.9:8421"),
    ("::1", [], "[::1]:8421"), ("0.0.0.0", [], "127.0.0.1:8421"),
    ("::", ["lists.example"], "lists.example:8421"),
    ("192.0.2.7", ["lists.example"], "lists.example:8421"),
    ("192.0.2.7", [], "192.0.2.7:8421"),
    ("127.0.0.1", ["lists.example:9000", "other.example"], "lists.example:9000"),
  ])
  func `R240: the address that is printed is one that is answered`(
    address: String,
    names: [String],
    printed: String
  ) {
    var options = WebServerOptions()
    (options.address, options.hostNames) = (address, names)
    #expect(options.printedHost(8421) == printed)
    let guarding = guarding(options.hostNames, at: options.addresses)
    #expect((try? guarding.checkHost(printed, [:])) != nil)
    for other in ["0.0.0.0:8421", "127.0.0.1", address] {
      #expect((try? guarding.checkHost(other, [:])) == nil, "\(other)")
    }
  }

  @Test(arguments: [
    ("gzip", true), ("GZip", true), ("br, gzip;q=0.5", true), ("deflate ,  gzip ; q=0.001", true),
    ("gzip;q=0", false), ("gzip; q=0.000", false), ("br", false), ("xgzip, gzipx", false),
    ("", false), (";,;gzip", false),
  ])
  func `R242: a file is compressed for those who accept it`(
    encodings: String,
    isAccepted: Bool
  ) throws {
    #expect(try request("/", ["Accept-Encoding": encodings]).acceptsGzip == isAccepted)
    #expect(try !request("/").acceptsGzip)
  }

  @Test(arguments: [
    ("Bearer 0123456789abcdef0123456789abcdef", true),
    ("Bearer 0123456789abcdef0123456789abcdeF", false),
    ("Bearer 0123456789abcdef0123456789abcde", false), ("Bearer ", false),
    ("bearer 0123456789abcdef0123456789abcdef", false),
  ])
  func `R240: the token is compared as a whole`(field: String, isKnown: Bool) throws {
    #expect(guarding().hasToken(try request("/", ["Authorization": field])) == isKnown)
  }

  @Test func `R240: a kept token opens the sessions of earlier servers, and no other`() throws {
    let kept = RequestGuard(
      token: Self.token,
      program: "book-catalog",
      port: 8421,
      isTokenKept: true
    )
    let secret = kept.newSecret()
    #expect(kept.isKept(secret))
    #expect(!guarding().isKept(secret))
    #expect(!kept.isKept(guarding().newSecret()))
    #expect(
      kept.cookie(of: secret, at: "127.0.0.1:8421")
        == "book-catalog-8421=\(secret); Path=/; HttpOnly; SameSite=Strict"
    )
    // All processes behind one address share the cookie, and two addresses do not.
    #expect(kept.cookieName(at: "lists.example:9000") == "book-catalog-9000")
    #expect(kept.cookieName(at: "[::1]:9000") == "book-catalog-9000")
    #expect(kept.cookieName(at: "lists.example") == "book-catalog")
    #expect(kept.cookieName(at: "[::1]") == "book-catalog")
    for other in ["", ".", "\(secret)0", String(secret.dropLast()), String(secret.dropFirst())] {
      #expect(!kept.isKept(other), "\(other)")
    }
  }

  @Test func `R240: a change must come from a page of this very server`() throws {
    let guarding = guarding()
    let json = ("Content-Type", "application/json; charset=utf-8")
    func status(_ fields: KeyValuePairs<String, String>, isProgram: Bool = false) throws -> Int {
      do {
        try guarding.checkOrigin(
          try request("/api/undo", method: "POST", fields),
          authority: "127.0.0.1:8421",
          isProgram: isProgram
        )
        return 200
      } catch let failure as WebFailure {
        return failure.status
      }
    }
    let own = ("Origin", "http://127.0.0.1:8421")
    #expect(try status([own.0: own.1, json.0: json.1]) == 200)
    #expect(try status([own.0: own.1, "Sec-Fetch-Site": "same-origin", json.0: json.1]) == 200)
    #expect(try status([own.0: own.1, "Sec-Fetch-Site": "same-site", json.0: json.1]) == 403)
    #expect(try status([json.0: json.1]) == 403)
    #expect(try status([json.0: json.1], isProgram: true) == 200)
    for origin in ["http://127.0.0.1:8422", "http://evil.example", "null", "http://127.0.0.1"] {
      #expect(try status(["Origin": origin, json.0: json.1]) == 403, "\(origin)")
      #expect(try status(["Origin": origin, json.0: json.1], isProgram: true) == 403, "\(origin)")
    }
    for type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""] {
      #expect(try status([own.0: own.1, "Content-Type": type]) == 415, "\(type)")
    }
  }

  @Test func `R242: a query is decoded by bytes, and what is not UTF-8 is refused`() throws {
    let web = try request("/api/events?filter=a%20b+c%2B&sort=%E6%9B%B8&filter=second&flag&x=1=2")
    #expect(web.path == "/api/events")
    #expect(web["filter"] == "a b c+")
    #expect(web["sort"] == "書")
    #expect(web["flag"] == nil)
    #expect(web.query["flag"]?.isEmpty == true)
    #expect(web["x"] == "1=2")
    for target in ["/?a=%", "/?a=%4", "/?a=%zz", "/?a=%ff", "/?a=%C3%28", "/?%E6=1"] {
      #expect(throws: WebFailure.self, "\(target)") { try request(target) }
    }
  }

  @Test func `R242: a row's name stands for its key and no other`() throws {
    let names = ["a", "b"]
    let entity = try EntityDescription(
      name: "Thing",
      identity: .compound(names),
      attributes: names.map { AttributeDescription($0, .text) }
    )
    for text in QuotingTexts.all(around: ["\"", "\\"]).suffix(400) {
      let key = ObjectKey.compound([.text(text), .null])
      #expect(try RowName.key(RowName.text(of: key), of: entity) == key)
    }
    for key in [
      ObjectKey.compound([.integer(.max), .real(.infinity)]),
      .compound([.blob([0, 255]), .real(-0.5)]),
      .compound([.text("[1,2]"), .text("")]),
    ] {
      #expect(try RowName.key(RowName.text(of: key), of: entity) == key)
    }
    for other in ["", "1", "[1]", "[1,2,3]", "[", "[1,2", "{}", "[1,2]x", "null"] {
      #expect(throws: WebFailure.self, "\(other)") { try RowName.key(other, of: entity) }
    }
  }

  @Test func `R240: nothing of a value is markup`() {
    for text in QuotingTexts.all(around: ["<", "\"", "&"]).suffix(2000) + [
      "<script>", "'\"&>", "\u{0}\u{1F}\u{7F}\u{85}",
    ] {
      let page: HTMLText = "<td title=\"\(text)\">\(text)</td>"
      let inner = page.text.dropFirst("<td title=\"".count).dropLast("</td>".count)
      let parts = inner.unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false)
      #expect(parts.count == 2, "\(text)")
      #expect(inner.unicodeScalars.count { $0 == "<" || $0 == ">" } == 1, "\(text)")
      #expect(!inner.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "\(text)")
    }
  }
}
#endif
