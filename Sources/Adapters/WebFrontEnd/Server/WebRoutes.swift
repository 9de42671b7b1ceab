#if Web
import HTTPTypes
import Hummingbird
import ListBrowser
import NIOCore
import ResultsDomain
import ResultsPresentation
import Synchronization
import WireFormat

/// Answers requests: the guard first, then the route, which is found in this one table.
final class WebRoutes: Sendable {
  let sites: Sites
  private let guarding: RequestGuard
  let sessions = Sessions()
  private let mostStreams: Int
  private let openWhole: WebProgram.OpenWhole
  private var figures: WebFigures { sites.parts.figures }
  /// The bytes of a body that is not an import.
  private static let mostBytes = 1 << 20

  init(
    sites: Sites,
    guarding: RequestGuard,
    mostStreams: Int,
    openWhole: @escaping WebProgram.OpenWhole
  ) {
    self.sites = sites
    self.guarding = guarding
    self.mostStreams = mostStreams
    self.openWhole = openWhole
  }

  /// Answers a request, whatever it is.
  func respond(to request: Request, on channel: any Channel) async -> Response {
    figures.count(.requests)
    var response: Response
    do {
      response = try await answer(request, on: channel)
    } catch {
      figures.count(.refusals)
      let failure = WebRoutes.failure(of: error)
      // A person who opens the page without its token reads a sentence.
      let isPage = request.uri.path.hasSameBytes(as: Route.page.rawValue) && failure.status == 401
      response = isPage ? WebAnswer.page(failure) : WebAnswer.failure(failure)
    }
    return request.method == .head ? response.createHeadResponse() : response
  }

  /// The form in which any error is answered.
  private static func failure(of error: any Error) -> WebFailure {
    switch error {
    case let failure as WebFailure: failure
    case let refusal as BrowserSource.Refusal: WebFailure(refusal, status: 400)
    case let error as StoreError: WebFailure(error)
    case ResultsError.store(let error): WebFailure(error)
    case is ResultsError:
      WebFailure(503, "The list has ended.", remedy: "Load the page again.")
    case let error as NIOTooManyBytesError:
      WebFailure(413, "The body has more than \(error.maxBytes ?? mostBytes) bytes.")
    case is CancellationError: WebFailure(503, "The server ends.")
    default: WebFailure(500, "The request failed: \(error).", remedy: "Please report this.")
    }
  }

  private func answer(_ request: Request, on channel: any Channel) async throws -> Response {
    let authority = request.head.authority
    try guarding.checkHost(authority, request.headers)
    let isHead = request.method == .head
    let web = try WebRequest(
      method: isHead ? "GET" : request.method.rawValue,
      target: request.head.path ?? "/",
      headers: request.headers
    )
    guard let route = Route.named(web.path) else {
      if web.path.hasPrefix("/assets/") { return try asset(web) }
      throw WebFailure.notFound
    }
    guard route.methods.contains(web.method) else {
      var failure = WebFailure(405, "“\(web.path)” does not take \(web.method).")
      failure.methods = route.methods.flatMap { $0.hasSameBytes(as: "GET") ? [$0, "HEAD"] : [$0] }
      throw failure
    }
    if route == .health { return WebAnswer.text("ok\n", type: "text/plain; charset=utf-8") }
    if route == .open { return try open(web, at: authority) }
    let isProgram = guarding.hasToken(web)
    let session = isProgram ? sessions.programs : try self.session(of: web, at: authority)
    if web.method != "GET" {
      try guarding.checkOrigin(
        web,
        authority: authority,
        isProgram: isProgram,
        media: route == .import ? "application/octet-stream" : "application/json"
      )
    }
    return try await answer(web, request, route, session, on: channel)
  }

