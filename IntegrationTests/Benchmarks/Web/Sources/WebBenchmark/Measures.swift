import Foundation

/// The reason why a figure could not be measured, or was measured on a wrong result.
struct BenchmarkFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The clocks of this machine, in nanoseconds.
enum Clock {
  static var monotonic: UInt64 { read(CLOCK_MONOTONIC) }
  /// Since 1970, as a page reads it too.
  static var wall: UInt64 { read(CLOCK_REALTIME) }

  private static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Waits until a moment of the monotonic clock.
  static func sleep(until moment: UInt64) {
    let now = monotonic
    if moment > now { Thread.sleep(forTimeInterval: Double(moment - now) / 1e9) }
  }
}

/// Waits until a condition holds.
/// - Throws: `BenchmarkFailure` if it does not in time.
func wait(_ failure: String, _ seconds: Double, until condition: () throws -> Bool) throws {
  let end = Clock.monotonic + UInt64(seconds * 1e9)
  while try !condition() {
    guard Clock.monotonic < end else { throw BenchmarkFailure("\(failure) after \(seconds) s") }
    Thread.sleep(forTimeInterval: 0.005)
  }
}

/// Times in steps of 0.05 ms, however many they are.
struct Latencies {
  private static let step: UInt64 = 50_000
  private var counts = [Int](repeating: 0, count: 200_000)
  private(set) var count = 0
  private(set) var most = 0.0

  /// Adds a time in nanoseconds.
  mutating func add(_ time: UInt64) {
    counts[min(Int(time / Latencies.step), counts.count - 1)] += 1
    count += 1
    most = max(most, Double(time) / 1e6)
  }

  /// Adds a time in milliseconds.
  mutating func add(milliseconds: Double) { add(UInt64(max(0, milliseconds) * 1e6)) }

  /// The time in milliseconds below which a part of all times lies.
  func percentile(_ part: Double) -> Double {
    let wanted = Int((Double(count) * part).rounded(.up))
    var sum = 0
    for (index, number) in counts.enumerated() {
      sum += number
      if sum >= wanted, sum > 0 { return Double(index + 1) * Double(Latencies.step) / 1e6 }
    }
    return 0
  }
}

/// Searches in bytes.
enum Bytes {
  static func index(of text: StaticString, in bytes: [UInt8]) -> Int? {
    let count = text.utf8CodeUnitCount
    return bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, bytes.count >= count else { return nil }
      var index = 0
      while let found = memchr(
        start + index,
        Int32(text.utf8Start[0]),
        bytes.count - count + 1 - index
      ) {
        if memcmp(found, text.utf8Start, count) == 0 { return UnsafeRawPointer(found) - start }
        index = UnsafeRawPointer(found) - start + 1
      }
      return nil
    }
  }

  static func contains(_ bytes: [UInt8], _ text: StaticString) -> Bool {
    index(of: text, in: bytes) != nil
  }

  /// The number of the commit whose title an event shows.
  static func tick(in bytes: [UInt8]) -> Int? {
    guard let start = index(of: "tick ", in: bytes) else { return nil }
    var number = 0
    for byte in bytes[(start + 5)...] {
      guard (0x30...0x39).contains(byte) else { break }
      number = number * 10 + Int(byte - 0x30)
    }
    return number
  }
}

/// What a process has used, and what the machine is doing.
enum Machine {
  /// The resident memory of a process, in bytes.
  static func memory(of process: pid_t) throws -> Int {
    let pages = try text("/proc/\(process)/statm").split(separator: " ")
    guard pages.count > 1, let resident = Int(pages[1]) else {
      throw BenchmarkFailure("no memory of process \(process)")
    }
    return resident * Int(getpagesize())
  }

  /// The processor time of a process, in seconds.
  static func processor(of process: pid_t) throws -> Double {
    let text = try text("/proc/\(process)/stat")
    // The name may hold spaces; it ends with the last parenthesis.
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
      throw BenchmarkFailure("no times of process \(process)")
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// The load of the last minute.
  static var load: Double {
    var loads = [0.0, 0, 0]
    return getloadavg(&loads, 3) > 0 ? loads[0] : 0
  }

  private static func text(_ path: String) throws -> String {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw BenchmarkFailure("\(path) cannot be read: these figures need Linux")
    }
    return String(decoding: data, as: UTF8.self)
  }
}

/// One row of the table that is printed.
struct Figure {
  /// A limit, and whether the number must be below it or above.
  enum Limit {
    case atMost(Double)
    case atLeast(Double)
    case none
  }

  var name: String
  var value: Double
  var unit: String
  var limit = Limit.none
  var reference: Double?

  private static func text(_ number: Double) -> String {
    number >= 100 ? String(Int(number.rounded())) : String(format: "%.1f", number)
  }

  /// The columns of the table.
  var columns: [String] {
    let (limit, verdict) =
      switch limit {
      case .atMost(let most): ("≤ \(Figure.text(most))", value <= most ? "ok" : "MISSED")
      case .atLeast(let least): ("≥ \(Figure.text(least))", value >= least ? "ok" : "MISSED")
      case .none: ("", "")
      }
    return [
      name, "\(Figure.text(value)) \(unit)", limit, verdict,
      reference.map { Figure.text($0) } ?? "",
      reference.map { $0 > 0 ? String(format: "%.1f", value / $0) : "" } ?? "",
    ]
  }

  /// A table of figures, with a line of titles.
  static func table(_ figures: [Figure]) -> String {
    let titles = ["", "measured", "limit", "", "bare NIO", "ratio"]
    let rows = [titles] + figures.map(\.columns)
    let widths = titles.indices.map { column in
      rows.map { $0[column].unicodeScalars.count }.max() ?? 0
    }
    return rows.map { row in
      row.enumerated().map { column, text in
        let space = String(
          repeating: " ",
          count: widths[column] - text.unicodeScalars.count
        )
        return column == 0 || column == 3 ? text + space : space + text
      }
      .joined(separator: "  ")
    }
    .joined(separator: "\n")
  }
}
