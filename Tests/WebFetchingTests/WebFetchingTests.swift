import ResultsStoreKit
import Foundation
import Synchronization
import Testing
import WebFetching

/// R261 and R262: fetching from servers on the loopback, which behave as badly as servers can.
@Suite(
  .enabled(
    if: FetchingLibrary.isThere,
    "libcurl 7.85 or later is missing: apt-get install libcurl4"
  ),
  .timeLimit(.minutes(5))
)
struct WebFetchingTests {
  /// Fetches one path of a server.
  private func fetch(
    _ path: String = "/",
    tag: String? = nil,
    modified: String? = nil,
    limits: WebLimits = WebLimits(),
    _ answer: @escaping @Sendable (LoopbackServer.Request) -> [LoopbackServer.Part]
  ) async throws -> (result: Result<WebAnswer, WebFailure>, requests: [LoopbackServer.Request]) {
    let server = try LoopbackServer(answer)
    defer { server.stop() }
    let request = WebRequest(id: 7, address: server.address(path), tag: tag, modified: modified)
    var responses: [WebResponse] = []
    for await response in WebFetcher(agent: "test/1", limits: limits).responses(to: [request]) {
      responses.append(response)
    }
    #expect(responses.map(\.id) == [7])
    return (try #require(responses.first).result, server.requests)
  }

  private func failure(_ result: Result<WebAnswer, WebFailure>) -> WebFailure? {
    if case .failure(let failure) = result { failure } else { nil }
  }

  @Test func `an answer has its body, and what is needed to ask again`() async throws {
    let (result, requests) = try await fetch("/a?b=c") { _ in
      .answer(
        "200 OK",
        [
          "ETag: \"x y\"", "Last-Modified: Tue, 03 Nov 2026 09:00:00 GMT",
          "Cache-Control: public, max-age=600",
        ],
        body: Array("content".utf8)
      )
    }
    let answer = try result.get()
    #expect(answer.status == 200 && answer.body == Array("content".utf8))
    #expect(answer.tag == "\"x y\"" && answer.modified == "Tue, 03 Nov 2026 09:00:00 GMT")
    #expect(answer.maximumAge == 600 && answer.retryAfter == nil && !answer.hasMoved)
    #expect(answer.address.hasSuffix("/a?b=c"))
    #expect(requests.map(\.path) == ["/a?b=c"])
    #expect(requests.first?.fields["user-agent"] == "test/1")
    #expect(requests.first?.fields["if-none-match"] == nil)
  }

  @Test func `a copy is asked for with its marks, and an answer can be that it still holds`()
    async throws
  {
    let (result, requests) = try await fetch(tag: "\"x\"", modified: "yesterday") { _ in
      .answer("304 Not Modified", ["ETag: \"x\""])
    }
    #expect(try result.get().status == 304)
    #expect(try result.get().body.isEmpty)
    #expect(requests.first?.fields["if-none-match"] == "\"x\"")
    #expect(requests.first?.fields["if-modified-since"] == "yesterday")
  }

  @Test func `a mark with a line break adds no field to the request`() async throws {
    let (result, requests) = try await fetch(tag: "a\r\nX-Made: yes", modified: "b\nX-Made: yes") {
      _ in .answer("200 OK")
    }
    #expect(try result.get().status == 200)
    #expect(requests.first?.fields.keys.contains("x-made") == false)
  }

  @Test(arguments: [
    (["301"], true), (["308", "301"], true), (["302"], false), (["301", "302"], false),
    (["307", "301"], false), ([], false),
  ])
  func `a feed has moved if every redirect is permanent`(_ redirects: [String], _ hasMoved: Bool)
    async throws
  {
    let (result, _) = try await fetch("/0") { request in
      let step = Int(request.path.dropFirst()) ?? 0
      guard step < redirects.count else { return .answer("200 OK", body: [1]) }
      return .answer("\(redirects[step]) x", ["Location: /\(step + 1)"], body: [2, 3])
    }
    let answer = try result.get()
    #expect(answer.hasMoved == hasMoved && answer.body == [1])
    #expect(answer.address.hasSuffix("/\(redirects.count)"))
  }

  @Test(arguments: ["410 Gone", "404 Not Found", "500 Oops"])
  func `a status is no failure of the fetch`(_ status: String) async throws {
    let (result, _) = try await fetch { _ in .answer(status) }
    #expect(try result.get().status == Int(status.prefix(3)))
  }

  @Test(arguments: ["429 Too Many Requests", "503 Busy"])
  func `the time after which a server wants to be asked again is known`(_ status: String)
    async throws
  {
    let (result, _) = try await fetch { _ in .answer(status, ["Retry-After: 120"]) }
    #expect(try result.get().retryAfter == 120)
  }

  @Test func `R261: a small body that unpacks to a large one is given up at the limit`()
    async throws
  {
    var limits = WebLimits()
    limits.maximumBytes = 1 << 20
    let bomb = Self.bomb(of: 64 << 20)
    #expect(bomb.count < 500_000)
    let (result, _) = try await fetch(limits: limits) { _ in
      .answer("200 OK", ["Content-Encoding: gzip"], body: bomb)
    }
    #expect(failure(result) == .tooLarge(limit: 1 << 20))
    #expect(failure(result)?.description == "larger than 1 MB when unpacked")
    let (whole, _) = try await fetch { _ in
      .answer("200 OK", ["Content-Encoding: gzip"], body: Self.bomb(of: 100_000))
    }
    // The trailer of the file is made up, which is found when all is unpacked.
    let isUnpacked = (try? whole.get().body.count).map { $0 >= 100_000 } ?? false
    #expect(isUnpacked || failure(whole) == .notUnpacked)
  }

  @Test func `R261: a body without an end is given up at the limit`() async throws {
    let (result, _) = try await fetch { _ in
      [.text("HTTP/1.1 200 OK\r\n\r\n"), .endless(Array(repeating: 0x61, count: 65536))]
    }
    #expect(failure(result) == .tooLarge(limit: 8 << 20))
  }

  @Test func `R261: a head without an end is given up`() async throws {
    var limits = WebLimits()
    limits.total = .seconds(20)
    let (result, _) = try await fetch(limits: limits) { _ in
      [
        .text("HTTP/1.1 200 OK\r\n"),
        .endless(Array("X-A: \(String(repeating: "b", count: 900))\r\n".utf8)),
      ]
    }
    #expect(failure(result) != nil)
    #expect(failure(result) != .timedOut)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n5\r\nsh", "",
  ])
  func `R261: an answer that is cut off is none`(_ text: String) async throws {
    let (result, _) = try await fetch { _ in [.text(text)] }
    #expect(failure(result) == .cutOff)
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x"])
  func `R261: nothing but http and https is fetched, by a redirect neither`(_ address: String)
    async throws
  {
    let (result, _) = try await fetch { _ in .answer("302 Found", ["Location: \(address)"]) }
    #expect(failure(result) == .otherProtocol)
    for await response in WebFetcher(agent: "test").responses(
      to: [WebRequest(id: 1, address: address)]
    ) {
      #expect(failure(response.result) == .invalidAddress)
    }
  }

  @Test func `R261: redirects in a circle end at the limit`() async throws {
    let (result, requests) = try await fetch { _ in .answer("301 Moved", ["Location: /"]) }
    #expect(failure(result) == .tooManyRedirects(limit: 5))
    #expect(requests.count == 6)
  }

  @Test func `R261: a server that does not answer is left when the time is over`() async throws {
    var limits = WebLimits()
    limits.total = .milliseconds(300)
    let (result, _) = try await fetch(limits: limits) { _ in
      [.text("HTTP/1.1 200 OK\r\n\r\nbegun"), .silence]
    }
    #expect(failure(result) == .timedOut)
  }

  @Test func `a server that is not there is said, and every request has one response`()
    async throws
  {
    let server = try LoopbackServer { _ in .answer("200 OK") }
    let port = server.port
    server.stop()
    let addresses = ["http://127.0.0.1:\(port)/", "http://", "mailto:a", "http://a b/", ""]
    let requests = addresses.enumerated().map { WebRequest(id: Int64($0), address: $1) }
    var failures: [Int64: WebFailure] = [:]
    for await response in WebFetcher(agent: "test").responses(to: requests) {
      #expect(
        failures.updateValue(try #require(failure(response.result)), forKey: response.id) == nil
      )
    }
    #expect(failures[0] == .notConnected)
    #expect(failures.count == addresses.count)
    #expect((2...4).allSatisfy { failures[$0] == .invalidAddress })
  }

  @Test func `R261: at most two fetches of a host run at once`() async throws {
    let meeting = Meeting()
    let server = try LoopbackServer { _ in
      meeting.wait(forTwo: 20)
      return .answer("200 OK")
    }
    defer { server.stop() }
    let requests = (0..<8).map { WebRequest(id: $0, address: server.address("/\($0)")) }
    var ids: Set<Int64> = []
    for await response in WebFetcher(agent: "test").responses(to: requests) {
      #expect(try response.result.get().status == 200)
      ids.insert(response.id)
    }
    #expect(ids.count == 8 && server.requests.count == 8)
    #expect(server.mostAtOnce == 2)
  }

  @Test func `R262: a fetch ends at once when its task is cancelled`() async throws {
    let asked = AsyncStream<Void>.makeStream()
    let left = AsyncStream<Void>.makeStream()
    let server = try LoopbackServer { _ in
      asked.continuation.yield()
      return [.silence, .closed { left.continuation.yield() }]
    }
    defer { server.stop() }
    let start = ContinuousClock.now
    let address = server.address("/")
    let work = Task {
      var count = 0
      let fetcher = WebFetcher(agent: "test")
      for await _ in fetcher.responses(to: [WebRequest(id: 1, address: address)]) { count += 1 }
      return count
    }
    for await _ in asked.stream { break }
    work.cancel()
    #expect(await work.value == 0)
    // The connection is closed, too.
    for await _ in left.stream { break }
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test func `R262: the fetches of a stream that is released end`() async throws {
    let left = AsyncStream<Void>.makeStream()
    let asked = AsyncStream<Void>.makeStream()
    let server = try LoopbackServer { _ in
      asked.continuation.yield()
      return [.silence, .closed { left.continuation.yield() }]
    }
    defer { server.stop() }
    do {
      let stream = WebFetcher(agent: "test").responses(
        to: [WebRequest(id: 1, address: server.address("/"))]
      )
      for await _ in asked.stream { break }
      withExtendedLifetime(stream) {}
    }
    for await _ in left.stream { break }
  }

  /// A gzip file of a few zeros, each match of which repeats them 258 times.
  private static func bomb(of size: Int) -> [UInt8] {
    var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    var (bits, count): (UInt32, UInt32) = (0, 0)
    func flush(_ least: UInt32) {
      while count >= least, count > 0 {
        bytes.append(UInt8(truncatingIfNeeded: bits))
        bits >>= 8
        count = count < 8 ? 0 : count - 8
      }
    }
    /// A code of Huffman's, the first bit of which is the greatest.
    func put(_ code: UInt32, _ length: UInt32) {
      for bit in (0..<length).reversed() {
        bits |= (code >> bit & 1) << count
        count += 1
        if count == 8 { flush(8) }
      }
    }
    // The last block, with the fixed codes, whose number is written with its least bit first.
    put(0b110, 3)
    put(0x30, 8)
    for _ in 0...(size / 258) {
      put(0b1100_0101, 8)
      put(0, 5)
    }
    put(0, 7)
    flush(1)
    return bytes + Array(repeating: 0, count: 8)
  }
}

/// Whether the library is there that fetches.
enum FetchingLibrary {
  static let isThere: Bool = {
    do {
      try WebFetcher.checkLibrary()
      return true
    } catch {
      return false
    }
  }()
}

/// Where tests must not be skipped, the library must be there.
@Suite struct FetchingLibraryTests {
  @Test(.enabled(if: ProcessInfo.processInfo.environment["CI"] != nil, "CI is not set"))
  func `the library is installed`() {
    #expect(throws: Never.self) { try WebFetcher.checkLibrary() }
  }
}

/// Lets requests wait until two of them have come.
private final class Meeting: Sendable {
  private let condition = NSCondition()
  private let count = Mutex(0)

  func wait(forTwo seconds: Double) {
    condition.lock()
    defer { condition.unlock() }
    count.withLock { $0 += 1 }
    condition.broadcast()
    let deadline = Date(timeIntervalSinceNow: seconds)
    while count.withLock({ $0 < 2 }), condition.wait(until: deadline) {}
  }
}
