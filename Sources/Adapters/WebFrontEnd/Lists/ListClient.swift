#if Web
import ListBrowser
import NIOCore
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import Synchronization
import WireFormat

/// An event of a client's stream.
struct StreamEvent: Sendable {
  /// The kind of event.
  var name: String
  /// One line of JSON.
  var data: String
  /// The position that a client which has taken the event shows, or `nil` for an event that changes none.
  var position: ResultsPosition?

  /// The event as it is sent.
  var bytes: ByteBuffer {
    ByteBuffer(
      string: (position.map { "id: \($0)\n" } ?? "") + "event: \(name)\ndata: \(data)\n\n"
    )
  }

  /// What is sent while there is no news, so that a stream that has broken off is noticed.
  static let beat = StreamEvent(name: "beat", data: "{}")

  /// The last event of a stream.
  static func bye(because reason: String) -> StreamEvent {
    StreamEvent(name: "bye", data: JSONValue.members(["reason": .string(reason)]).text)
  }
}

/// A window of a generation of a list, as pages show it.
///
/// It is an object because the frames of thousands of waiting tasks hold it, and a list is large as a value.
final class ShownWindow: Sendable {
  let list: ResultsList<Row>
  /// The positions, as many as were asked for: they may extend beyond the end of the list.
  let range: Range<Int>

  init(_ list: ResultsList<Row>, _ range: Range<Int>) { (self.list, self.range) = (list, range) }
}

/// An event that changes what a page shows; clients that show the same send the same bytes.
struct WindowEvent: Sendable {
  /// The event as it is sent.
  var bytes: ByteBuffer
  /// What a client shows which has taken the event.
  var shown: ShownWindow

  init(_ line: String, _ shown: ShownWindow) {
    bytes = StreamEvent(name: "list", data: line, position: shown.list.position).bytes
    self.shown = shown
  }
}

/// The window of a list that one page shows: a generation and a range of positions, and nothing that waits to be sent.
///
/// One task sends a client's stream and alone changes what the client shows. Requests change what is wished for, and wake that task; so
/// whatever a page shows comes through its one stream, in order.
final class ListClient: Sendable {
  /// The window that a page asks for.
  enum Wish: Hashable, Sendable {
    /// Positions.
    case rows(Range<Int>)
    /// The surroundings of a row: a number of positions above it, and of all.
    case row(ObjectKey, above: Int, count: Int)
  }

  private struct Wishes {
    var wish: Wish?
    /// Why a client that showed a window already gets a page, until it has one.
    var reason: String?
    /// Whether the lengths of all sections are sent again, to a page whose list does not fit.
    var isWhole = false
    var isHeld = false
    var end: String?
    var sent: ContinuousClock.Instant
  }

  /// What the page shows; only the stream's task touches it.
  private struct Shown {
    var window: ShownWindow?
    var failure = 0
    var problems = 0
    var progress = 0
    var hasFirstRows = false
    /// Whether the page was sent that the list could not be read for it.
    var hasFailed = false
    var pendingAt: ContinuousClock.Instant?
    var pending: ResultsPosition?
  }

  /// The client's name in requests.
  let id: String
  /// The session that opened it.
  let session: Session
  let hub: ListHub
  private let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  private let wishes: Mutex<Wishes>
  private let shown: Mutex<Shown>

  /// The time after which something is sent to a client for which there is no news.
  static let beat = Duration.seconds(15)
  /// Why a client that returns gets a page: the generation that it shows is that of another process, or is not kept any more.
  private static let unknownPosition = "the position is not known here"
  /// The rows up to which a window may be as long.
  static let mostRows = 512

