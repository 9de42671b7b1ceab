import ResultsStoreKit
import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// The least that a server can do: it writes to each stream the line that it was given for it.
///
/// It runs in a process of its own. Its input has, for each commit, the number of lines as 4 bytes, each line with its length as 4 bytes before
/// it, and one byte more when they are to be written. One line goes to all streams; otherwise each stream has its own.
enum Reference {
  /// Runs the server until its input ends.
  static func run() throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
    let streams = Mutex<[(number: Int, channel: any Channel)]>([])
    let server = try ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 1024)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let handler = RequestHandler { number in
            streams.withLock { $0.append((number, channel)) }
          }
          try channel.pipeline.syncOperations.addHandler(handler)
        }
      }
      .bind(host: "127.0.0.1", port: 0).wait()
    FileHandle.standardOutput.write(Data("\(server.localAddress?.port ?? 0)\n".utf8))
    let input = FileHandle.standardInput
    while let count = try number(input) {
      let lines = try (0..<count).map { _ in
        chunk(try input.read(upToCount: try number(input) ?? 0) ?? Data())
      }
      guard try input.read(upToCount: 1)?.count == 1 else { break }
      let all = streams.withLock { $0 }
      for loop in group.makeIterator() {
        let mine = all.filter { $0.channel.eventLoop === loop }
        loop.execute {
          for (number, channel) in mine {
            channel.writeAndFlush(lines[lines.count == 1 ? 0 : number], promise: nil)
          }
        }
      }
    }
    try group.syncShutdownGracefully()
  }

  private static func number(_ input: FileHandle) throws -> Int? {
    guard let data = try input.read(upToCount: 4), data.count == 4 else { return nil }
    return data.reduce(0) { $0 << 8 | Int($1) }
  }

  fileprivate static func chunk(_ data: Data) -> ByteBuffer {
    var buffer = ByteBuffer(string: String(data.count, radix: 16) + "\r\n")
    buffer.writeBytes(data)
    buffer.writeString("\r\n")
    return buffer
  }

  /// What the reference is sent for a commit.
  static func message(_ lines: [[UInt8]]) -> [UInt8] {
    func bytes(_ number: Int) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
    return bytes(lines.count) + lines.flatMap { bytes($0.count) + $0 }
  }
}

/// Answers a request by the head of a stream and a first event.
private final class RequestHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let isOpen: (Int) -> Void
  private var text = ""

  init(_ isOpen: @escaping (Int) -> Void) { self.isOpen = isOpen }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    text += String(buffer: unwrapInboundIn(data))
    guard text.hasSuffix("\r\n\r\n"), let match = text.firstMatch(of: #/^GET /([0-9]+) /#),
      let number = Int(match.1)
    else { return }
    var answer = ByteBuffer(
      string: """
        HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n
        """
    )
    var first = Reference.chunk(Data("event: list\ndata: {\"t\":\"page\"}\n\n".utf8))
    answer.writeBuffer(&first)
    isOpen(number)
    context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
  }
}
