import Foundation

/// Another program, run from start to exit.
struct ChildProgram {
  /// The figures of a run.
  struct Run {
    /// Microseconds until the first output.
    var firstOutput: Double
    /// Microseconds until the exit.
    var whole: Double
    /// The peak memory in kilobytes, on systems that report it.
    var memory: Double?
  }

  private let path: String

  init(_ path: String) { self.path = path }

  /// Runs the program and discards its output.
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
    let handle = output.fileHandleForReading
    var firstOutput: Double?
    var memory: Double?
    while case let bytes = handle.availableData, !bytes.isEmpty {
      if firstOutput == nil { firstOutput = (ContinuousClock.now - start).microseconds }
      // The last sample is taken when at most a pipe's buffer of output remains.
      memory = ChildProgram.peak(of: process.processIdentifier) ?? memory
    }
    process.waitUntilExit()
    let whole = (ContinuousClock.now - start).microseconds
    // Status 1 means that some lines were skipped.
    guard process.terminationStatus <= 1 else {
      throw BenchmarkError.program(path, status: process.terminationStatus)
    }
    return Run(firstOutput: firstOutput ?? whole, whole: whole, memory: memory)
  }

  /// Runs the program and returns its output.
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

  /// Returns the peak memory of a process so far, on Linux.
  static func peak(of process: Int32) -> Double? {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    else { return nil }
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap {
      Double($0)
    }
  }
}

// MARK: - This process

/// The figures of this process.
enum ProcessFigures {
  /// The memory of a process in bytes.
  struct Memory {
    /// The resident memory, including pages of files.
    var resident: Double
    /// The resident memory without pages of files.
    var privateBytes: Double
  }

  /// The present memory, or `nil` on systems without `/proc/self/statm`.
  static var memory: Memory? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return nil
    }
    let pages = text.split(separator: " ").compactMap { Double($0) }
    guard pages.count > 2 else { return nil }
    let size = Double(sysconf(Int32(_SC_PAGESIZE)))
    return Memory(resident: pages[1] * size, privateBytes: (pages[1] - pages[2]) * size)
  }

  /// The processor time of all threads of this process in microseconds.
  static var processorMicroseconds: Double { microseconds(CLOCK_PROCESS_CPUTIME_ID) }

  /// The processor time of the current thread in microseconds.
  static var threadMicroseconds: Double { microseconds(CLOCK_THREAD_CPUTIME_ID) }

  private static func microseconds(_ clock: clockid_t) -> Double {
    var now = timespec()
    guard clock_gettime(clock, &now) == 0 else { return 0 }
    return Double(now.tv_sec) * 1e6 + Double(now.tv_nsec) / 1000
  }

  /// Drops files from the page cache of the system.
  /// - Returns: Whether the system supports it.
  static func dropFromPageCache(_ paths: [String]) -> Bool {
    #if os(Linux)
    for path in paths {
      let file = open(path, O_RDONLY)
      guard file >= 0 else { continue }
      // Dirty pages would stay.
      fsync(file)
      posix_fadvise(file, 0, 0, Int32(POSIX_FADV_DONTNEED))
      close(file)
    }
    return true
    #else
    return false
    #endif
  }

  /// The path of the executable file of this process.
  static var program: String {
    let link = "/proc/self/exe"
    if let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link) { return path }
    return Bundle.main.executablePath ?? CommandLine.arguments[0]
  }
}