  init(
    id: String,
    session: Session,
    hub: ListHub,
    wish: Wish,
    isReturning: Bool = false,
    after known: (position: ResultsPosition, window: Range<Int>)?,
    now: ContinuousClock.Instant
  ) {
    (self.id, self.session, self.hub) = (id, session, hub)
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    var showing = Shown()
    showing.progress = hub.notes.progress?.number ?? 0
    var first: Wish? = wish
    // A client that returns shows its window still, so what has happened since is all that it needs.
    if let known, let list = hub.list(at: known.position) {
      showing.window = ShownWindow(list, known.window)
      first = nil
    }
    shown = Mutex(showing)
    let reason = isReturning && first != nil ? ListClient.unknownPosition : nil
    wishes = Mutex(Wishes(wish: first, reason: reason, sent: now))
    signal.yield()
  }

  // MARK: - Requests

  /// Moves the window; its rows come with the stream.
  /// - Parameters:
  ///   - wish: The window.
  ///   - isWhole: Whether the lengths of all sections are sent again, to a page whose list does not fit.
  func show(_ wish: Wish, isWhole: Bool) {
    wishes.withLock { wishes in
      wishes.wish = wish
      wishes.isWhole = wishes.isWhole || isWhole
    }
    wake()
  }

  /// Holds the window as it is shown, or lets it go on.
  func hold(_ isHeld: Bool) {
    wishes.withLock { $0.isHeld = isHeld }
    wake()
  }

  /// Wakes the stream's task.
  func wake() { signal.yield() }

  /// Ends the stream after a last event that says why.
  func end(because reason: String) {
    wishes.withLock { $0.end = reason }
    wake()
  }

  // MARK: - The stream

  /// Sends events for as long as the page takes them.
  /// - Parameter send: Sends bytes, and waits while the page takes nothing.
  /// - Throws: What sending throws, and `CancellationError` when the connection is closed.
  func run(_ send: (ByteBuffer) async throws -> Void) async throws {
    for await _ in signals {
      try Task.checkCancellation()
      let wishes = takeWishes()
      if let end = wishes.end {
        return try await write([StreamEvent.bye(because: end).bytes], send)
      }
      var (events, hasChange) = try await news(wishes)
      if events.isEmpty, ContinuousClock.now - wishes.sent >= ListClient.beat {
        events = [StreamEvent.beat.bytes]
      }
      try await write(events, send)
      if hasChange { hub.countLag(at: .now) }
    }
    throw CancellationError()
  }

  /// The wishes, of which what is done once is taken.
  private func takeWishes() -> Wishes {
    wishes.withLock { wishes in
      defer { (wishes.wish, wishes.isWhole, wishes.reason) = (nil, false, nil) }
      return wishes
    }
  }

  private func write(
    _ events: [ByteBuffer],
    _ send: (ByteBuffer) async throws -> Void
  ) async throws {
    guard var bytes = events.first else { return }
    for event in events.dropFirst() { bytes.writeImmutableBuffer(event) }
    try await send(bytes)
    wishes.withLock { $0.sent = .now }
  }

  /// What the page does not know yet, and whether a change of the list is among it.
  private func news(_ wishes: Wishes) async throws -> (events: [ByteBuffer], hasChange: Bool) {
    var events = notes().map(\.bytes)
    var hasChange = false
    guard let generation = hub.announced else {
      giveBack(wishes)
      return (events + firstRows().map(\.bytes), false)
    }
    do {
      if let wish = wishes.wish {
        events.append(try await note(page(wish, wishes)))
      } else if let window = shown.withLock({ $0.window }), window.list.generation < generation {
        if wishes.isHeld {
          events += try pending(since: window.list).map(\.bytes)
        } else {
          events.append(try await note(change(since: window, to: generation)))
          hasChange = true
        }
      }
      if noteFailure(false) { events.append(StreamEvent(name: "recovered", data: "{}").bytes) }
    } catch let error as ResultsError {
      giveBack(wishes)
      if noteFailure(true) { events.append(ListClient.failure("\(error)").bytes) }
    }
    return (events, hasChange)
  }

