#if Web
import Foundation
import WireFormat

/// A plain connection to a server on this machine: what is sent is sent as it is, and what comes is read byte by byte.
final class RawConnection {
  private(set) var input: ByteInput
  private let descriptor: Int32
  /// The time up to which everything of this connection is waited for.
  private let deadline: Deadline

  /// Connects to a port.
  /// - Parameters:
  ///   - port: The port.
  ///   - seconds: The time after which no call of the connection waits any longer.
  ///   - receiveBuffer: The bytes that the system keeps for a test that does not read, or `nil` for the usual number.
  /// - Throws: `WebTestFailure` if nothing listens there.
  init(to port: Int, within seconds: Double = 30, receiveBuffer: Int32? = nil)
    throws(WebTestFailure)
  {
    signal(SIGPIPE, SIG_IGN)
    deadline = Deadline(seconds)
    descriptor = try LoopbackSocket.connected(to: port, receiveBuffer: receiveBuffer)
    input = ByteInput(descriptor)
  }

  deinit { close(descriptor) }

  /// Sends bytes.
  func send(_ bytes: some Sequence<UInt8>) throws(WebTestFailure) {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      try deadline.wait(for: POLLOUT, on: descriptor)
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw WebTestFailure("the connection is closed: \(errno)") }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads the head of an answer.
  func head() throws(WebTestFailure) -> RawAnswer {
    guard let head = try input.take(upTo: Array("\r\n\r\n".utf8), by: deadline) else {
      throw WebTestFailure("the connection was closed without an answer: \(input.reason)")
    }
    var lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n").map(String.init)
    let first = lines.isEmpty ? "" : lines.removeFirst()
    guard first.hasPrefix("HTTP/1.1 "), let status = Int(first.dropFirst(9).prefix(3)) else {
      throw WebTestFailure("no answer of HTTP: \(first)")
    }
    let fields = lines.compactMap { line -> (String, String)? in
      let halves = line.split(separator: ":", maxSplits: 1).map(String.init)
      guard halves.count == 2 else { return nil }
      return (halves[0].lowercased(), halves[1].trimmingCharacters(in: .whitespaces))
    }
    return RawAnswer(status: status, fields: fields)
  }

  /// Reads a whole answer to a request with a method; one to `HEAD` has no body.
  func answer(to method: String = "GET") throws(WebTestFailure) -> RawAnswer {
    var answer = try head()
    if method != "HEAD" { answer.body = try body(of: answer) }
    return answer
  }

  /// Reads the body of an answer whose head has been read.
  func body(of head: RawAnswer) throws(WebTestFailure) -> [UInt8] {
    if head["transfer-encoding"] == "chunked" {
      var body: [UInt8] = []
      while let chunk = try chunk() { body += chunk }
      return body
    }
    return try input.take(head["content-length"].flatMap { Int($0) } ?? 0, by: deadline)
  }

  /// Says that nothing more is sent.
  func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Reads a part of a body that is sent in parts, or `nil` at its end.
  func chunk(by deadline: Deadline? = nil) throws(WebTestFailure) -> [UInt8]? {
    let deadline = deadline ?? self.deadline
    guard let line = try input.take(upTo: [0x0D, 0x0A], by: deadline) else { return nil }
    guard let count = Int(String(decoding: line, as: UTF8.self), radix: 16) else {
      throw WebTestFailure("no length of a part: \(String(decoding: line, as: UTF8.self))")
    }
    let bytes = try input.take(count, by: deadline)
    _ = try input.take(2, by: deadline)
    return count == 0 ? nil : bytes
  }

  /// Waits until the other end has closed the connection.
  func waitForEnd() throws(WebTestFailure) { while try input.fill(by: deadline) {} }
}

/// Sockets of this machine's own address.
enum LoopbackSocket {
  private static func make() -> Int32 {
    #if canImport(Darwin)
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }

  private static func address(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    return address
  }

