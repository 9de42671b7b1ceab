import Foundation
import Synchronization

/// A server on the loopback with answers by path; one without an answer is waited for.
final class FeedServer: Sendable {
  private let answers = Mutex<[String: [UInt8]]>([:])
  private let log = Mutex<[String]>([])
  private let isStopped = Mutex(false)
  private let descriptor: Int32
  let port: Int

  init() throws {
    signal(SIGPIPE, SIG_IGN)
    #if canImport(Glibc) || canImport(Musl)
    let kind = Int32(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    let socket = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(socket, pointer, length) + listen(socket, 64) + getsockname(socket, pointer, &length)
      }
    }
    struct Failure: Error {}
    guard socket >= 0, status == 0 else { throw Failure() }
    descriptor = socket
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [self] in
      // The accepting thread closes the socket: after a close elsewhere its number may belong to another server.
      defer { close(socket) }
      while true {
        let client = accept(socket, nil, nil)
        guard client >= 0 else { return }
        guard !isStopped.withLock({ $0 }) else {
          close(client)
          return
        }
        Thread.detachNewThread { [self] in serve(client) }
      }
    }
  }

  /// Stops listening.
  func stop() {
    isStopped.withLock { $0 = true }
    // On Linux this ends an accept that waits; elsewhere the next connection does.
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// The address of a path.
  func address(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// The heads of the requests so far.
  var requests: [String] { log.withLock { $0 } }

  /// Sets the answer to a path: its status and fields, and its body.
  func set(
    _ path: String,
    _ status: String = "200 OK",
    _ fields: [String] = [],
    _ body: String = ""
  ) {
    let head =
      ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"] + fields
    let text = head.joined(separator: "\r\n") + "\r\n\r\n" + body
    answers.withLock { $0[path] = Array(text.utf8) }
  }

  /// Sets the bytes that answer a path, after which the connection is closed.
  func set(_ path: String, bytes: String) { answers.withLock { $0[path] = Array(bytes.utf8) } }

  private func serve(_ client: Int32) {
    defer { close(client) }
    var head: [UInt8] = []
    var byte: UInt8 = 0
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard head.count < 1 << 16, read(client, &byte, 1) == 1 else { return }
      head.append(byte)
    }
    let text = String(decoding: head, as: UTF8.self)
    log.withLock { $0.append(text) }
    let path = text.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    guard let answer = answers.withLock({ $0[path] }) else {
      while read(client, &byte, 1) > 0 {}
      return
    }
    var rest = answer[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(client, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
    shutdown(client, Int32(SHUT_WR))
  }
}
