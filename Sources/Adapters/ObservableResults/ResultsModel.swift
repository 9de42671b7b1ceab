public import Observation
public import ResultsDomain
public import ResultsPresentation
public import ResultsStoreKit

/// A live list as the observable model of a view: its sections, its rows and its phase, on the main actor.
///
/// ```swift
/// @State private var books = ResultsModel(
///   FetchRequest<Book>(sortedBy: [.ascending(\.title)]), sectionedBy: .attribute(\.publisher), in: store)
///
/// List(books.sections) { section in
///   Section(section.title) { ForEach(section.rows) { row in Text(row.title ?? "…") } }
/// }
/// .onAppear { books.start() }
/// ```
///
/// The model shows exactly the list of its controller, with one notification for each event (R113). What it shows is one value, `state`;
/// assigning it costs the same for any number of rows. Sections and rows read from it belong to one generation and do not change.
///
/// A failure keeps the content and is shown beside it. The model can be released at any time: nothing retains it, and its work ends.
@MainActor @Observable
public final class ResultsModel<Object: FetchedObject> {
  /// The controller of the list; one that the model created is cancelled with the model.
  @ObservationIgnored public let controller: FetchedResultsController<Object>
  /// What is shown, as one value: the list, and whether it is being fetched, live, failed or ended.
  ///
  /// While the first fetch of a long list counts its rows, it is `ResultsState.opening` with the first rows.
  public var state: ResultsState<Object> {
    access(keyPath: \.state)
    return shown
  }
  @ObservationIgnored private var shown: ResultsState<Object> = .idle
  /// Whether `pause()` was called, and not yet `resume()`.
  public private(set) var isPaused = false

  /// Called for each change after `state` shows it, with the updates that a table or collection view performs in one batch.
  ///
  /// ```swift
  /// books.onBatch = { [weak tableView] batch, _ in
  ///   tableView?.performBatchUpdates { … }
  /// }
  /// ```
  @ObservationIgnored
  public var onBatch: (@MainActor (TableViewBatch, ResultsChange<Object>) -> Void)?
  /// Called after `state` shows a list whose difference from the one before no batch describes: a view reloads it.
  ///
  /// That is the first list, a list after a reset, and a change that names observed rows only
  /// (`FetchedResultsController.observedRows`).
  @ObservationIgnored public var onReload: (@MainActor (ResultsList<Object>) -> Void)?

  /// Takes the controller's events; `nil` while the model is stopped.
  @ObservationIgnored private var following: Task<Void, Never>?
  /// Whether the controller belongs to this model alone.
  @ObservationIgnored private let ownsController: Bool

  /// Creates a model of a controller that others may use too; nothing is shown before `start()`.
  public init(_ controller: FetchedResultsController<Object>) {
    self.controller = controller
    ownsController = false
  }

  /// Creates a model with a controller of its own; nothing is fetched before `start()`.
  /// - Parameters:
  ///   - definition: What the list shows.
  ///   - store: The store to read and to observe.
  ///   - options: How changes are delivered.
  public init(
    _ definition: ResultsDefinition<Object>,
    in store: any Store,
    options: ResultsOptions = ResultsOptions()
  ) {
    controller = FetchedResultsController(definition, in: store, options: options)
    ownsController = true
  }

  /// Creates a model of a request over attribute names.
  public convenience init(
    _ request: FetchRequest<Object>,
    sectionedBy sectionKey: SectionKey? = nil,
    in store: any Store,
    options: ResultsOptions = ResultsOptions()
  ) {
    self.init(ResultsDefinition(request, sectionedBy: sectionKey), in: store, options: options)
  }

  deinit {
    following?.cancel()
    if ownsController { controller.cancel() }
  }
}

extension ResultsModel where Object: Entity {
  /// Creates a model of a request over the properties of an entity.
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

// MARK: - What is shown

/// What a view shows beside a list.
public enum ResultsPhase: Sendable {
  /// The list is being fetched, or was not started; the content shown before stays.
  case loading
  /// The list is live.
  case ready
  /// The last attempt failed; the content stays, and the next successful attempt continues from it.
  case failed(StoreError)
  /// The controller was cancelled or its store was closed; the content stays.
  case ended
}

extension ResultsModel {
  /// What to show beside the list.
  public var phase: ResultsPhase {
    switch state {
    case .idle, .loading, .opening: .loading
    case .ready: .ready
    case .failed(let error, _): .failed(error)
    case .ended: .ended
    }
  }

  /// The list that is shown, or `nil` before the first one.
  public var results: ResultsList<Object>? { state.results }

  /// The sections that are shown; none before the first list.
  ///
  /// They and their rows are identifiable random-access collections. A section's title and a row's identity read no object; a row's
  /// object is read on access, with its batch (`FetchRequest.fetchBatchSize`).
  public var sections: ResultsSections<Object> { state.results?.sections ?? ResultsSections() }

  /// The groups of the sections; none before the first list, and in a list without groups (R11).
  public var groups: ResultsGroups<Object> { state.results?.groups ?? ResultsGroups() }

