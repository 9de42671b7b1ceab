import CSQLiteHooks
import Dispatch

/// What ended a wait for changes of a store's file.
enum FileSign: Hashable, Sendable {
  /// The database, its log or its journal was written, came or went.
  case changed
  /// Nothing happened for as long as was asked.
  case timePassed
  /// Somebody asked for the wait to end.
  case interrupted
}

/// Tells when a store's file changes, and keeps the time between looks.
///
/// One thread waits; any thread may interrupt. Time is counted by a clock that is never set. A change that the store's content
/// shows may be told before it can be read.
protocol FileEvents: Sendable {
  /// Waits for a change.
  func wait(atMost limit: Duration) -> FileSign

  /// Waits without looking at changes; those that happen meanwhile end the next wait.
  func pause(for duration: Duration) -> FileSign

  /// Looks anew which files there are, after the path was found to name another file.
  func renew()

  /// Ends the wait that is running, or else the next one.
  func interrupt()
}

/// What the system tells of changes of files, where it does: inotify.
final class SystemFileEvents: FileEvents {
  /// The address of the listener, which ends with the object.
  private let address: UInt

  /// Listens to a database's files; `nil` where the system tells of no changes, or has no room for more listeners.
  init?(path: String) {
    guard let events = results_file_events_open(path) else { return nil }
    address = UInt(bitPattern: events)
  }

  deinit { results_file_events_close(events) }

  private var events: OpaquePointer? { OpaquePointer(bitPattern: address) }

  func wait(atMost limit: Duration) -> FileSign { wait(limit, ignoresChanges: false) }

  func pause(for duration: Duration) -> FileSign { wait(duration, ignoresChanges: true) }

  func renew() { results_file_events_renew(events) }

  func interrupt() { results_file_events_interrupt(events) }

  private func wait(_ limit: Duration, ignoresChanges: Bool) -> FileSign {
    switch Int(results_file_events_wait(events, limit.wholeMicroseconds, ignoresChanges ? 1 : 0)) {
    case RESULTS_FILE_CHANGED: .changed
    case RESULTS_INTERRUPTED: .interrupted
    default: .timePassed
    }
  }
}

extension Duration {
  /// The duration in microseconds, rounded up.
  fileprivate var wholeMicroseconds: Int64 {
    let (seconds, attoseconds) = components
    let whole = seconds.multipliedReportingOverflow(by: 1_000_000)
    let rest = (attoseconds + 999_999_999_999) / 1_000_000_000_000
    let sum = whole.partialValue.addingReportingOverflow(rest)
    return whole.overflow || sum.overflow ? .max : max(0, sum.partialValue)
  }
}

/// Keeps the time between looks where the system tells of no changes.
final class TimedFileEvents: FileEvents {
  private let interruptions = DispatchSemaphore(value: 0)

  func wait(atMost limit: Duration) -> FileSign {
    let (seconds, attoseconds) = limit.components
    let nanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let rest = attoseconds / 1_000_000_000
    // The uptime in nanoseconds has to stay a number too.
    let isForever = nanoseconds.overflow || nanoseconds.partialValue > Int64.max / 4
    let deadline: DispatchTime =
      isForever ? .distantFuture : .now() + .nanoseconds(Int(nanoseconds.partialValue + rest))
    return interruptions.wait(timeout: deadline) == .success ? .interrupted : .timePassed
  }

  func pause(for duration: Duration) -> FileSign { wait(atMost: duration) }

  func renew() {}

  func interrupt() { interruptions.signal() }
}
