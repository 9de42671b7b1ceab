import Synchronization

/// Buffered text output to a file descriptor, which knows whether a person sees it.
///
/// Nothing is written twice or torn: each call's text reaches the descriptor whole and in order, also from several
/// tasks. Call ``ignoreBrokenPipes()`` once when the program starts; a reader that goes away is then the
/// typed error ``TerminalOutputError/outputClosed``.
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

/// Output that its reader has not taken yet: in memory, and beyond a limit in a temporary file without a name.
///
/// What is in memory is older than what is in the file.
final class OutputBacklog {
  private let descriptor: Int32
  private var memory: [UInt8] = []
  /// How much of what is in memory was taken.
  private var taken = 0
  private var file: Int32?
  private var fileRange = 0..<0
  /// Whether a write to the file has failed, after which its end is not known.
  private var isFileFull = false
  private static let memoryLimit = 1 << 20

  init(before descriptor: Int32) { self.descriptor = descriptor }

  deinit { if let file { SystemCalls.close(file) } }

  private var isEmpty: Bool { taken == memory.count && fileRange.isEmpty }

  /// Takes some bytes, and gives the reader what it takes at once.
  /// - Throws: ``TerminalOutputError``.
  func write(_ bytes: ArraySlice<UInt8>) throws(TerminalOutputError) {
    try offer()
    var rest = bytes
    if isEmpty { rest = rest.dropFirst(try writeWithoutWaiting(rest)) }
    guard !rest.isEmpty else { return }
    if fileRange.isEmpty, memory.count - taken + rest.count <= OutputBacklog.memoryLimit {
      memory.removeSubrange(..<taken)
      taken = 0
      memory += rest
    } else if !append(rest) {
      // Nowhere to put it: the reader is waited for after all.
      try writeAll()
      try write(rest, to: descriptor)
    }
  }

  /// Writes everything, as soon as the reader takes it.
  /// - Throws: ``TerminalOutputError``.
  func writeAll() throws(TerminalOutputError) {
    while !isEmpty {
      try refill()
      try write(memory[taken...], to: descriptor)
      taken = memory.count
    }
  }

  private func offer() throws(TerminalOutputError) {
    while !isEmpty {
      try refill()
      taken += try writeWithoutWaiting(memory[taken...])
      guard taken == memory.count else { return }
    }
  }

  /// Takes the next bytes of the file into memory, if there are none.
  private func refill() throws(TerminalOutputError) {
    guard taken == memory.count, !fileRange.isEmpty, let file else { return }
    let count = min(fileRange.count, 1 << 16)
    memory = try SystemCalls.read(count, from: file, at: fileRange.lowerBound)
    taken = 0
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

/// Why text could not be written.
public enum TerminalOutputError: Error, Hashable, Sendable {
  /// The reader of the pipe went away; the program ends in silence with status 141.
  case outputClosed
  /// The system refused.
  /// - Parameters:
  ///   - code: The system's error number.
  ///   - reason: The system's own words for it.
  case failed(code: Int32, reason: String)
}

extension TerminalOutputError {
  /// The exit status a program ends with: 141 for a reader that went away, 74 for everything else.
  public var exitStatus: Int32 {
    switch self {
    case .outputClosed: 141
    case .failed: 74
    }
  }
}

extension TerminalOutputError: CustomStringConvertible {
  /// What happened and what to do.
  public var description: String {
    switch self {
    case .outputClosed: "the reader of the output went away"
    case .failed(_, let reason):
      "the output cannot be written: \(reason). Check the disk's free space and where the output goes."
    }
  }
}

/// The size of a terminal in character cells.
public struct TerminalSize: Hashable, Sendable {
  /// Cells in a line.
  public var columns: Int
  /// Lines.
  public var rows: Int

  /// A size.
  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  /// The size of the terminal behind a file descriptor, or `nil` if there is none or it does not know.
  ///
  /// The terminal's own answer comes first. A terminal that gives none (a serial line) falls back to `COLUMNS`
  /// and `LINES` of the environment.
  public static func current(descriptor: Int32, environment: [String: String]) -> TerminalSize? {
    guard SystemCalls.isTerminal(descriptor) else { return nil }
    if let size = SystemCalls.size(of: descriptor) { return size }
    guard let columns = environment["COLUMNS"].flatMap(Int.init), columns > 0 else { return nil }
    return TerminalSize(columns: columns, rows: environment["LINES"].flatMap(Int.init) ?? 24)
  }
}
