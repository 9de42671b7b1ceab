public import ResultsDomain
public import ResultsStoreKit

/// A live, sectioned, ordered view of the rows in a store, which reports after every commit exactly what changed.
///
/// ```swift
/// let books = FetchedResultsController(
///   FetchRequest<Book>(sortedBy: [.ascending(\.title)], fetchBatchSize: 20),
///   sectionedBy: .attribute(\.publisher),
///   in: store
/// )
/// try await books.performFetch()
/// for await event in books.changes { draw(event) }
/// ```
///
/// It can be used from any actor and thread. It has no main thread, no run loop and no timing of its own: work runs on the store's
/// threads, and subscribers take events on theirs. All controllers of one store object advance together from commit to commit, so
/// a subscriber of one that reads another finds the same commit there (R66).
public final class FetchedResultsController<Object: FetchedObject>: Sendable {
  /// The store that the controller reads and observes.
  public let store: any Store
  /// How changes are delivered.
  public let options: ResultsOptions
  let list: LiveList

  /// Creates a controller for a definition; nothing is fetched before `performFetch()`.
  ///
  /// ```swift
  /// let definition = ResultsDefinition(FetchRequest<Book>(sortedBy: [.ascending(\.title)]))
  /// let books = FetchedResultsController(definition, in: store)
  /// ```
  /// - Parameters:
  ///   - definition: What the list shows.
  ///   - store: The store to read and to observe.
  ///   - detectsExternalChanges: Whether to find content that other writers changed where the store's history does not record it, at
  ///     the cost of a digest per row. Without it such a commit still moves, inserts and deletes rows.
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

  /// Creates a controller for a request over attribute names.
  ///
  /// ```swift
  /// let rows = FetchedResultsController(
  ///   FetchRequest<Row>(entity: Book.entity, sortedBy: [.ascending("title")]),
  ///   sectionedBy: .attribute("publisher"),
  ///   in: store
  /// )
  /// ```
  public convenience init(
    _ request: FetchRequest<Object>,
    sectionedBy sectionKey: SectionKey? = nil,
    in store: any Store,
    options: ResultsOptions = ResultsOptions()
  ) {
    self.init(ResultsDefinition(request, sectionedBy: sectionKey), in: store, options: options)
  }

  /// Returns a controller over a fixed set of objects, with membership, order and sections as first fetched.
  ///
  /// Attributes stay live, and a deleted object leaves the list. The set may have a million members; they are never all in memory.
  ///
  /// ```swift
  /// let request = FetchRequest<Book>(sortedBy: [.ascending(\.title)])
  /// let unread = IdentitySet(try store.fetch(request.returning(ObjectID.self)))
  /// let books = FetchedResultsController.frozen(unread, request, in: store)
  /// ```
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

  deinit { list.end() }

  /// The state of the controller, with the list it shows.
  public var state: ResultsState<Object> { ResultsState(list.publisher.state) }

  /// The definition of the list.
  public var definition: ResultsDefinition<Object> { ResultsDefinition(list.publisher.definition) }
}

extension FetchedResultsController where Object: Entity {
  /// Creates a controller for a request over the properties of an entity.
  ///
  /// ```swift
  /// let books = FetchedResultsController(
  ///   FetchRequest<Book>(where: \.year > 1990, sortedBy: [.descending(\.year)]),
  ///   sectionedBy: .attribute(\.publisher),
  ///   in: store
  /// )
  /// ```
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

// MARK: - Fetching

extension FetchedResultsController {
  /// Fetches the list and starts to observe the store; called again, it brings the list up to date with an ordinary delta.
  ///
  /// It returns when a list is shown, even if an `update(_:)` has overtaken it. Reading ends early if the task is cancelled (R123).
  ///
  /// ```swift
  /// try await books.performFetch()
  /// for section in books.sections { draw(section.title, section.count) }
  /// ```
  /// - Throws: `StoreError.request` for a definition that is refused, `StoreError.aborted(by:)` with a `CancellationError` in a task that is
  ///   cancelled while keys are read, or the store's error. What was shown before stays.
  /// - Complexity: O(*n*) in the rows that match the first time; no row is decoded.
  public func performFetch() async throws(StoreError) {
    try await apply { _ in }
  }

