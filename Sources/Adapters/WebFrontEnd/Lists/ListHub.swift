#if Web
import ListBrowser
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import Synchronization

/// One live list and the clients that show windows of it.
///
/// All clients of a definition share one controller, which names all rows in its changes: whole changes compose, so a client that was
/// slow, hidden, asleep or away gets one change from exactly the generation that it shows. A client has no queue.
final class ListHub: Sendable {
  private struct State {
    var clients: [String: ListClient] = [:]
    /// The generation that the list had when clients were last woken.
    var announced: Int?
    /// Generations that a client may return with.
    var lists: [ResultsList<Row>] = []
    var failure: WebNote?
    var problems: WebNote?
    var progress: WebNote?
    var noteCount = 0
    /// The moment at which the newest change came.
    var changed = ContinuousClock.now
    /// The requests that wait for the list and show no window of it.
    var waiting = 0
    /// What clients are sent that show the newest generation from now on.
    var events: [LineKey: Task<WindowEvent, any Error>] = [:]
    var newest = 0
    var unusedSince: ContinuousClock.Instant?
    var following: Task<Void, Never>?
    var opening: Task<Void, any Error>?
    /// Whether the list could not be fetched at all.
    var isBroken = false
    /// The line with the first rows of a list that is still being counted.
    var firstRows: String?
    /// The attempt to read a store again that failed.
    var retry: Task<Void, Never>?
  }

  /// The list.
  let controller: FetchedResultsController<Row>
  /// Its order and its sections, in words.
  let order: BrowserOrder
  /// What it shows.
  let choice: BrowserChoice
  let lines: WindowLines
  /// Whether this is the program's own list.
  let isBase: Bool
  private let parts: ServerParts
  private let state = Mutex(State())

  /// The generations that clients may return with.
  private static let mostLists = 256
  /// The events of a generation that are kept for other clients.
  private static let mostEvents = 256
  /// The least time between two changes that clients are woken for: what comes meanwhile is composed.
  private static let pace = Duration.milliseconds(16)

  init(
    _ definition: BrowserSource.Definition,
    _ choice: BrowserChoice,
    _ setup: BrowserSetup,
    isBase: Bool,
    _ parts: ServerParts
  ) {
    (self.isBase, self.parts) = (isBase, parts)
    controller = definition.controller
    order = definition.order
    self.choice = choice
    lines = WindowLines(setup)
  }

  /// Begins to fetch the list, which is followed from then on.
  /// - Parameter leave: Closes the list, if its keys must give way to those of others.
  func open(leave: @escaping @Sendable () -> Void) {
    let task = Task { [self] in
      do {
        try await fetch()
        try await takeRoom(leave)
      } catch {
        state.withLock { state in
          state.noteCount += 1
          state.failure = WebNote(number: state.noteCount, texts: ["\(error)"])
          state.isBroken = true
        }
        wake()
        throw error
      }
      state.withLock { $0.firstRows = nil }
      wake()
    }
    state.withLock { state in
      state.opening = task
      state.unusedSince = .now
    }
  }

  /// The line with the first rows of the list while the others are counted, or `nil`.
  var firstRows: String? { state.withLock { $0.firstRows } }

  /// Whether the list could not be fetched at all: another one is to be opened in its stead.
  var isBroken: Bool { state.withLock { $0.isBroken } }

  /// Waits until the list has been fetched.
  /// - Returns: Whether it was, within a time.
  /// - Throws: The store's error, or `WebFailure` for a list that no page can show.
  func isOpen(within span: Duration) async throws -> Bool {
    let opening = state.withLock { state in
      state.waiting += 1
      return state.opening
    }
    defer { state.withLock { $0.waiting -= 1 } }
    guard let opening else { return false }
    // Waiting for a task cannot be given up, so the two are raced without a group.
    let (answers, answer) = AsyncStream<Result<Bool, any Error>>.makeStream()
    Task {
      do {
        try await opening.value
        answer.yield(.success(true))
      } catch {
        answer.yield(.failure(error))
      }
    }
    let timer = Task {
      try? await Task.sleep(for: span)
      answer.yield(.success(false))
    }
    defer { timer.cancel() }
    for await first in answers { return try first.get() }
    return false
  }