  private func session(
    of request: WebRequest,
    at authority: String?
  ) throws(WebFailure) -> Session {
    if let secret = request.cookie(guarding.cookieName(at: authority)) {
      if let session = sessions.session(of: secret) { return session }
      if guarding.isKept(secret) { return sessions.begin(secret) }
    }
    throw WebFailure(
      401,
      "This browser has not been let in.",
      remedy: "Open the address that the program printed."
    )
  }

  private func open(_ request: WebRequest, at authority: String?) throws(WebFailure) -> Response {
    guard let token = request["token"], guarding.isToken(token) else {
      throw WebFailure(
        401,
        "The token is wrong.",
        remedy: "Open the address that the program printed."
      )
    }
    // Pages that are open already belong to the session of this browser.
    if (try? session(of: request, at: authority)) != nil {
      return WebAnswer.redirect(to: "/", settingCookie: nil)
    }
    let secret = guarding.newSecret()
    sessions.begin(secret)
    return WebAnswer.redirect(to: "/", settingCookie: guarding.cookie(of: secret, at: authority))
  }

  private func asset(_ request: WebRequest) throws(WebFailure) -> Response {
    let prefix = "/assets/\(WebAssets.hash)/"
    guard request.method == "GET", request.path.hasPrefix(prefix) else { throw .notFound }
    let name = String(request.path.dropFirst(prefix.count))
    return try PageFiles.answer(name, to: request, isImmutable: true)
  }

  // MARK: - Routes

  private func answer(
    _ web: WebRequest,
    _ request: Request,
    _ route: Route,
    _ session: Session,
    on channel: any Channel
  ) async throws -> Response {
    guard let site = sites[web["site"] ?? Sites.base] else {
      throw WebFailure(404, "This list is not open any more.", remedy: "Begin at the first page.")
    }
    let client = web["client"].flatMap { site.client($0, of: session) }
    if web["client"] != nil, client == nil { throw WebFailure.clientGone }
    let rows = RowRequests(site: site, session: session, client: client)
    switch route {
    case .page:
      return WebAnswer.text(Pages.shell(of: site), type: "text/html; charset=utf-8")
    case .print: return try await printed(site, web)
    case .program: return WebAnswer.json(ProgramDescription.json(of: site))
    case .description: return try PageFiles.answer("openapi.json", to: web)
    case .events: return try await stream(site, web, request, session, channel)
    case .sections: return WebAnswer.json(try await rows.sections(web))
    case .jump: return WebAnswer.json(try await rows.flatPosition(of: web["text"] ?? ""))
    case .links: return WebAnswer.json(try await rows.links(try name(web)))
    case .row where web.method == "GET": return WebAnswer.json(try await rows.row(try name(web)))
    case .metrics:
      return WebAnswer.text(
        figures.text(sites),
        type: "text/plain; version=0.0.4; charset=utf-8"
      )
    case .export:
      return try await FileRequests(rows: rows).export(
        try ListAddress(web).choice,
        web,
        request,
        on: channel
      )
    case .import:
      try session.admitWrite(at: .now)
      return WebAnswer.json(try await FileRequests(rows: rows).add(web, request))
    case .window, .hold, .row, .rows, .form, .delete, .command, .undo, .redo, .visit:
      try session.admitWrite(at: .now)
      let body = try await RequestBodyObject(request, atMost: WebRoutes.mostBytes)
      return try await change(route, web, body, rows, client)
    case .health, .open: throw WebFailure.notFound
    }
  }

