import ResultsDomain
import Synchronization

/// Keeps what a controller shows, and hands it to subscribers.
///
/// Everything mutable is in one value guarded by the mutex; subscribers are called outside of it, by the one worker that publishes, so
/// they hear events in order.
final class ResultsPublisher<Object: FetchedObject>: Sendable {
  private struct Shown {
    var state: ResultsState<Object> = .idle
    var definition: ResultsDefinition<Object>
    /// The last definition that was not refused, if there was one.
    var accepted: ResultsDefinition<Object>?
    /// How many definitions have been asked for; an older one that comes late is dropped (R50).
    var asked = 0
    var subscribers: [Int: WeakSubscription] = [:]
    var nextSubscriber = 0
  }

  /// A subscription that lives as long as its iterator.
  private struct WeakSubscription: Sendable {
    weak let subscription: ResultsSubscription<Object>?
  }

  private let shown: Mutex<Shown>
  private let store: any Store

  init(_ definition: ResultsDefinition<Object>, _ store: any Store) {
    shown = Mutex(Shown(definition: definition))
    self.store = store
  }

  var state: ResultsState<Object> { shown.withLock { $0.state } }
  var definition: ResultsDefinition<Object> { shown.withLock { $0.definition } }

  /// Notes that a definition is wanted; the number tells it from later ones.
  func ask(_ change: (inout ResultsDefinition<Object>) -> Void) -> Int {
    shown.withLock { shown in
      change(&shown.definition)
      shown.asked += 1
      if case .ended = shown.state { return shown.asked }
      shown.state = .loading(last: shown.state.results)
      return shown.asked
    }
  }

  /// The wanted definition, if no later one has been asked for since.
  func wanted(_ number: Int) -> ResultsDefinition<Object>? {
    shown.withLock { $0.asked == number ? $0.definition : nil }
  }

  /// Notes whether a wanted definition could be shown; one that was refused gives way to the last that was not.
  func settle(_ number: Int, isAccepted: Bool) {
    shown.withLock { shown in
      guard shown.asked == number else { return }
      if isAccepted {
        shown.accepted = shown.definition
      } else if let accepted = shown.accepted {
        shown.definition = accepted
      }
    }
  }

  /// Publishes what a piece of work led to.
  func publish(_ outcome: ListOutcome) {
    let told = shown.withLock { shown -> (ResultsEvent<Object>, [WeakSubscription])? in
      if case .ended = shown.state { return nil }
      let before = shown.state.results
      let event: ResultsEvent<Object>
      switch outcome {
      case .fetched(let snapshot):
        let results = FetchedResults<Object>(snapshot, store)
        shown.state = .ready(results)
        event = .snapshot(results)
      case .redefined(let snapshot):
        shown.state = .ready(FetchedResults<Object>(snapshot, store))
        return nil
      case .advanced(let step):
        let after = FetchedResults<Object>(step.snapshot, store)
        shown.state = .ready(after)
        guard let before else { return (.snapshot(after), Array(shown.subscribers.values)) }
        event = .change(ResultsChange(before: before, delta: step.delta, after: after))
      case .failed(let error):
        shown.state = .failed(error, lastGood: before)
        event = .failure(error)
      }
      return (event, Array(shown.subscribers.values))
    }
    guard let (event, subscribers) = told else { return }
    for subscriber in subscribers { subscriber.subscription?.offer(event) }
  }

  /// A new subscriber, which gets the present state first.
  func subscribe() -> ResultsSubscription<Object> {
    let subscription = ResultsSubscription<Object>()
    let isEnded = shown.withLock { shown -> Bool in
      if case .ended = shown.state { return true }
      shown.subscribers = shown.subscribers.filter { $0.value.subscription != nil }
      shown.subscribers[shown.nextSubscriber] = WeakSubscription(subscription: subscription)
      shown.nextSubscriber += 1
      // Offered inside the lock, so that no event can come between the state and the registration.
      if let results = shown.state.results { subscription.offer(.snapshot(results)) }
      if case .failed(let error, _) = shown.state { subscription.offer(.failure(error)) }
      return false
    }
    if isEnded { subscription.finish() }
    return subscription
  }

  /// Ends all subscriptions; nothing is delivered afterwards (R70).
  func end() {
    let subscribers = shown.withLock { shown -> [WeakSubscription] in
      shown.state = .ended(last: shown.state.results)
      defer { shown.subscribers = [:] }
      return Array(shown.subscribers.values)
    }
    for subscriber in subscribers { subscriber.subscription?.finish() }
  }
}
