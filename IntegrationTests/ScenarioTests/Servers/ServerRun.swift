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

  /// Makes a database on a server, which is started with settings unless it runs.
  init(on server: String = "tests-programs", _ settings: String...) throws {
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

  deinit {
    let base = ServerRun.started.withLock { $0[server] ?? "" }
    _ = try? ServerRun.psql("DROP DATABASE IF EXISTS \(database) WITH (FORCE)", base)
  }

  /// Starts a server, once in the process for each name.
  private static func start(_ server: String, _ settings: [String]) throws -> String {
    try started.withLock { started in
      if let url = started[server] { return url }
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

  /// Runs `script/postgresql`.
  @discardableResult
  static func script(_ arguments: [String]) throws -> ProgramResult {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let result = try RunningProgram(
      root.appendingPathComponent("script/postgresql").path,
      arguments,
      environment: ProcessInfo.processInfo.environment,
      folder: root.path
    ).finish(within: 120)
    try #require(result.status == 0, "\(result)")
    return result
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
