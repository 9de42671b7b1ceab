import ResultsDomain
import ResultsStoreKit
import Synchronization

/// The published state of a controller, its journal and its subscribers.
///
/// The state holds rows, not objects: `ResultsState<Row>`. The controller converts it.
///
/// Mutable state: `published`, guarded by its mutex. The scheduler's turn publishes events; the controller requests definitions and
/// subscribes. While the mutex is held, only a new subscription is called, with its first events; all other events are delivered
/// outside of it, in the scheduler's turn, so that subscribers receive them in order.
final class ListPublisher: Sendable {
  private struct Published {
    var state: ResultsState<Row> = .idle
    var definition: ResultsDefinition<Row>
    /// The last definition that was not refused, if there was one.
    var accepted: ResultsDefinition<Row>?
    /// Definitions that are being fetched, by number.
    var fetching: [Int: ResultsDefinition<Row>] = [:]
    /// How often the definition was set.
    var revision = 0
    /// The number of the newest requested definition; an older one that is fetched later is dropped (R50).
    var requested = 0
    /// The number of the newest definition that was published or refused.
    var answered = 0
    var journal: ResultsJournal
    var subscribers: [WeakSubscription] = []

    /// Publishes results; while another definition is being fetched they are the last of the present one (R51).
    mutating func show(_ results: RowLoader) {
      let results = ResultsList<Row>(results)
      state = requested == answered ? .ready(results) : .loading(last: results)
    }

    /// Records that a definition was published or refused; a refused one is replaced by the last that was not.
    mutating func answer(_ number: Int?, hasFailed: Bool) {
      guard let number else { return }
      answered = max(answered, number)
      let definition = fetching[number]
      fetching = fetching.filter { $0.key > number }
      guard hasFailed else {
        accepted = definition ?? accepted
        return
      }
      guard requested == number, let accepted else { return }
      self.definition = accepted
      revision += 1
    }
  }

  /// A subscription that lives as long as its iterator; a class, since copies of a weak reference are costly.
  private final class WeakSubscription: Sendable {
    weak let subscription: ListSubscription?
    init(_ subscription: ListSubscription) { self.subscription = subscription }
  }

  private let published: Mutex<Published>
  private let resetThreshold: Int?

  init(_ definition: ResultsDefinition<Row>, _ options: ResultsOptions) {
    let journal = ResultsJournal(capacity: options.journalCapacity)
    published = Mutex(Published(definition: definition, journal: journal))
    resetThreshold = options.resetThreshold
  }

  var state: ResultsState<Row> { published.withLock { $0.state } }
  var isEnded: Bool { if case .ended = state { true } else { false } }
  var definition: ResultsDefinition<Row> { published.withLock { $0.definition } }
}

// MARK: - Definitions

extension ListPublisher {
  /// Requests a definition.
  ///
  /// The closure runs outside of the lock, since it may read the controller.
  /// - Returns: The definition's number; later ones have greater numbers.
  func request(_ change: (inout ResultsDefinition<Row>) -> Void) -> Int {
    while true {
      var (definition, revision) = published.withLock { ($0.definition, $0.revision) }
      change(&definition)
      let number = published.withLock { [definition] published -> Int? in
        guard published.revision == revision else { return nil }
        published.definition = definition
        published.revision += 1
        published.requested += 1
        if case .ended = published.state { return published.requested }
        published.state = .loading(last: published.state.results)
        return published.requested
      }
      if let number { return number }
    }
  }

  /// The definition to fetch for a requested one, with its number.
  ///
  /// It is the newest one if the list shows nothing yet; otherwise there is none if a newer one was requested.
  func definitionToFetch(for number: Int) -> (ResultsDefinition<Row>, Int)? {
    published.withLock { published in
      if case .ended = published.state { return nil }
      guard published.requested == number || published.state.results == nil else { return nil }
      published.fetching[published.requested] = published.definition
      return (published.definition, published.requested)
    }
  }

  /// Whether no newer definition was requested.
  func isNewest(_ number: Int) -> Bool { published.withLock { $0.requested == number } }

