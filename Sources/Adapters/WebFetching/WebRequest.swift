/// An address to fetch.
package struct WebRequest: Hashable, Sendable {
  /// A number that the answer repeats.
  package var id: Int64
  /// The address, which begins with `http://` or `https://`.
  package var address: String
  /// The `ETag` of a copy that there is already.
  package var tag: String?
  /// The `Last-Modified` of a copy that there is already.
  package var modified: String?

  /// Creates a request.
  package init(id: Int64, address: String, tag: String? = nil, modified: String? = nil) {
    (self.id, self.address, self.tag, self.modified) = (id, address, tag, modified)
  }

  /// The fields of the request besides those that the library writes; a line break would begin another field.
  var fields: [String] {
    [("If-None-Match", tag), ("If-Modified-Since", modified)].compactMap { name, value in
      guard let value, value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
      else { return nil }
      return "\(name): \(value)"
    }
  }
}

/// What came of a request.
package struct WebResponse: Sendable {
  /// The number of the request.
  package let id: Int64
  /// The answer of the last server that was asked, or the reason why there is none.
  package let result: Result<WebAnswer, WebFailure>
}

/// The answer of a server.
package struct WebAnswer: Sendable {
  /// The status, such as 200 or 304.
  package let status: Int
  /// The address that was asked last: another one than that of the request after redirects.
  package let address: String
  /// Whether every redirect on the way there was permanent, and there was one.
  package let hasMoved: Bool
  /// The body, inflated.
  package let body: [UInt8]
  /// The `ETag` of the answer.
  package let tag: String?
  /// The `Last-Modified` of the answer.
  package let modified: String?
  /// The seconds after which the server wants to be asked again.
  package let retryAfter: Int?
  /// The seconds for which the answer stays fresh.
  package let maximumAge: Int?
}

/// The limits of each fetch, and of all that run at once.
package struct WebLimits: Hashable, Sendable {
  /// The number of fetches that run at once.
  package var simultaneous = 16
  /// The number of fetches of one host that run at once.
  package var perHost = 2
  /// The time in which a connection must be made.
  package var connecting = Duration.seconds(10)
  /// The time in which an answer must be complete.
  package var total = Duration.seconds(30)
  /// The size of a body after inflation, in bytes.
  package var maximumBytes = 8 << 20
  /// The number of redirects.
  package var redirects = 5

  /// The usual limits.
  package init() {}
}

/// The reason why a fetch has no answer; no text of it has an address.
package enum WebFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no libcurl, or one that cannot be used.
  case noLibrary
  /// The libcurl that was found is too old.
  case oldLibrary(version: String)
  /// The address is no address of http or https.
  case invalidAddress
  /// No host has the name.
  case unknownHost
  /// No connection could be made.
  case notConnected
  /// The server's certificate is not that of a trusted server, or the connection cannot be encrypted.
  case notTrusted
  /// The time of a limit is over.
  case timedOut
  /// The body is larger than the limit when it is unpacked.
  case tooLarge(limit: Int)
  /// A redirect names an address that is not one of http or https.
  case otherProtocol
  /// There are more redirects than the limit.
  case tooManyRedirects(limit: Int)
  /// The connection ended before the answer.
  case cutOff
  /// The body is not packed as the server says.
  case notUnpacked
  /// Any other result of libcurl, in its words.
  case other(String)

  /// What happened, without a full stop.
  package var description: String {
    switch self {
    case .noLibrary: "there is no libcurl 7.85 or later"
    case .oldLibrary(let version): "libcurl is \(version), and 7.85 or later is needed"
    case .invalidAddress: "the address is none of http or https"
    case .unknownHost: "the host is not known"
    case .notConnected: "no connection"
    case .notTrusted: "no secure connection: the server's certificate is not trusted"
    case .timedOut: "timed out"
    case .tooLarge(let limit): "larger than \(WebFailure.size(limit)) when unpacked"
    case .otherProtocol: "redirected to an address that is none of http or https"
    case .tooManyRedirects(let limit): "redirected more than \(limit) times"
    case .cutOff: "the connection ended before the answer"
    case .notUnpacked: "the answer cannot be unpacked"
    case .other(let words): words
    }
  }

  private static func size(_ bytes: Int) -> String {
    bytes >= 1 << 20 ? "\(bytes >> 20) MB" : "\(bytes >> 10) KB"
  }

  /// The failure for a result of libcurl; `nil` for success.
  init?(result: Int32, limits: WebLimits, words: String) {
    switch result {
    case 0: return nil
    case 1: self = .otherProtocol
    case 3: self = .invalidAddress
    case 5, 6: self = .unknownHost
    case 7: self = .notConnected
    case 28: self = .timedOut
    case 35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 83, 90, 91: self = .notTrusted
    case 47: self = .tooManyRedirects(limit: limits.redirects)
    case 18, 52, 55, 56, 92, 95: self = .cutOff
    case 61: self = .notUnpacked
    default: self = .other(words)
    }
  }
}