  /// The rows of all sections; none before the first list.
  public var rows: ResultsRows<Object> { state.results?.rows ?? ResultsRows() }
}

// MARK: - Following

extension ResultsModel {
  /// Fetches the list unless the controller has, and shows every event from then on.
  ///
  /// A model that was stopped continues from what it shows, with one change for everything since; over a shared controller that takes
  /// a journal (`ResultsOptions.journalCapacity`), and is a reset without one. If the model has started already, nothing happens.
  public func start() {
    guard follow() else { return }
    Task { [weak self, controller] in
      if controller.isUnfetched, let showPage = self?.showPage {
        // An error is shown as an event.
        try? await controller.performFetch(firstPage: showPage)
      }
      if self?.followsCommits == true { try? await controller.resume() }
    }
  }

  /// Stops showing events, until `start()`; the content stays.
  ///
  /// A controller that the model created is paused meanwhile, so commits cost nothing; a shared one goes on.
  public func stop() {
    following?.cancel()
    following = nil
    if ownsController { controller.pause() }
  }

  /// Ignores commits from now on, until `resume()`: none costs a query, and nothing is shown (R64).
  ///
  /// Use it while a row is dragged or edited. It pauses the controller, also for its other users.
  public func pause() {
    isPaused = true
    controller.pause()
  }

  /// Shows commits again; those made during the pause are shown as one change.
  public func resume() async {
    isPaused = false
    // An error is shown as an event.
    try? await controller.resume()
  }

  /// Checks for commits of every writer now, and fetches the list again if its first fetch failed.
  ///
  /// Call it when the user asks for it, as by pulling a list down. It starts a model that has not started.
  public func refresh() async {
    follow()
    // An error is shown as an event.
    if controller.isUnfetched {
      try? await controller.performFetch(firstPage: showPage)
    } else {
      try? await controller.refresh()
    }
    if followsCommits { try? await controller.resume() }
  }

  /// Changes the definition of the list: predicate, order, sections, window (R50); the phase is `loading` until the result is shown.
  ///
  /// The difference is shown as one event. If several updates overlap, the newest wins. An update that fails leaves the list as it
  /// was, and the phase says why. It starts a model that has not started.
  ///
  /// ```swift
  /// .onChange(of: search) { Task { await books.update { $0.request.predicate = … } } }
  /// ```
  public func update(_ change: (inout ResultsDefinition<Object>) -> Void) async {
    follow()
    if case .ended = controller.state { return }
    show(.loading(last: shown.results))
    // An error is shown as an event.
    try? await controller.update(change)
    if followsCommits { try? await controller.resume() }
  }
}

extension ResultsModel {
  /// Whether a pause of the controller is to end: it is the model's own, and nobody has asked for the pause.
  private var followsCommits: Bool { ownsController && !isPaused && following != nil }

  /// Begins to take events; the first one is what the controller shows now.
  /// - Returns: Whether it has not been doing so already.
  @discardableResult
  private func follow() -> Bool {
    guard following == nil else { return false }
    if shown.results == nil { show(.loading(last: nil)) }
    // Subscribed before the controller is asked for anything, so that nothing falls in between.
    let subscription = controller.states(from: shown.results).makeAsyncIterator()
    following = Task { [weak self] in
      var events = subscription
      while let event = await events.next() {
        // While it waits, the task does not retain the model.
        guard let self, !Task.isCancelled else { return }
        take(event)
      }
      guard let self, !Task.isCancelled else { return }
      show(.ended(last: shown.results))
    }
    return true
  }

  /// Shows the first rows of a long list, unless there is more to show by then.
  private var showPage: @Sendable (ResultsPage<Object>) -> Void {
    { [weak self] page in Task { await self?.show(page) } }
  }

  private func show(_ page: ResultsPage<Object>) {
    if case .loading(nil) = shown { show(.opening(page)) }
  }

  private func take(_ event: ResultsEvent<Object>) {
    let before = shown.results
    switch event {
    case .snapshot(let results), .reset(_, let results):
      show(results)
      if results.position != before?.position { onReload?(results) }
    case .change(let change):
      show(change.after)
      if change.delta.unobserved == nil, change.before.position == before?.position {
        onBatch?(change.delta.tableViewBatch, change)
      } else {
        onReload?(change.after)
      }
    case .failure(let error): show(.failed(error, lastGood: before))
    }
  }

  /// Shows a state, and notifies observers.
  private func show(_ state: ResultsState<Object>) {
    withMutation(keyPath: \.state) { shown = state }
  }

  /// Shows a list; while the controller fetches another definition it is the last of the present one.
  private func show(_ results: ResultsList<Object>) {
    switch controller.state {
    case .loading, .opening: show(.loading(last: results))
    case .idle, .ready, .failed, .ended:
      if case .ready(let present) = shown, present.looksLike(results) {
        // A commit beyond the window or the predicate: the list is of a later version, and no view need notice.
        shown = .ready(results)
      } else {
        show(.ready(results))
      }
    }
  }
}

extension FetchedResultsController {
  /// Whether there is no list, and none is being fetched.
  fileprivate var isUnfetched: Bool {
    switch state {
    case .idle, .failed(_, nil): true
    case .loading, .opening, .ready, .failed, .ended: false
    }
  }
}

extension ResultsList {
  /// Whether a later state of the same generation shows the same.
  fileprivate func looksLike(_ other: ResultsList<Object>) -> Bool {
    position == other.position && matchingCount == other.matchingCount
      && additionalCounts == other.additionalCounts
  }
}
