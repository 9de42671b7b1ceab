import ResultsStoreKit
import Foundation

/// A Chromium without a window and one page of it, driven over two pipes; it ends with the object.
final class Chromium {
  private let process: Program
  private let folder: String
  private var number = 0
  private var session: String?

  private static let paths = [
    "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome",
  ]

  init(in folder: String) throws {
    guard let path = Chromium.paths.first(where: FileManager.default.isExecutableFile) else {
      throw BenchmarkFailure("Chromium is missing. Install it: apt-get install chromium")
    }
    self.folder = "\(folder)/profile-\(UUID().uuidString)"
    process = try Program(
      [
        path, "--headless", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu",
        "--user-data-dir=\(self.folder)", "--no-first-run", "--disable-extensions",
        "--disable-background-networking", "about:blank",
      ],
      environment: ["HOME": folder],
      descriptors: (3, 4)
    )
    let target = try command("Target.createTarget", ["url": "about:blank", "newWindow": true])
    let attached = try command(
      "Target.attachToTarget",
      ["targetId": target["targetId"] ?? "", "flatten": true]
    )
    session = attached["sessionId"] as? String
    for domain in ["Page", "Runtime", "HeapProfiler"] { try command("\(domain).enable") }
    try command(
      "Emulation.setDeviceMetricsOverride",
      ["width": 1440, "height": 900, "deviceScaleFactor": 1, "mobile": false]
    )
  }

  deinit {
    _ = try? command("Browser.close")
    process.end()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Sends a command, and waits for its answer; events are passed over.
  @discardableResult
  func command(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
    number += 1
    var message: [String: Any] = ["id": number, "method": method, "params": parameters]
    message["sessionId"] = session
    try process.write(Array(JSONSerialization.data(withJSONObject: message)) + [0])
    while true {
      let data = Data(try process.read(upTo: 0, within: 120))
      guard let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any],
        answer["id"] as? Int == number
      else { continue }
      guard let result = answer["result"] as? [String: Any] else {
        throw BenchmarkFailure("\(method): \(answer["error"] ?? "no result")")
      }
      return result
    }
  }

  /// The value of an expression; a promise is waited for.
  @discardableResult
  func evaluate(_ expression: String) throws -> Any {
    let result = try command(
      "Runtime.evaluate",
      ["expression": expression, "awaitPromise": true, "returnByValue": true]
    )
    if let exception = result["exceptionDetails"] as? [String: Any] {
      throw BenchmarkFailure("\(expression): \(exception)")
    }
    return (result["result"] as? [String: Any])?["value"] ?? ""
  }

  /// The numbers that an expression gives.
  func numbers(_ expression: String) throws -> [Double] {
    (try evaluate(expression) as? [Any] ?? []).compactMap { ($0 as? NSNumber)?.doubleValue }
  }

  /// Runs a script in each page before those of the page.
  func addScript(_ source: String) throws {
    try command("Page.addScriptToEvaluateOnNewDocument", ["source": source])
  }

  /// Goes to an address, and waits until an expression is true there.
  func go(to address: String, until condition: String) throws {
    try command("Page.navigate", ["url": address])
    // The answer comes before the new page is there.
    try wait("\(condition) is not true", 60) {
      (try? evaluate("location.href !== 'about:blank' && (\(condition))") as? Bool) == true
    }
  }

  /// The bytes that the page holds, after what it does not has been collected.
  func heap() throws -> Double {
    try command("HeapProfiler.collectGarbage")
    return (try command("Runtime.getHeapUsage")["usedSize"] as? NSNumber)?.doubleValue ?? 0
  }
}
