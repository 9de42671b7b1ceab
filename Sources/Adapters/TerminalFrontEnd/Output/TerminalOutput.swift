import Synchronization

/// Buffered text output to a file descriptor, which knows whether a person sees it.
///
/// Nothing is written twice or torn: each call's text reaches the descriptor whole and in order, also from several
/// tasks. Call ``ignoreBrokenPipes()`` once when the program starts; a reader that goes away is then the
/// typed error ``TerminalOutputError/readerIsGone``.
public final class TerminalOutput: Sendable {
  /// Where the text goes.
  public let descriptor: Int32
  /// Whether a terminal is at the other end.
  public let isTerminal: Bool

  private struct State {
    /// What has not come to enough to be written.
    var buffer: [UInt8] = []
    /// What the reader has not taken yet, while nobody may wait for it.
    var backlog: OutputBacklog?
  }

  private let capacity: Int
  /// Guards the bytes that wait and the order of writes.
  private let state: Mutex<State>

  /// Output to a file descriptor, which stays open.
  /// - Parameters:
  ///   - descriptor: The descriptor; 1 is standard output, 2 standard error.
  ///   - capacity: How many bytes may wait before they are written.
  public init(descriptor: Int32, capacity: Int = 1 << 16) {
    self.descriptor = descriptor
    self.capacity = capacity
    isTerminal = SystemCalls.isTerminal(descriptor)
    state = Mutex(State())
  }

  /// The standard output.
  public static let standard = TerminalOutput(descriptor: 1)
  /// The standard error, which keeps nothing back.
  public static let standardError = TerminalOutput(descriptor: 2, capacity: 0)

  /// Makes a write to a pipe without a reader, or beyond the limit for files, an error instead of the end of the process.
  public static func ignoreBrokenPipes() { SystemCalls.ignoreBrokenPipes() }

  /// The terminal's size now, or `nil` if the output is no terminal.
  public func size(environment: [String: String]) -> TerminalSize? {
    TerminalSize.current(descriptor: descriptor, environment: environment)
  }

  /// Takes a text to write, and writes when enough has come together.
  ///
  /// The text is written as it is; make text from outside safe first, with ``SafeText``.
  /// - Throws: ``TerminalOutputError``.
  public func write(_ text: String) throws(TerminalOutputError) {
    try state.withLock { (state) throws(TerminalOutputError) in
      state.buffer.append(contentsOf: text.utf8)
      guard state.buffer.count > capacity else { return }
      try TerminalOutput.flush(&state, to: descriptor)
    }
  }

  /// Writes what waits; call it before the program ends and whenever the text must be seen.
  /// - Throws: ``TerminalOutputError``.
  public func flush() throws(TerminalOutputError) {
    try state.withLock { (state) throws(TerminalOutputError) in
      try TerminalOutput.flush(&state, to: descriptor)
    }
  }

  /// Runs a closure whose writes never wait for the reader, so that it holds what it reads no longer than it takes to copy it.
  ///
  /// The reader is given what it takes at once. The rest waits in memory, beyond a megabyte in a temporary file, and is
  /// written when the closure has returned. If there is no room for such a file either, the closure has to wait.
  /// - Throws: ``TerminalOutputError``, or what the closure throws, after what it wrote before has been written.
  public func withoutWaiting<Result>(_ body: () throws -> Result) throws -> Result {
    state.withLock { $0.backlog = OutputBacklog(before: descriptor) }
    let outcome = Swift.Result { try body() }
    do throws(TerminalOutputError) {
      try state.withLock { (state) throws(TerminalOutputError) in
        defer { state.backlog = nil }
        try TerminalOutput.flush(&state, to: descriptor)
        try state.backlog?.writeAll()
      }
    } catch {
      // A failure of the closure itself goes first.
      if case .success = outcome { throw error }
    }
    return try outcome.get()
  }

  /// What could not be written is dropped: after an error nothing can be said about what arrived.
  private static func flush(_ state: inout State, to descriptor: Int32)
    throws(TerminalOutputError)
  {
    guard !state.buffer.isEmpty else { return }
    let bytes = state.buffer
    state.buffer.removeAll(keepingCapacity: true)
    if let backlog = state.backlog { return try backlog.write(bytes[...]) }
    try bytes[...].written { (raw) throws(TerminalOutputError) in
      try SystemCalls.write(raw, to: descriptor)
    }
  }
}

extension ArraySlice<UInt8> {
  /// Hands the bytes over; the standard library's own way has no typed errors.
  func written<Result>(
    _ write: (UnsafeRawBufferPointer) throws(TerminalOutputError) -> Result
  ) throws(TerminalOutputError) -> Result {
    let outcome = withUnsafeBytes { raw -> Swift.Result<Result, TerminalOutputError> in
      do throws(TerminalOutputError) {
        return .success(try write(raw))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }
}