  /// Fetches the list as `performFetch()` does, and passes on its first rows before the others are counted.
  ///
  /// Meanwhile the state is `ResultsState.opening`. The closure is called on a thread of the store, and only for a long list that no cache
  /// opens and whose rows the store reads in order; any other list is shown whole as soon as its first rows could be.
  ///
  /// ```swift
  /// try await books.performFetch { page in draw(page) }
  /// ```
  /// - Parameter firstPage: Receives as many rows as the request's batch size, or fewer if the window ends before.
  /// - Throws: As `performFetch()`.
  /// - Complexity: The first rows cost O(*k* log *n*) for *k* of them.
  public func performFetch(
    firstPage: @escaping @Sendable (ResultsPage<Object>) -> Void
  ) async throws(StoreError) {
    list.setFirstPageHandler { firstPage(ResultsPage($0)) }
    try await apply { _ in }
  }

  /// Changes the definition of the live list: predicate, order, sections, window, locale (R50).
  ///
  /// The difference arrives as one ordinary delta. If several updates overlap, the newest wins, and a call that was overtaken returns
  /// without an error. The closure may read the controller, and is called again if another update comes between.
  ///
  /// ```swift
  /// let recent: EntityPredicate<Book> = \.year > 1990
  /// try await books.update { $0.request.predicate = recent.predicate }
  /// ```
  /// - Throws: As `performFetch()`; the list then stays as it was.
  public func update(
    _ change: (inout ResultsDefinition<Object>) -> Void
  ) async throws(StoreError) {
    try await apply(change)
  }

  /// Checks for commits of every writer now, and delivers their changes before it returns, even while the controller is paused.
  ///
  /// ```swift
  /// try await books.refresh()
  /// draw(try books.results)
  /// ```
  /// - Throws: The store's error, which is published to subscribers too (R71).
  public func refresh() async throws(StoreError) {
    let list = list
    try await onStoreThreads { () throws(StoreError) in try list.bringUpToDate() }
  }

  /// Ignores commits from now on, until `resume()`: none costs a query, and nothing is delivered (R64).
  ///
  /// A commit that is being read during this call may still be delivered. `refresh()`, `update(_:)` and `performFetch()` work as before.
  public func pause() { list.pause() }

  /// Whether the controller is paused.
  public var isPaused: Bool { list.isPaused }

  /// Follows commits again; those made during the pause, by any writer, are delivered before it returns, as at most one change.
  ///
  /// ```swift
  /// books.pause()
  /// // The view is hidden.
  /// try await books.resume()
  /// ```
  /// - Throws: The store's error, which is published to subscribers too; the missed commits are then delivered with the next
  ///   successful one.
  public func resume() async throws(StoreError) {
    guard list.resume() else { return }
    let list = list
    try await onStoreThreads { () throws(StoreError) in try list.bringUpToDate() }
  }

  /// Stops observing the store; once this returns, nothing is delivered any more (R70).
  public func cancel() {
    // Ended first, so that a fetch that has just begun does not start observing.
    list.end()
    list.scheduler.remove(list)
    saveCacheInBackground()
  }

  private func apply(
    _ change: (inout ResultsDefinition<Object>) -> Void
  ) async throws(StoreError) {
    // Observing begins before reading, so that no commit can fall between the two (R18).
    guard list.activate() else { throw .closed(path: "the controller") }
    let number = list.publisher.request { requested in
      var definition = ResultsDefinition<Object>(requested)
      change(&definition)
      requested = ResultsDefinition<Row>(definition)
    }
    let list = list
    let isFirst = !list.isFetched
    try await onStoreThreads { () throws(StoreError) in try list.fetch(number) }
    if isFirst { saveCacheInBackground() }
  }

