#if PostgreSQL
import Foundation
import Synchronization

@testable import PostgreSQLPersistence

/// A PostgreSQL server for the tests, and databases of their own for each of them.
///
/// The server is the one that `PGURL` names, or one that `script/postgresql` starts below the build folder.
enum TestServer {
  /// The URL of the server's database `postgres`.
  static let url: String = {
    if let url = ProcessInfo.processInfo.environment["PGURL"] { return url }
    let line = run(["start", "tests", "max_connections=300"])
    guard let start = line.firstIndex(of: "'"), let end = line.lastIndex(of: "'"), start < end
    else { return "postgresql://no-server.invalid/postgres" }
    return String(line[line.index(after: start)..<end])
  }()

  /// Whether there can be a pooler: PgBouncer is installed, and the server is one that `script/postgresql` starts.
  static let hasPooler =
    ProcessInfo.processInfo.environment["PGURL"] == nil
    && !run(["pooler-program"]).isEmpty

  /// The host of a pooler in transaction mode before the server, which is started once.
  private static let poolerHost: String? = {
    _ = url
    let line = run(["pooler", "tests-pooler", "tests"])
    guard let start = line.range(of: "host=")?.upperBound,
      let end = line.range(of: "&pooled=1")?.lowerBound
    else { return nil }
    return String(line[start..<end])
  }()

  /// The URL of a database behind the pooler.
  static func pooled(_ url: String) -> String {
    guard let poolerHost, let start = url.range(of: "host=")?.upperBound else { return url }
    return url[..<start] + poolerHost + "&pooled=1"
  }

  private static let next = Mutex(0)

  /// The repository's folder.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Runs `script/postgresql`, and returns what it printed.
  @discardableResult
  static func run(_ arguments: [String]) -> String {
    let process = Process()
    process.executableURL = root.appendingPathComponent("script/postgresql")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    guard (try? process.run()) != nil else { return "" }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  /// A connection to a database of the server, or to another one.
  static func connect(_ url: String = TestServer.url) throws -> Connection {
    try Connection(ConnectionSettings(url: url))
  }

  /// The URL of a new, empty database.
  static func newDatabase(_ settings: String = "") throws -> String {
    let number = next.withLock { number in
      number += 1
      return number
    }
    let name = "t\(ProcessInfo.processInfo.processIdentifier)_\(number)"
    let connection = try connect()
    // A process with this number may have been killed.
    try connection.runOnce("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    try connection.runOnce("CREATE DATABASE \(name) \(settings)")
    return url(ofDatabase: name)
  }

  /// The URL of a database of the server.
  static func url(ofDatabase name: String) -> String {
    guard var components = URLComponents(string: url) else { return url }
    components.path = "/" + name
    return components.string ?? url
  }

  /// The URL of a database for another user.
  static func url(_ url: String, as user: String) -> String {
    guard var components = URLComponents(string: url) else { return url }
    components.user = user
    return components.string ?? url
  }

  /// Runs a closure with a new role that may log in, and removes the role.
  static func withRole<Result>(_ url: String, _ body: (String) throws -> Result) throws -> Result {
    let connection = try connect(url)
    let role = "role_\(UInt32.random(in: 0 ... .max))"
    try connection.runOnce("CREATE ROLE \(role) LOGIN")
    defer {
      _ = try? connection.runOnce("DROP OWNED BY \(role) CASCADE")
      _ = try? connection.runOnce("DROP ROLE \(role)")
    }
    return try body(role)
  }

  /// Removes a database, and ends its connections.
  static func removeDatabase(_ url: String) throws {
    guard let name = URLComponents(string: url)?.path.dropFirst(), !name.isEmpty else { return }
    try connect().runOnce("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
  }

  /// Runs a closure with the URL of a new database, and removes it.
  static func withDatabase<Result>(_ body: (String) throws -> Result) throws -> Result {
    let url = try newDatabase()
    defer { try? removeDatabase(url) }
    return try body(url)
  }

  /// Runs a closure with the URL of a new database, and removes it.
  static func withDatabase<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let url = try newDatabase()
    defer { try? removeDatabase(url) }
    return try await body(url)
  }
}
#endif
