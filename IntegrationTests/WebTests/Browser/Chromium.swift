#if Web
import ResultsStoreKit
import Foundation
import Testing
import WireFormat

/// A Chromium without a window, driven over two pipes; it ends with the object.
final class Chromium {
  private let process: ChildProcess
  private var number = 0
  /// The events that came while an answer was waited for, by the sessions of their pages.
  private var events: [String: [JSONValue]] = [:]
  let folder: WebFolder

  private static let paths = [
    "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  ]
  private static var path: String? {
    paths.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Whether the tests of the page can run; where they must, they fail without a browser.
  static var isThere: Bool {
    if path != nil || ProcessInfo.processInfo.environment["CI"] != nil { return true }
    print("Chromium is missing: NO TEST OF THE PAGE IS RUN. Install it: apt-get install chromium.")
    return false
  }

  /// Starts a browser with a profile of its own.
  init(in folder: WebFolder) throws {
    self.folder = folder
    guard let path = Chromium.path else {
      throw WebTestFailure("Chromium is missing. Install it: apt-get install chromium.")
    }
    process = try ChildProcess(
      [
        path, "--headless", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu",
        "--user-data-dir=\(folder.path)/profile", "--no-first-run", "--disable-extensions",
        "--disable-background-networking", "--hide-scrollbars", "about:blank",
      ],
      environment: folder.environment,
      folder: folder.path,
      input: 3,
      outputs: [4]
    )
    _ = try command("Browser.getVersion", by: Deadline(60))
  }

  deinit { _ = try? command("Browser.close", by: Deadline(5)) }

  /// Opens a page at an address of a server, which the browser has been let in to.
  func open(_ served: ServedProgram, _ query: String = "", width: Int = 1440, height: Int = 900)
    throws -> BrowserPage
  {
    let page = try blankPage(width: width, height: height)
    try page.go(to: "http://127.0.0.1:\(served.port)/open?token=\(served.token)")
    if !query.isEmpty { try page.go(to: "http://127.0.0.1:\(served.port)/?\(query)") }
    try page.waitForList()
    return page
  }

  /// Opens an empty page.
  func blankPage(width: Int = 1440, height: Int = 900) throws -> BrowserPage {
    let target = try command(
      "Target.createTarget",
      ["url": .string("about:blank"), "newWindow": .boolean(true)]
    )
    let session = try command(
      "Target.attachToTarget",
      ["targetId": target["targetId"] ?? .null, "flatten": .boolean(true)]
    )
    guard let session = session["sessionId"]?.string, let target = target["targetId"]?.string else {
      throw WebTestFailure("Chromium opened no page: \(session.text)")
    }
    return try BrowserPage(self, session: session, target: target, width: width, height: height)
  }

  /// Sends a command, and waits for its answer.
  @discardableResult
  func command(
    _ method: String,
    _ parameters: KeyValuePairs<String, JSONValue> = [:],
    of session: String? = nil,
    by deadline: Deadline = Deadline()
  ) throws -> JSONValue {
    try command(
      method,
      parameters.map { JSONValue.Member(name: $0.key, value: $0.value) },
      of: session,
      by: deadline
    )
  }

  /// Sends a command, and waits for its answer.
  @discardableResult
  func command(
    _ method: String,
    _ parameters: [JSONValue.Member],
    of session: String?,
    by deadline: Deadline = Deadline()
  ) throws -> JSONValue {
    number += 1
    var members: [JSONValue.Member] = [
      .init(name: "id", value: .number("\(number)")), .init(name: "method", value: .string(method)),
      .init(name: "params", value: .object(parameters)),
    ]
    if let session { members.append(.init(name: "sessionId", value: .string(session))) }
    try process.write(Array(JSONValue.object(members).text.utf8) + [0], by: deadline)
    while let bytes = try process.message(of: 4, endedBy: 0, by: deadline) {
      let message = try JSONValue(parsing: bytes, maximumDepth: 200)
      if message["id"]?.integer == number {
        guard let result = message["result"] else {
          throw WebTestFailure("\(method): \(message["error"]?.text ?? "no result")")
        }
        return result
      }
      events[message["sessionId"]?.string ?? "", default: []].append(message)
    }
    throw WebTestFailure("Chromium has ended")
  }

  /// Takes the events of a page that have come so far.
  func takeEvents(of session: String) throws -> [JSONValue] {
    // An answer comes after all events before it.
    try command("Browser.getVersion")
    return events.removeValue(forKey: session) ?? []
  }
}
#endif
