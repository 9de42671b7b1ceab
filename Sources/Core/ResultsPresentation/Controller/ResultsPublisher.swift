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
    /// The definition that the worker took up last.
    var taken: ResultsDefinition<Object>?
    /// How often the definition was set.
    var revision = 0
    /// How many definitions have been asked for; an older one that comes late is dropped (R50).
    var asked = 0
    /// The last of them that was shown or refused.
    var answered = 0
    var subscribers: [Int: WeakSubscription] = [:]
    var nextSubscriber = 0

    /// Shows results; while another definition is on its way they are the last of the present one (R51).
    mutating func show(_ results: FetchedResults<Object>) {
      state = asked == answered ? .ready(results) : .loading(last: results)
    }

    /// Notes that a definition was shown, or refused; a refused one gives way to the last that was not.
    mutating func note(_ outcome: ListOutcome, answering number: Int?) {
      guard let number else { return }
      answered = max(answered, number)
      guard case .failed = outcome else {
        accepted = taken
        return
      }
      guard asked == number, let accepted else { return }
      definition = accepted
      revision += 1
    }
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
  ///
  /// The closure runs outside of the lock, since it may read the controller.
  func ask(_ change: (inout ResultsDefinition<Object>) -> Void) -> Int {
    while true {
      var (definition, revision) = shown.withLock { ($0.definition, $0.revision) }
      change(&definition)
      let number = shown.withLock { [definition] shown -> Int? in
        guard shown.revision == revision else { return nil }
        shown.definition = definition
        shown.revision += 1
        shown.asked += 1
        if case .ended = shown.state { return shown.asked }
        shown.state = .loading(last: shown.state.results)
        return shown.asked
      }
      if let number { return number }
    }
  }

  /// The wanted definition, if no later one has been asked for since; the worker takes it up.
  func wanted(_ number: Int) -> ResultsDefinition<Object>? {
    shown.withLock { shown in
      guard shown.asked == number else { return nil }
      shown.taken = shown.definition
      return shown.definition
    }
  }

  /// Publishes what a piece of work led to.
  /// - Parameters:
  ///   - outcome: What it led to.
  ///   - number: The definition it was done for, if for any.
  func publish(_ outcome: ListOutcome, answering number: Int? = nil) {
    let told = shown.withLock { shown -> (ResultsEvent<Object>, [WeakSubscription])? in
      if case .ended = shown.state { return nil }
      shown.note(outcome, answering: number)
      let before = shown.state.results
      let event: ResultsEvent<Object>
      switch outcome {
      case .fetched(let snapshot):
        let results = FetchedResults<Object>(snapshot, store)
        shown.show(results)
        event = .snapshot(results)
      case .settled(let snapshot):
        shown.show(FetchedResults<Object>(snapshot, store))
        return nil
      case .advanced(let step):
        let after = FetchedResults<Object>(step.snapshot, store)
        shown.show(after)
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
