#if Web
import HTTPTypes
import Hummingbird
import NIOCore
import WireFormat

/// The answers that routes give, with the headers that every answer has.
enum WebAnswer {
  /// What a browser may do with a page: nothing but what comes from here, and no script that is made from text.
  private static let contentPolicy = """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'
    """

  /// Returns the headers of an answer.
  /// - Parameters:
  ///   - type: The media type of the body.
  ///   - isImmutable: Whether a browser may keep the answer for ever: its address names its content.
  /// - Returns: The headers.
  static func headers(_ type: String, isImmutable: Bool = false) -> HTTPFields {
    var fields = HTTPFields()
    fields[.contentType] = type
    fields[.cacheControl] = isImmutable ? "public, max-age=31536000, immutable" : "no-store"
    fields[.contentSecurityPolicy] = contentPolicy
    fields[.xContentTypeOptions] = "nosniff"
    for (name, value) in [
      ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Referrer-Policy", "no-referrer"),
    ] {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    return fields
  }

  /// Returns an answer with a text.
  static func text(
    _ text: String,
    type: String,
    status: Int = 200,
    isImmutable: Bool = false
  ) -> Response {
    Response(
      status: HTTPResponse.Status(code: status),
      headers: headers(type, isImmutable: isImmutable),
      body: ResponseBody(byteBuffer: ByteBuffer(string: text))
    )
  }

  /// Returns an answer with a JSON value.
  static func json(_ value: JSONValue, status: Int = 200) -> Response {
    text(value.text + "\n", type: "application/json", status: status)
  }

  /// Returns an answer without a body.
  static func empty(status: Int = 204) -> Response {
    Response(status: HTTPResponse.Status(code: status), headers: headers("text/plain"))
  }

  /// Returns the answer to a request that failed.
  static func failure(_ failure: WebFailure) -> Response {
    var response = json(failure.json, status: failure.status)
    if let seconds = failure.retryAfter { response.headers[.retryAfter] = String(seconds) }
    if !failure.methods.isEmpty {
      response.headers[.allow] = failure.methods.joined(separator: ", ")
    }
    // The client's stream may be that of another process behind the same address: the next connection may find it.
    if failure.status == 410 { response.headers[.connection] = "close" }
    return response
  }

  /// Returns the answer to a person whose request failed.
  static func page(_ failure: WebFailure) -> Response {
    let page: HTMLText = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(failure.message)</title>
      <link rel="stylesheet" href="/assets/\("\(WebAssets.hash)")/app.css">
      </head>
      <body class="print">
      <h1>\(failure.message)</h1>
      <p>\(failure.remedy)</p>
      </body>
      </html>

      """
    return text(page.text, type: "text/html; charset=utf-8", status: failure.status)
  }

  /// Returns an answer that sends the browser to another address.
  static func redirect(to address: String, settingCookie cookie: String?) -> Response {
    var response = empty(status: 303)
    response.headers[.location] = address
    response.headers[.setCookie] = cookie
    return response
  }
}

extension JSONValue {
  /// An object, its members in this order; those without a value are left out.
  static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
  }

  /// A whole number.
  static func integer(_ number: Int) -> JSONValue { .number(String(number)) }
}
#endif