  /// Wishes again for what could not be sent, unless there is a newer wish.
  private func giveBack(_ old: Wishes) {
    guard let wish = old.wish else { return }
    wishes.withLock { wishes in
      wishes.wish = wishes.wish ?? wish
      wishes.isWhole = wishes.isWhole || old.isWhole
      wishes.reason = wishes.reason ?? old.reason
    }
  }

  /// What the page shows a window of: the present list, or the one that is held.
  private func list(isHeld: Bool) throws(ResultsError) -> ResultsList<Row> {
    if isHeld, let window = shown.withLock({ $0.window }) { return window.list }
    return try hub.controller.results
  }

  /// Notes whether the list could be read for the page.
  /// - Returns: Whether that is news.
  private func noteFailure(_ hasFailed: Bool) -> Bool {
    shown.withLock { shown in
      defer { shown.hasFailed = hasFailed }
      return shown.hasFailed != hasFailed
    }
  }

  /// The first rows of a list that is still being counted.
  private func firstRows() -> [StreamEvent] {
    guard let line = hub.firstRows else { return [] }
    let isNew = shown.withLock { shown in
      defer { shown.hasFirstRows = true }
      return !shown.hasFirstRows
    }
    return isNew ? [StreamEvent(name: "opening", data: line)] : []
  }

  private func notes() -> [StreamEvent] {
    let (failure, problems, progress) = hub.notes
    return shown.withLock { shown in
      var events: [StreamEvent] = []
      if let failure, failure.number > shown.failure {
        shown.failure = failure.number
        events.append(
          failure.texts.first.map(ListClient.failure) ?? StreamEvent(name: "recovered", data: "{}")
        )
      }
      if let problems, problems.number > shown.problems {
        shown.problems = problems.number
        let texts = JSONValue.array(problems.texts.map { .string($0) })
        events.append(
          StreamEvent(name: "compared", data: JSONValue.members(["problems": texts]).text)
        )
      }
      if let progress, progress.number > shown.progress {
        shown.progress = progress.number
        events += progress.texts.map { StreamEvent(name: "progress", data: $0) }
      }
      return events
    }
  }

  private static func failure(_ text: String) -> StreamEvent {
    StreamEvent(
      name: "failure",
      data: JSONValue.members(["error": .string(text), "remedy": .string("")]).text
    )
  }

  /// The window that the page has asked for.
  private func page(_ wish: Wish, _ wishes: Wishes) async throws -> WindowEvent {
    let list = try list(isHeld: wishes.isHeld)
    let (range, position) = await ListClient.window(of: wish, in: list, hub.controller.store)
    let known = shown.withLock { $0.window?.list.position }
    let reason = wishes.reason
    let hasCounts = known == list.position && !wishes.isWhole && reason == nil
    let (window, hub) = (ShownWindow(list, range), hub)
    let write: @Sendable () async throws -> WindowEvent = {
      try await ListClient.page(
        of: window,
        hub,
        hasCounts: hasCounts,
        because: reason,
        at: position
      )
    }
    // What only one page asks for is shared with no other.
    guard position == nil, reason == nil else {
      let event = try await write()
      hub.keep(list)
      return event
    }
    let key = LineKey(from: 0, to: list.generation, window: range, hasCounts: hasCounts)
    return try await hub.event(for: key, write)
  }

  /// What has happened to a window until clients were woken, or later.
  private func change(since window: ShownWindow, to generation: Int) async throws -> WindowEvent {
    let key = LineKey(from: window.list.generation, to: generation, window: window.range)
    let hub = hub
    return try await hub.event(for: key) { try await ListClient.change(since: window, hub) }
  }

  /// A window that is sent whole.
  private static func page(
    of window: ShownWindow,
    _ hub: ListHub,
    hasCounts: Bool = false,
    because reason: String? = nil,
    at position: Int? = nil
  ) async throws -> WindowEvent {
    let range = window.range.clamped(to: 0..<window.list.count)
    let rows = try await rows(of: window.list, at: [range], on: hub.controller.store)
    let running = await running(of: window.list, at: range, hub)
    let line = hub.lines.page(
      of: window.list,
      range,
      rows,
      running: running,
      hasCounts: hasCounts,
      reason: reason,
      at: position
    )
    return WindowEvent(line, window)
  }

