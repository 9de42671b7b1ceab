#if PostgreSQL
import Foundation
import Synchronization
import Testing

/// A database of a PostgreSQL server that `script/postgresql` starts, and a folder in which programs run.
final class ServerRun {
  let run: ProgramRun
  /// The server's name, as the script takes it.
  let server: String
  /// The URL of the database, which is new and empty.
  let url: String
  private let database: String
  private static let next = Mutex(0)
  /// The servers that were started, with their URLs.
  private static let started = Mutex<[String: String]>([:])

  /// Whether PgBouncer is installed.
  static let hasPooler = (try? runScript(["pooler-program"]).status) == 0

  /// Whether this machine has a second address, and can make certificates.
  static let hasCertificates: Bool = {
    #if os(Linux)
    FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")
    #else
    false
    #endif
  }()

  /// Makes a database on a server, which is started with settings unless it runs.
  init(on server: String = "tests-programs", settings: [String] = []) throws {
    run = try ProgramRun()
    self.server = server
    let number = ServerRun.next.withLock { number in
      number += 1
      return number
    }
    database = "p\(ProcessInfo.processInfo.processIdentifier)_\(number)"
    let base = try ServerRun.start(server, settings)
    url = ServerRun.url(base, database)
    try ServerRun.psql("CREATE DATABASE \(database)", base)
  }

  // The server of a test of faults may be gone.
  deinit {
    let base = ServerRun.started.withLock { $0[server] ?? "" }
    let statement = "DROP DATABASE IF EXISTS \(database) WITH (FORCE)"
    _ = try? ServerRun.startPsql(statement, base).finish()
  }

  /// Starts a server, once in the process for each name.
  private static func start(_ server: String, _ settings: [String]) throws -> String {
    try started.withLock { started in
      if let url = started[server] { return url }
      // A test that was interrupted may have left a server in any state.
      if server != "tests-programs" { try script(["remove", server]) }
      let line = try script(["start", server] + settings).output
      let parts = line.split(separator: "'")
      try #require(parts.count > 1, "\(line)")
      started[server] = String(parts[1])
      return String(parts[1])
    }
  }

  /// The URL of another database of the same server.
  static func url(_ base: String, _ database: String) -> String {
    base.replacing("/postgres?", with: "/\(database)?")
  }

  /// The URL of another database of the same server.
  func url(of other: String) -> String { url.replacing("/\(database)?", with: "/\(other)?") }

  /// Runs `script/postgresql`.
  @discardableResult
  static func script(_ arguments: [String]) throws -> ProgramResult {
    let result = try runScript(arguments)
    try #require(result.status == 0, "\(result)")
    return result
  }

  private static func runScript(_ arguments: [String]) throws -> ProgramResult {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    return try RunningProgram(
      root.appendingPathComponent("script/postgresql").path,
      arguments,
      environment: ProcessInfo.processInfo.environment,
      folder: root.path
    ).finish(within: 120)
  }

  /// The folder of the server's programs, with `psql` in it.
  private static let programs = (try? script(["programs"]).output)?
    .trimmingCharacters(in: .whitespacesAndNewlines)

  /// Runs SQL by `psql`, which knows nothing of this package.
  /// - Returns: What it printed.
  @discardableResult
  static func psql(_ sql: String, _ url: String) throws -> String {
    let result = try RunningProgram(
      "\(try #require(programs))/psql",
      ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", sql],
      environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"],
      folder: NSTemporaryDirectory()
    ).finish()
    try #require(result.status == 0, "\(result)")
    return result.output.trimmingCharacters(in: .newlines)
  }

  /// Runs SQL in the database.
  @discardableResult
  func psql(_ sql: String) throws -> String { try ServerRun.psql(sql, url) }

  /// Starts SQL that takes its time.
  func startPsql(_ sql: String) throws -> RunningProgram { try ServerRun.startPsql(sql, url) }

  private static func startPsql(_ sql: String, _ url: String) throws -> RunningProgram {
    try RunningProgram(
      "\(try #require(programs))/psql",
      ["-X", "-q", "-d", url, "-c", sql],
      environment: ["PATH": "/usr/bin:/bin"],
      folder: NSTemporaryDirectory()
    )
  }

  /// Whether the server takes another connection.
  var accepts: Bool {
    let probe = try? startPsql("SELECT 1").finish()
    return probe?.status == 0
  }

  /// Runs a line in a shell, in which `$0` is the argument.
  static func shell(_ line: String, argument: String = "sh") throws {
    let result = try RunningProgram(
      "/bin/sh",
      ["-c", line, argument],
      environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"],
      folder: NSTemporaryDirectory()
    ).finish()
    try #require(result.status == 0, "\(result)")
  }

  /// Asks until a condition holds; each question takes milliseconds, so nothing sleeps.
  func wait(
    _ what: String,
    seconds: Double = 30,
    until isTrue: () throws -> Bool
  ) throws {
    let deadline = ContinuousClock.now.advanced(by: .seconds(seconds))
    while try !isTrue() {
      guard ContinuousClock.now < deadline else {
        throw RunningProgram.Failure(description: "no \(what)")
      }
    }
  }

  /// Runs a program over the database.
  @discardableResult
  func run(
    _ program: String,
    _ arguments: String...,
    expecting status: Int32 = 0,
    at location: SourceLocation = #_sourceLocation
  ) throws -> ProgramResult {
    let result = try run.run(program, arguments + ["--store", url])
    #expect(result.status == status, "\(result)", sourceLocation: location)
    return result
  }
}
#endif
