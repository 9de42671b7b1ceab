import ResultsStoreKit
import CSQLite
import Foundation

/// A program that was started, with pipes at its descriptors; it is killed with the object.
final class Program {
  let identifier: pid_t
  private let input: Int32
  private let output: Int32
  private var bytes: [UInt8] = []
  private var isReaped = false

  /// Starts a program.
  /// - Parameters:
  ///   - command: Its path and arguments.
  ///   - environment: Variables that are set besides those of this process.
  ///   - descriptors: Where it reads what is written here, and where it writes what is read here.
  /// - Throws: `BenchmarkFailure` if it does not start.
  init(
    _ command: [String],
    environment: [String: String] = [:],
    descriptors: (input: Int32, output: Int32) = (0, 1)
  ) throws {
    let (inputRead, inputWrite) = try Program.pipe()
    let (outputRead, outputWrite) = try Program.pipe()
    defer {
      close(inputRead)
      close(outputWrite)
    }
    (input, output) = (inputWrite, outputRead)
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, inputRead, descriptors.input)
    posix_spawn_file_actions_adddup2(&actions, outputWrite, descriptors.output)
    if descriptors.input != 0 {
      for number: Int32 in 0...2 {
        posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
      }
    }
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    var arguments = command.map { strdup($0) } + [nil]
    var values = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + values { free(text) } }
    var identifier: pid_t = 0
    let code = posix_spawn(&identifier, command[0], &actions, nil, &arguments, &values)
    guard code == 0 else {
      throw BenchmarkFailure("\(command[0]) does not start: \(String(cString: strerror(code)))")
    }
    self.identifier = identifier
  }

  deinit {
    if !isReaped { kill(identifier, SIGKILL) }
    close(input)
    reap()
    close(output)
  }

  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Foundation.pipe(&ends) == 0 else { throw BenchmarkFailure("no pipe") }
    // Out of the way of the numbers that a program is given, and not open in any other program.
    let high = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
    for end in ends { close(end) }
    return (high[0], high[1])
  }

  @discardableResult
  private func reap() -> Int32 {
    guard !isReaped else { return 0 }
    isReaped = true
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    return status
  }

  func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(input, $0.baseAddress, $0.count) }
      guard count > 0 else { throw BenchmarkFailure("a program does not read its input") }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads up to a byte, which is taken too.
  func read(upTo end: UInt8, within seconds: Double = 60) throws -> [UInt8] {
    let limit = Clock.monotonic + UInt64(seconds * 1e9)
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var searched = 0
    while true {
      if let index = bytes[searched...].firstIndex(of: end) {
        defer { bytes.removeSubrange(...index) }
        return Array(bytes[..<index])
      }
      searched = bytes.count
      var poller = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      let now = Clock.monotonic
      guard now < limit, poll(&poller, 1, Int32((limit - now) / 1_000_000) + 1) > 0 else {
        throw BenchmarkFailure("a program does not answer in \(seconds) s")
      }
      let count = Foundation.read(output, &chunk, chunk.count)
      guard count > 0 else { throw BenchmarkFailure("a program has ended too early") }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  /// Ends the program as ^C does, and waits until it has ended.
  func end() {
    kill(identifier, SIGTERM)
    reap()
  }

  /// Runs a program to its end.
  /// - Throws: `BenchmarkFailure` if it fails.
  static func run(_ command: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchmarkFailure("\(command) gave status \(process.terminationStatus)")
    }
  }
}

/// `book-catalog serve` over a store.
final class Served {
  let process: Program
  let port: Int
  let token: String
  /// The time from its start to the address, in milliseconds.
  let start: Double

  init(_ program: String, store: String, streams: Int = 256) throws {
    let begin = Clock.monotonic
    process = try Program([
      program, "serve", "--store", store, "--port", "0", "--max-streams", "\(streams)",
    ])
    let line = String(decoding: try process.read(upTo: 0x0A, within: 600), as: UTF8.self)
    start = Double(Clock.monotonic - begin) / 1e6
    guard let match = line.firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)\/open\?token=(\S+)/),
      let port = Int(match.1)
    else { throw BenchmarkFailure("serve says: \(line)") }
    (self.port, token) = (port, String(match.2))
  }

  /// The address that lets a browser in.
  var address: String { "http://127.0.0.1:\(port)/open?token=\(token)" }
  var memory: Int { get throws { try Machine.memory(of: process.identifier) } }
  var processor: Double { get throws { try Machine.processor(of: process.identifier) } }
}

/// A connection to a store that knows nothing of lists: this process commits, and another one shows.
final class Writer {
  private var handle: OpaquePointer?

  init(_ path: String) throws {
    guard sqlite3_open(path, &handle) == SQLITE_OK else {
      throw BenchmarkFailure("\(path) cannot be opened")
    }
    sqlite3_busy_timeout(handle, 20_000)
    try run("PRAGMA synchronous = NORMAL")
  }

  deinit { sqlite3_close(handle) }

  /// Runs statements; each is a transaction of its own unless it is in one.
  func run(_ statements: String) throws {
    guard sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK else {
      throw BenchmarkFailure(
        "\(statements.prefix(200)): \(String(cString: sqlite3_errmsg(handle)))"
      )
    }
  }

  /// The first columns of the rows of a query, as texts.
  func texts(_ query: String) throws -> [String] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, query, -1, &statement, nil) == SQLITE_OK else {
      throw BenchmarkFailure("\(query): \(String(cString: sqlite3_errmsg(handle)))")
    }
    defer { sqlite3_finalize(statement) }
    var texts: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
    }
    return texts
  }
}

/// The stores that are measured: titles are in the order of their numbers, and that of the first book counts commits.
enum Store {
  /// The order of the list.
  static let order = "ORDER BY publisher, title, id"

  /// Creates a store of books, with an index that serves their order.
  /// - Parameters:
  ///   - program: `book-catalog`.
  ///   - path: The file.
  ///   - count: The number of books.
  ///   - section: The number of books of a publisher.
  /// - Throws: `BenchmarkFailure` if that fails.
  static func make(_ program: String, _ path: String, books count: Int, of section: Int) throws {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    try Program.run([program, "demo", "--store", path])
    let writer = try Writer(path)
    try writer.run(
      """
      PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;
      BEGIN; DELETE FROM Book;
      INSERT INTO Book(id, publisher, title, year) VALUES (1, 'A counter', 'tick 0', 2000);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count - 1))
        INSERT INTO Book(id, publisher, title, year)
          SELECT i + 1, printf('Publisher %05d', i / \(section)), printf('Title %08d', i), 1900 + i % 120 FROM n;
      CREATE INDEX BookByPublisherAndTitle ON Book (publisher, title);
      DELETE FROM _results_log WHERE sequence < (SELECT max(sequence) FROM _results_log);
      COMMIT; PRAGMA wal_checkpoint(TRUNCATE);
      """
    )
  }
}
