import ResultsDomain

/// The reason why a text is not JSON, and where.
public struct JSONError: Error, Hashable, Sendable {
  /// The kind of error.
  public enum Reason: String, Hashable, Sendable {
    /// The text ends in the middle of a value.
    case unexpectedEnd = "the text ends too early"
    /// A character is not allowed where it is.
    case unexpectedCharacter = "this character is not allowed here"
    /// Something follows the value.
    case trailingCharacters = "something follows the value"
    /// A number is malformed.
    case invalidNumber = "this is not a number"
    /// A string holds a control character, an unknown escape or half a surrogate pair.
    case invalidString = "this string is not valid"
    /// The bytes are not UTF-8.
    case invalidUTF8 = "the bytes are not UTF-8"
    /// An object has two members of one name.
    case repeatedName = "this name occurs twice"
    /// Values are nested too deeply.
    case tooDeep = "the values are nested too deeply"
    /// The text is longer than allowed.
    case tooLong = "the text is too long"
  }

  /// The kind of error.
  public let reason: Reason
  /// The position, in bytes from 1.
  public let column: Int

  /// Creates an error.
  public init(_ reason: Reason, column: Int) {
    self.reason = reason
    self.column = column
  }
}

extension JSONError: CustomStringConvertible {
  /// What is wrong, and where.
  public var description: String { "Not JSON at column \(column): \(reason.rawValue)." }
}

// MARK: - Parsing

extension JSONValue {
  /// Parses one JSON text (RFC 8259), strictly: UTF-8, no repeated names, nothing after the value.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - maximumDepth: The maximum depth of nested arrays and objects.
  ///   - maximumBytes: The maximum length of the text.
  /// - Throws: `JSONError`: what is wrong, and at which byte.
  /// - Complexity: O(*n*) in the bytes.
  public init(
    parsing text: String,
    maximumDepth: Int = 64,
    maximumBytes: Int = 1 << 30
  ) throws(JSONError) {
    try self.init(
      parsing: Array(text.utf8),
      maximumDepth: maximumDepth,
      maximumBytes: maximumBytes
    )
  }

  /// Parses one JSON text from bytes that need not be UTF-8.
  /// - Throws: `JSONError`: what is wrong, and at which byte.
  /// - Complexity: O(*n*) in the bytes.
  public init(
    parsing bytes: [UInt8],
    maximumDepth: Int = 64,
    maximumBytes: Int = 1 << 30
  ) throws(JSONError) {
    guard bytes.count <= maximumBytes else { throw JSONError(.tooLong, column: maximumBytes + 1) }
    var parser = JSONParser(bytes: bytes, depthLeft: maximumDepth)
    self = try parser.document()
  }
}

/// A recursive-descent parser with a limited depth.
private struct JSONParser {
  let bytes: [UInt8]
  var depthLeft: Int
  var position = 0

  mutating func document() throws(JSONError) -> JSONValue {
    let value = try value()
    guard next() == nil else { throw error(.trailingCharacters) }
    return value
  }

  private func error(_ reason: JSONError.Reason) -> JSONError {
    JSONError(reason, column: position + 1)
  }

  private var unexpected: JSONError {
    error(position < bytes.count ? .unexpectedCharacter : .unexpectedEnd)
  }

