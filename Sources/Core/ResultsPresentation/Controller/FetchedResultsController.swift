public import ResultsDomain
import Synchronization

/// A live, sectioned, ordered view of what a store holds, which tells after every commit exactly what changed.
///
/// ```swift
/// let results = FetchedResultsController(
///   FetchRequest<Book>(sortedBy: [.ascending(\.title)], fetchBatchSize: 20),
///   sectionedBy: .attribute(\.publisher),
///   in: store)
/// try await results.performFetch()
/// for await event in results.changes { … }
/// ```
///
/// It can be used from any actor and thread. It has no main thread, no run loop and no timing of its own: work runs on the
/// store's threads, events are taken by subscribers on theirs.
public final class FetchedResultsController<Object: FetchedObject>: Sendable {
  /// The store that is listened to.
  public let store: any Store
  private let publisher: ResultsPublisher<Object>
  private let worker: ListWorker
  private let listening = Mutex<Task<Void, Never>?>(nil)

  /// A controller for a definition.
  ///
  /// Nothing is fetched before `performFetch()`.
  ///
  /// - Parameters:
  ///   - definition: What the list shows.
  ///   - store: The store to fetch from and to listen to.
  ///   - findsOtherWriters: Whether content changed by other writers is found where the store's history does not tell it,
  ///     at the price of a digest a row; without it such a commit still moves, inserts and deletes rows.
  public init(
    _ definition: ResultsDefinition<Object>,
    in store: any Store,
    findsOtherWriters: Bool = true
  ) {
    self.store = store
    publisher = ResultsPublisher(definition, store)
    worker = ListWorker(store, findsOtherWriters: findsOtherWriters)
  }

  /// A controller for a request over attribute names.
  public convenience init(
    _ request: FetchRequest<Object>,
    sectionedBy sectionKey: SectionKey? = nil,
    in store: any Store
  ) {
    self.init(ResultsDefinition(request, sectionedBy: sectionKey), in: store)
  }

  deinit {
    listening.withLock { $0?.cancel() }
    publisher.end()
  }

  /// Where the controller is, and what it shows.
  public var state: ResultsState<Object> { publisher.state }

  /// What decides what the list shows.
  public var definition: ResultsDefinition<Object> { publisher.definition }

  /// Every event, the present state first; each iteration is a subscriber of its own (R74).
  public var changes: ResultsChanges<Object> {
    ResultsChanges { [publisher] in publisher.subscribe() }
  }

  /// Fetches the list and begins to listen to the store; again, it brings the list up to date with an ordinary delta.
  /// - Throws: `StoreError.request` for a definition that is refused, or the store's error. What was shown before stays.
  /// - Complexity: O(*n*) in the rows that match the first time; no row is decoded.
  public func performFetch() async throws(StoreError) {
    try await apply { _ in }
  }

  /// Changes the definition of the live list: predicate, order, sections, window, locale (R50).
  ///
  /// What differs arrives as one ordinary delta. While several changes are on their way the newest wins; a call whose change was
  /// overtaken returns without an error. The closure may read the controller, and is called again if another change comes between.
  /// - Throws: As `performFetch()`; the list then stays as it was.
  public func update(
    _ change: (inout ResultsDefinition<Object>) -> Void
  ) async throws(StoreError) {
    try await apply(change)
  }

  /// Looks for commits of every writer now, and delivers what they changed before it returns.
  /// - Throws: The store's error.
  public func refresh() async throws(StoreError) {
    let (worker, publisher, store) = (worker, publisher, store)
    try await onStoreThreads { () async throws(StoreError) in
      try store.lookForOtherWriters()
      try await worker.bringUpToDate(nil) { publisher.publish($0) }
    }
  }

  /// Stops listening; once it returns nothing is delivered any more (R70).
  public func cancel() {
    // Ended first, so that a fetch that has just begun does not listen any more.
    publisher.end()
    listening.withLock { task in
      task?.cancel()
      task = nil
    }
  }

  private func apply(
    _ change: (inout ResultsDefinition<Object>) -> Void
  ) async throws(StoreError) {
    if case .ended = publisher.state { throw .closed(path: "the controller") }
    // Listening begins before reading, so that no commit can fall between the two.
    listen()
    let number = publisher.ask(change)
    let (worker, publisher) = (worker, publisher)
    try await onStoreThreads { () async throws(StoreError) in
      try await worker.bringUpToDate { () throws(RequestError) in
        try publisher.wanted(number).map { (definition) throws(RequestError) in
          try ListPlan(definition)
        }
      } _: {
        publisher.publish($0, answering: number)
      }
    }
  }

  private func listen() {
    listening.withLock { task in
      guard task == nil else { return }
      if case .ended = publisher.state { return }
      let (worker, publisher, store) = (worker, publisher, store)
      let hints = store.hints()
      task = Task(executorPreference: store.executor) {
        for await _ in hints {
          guard !Task.isCancelled else { return }
          // A failure has been published; the next hint tries again from the last good version.
          try? await worker.bringUpToDate(nil) { publisher.publish($0) }
        }
        if !Task.isCancelled { publisher.end() }
      }
    }
  }

  private func onStoreThreads(
    _ work: @Sendable () async throws(StoreError) -> Void
  ) async throws(StoreError) {
    do {
      try await withTaskExecutorPreference(store.executor) { try await work() }
    } catch let error as StoreError {
      throw error
    } catch {
      throw .aborted(by: error)
    }
  }
}

extension FetchedResultsController where Object: Entity {
  /// A controller for a request over the properties of an entity.
  public convenience init(
    _ request: FetchRequest<Object>,
    sectionedBy sectionKey: EntitySectionKey<Object>,
    in store: any Store
  ) {
    self.init(ResultsDefinition(request, sectionedBy: sectionKey.key), in: store)
  }
}
