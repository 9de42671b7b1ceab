import Dispatch

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
