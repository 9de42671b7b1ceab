public import ResultsDomain

/// The events of a controller, as an asynchronous sequence.
///
/// Each iteration is a subscriber of its own: it receives the present state first (or what happened since a list that it shows,
/// `FetchedResultsController.changes(from:)`), then every change in order. Changes that it is too slow to take are composed into one,
/// so it misses nothing and blocks nobody.
///
/// An iteration ends when its task is cancelled, and all of them end when `FetchedResultsController.cancel()` is called: a server that
/// shuts down does one or the other.
public struct ResultsChanges<Object: FetchedObject>: AsyncSequence, Sendable {
  /// One event.
  public typealias Element = ResultsEvent<Object>
  /// The sequence does not throw; failures are events.
  public typealias Failure = Never

  private let subscribe: @Sendable () -> ListSubscription

  init(_ subscribe: @escaping @Sendable () -> ListSubscription) {
    self.subscribe = subscribe
  }

  /// An iterator that takes events one by one.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let token: Token

    fileprivate init(_ subscription: ListSubscription) {
      token = Token(subscription)
    }

    /// Waits for the next event, or returns `nil` when the controller has ended or the task is cancelled.
    public mutating func next() async -> ResultsEvent<Object>? {
      await token.subscription.next().map { ResultsEvent($0) }
    }

    /// Ends the subscription when the last copy of the iterator is released.
    private final class Token: Sendable {
      let subscription: ListSubscription
      init(_ subscription: ListSubscription) { self.subscription = subscription }
      deinit { subscription.finish() }
    }
  }

  /// Starts a subscription.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscribe()) }
}
