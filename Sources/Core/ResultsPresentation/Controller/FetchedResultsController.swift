public import ResultsDomain

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
/// store's threads, events are taken by subscribers on theirs. All controllers of one store object are led from commit to commit
/// together by one task: whoever hears of one and reads another finds the same commit (R66).
public final class FetchedResultsController<Object: FetchedObject>: Sendable {
  /// The store that is listened to.
  public let store: any Store
  /// How changes are delivered.
  public let options: ResultsOptions
  let list: LiveList<Object>

  /// A controller for a definition.
  ///
  /// Nothing is fetched before `performFetch()`.
  ///
  /// - Parameters:
  ///   - definition: What the list shows.
  ///   - store: The store to fetch from and to listen to.
  ///   - detectsExternalChanges: Whether content changed by other writers is found where the store's history does not tell it,
  ///     at the price of a digest a row; without it such a commit still moves, inserts and deletes rows.
  ///   - options: How changes are delivered.
  public init(
    _ definition: ResultsDefinition<Object>,
    in store: any Store,
    detectsExternalChanges: Bool = true,
    options: ResultsOptions = ResultsOptions()
  ) {
    self.store = store
    self.options = options
    list = LiveList(definition, store, detectsExternalChanges: detectsExternalChanges, options)
  }

  /// A controller for a request over attribute names.
  public convenience init(
    _ request: FetchRequest<Object>,
    sectionedBy sectionKey: SectionKey? = nil,
    in store: any Store,
    options: ResultsOptions = ResultsOptions()
  ) {
    self.init(ResultsDefinition(request, sectionedBy: sectionKey), in: store, options: options)
  }

  deinit { list.end() }

  /// Where the controller is, and what it shows.
  public var state: ResultsState<Object> { list.publisher.state }

  /// What decides what the list shows.
  public var definition: ResultsDefinition<Object> { list.publisher.definition }

  /// Every event, the present state first; each iteration is a subscriber of its own (R74).
  ///
  /// Whoever has drawn something already must draw that present state in its place, which may be a later one, or use `changes(from:)`.
  /// A task that is cancelled while it waits for the next event ends at once, as does every iteration when the controller is cancelled.
  ///
  /// Counts alongside that change while rows and sections stay as they were are no event: they are found in `state`, and in the next change.
  public var changes: ResultsChanges<Object> {
    ResultsChanges { [publisher = list.publisher] in publisher.subscribe() }
  }

  /// Fetches the list and begins to listen to the store; again, it brings the list up to date with an ordinary delta.
  ///
  /// It returns when something is shown, even if an `update(_:)` has overtaken it.
  /// - Throws: `StoreError.request` for a definition that is refused, or the store's error. What was shown before stays.
  /// - Complexity: O(*n*) in the rows that match the first time; no row is decoded.
  public func performFetch() async throws(StoreError) {
    try await apply { _ in }
  }

  /// Fetches the list as `performFetch()` does, and hands over its first rows before the others are counted.
  ///
  /// Meanwhile the state is `ResultsState.opening`. The closure is called on a thread of the store, and only for a long list over an index
  /// that no cache opens; any other is shown whole as soon as its first rows could be.
  /// - Parameter firstPage: Is given as many rows as the request's batch size, and fewer if the window ends before.
  /// - Throws: As `performFetch()`; also if the task is cancelled while rows are counted.
  /// - Complexity: The first rows cost O(*k* log *n*) for *k* of them.
  public func performFetch(
    firstPage: @escaping @Sendable (ResultsPage<Object>) -> Void
  ) async throws(StoreError) {
    list.announcesFirstPage(firstPage)
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
  ///
  /// It does so even while the controller is paused.
  /// - Throws: The store's error, which subscribers are told too (R71).
  public func refresh() async throws(StoreError) {
    let list = list
    try await onStoreThreads { () throws(StoreError) in try list.bringUpToDate() }
  }

  /// Leaves commits alone from now on: none costs a query, and nothing is delivered, until `resume()` (R64).
  ///
  /// A commit that is being read while this is called may still be delivered; `refresh()`, `update(_:)` and `performFetch()` work as ever.
  public func pause() { list.pause() }

  /// Whether the controller is paused.
  public var isPaused: Bool { list.isPaused }

  /// Follows commits again; those of the pause, whoever made them, are delivered before it returns, as at most one change.
  /// - Throws: The store's error, which subscribers receive too; what was missed is then delivered with the next good commit.
  public func resume() async throws(StoreError) {
    guard list.resume() else { return }
    let list = list
    try await onStoreThreads { () throws(StoreError) in try list.bringUpToDate() }
  }

  /// Stops listening; once it returns nothing is delivered any more (R70).
  public func cancel() {
    // Ended first, so that a fetch that has just begun does not listen any more.
    list.end()
    list.follower.leave(list)
    keepCache()
  }

  private func apply(
    _ change: (inout ResultsDefinition<Object>) -> Void
  ) async throws(StoreError) {
    // Listening begins before reading, so that no commit can fall between the two (R18).
    guard list.listen() else { throw .closed(path: "the controller") }
    let number = list.publisher.ask(change)
    let list = list
    let isFirst = !list.isFetched
    try await onStoreThreads { () throws(StoreError) in try list.fetch(number) }
    if isFirst { keepCache() }
  }

  /// Runs blocking work where the store wants it.
  func onStoreThreads<Result: Sendable>(
    _ work: @Sendable () throws(StoreError) -> Result
  ) async throws(StoreError) -> Result {
    do {
      return try await withTaskExecutorPreference(store.executor) {
        try await FetchedResultsController.run(work)
      }
    } catch let error as StoreError {
      throw error
    } catch {
      throw .aborted(by: error)
    }
  }

  /// Leaves the caller's actor, so that the store's executor is the one that counts.
  @concurrent private static func run<Result: Sendable>(
    _ work: @Sendable () throws(StoreError) -> Result
  ) async throws(StoreError) -> Result {
    try work()
  }
}

extension FetchedResultsController where Object: Entity {
  /// A controller for a request over the properties of an entity.
  public convenience init(
    _ request: FetchRequest<Object>,
    sectionedBy sectionKey: EntitySectionKey<Object>,
    in store: any Store,
    options: ResultsOptions = ResultsOptions()
  ) {
    let definition = ResultsDefinition(request, sectionedBy: sectionKey.key)
    self.init(definition, in: store, options: options)
  }
}

// MARK: - Reading

extension FetchedResultsController {
  /// What the list shows now.
  /// - Throws: `ResultsError.notFetched` before the first fetch.
  public func results() throws(ResultsError) -> ResultsList<Object> {
    guard let results = state.results else { throw .notFetched }
    return results
  }

