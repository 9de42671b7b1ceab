import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import Synchronization

/// Does what a model asks for outside of it, and sends the answers as events: it reads pages, and opens and follows lists.
///
/// Everything runs in tasks that use the store's executor, so that no wait of the store holds up a key.
final class BrowserWork: Sendable {
  private struct OpenList {
    var task: Task<Void, Never>
    var controller: FetchedResultsController<Row>?
    /// The limits of sections with which it was opened.
    var limits = SectionLimits()
    /// The newest change of a limit.
    var limiting: Task<Void, Never>?
  }

  let source: BrowserSource
  let send: @Sendable (BrowserEvent) -> Void
  private let lists = Mutex<[Int: OpenList]>([:])
  /// The wait of the newest write, which can be given up.
  private let wait = Mutex<WriterWait?>(nil)
  /// The newest search for a match.
  private let matching = Mutex<Task<Void, Never>?>(nil)
  /// The open form.
  let form = Mutex<FormAtWork?>(nil)
  /// The time that a filter waits for the next key.
  private static let patience = Duration.milliseconds(40)

  init(_ source: BrowserSource, send: @escaping @Sendable (BrowserEvent) -> Void) {
    self.source = source
    self.send = send
  }

  /// The executor of the store.
  var executor: (any TaskExecutor)? { lists.withLock { $0[0]?.controller?.store.executor } }

  /// Opens the base list and follows it.
  /// - Throws: What the source throws, or the store's error of the first fetch.
  func openBase() async throws {
    let definition = try source.define(BrowserChoice())
    let controller = definition.controller
    let task = Task {
      async let notes: Void = follow(controller.captureProblems)
      await follow(controller, pane: 0)
      await notes
    }
    let limits = controller.definition.arrangement.limits
    lists.withLock { $0[0] = OpenList(task: task, controller: controller, limits: limits) }
    try await definition.controller.performFetch { [send] page in
      BrowserWork.pass(page, of: 0, definition.order, to: send)
    }
  }

  /// Passes on the first rows of a list, if they can be read.
  private static func pass(
    _ page: ResultsPage<Row>,
    of pane: Int,
    _ order: BrowserOrder,
    to send: @Sendable (BrowserEvent) -> Void
  ) {
    guard let rows = try? page.objects(), !rows.isEmpty else { return }
    send(.first(pane: pane, rows, order: order))
  }

  /// Performs an effect that concerns lists.
  func perform(_ effect: BrowserEffect) {
    switch effect {
    case .readPage(let pane, let list, let positions): read(positions, of: list, pane)
    case .readRunning(let column, let list, let positions, let origin):
      Task(executorPreference: executor) { [send] in
        let texts = await BrowserWork.texts(of: column, list, at: positions, from: origin)
        send(.running(texts, at: positions, of: list.position))
      }
    case .open(let pane, let choice): open(choice, pane)
    case .close(let pane): close(pane)
    case .perform(let request): perform(request)
    case .land(let pane, let list, let row): land(row, in: list, pane)
    case .form(let number, let effect): perform(effect, ofForm: number)
    case .find(let search, let pane, let list, let ids): find(ids, in: list, pane, search)
    case .readDetails(let id): readDetails(of: id)
    case .seek(let pane, let list, let choice, let text): seek(text, choice, in: list, pane)
    case .match(let pane, let list, let choice, let text, let start, let backward):
      match(text, choice, in: list, pane, from: start, backward)
    case .observe(let pane, let rows): observe(rows, pane)
    case .limit(let pane, let id, let isLifted): limit(id, isLifted: isLifted, pane)
    case .recheck(let pane): recheck(pane)
    case .findWriter: Task { [send, source] in send(.writer(source.writer())) }
    case .giveUp: wait.withLock { $0?.giveUp() }
    case .readLinks(let id):
      answer { [source] in BrowserOutcome("", .links(try source.links(id), of: id)) }
    case .visit(let id, let link):
      answer { [source] in BrowserOutcome("", .visit(try source.visit(id, link))) }
    case .copy, .repaint, .suspend, .quit, .mouse, .show, .leave: break
    }
  }

