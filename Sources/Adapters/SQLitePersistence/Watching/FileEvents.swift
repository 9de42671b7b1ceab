import CSQLiteHooks
import Dispatch

/// The end of a wait for changes of a store's file.
enum FileSign: Hashable, Sendable {
  /// The database, its log or its journal was written, created or removed.
  case changed
  /// The time has passed without a change.
  case timePassed
  /// Another thread has interrupted the wait.
  case interrupted
}

/// Reports when a store's file changes, and measures the time between checks.
///
/// One thread waits; any thread may interrupt. Time is measured by a monotonic clock. A change may be reported before it can be read.
protocol FileEvents: Sendable {
  /// Waits for a change.
  func wait(atMost limit: Duration) -> FileSign

  /// Waits regardless of changes; those that happen meanwhile end the next wait.
  func pause(for duration: Duration) -> FileSign

  /// Subscribes to the files again, after the path was found to name another file.
  func renew()

  /// Ends the current wait, or the next one if there is none.
  func interrupt()
}

/// File events of the system, where it has them: inotify.
final class SystemFileEvents: FileEvents {
  /// The address of the listener, which ends with the object.
  private let address: UInt

  /// Subscribes to a database's files; `nil` where the system reports no changes, or permits no more subscriptions.
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

/// Measures the time between checks where the system reports no changes.
final class TimedFileEvents: FileEvents {
  private let interruptions = DispatchSemaphore(value: 0)

  func wait(atMost limit: Duration) -> FileSign {
    let (seconds, attoseconds) = limit.components
    let nanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let rest = attoseconds / 1_000_000_000
    // The deadline must not overflow either.
    let isForever = nanoseconds.overflow || nanoseconds.partialValue > Int64.max / 4
    let deadline: DispatchTime =
      isForever ? .distantFuture : .now() + .nanoseconds(Int(nanoseconds.partialValue + rest))
    return interruptions.wait(timeout: deadline) == .success ? .interrupted : .timePassed
  }

  func pause(for duration: Duration) -> FileSign { wait(atMost: duration) }

  func renew() {}

  func interrupt() { interruptions.signal() }
}
