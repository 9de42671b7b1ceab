#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// The reason why a program has to end before its work is done.
package enum Interruption: Error, Hashable, Sendable {
  /// A signal: SIGINT from the keyboard, SIGTERM, or SIGHUP from a closed terminal.
  /// - Parameter number: The signal's number.
  case signal(number: Int32)
  /// The other end of the output was closed.
  case outputClosed

  /// Ends the process the way the system would have: by the signal, or with status 141.
  package func endProcess() -> Never {
    switch self {
    case .signal(let number): SystemCalls.endProcess(by: number)
    case .outputClosed: SystemCalls.endProcess(with: TerminalOutputError.outputClosed.exitStatus)
    }
  }
}

/// Watches for signals and for an output that is closed, for work that runs until it is interrupted.
///
/// Between `begin()` and `end()`, signals do not end the process. There is one watch per process. Signals that were
/// ignored when the process started, as under `nohup`, stay ignored.
package enum InterruptionWatch {
  /// Starts catching signals.
  package static func begin() { SignalPipe.begin() }

  /// Waits for a signal, or until the other end of an output is closed; a second signal ends the process at once.
  /// - Parameter output: The output to watch.
  /// - Returns: The interruption, or `nil` after `end()`.
  package static func next(_ output: TerminalOutput) -> Interruption? {
    switch SignalPipe.next(or: output.descriptor) {
    case .signal(let number):
      SignalPipe.restore()
      return .signal(number: number)
    case .hangUp: return .outputClosed
    case .end: return nil
    }
  }

  /// Waits until `end()` is called, until a timeout, or until another signal.
  /// - Returns: Whether `end()` was called.
  package static func waitForEnd(milliseconds: Int32) -> Bool {
    SignalPipe.waitForEnd(milliseconds: milliseconds)
  }

  /// Stops catching signals, and wakes every waiting thread.
  package static func end() { SignalPipe.end() }
}

/// The pipe that carries signals to a waiting thread: a signal handler may do little more than write a byte.
private enum SignalPipe {
  enum Event {
    case signal(Int32)
    /// The other end of the output was closed.
    case hangUp
    case end
  }

  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  private static let ends: (read: Int32, write: Int32) = {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return (-1, -1) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      // A signal handler must never block.
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    return (ends[0], ends[1])
  }()

  /// Starts catching the signals, except those that are ignored.
  static func begin() {
    guard ends.write >= 0 else { return }
    drain()
    for number in signals {
      var action = sigaction()
      guard sigaction(number, nil, &action) == 0, !isIgnoring(action) else { continue }
      signal(number) { number in SignalPipe.send(UInt8(truncatingIfNeeded: number)) }
    }
  }

  /// Restores the default action of the caught signals.
  static func restore() {
    for number in signals {
      var action = sigaction()
      guard sigaction(number, nil, &action) == 0, !isIgnoring(action) else { continue }
      signal(number, SIG_DFL)
    }
  }

  static func end() {
    restore()
    send(0)
  }

  /// Waits for a signal, for the end, or for the output's other end to be closed.
  static func next(or output: Int32) -> Event {
    // POSIX reports a hang-up even where no event is requested. Apple's systems report that of a pipe only where it is requested, and
    // would also wake for what is typed on a terminal, which sends a signal when it is closed.
    let hangUp = SystemCalls.isTerminal(output) ? 0 : Int16(POLLHUP)
    while true {
      var polled = [
        pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0),
        pollfd(fd: output, events: hangUp, revents: 0),
      ]
      guard poll(&polled, 2, -1) > 0 else { continue }
      if let byte = receive() { return byte == 0 ? .end : .signal(Int32(byte)) }
      if polled[1].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { return .hangUp }
    }
  }

  /// Waits for the end; a signal that came meanwhile, or before the default actions were restored, is none.
  static func waitForEnd(milliseconds: Int32) -> Bool {
    var polled = pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, milliseconds) > 0 && receive() == 0
  }

  private static func send(_ byte: UInt8) {
    let code = errno
    var byte = byte
    _ = write(ends.write, &byte, 1)
    errno = code
  }

  private static func receive() -> UInt8? {
    var byte: UInt8 = 0
    return read(ends.read, &byte, 1) == 1 ? byte : nil
  }

  private static func drain() { while receive() != nil {} }

  private static func isIgnoring(_ action: sigaction) -> Bool {
    #if canImport(Darwin)
    let handler = action.__sigaction_u.__sa_handler
    #else
    let handler = action.__sigaction_handler.sa_handler
    #endif
    return handler.map { unsafeBitCast($0, to: Int.self) } == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