  /// Stops everything, and saves the cache of the base list for the next start.
  func end() async {
    let open = lists.withLock { lists in
      defer { lists = [:] }
      return lists
    }
    source.stop()
    endForm { _ in true }
    matching.withLock { $0?.cancel() }
    _ = try? await open[0]?.controller?.saveCache()
    for list in open.values {
      list.task.cancel()
      list.controller?.cancel()
    }
  }

  // MARK: - Lists

  private func open(_ choice: BrowserChoice, _ pane: Int) {
    // Under the lock, so that the task finds the pane that it opens however soon it runs.
    lists.withLock { lists in
      lists[pane] = OpenList(task: Task { await opened(choice, pane) }, controller: nil)
    }
  }

  /// Opens the list of a choice and follows it, unless its pane is closed before.
  private func opened(_ choice: BrowserChoice, _ pane: Int) async {
    do {
      if !choice.filter.isEmpty { try await Task.sleep(for: BrowserWork.patience) }
      let definition = try source.define(choice)
      let isWanted = lists.withLock { lists in
        lists[pane]?.controller = definition.controller
        lists[pane]?.limits = definition.controller.definition.arrangement.limits
        return lists[pane] != nil
      }
      guard isWanted, !Task.isCancelled else { return definition.controller.cancel() }
      try await definition.controller.performFetch { [send] page in
        BrowserWork.pass(page, of: pane, definition.order, to: send)
      }
      let list = try definition.controller.results
      send(.opened(pane: pane, choice, list, order: definition.order))
      await follow(definition.controller, pane: pane)
    } catch {
      guard !Task.isCancelled else { return }
      let reason = (error as? BrowserSource.Refusal)?.reason ?? "\(error)"
      send(.refused(pane: pane, reason: reason))
    }
  }

  /// Lifts the limit of a section or sets it again, after earlier changes of limits; what comes or goes is a change like any other.
  private func limit(_ id: SectionID, isLifted: Bool, _ pane: Int) {
    let isOpen = lists.withLock { lists in
      guard let controller = lists[pane]?.controller else { return false }
      let limit = isLifted ? nil : lists[pane]?.limits[id]
      let earlier = lists[pane]?.limiting
      lists[pane]?.limiting = Task(executorPreference: controller.store.executor) { [send] in
        await earlier?.value
        // A failure is published to the pane too.
        try? await controller.update { $0.arrangement.limits[id] = limit }
        send(.limited)
      }
      return true
    }
    if !isOpen { send(.limited) }
  }

  private func close(_ pane: Int) {
    guard let closed = lists.withLock({ $0.removeValue(forKey: pane) }) else { return }
    closed.task.cancel()
    closed.controller?.cancel()
  }

  private func follow(_ problems: CaptureProblems) async {
    for await problems in problems { send(.compared(problems)) }
  }

  private func follow(_ controller: FetchedResultsController<Row>, pane: Int) async {
    for await event in controller.changes { send(.list(pane: pane, event)) }
  }

  // MARK: - Requests

  private func perform(_ request: BrowserRequest) {
    let wait = beginWait()
    answer { [source] in
      try WriterWait.$current.withValue(wait) { try source.perform(request) }
    }
  }

  /// Sends what a closure comes to, which may wait for the store.
  private func answer(_ body: @escaping @Sendable () throws -> BrowserOutcome) {
    Task(executorPreference: executor) { [send] in
      let outcome = await BrowserWork.outcome(of: body)
      send(.performed(outcome))
      guard case .later(let messages) = outcome.effect else { return }
      var last: String?
      for await message in messages { last = message }
      send(.ended(last))
    }
  }

  /// Begins a wait that the user can give up.
  func beginWait() -> WriterWait {
    let new = WriterWait()
    wait.withLock { $0 = new }
    return new
  }

  @concurrent private static func outcome(
    of body: @Sendable () throws -> BrowserOutcome
  ) async -> BrowserOutcome {
    do {
      return try body()
    } catch {
      return BrowserOutcome((error as? BrowserSource.Refusal)?.reason ?? "\(error)")
    }
  }