  private func fetch() async throws {
    try await controller.performFetch { [weak self] page in
      guard let self, let rows = try? page.objects(), !rows.isEmpty else { return }
      let line = lines.first(rows, about: page.estimatedCount)
      state.withLock { $0.firstRows = line }
      wake()
    }
    let list = try controller.results
    guard list.snapshot.sectionCount <= WindowLines.mostSections else {
      controller.cancel()
      throw WebFailure(
        422,
        "The list has \(list.snapshot.sectionCount) sections, and a page shows at most \(WindowLines.mostSections).",
        remedy: "Choose other sections, or none."
      )
    }
    keep(list)
    follow()
  }

  /// Takes memory for the list's keys.
  private func takeRoom(_ leave: @escaping @Sendable () -> Void) async throws {
    guard !isBase else { return }
    let isTaken = parts.room.take(
      controller.keyBytes,
      for: self,
      unusedSince: { [weak self] in self.map(\.unusedSince) ?? .now },
      leave: leave
    )
    guard !isTaken else { return }
    let remedy = try await controller.explain()?.plan.remedy
    controller.cancel()
    var failure = WebFailure(
      503,
      "The open lists hold as many keys in memory as they may.",
      remedy: remedy.map { "This index would help: \($0)" } ?? "Close some pages."
    )
    failure.retryAfter = 60
    throw failure
  }

  private func follow() {
    let task = Task { [weak self] in
      guard let events = self?.controller.changes, let problems = self?.controller.captureProblems
      else { return }
      async let notes: Void = ListHub.follow(problems) { self?.note(problems: $0) }
      for await event in events {
        self?.take(event)
        try? await Task.sleep(for: ListHub.pace)
      }
      await notes
    }
    state.withLock { $0.following = task }
  }

  private static func follow(
    _ problems: CaptureProblems,
    _ note: @Sendable ([String]) -> Void
  ) async {
    for await problems in problems { note(problems) }
  }

  private func take(_ event: ResultsEvent<Row>) {
    switch event {
    case .failure(let error): return note(failure: "\(error)")
    case .reset: parts.figures.count(.resets)
    case .change: parts.figures.count(.changes)
    case .snapshot: break
    }
    state.withLock { $0.changed = .now }
    note(failure: nil)
  }

  /// Notes that the list cannot be read, and why; or that it can.
  private func note(failure text: String?) {
    let texts = text.map { [$0] } ?? []
    state.withLock { state in
      guard state.failure?.texts ?? [] != texts else { return }
      if text != nil { parts.figures.count(.failures) }
      state.noteCount += 1
      state.failure = WebNote(number: state.noteCount, texts: texts)
    }
    wake()
  }

  private func note(problems: [String]) {
    state.withLock { state in
      state.noteCount += 1
      state.problems = WebNote(number: state.noteCount, texts: problems)
    }
    wake()
  }

  /// Notes how far a task of the server has come.
  func note(progress: String) {
    state.withLock { state in
      state.noteCount += 1
      state.progress = WebNote(number: state.noteCount, texts: [progress])
    }
    wake()
  }

  /// Why the list cannot be read at present, and why it is compared with the store; a note without texts says that it no longer is so.
  var notes: (failure: WebNote?, problems: WebNote?, progress: WebNote?) {
    state.withLock { ($0.failure, $0.problems, $0.progress) }
  }

  /// Whether the list is compared with the store, since the log of changes has a gap.
  var isCompared: Bool { state.withLock { $0.problems?.texts.isEmpty == false } }

  /// Counts the time that the newest change has taken to reach a client.
  func countLag(at now: ContinuousClock.Instant) {
    parts.figures.count(lag: now - state.withLock { $0.changed })
  }

  /// Wakes all clients, which then show the list as it is now.
  func wake() {
    let present = controller.state.results?.generation
    let clients = state.withLock { state in
      state.announced = present
      return Array(state.clients.values)
    }
    for client in clients { client.wake() }
  }