  /// Whether a definition, or a newer one, was published or refused.
  func hasAnswered(_ number: Int) -> Bool { published.withLock { $0.answered >= number } }
}

// MARK: - Publishing

extension ListPublisher {
  /// Publishes the first rows of a list during its first fetch.
  /// - Returns: Whether they are shown: nothing else is yet, and no newer definition was requested.
  func show(_ page: ResultsPage<Row>, answering number: Int) -> Bool {
    published.withLock { published in
      guard published.requested == number, case .loading(nil) = published.state else {
        return false
      }
      published.state = .opening(page)
      return true
    }
  }

  /// Publishes events as the new state.
  /// - Parameters:
  ///   - events: The events, oldest first.
  ///   - number: The definition that they answer, if they answer one.
  /// - Returns: A closure that delivers them to the present subscribers, or `nil` if there is nothing to deliver.
  func publish(_ events: [ListEvent], answering number: Int? = nil) -> (() -> Void)? {
    let (delivered, subscribers) = published.withLock {
      published -> ([ListEvent], [WeakSubscription]) in
      if case .ended = published.state { return ([], []) }
      let hasFailed = events.contains { if case .failure = $0 { true } else { false } }
      published.answer(number, hasFailed: hasFailed)
      var delivered: [ListEvent] = []
      for event in events {
        delivered.append(publish(event, &published))
      }
      return (delivered, published.subscribers)
    }
    guard !delivered.isEmpty else { return nil }
    return {
      for subscriber in subscribers { subscriber.subscription?.offer(delivered) }
    }
  }

  /// - Returns: The event to deliver.
  private func publish(_ event: ListEvent, _ published: inout Published) -> ListEvent {
    switch event {
    case .snapshot(let results):
      published.show(results)
      return event
    case .current(let results):
      published.show(results)
      return event
    case .change(_, let delta, let after):
      published.show(after)
      published.journal.append(delta)
      return event.limited(to: resetThreshold)
    case .reset(let reason, let results):
      published.show(results)
      published.journal.cut(at: results.snapshot.generation, reason)
      return event
    case .failure(let error):
      published.state = .failed(error, lastGood: published.state.results)
      return event
    }
  }

  /// Ends all subscriptions; nothing is delivered afterwards (R70).
  func end() {
    let subscribers = published.withLock { published -> [WeakSubscription] in
      published.state = .ended(last: published.state.results)
      defer { published.subscribers = [] }
      return published.subscribers
    }
    for subscriber in subscribers { subscriber.subscription?.finish() }
  }
}

// MARK: - Subscribing

extension ListPublisher {
  /// The present results, and the journal's entry from a generation to them.
  /// - Throws: `ResultsError.notFetched` before the first fetch.
  func journalEntry(
    from generation: Int
  ) throws(ResultsError) -> (present: RowLoader, entry: ResultsJournal.Entry) {
    let (present, entry) = published.withLock {
      ($0.state.results?.loader, $0.journal.entry(from: generation))
    }
    guard let present else { throw .notFetched }
    return (present, entry)
  }

  /// Subscribes, beginning with the present state.
  /// - Parameter receivesStates: Whether the subscriber receives every state (`ListEvent.current`).
  /// - Returns: The subscription, which has ended if the list has.
  func subscribe(receivesStates: Bool = false) -> ListSubscription {
    subscribe(receivesStates) { results, _ in [.snapshot(results)] }
  }

  /// Subscribes for a consumer that shows some results already, beginning with what changed since those.
  func subscribe(from drawn: RowLoader, receivesStates: Bool = false) -> ListSubscription {
    // A long journal is composed before the lock is taken; events published meanwhile are added within it.
    let known = events(from: drawn)
    return subscribe(receivesStates) { present, journal in
      guard let (events, reached) = known, reached != present.snapshot.generation else {
        return known?.events ?? [.reset(.otherLife, present)]
      }
      let entry = journal.entry(from: reached)
      return events + ListPublisher.events(entry, from: reached, drawn, to: present)
    }
  }

