package import ResultsDomain
import Synchronization

/// A wait for another writer of a store, which can be given up from any thread (R208).
///
/// A caller sets it around a write, for stores that can end the wait early. It belongs to the task that writes: other calls of the same
/// store wait as long as they always do.
package final class WriterWait: Sendable {
  /// The wait of the write that the present task makes, or `nil` where no write can be given up.
  @TaskLocal package static var current: WriterWait?

  private let isEnded = Atomic(false)
  private let milliseconds = Atomic(1)

  /// Creates a wait.
  package init() {}

  /// Whether the wait was given up.
  package var isGivenUp: Bool { isEnded.load(ordering: .acquiring) }

  /// Ends the wait: the write throws `StoreError.busy` if it still waits for another writer, and has changed nothing then.
  ///
  /// A write that waits no longer is not ended.
  package func giveUp() { isEnded.store(true, ordering: .releasing) }

  /// Notes for how long the store has waited, of which it gives an account if the wait is given up.
  package func note(milliseconds: Int) {
    self.milliseconds.store(max(milliseconds, 1), ordering: .releasing)
  }

  /// The time for which the store has waited, if the present task gave up the wait, and otherwise a limit.
  package static func span(orLimit limit: Duration) -> Duration {
    guard let current, current.isGivenUp else { return limit }
    return .milliseconds(current.milliseconds.load(ordering: .acquiring))
  }
}

/// A store that can say which process keeps it from being written.
package protocol WriterReporting {
  /// The process that keeps the store from being written at present; `nil` if there is none, or none that the system reports.
  var presentWriter: LockHolder? { get }
}

extension LockHolder {
  /// The name of the process where it has one, for a line that has no room for more.
  package var shortName: String { name.isEmpty || isThisProcess ? description : name }
}