  /// The sections of what the list shows now; none before the first fetch.
  public var sections: [ResultsSection<Object>] {
    state.results.map { Array($0.sections) } ?? []
  }

  /// The rows of what the list shows now, read when asked for; `nil` before the first fetch.
  public var fetchedObjects: ResultsRows<Object>? { state.results?.fetchedObjects }

  /// The object at a path of what the list shows now.
  /// - Throws: As `ResultsList.object(at:)`, and `ResultsError.notFetched` before the first fetch.
  public func object(at path: RowPath) throws(ResultsError) -> Object {
    try results().object(at: path)
  }

  /// The path of an object in what the list shows now, or `nil` if it is not in it.
  public func path(of id: ObjectID) -> RowPath? { state.results?.path(of: id) }

  /// Reads several controllers of this store as of one commit (R66).
  ///
  /// The closure is called again if another commit is shown while it reads, so it should do nothing but read `state`, `results()`
  /// and the like. It waits for no query.
  public func consistently<Result, Failure>(
    _ read: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try list.follower.consistently(read)
  }
}

// MARK: - Observed rows

extension FetchedResultsController {
  /// The rows that changes name one by one, counted over all sections of what the list shows; `nil`, as at first, for all.
  ///
  /// A view that shows fifty rows of ten million declares those, and some around them. From the next commit on its changes name what
  /// touches them, with exact paths, and count what happened above and below (`ResultsDelta.unobserved`). Sections and their
  /// counts stay exact for the whole list, in every change and in `state`.
  ///
  /// The observed rows follow the content: rows that come or leave above them shift them, so that a view can keep what it shows in place. A reset
  /// leaves them where they are. They are one for all subscribers of the controller. What a subscriber was too slow to take, or was
  /// away for, cannot be composed of such changes: it is told as a snapshot, and `catchUp(from:)` as a reset. Nor can a consumer that
  /// holds the whole list lead it on by them (`DeltaError.partial`).
  ///
  /// Over an index, the store is not asked for the place of a row that is not observed, if the list has no limit, offset or aggregates.
  public var observedRows: Range<Int>? {
    get { list.observedRows }
    set {
      // No list is so long, and places beyond it can still be added to.
      list.observedRows = newValue?.clamped(to: 0..<Int.max / 4)
    }
  }
}

// MARK: - Frozen results

extension FetchedResultsController {
  /// A controller over a fixed set of objects: `SELF IN ids`, with membership, order and sections as first fetched.
  ///
  /// Attributes stay live, and a deleted object leaves. The set may have a million members; none of them is materialised.
  public static func frozen(
    _ identities: IdentitySet,
    _ request: FetchRequest<Object>,
    sectionedBy sectionKey: SectionKey? = nil,
    in store: any Store
  ) -> FetchedResultsController<Object> {
    var request = request
    request.predicate = .identity(identities)
    return FetchedResultsController(
      ResultsDefinition(request, sectionedBy: sectionKey, isFrozen: true),
      in: store
    )
  }
}
