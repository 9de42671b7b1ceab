#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// Why a program is to end before its work is done.
public enum Interruption: Error, Hashable, Sendable {
  /// A signal asks it to end: SIGINT from the keyboard, SIGTERM, or SIGHUP of a terminal that was closed.
  /// - Parameter number: The signal's number.
  case signal(number: Int32)
  /// Nobody reads its output any more.
  case outputClosed

  /// Ends the process as one that never heard of the interruption would have ended: by the signal, or with status 141.
  public func endProcess() -> Never {
    switch self {
    case .signal(let number): SystemCalls.endProcess(by: number)
    case .outputClosed: SystemCalls.endProcess(with: TerminalOutputError.outputClosed.exitStatus)
    }
  }
}

/// Notices signals and readers that go away, for work that lasts until somebody ends it.
///
/// From the first use of `begin()` to `end()` the signals do not end the process. There is one for a process. Signals that the
/// process was started with as ignored, as by `nohup`, stay ignored.
public enum InterruptionWatch {
  /// Begins to take signals.
  public static func begin() { SignalPipe.begin() }

  /// Waits for a signal, or until nobody reads an output any more; a second signal ends the process at once.
  /// - Parameter output: The output whose reader is watched.
  /// - Returns: `nil` after `end()`.
  public static func next(_ output: TerminalOutput) -> Interruption? {
    switch SignalPipe.next(or: output.descriptor) {
    case .signal(let number):
      SignalPipe.restore()
      return .signal(number: number)
    case .hangUp: return .outputClosed
    case .end: return nil
    }
  }

  /// Waits until `end()`, but not longer than a time.
  /// - Returns: Whether `end()` was called.
  public static func waitForEnd(milliseconds: Int32) -> Bool {
    SignalPipe.waitForEnd(milliseconds: milliseconds)
  }

  /// Lets signals end the process again, and wakes who waits.
  public static func end() { SignalPipe.end() }
}

/// The pipe through which signals reach a thread that waits for them: a handler may do hardly more than write a byte.
enum SignalPipe {
  enum Event {
    case signal(Int32)
    /// Nobody reads the output any more.
    case hangUp
    case end
  }

  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  private static let ends: (read: Int32, write: Int32) = {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return (-1, -1) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      // A handler must never wait.
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    return (ends[0], ends[1])
  }()

  /// Takes signals from now on, except those that are ignored.
  static func begin() {
    guard ends.write >= 0 else { return }
    drain()
    for number in signals {
      var action = sigaction()
      guard sigaction(number, nil, &action) == 0, !isIgnoring(action) else { continue }
      signal(number) { number in SignalPipe.note(UInt8(truncatingIfNeeded: number)) }
    }
  }

  /// Lets the signals that were taken end the process again.
  static func restore() {
    for number in signals {
      var action = sigaction()
      guard sigaction(number, nil, &action) == 0, !isIgnoring(action) else { continue }
      signal(number, SIG_DFL)
    }
  }

  static func end() {
    restore()
    note(0)
  }

  /// Waits for a signal, the end, or for an output without a reader.
  static func next(or output: Int32) -> Event {
    while true {
      // No event is asked for: errors and hang-ups are reported nevertheless.
      var polled = [
        pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0),
        pollfd(fd: output, events: 0, revents: 0),
      ]
      guard poll(&polled, 2, -1) > 0 else { continue }
      if let byte = take() { return byte == 0 ? .end : .signal(Int32(byte)) }
      if polled[1].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { return .hangUp }
    }
  }

  static func waitForEnd(milliseconds: Int32) -> Bool {
    var polled = pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, milliseconds) > 0
  }

  private static func note(_ byte: UInt8) {
    let code = errno
    var byte = byte
    _ = write(ends.write, &byte, 1)
    errno = code
  }

  private static func take() -> UInt8? {
    var byte: UInt8 = 0
    return read(ends.read, &byte, 1) == 1 ? byte : nil
  }

  private static func drain() { while take() != nil {} }

  private static func isIgnoring(_ action: sigaction) -> Bool {
    #if canImport(Darwin)
    let handler = action.__sigaction_u.__sa_handler
    #else
    let handler = action.__sigaction_handler.sa_handler
    #endif
    return handler.map { unsafeBitCast($0, to: Int.self) } == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
