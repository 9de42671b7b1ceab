import ResultsStoreKit
import Foundation

/// A running program, with pipes at its standard streams.
///
/// Every call has a time limit.
final class RunningProgram {
  /// The error for a program that does not do what was expected.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let name: String
  private let process: pid_t
  private var input: Int32
  private var output: PipeReader
  private var errors: PipeReader
  private var isReaped = false

  /// Starts a program with only these environment variables.
  init(_ name: String, _ arguments: [String], environment: [String: String], folder: String) throws
  {
    self.name = "\(name) \(arguments.joined(separator: " "))"
    // A program that ends before it has read its input must not end the test.
    signal(SIGPIPE, SIG_IGN)
    let executable = try ProgramFolder.executable(name)
    let (inputRead, inputWrite) = try RunningProgram.pipe()
    let (outputRead, outputWrite) = try RunningProgram.pipe()
    let (errorRead, errorWrite) = try RunningProgram.pipe()
    defer { for descriptor in [inputRead, outputWrite, errorWrite] { close(descriptor) } }
    (input, output, errors) = (inputWrite, PipeReader(outputRead), PipeReader(errorRead))
    process = try RunningProgram.spawn(
      // The shell only changes the folder, then it executes the program.
      ["/bin/sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", folder, executable] + arguments,
      environment.map { "\($0)=\($1)" },
      [inputRead, outputWrite, errorWrite]
    )
  }

  deinit {
    if !isReaped {
      kill(process, SIGKILL)
      var status: Int32 = 0
      waitpid(process, &status, 0)
    }
    for descriptor in [input, output.descriptor, errors.descriptor] where descriptor >= 0 {
      close(descriptor)
    }
  }

  /// Writes to the program's standard input.
  func write(_ text: String) throws {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Foundation.write(input, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Failure(description: "\(name) does not read its input") }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Closes the program's standard input.
  func endInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Closes the reading end of its standard output.
  func closeOutput() {
    close(output.descriptor)
    output.descriptor = -1
  }

  /// The process's number.
  var identifier: Int32 { process }

  /// What was printed on standard error and not yet taken.
  var errorText: String { errors.text }

  /// Whether the program has closed its standard output, as it does when it exits.
  var hasEndedOutput: Bool { output.isAtEnd }

  /// The next line of standard output, or `nil` if there is none in time or at the end; the program goes on.
  func lineIfAny(within seconds: Double) -> String? {
    let deadline = Deadline(seconds)
    while true {
      if let line = output.takeLine() { return line }
      guard !output.isAtEnd else { return output.takeRest() }
      var polled = [output, errors].filter { !$0.isAtEnd }
        .map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      let count = poll(&polled, nfds_t(polled.count), deadline.milliseconds)
      guard count > 0 || (count < 0 && errno == EINTR) else { return nil }
      for ready in polled where ready.revents != 0 {
        if ready.fd == output.descriptor { output.read() } else { errors.read() }
      }
    }
  }

  /// Sends a signal.
  func send(_ signal: Int32) { kill(process, signal) }

  /// Kills the program from any thread; only for programs that do not exit by themselves.
  var killer: @Sendable () -> Void { { [process] in kill(process, SIGKILL) } }

  /// The next line of standard output without its end, or `nil` at the end.
  func line(within seconds: Double = 20) throws -> String? {
    let deadline = Deadline(seconds)
    while true {
      if let line = output.takeLine() { return line }
      if output.isAtEnd { return output.takeRest() }
      try read(until: deadline)
    }
  }

  /// Reads until the program exits.
  func finish(within seconds: Double = 60) throws -> ProgramResult {
    endInput()
    let deadline = Deadline(seconds)
    while !output.isAtEnd || !errors.isAtEnd { try read(until: deadline) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    isReaped = true
    return ProgramResult(
      command: name,
      status: RunningProgram.exitStatus(status),
      output: output.takeRest() ?? "",
      errors: errors.takeRest() ?? ""
    )
  }

  /// Waits until the program exits, without reading its output.
  /// - Returns: The exit status.
  func status(within seconds: Double) throws -> Int32 {
    let deadline = Deadline(seconds)
    // The writing end of the pipe is closed when the program exits; Apple's systems report that only where it is requested.
    var polled = pollfd(fd: output.descriptor, events: Int16(POLLHUP), revents: 0)
    while polled.revents & Int16(POLLHUP) == 0 {
      let count = poll(&polled, 1, deadline.milliseconds)
      guard count > 0 || (count < 0 && errno == EINTR) else {
        throw Failure(description: "\(name) was still running")
      }
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    isReaped = true
    return RunningProgram.exitStatus(status)
  }

  /// The exit status as a shell reports it: that of the program, or 128 plus the signal.
  private static func exitStatus(_ status: Int32) -> Int32 {
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  private func read(until deadline: Deadline) throws {
    var polled = [output, errors].filter { !$0.isAtEnd }
      .map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    let count = poll(&polled, nfds_t(polled.count), deadline.milliseconds)
    if count < 0, errno == EINTR { return }
    guard count > 0 else {
      kill(process, SIGKILL)
      throw Failure(description: "\(name) was still running; its errors: \(errors.text)")
    }
    for ready in polled where ready.revents != 0 {
      if ready.fd == output.descriptor { output.read() } else { errors.read() }
    }
  }

  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Foundation.pipe(&ends) == 0 else { throw Failure(description: "no pipe: \(errno)") }
    // Programs that run at the same time must not hold each other's pipes open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func spawn(
    _ command: [String],
    _ environment: [String],
    _ streams: [Int32]
  ) throws -> pid_t {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in streams.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }
    var arguments = command.map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, command[0], &actions, nil, &arguments, &variables)
    guard code == 0 else { throw Failure(description: "\(command) does not start: \(code)") }
    return process
  }
}

/// The end of a time limit.
private struct Deadline {
  private let moment: ContinuousClock.Instant

  init(_ seconds: Double) { moment = ContinuousClock.now.advanced(by: .seconds(seconds)) }

  var milliseconds: Int32 {
    let rest = ContinuousClock.now.duration(to: moment)
    let (seconds, attoseconds) = rest.components
    return Int32(clamping: max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
  }
}

/// The reading end of a pipe, and the bytes that were read and not yet taken.
struct PipeReader {
  /// The descriptor, or a negative number after it is closed.
  var descriptor: Int32
  private var bytes: [UInt8] = []
  private var hasEnded = false

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Whether the end has been reached.
  var isAtEnd: Bool { hasEnded || descriptor < 0 }

  /// The text that was not yet taken.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Reads available bytes; blocks if there are none.
  mutating func read() {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = Foundation.read(descriptor, &chunk, chunk.count)
    if count > 0 { bytes += chunk[..<count] } else { hasEnded = true }
  }

  /// Takes a complete line, without its end.
  mutating func takeLine() -> String? {
    guard let end = bytes.firstIndex(of: 0x0A) else { return nil }
    defer { bytes.removeSubrange(...end) }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  /// Takes the remaining text, or `nil` if there is none.
  mutating func takeRest() -> String? {
    guard !bytes.isEmpty else { return nil }
    defer { bytes = [] }
    return text
  }
}

/// A thread for blocking work, which must not run on the threads of tasks.
enum OwnThread {
  /// Runs a closure on a new thread and returns its result.
  static func run<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
  }
}
