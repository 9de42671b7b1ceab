import Synchronization

/// Buffered text output to a file descriptor, which knows whether it is a terminal.
///
/// Each call's text reaches the descriptor whole and in order, also when several tasks write. Call
/// ``ignoreBrokenPipes()`` once when the program starts; writing to a closed pipe then throws
/// ``TerminalOutputError/outputClosed``.
///
/// The buffer and the backlog are guarded by one lock, which is held while bytes are written, so that writes keep
/// their order.
package final class TerminalOutput: Sendable {
  /// The file descriptor that the text is written to.
  package let descriptor: Int32
  /// Whether the descriptor is a terminal.
  package let isTerminal: Bool

  private struct State {
    /// The bytes not written yet.
    var buffer: [UInt8] = []
    /// The output that must not block, inside ``withoutWaiting(_:)``.
    var backlog: OutputBacklog?
  }

  private let capacity: Int
  private let state: Mutex<State>

  /// Creates an output to a file descriptor, which stays open.
  /// - Parameters:
  ///   - descriptor: The descriptor; 1 is standard output, 2 standard error.
  ///   - capacity: The number of bytes to buffer before they are written.
  package init(descriptor: Int32, capacity: Int = 1 << 16) {
    self.descriptor = descriptor
    self.capacity = capacity
    isTerminal = SystemCalls.isTerminal(descriptor)
    state = Mutex(State())
  }

  /// The standard output.
  package static let standard = TerminalOutput(descriptor: 1)
  /// The standard error, which is not buffered.
  package static let standardError = TerminalOutput(descriptor: 2, capacity: 0)

  /// Makes a write to a closed pipe, or beyond the file size limit, throw an error instead of ending the process.
  package static func ignoreBrokenPipes() { SystemCalls.ignoreBrokenPipes() }

  /// Keeps files that are opened later from taking the number of a standard descriptor that is closed; call it first.
  /// - Returns: Whether standard output can be written at all.
  package static func fillStandardDescriptors() -> Bool { SystemCalls.fillStandardDescriptors() }

  /// Returns the terminal's current size, or `nil` if the output is not a terminal.
  package func size(environment: [String: String]) -> TerminalSize? {
    TerminalSize.current(descriptor: descriptor, environment: environment)
  }

  /// Appends a text to the buffer, and writes the buffer when it is full.
  ///
  /// The text is written as it is; make text from outside safe first, with ``SafeText``.
  /// - Throws: ``TerminalOutputError``.
  package func write(_ text: String) throws(TerminalOutputError) {
    try state.withLock { (state) throws(TerminalOutputError) in
      state.buffer.append(contentsOf: text.utf8)
      guard state.buffer.count > capacity else { return }
      try TerminalOutput.flush(&state, to: descriptor)
    }
  }

  /// Writes the buffer; call it before the program ends and whenever the text must be visible.
  /// - Throws: ``TerminalOutputError``.
  package func flush() throws(TerminalOutputError) {
    try state.withLock { (state) throws(TerminalOutputError) in
      try TerminalOutput.flush(&state, to: descriptor)
    }
  }

  /// Runs a closure whose writes do not block on a slow consumer.
  ///
  /// The closure may hold a version of a store, and must not hold it until a pager has been read to its end. Output that
  /// the consumer does not accept at once is buffered in memory, beyond a megabyte in a temporary file, and written after
  /// the closure returns. If the disk is full too, writes block.
  /// - Throws: ``TerminalOutputError``, or the error of the closure, after its output has been written.
  package func withoutWaiting<Result>(_ body: () throws -> Result) throws -> Result {
    state.withLock { $0.backlog = OutputBacklog(before: descriptor) }
    let outcome = Swift.Result { try body() }
    do throws(TerminalOutputError) {
      try state.withLock { (state) throws(TerminalOutputError) in
        defer { state.backlog = nil }
        try TerminalOutput.flush(&state, to: descriptor)
        try state.backlog?.writeAll()
      }
    } catch {
      // The closure's own error takes precedence.
      if case .success = outcome { throw error }
    }
    return try outcome.get()
  }

  /// Writes the buffer.
  ///
  /// After an error the bytes are dropped, because it is unknown how many of them arrived.
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
  /// Calls a closure with the bytes; `withUnsafeBytes` has no typed errors.
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

/// Output that the consumer has not accepted yet: in memory, and beyond a limit in an unnamed temporary file.
///
/// The bytes in memory are older than those in the file.
private final class OutputBacklog {
  private let descriptor: Int32
  private var memory: [UInt8] = []
  /// The number of bytes in memory that are written already.
  private var written = 0
  private var file: Int32?
  private var fileRange = 0..<0
  /// Whether a write to the file has failed, after which its end is unknown.
  private var isFileFull = false
  private static let memoryLimit = 1 << 20

  init(before descriptor: Int32) { self.descriptor = descriptor }

  deinit { if let file { SystemCalls.close(file) } }

  private var isEmpty: Bool { written == memory.count && fileRange.isEmpty }

  /// Writes what the consumer accepts at once, and buffers the rest.
  /// - Throws: ``TerminalOutputError``.
  func write(_ bytes: ArraySlice<UInt8>) throws(TerminalOutputError) {
    try drain()
    var rest = bytes
    if isEmpty { rest = rest.dropFirst(try writeWithoutWaiting(rest)) }
    guard !rest.isEmpty else { return }
    if fileRange.isEmpty, memory.count - written + rest.count <= OutputBacklog.memoryLimit {
      memory.removeSubrange(..<written)
      written = 0
      memory += rest
    } else if !append(rest) {
      // There is no room left, so this write has to block.
      try writeAll()
      try write(rest, to: descriptor)
    }
  }

  /// Writes everything; blocks until the consumer accepts it.
  /// - Throws: ``TerminalOutputError``.
  func writeAll() throws(TerminalOutputError) {
    while !isEmpty {
      try refill()
      try write(memory[written...], to: descriptor)
      written = memory.count
    }
  }

  /// Writes what the consumer accepts without blocking.
  private func drain() throws(TerminalOutputError) {
    while !isEmpty {
      try refill()
      written += try writeWithoutWaiting(memory[written...])
      guard written == memory.count else { return }
    }
  }

  /// Reads the next bytes of the file into an empty memory buffer.
  private func refill() throws(TerminalOutputError) {
    guard written == memory.count, !fileRange.isEmpty, let file else { return }
    let count = min(fileRange.count, 1 << 16)
    memory = try SystemCalls.read(count, from: file, at: fileRange.lowerBound)
    written = 0
    fileRange = fileRange.lowerBound + memory.count..<fileRange.upperBound
  }

  /// Appends bytes to the file.
  /// - Returns: Whether there was room for them.
  private func append(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard !isFileFull else { return false }
    file = file ?? SystemCalls.temporaryFile()
    guard let file, (try? write(bytes, to: file)) != nil else {
      isFileFull = true
      return false
    }
    fileRange = fileRange.lowerBound..<fileRange.upperBound + bytes.count
    return true
  }

  private func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(TerminalOutputError) {
    try bytes.written { (raw) throws(TerminalOutputError) in
      try SystemCalls.write(raw, to: descriptor)
    }
  }

  private func writeWithoutWaiting(_ bytes: ArraySlice<UInt8>) throws(TerminalOutputError) -> Int {
    try bytes.written { (raw) throws(TerminalOutputError) in
      try SystemCalls.writeWithoutWaiting(raw, to: descriptor)
    }
  }
}

/// An error of writing text.
package enum TerminalOutputError: Error, Hashable, Sendable {
  /// The other end of the pipe was closed; the program ends silently with status 141.
  case outputClosed
  /// The system refused the write.
  /// - Parameters:
  ///   - code: The system's error number.
  ///   - reason: The system's message.
  case failed(code: Int32, reason: String)
}

extension TerminalOutputError {
  /// The exit status of a program that ends with this error: 141 for a closed output, 74 otherwise.
  package var exitStatus: Int32 {
    switch self {
    case .outputClosed: 141
    case .failed: 74
    }
  }
}

extension TerminalOutputError: CustomStringConvertible {
  /// A sentence that says what happened, and one that says what to do.
  package var description: String {
    switch self {
    case .outputClosed: "The other end of the output was closed."
    case .failed(_, let reason):
      "The output cannot be written: \(reason). Check the free space and the destination."
    }
  }
}

/// The size of a terminal in character cells.
package struct TerminalSize: Hashable, Sendable {
  /// The number of cells in a line.
  package var columns: Int
  /// The number of lines.
  package var rows: Int

  /// Creates a size.
  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  /// Returns the size of the terminal behind a file descriptor, or `nil` if it is not a terminal or has no size.
  ///
  /// `COLUMNS` and `LINES` of the environment take precedence over the size that the terminal reports, as POSIX has it.
  package static func current(descriptor: Int32, environment: [String: String]) -> TerminalSize? {
    guard SystemCalls.isTerminal(descriptor) else { return nil }
    func number(_ name: String) -> Int? {
      environment[name].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
    }
    let reported = SystemCalls.size(of: descriptor)
    guard let columns = number("COLUMNS") ?? reported?.columns else { return nil }
    return TerminalSize(columns: columns, rows: number("LINES") ?? reported?.rows ?? 24)
  }
}
