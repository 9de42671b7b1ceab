import CTerminalGuard

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// What a terminal session reports to the program.
package enum TerminalInput: Hashable, Sendable {
  /// A key or a paste.
  case input(KeyInput)
  /// The terminal has another size.
  case resized(TerminalSize)
  /// A signal asks the program to end; the terminal has been left already.
  case signal(Int32)
  /// A signal asks the program to stop for a while: the program calls `suspend()`.
  case stop
  /// The terminal is gone, or its input has ended.
  case closed
}

/// An error of a terminal that cannot show a full screen.
package enum TerminalSessionError: Error, Hashable, Sendable {
  /// Standard input or output is no terminal.
  case notATerminal
  /// The system refused to change the terminal's settings.
  /// - Parameters:
  ///   - code: The system's error number.
  ///   - reason: The system's message.
  case failed(code: Int32, reason: String)
}

extension TerminalSessionError: CustomStringConvertible {
  /// What happened, and what to do.
  package var description: String {
    switch self {
    case .notATerminal: "Standard input and output must be a terminal for a full screen."
    case .failed(_, let reason):
      "The terminal cannot be set up: \(reason). Try another terminal, or --linear."
    }
  }
}

/// A terminal that shows a full screen, and is left as it was found however the process ends.
///
/// There is one session per process. One thread calls `readInput(_:)`, which blocks; writing and suspending may be done from another.
package final class TerminalSession: Sendable {
  private let input: Int32
  private let output: Int32
  private let environment: [String: String]
  /// The time in milliseconds after which an escape character alone is the escape key.
  private let escapeDelay: Int32
  /// Whether the terminal showed what was typed before it was taken.
  package let echoes: Bool

  /// Takes the terminal, makes it raw and shows the full screen.
  /// - Parameters:
  ///   - input: The descriptor of the terminal's input.
  ///   - output: The descriptor of its output.
  ///   - modes: The modes of the screen.
  ///   - environment: The variables of the environment: `COLUMNS`, `LINES`, `SSH_CONNECTION`.
  /// - Throws: ``TerminalSessionError``; the terminal is then as it was.
  package init(
    input: Int32 = 0,
    output: Int32 = 1,
    modes: TerminalModes = TerminalModes(),
    environment: [String: String]
  ) throws(TerminalSessionError) {
    guard SystemCalls.isTerminal(input), SystemCalls.isTerminal(output) else { throw .notATerminal }
    self.input = input
    self.output = output
    self.environment = environment
    // Sequences arrive in parts over a network.
    escapeDelay = environment["SSH_CONNECTION"] == nil ? 30 : 100
    echoes = SystemCalls.echoes(input)
    let code = terminal_guard_enter(input, output, modes.enter, modes.leave)
    guard code == 0 else { throw .failed(code: code, reason: String(cString: strerror(code))) }
  }

  /// The present size; 80 by 24 where the terminal does not say.
  package var size: TerminalSize {
    TerminalSize.current(descriptor: output, environment: environment)
      ?? TerminalSize(columns: 80, rows: 24)
  }

  /// Writes the bytes of a frame; a terminal that has been left is not written to.
  /// - Throws: ``TerminalOutputError``.
  package func write(_ text: String) throws(TerminalOutputError) {
    guard !text.isEmpty, terminal_guard_is_entered() != 0 else { return }
    let bytes = Array(text.utf8)
    try bytes[...].written { (raw) throws(TerminalOutputError) in
      try SystemCalls.write(raw, to: output)
    }
  }

  /// Leaves the full screen; the terminal is as it was found.
  ///
  /// Called again, it does nothing.
  package func leave() { terminal_guard_leave() }

  /// Stops the process as `^Z` does; when it continues, the full screen has been entered again and is empty.
  package func suspend() { terminal_guard_suspend() }

  /// Leaves the full screen, runs a program on the terminal, and waits until it ends; it blocks the thread.
  ///
  /// Nothing else may read the terminal meanwhile: the thread in `readInput(_:)` must have returned. `enter()` shows the full screen
  /// again.
  /// - Parameter arguments: The program's path, and its arguments.
  /// - Returns: The exit status; for a program that a signal ended, 128 and the signal's number.
  /// - Throws: `TerminalSessionError.failed` if the program cannot be started.
  package func run(_ arguments: [String]) throws(TerminalSessionError) -> Int32 {
    let pointers = arguments.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    var status: Int32 = 0
    let code = (pointers + [nil]).withUnsafeBufferPointer {
      $0.baseAddress.map { terminal_guard_run($0, &status) } ?? EINVAL
    }
    guard code == 0 else { throw .failed(code: code, reason: String(cString: strerror(code))) }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  /// Shows the full screen again after `run(_:)`; it is empty.
  package func enter() { _ = terminal_guard_reenter() }

  /// Wakes the thread in `readInput(_:)`, which then returns.
  package func stopReading() { terminal_guard_wake(0) }

  /// Reads the terminal's input until it ends or `stopReading()` is called; it blocks the thread.
  /// - Parameter take: Takes each input, in order.
  package func readInput(_ take: (TerminalInput) -> Void) {
    var parser = KeyParser()
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      var polled = [
        pollfd(fd: input, events: Int16(POLLIN), revents: 0),
        pollfd(fd: terminal_guard_signals(), events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&polled, 2, parser.isWaiting ? escapeDelay : -1)
      if count == 0 { for input in parser.flush() { take(.input(input)) } }
      guard count > 0 else { continue }
      if polled[1].revents & Int16(POLLIN) != 0, !takeSignals(take) { return }
      guard polled[0].revents != 0 else { continue }
      let number = read(input, &bytes, bytes.count)
      if number < 0, errno == EINTR || errno == EAGAIN { continue }
      guard number > 0 else { return take(.closed) }
      for input in parser.feed(bytes[..<number]) { take(.input(input)) }
    }
  }

  /// Takes the signals that wait.
  /// - Returns: Whether to go on reading.
  private func takeSignals(_ take: (TerminalInput) -> Void) -> Bool {
    var byte: UInt8 = 0
    while read(terminal_guard_signals(), &byte, 1) == 1 {
      switch Int32(byte) {
      case 0: return false
      case SIGWINCH: take(.resized(size))
      case SIGTSTP: take(.stop)
      case let number: take(.signal(number))
      }
    }
    return true
  }
}
