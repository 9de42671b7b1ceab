#if Web
package import WireFormat

/// The reason why a request has no other answer: a status, a sentence about what is wrong, and what to do.
package struct WebFailure: Error, Sendable {
  /// The status of the answer.
  package var status: Int
  /// What is wrong, in a sentence.
  package var message: String
  /// What to do, in a sentence, or an empty text.
  package var remedy = ""
  /// More members of the answer.
  package var details: [JSONValue.Member] = []
  /// The seconds after which the request may succeed, or `nil`.
  package var retryAfter: Int?
  /// The methods that the address takes, where it was asked with another one.
  package var methods: [String] = []

  /// Creates a failure.
  package init(
    _ status: Int,
    _ message: String,
    remedy: String = "",
    details: [JSONValue.Member] = []
  ) {
    (self.status, self.message, self.remedy, self.details) = (status, message, remedy, details)
  }

  /// The failure of a request that was not understood.
  static func badRequest(_ message: String, remedy: String = "") -> WebFailure {
    WebFailure(400, message, remedy: remedy)
  }

  /// The failure of a request for what does not exist.
  static let notFound = WebFailure(404, "There is nothing at this address.")

  /// The failure of a request of a client whose stream has ended.
  static let clientGone = WebFailure(
    410,
    "This client's stream has ended.",
    remedy: "Open a new stream."
  )

  /// The one form of all failures.
  var json: JSONValue {
    .object(
      [
        JSONValue.Member(name: "error", value: .string(message)),
        JSONValue.Member(name: "remedy", value: .string(remedy)),
      ] + details
    )
  }
}

extension WebFailure: CustomStringConvertible {
  /// What is wrong, and what to do.
  package var description: String { remedy.isEmpty ? message : "\(message) \(remedy)" }
}
#endif
