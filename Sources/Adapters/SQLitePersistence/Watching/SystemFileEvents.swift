import CSQLiteHooks

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
