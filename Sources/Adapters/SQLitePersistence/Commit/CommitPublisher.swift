import ResultsDomain
import ResultsStoreKit
import Synchronization

/// Publishes the commits of one open database to the store's listeners.
///
/// While the store makes a commit whose size is known, notifications are held back until it is made.
final class CommitPublisher: Sendable {
  private let context: StoreContext
  /// Whether a notification is due; `nil` unless notifications are held back.
  private let held = Mutex<Bool?>(nil)

  init(_ context: StoreContext) { self.context = context }

  /// Notifies all listeners that the version may have grown, unless notifications are held back.
  func notify() {
    let isHeld = held.withLock { held in
      guard held != nil else { return false }
      held = true
      return true
    }
    if !isHeld, !context.isClosed { context.broadcaster.notify() }
  }

  /// Holds notifications back until `release()`.
  func hold() { held.withLock { $0 = false } }

  /// Stops holding notifications back.
  /// - Returns: Whether one is due, which the caller sends.
  func release() -> Bool { held.withLock { $0.take() } == true && !context.isClosed }
}
