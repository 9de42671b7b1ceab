import ResultsStoreKit
import Foundation
import Synchronization

/// A server on the loopback that answers each request with what a closure returns, as the bytes that it writes.
final class LoopbackServer: Sendable {
  /// A request: its path, and its fields by their names in lower case.
  struct Request: Sendable {
    var path: String
    var fields: [String: String]
  }

  /// A part of an answer.
  enum Part: Sendable {
    case bytes([UInt8])
    /// Waits until the client has closed the connection.
    case silence
    /// Says that the part before has ended.
    case closed(@Sendable () -> Void)
    /// Writes the bytes again and again until the client closes the connection.
    case endless([UInt8])

    static func text(_ text: String) -> Part { .bytes(Array(text.utf8)) }
  }

  private struct State {
    var requests: [Request] = []
    var running = 0
    var most = 0
    var isStopped = false
  }

  let port: Int
  private let descriptor: Int32
  private let state = Mutex(State())

  /// Starts a server on `127.0.0.1`.
  init(_ answer: @escaping @Sendable (Request) -> [Part]) throws {
    signal(SIGPIPE, SIG_IGN)
    #if canImport(Glibc) || canImport(Musl)
    let kind = Int32(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    descriptor = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let socket = descriptor
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(socket, pointer, length) + listen(socket, 64) + getsockname(socket, pointer, &length)
      }
    }
    struct Failure: Error {}
    guard descriptor >= 0, status == 0 else { throw Failure() }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [self] in
      // The accepting thread closes the socket: after a close elsewhere its number may belong to another server.
      defer { close(descriptor) }
      while true {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return }
        guard !state.withLock({ $0.isStopped }) else {
          close(client)
          return
        }
        Thread.detachNewThread { [self] in serve(client, answer) }
      }
    }
  }

  /// Stops listening; connections that are open end with their clients.
  func stop() {
    state.withLock { $0.isStopped = true }
    // On Linux this ends an accept that waits; elsewhere the next connection does.
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// The address of a path.
  func address(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// The requests so far.
  var requests: [Request] { state.withLock { $0.requests } }

  /// The greatest number of requests that were answered at the same time.
  var mostAtOnce: Int { state.withLock { $0.most } }

  private func serve(_ client: Int32, _ answer: (Request) -> [Part]) {
    defer { close(client) }
    guard let request = LoopbackServer.request(on: client) else { return }
    state.withLock { state in
      state.requests.append(request)
      state.running += 1
      state.most = max(state.most, state.running)
    }
    defer { state.withLock { $0.running -= 1 } }
    for part in answer(request) {
      switch part {
      case .bytes(let bytes): guard LoopbackServer.write(bytes, to: client) else { return }
      case .silence:
        var byte: UInt8 = 0
        while read(client, &byte, 1) > 0 {}
      case .closed(let note): note()
      case .endless(let bytes): while LoopbackServer.write(bytes, to: client) {}
      }
    }
    // What is written last must arrive although the client may still write.
    shutdown(client, Int32(SHUT_WR))
  }

  private static func write(_ bytes: [UInt8], to client: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(client, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func request(on client: Int32) -> Request? {
    var head: [UInt8] = []
    var byte: UInt8 = 0
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard head.count < 1 << 16, read(client, &byte, 1) == 1 else { return nil }
      head.append(byte)
    }
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n").map(String.init)
    let words = (lines.first ?? "").split(separator: " ")
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      let halves = line.split(separator: ":", maxSplits: 1).map(String.init)
      guard halves.count == 2 else { continue }
      fields[halves[0].lowercased()] = halves[1].trimmingCharacters(in: .whitespaces)
    }
    return Request(path: words.count > 1 ? String(words[1]) : "", fields: fields)
  }
}

extension [LoopbackServer.Part] {
  /// A whole answer.
  static func answer(
    _ status: String,
    _ fields: [String] = [],
    body: [UInt8] = []
  ) -> [LoopbackServer.Part] {
    let head =
      ["HTTP/1.1 \(status)", "Content-Length: \(body.count)", "Connection: close"] + fields
    return [.text(head.joined(separator: "\r\n") + "\r\n\r\n"), .bytes(body)]
  }
}
