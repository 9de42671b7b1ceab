#if Web
import Foundation

/// The moment up to which a test waits for something.
struct Deadline {
  private let instant: ContinuousClock.Instant

  /// A deadline that many seconds from now.
  init(_ seconds: Double = 30) { instant = .now.advanced(by: .seconds(seconds)) }

  /// Whether nothing more is waited for.
  var hasPassed: Bool { ContinuousClock.now >= instant }

  /// The time that is left, as `poll` takes it.
  var milliseconds: Int32 {
    let rest = ContinuousClock.now.duration(to: instant) / .milliseconds(1)
    return Int32(clamping: Int(max(0, rest.rounded(.up))))
  }

  /// Waits until a descriptor is ready.
  /// - Throws: `WebTestFailure` if it is not in time.
  func wait(for events: Int32, on descriptor: Int32) throws(WebTestFailure) {
    var polled = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    while true {
      let count = poll(&polled, 1, milliseconds)
      if count > 0 { return }
      guard count < 0, errno == EINTR else {
        throw WebTestFailure(count == 0 ? "nothing came in time" : "poll failed: \(errno)")
      }
    }
  }
}

/// What a test could not do.
struct WebTestFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Asks again and again until a condition holds; each question is answered by another process, so it takes its time.
func wait(
  _ seconds: Double = 30,
  for what: String,
  until holds: () throws -> Bool
) throws {
  let deadline = Deadline(seconds)
  while try !holds() {
    guard !deadline.hasPassed else { throw WebTestFailure("not in time: \(what)") }
  }
}

/// Bytes that arrive at a descriptor, with a limit of time for each wait.
struct ByteInput {
  /// The descriptor.
  let descriptor: Int32
  /// The bytes that have arrived and were not taken yet.
  private(set) var bytes: ArraySlice<UInt8> = []
  /// Whether the other end is closed.
  private(set) var isAtEnd = false
  /// The system's number for the reason why nothing more can be read, or 0 at an orderly end.
  private(set) var reason: Int32 = 0

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Reads what has arrived; waits if nothing has.
  /// - Returns: Whether there was anything, which is not so at the end.
  @discardableResult
  mutating func fill(by deadline: Deadline) throws(WebTestFailure) -> Bool {
    guard !isAtEnd else { return false }
    try deadline.wait(for: POLLIN, on: descriptor)
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &chunk, chunk.count)
    guard count > 0 else {
      if count < 0 { reason = errno }
      isAtEnd = true
      return false
    }
    bytes = ArraySlice(bytes + chunk[..<count])
    return true
  }

  /// Takes the bytes up to an end, which is taken too, or `nil` if the input ends before it.
  mutating func take(upTo end: [UInt8], by deadline: Deadline) throws(WebTestFailure) -> [UInt8]? {
    var searched = 0
    while true {
      if let index = bytes.firstIndex(of: end, from: bytes.startIndex + searched) {
        defer { bytes = bytes[(index + end.count)...] }
        return Array(bytes[..<index])
      }
      searched = max(0, bytes.count - end.count)
      guard try fill(by: deadline) else { return nil }
    }
  }

  /// Takes a line without its end; at the end of the input what is left, or `nil` if nothing is.
  mutating func takeLine(by deadline: Deadline) throws(WebTestFailure) -> String? {
    if let line = try take(upTo: [0x0A], by: deadline) {
      return String(decoding: line, as: UTF8.self)
    }
    return bytes.isEmpty ? nil : String(decoding: takeAll(), as: UTF8.self)
  }

  /// Takes a number of bytes.
  /// - Throws: `WebTestFailure` if the input ends before.
  mutating func take(_ count: Int, by deadline: Deadline) throws(WebTestFailure) -> [UInt8] {
    while bytes.count < count {
      guard try fill(by: deadline) else { throw WebTestFailure("the input ends too early") }
    }
    defer { bytes = bytes.dropFirst(count) }
    return Array(bytes.prefix(count))
  }

  /// Takes all that has arrived.
  mutating func takeAll() -> [UInt8] {
    defer { bytes = [] }
    return Array(bytes)
  }
}

extension ArraySlice<UInt8> {
  /// The first index at which a sequence of bytes begins.
  fileprivate func firstIndex(of sequence: [UInt8], from start: Int) -> Int? {
    guard let first = sequence.first, count >= sequence.count else { return nil }
    var index = start
    while let found = self[index...].firstIndex(of: first) {
      guard found + sequence.count <= endIndex else { return nil }
      if self[found..<found + sequence.count].elementsEqual(sequence) { return found }
      index = found + 1
    }
    return nil
  }
}
#endif