  /// The generation that the list had when clients were last woken, or `nil` before it has been fetched.
  ///
  /// It is what clients follow: while commits come fast, each would otherwise find another generation, and need a change of its own.
  var announced: Int? { state.withLock { $0.announced } }

  /// Does what is due without any commit: wakes clients, and tries again to read a store that failed.
  func tick(at now: ContinuousClock.Instant) {
    let clients = state.withLock { state in
      // One attempt at a time, since each may wait for another process.
      if state.failure?.texts.isEmpty == false, state.retry == nil {
        state.retry = Task { [weak self] in
          // A store that can be read again need not have changed.
          if (try? await self?.controller.refresh()) != nil { self?.note(failure: nil) }
          self?.state.withLock { $0.retry = nil }
        }
      }
      return Array(state.clients.values)
    }
    for client in clients { client.wake() }
  }

  // MARK: - Clients

  /// Adds a client.
  func add(_ client: ListClient) {
    state.withLock { state in
      state.clients[client.id] = client
      state.unusedSince = nil
    }
  }

  /// Removes a client.
  func remove(_ client: ListClient, at now: ContinuousClock.Instant) {
    state.withLock { state in
      state.clients[client.id] = nil
      if state.clients.isEmpty { state.unusedSince = now }
    }
  }

  /// The moment since which no client has shown the list, or `nil` if one does.
  var unusedSince: ContinuousClock.Instant? { state.withLock { $0.unusedSince } }

  /// Returns whether nobody has used the list for a while: one that is still being read ends soon, since reading costs more than memory.
  func isUnused(at now: ContinuousClock.Instant) -> Bool {
    let (since, isWaited) = state.withLock { ($0.unusedSince, $0.waiting > 0) }
    guard let since, !isWaited else { return false }
    let isRead = controller.state.results != nil || isBase
    return now - since > (isRead ? .seconds(60) : .seconds(2))
  }

  /// Ends the list and the streams of its clients.
  func end(because reason: String) {
    let (clients, opening, following) = state.withLock { state in
      (Array(state.clients.values), state.opening, state.following)
    }
    opening?.cancel()
    following?.cancel()
    controller.cancel()
    parts.room.leave(self)
    for client in clients { client.end(because: reason) }
  }

  // MARK: - Generations

  /// Keeps a generation that a client shows, so that it can return with it.
  func keep(_ list: ResultsList<Row>) {
    state.withLock { state in
      guard state.lists.last?.generation ?? 0 < list.generation else { return }
      state.lists.append(list)
      if state.lists.count > ListHub.mostLists { state.lists.removeFirst() }
    }
  }

  /// Returns the list of a position, if it is still known.
  func list(at position: ResultsPosition) -> ResultsList<Row>? {
    state.withLock { $0.lists.last { $0.position == position } }
  }

  /// Returns an event; one that several clients may want is written once.
  func event(
    for key: LineKey,
    _ write: @escaping @Sendable () async throws -> WindowEvent
  ) async throws -> WindowEvent {
    let task = state.withLock { state in
      if key.to > state.newest {
        state.newest = key.to
        state.events = [:]
      }
      if let task = state.events[key] { return task }
      let task = Task {
        let event = try await write()
        keep(event.shown.list)
        return event
      }
      if key.to == state.newest, state.events.count < ListHub.mostEvents {
        state.events[key] = task
      }
      return task
    }
    do {
      return try await task.value
    } catch {
      // The next client tries again.
      state.withLock { $0.events[key] = nil }
      throw error
    }
  }
}

/// What a line depends on: clients for which it is equal get the same line.
struct LineKey: Hashable, Sendable {
  /// The generation before, or 0 for a window that is sent whole.
  var from: Int
  /// The generation after.
  var to: Int
  /// The window.
  var window: Range<Int>
  /// Whether the lengths of sections are left out.
  var hasCounts = false
}

/// Something to be known about a list besides its rows, with its number: a client is sent each note once.
struct WebNote: Hashable, Sendable {
  /// The number.
  var number: Int
  /// The sentences; none say that all is well again.
  var texts: [String]
}
#endif