  /// Runs blocking work on the store's executor.
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

  /// Leaves the caller's actor, so that the preferred executor applies.
  @concurrent private static func run<Result: Sendable>(
    _ work: @Sendable () throws(StoreError) -> Result
  ) async throws(StoreError) -> Result {
    try work()
  }
}

// MARK: - Reading

extension FetchedResultsController {
  /// The list as it is shown now.
  /// - Throws: `ResultsError.notFetched` before the first fetch.
  public var results: ResultsList<Object> {
    get throws(ResultsError) {
      guard let results = state.results else { throw .notFetched }
      return results
    }
  }

  /// The sections of the list as it is shown now; none before the first fetch.
  public var sections: [ResultsSection<Object>] {
    state.results.map { Array($0.sections) } ?? []
  }

  /// The rows of the list as it is shown now, or `nil` before the first fetch.
  public var rows: ResultsRows<Object>? { state.results?.rows }

  /// Reads the object at a path of the list as it is shown now.
  ///
  /// ```swift
  /// let book = try books.object(at: RowPath(section: 0, row: 2))
  /// ```
  /// - Throws: As `ResultsList.object(at:)`, and `ResultsError.notFetched` before the first fetch.
  public func object(at path: RowPath) throws(ResultsError) -> Object {
    try results.object(at: path)
  }

  /// Returns the path of an object in the list as it is shown now, or `nil` if it is not in it.
  ///
  /// ```swift
  /// if let path = books.path(of: id) { draw(path.section, path.row) }
  /// ```
  public func path(of id: ObjectID) -> RowPath? { state.results?.path(of: id) }

  /// Reads several controllers of this store as of one commit (R66).
  ///
  /// The closure is called again if another commit is shown while it reads, so it should do nothing but read `state`, `results` and
  /// the like. No query is run.
  ///
  /// ```swift
  /// let (count, title) = try books.consistently {
  ///   (try books.results.count, books.sections.first?.title)
  /// }
  /// ```
  public func consistently<Result, Failure>(
    _ read: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try list.scheduler.consistently(read)
  }

  /// Brings the list up to date, and reads it in exactly the version of the store that it then shows.
  ///
  /// Use it to print or copy a whole list while others write: rows read one after the other from `results` may be of several versions,
  /// because no version is held between them. Here one is held until the closure returns. Writers go on meanwhile, but the lists of
  /// this store do not advance and the store retains what the version needs. So the closure should only copy; it must not wait for a
  /// network, a user or a controller of this store.
  ///
  /// It blocks the calling thread while the store is read.
  ///
  /// ```swift
  /// let titles = try books.read { reading in
  ///   try reading.objects(at: 0..<reading.results.count).map(\.title)
  /// }
  /// ```
  /// - Throws: `ResultsError.notFetched` before the first fetch, `.ended` after `cancel()`, `.store` for the store's error, or the
  ///   closure's error.
  /// - Complexity: As `refresh()`, and that of the closure.
  public func read<Result>(
    _ body: (ResultsReading<Object>) throws -> Result
  ) throws -> Result {
    guard list.isFetched else { throw ResultsError.notFetched }
    var outcome: Swift.Result<Result, any Error>?
    let failure = list.scheduler.advance(list) { snapshot in
      guard let shown = list.engine?.shown else { return }
      let results = ResultsList<Object>(shown, store)
      outcome = Swift.Result { try body(ResultsReading(results, in: snapshot, list.publisher)) }
    }
    guard let outcome else { throw failure.map { ResultsError.store($0) } ?? .ended }
    return try outcome.get()
  }
}

// MARK: - Changes

extension FetchedResultsController {
  /// All events, the present state first; each iteration is a subscriber of its own (R74).
  ///
  /// A view that shows an earlier state must replace it by that present state, or subscribe with `changes(from:)`. An iteration ends
  /// when its task is cancelled, also while it waits for the next event, and when the controller is cancelled.
  ///
  /// A change of additional counts alone is no event: the new counts are in `state`, and in the next change.
  ///
  /// ```swift
  /// for await event in books.changes {
  ///   switch event {
  ///   case .snapshot(let results), .reset(_, let results): draw(results)
  ///   case .change(let change): draw(change.delta)
  ///   case .failure(let error): draw(error)
  ///   }
  /// }
  /// ```
  public var changes: ResultsChanges<Object> {
    ResultsChanges { [publisher = list.publisher] in publisher.subscribe() }
  }