  /// The events since some results, and the generation they end with; `nil` before the first fetch.
  private func events(from drawn: RowLoader) -> (events: [ListEvent], reached: Int)? {
    let generation = drawn.snapshot.generation
    guard let (present, entry) = try? journalEntry(from: generation) else { return nil }
    let events: [ListEvent] =
      drawn.snapshot.life != present.snapshot.life
      ? [.reset(.otherLife, present)]
      : ListPublisher.events(entry, from: generation, drawn, to: present)
    return (events, present.snapshot.generation)
  }

  /// The events from a generation to later results, for a consumer that shows some results.
  private static func events(
    _ entry: ResultsJournal.Entry,
    from generation: Int,
    _ drawn: RowLoader,
    to present: RowLoader
  ) -> [ListEvent] {
    guard generation != present.snapshot.generation else { return [] }
    return switch entry.step(from: generation, to: present.snapshot.generation) {
    case .delta(let delta): [.change(before: drawn, delta, after: present)]
    case .reset(let reason): [.reset(reason, present)]
    }
  }

  /// Adds a subscriber.
  /// - Parameters:
  ///   - receivesStates: Whether the subscriber receives every state (`ListEvent.current`).
  ///   - first: Returns its first events, given the present results.
  /// - Returns: The subscription, which has ended if the list has.
  private func subscribe(
    _ receivesStates: Bool,
    first: (RowLoader, ResultsJournal) -> [ListEvent]
  ) -> ListSubscription {
    let subscription = ListSubscription(
      resetThreshold: resetThreshold,
      receivesStates: receivesStates
    )
    let isEnded = published.withLock { published -> Bool in
      if case .ended = published.state { return true }
      published.subscribers.removeAll { $0.subscription == nil }
      published.subscribers.append(WeakSubscription(subscription))
      // Offered inside the lock, so that no event can fall between the state and the registration.
      if let results = published.state.results?.loader {
        // The state of what a subscriber shows may be another than when it last looked.
        subscription.offer(first(results, published.journal) + [.current(results)])
      }
      if case .failed(let error, _) = published.state { subscription.offer([.failure(error)]) }
      return false
    }
    if isEnded { subscription.finish() }
    return subscription
  }
}

// MARK: - Conversions between rows and objects

extension ResultsDefinition {
  /// Creates the same definition for another type of object.
  init<Other>(_ other: ResultsDefinition<Other>) {
    let request = other.request
    var converted = FetchRequest<Object>(
      entity: request.entity,
      where: request.predicate,
      sortedBy: request.sortDescriptors,
      fetchLimit: request.fetchLimit,
      fetchOffset: request.fetchOffset,
      propertiesToFetch: request.propertiesToFetch
    )
    converted.fetchBatchSize = request.fetchBatchSize
    converted.relationshipPathsForPrefetching = request.relationshipPathsForPrefetching
    self.init(
      converted,
      sectionedBy: other.sectionKey,
      groupedBy: other.groups,
      isFrozen: other.isFrozen,
      additionalCounts: other.additionalCounts,
      aggregates: other.aggregates,
      arrangement: other.arrangement,
      cacheName: other.cacheName
    )
  }
}

extension ResultsState {
  /// Creates the state with objects from the published one.
  init(_ state: ResultsState<Row>) {
    func convert(_ results: ResultsList<Row>?) -> ResultsList<Object>? {
      results.map { ResultsList(converting: $0) }
    }
    self =
      switch state {
      case .idle: .idle
      case .loading(let last): .loading(last: convert(last))
      case .opening(let page): .opening(ResultsPage(page))
      case .ready(let results): .ready(ResultsList(converting: results))
      case .failed(let error, let lastGood): .failed(error, lastGood: convert(lastGood))
      case .ended(let last): .ended(last: convert(last))
      }
  }
}

extension ResultsList {
  fileprivate init(converting results: ResultsList<Row>) { self.init(results.loader) }
}
