#if Web
import ResultsStoreKit
import Foundation
import Synchronization

/// A balancer of connections: a client that connects to its port reaches one of several servers, each new connection another one.
///
/// It reads nothing of what it passes on. A server to which no connection can be made is passed over.
final class Balancer: Sendable {
  /// The port to which clients connect.
  let port: Int
  private let connections = Connections()

  /// A connection to a server, and the one of the client for which it was made; both are closed with the object.
  private final class Link: Sendable {
    let client: Int32
    let server: Int32
    let port: Int

    init(_ client: Int32, _ server: Int32, port: Int) {
      (self.client, self.server, self.port) = (client, server, port)
    }

    deinit {
      close(client)
      close(server)
    }

    func cut() { for end in [client, server] { shutdown(end, Int32(SHUT_RDWR)) } }

    /// Passes on what comes from one end, until it is closed.
    func pass(from source: Int32, to target: Int32) {
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = read(source, &bytes, bytes.count)
        guard count > 0, Link.write(bytes[..<count], to: target) else { return cut() }
      }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to target: Int32) -> Bool {
      var rest = bytes
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Foundation.write(target, $0.baseAddress, $0.count) }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  /// Listens on a port that is free; the servers come later.
  init() throws(WebTestFailure) {
    signal(SIGPIPE, SIG_IGN)
    let (listener, port) = try LoopbackSocket.listening()
    self.port = port
    let connections = connections
    Thread.detachNewThread {
      defer { close(listener) }
      while !connections.isEnded {
        var polled = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        // The end is noticed by the next look.
        guard poll(&polled, 1, 100) > 0 else { continue }
        let client = accept(listener, nil, nil)
        if client >= 0 { connections.connect(client) }
      }
    }
  }

  deinit { connections.end() }

  /// Sets the ports of the servers.
  func serve(_ ports: [Int]) { connections.serve(ports) }

  /// Sends new connections only to some servers, or to all again.
  func pin(_ ports: [Int]?) { connections.pin(ports) }

  /// Cuts all connections to a server.
  func cut(_ port: Int) { connections.cut { $0 == port } }

  /// The number of connections that were made.
  var accepted: Int { connections.accepted }

  /// The connections, and where the next one goes.
  private final class Connections: Sendable {
    private struct State {
      var servers: [Int] = []
      var next = 0
      /// The servers of new connections, while these are not spread over all.
      var pinned: [Int]?
      var links: [Link] = []
      var isEnded = false
    }

    private let state = Mutex(State())

    var isEnded: Bool { state.withLock { $0.isEnded } }

    func serve(_ ports: [Int]) { state.withLock { $0.servers = ports } }

    func pin(_ ports: [Int]?) { state.withLock { $0.pinned = ports } }

    var accepted: Int { state.withLock { $0.next } }

    func cut(_ isCut: (Int) -> Bool) {
      let links = state.withLock { $0.links }
      for link in links where isCut(link.port) { link.cut() }
    }

    func end() {
      state.withLock { $0.isEnded = true }
      cut { _ in true }
    }

    func connect(_ client: Int32) {
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      let ports = state.withLock { state in
        let ports = state.pinned ?? state.servers
        state.next += 1
        return ports.indices.map { ports[(state.next + $0) % ports.count] }
      }
      for port in ports {
        guard let server = try? LoopbackSocket.connected(to: port) else { continue }
        let link = Link(client, server, port: port)
        state.withLock { $0.links.append(link) }
        for (source, target) in [(client, server), (server, client)] {
          Thread.detachNewThread { [self] in
            link.pass(from: source, to: target)
            state.withLock { $0.links.removeAll { $0 === link } }
          }
        }
        return
      }
      close(client)
    }
  }
}
#endif
