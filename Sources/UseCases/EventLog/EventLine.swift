public import ResultsDomain

/// A named value of an event that is read from a line or typed.
public struct EventMember: Hashable, Sendable {
  /// The name.
  public var name: String
  /// The value as a text, or `nil` for one that is no text and no number.
  public var text: String?
  /// The name and the value as a member of a JSON object.
  public var json: String

  /// Creates a member.
  public init(name: String, text: String?, json: String) {
    (self.name, self.text, self.json) = (name, text, json)
  }
}

extension AttributeType {
  /// The value of a member, or `nil` for one that is none of this type.
  fileprivate func value(of member: EventMember) -> Value? {
    if let text = member.text { return value(parsing: text) }
    guard self == .boolean else { return nil }
    return member.json.hasSuffix(":true") ? 1 : member.json.hasSuffix(":false") ? 0 : nil
  }
}

/// The rules by which a line of a program's output becomes an event.
extension Event {
  /// The most bytes of a message; the rest is replaced by an ellipsis.
  public static let longestMessage = 65_536

  /// Whether the message is only the beginning of what came.
  public var isMessageCut: Bool {
    guard let message, message.utf8.count >= Event.longestMessage - 3 else { return false }
    return message.utf8.suffix(3).elementsEqual("…".utf8)
  }

  /// Makes an event of members, by the names that programs commonly use; all others become `fields`.
  ///
  /// A time or a level that is not understood becomes one of the fields too, so that nothing is lost. A member with the name of a column that
  /// the user has added becomes its value, unless the column cannot hold it.
  /// - Parameters:
  ///   - members: The members, in order; the first of a meaning counts.
  ///   - columns: The columns that the user has added to the store.
  ///   - now: The time of an event that says none.
  /// - Complexity: O(*n*) in the members.
  public init(members: [EventMember], columns: [AttributeDescription] = [], at now: Instant) {
    self.init(timeStamp: now)
    self.columns = columns.map { _ in .null }
    var hasTime = false
    var rest: [String] = []
    for member in members {
      let name = String(decoding: member.name.utf8.map(Event.small), as: UTF8.self)
      switch name {
      case "time", "timestamp", "ts", "@timestamp":
        guard !hasTime, let time = member.text.flatMap(Event.time) else { break }
        (timeStamp, hasTime) = (time, true)
        continue
      case "level", "severity", "lvl":
        guard level == nil, let known = member.text.flatMap(Event.level) else { break }
        level = known
        continue
      case "message", "msg":
        guard message == nil, let text = member.text else { break }
        message = Event.bounded(text)
        continue
      case "source", "logger":
        guard source == nil, let text = member.text else { break }
        source = Event.bounded(text)
        continue
      default: break
      }
      if let index = columns.firstIndex(where: { $0.name.hasSameBytes(as: member.name) }),
        self.columns[index].isNull, let value = columns[index].type.value(of: member)
      {
        self.columns[index] = value
        continue
      }
      rest.append(member.json)
    }
    if !rest.isEmpty { fields = "{\(rest.joined(separator: ","))}" }
  }

  /// Makes an event of a line of text: a time in ISO 8601 at its beginning, or else the present time, and the message.
  /// - Complexity: O(*n*) in the bytes.
  public init(line: String, at now: Instant) {
    let words = line.utf8.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    // The time of day can be in the same word as the date, or in the next.
    for count in [1, 2] where words.count > count {
      let text = words[..<count].joined(separator: " ")
      guard text.utf8.contains(UInt8(ascii: ":")), let time = Instant(iso8601: text) else {
        continue
      }
      let rest = line.utf8.dropFirst(text.utf8.count + 1)
      self.init(timeStamp: time, message: Event.bounded(String(decoding: rest, as: UTF8.self)))
      return
    }
    self.init(timeStamp: now, message: Event.bounded(line))
  }

  /// The text of bytes; those that are not UTF-8 become `\\xFF`.
  /// - Complexity: O(*n*) in the bytes.
  public static func text(of bytes: [UInt8]) -> (text: String, isUTF8: Bool) {
    if let text = String(validating: bytes, as: UTF8.self) { return (text, true) }
    var text: [UInt8] = []
    var parser = Unicode.UTF8.ForwardParser()
    var rest = bytes.makeIterator()
    var index = 0
    while true {
      let length: Int
      switch parser.parseScalar(from: &rest) {
      case .emptyInput: return (String(decoding: text, as: UTF8.self), false)
      case .valid(let scalar):
        length = scalar.count
        text += scalar
      case .error(let count):
        length = count
        for byte in bytes[index..<(index + count)] {
          text += "\\x\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))".utf8
        }
      }
      index += length
    }
  }

  /// The level that a word means in any letter case, such as `warn` or `CRITICAL`; `nil` for any other.
  public static func level(_ word: String) -> String? {
    let small = String(decoding: word.utf8.map(Event.small), as: UTF8.self)
    switch small {
    case "trace", "verbose": return "debug"
    case "information", "informational": return "info"
    case "warn": return "warning"
    case "err": return "error"
    case "critical", "crit", "alert", "emergency", "emerg", "panic": return "fatal"
    default: return levels.first { $0.hasSameBytes(as: small) }
    }
  }

  /// A date in ISO 8601, or seconds or milliseconds since 1970.
  private static func time(_ text: String) -> Instant? {
    if let date = Instant(iso8601: text) { return date }
    guard let number = Double(text), number.magnitude < 1e14 else { return nil }
    // A count of seconds this large would be after the year 5000.
    let seconds = number.magnitude < 1e11 ? number : number / 1000
    return Instant(microseconds: Int64((seconds * 1_000_000).rounded()))
  }

  private static func small(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte + 0x20 : byte
  }

  /// The text without escape sequences of terminals, line ends and NUL, which not every store can hold; its beginning if it is too long.
  private static func bounded(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte == 0x1B, rest.first == UInt8(ascii: "[") {
        rest = rest.drop { !(0x40...0x7E).contains($0) || $0 == UInt8(ascii: "[") }.dropFirst()
      } else if byte != 0, byte != 0x0D || !rest.isEmpty {
        bytes.append(byte)
      }
      guard bytes.count <= longestMessage else {
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        return String(decoding: bytes, as: UTF8.self) + "…"
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
