import ResultsStoreKit
import Foundation

/// The `sqlite3` shell in a folder: the reader and the writers of a stranger's database.
///
/// It waits for no lock, so that a lock that another process holds is a failure, unless it is given a time. A reader waits: where a database
/// has a write-ahead log, SQLite locks it for a moment whenever a process is the first that opens it, or the last that closes it.
struct SQLiteShell {
  static let path = "/usr/bin/sqlite3"
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

  /// The folder in which it runs; files are named in it.
  let folder: String
  /// Whether it waits for locks, as SQLite advises where several processes write.
  var waits = false
  private let environment: [String: String]

  /// The same shell, waiting for locks.
  var waiting: SQLiteShell {
    var shell = self
    shell.waits = true
    return shell
  }

  init(_ run: ProgramRun, folder: String) throws {
    self.folder = folder
    environment = run.environment
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private var options: [String] {
    ["-batch", "-bail"] + (waits ? ["-cmd", ".timeout 20000"] : [])
  }

  /// Runs a script to its end; the first failure ends it.
  func run(_ script: String, on file: String = "d.db") throws -> ProgramResult {
    try Data(script.utf8).write(to: URL(fileURLWithPath: "\(folder)/script.sql"))
    let shell = try RunningProgram(
      SQLiteShell.path,
      options + [file, ".read script.sql"],
      environment: environment,
      folder: folder
    )
    return try shell.finish(within: 60)
  }

  /// Starts a shell that reads statements from its standard input.
  func start(on file: String = "d.db") throws -> RunningProgram {
    try RunningProgram(
      SQLiteShell.path,
      options + [file],
      environment: environment,
      folder: folder
    )
  }
}