  /// Skips white space, and returns the next byte without consuming it.
  private mutating func next() -> UInt8? {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return bytes[position]
      }
    }
    return nil
  }

  private mutating func value() throws(JSONError) -> JSONValue {
    guard let byte = next() else { throw unexpected }
    switch byte {
    case UInt8(ascii: "{"): return .object(try nested(until: UInt8(ascii: "}"), members))
    case UInt8(ascii: "["): return .array(try nested(until: UInt8(ascii: "]"), elements))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw unexpected
    }
  }

  private mutating func word(
    _ word: StaticString,
    _ value: JSONValue
  ) throws(JSONError) -> JSONValue {
    for byte in word.description.utf8 {
      guard position < bytes.count, bytes[position] == byte else { throw unexpected }
      position += 1
    }
    return value
  }

  /// Parses what is between two brackets, one level deeper.
  private mutating func nested<Content: RangeReplaceableCollection>(
    until close: UInt8,
    _ content: (inout JSONParser, UInt8) throws(JSONError) -> Content
  ) throws(JSONError) -> Content {
    guard depthLeft > 0 else { throw error(.tooDeep) }
    depthLeft -= 1
    defer { depthLeft += 1 }
    position += 1
    if next() == close {
      position += 1
      return Content()
    }
    return try content(&self, close)
  }

  /// Consumes a comma or the closing bracket, and returns whether more follows.
  private mutating func separator(orEnd close: UInt8) throws(JSONError) -> Bool {
    guard let byte = next(), byte == close || byte == UInt8(ascii: ",") else { throw unexpected }
    position += 1
    return byte != close
  }

  private func elements(_ parser: inout JSONParser, _ close: UInt8) throws(JSONError) -> [JSONValue]
  {
    var values: [JSONValue] = []
    repeat { values.append(try parser.value()) } while try parser.separator(orEnd: close)
    return values
  }

  private func members(
    _ parser: inout JSONParser,
    _ close: UInt8
  ) throws(JSONError) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    var names: Set<Value> = []
    repeat {
      guard parser.next() == UInt8(ascii: "\"") else { throw parser.unexpected }
      let start = parser.position
      let name = try parser.string()
      guard names.insert(.text(name)).inserted else {
        throw JSONError(.repeatedName, column: start + 1)
      }
      guard parser.next() == UInt8(ascii: ":") else { throw parser.unexpected }
      parser.position += 1
      members.append(JSONValue.Member(name: name, value: try parser.value()))
    } while try parser.separator(orEnd: close)
    return members
  }

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = position
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    let whole = digits()
    guard whole == 1 || whole > 1 && bytes[position - whole] != UInt8(ascii: "0") else {
      throw JSONError(.invalidNumber, column: start + 1)
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      position += 1
      guard digits() > 0 else { throw error(.invalidNumber) }
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < bytes.count, "+-".utf8.contains(bytes[position]) { position += 1 }
      guard digits() > 0 else { throw error(.invalidNumber) }
    }
    return .number(String(decoding: bytes[start..<position], as: UTF8.self))
  }

  /// Consumes digits, and returns their number.
  private mutating func digits() -> Int {
    let start = position
    while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
    return position - start
  }

  private mutating func string() throws(JSONError) -> String {
    let start = position
    position += 1
    var content: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        guard let text = String(validating: content, as: UTF8.self) else {
          throw JSONError(.invalidUTF8, column: start + 1)
        }
        return text
      case UInt8(ascii: "\\"): try escape(into: &content)
      case 0..<0x20: throw error(.invalidString)
      default:
        content.append(byte)
        position += 1
      }
    }
    throw error(.unexpectedEnd)
  }

  private mutating func escape(into content: inout [UInt8]) throws(JSONError) {
    guard position + 1 < bytes.count else {
      position = bytes.count
      throw error(.unexpectedEnd)
    }
    let simple: UInt8
    switch bytes[position + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): simple = bytes[position + 1]
    case UInt8(ascii: "b"): simple = 0x08
    case UInt8(ascii: "t"): simple = 0x09
    case UInt8(ascii: "n"): simple = 0x0A
    case UInt8(ascii: "f"): simple = 0x0C
    case UInt8(ascii: "r"): simple = 0x0D
    case UInt8(ascii: "u"):
      content.append(contentsOf: String(Character(try scalar())).utf8)
      return
    default: throw error(.invalidString)
    }
    content.append(simple)
    position += 2
  }

  /// Parses `\u` and four hexadecimal digits, or two such escapes that form a surrogate pair.
  private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
    let start = position
    var code = try codeUnit()
    if (0xD800..<0xDC00).contains(code) {
      let low = try codeUnit()
      guard (0xDC00..<0xE000).contains(low) else {
        throw JSONError(.invalidString, column: start + 1)
      }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else {
      throw JSONError(.invalidString, column: start + 1)
    }
    return scalar
  }

  private mutating func codeUnit() throws(JSONError) -> UInt32 {
    guard position + 6 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { throw error(.invalidString) }
    var code: UInt32 = 0
    for byte in bytes[position + 2..<position + 6] {
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46, 0x61...0x66: digit = (byte | 0x20) - 0x61 + 10
      default: throw error(.invalidString)
      }
      code = code << 4 | UInt32(digit)
    }
    position += 6
    return code
  }
}
