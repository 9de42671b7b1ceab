#if Web
import ResultsStoreKit
import Foundation
import Testing
import WireFormat

/// A page in a browser.
final class BrowserPage {
  private let browser: Chromium
  private let session: String
  let target: String
  private var problems: [String] = []

  init(_ browser: Chromium, session: String, target: String, width: Int, height: Int) throws {
    (self.browser, self.session, self.target) = (browser, session, target)
    for domain in ["Page", "Runtime", "Log", "Network", "DOM", "Accessibility"] {
      try command("\(domain).enable")
    }
    // Each of several pages takes keys as if it were in front.
    try command("Emulation.setFocusEmulationEnabled", ["enabled": .boolean(true)])
    try command(
      "Page.addScriptToEvaluateOnNewDocument",
      [
        "source": .string(
          """
          window.violations = [];
          document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective));
          """
        )
      ]
    )
    try setSize(width, height)
  }

  @discardableResult
  func command(
    _ method: String,
    _ parameters: KeyValuePairs<String, JSONValue> = [:]
  ) throws -> JSONValue {
    try browser.command(method, parameters, of: session)
  }

  // MARK: - Questions

  /// The value of an expression; a promise is waited for.
  @discardableResult
  func evaluate(_ expression: String, within seconds: Double = 30) throws -> JSONValue {
    let result = try browser.command(
      "Runtime.evaluate",
      [
        .init(name: "expression", value: .string(expression)),
        .init(name: "awaitPromise", value: .boolean(true)),
        .init(name: "returnByValue", value: .boolean(true)),
      ],
      of: session,
      by: Deadline(seconds)
    )
    if let exception = result["exceptionDetails"] {
      throw WebTestFailure(
        "\(expression): \(exception["exception"]?["description"]?.string ?? exception.text)"
      )
    }
    return result["result"]?["value"] ?? .null
  }

  /// The text of an expression.
  func text(_ expression: String) throws -> String { try evaluate(expression).string ?? "" }

  /// Waits in the page until an expression is true.
  func wait(
    for expression: String,
    _ seconds: Double = 30,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let holds = try evaluate(
      """
      new Promise((resolve) => {
        const end = Date.now() + \(Int(seconds * 1000));
        const check = () => {
          let holds = false;
          try { holds = Boolean(\(expression)); } catch {}
          if (holds || Date.now() > end) resolve(holds); else setTimeout(check, 10);
        };
        check();
      })
      """,
      within: seconds + 30
    )
    guard holds == .boolean(true) else {
      let shown = try text("document.body.innerText.slice(0, 600)")
      try screenshot("failed-\(location.line)")
      throw WebTestFailure("line \(location.line): not in time: \(expression)\n\(shown)")
    }
  }

  /// What went wrong in the page: errors, dialogs and whatever its policy stopped.
  func takeProblems() throws -> [String] {
    for event in try browser.takeEvents(of: session) {
      let parameters = event["params"] ?? .null
      switch event["method"]?.string {
      case "Runtime.exceptionThrown":
        problems.append(
          parameters["exceptionDetails"]?["exception"]?["description"]?.string ?? parameters.text
        )
      case "Runtime.consoleAPICalled" where parameters["type"]?.string == "error",
        "Page.javascriptDialogOpening":
        problems.append(parameters.text)
      case "Log.entryAdded" where parameters["entry"]?["level"]?.string == "error":
        // A refused or lost request is written to the log by the browser itself.
        guard parameters["entry"]?["source"]?.string != "network" else { continue }
        problems.append(parameters["entry"]?["text"]?.string ?? parameters.text)
      default: continue
      }
    }
    let violations = try evaluate("window.violations")
    problems += (violations.array ?? []).compactMap(\.string)
    defer { problems = [] }
    return problems
  }

  // MARK: - The list

  /// Waits until the page has drawn a list, or says that there are no rows.
  func waitForList(at location: SourceLocation = #_sourceLocation) throws {
    try wait(
      for:
        "document.querySelector('.live')?.textContent === 'live' && (\(BrowserPage.rows).length || !document.querySelector('.empty').hidden)",
      at: location
    )
  }

  /// The elements of rows on the screen, from the top.
  static let rows = """
    [...document.querySelectorAll('.layer .row')].filter((one) => one.row)\
    .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
    """

  /// The rows that are drawn, from the top.
  func drawnRows() throws -> [PageReplay.Row] {
    let rows = try evaluate(
      "\(BrowserPage.rows).map((one) => ({ id: one.row.id, cells: [...one.querySelectorAll('[role=gridcell]')].map((cell) => cell.textContent) }))"
    )
    return (rows.array ?? []).map { row in
      PageReplay.Row(
        id: row["id"]?.string ?? "",
        cells: row["cells"]?.array?.compactMap(\.string) ?? []
      )
    }
  }

  /// Waits until the page has drawn the beginning of a list, with its texts.
  func wait(
    for list: ListedRows,
    from start: Int = 0,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let expected = list.rows.dropFirst(start).prefix(20)
    let json = JSONValue.array(
      expected.map { .array([.string($0.id)] + $0.cells.map { .string($0) }) }
    )
    try wait(
      for: """
        (() => {
          const drawn = \(BrowserPage.rows).map((one) => [one.row.id, ...[...one.querySelectorAll('[role=gridcell]')].map((cell) => cell.textContent)]);
          const wanted = \(json.text);
          const at = drawn.findIndex(([id]) => id === wanted[0]?.[0]);
          return wanted.length ? at >= 0 && JSON.stringify(drawn.slice(at, at + wanted.length)) === JSON.stringify(wanted) : !drawn.length;
        })()
        """,
      at: location
    )
    let count = "\(list.rows.count)"
    try wait(
      for:
        "document.querySelector('.counts').textContent.replaceAll(',', '').startsWith('\(count) ')",
      at: location
    )
  }

