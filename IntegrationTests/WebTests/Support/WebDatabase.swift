#if Web && PostgreSQL
import ResultsStoreKit
import Foundation
import Synchronization
import Testing

/// A database of books on a PostgreSQL server that `script/postgresql` starts, and the same one on a hot standby of it.
final class WebDatabase {
  /// The URL of the database on the primary.
  let url: String
  /// The URL of the database on the standby.
  let standbyURL: String
  private let name: String
  private let servers: Servers

  private struct Servers {
    var primary: String
    var standby: String
  }

  private static let started = Mutex<Servers?>(nil)
  private static let next = Mutex(0)

  /// Makes a database of numbered books, as `WebFolder` makes a file.
  init(in folder: WebFolder, books count: Int) throws {
    servers = try WebDatabase.started.withLock { started in
      if let started { return started }
      // A test that was interrupted may have left them in any state.
      for name in ["tests-web-standby", "tests-web"] { try WebDatabase.script("remove", name) }
      let servers = Servers(
        primary: try WebDatabase.started("start", "tests-web"),
        standby: try WebDatabase.started("standby", "tests-web-standby", "tests-web")
      )
      started = servers
      return servers
    }
    let number = WebDatabase.next.withLock { number in
      number += 1
      return number
    }
    name = "w\(ProcessInfo.processInfo.processIdentifier)_\(number)"
    url = servers.primary.replacing("/postgres?", with: "/\(name)?")
    standbyURL = servers.standby.replacing("/postgres?", with: "/\(name)?")
    try WebDatabase.psql("CREATE DATABASE \(name)", servers.primary)
    try folder.run("book-catalog", "demo", "--store", url)
    try psql(
      """
      DELETE FROM "Book"; INSERT INTO "Book"(id, publisher, title, year)
      SELECT i, 'Publisher ' || lpad((i % 17)::text, 2, '0'), 'Title ' || lpad((i * 7919 % 100003)::text, 5, '0'), 1900 + i % 120
      FROM generate_series(1, \(count)) i;
      SELECT setval(pg_get_serial_sequence('"Book"', 'id'), \(count))
      """
    )
    try waitForStandby()
  }

  deinit {
    _ = try? WebDatabase.psql("DROP DATABASE IF EXISTS \(name) WITH (FORCE)", servers.primary)
  }

  /// Runs SQL on the primary by `psql`, which knows nothing of this package.
  /// - Returns: What it printed.
  @discardableResult
  func psql(_ sql: String) throws -> String { try WebDatabase.psql(sql, url) }

  /// Waits until the standby has what was committed.
  func waitForStandby() throws {
    let position = try psql("SELECT pg_current_wal_lsn()")
    try wait(for: "the standby") {
      let isThere = "SELECT pg_last_wal_replay_lsn() >= '\(position)'"
      return try WebDatabase.psql(isThere, servers.standby) == "t"
    }
  }

  // MARK: - Programs

  private static let root: URL = {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    return root
  }()

  private static func run(_ command: [String]) throws -> String {
    let process = try ChildProcess(
      command,
      environment: ProcessInfo.processInfo.environment,
      folder: root.path
    )
    let (status, texts) = try process.finish(by: Deadline(120))
    guard status == 0 else { throw WebTestFailure("\(command): \(texts)") }
    return texts[0].trimmingCharacters(in: .newlines)
  }

  @discardableResult
  private static func script(_ arguments: String...) throws -> String {
    try run([root.appendingPathComponent("script/postgresql").path] + arguments)
  }

  /// Starts a server.
  /// - Returns: Its URL.
  private static func started(_ arguments: String...) throws -> String {
    let line = try run([root.appendingPathComponent("script/postgresql").path] + arguments)
    let parts = line.split(separator: "'")
    guard parts.count > 1 else { throw WebTestFailure("no URL: \(line)") }
    return String(parts[1])
  }

  private static let programs = try? script("programs")

  @discardableResult
  private static func psql(_ sql: String, _ url: String) throws -> String {
    guard let programs else { throw WebTestFailure("PostgreSQL's programs are missing.") }
    return try run(
      ["\(programs)/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", sql]
    )
  }
}

/// Several processes that serve the books of one database behind one address, the last one over its standby.
final class ServedDatabase {
  let folder: WebFolder
  let database: WebDatabase
  let balancer: Balancer
  private(set) var servers: [ServedProgram] = []
  private var killed: Set<Int> = []

  /// Makes the database, and starts the processes.
  init(books count: Int) throws {
    folder = try WebFolder()
    database = try WebDatabase(in: folder, books: count)
    balancer = try Balancer()
    servers = try ["primary-a", "primary-b", "standby"].map { try start($0) }
    balancer.serve(servers.map(\.port))
  }

  private func start(_ name: String) throws -> ServedProgram {
    let url = name.hasPrefix("standby") ? database.standbyURL : database.url
    return try ServedProgram(
      in: folder,
      store: "\(url)&application_name=\(name)",
      options: ["--token-file", "token", "--host", host]
    )
  }

  /// The host by which browsers know all of them.
  var host: String { "127.0.0.1:\(balancer.port)" }

  /// The address that opens the page.
  var address: String { "http://\(host)/open?token=\(servers[0].token)" }

  /// The list that the program prints over the primary, once the standby has it too.
  func list(_ options: [String] = []) throws -> ListedRows {
    let list = try servers[0].list(options)
    try database.waitForStandby()
    return list
  }

  /// The processes that serve streams.
  var streaming: [Int] {
    get throws { try running.filter { try servers[$0].figure("results_web_streams") > 0 } }
  }

  /// Kills a process, as a crash does; connections go to the others.
  func kill(_ index: Int) throws {
    try servers[index].process.end()
    killed.insert(index)
    balancer.serve(running.map { servers[$0].port })
  }

  /// Starts the process again that was killed, on another port.
  func restart(_ index: Int) throws {
    servers[index] = try start(["primary-a", "primary-b", "standby"][index])
    killed.remove(index)
    balancer.serve(running.map { servers[$0].port })
  }

  private var running: [Int] { servers.indices.filter { !killed.contains($0) } }
}
#endif