  /// Finds where a row stands or would stand.
  private func land(_ row: Row, in list: ResultsList<Row>, _ pane: Int) {
    let executor = lists.withLock { $0[pane]?.controller?.store.executor }
    Task(executorPreference: executor) { [send] in
      send(.landed(pane: pane, row, await BrowserWork.path(of: row, in: list), in: list))
    }
  }

  @concurrent private static func path(of row: Row, in list: ResultsList<Row>) async -> RowPath? {
    try? list.landingPath(of: row)
  }

  /// Brings a list that failed up to date; a failure is published to its followers.
  private func recheck(_ pane: Int) {
    guard let controller = lists.withLock({ $0[pane]?.controller }) else { return }
    Task { [send] in
      if (try? await controller.refresh()) != nil { send(.recovered(pane: pane)) }
    }
  }

  /// Lets the changes of a list name some rows; the controller may be following a commit, so it is not waited for here.
  private func observe(_ rows: Range<Int>?, _ pane: Int) {
    guard let controller = lists.withLock({ $0[pane]?.controller }) else { return }
    Task(executorPreference: controller.store.executor) {
      await BrowserWork.observe(rows, controller)
    }
  }

  @concurrent private static func observe(
    _ rows: Range<Int>?,
    _ controller: FetchedResultsController<Row>
  ) async {
    controller.observedRows = rows
  }

  /// The executor of a pane's store.
  func executor(ofPane pane: Int) -> (any TaskExecutor)? {
    lists.withLock { $0[pane]?.controller?.store.executor }
  }

  /// Ends the search for a match that a newer one overtakes.
  func replaceMatching(by task: Task<Void, Never>) {
    matching.withLock { matching in
      matching?.cancel()
      matching = task
    }
  }

  /// Finds the paths of rows.
  private func find(_ ids: [ObjectID], in list: ResultsList<Row>, _ pane: Int, _ search: Int) {
    let executor = lists.withLock { $0[pane]?.controller?.store.executor }
    Task(executorPreference: executor) { [send] in
      send(.found(search: search, await BrowserWork.paths(of: ids, in: list)))
    }
  }

  @concurrent private static func paths(
    of ids: [ObjectID],
    in list: ResultsList<Row>
  ) async -> [RowPath?] {
    ids.map { list.path(of: $0) }
  }

  /// Brings the lists up to date.
  /// - Returns: Whether a model has taken all of their changes; if not, an event is on its way.
  func hasDelivered(to model: BrowserModel) async -> Bool {
    let controllers = lists.withLock { $0.mapValues(\.controller) }
    for (pane, controller) in controllers {
      guard let controller, (try? await controller.refresh()) != nil,
        let list = try? controller.results
      else { continue }
      if model.position(ofPane: pane) != list.position { return false }
    }
    return true
  }

  // MARK: - Pages

  private func read(_ positions: Range<Int>, of list: ResultsList<Row>, _ pane: Int) {
    let executor = lists.withLock { $0[pane]?.controller?.store.executor }
    Task(executorPreference: executor) { [send] in
      let (rows, reason) = await BrowserWork.rows(of: list, at: positions)
      send(.page(pane: pane, from: positions.lowerBound, rows: rows))
      if let reason { send(.unreadable(pane: pane, reason: reason)) }
    }
  }

  @concurrent private static func texts(
    of column: BrowserSetup.RunningColumn,
    _ list: ResultsList<Row>,
    at positions: RangeSet<Int>,
    from origin: RunningOrigin
  ) async -> [Int: String] {
    var texts: [Int: String] = [:]
    for range in positions.ranges {
      let found = column.texts(of: list, at: range, from: origin)
      for (position, text) in zip(range, found) { texts[position] = text }
    }
    return texts
  }

  /// Reads rows; one that cannot be read does not hide the others.
  @concurrent private static func rows(
    of list: ResultsList<Row>,
    at positions: Range<Int>
  ) async -> (rows: [Row?], reason: String?) {
    if let rows = try? list.objects(at: positions) { return (rows, nil) }
    var reason: String?
    let rows = positions.map { position -> Row? in
      do {
        return try list.objects(at: position..<position + 1).first
      } catch ResultsError.store(let error) {
        reason = error.description
      } catch {
        // The row was deleted meanwhile, and a change that says so is on its way.
      }
      return nil
    }
    return (rows, reason)
  }
}
