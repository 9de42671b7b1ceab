import ResultsDomain
import Synchronization

/// Holds what a controller shows, and publishes events to subscribers.
///
/// The mutex guards `Shown`: the state, the definitions in flight, the journal and the subscribers. Only this type changes it.
/// `show(_:answering:)` returns the notification of subscribers as a closure, which the store's follower runs in its turn, without the
/// lock, so all subscribers receive events in commit order. A new subscriber's first events are offered while the lock is held; this
/// lock therefore comes before that of a `ResultsSubscription`.
final class ResultsPublisher<Object: FetchedObject>: Sendable {
  private struct Shown {
    var state: ResultsState<Object> = .idle
    var definition: ResultsDefinition<Object>
    /// The last definition that was not refused, if any.
    var accepted: ResultsDefinition<Object>?
    /// Definitions that are being fetched, by number.
    var inFlight: [Int: ResultsDefinition<Object>] = [:]
    /// The number of times the definition was set.
    var revision = 0
    /// The number of the newest requested definition; the result of an older one that arrives late is dropped (R50).
    var requested = 0
    /// The number of the last definition that was shown or refused.
    var answered = 0
    var journal: ResultsJournal
    var subscribers: [WeakSubscription] = []

    /// Shows results; while another definition is being fetched, they are the last of the present one (R51).
    mutating func show(_ results: ResultsList<Object>) {
      state = requested == answered ? .ready(results) : .loading(last: results)
    }

    /// Records that a definition was shown or refused; a refused one gives way to the last that was accepted.
    mutating func record(hasFailed: Bool, answering number: Int?) {
      guard let number else { return }
      answered = max(answered, number)
      let definition = inFlight[number]
      inFlight = inFlight.filter { $0.key > number }
      guard hasFailed else {
        accepted = definition ?? accepted
        return
      }
      guard requested == number, let accepted else { return }
      self.definition = accepted
      revision += 1
    }
  }

  private let shown: Mutex<Shown>
  private let store: any Store
  private let resetThreshold: Int?

  init(_ definition: ResultsDefinition<Object>, _ store: any Store, _ options: ResultsOptions) {
    let journal = ResultsJournal(capacity: options.journalCapacity)
    shown = Mutex(Shown(definition: definition, journal: journal))
    resetThreshold = options.resetThreshold
    self.store = store
  }

  var state: ResultsState<Object> { shown.withLock { $0.state } }
  var isEnded: Bool { if case .ended = state { true } else { false } }
  var definition: ResultsDefinition<Object> { shown.withLock { $0.definition } }
}

// MARK: - Definitions

extension ResultsPublisher {
  /// Requests a changed definition, and returns its number.
  ///
  /// The closure runs without the lock, since it may read the controller.
  func requestDefinition(_ change: (inout ResultsDefinition<Object>) -> Void) -> Int {
    while true {
      var (definition, revision) = shown.withLock { ($0.definition, $0.revision) }
      change(&definition)
      let number = shown.withLock { [definition] shown -> Int? in
        guard shown.revision == revision else { return nil }
        shown.definition = definition
        shown.revision += 1
        shown.requested += 1
        if case .ended = shown.state { return shown.requested }
        shown.state = .loading(last: shown.state.results)
        return shown.requested
      }
      if let number { return number }
    }
  }

  /// Returns the definition to fetch for a requested one, with its number.
  ///
  /// It is a later one if the list shows nothing yet; otherwise `nil` if a later one was requested.
  func wanted(_ number: Int) -> (ResultsDefinition<Object>, Int)? {
    shown.withLock { shown in
      if case .ended = shown.state { return nil }
      guard shown.requested == number || shown.state.results == nil else { return nil }
      shown.inFlight[shown.requested] = shown.definition
      return (shown.definition, shown.requested)
    }
  }

  /// Whether no later definition was requested.
  func isNewest(_ number: Int) -> Bool { shown.withLock { $0.requested == number } }

  /// Whether a definition, or a later one, was shown or refused.
  func hasAnswered(_ number: Int) -> Bool { shown.withLock { $0.answered >= number } }
}

