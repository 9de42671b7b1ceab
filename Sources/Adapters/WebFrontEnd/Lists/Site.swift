#if Web
import ListBrowser
import ResultsPresentation
import Synchronization
import TerminalFrontEnd
import WireFormat

/// What all sites of a server have in common.
struct ServerParts: Sendable {
  let figures: WebFigures
  let outputs: StreamOutputs
  let transfers: FileTransfers
  let room = KeyRoom()

  init(mostImportBytes: Int) {
    figures = WebFigures()
    outputs = StreamOutputs(figures)
    transfers = FileTransfers(mostBytes: mostImportBytes)
  }
}

/// A table, or another base list, with all lists that are shown of it.
///
/// A server begins with one; opening a list that a row names opens another one.
final class Site: Sendable {
  private struct State {
    var open: [BrowserChoice: ListHub] = [:]
    var clients: [String: ListClient] = [:]
    /// The moment since which no page shows any of the lists, or `nil` if one does.
    var unusedSince: ContinuousClock.Instant? = .now

    /// Removes the list that nobody has used for the longest time; who types a filter leaves one with each pause.
    mutating func leaveOldest() -> ListHub? {
      let unused = open.compactMap { choice, hub in hub.unusedSince.map { (choice, hub, $0) } }
      guard let (choice, hub, _) = unused.min(by: { $0.2 < $1.2 }) else { return nil }
      open[choice] = nil
      return hub
    }
  }

  /// The site's name in addresses.
  let id: String
  let setup: BrowserSetup
  let makeSource: @Sendable () -> BrowserSource
  private let close: @Sendable () -> Void
  let parts: ServerParts
  private let state = Mutex(State())
  /// The source that lists come from; requests of a session have their own.
  let source: BrowserSource

  /// The lists that are open at once.
  private static let mostLists = 64

  init(
    id: String,
    _ setup: BrowserSetup,
    _ parts: ServerParts,
    close: @escaping @Sendable () -> Void = {},
    makeSource: @escaping @Sendable () -> BrowserSource
  ) {
    (self.id, self.setup, self.parts, self.close) = (id, setup, parts, close)
    self.makeSource = makeSource
    source = makeSource()
  }

  /// Returns the list of a choice, which begins to be fetched if it is not open.
  /// - Throws: `WebFailure` for a choice that is not valid, or if too many lists are open.
  func hub(of choice: BrowserChoice) throws -> ListHub {
    if let hub = state.withLock({ $0.open[choice] }) { return hub }
    let definition: BrowserSource.Definition
    do {
      definition = try source.define(choice)
    } catch let refusal as BrowserSource.Refusal {
      throw Site.failure(refusal, choice)
    }
    let isBase = id == Sites.base && choice == BrowserChoice()
    let new = ListHub(definition, choice, setup, isBase: isBase, parts)
    let (hub, left) = state.withLock { state -> (ListHub?, ListHub?) in
      if let hub = state.open[choice] { return (hub, nil) }
      let left = state.open.count >= Site.mostLists ? state.leaveOldest() : nil
      guard state.open.count < Site.mostLists else { return (nil, left) }
      state.open[choice] = new
      return (new, left)
    }
    left?.end(because: "other lists need the room")
    guard let hub else {
      var failure = WebFailure(503, "Too many lists are open.", remedy: "Close some pages.")
      failure.retryAfter = 60
      throw failure
    }
    if hub === new {
      new.open { [weak self, weak new] in if let new { self?.forget(new) } }
    } else {
      new.controller.cancel()
    }
    return hub
  }

  /// Checks whether a choice names a list.
  /// - Throws: `WebFailure` if it does not.
  func check(_ choice: BrowserChoice) throws {
    do { try source.define(choice).controller.cancel() } catch let refusal
      as BrowserSource.Refusal
    { throw Site.failure(refusal, choice) }
  }

