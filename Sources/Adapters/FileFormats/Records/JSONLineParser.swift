import Foundation
import JSONSyntax
import ResultsDomain

/// Parses a line that is one flat JSON object.
struct JSONLineParser {
  /// An error at an offset of the bytes.
  struct Defect: Error {
    var offset: Int
    var message: String
    var remedy: String
  }

  private var scanner: JSONScanner
  /// An offset and its column, so that columns are counted only once.
  private var counted: (offset: Int, column: Int)

  init(bytes: [UInt8], range: Range<Int>, lineStart: Int) {
    scanner = JSONScanner(bytes, in: range)
    counted = (lineStart, 1)
  }

  /// The column of an offset, in scalars from 1.
  static func column(of offset: Int, in bytes: [UInt8], from lineStart: Int) -> Int {
    bytes[lineStart..<offset].reduce(1) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D
  }

  /// Parses the object and returns its fields in order.
  mutating func object() throws(Defect) -> [RecordField] {
    guard take("{") else {
      throw defect(
        "an object was expected.",
        "Write one object per line, as in {\"NAME\":\"text\"}."
      )
    }
    var fields: [RecordField] = []
    if !take("}") {
      repeat {
        fields.append(try field(after: fields))
      } while take(",")
      guard take("}") else { throw defect("“,” or “}” was expected.", JSONLineParser.repair) }
    }
    skipSpace()
    guard position == end else {
      throw defect("text after the end of the object.", "Write one object per line.")
    }
    return fields
  }

  private static let maximumKeys = 2048
  private static let repair = "Correct the line."

  private mutating func field(after fields: [RecordField]) throws(Defect) -> RecordField {
    skipSpace()
    let start = position
    guard byte == UInt8(ascii: "\"") else {
      throw defect("a key in quotes was expected.", JSONLineParser.repair)
    }
    // Each key is compared with all before it, so their number needs a limit.
    guard fields.count < JSONLineParser.maximumKeys else {
      throw defect(
        "more than \(JSONLineParser.maximumKeys) keys.",
        "Remove the keys that are not attributes."
      )
    }
    let name = try string()
    guard !fields.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      throw Defect(
        offset: start,
        message: "the key “\(name)” occurs twice.",
        remedy: "Remove one of them."
      )
    }
    guard take(":") else { throw defect("“:” was expected.", JSONLineParser.repair) }
    skipSpace()
    let column = counted.column + columns(to: position)
    counted = (position, column)
    let isBoolean = byte == UInt8(ascii: "t") || byte == UInt8(ascii: "f")
    var field = RecordField(name: name, value: try value(), column: column)
    field.isBoolean = isBoolean
    return field
  }

  private func columns(to offset: Int) -> Int {
    bytes[counted.offset..<offset].reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
  }

  private mutating func value() throws(Defect) -> Value {
    switch byte {
    case UInt8(ascii: "\""): return .text(try string())
    case let byte? where JSONLineParser.beginsNumber(byte): return try number()
    case UInt8(ascii: "{"): return try blob()
    case UInt8(ascii: "["): throw nested()
    default: break
    }
    for (word, value) in JSONLineParser.words where bytes[position..<end].starts(with: word.utf8) {
      position += word.utf8.count
      return value
    }
    throw defect("a value was expected.", "Write a text, a number, true, false or null.")
  }

  private static let words: [(String, Value)] = [("true", 1), ("false", 0), ("null", .null)]

  private func nested() -> Defect {
    defect(
      "a nested value; only texts, numbers, true, false and null have a column.",
      "Flatten it or leave it out."
    )
  }

  /// Parses the only nested form that is allowed: `{"base64":"…"}`.
  private mutating func blob() throws(Defect) -> Value {
    let problem = nested()
    guard take("{"), next == UInt8(ascii: "\""), try string() == "base64", take(":"),
      next == UInt8(ascii: "\"")
    else { throw problem }
    let start = position
    guard let data = Data(base64Encoded: try string()) else {
      throw Defect(
        offset: start,
        message: "the text is not base64.",
        remedy: JSONLineParser.repair
      )
    }
    guard take("}") else { throw problem }
    return .blob(Array(data))
  }
}

// MARK: - Bytes

extension JSONLineParser {
  private var bytes: [UInt8] { scanner.bytes }
  private var end: Int { scanner.end }
  private var byte: UInt8? { scanner.byte }
  private var position: Int {
    get { scanner.position }
    set { scanner.position = newValue }
  }

  /// The next byte that is not white space.
  private var next: UInt8? {
    mutating get {
      skipSpace()
      return byte
    }
  }

  private mutating func skipSpace() {
    while let byte, JSONLineParser.isSpace(byte) { position += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let byte = next, UInt32(byte) == character.value else { return false }
    position += 1
    return true
  }

  private func defect(_ message: String, _ remedy: String) -> Defect {
    Defect(offset: position, message: message, remedy: remedy)
  }
}

// MARK: - Tokens

extension JSONLineParser {
  private static func beginsNumber(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private mutating func number() throws(Defect) -> Value {
    let start = position
    let token: (text: String, isInteger: Bool)
    do throws(JSONScanner.Failure) {
      token = try scanner.number()
    } catch {
      throw defect(of: error)
    }
    let text = token.text
    if token.isInteger {
      guard let number = Int64(text) else {
        throw Defect(
          offset: start,
          message: "the integer \(text) does not fit in 64 bits.",
          remedy: "Write it as a text."
        )
      }
      return .integer(number)
    }
    guard let number = Double(text), number.isFinite else {
      throw Defect(
        offset: start,
        message: "the number \(text) is out of range.",
        remedy: "Write it as a text."
      )
    }
    return .real(number)
  }

  private mutating func string() throws(Defect) -> String {
    do throws(JSONScanner.Failure) {
      return try scanner.string()
    } catch {
      throw defect(of: error)
    }
  }

  private func defect(of failure: JSONScanner.Failure) -> Defect {
    let (message, remedy) =
      switch failure.reason {
      case .invalidNumber:
        (
          "this is not a JSON number.",
          "Write it as in -12.5, without leading zeros."
        )
      case .controlCharacter:
        ("a control character in a text.", "Write it as \\n, \\t or \\u00….")
      case .unknownEscape, .truncatedEscape, .invalidCodeUnit:
        ("an unknown escape sequence.", "Write a backslash as \\\\.")
      case .unpairedSurrogate:
        (
          "half of a surrogate pair is not a character.",
          "Write both halves, or the character itself."
        )
      case .unterminatedString:
        (
          "a quote opens here and is never closed.",
          "Close it; a line end in a text is written \\n."
        )
      case .invalidUTF8:
        (
          "a byte that is not valid UTF-8.",
          "Convert the file to UTF-8, for example with: iconv -f ISO-8859-1 -t UTF-8."
        )
      }
    var offset = failure.start
    if failure.reason == .invalidUTF8 {
      let content = failure.start + 1..<failure.offset
      offset = UTF8Defect.offset(in: bytes, content) ?? failure.start
    }
    return Defect(offset: offset, message: message, remedy: remedy)
  }
}