  /// All events after a generation that the caller shows, without a snapshot first (R44, R45).
  ///
  /// What happened in the meantime arrives as one change from exactly that generation, or as a reset with its reason where the
  /// journal does not reach back. Each iteration is a subscriber of its own, and begins at the same generation. It ends as one of
  /// `changes` does.
  ///
  /// ```swift
  /// let drawn = try books.results
  /// draw(drawn)
  /// for await event in books.changes(from: drawn) { draw(event) }
  /// ```
  /// - Parameter drawn: The list that the caller shows: from this controller's `results`, an event or `catchUp(from:)`.
  /// - Returns: The events; for another controller's list they begin with a reset, `ResultsResetReason.otherLife`.
  public func changes(from drawn: ResultsList<Object>) -> ResultsChanges<Object> {
    ResultsChanges { [publisher = list.publisher] in publisher.subscribe(from: drawn.loader) }
  }

  /// All events, and one more whenever `state` changes without an event of its own, for models that show the state too.
  ///
  /// That is a snapshot of the generation shown: after a failure that has ended, and where another definition or other additional
  /// counts left the rows as they were. The commits of one turn arrive as one event.
  /// - Parameter drawn: The list that the caller shows, as in `changes(from:)`, or `nil` to begin with the present state.
  /// - Returns: The events.
  package func states(from drawn: ResultsList<Object>?) -> ResultsChanges<Object> {
    ResultsChanges { [publisher = list.publisher] in
      guard let drawn else { return publisher.subscribe(receivesStates: true) }
      return publisher.subscribe(from: drawn.loader, receivesStates: true)
    }
  }

  /// Returns what happened since a position, as one change: a client that was away need not reload.
  ///
  /// The journal exists only if `ResultsOptions.journalCapacity` is above 0, and reaches back that many row changes. A generation
  /// beyond it is answered by a reset, and so is a position of another life, such as one of an earlier run of the program
  /// (`ResultsResetReason.otherLife`). `changes(from:)` continues from the results of the answer, without a gap:
  ///
  /// ```swift
  /// let present = try books.catchUp(from: position).results
  /// for await event in books.changes(from: present) { draw(event) }
  /// ```
  /// - Throws: `ResultsError.notFetched` before the first fetch.
  /// - Complexity: O(*c* log *c* log *k*) for *k* generations with *c* changes; the store is not read.
  public func catchUp(from position: ResultsPosition) throws(ResultsError) -> ResultsCatchUp<Object>
  {
    let (present, entry) = try list.publisher.journalEntry(from: position.generation)
    return ResultsCatchUp(
      entry,
      from: position,
      to: ResultsList(present),
      resetThreshold: options.resetThreshold
    )
  }

  /// Delivers every change since a list that a delegate shows, on the caller's actor, until the task is cancelled or the controller ends.
  ///
  /// ```swift
  /// let drawn = try books.results
  /// draw(drawn)
  /// await books.deliver(to: delegate, from: drawn)
  /// ```
  ///
  /// Commits between drawing and this call are delivered too: as one change if the journal reaches back
  /// (`ResultsOptions.journalCapacity`), otherwise as a reset. The delegate is retained for as long as the call lasts, and not by the
  /// controller. A change that arrives while callbacks run is delivered after them, never inside them (R69). A task that is
  /// cancelled while it waits ends at once.
  /// - Parameters:
  ///   - delegate: The delegate to call.
  ///   - drawn: The list that the delegate shows already.
  ///   - isolation: The actor that the callbacks run on: the caller's.
  public func deliver(
    to delegate: some FetchedResultsControllerDelegate<Object>,
    from drawn: ResultsList<Object>,
    isolation: isolated (any Actor)? = #isolation
  ) async {
    var shown = drawn
    for await event in changes(from: drawn) {
      guard !Task.isCancelled else { return }
      switch event {
      case .change(let change):
        change.deliver(to: delegate)
        shown = change.after
      case .reset(let reason, let results):
        delegate.controller(results, didResetFor: reason)
        shown = results
      case .snapshot(let results):
        // The changes cannot be composed into one, so no callbacks describe them.
        delegate.controller(results, didResetFor: .beyondJournal)
        shown = results
      case .failure(let error): delegate.controller(shown, didFailWith: error)
      }
    }
  }

