#if PostgreSQL
import Dispatch
import Synchronization

/// Notices commits of others, from `start()` to `stop()`.
protocol CommitWatch: Sendable {
  /// Starts watching, unless it is running.
  func start()
  /// Stops watching.
  func stop()
}

extension StoreWatch: CommitWatch {}

/// Looks once a second whether anything was committed: the watch of a database without a log.
///
/// `timer` is guarded by its lock; the listener is called without it.
final class SnapshotWatch: CommitWatch {
  private let look: @Sendable () -> Void
  private let timer = Mutex<Timer?>(nil)

  private struct Timer: @unchecked Sendable {
    // The system's sources may be used from any thread.
    let source: any DispatchSourceTimer
  }

  /// Creates a watch that is not started yet.
  init(_ look: @escaping @Sendable () -> Void) { self.look = look }

  func start() {
    timer.withLock { timer in
      guard timer == nil else { return }
      let queue = DispatchQueue(label: "results.postgresql.looks")
      let source = DispatchSource.makeTimerSource(queue: queue)
      source.schedule(deadline: .now() + 1, repeating: 1)
      source.setEventHandler { [look] in look() }
      source.resume()
      timer = Timer(source: source)
    }
  }

  func stop() {
    let stopped = timer.withLock { $0.take() }
    stopped?.source.cancel()
  }
}
#endif
