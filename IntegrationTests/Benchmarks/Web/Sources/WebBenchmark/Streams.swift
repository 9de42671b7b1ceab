import NIOCore
import NIOPosix
import Synchronization

/// What the streams of a run have read: one thread writes it, another one asks.
final class StreamLog: Sendable {
  /// How lines are matched with commits.
  enum Kind: Sendable {
    /// Each commit gives each stream one line.
    case each
    /// A line may stand for several commits; its tick names the last of them.
    case composed
  }

  private struct State {
    var commits: [UInt64] = []
    var lines: [Int]
    var lastTick: [Int]
    var hasPage: [Bool]
    var pages: [Int: [UInt8]] = [:]
    var positions: [[UInt8]]
    var latencies = Latencies()
    var latest: [Int: [UInt8]] = [:]
    var failures: [String] = []
    var bytes = 0
  }

  private let kind: Kind
  private let keepsLines: Bool
  private let state: Mutex<State>

  init(_ kind: Kind, streams: Int, keepsLines: Bool = false) {
    (self.kind, self.keepsLines) = (kind, keepsLines)
    state = Mutex(
      State(
        lines: Array(repeating: 0, count: streams),
        lastTick: Array(repeating: 0, count: streams),
        hasPage: Array(repeating: false, count: streams),
        positions: Array(repeating: [], count: streams)
      )
    )
  }

  // MARK: - Questions

  /// The streams that have got their first page.
  var openCount: Int { state.withLock { $0.hasPage.count { $0 } } }
  /// The streams that have read the lines of all commits.
  var upToDateCount: Int {
    state.withLock { state in
      switch kind {
      case .each: state.lines.count { $0 >= state.commits.count }
      case .composed: state.lastTick.count { $0 >= state.commits.count }
      }
    }
  }
  var lines: [Int] { state.withLock { $0.lines } }
  var latencies: Latencies { state.withLock { $0.latencies } }
  var failures: [String] { state.withLock { $0.failures } }
  var bytes: Int { state.withLock { $0.bytes } }
  /// The number of different positions that streams show; 1 if all show the same generation.
  var positionCount: Int { state.withLock { Set($0.positions).count } }

  /// Notes a commit that is about to happen; ticks count from 1.
  func begin(_ moment: UInt64) { state.withLock { $0.commits.append(moment) } }

  /// Takes the newest lines, by their streams.
  func takeLatest() -> [Int: [UInt8]] {
    state.withLock { state in
      defer { state.latest = [:] }
      return state.latest
    }
  }

  /// The first page of a stream.
  func page(_ stream: Int) -> [UInt8]? { state.withLock { $0.pages[stream] } }

  // MARK: - Events

  func fail(_ text: String) { state.withLock { $0.failures.append(text) } }

  /// Notes an event that was read to its last byte.
  func take(_ event: [UInt8], of stream: Int, at moment: UInt64) {
    guard Bytes.contains(event, "event: list\n") else {
      if Bytes.contains(event, "event: failure\n") || Bytes.contains(event, "event: bye\n") {
        fail("stream \(stream): \(String(decoding: event.prefix(200), as: UTF8.self))")
      }
      return
    }
    state.withLock { state in
      state.bytes += event.count
      if let end = event.firstIndex(of: 0x0A), event.starts(with: "id: ".utf8) {
        state.positions[stream] = Array(event[..<end])
      }
      guard state.hasPage[stream] else {
        state.hasPage[stream] = true
        if keepsLines { state.pages[stream] = event }
        return
      }
      state.lines[stream] += 1
      switch kind {
      case .each:
        let number = state.lines[stream]
        guard number <= state.commits.count else {
          state.failures.append("stream \(stream): line \(number) without a commit")
          return
        }
        state.latencies.add(moment - state.commits[number - 1])
        if keepsLines { state.latest[stream] = event }
        if let tick = Bytes.tick(in: event), tick != number {
          state.failures.append("stream \(stream): line \(number) shows tick \(tick)")
        }
      case .composed:
        guard let tick = Bytes.tick(in: event) else { return }
        let last = state.lastTick[stream]
        guard tick > last, tick <= state.commits.count else {
          state.failures.append("stream \(stream): tick \(tick) after \(last)")
          return
        }
        for number in last..<tick { state.latencies.add(moment - state.commits[number]) }
        state.lastTick[stream] = tick
      }
    }
  }
}

