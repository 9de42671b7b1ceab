import ResultsDomain

/// A JSON value as it was written: numbers keep their digits, objects the order of their members.
///
/// Writing a parsed value gives the same text again, apart from spaces, so a client need not know the types of a list's values.
/// Equality is by bytes: `1` and `1.0` differ.
public enum JSONValue: Sendable {
  /// One member of an object.
  public struct Member: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value.
    public var value: JSONValue

    /// Creates a member.
    public init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }

    /// Returns whether two members have the same name, bytewise, and the same value.
    public static func == (left: Member, right: Member) -> Bool {
      left.name.hasSameBytes(as: right.name) && left.value == right.value
    }

    /// Feeds the name and the value into a hasher.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(Value.text(name))
      hasher.combine(value)
    }
  }

  /// The absence of a value.
  case null
  /// A truth value.
  case boolean(Bool)
  /// A number, as it was written.
  case number(String)
  /// A text.
  case string(String)
  /// Values in order.
  case array([JSONValue])
  /// Members in order.
  case object([Member])
}

extension JSONValue: Hashable {
  /// Returns whether two values are written the same, bytewise.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.number(let left), .number(let right)), (.string(let left), .string(let right)):
      left.hasSameBytes(as: right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Feeds the value's bytes into a hasher.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .boolean(let value): hasher.combine(value)
    case .number(let text), .string(let text): hasher.combine(Value.text(text))
    case .array(let values): hasher.combine(values)
    case .object(let members): hasher.combine(members)
    }
  }
}

extension JSONValue {
  /// Returns the value of an object's member, or `nil` if this is not an object or has no such member.
  /// - Complexity: O(*m*) in the members.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name.hasSameBytes(as: name) }?.value
  }

  /// The text, if this is a string.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The values, if this is an array.
  public var array: [JSONValue]? {
    if case .array(let values) = self { values } else { nil }
  }

  /// The number, if this is an integer that fits.
  public var integer: Int? {
    if case .number(let digits) = self { Int(digits) } else { nil }
  }

  /// The value as JSON without spaces.
  /// - Complexity: O(*n*) in the bytes.
  public var text: String {
    var writer = JSONWriter()
    writer.write(self)
    return writer.text
  }
}

// MARK: - Writing

/// A writer of JSON without spaces; printable text is written as it is, only control characters are escaped.
struct JSONWriter {
  private(set) var text = ""

  mutating func write(raw: String) { text += raw }

  mutating func write(_ number: Int) { text += String(number) }

  /// Opens with `open`, writes the elements with commas between them, and closes.
  mutating func write<Elements: Sequence>(
    _ open: String,
    _ elements: Elements,
    _ close: String,
    element: (inout JSONWriter, Elements.Element) -> Void
  ) {
    text += open
    var isFirst = true
    for item in elements {
      if !isFirst { text += "," }
      isFirst = false
      element(&self, item)
    }
    text += close
  }

  mutating func write(_ value: JSONValue) {
    switch value {
    case .null: text += "null"
    case .boolean(let value): text += value ? "true" : "false"
    case .number(let digits): text += digits
    case .string(let string): write(string: string)
    case .array(let values): write("[", values, "]") { $0.write($1) }
    case .object(let members):
      write("{", members, "}") { writer, member in
        writer.write(string: member.name)
        writer.text += ":"
        writer.write(member.value)
      }
    }
  }

  /// Writes a string in quotation marks.
  ///
  /// Besides what JSON demands, DEL and the C1 controls are escaped, because a terminal might interpret them.
  mutating func write(string: String) {
    text += "\""
    if string.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }) {
      text += string
    } else {
      for scalar in string.unicodeScalars { write(scalar) }
    }
    text += "\""
  }

  private mutating func write(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x22: text += "\\\""
    case 0x5C: text += "\\\\"
    case 0x08: text += "\\b"
    case 0x09: text += "\\t"
    case 0x0A: text += "\\n"
    case 0x0C: text += "\\f"
    case 0x0D: text += "\\r"
    case 0x00..<0x20, 0x7F..<0xA0:
      let digits = String(scalar.value, radix: 16)
      text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    default: text.unicodeScalars.append(scalar)
    }
  }
}