  /// Returns a socket that is connected to a port.
  /// - Throws: `WebTestFailure` if nothing listens there.
  static func connected(to port: Int, receiveBuffer: Int32? = nil) throws(WebTestFailure) -> Int32 {
    let descriptor = make()
    if var size = receiveBuffer {
      setsockopt(
        descriptor,
        SOL_SOCKET,
        SO_RCVBUF,
        &size,
        socklen_t(MemoryLayout.size(ofValue: size))
      )
    }
    var address = address(port)
    let code = withUnsafeBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) {
        connect(descriptor, $0.baseAddress, socklen_t(bytes.count))
      }
    }
    guard code == 0 else {
      let reason = errno
      close(descriptor)
      throw WebTestFailure("no connection to port \(port): \(reason)")
    }
    return descriptor
  }

  /// Returns a socket that listens on a port that was free.
  static func listening() throws(WebTestFailure) -> (descriptor: Int32, port: Int) {
    let descriptor = make()
    var address = address(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutableBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { address in
        bind(descriptor, address.baseAddress, size) + listen(descriptor, 128)
          + getsockname(descriptor, address.baseAddress, &size)
      }
    }
    guard code == 0 else {
      close(descriptor)
      throw WebTestFailure("nothing can listen: \(errno)")
    }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }
}

/// An answer as it came.
struct RawAnswer {
  /// The status.
  let status: Int
  /// The header fields, their names in lower case.
  let fields: [(name: String, value: String)]
  /// The body.
  var body: [UInt8] = []

  /// The value of a header field.
  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  /// The body as text.
  var text: String { String(decoding: body, as: UTF8.self) }

  /// The body as JSON, or `null`.
  var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }

  /// The sentence that says what is wrong.
  var error: String { json["error"]?.string ?? "" }

  /// Whether the body has the one form of all errors, or is the page for a person who has not been let in.
  var isError: Bool {
    if self["content-type"] == "text/html; charset=utf-8" {
      return status == 401 && text.contains("<h1>")
    }
    return json["error"]?.string?.isEmpty == false && json["remedy"]?.string != nil
      && self["content-type"] == "application/json"
  }
}

/// A request, with whatever header fields a test gives it.
struct WebRequest {
  var method: String
  var target: String
  /// The header fields besides `Host`.
  var fields: [(name: String, value: String)] = []
  /// The host that it names, or `nil` for that of the server.
  var host: String?
  var body: [UInt8]?

  init(_ method: String, _ target: String, bearer token: String? = nil, json: JSONValue? = nil) {
    (self.method, self.target) = (method, target)
    if let token { fields.append(("Authorization", "Bearer \(token)")) }
    if let json {
      fields.append(("Content-Type", "application/json"))
      body = Array(json.text.utf8)
    }
  }

  /// The request with another value of a header field, or without it.
  func setting(_ name: String, to value: String?) -> WebRequest {
    var request = self
    request.fields.removeAll { $0.name == name }
    if let value { request.fields.append((name, value)) }
    return request
  }

  /// The bytes of the request to a port.
  func bytes(to port: Int) -> [UInt8] {
    var text = "\(method) \(target) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n"
    for (name, value) in fields { text += "\(name): \(value)\r\n" }
    if let body { text += "Content-Length: \(body.count)\r\n" }
    return Array("\(text)\r\n".utf8) + (body ?? [])
  }

  /// Sends the request over a connection of its own, and reads the whole answer.
  func answer(from port: Int, within seconds: Double = 30) throws -> RawAnswer {
    let connection = try RawConnection(to: port, within: seconds)
    try connection.send(bytes(to: port))
    return try connection.answer(to: method)
  }
}

extension JSONValue {
  /// An object of texts.
  static func texts(_ texts: KeyValuePairs<String, String>) -> JSONValue {
    .object(texts.map { Member(name: $0.key, value: .string($0.value)) })
  }

  /// An object.
  static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member(name: $0.key, value: $0.value) })
  }
}
#endif
