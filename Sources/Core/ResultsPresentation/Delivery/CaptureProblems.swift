import ResultsDomain
import ResultsStoreKit

/// The reasons why lists are compared although their database has a change log, and each change of them.
///
/// The first element comes when something is wrong, and an empty one when all is well again. The sequence ends when the store is closed.
public struct CaptureProblems: AsyncSequence, Sendable {
  private let store: any Store

  init(of store: any Store) { self.store = store }

  /// The present reasons, one sentence each; empty if nothing is wrong.
  public var present: [String] { store.capabilities.captureProblems }

  /// Starts to observe the store.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(store: store, notifications: store.commitNotifications().makeAsyncIterator())
  }

  /// Waits for the changes.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let store: any Store
    fileprivate var notifications: AsyncStream<Void>.AsyncIterator
    private var known: [String] = []

    fileprivate init(store: any Store, notifications: AsyncStream<Void>.AsyncIterator) {
      (self.store, self.notifications) = (store, notifications)
    }

    /// Waits until the reasons are others than before.
    /// - Parameter actor: The caller's actor.
    /// - Returns: The reasons, or `nil` when the store is closed or the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> [String]? {
      while true {
        let found = store.capabilities.captureProblems
        if found != known {
          known = found
          return found
        }
        guard await notifications.next(isolation: actor) != nil else { return nil }
      }
    }
  }
}

extension FetchedResultsController {
  /// Why the list is compared at present although the database has a change log, and each change of that.
  public var captureProblems: CaptureProblems { CaptureProblems(of: store) }
}