/// Event streams of one server, read by one thread.
final class Streams {
  private let group: MultiThreadedEventLoopGroup
  private var channels: [any Channel] = []

  init() { group = MultiThreadedEventLoopGroup(numberOfThreads: 1) }

  /// Opens streams a few at a time, and waits until each has its first page.
  /// - Parameters:
  ///   - count: The number of streams.
  ///   - port: The port of the server on this machine.
  ///   - token: The token of the server.
  ///   - log: What notes their events.
  ///   - seconds: How long to wait for pages.
  ///   - target: The address of the stream with a number.
  /// - Throws: `BenchmarkFailure` for a stream that gets no page.
  func open(
    _ count: Int,
    port: Int,
    token: String,
    log: StreamLog,
    within seconds: Double = 60,
    _ target: (Int) -> String
  ) throws {
    for start in stride(from: 0, to: count, by: 50) {
      let numbers = start..<min(start + 50, count)
      for number in numbers {
        let request = """
          GET \(target(number)) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(token)\r\n\r\n
          """
        let channel = try ClientBootstrap(group: group)
          .channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
              let handler = StreamHandler(number, request, log)
              try channel.pipeline.syncOperations.addHandler(handler)
            }
          }
          .connect(host: "127.0.0.1", port: port).wait()
        channels.append(channel)
      }
      try wait("streams \(numbers) have no page", seconds) {
        log.openCount >= numbers.upperBound || !log.failures.isEmpty
      }
      if let failure = log.failures.first { throw BenchmarkFailure(failure) }
    }
  }

  func close() throws {
    for channel in channels { channel.close(promise: nil) }
    try group.syncShutdownGracefully()
  }
}

/// Reads one stream: the chunks of the answer, and the ends of events in them.
private final class StreamHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum Phase {
    case head
    case size
    case data(rest: Int)
  }

  private let number: Int
  private let request: String
  private let log: StreamLog
  private var phase = Phase.head
  private var line: [UInt8] = []
  private var event: [UInt8] = []

  init(_ number: Int, _ request: String, _ log: StreamLog) {
    (self.number, self.request, self.log) = (number, request, log)
  }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let buffer = unwrapInboundIn(data)
    let moment = Clock.monotonic
    buffer.withUnsafeReadableBytes { bytes in
      var index = 0
      while index < bytes.count {
        switch phase {
        case .head, .size:
          // Both are lines; an empty one ends the head, and is what follows the data of a chunk.
          let byte = bytes[index]
          index += 1
          guard byte == 0x0A else {
            line.append(byte)
            continue
          }
          endLine()
        case .data(let rest):
          let count = min(rest, bytes.count - index)
          event.append(contentsOf: bytes[index..<index + count])
          index += count
          phase = rest == count ? .size : .data(rest: rest - count)
          if rest == count { takeEvents(at: moment) }
        }
      }
    }
  }

  private func endLine() {
    defer { line.removeAll(keepingCapacity: true) }
    if line.last == 0x0D { line.removeLast() }
    if case .head = phase {
      if line.isEmpty { phase = .size }
      if line.starts(with: "HTTP/1.1 ".utf8), !line.starts(with: "HTTP/1.1 200".utf8) {
        log.fail("stream \(number): \(String(decoding: line, as: UTF8.self))")
      }
      return
    }
    guard !line.isEmpty else { return }
    guard let size = Int(String(decoding: line, as: UTF8.self), radix: 16) else {
      return log.fail("stream \(number): no size of a chunk")
    }
    if size > 0 { phase = .data(rest: size) }
  }

  private func takeEvents(at moment: UInt64) {
    while let end = Bytes.index(of: "\n\n", in: event) {
      log.take(Array(event[..<(end + 2)]), of: number, at: moment)
      event.removeSubrange(..<(end + 2))
    }
  }

  func channelInactive(context: ChannelHandlerContext) { log.fail("stream \(number): closed") }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    log.fail("stream \(number): \(error)")
    context.close(promise: nil)
  }
}
