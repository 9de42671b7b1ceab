#if Web
import HTTPTypes
import ResultsDomain

/// A request as the routes see it: the path and the decoded query, whatever else the target held.
struct WebRequest: Sendable {
  /// The method, such as `GET`.
  let method: String
  /// The path as it was sent; no route has a character that would be encoded.
  let path: String
  /// The decoded members of the query; of a repeated name the first one.
  let query: [String: String]
  /// The header fields.
  let headers: HTTPFields

  /// Parses a request's head.
  /// - Throws: `WebFailure` with status 400 for a query that is not UTF-8, or is longer than any that the page sends.
  init(method: String, target: String, headers: HTTPFields) throws(WebFailure) {
    self.method = method
    self.headers = headers
    let parts = target.utf8.split(
      separator: UInt8(ascii: "?"),
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    path = parts.first.map { String(decoding: $0, as: UTF8.self) } ?? "/"
    guard parts.count > 1 else {
      query = [:]
      return
    }
    var query: [String: String] = [:]
    for member in parts[1].split(separator: UInt8(ascii: "&")) {
      let halves = member.split(
        separator: UInt8(ascii: "="),
        maxSplits: 1,
        omittingEmptySubsequences: false
      )
      let name = try WebRequest.decoded(halves[0])
      let value = halves.count > 1 ? try WebRequest.decoded(halves[1]) : ""
      if query[name] == nil { query[name] = value }
    }
    self.query = query
  }

  /// Returns a member of the query, or `nil` if it is missing or empty.
  subscript(name: String) -> String? { query[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// Returns a whole number of the query.
  /// - Throws: `WebFailure` with status 400 for another text, or a number outside the bounds.
  func number(_ name: String, in bounds: ClosedRange<Int>) throws(WebFailure) -> Int? {
    guard let text = self[name] else { return nil }
    guard let number = Int(text), bounds.contains(number) else {
      throw .badRequest(
        "“\(name)” must be a whole number from \(bounds.lowerBound) to \(bounds.upperBound)."
      )
    }
    return number
  }

  /// The text of a percent-encoded part, in which a plus is a space.
  private static func decoded(_ bytes: some Collection<UInt8>) throws(WebFailure) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): result.append(0x20)
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
        else { throw .badRequest("The address has a % that begins no encoded byte.") }
        result.append(high << 4 | low)
      default: result.append(byte)
      }
    }
    guard let text = String(validating: result, as: UTF8.self) else {
      throw .badRequest("The address is not UTF-8.")
    }
    return text
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}

extension WebRequest {
  /// Whether the client takes an answer that is compressed by gzip.
  var acceptsGzip: Bool {
    headers[values: .acceptEncoding].contains { field in
      field.utf8.split(separator: UInt8(ascii: ",")).contains { coding in
        // In lower case, and without the spaces that are allowed around each part.
        let text = coding.filter { $0 != 0x20 && $0 != 0x09 }.map { $0 | 0x20 }
        let parts = text.split(
          separator: UInt8(ascii: ";"),
          maxSplits: 1,
          omittingEmptySubsequences: false
        )
        guard parts.first?.elementsEqual("gzip".utf8) == true else { return false }
        // A weight that is zero refuses it.
        return parts.count == 1 || parts[1].contains { (0x31...0x39).contains($0) }
      }
    }
  }

  /// The value of a cookie, or `nil`.
  func cookie(_ name: String) -> String? {
    for field in headers[values: .cookie] {
      for part in field.utf8.split(separator: UInt8(ascii: ";")) {
        let pair = part.drop { $0 == 0x20 }.split(separator: UInt8(ascii: "="), maxSplits: 1)
        guard pair.count == 2, pair[0].elementsEqual(name.utf8) else { continue }
        return String(decoding: pair[1], as: UTF8.self)
      }
    }
    return nil
  }
}
#endif
