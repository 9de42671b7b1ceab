#if Web
import NIOCore
import Synchronization
import TerminalFrontEnd

/// A file without a name through which what one thread writes reaches a connection.
///
/// A list is written in one version of the store, which must not last as long as a slow connection takes: a reader keeps logs from being
/// reset, and in some files keeps other programs from writing. So the list is written as fast as it is read, and sent from here.
final class FileSpool: Sendable {
  /// The writing half, which ends when the reading half is gone.
  private final class Sink: Sendable {
    private struct State {
      var pending: [UInt8] = []
      var written = 0
      var end: Result<Void, any Error>?
      var isAbandoned = false
    }

    private let descriptor: Int32
    private let state = Mutex(State())
    let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    private static let batch = 1 << 16

    init() throws(WebFailure) {
      guard let file = SystemCalls.temporaryFile() else {
        throw WebFailure(503, "The server cannot create a temporary file.")
      }
      descriptor = file
      (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit { SystemCalls.close(descriptor) }

    func append(_ text: String) throws {
      let isWritten = try state.withLock { state in
        guard !state.isAbandoned else { throw CancellationError() }
        state.pending += text.utf8
        guard state.pending.count >= Sink.batch else { return false }
        try write(&state)
        return true
      }
      if isWritten { signal.yield() }
    }

    func end(_ result: Result<Void, any Error>) {
      state.withLock { state in
        state.end = result
        do { try write(&state) } catch { state.end = .failure(error) }
      }
      signal.yield()
    }

    func abandon() { state.withLock { $0.isAbandoned = true } }

    private func write(_ state: inout State) throws {
      try state.pending.withUnsafeBytes { try SystemCalls.write($0, to: descriptor) }
      state.written += state.pending.count
      state.pending.removeAll(keepingCapacity: true)
    }

    /// The bytes at an offset: `nil` at the end, none while there are no more yet.
    func bytes(at offset: Int) throws -> [UInt8]? {
      let (written, end) = state.withLock { ($0.written, $0.end) }
      guard offset < written else {
        try end?.get()
        return end == nil ? [] : nil
      }
      return try SystemCalls.read(min(written - offset, Sink.batch), from: descriptor, at: offset)
    }
  }

  private let sink: Sink
  private let offset = Mutex(0)

  /// Creates an empty file.
  /// - Throws: `WebFailure` with status 503 if that is not possible.
  init() throws(WebFailure) { sink = try Sink() }

  deinit { sink.abandon() }

  /// Begins to write; writing ends early when the spool is gone.
  func fill(
    on executor: (any TaskExecutor)?,
    _ write: @escaping @Sendable (@escaping @Sendable (String) throws -> Void) async throws -> Void
  ) {
    Task(executorPreference: executor) { [sink] in
      do {
        try await write { try sink.append($0) }
        sink.end(.success(()))
      } catch {
        sink.end(.failure(error))
      }
    }
  }

  /// Returns the next bytes once there are some, or `nil` at the end.
  /// - Throws: What the writer threw, and `CancellationError` when the task is cancelled.
  func next() async throws -> ByteBuffer? {
    while let bytes = try sink.bytes(at: offset.withLock { $0 }) {
      guard bytes.isEmpty else {
        offset.withLock { $0 += bytes.count }
        return ByteBuffer(bytes: bytes)
      }
      // One task reads, so no other takes its signal.
      var signals = sink.signals.makeAsyncIterator()
      guard await signals.next() != nil else { throw CancellationError() }
      try Task.checkCancellation()
    }
    return nil
  }
}
#endif
