import JSONSyntax
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
    var parser = JSONParser(
      scanner: JSONScanner(bytes, in: 0..<bytes.count),
      depthLeft: maximumDepth
    )
    self = try parser.document()
  }
}

/// A recursive-descent parser with a limited depth.
private struct JSONParser {
  var scanner: JSONScanner
  var depthLeft: Int

  private var bytes: [UInt8] { scanner.bytes }
  private var position: Int {
    get { scanner.position }
    set { scanner.position = newValue }
  }

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
    do throws(JSONScanner.Failure) {
      return .number(try scanner.number().text)
    } catch {
      throw JSONError(error)
    }
  }

  private mutating func string() throws(JSONError) -> String {
    do throws(JSONScanner.Failure) {
      return try scanner.string()
    } catch {
      throw JSONError(error)
    }
  }
}

extension JSONError {
  fileprivate init(_ failure: JSONScanner.Failure) {
    switch failure.reason {
    case .invalidNumber: self.init(.invalidNumber, column: failure.offset + 1)
    case .truncatedEscape, .unterminatedString:
      self.init(.unexpectedEnd, column: failure.offset + 1)
    case .invalidUTF8: self.init(.invalidUTF8, column: failure.start + 1)
    case .controlCharacter, .unknownEscape, .invalidCodeUnit, .unpairedSurrogate:
      self.init(.invalidString, column: failure.offset + 1)
    }
  }
}
