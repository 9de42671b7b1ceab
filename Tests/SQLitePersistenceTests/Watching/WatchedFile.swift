import ResultsStoreKit
@testable import SQLitePersistence
import Dispatch
import Foundation
import GRDB
import Synchronization

/// A database with one table `t`, its watch, and the signs of the watch.
final class WatchedFile: Sendable {
  let folder: TemporaryFolder
  let path: String
  /// The file that counts as the one that a store has open.
  let opened: Mutex<FileIdentity.Finding>
  private let received = Mutex<[StoreWatch.Sign]>([])
  /// The number of signs that were taken.
  private let taken = Mutex(0)
  /// The number of signs that an interval has passed.
  let intervals = Mutex(0)
  private let arrivals = DispatchSemaphore(value: 0)
  /// Further work of the listener, such as opening the new file.
  private let answer = Mutex<@Sendable (StoreWatch.Sign) -> Void>({ _ in })

  init(journal: String = "wal") throws {
    folder = try TemporaryFolder()
    path = folder.file()
    try WatchedFile.make(path, journal: journal)
    opened = Mutex(FileIdentity.find(path))
  }

  /// A connection that waits for others.
  static func connect(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Creates a database.
  static func make(_ path: String, journal: String = "wal", rows: Int = 0) throws {
    let queue = try connect(path)
    try queue.writeWithoutTransaction { database in
      _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = \(journal)")
      try database.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, x)")
      for _ in 0..<rows { try database.execute(sql: "INSERT INTO t DEFAULT VALUES") }
    }
    try queue.close()
  }

  /// A watch that sends its signs to this object.
  func watch(
    interval: Duration = .seconds(3600),
    _ makeEvents: @escaping @Sendable (String) -> any FileEvents = StoreWatch.systemEvents
  ) -> StoreWatch {
    let subject = StoreWatch.Subject(
      path: path,
      interval: interval,
      markQuery: "SELECT max(id) FROM t",
      opened: { [weak self] in self?.opened.withLock { $0 } ?? .unknown },
      listener: { [weak self] in self?.receive($0) }
    )
    return StoreWatch(subject, makeEvents: makeEvents)
  }

  private func receive(_ sign: StoreWatch.Sign) {
    if sign == .intervalPassed {
      intervals.withLock { $0 += 1 }
      return
    }
    answer.withLock { $0 }(sign)
    received.withLock { $0.append(sign) }
    arrivals.signal()
  }

  /// Sets further work of the listener.
  func onSign(_ body: @escaping @Sendable (StoreWatch.Sign) -> Void) {
    answer.withLock { $0 = body }
  }

  /// Makes the path's file count as the one that the store has open.
  func open() { opened.withLock { $0 = FileIdentity.find(path) } }

  /// All received signs.
  var signs: [StoreWatch.Sign] { received.withLock { $0 } }

  /// The next sign, or `nil` if none arrives in a long time.
  func next() -> StoreWatch.Sign? {
    guard arrivals.wait(timeout: .now() + 10) == .success else { return nil }
    let index = taken.withLock { index in
      defer { index += 1 }
      return index
    }
    return signs[index]
  }

  /// Waits until a commit is reported, by its row's number.
  /// - Returns: Whether it was.
  func receives(row: Int64) -> Bool {
    while let sign = next() {
      if case .mayHaveChanged(.some(let mark)) = sign, mark[0] >= row { return true }
    }
    return false
  }

  /// Waits until a sign is received.
  func receives(_ sign: StoreWatch.Sign) -> Bool {
    while let next = next() {
      if next == sign { return true }
    }
    return false
  }
}

/// Ends each wait of a watch with the next step of a script; after the last one a wait ends only by interruption.
final class ScriptedEvents: FileEvents {
  typealias Step = @Sendable () throws -> FileSign

  /// The requested duration of each wait.
  let limits = Mutex<[Duration]>([])
  private let steps: Mutex<[Step]>
  private let ends = DispatchSemaphore(value: 0)
  private let interruptions = DispatchSemaphore(value: 0)

  init(_ steps: [Step]) { self.steps = Mutex(steps.reversed()) }

  func wait(atMost limit: Duration) -> FileSign {
    limits.withLock { $0.append(limit) }
    if let step = steps.withLock({ $0.popLast() }) { return (try? step()) ?? .interrupted }
    ends.signal()
    interruptions.wait()
    return .interrupted
  }

  func pause(for duration: Duration) -> FileSign { wait(atMost: duration) }
  func renew() {}
  func interrupt() { interruptions.signal() }

  /// Waits for the script's end.
  func waitForEnd() -> Bool { ends.wait(timeout: .now() + 10) == .success }
}

/// A `sqlite3` in a separate process.
final class SQLiteProcess {
  static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(_ path: String, executable: String = "/usr/bin/sqlite3") throws {
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = ["-batch", path]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try send(".timeout 10000")
  }

  var processID: Int64 { Int64(process.processIdentifier) }

  /// Sends a statement, without waiting for it.
  func send(_ sql: String) throws {
    let end = sql.hasPrefix(".") ? "\n" : ";\n"
    try input.fileHandleForWriting.write(contentsOf: Data((sql + end).utf8))
  }

  /// Runs a statement to its end.
  func run(_ sql: String) throws {
    try send(sql)
    try send("SELECT 'done'")
    while !output.fileHandleForReading.availableData.contains(UInt8(ascii: "d")) {}
  }

  /// Ends the process.
  func close() throws {
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
