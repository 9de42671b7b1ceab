public import ResultsDomain

/// The events of a controller, as an asynchronous sequence.
///
/// Each iteration is a subscriber of its own: it gets the present state first (or what leads on from results that it has drawn,
/// `FetchedResultsController.changes(from:)`), then every change in order. What it is too
/// slow to take is composed into one change, so it never misses anything and holds nothing up.
///
/// A task that waits for the next event ends when it is cancelled, and all of them end when `FetchedResultsController.cancel()` is called:
/// a server that is told to end does one or the other.
public struct ResultsChanges<Object: FetchedObject>: AsyncSequence, Sendable {
  /// One event.
  public typealias Element = ResultsEvent<Object>
  /// The sequence does not throw; failures are events.
  public typealias Failure = Never

  private let subscribe: @Sendable () -> ListSubscription

  init(_ subscribe: @escaping @Sendable () -> ListSubscription) {
    self.subscribe = subscribe
  }

  /// Takes events one by one.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let token: Token

    fileprivate init(_ subscription: ListSubscription) {
      token = Token(subscription)
    }

    /// The next event, or `nil` when the controller has ended or the task is cancelled.
    public mutating func next() async -> ResultsEvent<Object>? {
      await token.subscription.next().map { ResultsEvent($0) }
    }

    /// Ends the subscription when the last copy of the iterator is gone.
    private final class Token: Sendable {
      let subscription: ListSubscription
      init(_ subscription: ListSubscription) { self.subscription = subscription }
      deinit { subscription.finish() }
    }
  }

  /// Begins to listen; the subscription starts here.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscribe()) }
}
