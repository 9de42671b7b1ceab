import ResultsStoreKit
import Foundation

/// A program that runs in a terminal of its own, whose keys and screen this process holds.
///
/// Time is measured here: from the write of a key to the last byte of what it paints.
final class PseudoTerminal {
  /// What a program painted.
  struct Painting {
    /// The number of bytes.
    var byteCount = 0
    /// The number of separate writes, as far as they can be distinguished.
    var burstCount = 0
    /// When the first byte came, and when the last.
    var first: ContinuousClock.Instant?
    var last: ContinuousClock.Instant?
    /// The text, escape sequences included.
    var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  private let controller: Int32
  private let process: pid_t
  private var hasEnded = false

  /// Starts a program on a terminal of 80 columns and 24 lines.
  /// - Throws: `BenchmarkError.program` if there is no terminal, or the program does not start.
  init(_ program: String, _ arguments: [String], environment: [String: String]) throws {
    let (controller, name) = try PseudoTerminal.open()
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(controller, UInt(TIOCSWINSZ), &size)
    _ = fcntl(controller, F_SETFD, FD_CLOEXEC)
    self.controller = controller
    process = try PseudoTerminal.spawn([program] + arguments, environment, on: name)
  }

  deinit {
    if !hasEnded {
      kill(process, SIGKILL)
      var status: Int32 = 0
      waitpid(process, &status, 0)
    }
    close(controller)
  }

  // MARK: - Keys and screens

  /// Presses keys.
  func press(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = write(controller, bytes, bytes.count)
  }

  /// Reads what the program paints until it has been quiet for some time.
  /// - Parameters:
  ///   - quiet: The time without output after which a painting is complete.
  ///   - limit: The longest time to wait for the first byte.
  /// - Returns: What was painted.
  func painting(quiet: Duration = .milliseconds(60), limit: Duration = .seconds(2)) -> Painting {
    var painting = Painting()
    let start = ContinuousClock.now
    while true {
      let wait = painting.last == nil ? limit - (ContinuousClock.now - start) : quiet
      guard wait > .zero, let bytes = read(atMost: wait) else { return painting }
      add(bytes, to: &painting)
    }
  }

  /// Reads what the program paints until it contains one of some texts.
  /// - Returns: The painting, or `nil` if no text comes in time or the program ends.
  func painting(containing texts: [String], limit: Duration) -> Painting? {
    var painting = Painting()
    let start = ContinuousClock.now
    let wanted = texts.map { Array($0.utf8) }
    let longest = wanted.map(\.count).max() ?? 0
    while true {
      let rest = limit - (ContinuousClock.now - start)
      guard rest > .zero, let bytes = read(atMost: rest) else { return nil }
      let seen = max(0, painting.bytes.count - longest)
      add(bytes, to: &painting)
      if wanted.contains(where: { painting.bytes[seen...].contains($0) }) { return painting }
    }
  }

  /// Reads all output of a span of time.
  /// - Returns: What was painted.
  func painting(during span: Duration) -> Painting {
    var painting = Painting()
    let end = ContinuousClock.now + span
    while case let rest = end - ContinuousClock.now, rest > .zero {
      if let bytes = read(atMost: rest) { add(bytes, to: &painting) }
    }
    return painting
  }

  private func add(_ bytes: [UInt8], to painting: inout Painting) {
    let now = ContinuousClock.now
    // What one frame writes arrives within a moment; two frames are further apart.
    if painting.last.map({ now - $0 > .milliseconds(4) }) ?? true { painting.burstCount += 1 }
    if painting.first == nil { painting.first = now }
    painting.last = now
    painting.byteCount += bytes.count
    painting.bytes += bytes
  }

  private func read(atMost limit: Duration) -> [UInt8]? {
    var ready = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
    let milliseconds = Int32(max(1, (limit.microseconds / 1000).rounded(.up)))
    guard poll(&ready, 1, milliseconds) > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = Foundation.read(controller, &bytes, bytes.count)
    // The end of the program is an error on Linux.
    return count > 0 ? Array(bytes[..<count]) : nil
  }

  // MARK: - The process

  /// The peak memory of the program so far in kilobytes, on systems that report it.
  var peakKilobytes: Double? { ChildProgram.peak(of: process) }

  /// Presses a key that ends the program, reads what is left of its output, and waits for its end.
  /// - Returns: The peak memory of the program in kilobytes.
  /// - Throws: `BenchmarkError.program` if it ends with another status than 0.
  @discardableResult
  func end(by key: String = "q", _ program: String) throws -> Double {
    press(key)
    while painting(quiet: .milliseconds(20), limit: .seconds(5)).byteCount > 0 {}
    var (status, usage): (Int32, rusage) = (0, rusage())
    wait4(process, &status, 0, &usage)
    hasEnded = true
    guard status == 0 else {
      throw BenchmarkError.program(program, status: status & 0x7F == 0 ? status >> 8 : 70)
    }
    #if canImport(Darwin)
    return Double(usage.ru_maxrss) / 1024
    #else
    return Double(usage.ru_maxrss)
    #endif
  }

  private static func open() throws -> (controller: Int32, name: String) {
    let missing = BenchmarkError.program("a pseudo-terminal", status: 71)
    #if os(Linux)
    // What posix_openpt, unlockpt and ptsname do, which the platform's module leaves out (man 4 pts).
    let controller = Foundation.open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var (locked, number): (Int32, Int32) = (0, 0)
    guard controller >= 0, ioctl(controller, UInt(TIOCSPTLCK), &locked) == 0,
      ioctl(controller, UInt(TIOCGPTN), &number) == 0
    else { throw missing }
    return (controller, "/dev/pts/\(number)")
    #else
    let controller = posix_openpt(O_RDWR | O_NOCTTY)
    guard controller >= 0, grantpt(controller) == 0, unlockpt(controller) == 0,
      let name = ptsname(controller)
    else { throw missing }
    return (controller, String(cString: name))
    #endif
  }

  private static func spawn(
    _ command: [String],
    _ environment: [String: String],
    on terminal: String
  ) throws -> pid_t {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    // The first terminal that the leader of a session opens is the one that controls it.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSID))
    posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var arguments = command.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, command[0], &actions, &attributes, &arguments, &variables)
    guard code == 0 else { throw BenchmarkError.program(command[0], status: 71) }
    return process
  }
}

#if os(Linux)
/// The requests of a Linux terminal (asm-generic/ioctls.h), which the platform's module leaves out.
private let TIOCSPTLCK = 0x4004_5431
private let TIOCGPTN = 0x8004_5430
/// The flag that makes a program the leader of a session of its own (spawn.h of glibc and musl).
private let POSIX_SPAWN_SETSID = 0x80
#endif

extension [UInt8].SubSequence {
  fileprivate func contains(_ wanted: [UInt8]) -> Bool {
    guard let first = wanted.first, count >= wanted.count else { return false }
    var start = startIndex
    while let found = self[start...].firstIndex(of: first) {
      guard endIndex - found >= wanted.count else { return false }
      if self[found..<(found + wanted.count)].elementsEqual(wanted) { return true }
      start = found + 1
    }
    return false
  }
}
