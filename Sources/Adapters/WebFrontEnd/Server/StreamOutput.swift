#if Web
import Hummingbird
import NIOCore
import Synchronization

/// The output of an answer that is sent as it is made, which one task writes while the one that owns it waits.
final class StreamOutput: @unchecked Sendable {
  // Never used by two tasks at once: the writing task has ended before the answer is finished.
  private var writer: any ResponseBodyWriter
  private let figures: WebFigures
  private let channel: any Channel
  /// The moment since which the client has taken nothing of what was written.
  private let waitingSince = Mutex<ContinuousClock.Instant?>(nil)

  fileprivate init(
    _ writer: any ResponseBodyWriter,
    _ figures: WebFigures,
    on channel: any Channel
  ) {
    (self.writer, self.figures, self.channel) = (writer, figures, channel)
  }

  /// Writes bytes, and waits while the client takes nothing.
  func write(_ bytes: ByteBuffer) async throws {
    figures.count(.bytes, bytes.readableBytes)
    var rest = bytes
    // A connection takes what is written as a whole, however long it is, and makes only the next writing wait.
    while let part = rest.readSlice(length: min(rest.readableBytes, StreamOutput.mostBytes)),
      part.readableBytes > 0
    {
      waitingSince.withLock { $0 = .now }
      try await writer.write(part)
      waitingSince.withLock { $0 = nil }
    }
  }

  /// The bytes that are written at once.
  private static let mostBytes = 1 << 16

  fileprivate func finish() async throws { try await writer.finish(nil) }

  /// Closes the connection of a client that takes nothing.
  fileprivate func tick(at now: ContinuousClock.Instant) {
    let isStalled = waitingSince.withLock { since in
      since.map { now - $0 > StreamOutputs.patience } ?? false
    }
    if isStalled { channel.close(promise: nil) }
  }
}

/// The answers that are being sent as they are made: streams of events, and exports.
final class StreamOutputs: Sendable {
  private let outputs = Mutex<[ObjectIdentifier: StreamOutput]>([:])
  private let figures: WebFigures

  /// The time after which a client that takes nothing is closed.
  static let patience = Duration.seconds(30)

  init(_ figures: WebFigures) { self.figures = figures }

  /// Writes an answer until the closure returns or the connection is closed.
  func write(
    _ writer: inout any ResponseBodyWriter,
    to request: Request,
    on channel: any Channel,
    _ body: @escaping @Sendable (StreamOutput) async throws -> Void
  ) async throws {
    let output = StreamOutput(writer, figures, on: channel)
    outputs.withLock { $0[ObjectIdentifier(output)] = output }
    defer { _ = outputs.withLock { $0.removeValue(forKey: ObjectIdentifier(output)) } }
    do {
      try await request.body.consumeWithCancellationOnInboundClose { @Sendable _ in
        try await body(output)
      }
    } catch is CancellationError {
      // The client has gone.
    }
    try await output.finish()
  }

  /// Closes the connections of clients that take nothing.
  func tick(at now: ContinuousClock.Instant) {
    for output in outputs.withLock({ Array($0.values) }) { output.tick(at: now) }
  }
}
#endif
