#if Web
import HTTPTypes
import Hummingbird
import HummingbirdCore
package import ListBrowser
import Logging
import NIOCore
import ResultsDomain
import ResultsPresentation
import Synchronization
import WireFormat

/// How a server listens, and whom it answers.
package struct WebServerOptions: Sendable {
  /// The address to listen at.
  package var address = "127.0.0.1"
  /// The port; 0 for any that is free.
  package var port = 8421
  /// Further names of this machine that requests may use.
  package var hostNames: [String] = []
  /// The token that opens a session.
  package var token = SecretText.random()
  /// Whether later servers have the same token; then a browser stays let in.
  package var isTokenKept = false
  /// The streams that are open at once.
  package var mostStreams = 256
  /// The bytes of a file that is imported.
  package var mostImportBytes = 256 << 20

  /// Creates the usual options: loopback only, with a new token.
  package init() {}

  /// The address that is listened at, where it is one.
  var addresses: [String] { isEveryAddress ? [] : [addressName] }

  /// The host in the address that is printed, for a server that listens on a port.
  func printedHost(_ port: Int) -> String {
    let name = hostNames.first ?? (isEveryAddress ? "127.0.0.1" : addressName)
    return RequestGuard.port(of: name) == nil ? "\(name):\(port)" : name
  }

  private var isEveryAddress: Bool { ["0.0.0.0", "::"].contains(address) }

  private var addressName: String {
    address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
  }
}

/// What a server shows: the list of a program, as the terminal's front end is given it.
package struct WebProgram: Sendable {
  /// The columns, commands and names.
  package var setup: BrowserSetup
  /// Returns a source of the program's lists, with steps to undo of its own.
  package var makeSource: @Sendable () -> BrowserSource
  /// Opens a whole list to be streamed as lines of the wire form.
  package var openWhole: OpenWhole

  /// Creates the description of a program for a server.
  package init(
    _ setup: BrowserSetup,
    openWhole: @escaping OpenWhole,
    makeSource: @escaping @Sendable () -> BrowserSource
  ) {
    (self.setup, self.makeSource, self.openWhole) = (setup, makeSource, openWhole)
  }

  /// Fetches the list of a choice, and returns what sends its lines until the task is cancelled.
  ///
  /// It throws `WebFailure` or `BrowserSource.Refusal` for a list that cannot be sent.
  package typealias OpenWhole = @Sendable (BrowserChoice) async throws -> SendLines
  /// Sends the lines of a list until the task is cancelled.
  package typealias SendLines = @Sendable (SendLine) async throws -> Void
  /// Sends a line, and waits while it is not taken.
  package typealias SendLine = @Sendable (String) async throws -> Void
}

/// The reason why a server cannot begin.
package enum WebServerError: Error, Hashable, Sendable {
  /// The port is in use, or may not be used.
  /// - Parameter code: The system's number for the reason, as in `errno`.
  case cannotListen(address: String, port: Int, code: Int32)
}

/// A server of live lists for browsers.
package final class WebServer: Sendable {
  private enum Phase {
    case idle
    case running(Task<Void, any Error>)
    case ended
  }

  private let program: WebProgram
  private let options: WebServerOptions
  private let routes = Mutex<WebRoutes?>(nil)
  private let phase = Mutex(Phase.idle)

  /// Creates a server.
  package init(_ program: WebProgram, options: WebServerOptions) {
    self.program = program
    self.options = options
  }

  /// Answers requests until `end(because:)` is called.
  /// - Parameter isReady: Receives the address that opens the page, and the port if the address has another one, once the server listens.
  /// - Throws: `WebServerError` if it cannot listen; the store's error, or the reason why the program's own list is not valid.
  package func run(_ isReady: @escaping @Sendable (String, Int?) async -> Void) async throws {
    let parts = ServerParts(mostImportBytes: options.mostImportBytes)
    let base = Site(id: Sites.base, program.setup, parts, makeSource: program.makeSource)
    let sites = Sites(base, parts)
    // A list that cannot be shown at all is an error of the command; a long one is counted while the server listens already.
    _ = try await base.openHub(of: BrowserChoice(), within: .milliseconds(500))
    var logger = Logger(label: program.setup.program)
    logger.logLevel = .critical
    logger.handler = SwiftLogNoOpLogHandler()
    var http = HTTP1Channel.Configuration(idleTimeout: .seconds(60))
    http.httpDecoder = HTTP1Channel.Configuration.DecoderConfiguration(
      maxHeaderFieldSize: 16_384,
      maxHeaderListSize: 16_384,
      maxHeaderFieldCount: 100
    )
    let responder = CallbackResponder<WebContext> { [self] request, context in
      guard let routes = routes.withLock({ $0 }) else {
        return WebAnswer.failure(WebFailure(503, "The server is beginning."))
      }
      return await routes.respond(to: request, on: context.channel)
    }
    let application = Application(
      responder: responder,
      server: .http1(configuration: http),
      configuration: ApplicationConfiguration(
        address: .hostname(options.address, port: options.port)
      ),
      onServerRunning: { [self] channel in
        let port = channel.localAddress?.port ?? options.port
        let guarding = RequestGuard(
          token: options.token,
          program: program.setup.program,
          port: port,
          addresses: options.addresses,
          names: options.hostNames,
          isTokenKept: options.isTokenKept
        )
        let openWhole = program.openWhole
        routes.withLock {
          $0 = WebRoutes(
            sites: sites,
            guarding: guarding,
            mostStreams: options.mostStreams,
            openWhole: openWhole
          )
        }
        let host = options.printedHost(port)
        await isReady(
          "http://\(host)/open?token=\(options.token.text)",
          RequestGuard.port(of: host) == String(port) ? nil : port
        )
      },
      logger: logger
    )
    let serving = Task {
      do {
        try await application.run()
      } catch let error as IOError {
        throw WebServerError.cannotListen(
          address: options.address,
          port: options.port,
          code: error.errnoCode
        )
      }
    }
    let ticking = Task {
      while !Task.isCancelled {
        try await Task.sleep(for: .seconds(2))
        sites.tick(at: .now)
      }
    }
    let isEnded = phase.withLock { phase in
      if case .ended = phase { return true }
      phase = .running(serving)
      return false
    }
    if isEnded { serving.cancel() }
    let outcome = await serving.result
    ticking.cancel()
    await sites.end(because: "the server ends")
    routes.withLock { $0 }?.sessions.end()
    if case .failure(let error) = outcome, !(error is CancellationError) { throw error }
  }

  /// Ends the server: every stream gets a last event, and then all connections are closed.
  package func end(because reason: String) {
    let serving = phase.withLock { phase -> Task<Void, any Error>? in
      defer { phase = .ended }
      if case .running(let task) = phase { return task }
      return nil
    }
    guard let serving else { return }
    let sites = routes.withLock { $0?.sites }
    Task {
      await sites?.end(because: reason)
      let clock = ContinuousClock()
      let limit = clock.now + .seconds(1)
      while sites?.streamCount ?? 0 > 0, clock.now < limit {
        try? await Task.sleep(for: .milliseconds(10))
      }
      serving.cancel()
    }
  }
}