  private static func change(since window: ShownWindow, _ hub: ListHub) async throws -> WindowEvent
  {
    let list = window.list
    switch try hub.controller.catchUp(from: list.position) {
    case .upToDate(let present):
      let empty = ResultsDelta(
        from: list.generation,
        to: present.generation,
        cause: .external,
        oldSectionCount: list.snapshot.sectionCount,
        newSectionCount: present.snapshot.sectionCount
      )
      return try await change(empty, window, present, hub)
    case .change(let delta, let present): return try await change(delta, window, present, hub)
    case .reset(let reason, let present):
      return try await again(window, in: present, hub, because: reason.description)
    }
  }

  private static func change(
    _ delta: ResultsDelta,
    _ window: ShownWindow,
    _ after: ResultsList<Row>,
    _ hub: ListHub
  ) async throws -> WindowEvent {
    var delta = delta
    delta.life = window.list.position.life
    guard let change = try? ResultsChange(from: window.list, by: delta, to: after),
      let effect = WindowChange(change, in: window.range),
      !effect.newRows.isEmpty || after.count == 0
    else { return try await again(window, in: after, hub, because: "sections moved") }
    let rows = try await rows(
      of: after,
      at: effect.positionsToRead.map { $0..<$0 + 1 },
      within: effect.newRows,
      on: hub.controller.store
    )
    let start = effect.newRows.lowerBound
    let running = await running(of: after, at: effect.newRows, hub)
    return WindowEvent(
      hub.lines.delta(change, effect, rows, running: running),
      ShownWindow(after, start..<start + window.range.count)
    )
  }

  /// A window in a later list, sent whole: the rows around its middle, wherever they are now.
  private static func again(
    _ window: ShownWindow,
    in present: ResultsList<Row>,
    _ hub: ListHub,
    because reason: String
  ) async throws -> WindowEvent {
    let store = hub.controller.store
    let wish = await surroundings(of: window.range, in: window.list, store)
    let (range, position) = await ListClient.window(of: wish, in: present, store)
    let found = ShownWindow(present, range)
    return try await page(of: found, hub, because: reason, at: position)
  }

  /// The net changes since the window was held; nothing if they were sent within the last second.
  private func pending(since list: ResultsList<Row>) throws -> [StreamEvent] {
    let present = try hub.controller.results.position
    let now = ContinuousClock.now
    let isDue = shown.withLock { shown in
      guard shown.pending != present, shown.pendingAt.map({ now - $0 >= .seconds(1) }) ?? true
      else { return false }
      (shown.pendingAt, shown.pending) = (now, present)
      return true
    }
    guard isDue else { return [] }
    var rows = RowChanges()
    if case .change(let delta, _) = try hub.controller.catchUp(from: list.position) {
      rows = delta.rows
    }
    let data = JSONValue.members([
      "insert": .integer(rows.inserts.count), "delete": .integer(rows.deletes.count),
      "move": .integer(rows.moves.count), "update": .integer(rows.updates.count),
    ])
    return [StreamEvent(name: "pending", data: data.text)]
  }

  /// Notes what the page shows once it has taken an event.
  /// - Returns: The event as it is sent.
  private func note(_ event: WindowEvent) -> ByteBuffer {
    shown.withLock { shown in
      shown.window = event.shown
      (shown.pending, shown.pendingAt) = (nil, nil)
    }
    return event.bytes
  }

  /// The wish for the rows around the middle of a window, wherever they are now.
  private static func surroundings(
    of window: Range<Int>,
    in list: ResultsList<Row>,
    _ store: any Store
  ) async -> Wish {
    let count = max(window.count, 32)
    let middle = window.lowerBound + window.count / 2
    let found = await withTaskExecutorPreference(store.executor) {
      await ListClient.identity(at: middle, in: list)
    }
    guard let id = found else {
      return .rows(window.lowerBound..<window.lowerBound + count)
    }
    return .row(id.key, above: middle - window.lowerBound, count: count)
  }

