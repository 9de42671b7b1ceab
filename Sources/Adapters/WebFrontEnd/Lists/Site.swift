#if Web
import ListBrowser
import ResultsPresentation
import Synchronization

/// A table, or another base list, with all lists that are shown of it.
///
/// A server begins with one; opening a list that a row names opens another one.
final class Site: Sendable {
  private struct State {
    var hubs: [BrowserChoice: Task<ListHub, any Error>] = [:]
    var open: [BrowserChoice: ListHub] = [:]
    var clients: [String: ListClient] = [:]
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

  /// Returns the list of a choice, which is opened if it is not.
  /// - Throws: `WebFailure` for a choice that is not valid, or if too many lists are open; the store's error.
  func hub(of choice: BrowserChoice) async throws -> ListHub {
    let task = try state.withLock { state -> Task<ListHub, any Error> in
      if let task = state.hubs[choice] { return task }
      guard state.hubs.count < Site.mostLists else {
        var failure = WebFailure(503, "Too many lists are open.", remedy: "Close some pages.")
        failure.retryAfter = 60
        throw failure
      }
      let task = Task { [source, setup] in
        let definition: BrowserSource.Definition
        do {
          definition = try source.define(choice)
        } catch let refusal as BrowserSource.Refusal {
          throw WebFailure.badRequest(refusal.reason)
        }
        let hub = ListHub(definition, choice, setup)
        try await hub.open()
        return hub
      }
      state.hubs[choice] = task
      return task
    }
    do {
      let hub = try await task.value
      state.withLock { $0.open[choice] = hub }
      return hub
    } catch {
      state.withLock { $0.hubs[choice] = nil }
      throw error
    }
  }

  // MARK: - Clients

  /// Adds a client to its list.
  func add(_ client: ListClient) {
    state.withLock { $0.clients[client.id] = client }
    client.hub.add(client)
  }

  /// Removes a client whose stream has ended.
  func remove(_ client: ListClient) {
    state.withLock { $0.clients[client.id] = nil }
    client.hub.remove(client, at: .now)
  }

  /// Returns a client of a session, or `nil`.
  func client(_ id: String, of session: Session) -> ListClient? {
    state.withLock { $0.clients[id] }.flatMap { $0.session === session ? $0 : nil }
  }

  /// The number of clients, and of lists.
  var counts: (clients: Int, lists: Int) { state.withLock { ($0.clients.count, $0.open.count) } }

  /// Does what is due: wakes clients for their beats, and closes lists that nobody has used for a while.
  func tick(at now: ContinuousClock.Instant) {
    let unused = state.withLock { state -> [ListHub] in
      let unused = state.open.filter { $0.value.isUnused(at: now) }
      for choice in unused.keys {
        state.open[choice] = nil
        state.hubs[choice] = nil
      }
      return Array(unused.values)
    }
    for hub in unused { hub.end(because: "nobody uses the list") }
    for hub in state.withLock({ Array($0.open.values) }) { hub.tick(at: now) }
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