  /// Answers a request that changes the store, or what a client shows.
  private func change(
    _ route: Route,
    _ web: WebRequest,
    _ body: RequestBodyObject,
    _ rows: RowRequests,
    _ client: ListClient?
  ) async throws -> Response {
    switch route {
    case .window:
      let hub = try hub(client)
      let isWhole = if case .boolean(true) = body.json["page"] { true } else { false }
      client?.show(try body.wish(of: hub.controller.definition.request.entity), isWhole: isWhole)
      return WebAnswer.empty()
    case .hold:
      _ = try hub(client)
      client?.hold(try body.boolean("held"))
      return WebAnswer.empty()
    case .rows where web.method == "POST":
      let (status, json) = try await rows.add(try body.texts("set"))
      return WebAnswer.json(json, status: status)
    case .row, .rows:
      let (status, json) = try await rows.edit(
        route == .row ? .rows(try await rows.ids([try name(web)])) : try await rows.subject(body),
        set: try body.texts("set"),
        was: try body.texts("was", isRequired: false)
      )
      return WebAnswer.json(json, status: status)
    case .form: return WebAnswer.json(try await rows.form(try await rows.subject(body)))
    case .delete:
      let ids = try await rows.ids(try body.strings("ids"))
      return WebAnswer.json(try await rows.perform(.delete(ids)))
    case .command:
      let call = try await rows.call(
        try body.string("name"),
        ids: try body.strings("ids", isRequired: false),
        section: body.json["section"]?.integer
      )
      return WebAnswer.json(try await rows.perform(call))
    case .undo: return WebAnswer.json(try await rows.perform(.undo))
    case .redo: return WebAnswer.json(try await rows.perform(.redo))
    default:
      let visit = try await rows.visit(try body.string("id"), link: try body.string("name"))
      let site = try await sites.add(visit)
      let at = visit.setup.memory?.cursor.map { RowName.text(of: $0.key) }
      return WebAnswer.json(
        .members(["site": .string(site.id), "at": at.map { .string($0) } ?? .null])
      )
    }
  }

  private func name(_ request: WebRequest) throws(WebFailure) -> String {
    guard let name = request["id"] else { throw .badRequest("“id” is missing.") }
    return name
  }

  private func hub(_ client: ListClient?) throws(WebFailure) -> ListHub {
    guard let client else { throw .clientGone }
    return client.hub
  }

  private func printed(_ site: Site, _ web: WebRequest) async throws -> Response {
    let hub = try await site.openHub(of: try ListAddress(web).choice)
    let list = try hub.controller.results
    let rows = try await list.loadObjects(at: 0..<min(list.count, 10_000))
    return WebAnswer.text(
      Pages.print(
        list,
        rows,
        running: await ListClient.running(of: list, at: 0..<rows.count, hub),
        of: site.setup,
        order: hub.order.words
      ),
      type: "text/html; charset=utf-8"
    )
  }

  // MARK: - Streams

  private func stream(
    _ site: Site,
    _ web: WebRequest,
    _ request: Request,
    _ session: Session,
    _ channel: any Channel
  ) async throws -> Response {
    let choice = try ListAddress(web).choice
    if web.query["whole"] != nil {
      guard site.id == Sites.base else {
        throw WebFailure.badRequest("Only the program's own list is sent whole.")
      }
      return try await whole(choice, request, channel)
    }
    // A list that cannot be fetched is mostly known at once; one that takes its time shows its first rows meanwhile.
    let hub = try await site.openHub(of: choice, within: .milliseconds(300))
    let (wish, rows) = try WebRoutes.wishes(web, hub)
    try admitStream()
    let (sites, outputs) = (sites, sites.parts.outputs)
    let last = WebRoutes.lastEvent.flatMap { web.headers[$0] }
    let known = web["after"] ?? last
    let position = known.flatMap(ResultsPosition.init)
    let body = ResponseBody { writer in
      // Counted here, since the body of an answer that cannot be sent is never written.
      sites.beginStream()
      defer { sites.endStream() }
      let client = ListClient(
        id: SecretText.random().text,
        session: session,
        hub: hub,
        wish: wish,
        isReturning: known != nil,
        after: position.flatMap { position in rows.map { (position, $0) } },
        now: .now
      )
      site.add(client)
      defer { site.remove(client) }
      try await outputs.write(&writer, to: request, on: channel) { output in
        try await output.write(WebRoutes.hello(client).bytes)
        try await client.run { try await output.write($0) }
      }
    }
    return WebRoutes.events(body)
  }

