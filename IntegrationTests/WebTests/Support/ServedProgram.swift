#if Web
import ResultsStoreKit
import Foundation
import Testing
import WireFormat

/// A temporary folder in which programs run, with a home of its own; it is removed with the object.
final class WebFolder {
  /// The folder's path.
  let path: String
  /// The variables that programs see.
  let environment: [String: String]

  init() throws {
    path = NSTemporaryDirectory() + "web-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    environment = [
      "HOME": path, "XDG_DATA_HOME": "\(path)/data", "XDG_CONFIG_HOME": "\(path)/config",
      "XDG_CACHE_HOME": "\(path)/cache", "XDG_STATE_HOME": "\(path)/state", "LANG": "C",
      "TZ": "UTC",
      "PATH": "/usr/bin:/bin",
    ]
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Starts a program.
  func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
    try ChildProcess(
      [try BuiltProgram.path(program)] + arguments,
      environment: environment,
      folder: path
    )
  }

  /// Runs a program to its end, and expects success.
  /// - Returns: What it printed.
  @discardableResult
  func run(
    _ program: String,
    _ arguments: String...,
    at location: SourceLocation = #_sourceLocation
  ) throws -> String {
    let (status, texts) = try start(program, arguments).finish()
    #expect(status == 0, "\(program) \(arguments): \(texts)", sourceLocation: location)
    return texts[0]
  }

  /// Creates a store of books, whose titles and publishers are numbered.
  func makeBooks(_ count: Int, in store: String = "b.sqlite") throws {
    try run("book-catalog", "demo", "--store", store)
    let shell = try SQLiteWriter(self, store)
    try shell.run("DELETE FROM Book")
    try shell.run(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO Book(id, publisher, title, year)
        SELECT i, printf('Publisher %02d', i % 17), printf('Title %05d', i * 7919 % 100003), 1900 + i % 120 FROM n
      """
    )
  }
}

/// The programs that were built with this test.
enum BuiltProgram {
  /// The path of a program; a full path stays as it is.
  static func path(_ name: String) throws(WebTestFailure) -> String {
    guard !name.hasPrefix("/") else { return name }
    for beginning in [CommandLine.arguments.first ?? "", Bundle.main.bundlePath] {
      var folder = URL(fileURLWithPath: beginning).standardizedFileURL
      while folder.path != "/" {
        let file = folder.appendingPathComponent(name).path
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: file, isDirectory: &isFolder),
          !isFolder.boolValue,
          FileManager.default.isExecutableFile(atPath: file)
        {
          return file
        }
        folder.deleteLastPathComponent()
      }
    }
    throw WebTestFailure("no program \(name) beside the tests; build it first")
  }
}

/// The `sqlite3` shell over a store: another process that commits, and knows nothing of lists.
final class SQLiteWriter {
  private let shell: ChildProcess
  private var number = 0

  init(_ folder: WebFolder, _ store: String = "b.sqlite") throws {
    shell = try ChildProcess(
      ["/usr/bin/sqlite3", "-batch", store],
      environment: folder.environment,
      folder: folder.path
    )
    try shell.write(Array(".timeout 20000\nPRAGMA synchronous = OFF;\n".utf8))
  }

  /// Runs statements, and waits until they are committed; each is a transaction of its own unless it is in one.
  /// - Returns: The lines that they print.
  /// - Throws: `WebTestFailure` for a statement that failed.
  @discardableResult
  func run(_ statements: String, by deadline: Deadline = Deadline()) throws -> [String] {
    number += 1
    var lines: [String] = []
    try shell.write(Array("\(statements);\nSELECT 'done \(number)';\n".utf8), by: deadline)
    while let line = try shell.line(by: deadline) {
      if line == "done \(number)" { return lines }
      lines.append(line)
    }
    let errors = try shell.finish().texts
    throw WebTestFailure("sqlite3: \(statements): \(errors)")
  }
}

/// A built program that serves its list on a port that was free.
final class ServedProgram {
  let folder: WebFolder
  let process: ChildProcess
  /// The program's name.
  let program: String
  /// The file of its store.
  let store: String
  /// The port.
  let port: Int
  /// The token that the printed address has.
  let token: String

  /// Starts a program, and waits until it listens.
  init(
    _ program: String = "book-catalog",
    in folder: WebFolder,
    store: String = "b.sqlite",
    port: Int = 0,
    arguments: [String]? = nil,
    options: [String] = []
  ) throws {
    (self.folder, self.program, self.store) = (folder, program, store)
    process = try folder.start(
      program,
      ["serve", "--port", "\(port)"] + (arguments ?? ["--store", store]) + options
    )
    guard let line = try process.line(),
      let match = try /http:\/\/127\.0\.0\.1:([0-9]+)\/open\?token=(\S+)/.firstMatch(in: line),
      let port = Int(try /listening on port ([0-9]+)/.firstMatch(in: line)?.1 ?? match.1)
    else {
      throw WebTestFailure("\(program) does not serve: \(try process.finish())")
    }
    (self.port, token) = (port, String(match.2))
  }

  /// The list that the program prints, in a process of its own.
  func list(_ options: [String] = []) throws -> ListedRows {
    let process = try folder.start(
      program,
      ["list", "--format", "json", "--store", store] + options
    )
    let (status, texts) = try process.finish()
    guard status == 0 else { throw WebTestFailure("list \(options): \(texts)") }
    return try ListedRows(texts[0])
  }

  /// The value of a figure of the server.
  func figure(_ name: String) throws -> Int {
    let answer = try WebRequest("GET", "/metrics", bearer: token).answer(from: port)
    let line = answer.text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
    guard let line, let value = Int(line.dropFirst(name.count + 1)) else {
      throw WebTestFailure("no figure \(name): \(answer.text)")
    }
    return value
  }

  /// Whether the server lives, and says so.
  var isHealthy: Bool {
    get throws {
      let answer = try WebRequest("GET", "/health").answer(from: port)
      return answer.status == 200 && answer.text == "ok\n"
    }
  }

  /// The threads of the server's process.
  var threadCount: Int {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.identifier)/task").count
    }
  }
}
#endif