// MARK: - Publishing

extension ResultsPublisher {
  /// Shows the first rows of a list that is being fetched for the first time.
  /// - Returns: Whether they are shown: only if nothing else is, and no later definition was requested.
  func show(_ page: ResultsPage<Object>, answering number: Int) -> Bool {
    shown.withLock { shown in
      guard shown.requested == number, case .loading(nil) = shown.state else { return false }
      shown.state = .opening(page)
      return true
    }
  }

  /// Makes the outcomes of a step of work the state.
  /// - Parameters:
  ///   - outcomes: The outcomes, oldest first.
  ///   - number: The definition they are for, if any.
  /// - Returns: A closure that publishes them to the present subscribers, or `nil` if there is nothing to publish.
  func show(_ outcomes: [ListOutcome], answering number: Int? = nil) -> (() -> Void)? {
    let (events, subscribers) = shown.withLock {
      shown -> ([ListEvent], [WeakSubscription]) in
      if case .ended = shown.state { return ([], []) }
      let hasFailed = outcomes.contains { if case .failed = $0 { true } else { false } }
      shown.record(hasFailed: hasFailed, answering: number)
      var events: [ListEvent] = []
      for outcome in outcomes {
        if let event = show(outcome, &shown) { events.append(event) }
      }
      return (events, shown.subscribers)
    }
    guard !events.isEmpty else { return nil }
    return {
      for event in events {
        for subscriber in subscribers { subscriber.subscription?.offer(event) }
      }
    }
  }

  private func show(_ outcome: ListOutcome, _ shown: inout Shown) -> ListEvent? {
    let before = shown.state.results?.loader
    switch outcome {
    case .fetched(let snapshot):
      let loader = RowLoader(snapshot, store)
      shown.show(ResultsList(loader))
      return .snapshot(loader)
    case .settled(let snapshot):
      shown.show(ResultsList(snapshot, store))
      return nil
    case .advanced(let step):
      let after = RowLoader(step.snapshot, store)
      shown.show(ResultsList(after))
      shown.journal.append(step.delta)
      guard let before else { return .snapshot(after) }
      return .change(before: before, step.delta, after: after, resetThreshold: resetThreshold)
    case .reset(let reason, let snapshot):
      let loader = RowLoader(snapshot, store)
      shown.show(ResultsList(loader))
      shown.journal.cut(at: snapshot.generation, reason)
      return .reset(reason, loader)
    case .failed(let error):
      shown.state = .failed(error, lastGood: before.map { ResultsList($0) })
      return .failure(error)
    }
  }

  /// Ends all subscriptions; nothing is delivered afterwards (R70).
  func end() {
    let subscribers = shown.withLock { shown -> [WeakSubscription] in
      shown.state = .ended(last: shown.state.results)
      defer { shown.subscribers = [] }
      return shown.subscribers
    }
    for subscriber in subscribers { subscriber.subscription?.finish() }
  }
}

// MARK: - Subscribing

extension ResultsPublisher {
  /// Returns what happened since a position, up to the present list.
  func catchUp(from position: ResultsPosition) throws(ResultsError) -> ResultsCatchUp<Object> {
    let (present, entry) = shown.withLock {
      ($0.state.results, $0.journal.entry(from: position.generation))
    }
    guard let present else { throw .notFetched }
    return ResultsCatchUp(entry, from: position, to: present, resetThreshold: resetThreshold)
  }

  /// Adds a subscriber, which receives the present state first.
  func subscribe() -> ResultsSubscription {
    subscribe { results, _ in [.snapshot(results.loader)] }
  }

  /// Adds a subscriber that shows a list already, and receives first what happened since.
  func subscribe(from drawn: ResultsList<Object>) -> ResultsSubscription {
    // Earlier changes are composed before the lock is taken; those shown meanwhile are added while it is held.
    let known = events(from: drawn)
    return subscribe { present, journal in
      guard let (events, reached) = known, reached != present.generation else {
        return known?.events ?? [.reset(.otherLife, present.loader)]
      }
      let entry = journal.entry(from: reached)
      return events + ResultsPublisher.events(entry, from: reached, drawn, to: present)
    }
  }