/// What a request brings besides itself: its connection, which is closed if a stream's client takes nothing.
struct WebContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}

/// The sites of a server, by their names.
final class Sites: Sendable {
  private struct State {
    var sites: [String: Site]
    var number = 0
    var streams = 0
    var lineStreams: [ObjectIdentifier: LineStream] = [:]
    var end: String?
  }

  private let state: Mutex<State>
  private static let most = 64
  /// The name of the program's own site.
  static let base = "0"

  /// What the lists of all sites have in common.
  let parts: ServerParts

  init(_ base: Site, _ parts: ServerParts) {
    self.parts = parts
    state = Mutex(State(sites: [base.id: base]))
  }

  /// Returns a site.
  subscript(id: String) -> Site? { state.withLock { $0.sites[id] } }

  /// Adds a site for a list that was opened from another one; beyond a number the one gives way that no page has shown for the longest time.
  /// - Throws: `WebFailure` with status 503 if pages show all of them.
  func add(_ visit: BrowserVisit) async throws(WebFailure) -> Site {
    let (site, left) = state.withLock { state -> (Site?, Site?) in
      var left: Site?
      if state.sites.count >= Sites.most {
        let unused = state.sites.values.compactMap { site in
          site.id == Sites.base ? nil : site.unusedSince.map { (site, $0) }
        }
        guard let oldest = unused.min(by: { $0.1 < $1.1 })?.0 else { return (nil, nil) }
        state.sites[oldest.id] = nil
        left = oldest
      }
      state.number += 1
      let id = String(state.number)
      let site = Site(id: id, visit.setup, parts, close: visit.close) { visit.source }
      state.sites[id] = site
      return (site, left)
    }
    await left?.end(because: "other lists need the room")
    guard let site else {
      visit.close()
      throw WebFailure(503, "Too many lists are open.", remedy: "Close some pages.")
    }
    return site
  }

  /// Counts a stream that begins.
  func beginStream() { state.withLock { $0.streams += 1 } }

  /// Counts a stream that has ended.
  func endStream() { state.withLock { $0.streams -= 1 } }

  /// The number of streams.
  var streamCount: Int { state.withLock { $0.streams } }

  /// All sites.
  var all: [Site] { state.withLock { Array($0.sites.values) } }

  /// Does what is due.
  func tick(at now: ContinuousClock.Instant) {
    parts.outputs.tick(at: now)
    for stream in state.withLock({ Array($0.lineStreams.values) }) { stream.tick() }
    for site in all { site.tick(at: now) }
  }

  func end(because reason: String) async {
    let streams = state.withLock { state in
      state.end = state.end ?? reason
      return Array(state.lineStreams.values)
    }
    for stream in streams { stream.end(because: reason) }
    for site in all { await site.end(because: reason) }
  }

  /// Writes the lines of a whole list.
  /// - Throws: What the work throws, and what writing throws.
  func write(_ work: @escaping WebProgram.SendLines, to output: StreamOutput) async throws {
    let stream = LineStream()
    let end = state.withLock { state in
      state.lineStreams[ObjectIdentifier(stream)] = stream
      return state.end
    }
    defer { _ = state.withLock { $0.lineStreams.removeValue(forKey: ObjectIdentifier(stream)) } }
    if let end { stream.end(because: end) }
    try await stream.write(work, to: output)
  }
}
#endif