  /// The rows that changes name one by one, counted over all sections of the shown list; `nil`, the default, for all.
  ///
  /// A view that shows fifty of ten million rows observes those, and some around them. From the next commit on, changes name what
  /// touches them, with exact paths, and count what happened above and below (`ResultsDelta.unobserved`). Sections and their counts
  /// stay exact for the whole list, in every change and in `state`.
  ///
  /// The observed rows follow the content: rows inserted or deleted above them shift them, so that a view can hold its scroll
  /// position. A reset leaves them where they are. They are the same for all subscribers of the controller. Such changes do not
  /// compose: what a subscriber was too slow to take, or missed, arrives as a snapshot, and from `catchUp(from:)` as a reset. They
  /// cannot be applied to a copy of the whole list either (`DeltaError.partial`).
  ///
  /// Over an index, no position is queried for a row that is not observed, if the list has no limit, offset or aggregates. If such a
  /// list shows related values, a commit that concerns many rows through them is looked for in the observed rows only:
  /// `UnobservedChanges.isComplete` is then false.
  ///
  /// ```swift
  /// books.observedRows = 40..<90
  /// ```
  public var observedRows: Range<Int>? {
    get { list.observedRows }
    // No list is this long, and positions beyond it can still be added to.
    set { list.observe((newValue?.clamped(to: 0..<Int.max / 4)).map { ObservedRows(range: $0) }) }
  }

  /// Observes the last rows of the list, and those that will be its last rows, as a chat shows them (R81).
  ///
  /// What is inserted at the end is observed, and shifts the first observed rows out; a reset leaves the last rows observed.
  ///
  /// ```swift
  /// books.observe(last: 50)
  /// ```
  /// - Parameter count: The number of rows.
  public func observe(last count: Int) {
    let count = min(max(count, 0), Int.max / 4)
    list.observe(ObservedRows(range: 0..<count, anchor: .end))
  }

  /// Observes a row and those around it; they keep to that row, whatever is inserted or deleted above it or beside it (R81).
  ///
  /// If the row itself moves or is deleted, they keep to the next one that stays. A reset leaves them where they are.
  ///
  /// ```swift
  /// if let id = row.objectID { books.observe(around: id, before: 20, after: 30) }
  /// ```
  /// - Parameters:
  ///   - id: The identity of the row.
  ///   - before: The number of rows before it; there are fewer at the beginning of the list.
  ///   - after: The number of rows after it.
  /// - Returns: The observed rows, counted over all sections; `nil`, and nothing changes, if the row is not in the list.
  /// - Complexity: As `ResultsSnapshot.path(of:)`.
  @discardableResult
  public func observe(around id: ObjectID, before: Int, after: Int) -> Range<Int>? {
    while let snapshot = list.engine?.shown {
      guard let row = snapshot.path(of: id).flatMap(snapshot.flatPosition(of:)) else { return nil }
      let first = max(0, row - max(before, 0))
      let rows = first..<row + 1 + min(max(after, 0), Int.max / 4)
      let observed = ObservedRows(range: rows, anchor: .row(at: row, before: max(before, 0)))
      // A commit may have moved the row meanwhile.
      if list.observe(observed, ofGeneration: snapshot.generation) { return rows }
    }
    return nil
  }
}
