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

// MARK: - This process

/// What the system tells of this process.
enum ProcessFigures {
  /// Memory that a process has, in bytes.
  struct Memory {
    /// All that is in memory, pages of files included.
    var resident: Double
    /// What is the process's own: no pages of files.
    var own: Double
  }

  /// The memory now, where the system tells in `/proc/self/statm`; `nil` elsewhere.
  static var memory: Memory? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return nil
    }
    let pages = text.split(separator: " ").compactMap { Double($0) }
    guard pages.count > 2 else { return nil }
    let size = Double(sysconf(Int32(_SC_PAGESIZE)))
    return Memory(resident: pages[1] * size, own: (pages[1] - pages[2]) * size)
  }

  /// The processor time that all threads of this process have used, in microseconds.
  static var processorMicroseconds: Double {
    var now = timespec()
    guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0 else { return 0 }
    return Double(now.tv_sec) * 1e6 + Double(now.tv_nsec) / 1000
  }

  /// Makes the system forget what it keeps of files in memory.
  /// - Returns: Whether it was asked to; some systems cannot be asked.
  static func dropFromMemory(_ paths: [String]) -> Bool {
    #if os(Linux)
    for path in paths {
      let file = open(path, O_RDONLY)
      guard file >= 0 else { continue }
      // Pages that are not written yet would stay.
      fsync(file)
      posix_fadvise(file, 0, 0, Int32(POSIX_FADV_DONTNEED))
      close(file)
    }
    return true
    #else
    return false
    #endif
  }

  /// The path of this program's own file.
  static var program: String {
    let link = "/proc/self/exe"
    if let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link) { return path }
    return Bundle.main.executablePath ?? CommandLine.arguments[0]
  }
}
