#if Web
import ListBrowser
import ResultsPresentation
import Synchronization

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
  private let state = Mutex(State())
  /// The source that lists come from; requests of a session have their own.
  let source: BrowserSource

  /// The lists that are open at once.
  private static let mostLists = 64

  init(
    id: String,
    _ setup: BrowserSetup,
    close: @escaping @Sendable () -> Void = {},
    makeSource: @escaping @Sendable () -> BrowserSource
  ) {
    (self.id, self.setup, self.close) = (id, setup, close)
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
      throw WebFailure.badRequest(Site.text(of: refusal))
    }
    let new = ListHub(definition, choice, setup)
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
    if hub === new { new.open() } else { new.controller.cancel() }
    return hub
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

  /// The number of clients, and of lists.
  var counts: (clients: Int, lists: Int) { state.withLock { ($0.clients.count, $0.open.count) } }

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