  /// Answers with a whole list and all its changes, for programs.
  private func whole(
    _ choice: BrowserChoice,
    _ request: Request,
    _ channel: any Channel
  ) async throws -> Response {
    let run = try await openWhole(choice)
    try admitStream()
    let (sites, outputs) = (sites, sites.parts.outputs)
    let body = ResponseBody { writer in
      sites.beginStream()
      defer { sites.endStream() }
      try await outputs.write(&writer, to: request, on: channel) { output in
        try await sites.write(run, to: output)
      }
    }
    return WebRoutes.events(body)
  }

  /// Refuses a stream beyond the number that may be open at once.
  private func admitStream() throws(WebFailure) {
    guard sites.streamCount >= mostStreams else { return }
    var failure = WebFailure(503, "Too many pages are open.", remedy: "Close some of them.")
    failure.retryAfter = 30
    throw failure
  }

  private static func events(_ body: ResponseBody) -> Response {
    let headers = WebAnswer.headers("text/event-stream; charset=utf-8")
    return Response(status: .ok, headers: headers, body: body)
  }

  private static let lastEvent = HTTPField.Name("Last-Event-ID")

  /// The window that a stream begins with, and the one that it continues with if its position is still known.
  private static func wishes(
    _ web: WebRequest,
    _ hub: ListHub
  ) throws -> (first: ListClient.Wish, rows: Range<Int>?) {
    let count = try web.number("count", in: 1...ListClient.mostRows) ?? 96
    let from = try web.number("from", in: 0...Int(Int32.max))
    let rows = from.map { $0..<$0 + count }
    guard let name = web["at"] else { return (.rows(rows ?? 0..<count), rows) }
    let above = try web.number("above", in: 0...ListClient.mostRows) ?? 0
    let key = try RowName.key(name, of: hub.controller.definition.request.entity)
    return (.row(key, above: above, count: count), rows)
  }

  private static func hello(_ client: ListClient) -> StreamEvent {
    let hub = client.hub
    let data = JSONValue.members([
      "client": .string(client.id), "order": .string(hub.order.words),
      "sortColumn": hub.order.column.map { .string($0) } ?? .null,
      "descending": .boolean(hub.order.isDescending), "filter": .string(hub.choice.filter),
    ])
    return StreamEvent(name: "hello", data: data.text)
  }
}

/// The addresses that the server answers, with the methods that each takes.
enum Route: String, CaseIterable, Sendable {
  case page = "/"
  case open = "/open"
  case print = "/print"
  case health = "/health"
  case metrics = "/metrics"
  case description = "/api/openapi.json"
  case program = "/api/program"
  case events = "/api/events"
  case window = "/api/window"
  case hold = "/api/hold"
  case sections = "/api/sections"
  case jump = "/api/jump"
  case row = "/api/row"
  case rows = "/api/rows"
  case form = "/api/form"
  case export = "/api/export"
  case `import` = "/api/import"
  case delete = "/api/delete"
  case command = "/api/command"
  case undo = "/api/undo"
  case redo = "/api/redo"
  case links = "/api/links"
  case visit = "/api/visit"

  private static let byPath = Dictionary(
    uniqueKeysWithValues: allCases.map { (Array($0.rawValue.utf8), $0) }
  )

  /// Returns the route of a path, compared by bytes.
  static func named(_ path: String) -> Route? { byPath[Array(path.utf8)] }

  /// The methods that the route takes.
  var methods: [String] {
    switch self {
    case .page, .open, .print, .health, .metrics, .description, .program, .events, .sections, .jump,
      .links, .export:
      ["GET"]
    case .row: ["GET", "PATCH"]
    case .rows: ["POST", "PATCH"]
    case .window, .hold, .form, .import, .delete, .command, .undo, .redo, .visit: ["POST"]
    }
  }
}
#endif