  /// Returns the list of a choice once it has been fetched.
  /// - Throws: As `hub(of:)`, and the store's error.
  func openHub(of choice: BrowserChoice, within span: Duration = .seconds(600)) async throws
    -> ListHub
  {
    let hub = try hub(of: choice)
    do {
      _ = try await hub.isOpen(within: span)
    } catch {
      forget(hub)
      throw error
    }
    return hub
  }

  /// Closes a list that could not be fetched, so that the next one who asks for it tries again.
  func forget(_ hub: ListHub) {
    state.withLock { state in
      if state.open[hub.choice] === hub { state.open[hub.choice] = nil }
    }
    hub.end(because: "the list cannot be shown")
  }

  /// The failure of a list that cannot be shown, with a picture of where its filter is not understood.
  private static func failure(
    _ refusal: BrowserSource.Refusal,
    _ choice: BrowserChoice
  ) -> WebFailure {
    var failure = WebFailure.badRequest(text(of: refusal))
    if let column = refusal.column {
      let before = SafeText.oneLine(String(choice.filter.prefix(max(column - 1, 0))))
      let line = SafeText.oneLine(choice.filter)
      let spaces = String(repeating: " ", count: DisplayWidth().columns(of: before))
      failure.details.append(
        JSONValue.Member(name: "picture", value: .string("\(line)\n\(spaces)^"))
      )
    }
    return failure
  }

  /// The reason of a refusal, without the option that a command line has in its stead.
  private static func text(of refusal: BrowserSource.Refusal) -> String {
    for option in ["--sort: ", "--section-by: ", "--where: "]
    where refusal.reason.utf8.starts(with: option.utf8) {
      return String(decoding: refusal.reason.utf8.dropFirst(option.utf8.count), as: UTF8.self)
    }
    return refusal.reason
  }

  // MARK: - Clients

  /// Adds a client to its list.
  func add(_ client: ListClient) {
    state.withLock { state in
      state.clients[client.id] = client
      state.unusedSince = nil
    }
    client.hub.add(client)
  }

  /// Removes a client whose stream has ended.
  func remove(_ client: ListClient) {
    state.withLock { state in
      state.clients[client.id] = nil
      if state.clients.isEmpty { state.unusedSince = .now }
    }
    client.hub.remove(client, at: .now)
  }

  /// Returns a client of a session, or `nil`.
  func client(_ id: String, of session: Session) -> ListClient? {
    state.withLock { $0.clients[id] }.flatMap { $0.session === session ? $0 : nil }
  }

  /// The moment since which no page shows any of the lists, or `nil` if one does.
  var unusedSince: ContinuousClock.Instant? { state.withLock { $0.unusedSince } }

  /// The number of clients, of lists, and of those that are compared with the store.
  var counts: (clients: Int, lists: Int, compared: Int) {
    let (clients, lists) = state.withLock { ($0.clients.count, Array($0.open.values)) }
    return (clients, lists.count, lists.count(where: \.isCompared))
  }

  /// Notes how far a task of the server has come, for all pages.
  func note(progress: String) {
    for hub in state.withLock({ Array($0.open.values) }) { hub.note(progress: progress) }
  }

  /// Does what is due: wakes clients for their beats, and closes lists that nobody has used for a while.
  func tick(at now: ContinuousClock.Instant) {
    let unused = state.withLock { state -> [ListHub] in
      let unused = state.open.filter { $0.value.isUnused(at: now) }
      for choice in unused.keys { state.open[choice] = nil }
      return Array(unused.values)
    }
    for hub in unused { hub.end(because: "nobody uses the list") }
    for hub in state.withLock({ Array($0.open.values) }) {
      if hub.isBroken { forget(hub) } else { hub.tick(at: now) }
    }
  }

  /// Ends all lists, and what was opened for them.
  func end(because reason: String) async {
    let hubs = state.withLock { Array($0.open.values) }
    source.stop()
    for hub in hubs {
      if hub.choice == BrowserChoice() { _ = try? await hub.controller.saveCache() }
      hub.end(because: reason)
    }
    close()
  }
}
#endif
