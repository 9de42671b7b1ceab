import EventLog
import Foundation
import ProgramFrontEnd
import ResultsDomain
import Synchronization

/// Events of the lines of the input: what has arrived is stored in one commit, at most a thousand lines.
///
/// The lock guards the count and whether the end was asked for; nothing waits while it is held.
final class EventPipe: Sendable {
  private struct State {
    var count = 0
    var isEnding = false
  }

  private let manager: StoreManager
  private let reader: EventReader
  private let state = Mutex(State())

  /// The most lines of a commit.
  private static let most = 1000
  /// The bytes that are read at once.
  private static let chunk = 1 << 18
  /// How often it is looked whether the end was asked for, in milliseconds.
  private static let patience: Int32 = 200

  /// Creates a pipe.
  /// - Parameters:
  ///   - manager: The manager of the events.
  ///   - reader: Makes events of the lines.
  init(manager: StoreManager, reader: EventReader) {
    (self.manager, self.reader) = (manager, reader)
  }

  /// The number of events that are stored.
  var count: Int { state.withLock { $0.count } }

  /// Asks for the end: what has arrived is stored.
  func end() { state.withLock { $0.isEnding = true } }

  /// Stores lines until the input ends.
  /// - Throws: `StoreError`, and `CommandFailure` for an input that cannot be read; the lines of earlier commits are stored.
  func run() throws {
    var lines = LineBuffer()
    var buffer = [UInt8](repeating: 0, count: Self.chunk)
    while true {
      var wait = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      guard poll(&wait, 1, Self.patience) > 0 else {
        if state.withLock({ $0.isEnding }) { break }
        continue
      }
      let read = read(STDIN_FILENO, &buffer, buffer.count)
      if read < 0, errno == EINTR || errno == EAGAIN { continue }
      guard read >= 0 else {
        throw CommandFailure(
          .inputOutput,
          "The input cannot be read: \(String(cString: strerror(errno))).",
          remedy: "What was read before is stored."
        )
      }
      guard read > 0 else { break }
      try store(lines.take(buffer[..<read]))
    }
    if let rest = lines.takeRest() { try store([rest]) }
  }

  private func store(_ all: [LogLine]) throws {
    let lines = all.filter { !$0.isEmpty }
    for start in stride(from: 0, to: lines.count, by: Self.most) {
      let part = lines[start..<min(start + Self.most, lines.count)]
      for line in part { manager.new(reader.event(of: line)) }
      try manager.save()
      state.withLock { $0.count += part.count }
    }
  }
}
