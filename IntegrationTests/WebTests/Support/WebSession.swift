#if Web
import WireFormat

/// A browser without a page: it has been let in, and sends what a page would send.
struct WebSession {
  /// The server's port.
  let port: Int
  /// The host by which the browser knows the server.
  let host: String
  /// The cookie, as a browser sends it back.
  let cookie: String

  /// Opens the address that the program printed.
  /// - Parameters:
  ///   - served: The program.
  ///   - host: The name and the port of a server before it, or `nil` for its own.
  /// - Throws: `WebTestFailure` for a browser that is not let in.
  init(_ served: ServedProgram, host: String? = nil) throws {
    (port, self.host) = (served.port, host ?? "127.0.0.1:\(served.port)")
    var request = WebRequest("GET", "/open?token=\(served.token)")
    request.host = self.host
    let answer = try request.answer(from: served.port)
    guard answer.status == 303, answer["location"] == "/",
      let cookie = answer["set-cookie"]?.prefix(while: { $0 != ";" })
    else { throw WebTestFailure("not let in: \(answer)") }
    self.cookie = String(cookie)
  }

  private init(port: Int, host: String, cookie: String) {
    (self.port, self.host, self.cookie) = (port, host, cookie)
  }

  /// The same browser, whose requests reach another process.
  func reaching(_ served: ServedProgram) -> WebSession {
    WebSession(port: served.port, host: host, cookie: cookie)
  }

  /// A request to read.
  func request(_ target: String) -> WebRequest {
    var request = WebRequest("GET", target).setting("Cookie", to: cookie)
    request.host = host
    return request
  }

  /// A request to change something, as a page of this server sends it.
  func request(_ method: String, _ target: String, _ json: JSONValue) -> WebRequest {
    var request = WebRequest(method, target, json: json).setting("Cookie", to: cookie)
      .setting("Origin", to: "http://\(host)")
      .setting("Sec-Fetch-Site", to: "same-origin")
    request.host = host
    return request
  }

  /// Reads something.
  func get(_ target: String) throws -> RawAnswer { try request(target).answer(from: port) }

  /// Asks for a change.
  func post(_ target: String, _ json: JSONValue = .object([])) throws -> RawAnswer {
    try request("POST", target, json).answer(from: port)
  }

  /// Changes fields of a row.
  func patch(_ target: String, _ json: JSONValue) throws -> RawAnswer {
    try request("PATCH", target, json).answer(from: port)
  }

  /// Opens a window of a list.
  func page(_ query: String = "from=0&count=96", receiveBuffer: Int32? = nil) throws -> ShownPage {
    try ShownPage(self, query, receiveBuffer: receiveBuffer)
  }
}

/// A window of a list as a page shows it, with the stream that it follows.
final class ShownPage {
  let session: WebSession
  let stream: EventStream
  /// The name by which requests mean this window.
  let client: String
  /// What is shown.
  private(set) var replay: PageReplay
  /// The lines of the list that were taken.
  private(set) var lines: [JSONValue] = []
  /// The lines that did not fit.
  private(set) var misfits: [JSONValue] = []

  /// Opens a window, or returns to what is shown already; the first line comes when it is asked for.
  init(
    _ session: WebSession,
    _ query: String,
    from replay: PageReplay = PageReplay(),
    receiveBuffer: Int32? = nil
  ) throws {
    (self.session, self.replay) = (session, replay)
    stream = try EventStream(
      session.request("/api/events?\(query)"),
      from: session.port,
      receiveBuffer: receiveBuffer
    )
    guard let hello = try stream.next(), hello.name == "hello",
      let client = hello.json["client"]?.string
    else { throw WebTestFailure("no greeting") }
    self.client = client
  }

  /// Takes the next line of the list.
  @discardableResult
  func takeLine(by deadline: Deadline = Deadline()) throws -> JSONValue {
    let event = try stream.next("list", by: deadline)
    let line = event.json
    lines.append(line)
    if !replay.apply(line) { misfits.append(line) }
    guard event.id == (line["position"] ?? line["to"])?.string else {
      throw WebTestFailure("the event has another position than its line")
    }
    return line
  }

  /// Takes lines until the window is that of a list.
  func take(until list: ListedRows, by deadline: Deadline = Deadline()) throws {
    while lines.isEmpty || !replay.shows(list) { try takeLine(by: deadline) }
  }

  /// Takes lines until the list has reached the generation of an answer.
  func take(untilPosition position: String, by deadline: Deadline = Deadline()) throws {
    guard let wished = generation(position) else {
      throw WebTestFailure("no position: \(position)")
    }
    while generation(replay.position) ?? 0 < wished { try takeLine(by: deadline) }
  }

  private func generation(_ position: String) -> Int? {
    Int(position.prefix { $0 != "." })
  }

  /// Asks for another window.
  func show(_ window: JSONValue) throws -> RawAnswer {
    try session.post("/api/window?client=\(client)", window)
  }

  /// Holds the window, or lets it go on.
  func hold(_ isHeld: Bool) throws -> RawAnswer {
    try session.post("/api/hold?client=\(client)", .members(["held": .boolean(isHeld)]))
  }
}
#endif
