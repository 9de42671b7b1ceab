import EventLog
import ProgramFrontEnd
import ResultsDomain
import Synchronization
import WireFormat

/// Makes events of lines, and counts those that are not stored as they came.
///
/// The lock guards the counts.
final class EventReader: Sendable {
  private let members: [EventMember]
  private let columns = EventProgram.customAttributes
  private let counts = Mutex((ill: 0, cut: 0))

  /// Creates a reader.
  /// - Parameter members: Values for lines that do not say them.
  init(members: [EventMember]) { self.members = members }

  /// What is different from the lines, for the end of a message; an empty text for nothing.
  var remarks: String {
    let (ill, cut) = counts.withLock { $0 }
    return [
      ill == 0 ? nil : "; \(ill == 1 ? "1 line was" : "\(ill) lines were") not UTF-8",
      cut == 0 ? nil : "; \(cut == 1 ? "1 message was" : "\(cut) messages were") cut",
    ].compactMap(\.self).joined()
  }

  /// The event of a line, with the values that hold for all lines where it says none.
  func event(of line: LogLine) -> Event {
    var event: Event
    if line.bytes.first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: "{"),
      case .object(let found)? = try? JSONValue(parsing: line.bytes)
    {
      event = Event(members: found.map(Self.member) + members, columns: columns, at: .now)
    } else {
      let (text, isUTF8) = Event.text(of: line.bytes)
      if !isUTF8 { counts.withLock { $0.ill += 1 } }
      event = Event(line: text, at: .now)
      let given = Event(members: members, columns: columns, at: event.timeStamp)
      (event.level, event.source, event.fields) = (given.level, given.source, given.fields)
      event.columns = given.columns
    }
    if event.isMessageCut { counts.withLock { $0.cut += 1 } }
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