  // MARK: - The person

  /// The keys that are no letters, with the codes that Chromium wants.
  private static let codes: [String: Int] = [
    "Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37,
    "ArrowRight": 39, "Home": 36, "End": 35, "PageDown": 34, "PageUp": 33, "Delete": 46,
    "Backspace": 8,
  ]

  /// Presses keys, one after the other.
  func press(_ keys: String...) throws {
    for key in keys {
      let code = BrowserPage.codes[key]
      let text = key == "Enter" ? "\r" : code == nil ? key : nil
      for type in ["keyDown", "keyUp"] {
        var members: [JSONValue.Member] = [
          .init(name: "type", value: .string(type)), .init(name: "key", value: .string(key)),
        ]
        if let code {
          members.append(.init(name: "windowsVirtualKeyCode", value: .number("\(code)")))
          members.append(.init(name: "code", value: .string(key)))
        }
        if let text, type == "keyDown" { members.append(.init(name: "text", value: .string(text))) }
        try browser.command("Input.dispatchKeyEvent", members, of: session)
      }
    }
  }

  /// Types a text where the focus is.
  func type(_ text: String) throws { try command("Input.insertText", ["text": .string(text)]) }

  /// Puts a text into a field of the form, instead of what it holds.
  func fill(_ field: String, with text: String) throws {
    try evaluate(
      "(() => { const field = document.querySelector('.pane [name=\(field)]'); field.focus(); field.select(); })()"
    )
    try type(text)
  }

  /// Clicks on what a selector finds.
  func click(_ selector: String) throws {
    let point = try evaluate(
      """
      (() => {
        const box = document.querySelector(\(JSONValue.string(selector).text)).getBoundingClientRect();
        return [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)];
      })()
      """
    ).integers
    guard let point, point.count == 2 else {
      throw WebTestFailure("nothing to click on: \(selector)")
    }
    for type in ["mousePressed", "mouseReleased"] {
      try command(
        "Input.dispatchMouseEvent",
        [
          "type": .string(type), "x": .number("\(point[0])"), "y": .number("\(point[1])"),
          "button": .string("left"), "clickCount": .number("1"),
        ]
      )
    }
  }

  /// Drags a file over the list, and drops it there.
  func drop(_ path: String, showing hint: String? = nil) throws {
    for type in ["dragEnter", "dragOver", "drop"] {
      if type == "drop", let hint { try screenshot(hint) }
      try command(
        "Input.dispatchDragEvent",
        [
          "type": .string(type), "x": .number("300"), "y": .number("400"),
          "data": .members([
            "items": .array([]), "files": .array([.string(path)]),
            "dragOperationsMask": .number("1"),
          ]),
        ]
      )
    }
  }

  /// Chooses an entry of the page's menu.
  func choose(_ entry: String) throws {
    try press(":")
    try wait(for: "document.querySelector('dialog.menu')")
    try type(entry)
    try wait(
      for:
        "document.querySelector('dialog.menu [aria-selected=true] bdi')?.textContent === '\(entry)'"
    )
    try press("Enter")
  }

  /// Answers the question for a file, which the page has just asked.
  func answerChooser(with path: String) throws {
    var node: JSONValue?
    try WebTests.wait(for: "the question for a file") {
      let events = try browser.takeEvents(of: session)
      node =
        events.first { $0["method"]?.string == "Page.fileChooserOpened" }?["params"]?[
          "backendNodeId"
        ]
      return node != nil
    }
    try command(
      "DOM.setFileInputFiles",
      ["files": .array([.string(path)]), "backendNodeId": node ?? .null]
    )
  }

  // MARK: - The machine

  /// Goes to an address, and waits until it is loaded.
  func go(to address: String) throws {
    try command("Page.navigate", ["url": .string(address)])
    try wait(for: "document.readyState === 'complete' && location.href !== 'about:blank'")
  }

  func setSize(_ width: Int, _ height: Int) throws {
    try command(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .number("\(width)"), "height": .number("\(height)"),
        "deviceScaleFactor": .number("1"), "mobile": .boolean(false),
      ]
    )
  }

  /// Sets what the person prefers, such as `prefers-color-scheme`.
  func setPreference(_ name: String, to value: String) throws {
    try command(
      "Emulation.setEmulatedMedia",
      ["features": .array([.texts(["name": name, "value": value])])]
    )
  }

  func setOffline(_ isOffline: Bool) throws {
    try command(
      "Network.emulateNetworkConditions",
      [
        "offline": .boolean(isOffline), "latency": .number("0"),
        "downloadThroughput": .number("-1"), "uploadThroughput": .number("-1"),
      ]
    )
  }

  /// Hides the page as another one before it would, or shows it again.
  func setHidden(_ isHidden: Bool) throws {
    let state = isHidden ? "hidden" : "visible"
    try evaluate(
      """
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '\(state)' });
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => \(isHidden) });
      document.dispatchEvent(new Event('visibilitychange'));
      """
    )
  }

  /// Writes a picture of the page to `.build/web/shots`.
  func screenshot(_ name: String) throws {
    let picture = try command("Page.captureScreenshot", ["format": .string("png")])
    guard let data = Data(base64Encoded: picture["data"]?.string ?? "") else {
      throw WebTestFailure("no picture")
    }
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let folder = root.appendingPathComponent(".build/web/shots")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try data.write(to: folder.appendingPathComponent("\(name).png"))
  }
}
#endif
