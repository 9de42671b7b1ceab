import ResultsStoreKit
import Foundation
import Testing

/// The benchmark that was built with this test, run in a temporary folder with a fixed environment.
final class BenchmarkProgram {
  /// The output and the exit status of a run.
  struct Result: CustomStringConvertible {
    let command: String
    let status: Int32
    let output: String
    let errors: String

    /// The lines of standard output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    var description: String {
      "\(command): status \(status)\n--- output\n\(output)--- errors\n\(errors)"
    }
  }

  /// The error for a program that is not built.
  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  /// The folder in which the program runs and makes its files; it is removed with the object.
  let folder: String
  private let streams: String

  init() throws {
    let own = NSTemporaryDirectory() + "benchmark-" + UUID().uuidString
    (folder, streams) = (own + "/run", own + "/streams")
    for path in [folder, streams] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
  }

  deinit {
    try? FileManager.default.removeItem(
      at: URL(fileURLWithPath: folder).deletingLastPathComponent()
    )
  }

  /// The names of the files in the folder.
  var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder) }
  }

  /// The path of a file in the folder.
  func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Writes a file into the folder.
  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
  }

  /// Reads a file of the folder.
  func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: path(name))), as: UTF8.self)
  }

  /// Runs the benchmark to its end, and expects that it succeeds.
  @discardableResult
  func run(
    _ arguments: String...,
    at location: SourceLocation = #_sourceLocation
  ) throws -> Result {
    let result = try run(arguments)
    #expect(result.status == 0, "\(result)", sourceLocation: location)
    return result
  }

  /// Runs the benchmark to its end.
  func run(_ arguments: [String]) throws -> Result {
    try run(arguments, of: URL(fileURLWithPath: try Self.executable))
  }

  /// Runs the benchmark in a shell, where `"$0"` is its path.
  func run(script: String) throws -> Result {
    try run(["-c", script, try Self.executable], of: URL(fileURLWithPath: "/bin/sh"))
  }

  private func run(_ arguments: [String], of executable: URL) throws -> Result {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = [
      "HOME": folder, "TMPDIR": folder, "LANG": "C", "TZ": "UTC", "PATH": "/usr/bin:/bin",
    ]
    let (output, errors) = (try stream("output"), try stream("errors"))
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    process.waitUntilExit()
    let wasKilled = process.terminationReason == .uncaughtSignal
    return Result(
      command: arguments.joined(separator: " "),
      status: process.terminationStatus + (wasKilled ? 128 : 0),
      output: try text(of: "output"),
      errors: try text(of: "errors")
    )
  }

  private func stream(_ name: String) throws -> FileHandle {
    let path = "\(streams)/\(name)"
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  }

  private func text(of name: String) throws -> String {
    String(
      decoding: try Data(contentsOf: URL(fileURLWithPath: "\(streams)/\(name)")),
      as: UTF8.self
    )
  }

  /// The path of the program, which lies in the folder of this test's bundle or above it.
  private static var executable: String {
    get throws {
      let beginnings = [CommandLine.arguments.first ?? "", Bundle.main.bundlePath]
      for beginning in beginnings where !beginning.isEmpty {
        var folder = URL(fileURLWithPath: beginning).standardizedFileURL
        while folder.path != "/" {
          folder.deleteLastPathComponent()
          let file = folder.appendingPathComponent("results-benchmark").path
          if FileManager.default.isExecutableFile(atPath: file) { return file }
        }
      }
      throw Missing(description: "no results-benchmark beside \(beginnings); build it first")
    }
  }
}
