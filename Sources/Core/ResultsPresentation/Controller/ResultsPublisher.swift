import ResultsDomain
import Synchronization

/// Keeps what a controller shows, and hands it to subscribers.
///
/// Everything mutable is in one value guarded by the mutex; subscribers are called outside of it, in the turn of the store's follower,
/// so they hear events in order.
final class ResultsPublisher<Object: FetchedObject>: Sendable {
  private struct Shown {
    var state: ResultsState<Object> = .idle
    var definition: ResultsDefinition<Object>
    /// The last definition that was not refused, if there was one.
    var accepted: ResultsDefinition<Object>?
    /// Definitions that are being fetched, by their numbers.
    var taken: [Int: ResultsDefinition<Object>] = [:]
    /// How often the definition was set.
    var revision = 0
    /// How many definitions have been asked for; an older one that comes late is dropped (R50).
    var asked = 0
    /// The last of them that was shown or refused.
    var answered = 0
    var journal: ResultsJournal
    var subscribers: [WeakSubscription] = []

    /// Shows results; while another definition is on its way they are the last of the present one (R51).
    mutating func show(_ results: ResultsList<Object>) {
      state = asked == answered ? .ready(results) : .loading(last: results)
    }

    /// Notes that a definition was shown, or refused; a refused one gives way to the last that was not.
    mutating func note(hasFailed: Bool, answering number: Int?) {
      guard let number else { return }
      answered = max(answered, number)
      let definition = taken[number]
      taken = taken.filter { $0.key > number }
      guard hasFailed else {
        accepted = definition ?? accepted
        return
      }
      guard asked == number, let accepted else { return }
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

  /// The definition to fetch for one that was asked for, and its number.
  ///
  /// It is a later one if the list shows nothing yet; otherwise there is none if a later one was asked for.
  func wanted(_ number: Int) -> (ResultsDefinition<Object>, Int)? {
    shown.withLock { shown in
      if case .ended = shown.state { return nil }
      guard shown.asked == number || shown.state.results == nil else { return nil }
      shown.taken[shown.asked] = shown.definition
      return (shown.definition, shown.asked)
    }
  }

  /// Shows the first rows of a list that is being fetched for the first time.
  /// - Returns: Whether they are shown: nothing else is yet, and no later definition was asked for.
  func show(_ page: ResultsPage<Object>, answering number: Int) -> Bool {
    shown.withLock { shown in
      guard shown.asked == number, case .loading(nil) = shown.state else { return false }
      shown.state = .opening(page)
      return true
    }
  }

  /// Whether no later definition was asked for.
  func isNewest(_ number: Int) -> Bool { shown.withLock { $0.asked == number } }

  /// Whether a definition, or a later one, was shown or refused.
  func hasAnswered(_ number: Int) -> Bool { shown.withLock { $0.answered >= number } }

  /// Makes what a piece of work led to the state.
  /// - Parameters:
  ///   - outcomes: What it led to, oldest first.
  ///   - number: The definition it was done for, if for any.
  /// - Returns: What tells it to the subscribers there are now, or `nil` if there is nothing to tell.
  func show(_ outcomes: [ListOutcome], answering number: Int? = nil) -> (() -> Void)? {
    let (events, subscribers) = shown.withLock {
      shown -> ([ListEvent], [WeakSubscription]) in
      if case .ended = shown.state { return ([], []) }
      let hasFailed = outcomes.contains { if case .failed = $0 { true } else { false } }
      shown.note(hasFailed: hasFailed, answering: number)
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

  /// What leads a consumer from a position to the present one.
  func catchUp(from position: ResultsPosition) throws(ResultsError) -> ResultsCatchUp<Object> {
    let (present, entry) = shown.withLock {
      ($0.state.results, $0.journal.entry(from: position.generation))
    }
    guard let present else { throw .notFetched }
    return ResultsCatchUp(entry, from: position, to: present, resetThreshold: resetThreshold)
  }

  /// A new subscriber, which gets the present state first.
  func subscribe() -> ResultsSubscription {
    subscribe { results, _ in [.snapshot(results.loader)] }
  }

  /// A new subscriber that shows some results already, and gets first what leads on from those.
  func subscribe(from drawn: ResultsList<Object>) -> ResultsSubscription {
    // The long way is composed before the lock is taken, and what was shown meanwhile is added within it.
    let known = events(from: drawn)
    return subscribe { present, journal in
      guard let (events, reached) = known, reached != present.generation else {
        return known?.events ?? [.reset(.otherLife, present.loader)]
      }
      let entry = journal.entry(from: reached)
      return events + ResultsPublisher.events(entry, from: reached, drawn, to: present)
    }
  }

  /// What leads on from some results, and the generation it leads to; `nil` before the first fetch.
  private func events(
    from drawn: ResultsList<Object>
  ) -> (events: [ListEvent], reached: Int)? {
    let (present, entry) = shown.withLock {
      ($0.state.results, $0.journal.entry(from: drawn.generation))
    }
    guard let present else { return nil }
    let isStranger = drawn.snapshot.life != present.snapshot.life
    let events =
      isStranger
      ? [.reset(.otherLife, present.loader)]
      : ResultsPublisher.events(entry, from: drawn.generation, drawn, to: present)
    return (events, present.generation)
  }

  /// What leads from a generation to later results, for who has drawn some.
  private static func events(
    _ entry: ResultsJournal.Entry,
    from generation: Int,
    _ drawn: ResultsList<Object>,
    to present: ResultsList<Object>
  ) -> [ListEvent] {
    guard generation != present.generation else { return [] }
    return switch entry.way(from: generation, to: present.generation) {
    case .delta(let delta): [.change(before: drawn.loader, delta, after: present.loader)]
    case .reset(let reason): [.reset(reason, present.loader)]
    }
  }

  /// A new subscriber.
  /// - Parameter first: The events that it gets first, of what is shown.
  /// - Returns: Its subscription, which has ended if the list has.
  private func subscribe(
    first: (ResultsList<Object>, ResultsJournal) -> [ListEvent]
  ) -> ResultsSubscription {
    let subscription = ResultsSubscription(resetThreshold: resetThreshold)
    let isEnded = shown.withLock { shown -> Bool in
      if case .ended = shown.state { return true }
      shown.subscribers.removeAll { $0.subscription == nil }
      shown.subscribers.append(WeakSubscription(subscription))
      // Offered inside the lock, so that no event can come between the state and the registration.
      if let results = shown.state.results {
        for event in first(results, shown.journal) { subscription.offer(event) }
      }
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
      defer { shown.subscribers = [] }
      return shown.subscribers
    }
    for subscriber in subscribers { subscriber.subscription?.finish() }
  }
}

/// A subscription that lives as long as its iterator; an object, since copies of a weak reference are costly.
private final class WeakSubscription: Sendable {
  weak let subscription: ResultsSubscription?
  init(_ subscription: ResultsSubscription) { self.subscription = subscription }
}

/// What a list tells its subscribers, whatever its objects are: events are handed on, folded and kept without knowledge of them.
enum ListEvent: Sendable {
  /// As `ResultsEvent.snapshot`.
  case snapshot(RowLoader)
  /// As `ResultsEvent.change`.
  indirect case change(before: RowLoader, ResultsDelta, after: RowLoader)
  /// As `ResultsEvent.reset`.
  case reset(ResultsResetReason, RowLoader)
  /// As `ResultsEvent.failure`.
  case failure(StoreError)

  /// A change as it is told: beyond the consumer's threshold it is a reset.
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
  /// An event for those who know what the objects are.
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
