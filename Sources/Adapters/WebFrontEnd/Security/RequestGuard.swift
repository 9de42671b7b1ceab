#if Web
import HTTPTypes
import ResultsDomain

/// Decides whether a request may be answered at all, before anything else of it is read.
///
/// Loopback is no protection: pages of any site reach it through the browser of the user, and every user of the machine reaches it
/// directly. So a request must name this server as its host (against names that an attacker's server resolves to this machine), must carry
/// the token or a session's cookie, and, where it changes anything, must come from a page of this very server.
struct RequestGuard: Sendable {
  /// The hosts that requests may name, with their ports, in lower case.
  let hosts: Set<String>
  private let program: String
  private let token: SecretText
  /// Whether the token is that of later servers too.
  private let isTokenKept: Bool

  /// Creates a guard.
  /// - Parameters:
  ///   - token: The token that opens a session, and authorizes programs.
  ///   - program: The program's name.
  ///   - port: The port.
  ///   - addresses: The address that is listened at, besides those of loopback; as these it is answered under the server's port only.
  ///   - names: Further names of this machine. One with a port is that of a server before this one; one without is answered under this
  ///     server's port, and under that of the protocol, which a browser leaves out.
  ///   - isTokenKept: Whether the token is that of later servers too.
  init(
    token: SecretText,
    program: String,
    port: Int,
    addresses: [String] = [],
    names: [String] = [],
    isTokenKept: Bool = false
  ) {
    (self.token, self.isTokenKept) = (token, isTokenKept)
    self.program = program
    let own = (["127.0.0.1", "localhost", "[::1]"] + addresses).flatMap { name in
      port == 80 ? [name, "\(name):80"] : ["\(name):\(port)"]
    }
    let others = names.flatMap { name in
      let name = name.lowercased()
      guard let other = RequestGuard.port(of: name) else { return [name, "\(name):\(port)"] }
      return ["80", "443"].contains(String(other))
        ? [name, String(name.dropLast(other.utf8.count + 1))] : [name]
    }
    hosts = Set(own + others)
  }

  /// The port that a host names, or `nil` if it names none.
  static func port(of host: String) -> String? {
    let bytes = host.utf8
    guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else { return nil }
    let (name, port) = (bytes[..<colon], bytes[colon...].dropFirst())
    // The address of IPv6 has colons of its own, and stands in brackets where a port follows.
    let isWhole = !name.contains(UInt8(ascii: ":")) || name.last == UInt8(ascii: "]")
    guard isWhole, !port.isEmpty, port.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return String(decoding: port, as: UTF8.self)
  }

  /// The name of the cookie of a browser that names a host.
  ///
  /// Browsers do not separate cookies by port, so the port is a part of the name: the one that the browser knows, which is the same for all
  /// processes behind one address.
  func cookieName(at authority: String?) -> String {
    authority.flatMap(RequestGuard.port).map { "\(program)-\($0)" } ?? program
  }

  /// Refuses a request that names another host, or several.
  /// - Parameters:
  ///   - authority: The first host that it names.
  ///   - headers: The header fields, in which a further host would be.
  /// - Throws: `WebFailure` with status 421.
  func checkHost(_ authority: String?, _ headers: HTTPFields) throws(WebFailure) {
    let isRepeated = RequestGuard.host.map { headers.contains($0) } ?? false
    guard let authority, !isRepeated, hosts.contains(authority.lowercased()) else {
      throw WebFailure(
        421,
        "This server does not answer to that name.",
        remedy: "Use the address that the program printed."
      )
    }
  }

  /// Whether a request carries the token itself, as programs send it.
  func hasToken(_ request: WebRequest) -> Bool {
    guard let field = request.headers[.authorization]?.utf8, field.starts(with: "Bearer ".utf8)
    else { return false }
    return token.equals(String(decoding: field.dropFirst("Bearer ".utf8.count), as: UTF8.self))
  }

  /// Whether a text is the token.
  func isToken(_ text: String) -> Bool { token.equals(text) }

  /// Refuses a request that changes something and does not come from a page of this server.
  ///
  /// A page of another port of this machine is of the same site for a browser, and is refused too.
  /// - Parameters:
  ///   - request: The request.
  ///   - authority: The host that it names.
  ///   - isProgram: Whether it carries the token itself, which no page of another site knows.
  ///   - media: The type that its body must have; no form of a page of another site can send it.
  /// - Throws: `WebFailure` with status 403 or 415.
  func checkOrigin(
    _ request: WebRequest,
    authority: String?,
    isProgram: Bool,
    media: String = "application/json"
  ) throws(WebFailure) {
    let refusal = WebFailure(403, "The request comes from a page of another site.")
    let site = RequestGuard.fetchSite.flatMap { request.headers[$0] }
    if let site, !site.hasSameBytes(as: "same-origin") {
      throw refusal
    }
    if let origin = request.headers[.origin] {
      let host = authority?.lowercased() ?? ""
      guard ["http://\(host)", "https://\(host)"].contains(where: origin.lowercased().hasSameBytes)
      else { throw refusal }
    } else if !isProgram {
      throw refusal
    }
    let type = request.headers[.contentType]?.lowercased() ?? ""
    guard String(type.prefix { $0 != ";" && $0 != " " }).hasSameBytes(as: media) else {
      throw WebFailure(
        415,
        "The body has another type than this address takes.",
        remedy: "Send Content-Type: \(media)."
      )
    }
  }

  private static let host = HTTPField.Name("Host")
  private static let fetchSite = HTTPField.Name("Sec-Fetch-Site")

  /// Returns a new secret for a session.
  ///
  /// Where the token outlives the server, the sessions do: a page that is open finds its server again after this was restarted. Such a
  /// secret opens no more than the token does, and no longer.
  func newSecret() -> String {
    let secret = SecretText.random().text
    return isTokenKept ? "\(secret).\(RequestGuard.digits(token.text))" : secret
  }

  /// Whether an earlier server with the same token has given a secret to a browser.
  func isKept(_ secret: String) -> Bool {
    let parts = secret.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard isTokenKept, parts.count == 2, parts[0].count == 32 else { return false }
    let rest = String(decoding: parts[1], as: UTF8.self)
    return SecretText(RequestGuard.digits(token.text)).equals(rest)
  }

  /// The bytes of a text as hexadecimal digits, which a cookie may have whatever the text is.
  private static func digits(_ text: String) -> String {
    text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The header that gives a browser its cookie at a host.
  func cookie(of session: String, at authority: String?) -> String {
    "\(cookieName(at: authority))=\(session); Path=/; HttpOnly; SameSite=Strict"
  }
}

/// A text that must be known to be let in: comparing it takes the same time wherever the texts differ.
package struct SecretText: Sendable {
  /// The text.
  package let text: String

  /// Creates a secret from a text.
  package init(_ text: String) { self.text = text }

  /// Returns a new secret of 128 random bits, as 32 hexadecimal digits.
  package static func random() -> SecretText {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  static func random(using generator: inout some RandomNumberGenerator) -> SecretText {
    let halves = (0..<2).map { _ in
      let digits = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
    return SecretText(halves.joined())
  }

  /// Whether another text has the same bytes.
  func equals(_ other: String) -> Bool {
    let (mine, theirs) = (Array(text.utf8), Array(other.utf8))
    guard mine.count == theirs.count else { return false }
    return zip(mine, theirs).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
#endif
