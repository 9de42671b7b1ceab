#if Web
import ResultsStoreKit
import Foundation

/// A program that a test has started, with pipes at its descriptors; it is killed with the object.
final class ChildProcess {
  /// The process's number.
  let identifier: pid_t
  private let name: String
  private var input: Int32
  private var outputs: [Int32: ByteInput]
  private var isReaped = false

  /// Starts a program with only these environment variables.
  /// - Parameters:
  ///   - command: The program's full path, and its arguments.
  ///   - environment: The variables.
  ///   - folder: The folder in which it runs.
  ///   - inputNumber: The descriptor at which the program reads what the test writes.
  ///   - outputNumbers: The descriptors at which the test reads what the program writes.
  /// - Throws: `WebTestFailure` if it does not start.
  init(
    _ command: [String],
    environment: [String: String],
    folder: String,
    input inputNumber: Int32 = 0,
    outputs outputNumbers: [Int32] = [1, 2]
  ) throws(WebTestFailure) {
    // A program that ends before it has read its input must not end the test.
    signal(SIGPIPE, SIG_IGN)
    name = command.joined(separator: " ")
    let (inputRead, inputWrite) = try ChildProcess.pipe()
    var ends = [(inputNumber, inputRead)]
    var readers: [Int32: ByteInput] = [:]
    for number in outputNumbers {
      let (outputRead, outputWrite) = try ChildProcess.pipe()
      ends.append((number, outputWrite))
      readers[number] = ByteInput(outputRead)
    }
    defer { for (_, end) in ends { close(end) } }
    (input, outputs) = (inputWrite, readers)
    identifier = try ChildProcess.spawn(
      // The shell only changes the folder, then it executes the program.
      ["/bin/sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", folder] + command,
      environment.map { "\($0)=\($1)" },
      ends
    )
  }

  deinit {
    if !isReaped {
      kill(identifier, SIGKILL)
      var status: Int32 = 0
      while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    }
    endInput()
    for output in outputs.values { close(output.descriptor) }
  }

  /// Sends a signal.
  func send(_ signal: Int32) { kill(identifier, signal) }

  /// Writes to the program's input.
  func write(_ bytes: [UInt8], by deadline: Deadline = Deadline()) throws(WebTestFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      try deadline.wait(for: POLLOUT, on: input)
      let count = rest.withUnsafeBytes { Foundation.write(input, $0.baseAddress, $0.count) }
      guard count > 0 else { throw WebTestFailure("\(name) does not read its input") }
      rest = rest.dropFirst(count)
    }
  }

  /// Closes the program's input.
  func endInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// The next line of an output, or `nil` at its end.
  func line(
    of output: Int32 = 1,
    by deadline: Deadline = Deadline()
  ) throws(WebTestFailure) -> String? {
    try outputs[output]?.takeLine(by: deadline)
  }

  /// The next message of an output up to a byte that ends it, or `nil` at the end of the output.
  func message(
    of output: Int32,
    endedBy end: UInt8,
    by deadline: Deadline
  ) throws(WebTestFailure) -> [UInt8]? {
    try outputs[output]?.take(upTo: [end], by: deadline)
  }

  /// Reads until the program has ended.
  /// - Returns: Its exit status, or 128 and the signal; what it wrote to its outputs in turn.
  func finish(by deadline: Deadline = Deadline(60)) throws -> (status: Int32, texts: [String]) {
    endInput()
    var texts: [String] = []
    for number in outputs.keys.sorted() {
      while try outputs[number]?.fill(by: deadline) == true {}
      texts.append(String(decoding: outputs[number]?.takeAll() ?? [], as: UTF8.self))
    }
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    isReaped = true
    let signal = status & 0x7F
    return (signal == 0 ? (status >> 8) & 0xFF : 128 + signal, texts)
  }

  /// Ends the program at once, and waits until it has ended.
  func end() throws {
    send(SIGKILL)
    _ = try finish()
  }

  private static func pipe() throws(WebTestFailure) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Foundation.pipe(&ends) == 0 else { throw WebTestFailure("no pipe: \(errno)") }
    // Programs that run at the same time must not hold each other's pipes open, and the ends must not be what is made of them.
    let high = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
    for end in ends { close(end) }
    return (high[0], high[1])
  }

  private static func spawn(
    _ command: [String],
    _ environment: [String],
    _ ends: [(number: Int32, descriptor: Int32)]
  ) throws(WebTestFailure) -> pid_t {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in ends {
      posix_spawn_file_actions_adddup2(&actions, descriptor, number)
    }
    for number in 0...2 where !ends.contains(where: { $0.number == number }) {
      posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
    }
    var arguments = command.map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, command[0], &actions, nil, &arguments, &variables)
    guard code == 0 else { throw WebTestFailure("\(command) does not start: \(code)") }
    return process
  }
}
#endif
