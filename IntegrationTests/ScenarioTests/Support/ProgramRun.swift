import Foundation
import Testing

/// What a program left behind.
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

/// A folder of its own in which programs are run, with an environment in which nothing is left to chance.
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
    at place: SourceLocation = #_sourceLocation
  ) throws -> ProgramResult {
    let result = try run(program, arguments, input: input)
    #expect(result.status == status, "\(result)", sourceLocation: place)
    return result
  }
}
