import ResultsStoreKit
import Foundation
import Testing

/// The output and the exit status of a program.
struct ProgramResult: CustomStringConvertible {
  let command: String
  /// The exit status; 128 and the signal for a program that was killed.
  let status: Int32
  let output: String
  let errors: String

  /// The lines of standard output.
  var lines: [String] { output.split(separator: "\n").map(String.init) }

  var description: String {
    "\(command): status \(status)\n--- output\n\(output)--- errors\n\(errors)"
  }
}

/// A temporary folder in which programs run, with a fixed environment.
final class ProgramRun {
  /// The folder's path; it is removed with the object.
  let folder: String
  /// The variables that programs see.
  var environment: [String: String]

  init() throws {
    folder = NSTemporaryDirectory() + "scenario-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    environment = ["HOME": folder, "LANG": "C", "TZ": "UTC", "PATH": "/usr/bin:/bin"]
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// The path of a file in the folder.
  func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Writes a file into the folder.
  /// - Returns: Its path.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }

  /// Reads a file of the folder.
  func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: path(name))), as: UTF8.self)
  }

  /// Starts a program.
  func start(_ program: String, _ arguments: String...) throws -> RunningProgram {
    try RunningProgram(program, arguments, environment: environment, folder: folder)
  }

  /// Runs a program to its end.
  func run(_ program: String, _ arguments: [String], input: String = "") throws -> ProgramResult {
    let running = try RunningProgram(
      program,
      arguments,
      environment: environment,
      folder: folder
    )
    try running.write(input)
    return try running.finish()
  }

  /// Runs a program to its end, and expects a status.
  @discardableResult
  func run(
    _ program: String,
    _ arguments: String...,
    input: String = "",
    expecting status: Int32 = 0,
    at location: SourceLocation = #_sourceLocation
  ) throws -> ProgramResult {
    let result = try run(program, arguments, input: input)
    #expect(result.status == status, "\(result)", sourceLocation: location)
    return result
  }
}

/// The paths of the built programs and of the fixtures.
enum ProgramFolder {
  /// The error for a missing program.
  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  /// The path of a program that was built with this test; a full path stays as it is.
  static func executable(_ name: String) throws -> String {
    guard !name.hasPrefix("/") else { return name }
    let beginnings = [CommandLine.arguments.first ?? "", Bundle.main.bundlePath]
    for beginning in beginnings where !beginning.isEmpty {
      var folder = URL(fileURLWithPath: beginning).standardizedFileURL
      while folder.path != "/" {
        let file = folder.appendingPathComponent(name)
        if FileManager.default.isExecutableFile(atPath: file.path), !isFolder(file) {
          return file.path
        }
        folder.deleteLastPathComponent()
      }
    }
    throw Missing(description: "no program \(name) beside \(beginnings); build it first")
  }

  /// The path of a file in the folder `Fixtures`.
  static func fixture(_ path: String) -> String {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    return root.appendingPathComponent("Fixtures").appendingPathComponent(path).path
  }

  private static func isFolder(_ file: URL) -> Bool {
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder)
    return exists && isFolder.boolValue
  }
}
