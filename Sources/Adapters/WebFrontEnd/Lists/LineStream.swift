#if Web
import Synchronization
import WireFormat

/// A stream of a whole list for a program: its lines as they come, and beats while there are none.
///
/// One task writes, so that a beat never stands within a line; the one that makes the lines waits until each is written.
final class LineStream: Sendable {
  private enum Signal {
    case line(String, CheckedContinuation<Void, any Error>)
    /// There are no more lines.
    case done(Result<Void, any Error>)
    /// A beat may be due.
    case tick
    /// The server ends, and why.
    case end(String)
  }

  private let signals: AsyncStream<Signal>
  private let signal: AsyncStream<Signal>.Continuation

  init() { (signals, signal) = AsyncStream.makeStream() }

  /// Sends a beat if it is due.
  func tick() { signal.yield(.tick) }

  /// Ends the stream after a last event that says why.
  func end(because reason: String) { signal.yield(.end(reason)) }

  /// Writes what some work sends, until that ends, the server does, or the task is cancelled.
  /// - Throws: What the work throws, and what writing throws.
  func write(_ work: @escaping WebProgram.SendLines, to output: StreamOutput) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [self] in
        do {
          try await work { try await self.send($0) }
          signal.yield(.done(.success(())))
        } catch {
          signal.yield(.done(.failure(error)))
        }
      }
      defer { group.cancelAll() }
      do { try await write(to: output) } catch {
        await refuse()
        throw error
      }
      await refuse()
    }
  }

  private func send(_ line: String) async throws {
    try await withCheckedThrowingContinuation { continuation in
      if case .terminated = signal.yield(.line(line, continuation)) {
        continuation.resume(throwing: CancellationError())
      }
    }
  }

  private func write(to output: StreamOutput) async throws {
    var sent = ContinuousClock.now
    for await signal in signals {
      switch signal {
      case .line(let line, let continuation):
        do {
          try await output.write(StreamEvent(name: "list", data: line).bytes)
        } catch {
          continuation.resume(throwing: error)
          throw error
        }
        continuation.resume()
        sent = .now
      case .tick:
        guard ContinuousClock.now - sent >= ListClient.beat else { continue }
        try await output.write(StreamEvent.beat.bytes)
        sent = .now
      case .done(let result): return try result.get()
      case .end(let reason): return try await output.write(StreamEvent.bye(because: reason).bytes)
      }
    }
  }

  /// Takes no more lines; the work that waits for one to be written ends.
  private func refuse() async {
    signal.finish()
    for await signal in signals {
      if case .line(_, let continuation) = signal {
        continuation.resume(throwing: CancellationError())
      }
    }
  }
}
#endif
