import Foundation

/// Another program, run from its start to its end.
struct ChildProgram {
  /// What one run took.
  struct Run {
    /// Microseconds until the first output.
    var firstOutput: Double
    /// Microseconds until the end.
    var whole: Double
    /// The most memory it had at once in kilobytes, where the system tells.
    var memory: Double?
  }

  private let path: String

  init(_ path: String) { self.path = path }

  /// Runs the program and drops its output.
  func run(_ arguments: String...) throws -> Run {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    let start = ContinuousClock.now
    try process.run()
    let reading = output.fileHandleForReading
    var firstOutput: Double?
    var memory: Double?
    while case let bytes = reading.availableData, !bytes.isEmpty {
      if firstOutput == nil { firstOutput = (ContinuousClock.now - start).microseconds }
      // The last look falls when little more than a pipe's buffer is left to print.
      memory = ChildProgram.peak(of: process.processIdentifier) ?? memory
    }
    process.waitUntilExit()
    let whole = (ContinuousClock.now - start).microseconds
    // Status 1 means that single lines were skipped.
    guard process.terminationStatus <= 1 else {
      throw BenchmarkError.program(path, status: process.terminationStatus)
    }
    return Run(firstOutput: firstOutput ?? whole, whole: whole, memory: memory)
  }

  /// Runs the program and gives what it printed.
  func output(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchmarkError.program(path, status: process.terminationStatus)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The most memory a process had so far, as Linux tells it.
  private static func peak(of process: Int32) -> Double? {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    else { return nil }
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap {
      Double($0)
    }
  }
}