  // MARK: - Reading

  /// Returns the positions that a wish means in a list, and that of the row which it names.
  @concurrent private static func window(
    of wish: Wish,
    in list: ResultsList<Row>,
    _ store: any Store
  ) async -> (Range<Int>, at: Int?) {
    var (start, count, position) = (0, 0, Int?.none)
    switch wish {
    case .rows(let rows): (start, count) = (rows.lowerBound, rows.count)
    case .row(let key, let above, let length):
      count = length
      let id = ObjectID(entity: list.snapshot.entity.name, key: key)
      position = await located(id, in: list, on: store)
      start = max((position ?? 0) - above, 0)
    }
    // A window at the end of the list is as long as the others.
    start = max(min(start, list.count - count), 0)
    return (start..<start + count, position)
  }

  @concurrent private static func identity(
    at position: Int,
    in list: ResultsList<Row>
  ) async -> ObjectID? {
    list.snapshot.objectID(atFlatPosition: position)
  }

  private static func located(
    _ id: ObjectID,
    in list: ResultsList<Row>,
    on store: any Store
  ) async -> Int? {
    await withTaskExecutorPreference(store.executor) {
      await find(id, in: list)
    }
  }

  @concurrent private static func find(_ id: ObjectID, in list: ResultsList<Row>) async -> Int? {
    list.path(of: id).flatMap { list.snapshot.flatPosition(of: $0) }
  }

  /// Reads the texts of the running column; none if the store cannot say them any more, and `nil` for a list without that column.
  static func running(
    of list: ResultsList<Row>,
    at positions: Range<Int>,
    _ hub: ListHub
  ) async -> [String]? {
    guard let column = hub.lines.setup.running else { return nil }
    guard let origin = hub.order.runningOrigin else { return [] }
    return await withTaskExecutorPreference(hub.controller.store.executor) {
      await texts(of: column, list, at: positions, from: origin)
    }
  }

  @concurrent private static func texts(
    of column: BrowserSetup.RunningColumn,
    _ list: ResultsList<Row>,
    at positions: Range<Int>,
    from origin: RunningOrigin
  ) async -> [String] {
    column.texts(of: list, at: positions, from: origin)
  }

  /// Reads rows; one that cannot be read does not hide the others.
  /// - Parameters:
  ///   - list: The list.
  ///   - runs: The positions, ascending.
  ///   - window: The positions that may be read at once where most of them are wanted, or `nil`.
  ///   - store: The store, on whose executor they are read.
  /// - Returns: The rows of all positions, in order.
  /// - Throws: `ResultsError.store` if the store cannot be read at all.
  private static func rows(
    of list: ResultsList<Row>,
    at runs: [Range<Int>],
    within window: Range<Int>? = nil,
    on store: any Store
  ) async throws -> [Row?] {
    guard !runs.isEmpty else { return [] }
    return try await withTaskExecutorPreference(store.executor) {
      try await read(list, at: runs, within: window)
    }
  }

  @concurrent private static func read(
    _ list: ResultsList<Row>,
    at runs: [Range<Int>],
    within window: Range<Int>?
  ) async throws -> [Row?] {
    if let window, runs.count > 2, let rows = try? list.objects(at: window) {
      return runs.flatMap { $0.map { rows[$0 - window.lowerBound] } }
    }
    return try runs.flatMap { run -> [Row?] in
      if let rows = try? list.objects(at: run) { return rows }
      return try run.map { position in
        do {
          return try list.objects(at: position..<position + 1).first
        } catch ResultsError.store(let error) {
          throw ResultsError.store(error)
        } catch {
          // The row was deleted meanwhile, and a change that says so is on its way.
          return nil
        }
      }
    }
  }
}
#endif
