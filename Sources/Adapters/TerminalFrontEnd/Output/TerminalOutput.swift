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

  private let capacity: Int
  /// Guards the bytes that wait and the order of writes.
  private let buffer: Mutex<[UInt8]>

  /// Output to a file descriptor, which stays open.
  /// - Parameters:
  ///   - descriptor: The descriptor; 1 is standard output, 2 standard error.
  ///   - capacity: How many bytes may wait before they are written.
  public init(descriptor: Int32, capacity: Int = 1 << 16) {
    self.descriptor = descriptor
    self.capacity = capacity
    isTerminal = SystemCalls.isTerminal(descriptor)
    buffer = Mutex([])
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
    try buffer.withLock { (buffer) throws(TerminalOutputError) in
      buffer.append(contentsOf: text.utf8)
      guard buffer.count > capacity else { return }
      try TerminalOutput.flush(&buffer, to: descriptor)
    }
  }

  /// Writes what waits; call it before the program ends and whenever the text must be seen.
  /// - Throws: ``TerminalOutputError``.
  public func flush() throws(TerminalOutputError) {
    try buffer.withLock { (buffer) throws(TerminalOutputError) in
      try TerminalOutput.flush(&buffer, to: descriptor)
    }
  }

  /// What could not be written is dropped: after an error nothing can be said about what arrived.
  private static func flush(_ buffer: inout [UInt8], to descriptor: Int32)
    throws(TerminalOutputError)
  {
    guard !buffer.isEmpty else { return }
    let bytes = buffer
    buffer.removeAll(keepingCapacity: true)
    // The closure cannot throw a typed error through the standard library, so its outcome is returned.
    let outcome = bytes.withUnsafeBytes { raw -> TerminalOutputError? in
      do throws(TerminalOutputError) {
        try SystemCalls.write(raw, to: descriptor)
        return nil
      } catch {
        return error
      }
    }
    if let outcome { throw outcome }
  }
}