  /// Returns the events since a list, and the generation they reach; `nil` before the first fetch.
  private func events(
    from drawn: ResultsList<Object>
  ) -> (events: [ListEvent], reached: Int)? {
    let (present, entry) = shown.withLock {
      ($0.state.results, $0.journal.entry(from: drawn.generation))
    }
    guard let present else { return nil }
    let isForeign = drawn.snapshot.life != present.snapshot.life
    let events =
      isForeign
      ? [.reset(.otherLife, present.loader)]
      : ResultsPublisher.events(entry, from: drawn.generation, drawn, to: present)
    return (events, present.generation)
  }

  /// Returns the events from a generation to a later list, for a subscriber that shows an earlier one.
  private static func events(
    _ entry: ResultsJournal.Entry,
    from generation: Int,
    _ drawn: ResultsList<Object>,
    to present: ResultsList<Object>
  ) -> [ListEvent] {
    guard generation != present.generation else { return [] }
    return switch entry.step(from: generation, to: present.generation) {
    case .delta(let delta): [.change(before: drawn.loader, delta, after: present.loader)]
    case .reset(let reason): [.reset(reason, present.loader)]
    }
  }

  /// Adds a subscriber.
  /// - Parameter first: Returns the events that it receives first, from what is shown.
  /// - Returns: Its subscription, which has ended if the list has.
  private func subscribe(
    first: (ResultsList<Object>, ResultsJournal) -> [ListEvent]
  ) -> ResultsSubscription {
    let subscription = ResultsSubscription(resetThreshold: resetThreshold)
    let isEnded = shown.withLock { shown -> Bool in
      if case .ended = shown.state { return true }
      shown.subscribers.removeAll { $0.subscription == nil }
      shown.subscribers.append(WeakSubscription(subscription))
      // Offered while the lock is held, so that no event can come between the state and the registration.
      if let results = shown.state.results {
        for event in first(results, shown.journal) { subscription.offer(event) }
      }
      if case .failed(let error, _) = shown.state { subscription.offer(.failure(error)) }
      return false
    }
    if isEnded { subscription.finish() }
    return subscription
  }
}

/// A subscription that lives as long as its iterator; an object, since copies of a weak reference are costly.
private final class WeakSubscription: Sendable {
  weak let subscription: ResultsSubscription?
  init(_ subscription: ResultsSubscription) { self.subscription = subscription }
}

// MARK: - Events

/// An event without the type of its objects, as it is passed on, folded and stored.
enum ListEvent: Sendable {
  /// As `ResultsEvent.snapshot`.
  case snapshot(RowLoader)
  /// As `ResultsEvent.change`.
  indirect case change(before: RowLoader, ResultsDelta, after: RowLoader)
  /// As `ResultsEvent.reset`.
  case reset(ResultsResetReason, RowLoader)
  /// As `ResultsEvent.failure`.
  case failure(StoreError)

  /// Returns a change, or a reset beyond the threshold of the subscriber.
  static func change(
    before: RowLoader,
    _ delta: ResultsDelta,
    after: RowLoader,
    resetThreshold: Int?
  ) -> ListEvent {
    guard let resetThreshold, delta.rows.count > resetThreshold else {
      return .change(before: before, delta, after: after)
    }
    return .reset(.tooManyChanges(count: delta.rows.count), after)
  }
}

extension ResultsEvent {
  /// Gives an event the type of its objects.
  init(_ event: ListEvent) {
    switch event {
    case .snapshot(let loader): self = .snapshot(ResultsList(loader))
    case .change(let before, let delta, let after):
      let (before, after) = (ResultsList<Object>(before), ResultsList<Object>(after))
      self = .change(ResultsChange(before: before, delta: delta, after: after))
    case .reset(let reason, let loader): self = .reset(reason, ResultsList(loader))
    case .failure(let error): self = .failure(error)
    }
  }
}
