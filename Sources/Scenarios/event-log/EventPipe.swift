import EventLog
import Foundation
import ProgramFrontEnd
import ResultsDomain
import Synchronization
import WireFormat

/// Events of the lines of the input: what has arrived is stored in one commit, at most a thousand lines.
///
/// The lock guards the count and whether the end was asked for; nothing waits while it is held.
final class EventPipe: Sendable {
  private struct State {
    var count = 0
    var isEnding = false
  }

  private let manager: StoreManager
  private let members: [EventMember]
  private let state = Mutex(State())

  /// The most lines of a commit.
  private static let most = 1000
  /// The bytes that are read at once.
  private static let chunk = 1 << 18
  /// The most bytes of a line; a longer one is several events.
  private static let longestLine = 1 << 20
  /// How often it is looked whether the end was asked for, in milliseconds.
  private static let patience: Int32 = 200

  /// Creates a pipe.
  /// - Parameters:
  ///   - manager: The manager of the events.
  ///   - members: Values for lines that do not say them.
  init(manager: StoreManager, members: [EventMember]) {
    (self.manager, self.members) = (manager, members)
  }

  /// The number of events that are stored.
  var count: Int { state.withLock { $0.count } }

  /// Asks for the end: what has arrived is stored.
  func end() { state.withLock { $0.isEnding = true } }

  /// Stores lines until the input ends.
  /// - Throws: `StoreError`, and `CommandFailure` for an input that cannot be read; the lines of earlier commits are stored.
  func run() throws {
    var rest: [UInt8] = []
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
      rest += buffer[..<read]
      guard let end = rest.lastIndex(of: 0x0A) else {
        guard rest.count > Self.longestLine else { continue }
        try store([rest[...]])
        rest = []
        continue
      }
      try store(rest[..<end].split(separator: 0x0A))
      rest.removeSubrange(...end)
    }
    if !rest.isEmpty { try store([rest[...]]) }
  }

  private func store(_ lines: [ArraySlice<UInt8>]) throws {
    for start in stride(from: 0, to: lines.count, by: Self.most) {
      let part = lines[start..<min(start + Self.most, lines.count)]
      for line in part { manager.new(event(of: line)) }
      try manager.save()
      state.withLock { $0.count += part.count }
    }
  }

  /// The event of a line, with the values that hold for all lines where it says none.
  private func event(of line: ArraySlice<UInt8>) -> Event {
    if line.first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: "{"),
      case .object(let found)? = try? JSONValue(parsing: Array(line))
    {
      return Event(members: found.map(Self.member) + members, at: .now)
    }
    var event = Event(line: String(decoding: line, as: UTF8.self), at: .now)
    let given = Event(members: members, at: event.timeStamp)
    (event.level, event.source, event.fields) = (given.level, given.source, given.fields)
    return event
  }

  private static func member(_ member: JSONValue.Member) -> EventMember {
    let text: String? =
      switch member.value {
      case .string(let text), .number(let text): text
      case .null, .boolean, .array, .object: nil
      }
    return EventMember(
      name: member.name,
      text: text,
      json: String(JSONValue.object([member]).text.dropFirst().dropLast())
    )
  }

  /// A member with a text as its value.
  static func member(_ name: String, _ text: String) -> EventMember {
    member(JSONValue.Member(name: name, value: .string(text)))
  }
}
