import Foundation

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
