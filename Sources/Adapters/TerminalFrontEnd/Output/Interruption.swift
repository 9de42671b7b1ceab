/// Why a program is to end before its work is done.
public enum Interruption: Error, Hashable, Sendable {
  /// A signal asks it to end: SIGINT from the keyboard, SIGTERM, or SIGHUP of a terminal that was closed.
  /// - Parameter number: The signal's number.
  case signal(number: Int32)
  /// Nobody reads its output any more.
  case readerIsGone

  /// Ends the process as one that never heard of the interruption would have ended: by the signal, or with status 141.
  public func endProcess() -> Never {
    switch self {
    case .signal(let number): SystemCalls.endProcess(by: number)
    case .readerIsGone: SystemCalls.endProcess(with: TerminalOutputError.readerIsGone.exitStatus)
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
    case .hangUp: return .readerIsGone
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
