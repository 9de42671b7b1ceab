import Foundation
import ResultsDomain

/// Parses a line that is one flat JSON object.
struct JSONLineParser {
  /// An error at an offset of the bytes.
  struct Defect: Error {
    var offset: Int
    var message: String
    var remedy: String
  }

  private let bytes: [UInt8]
  private let end: Int
  private var position: Int
  /// An offset and its column, so that columns are counted only once.
  private var counted: (offset: Int, column: Int)

  init(bytes: [UInt8], range: Range<Int>, lineStart: Int) {
    self.bytes = bytes
    end = range.upperBound
    position = range.lowerBound
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
      throw defect("an object was expected.", "Write one object a line, as in {\"title\":\"…\"}.")
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
      throw defect("text after the end of the object.", "Write one object a line.")
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
    return RecordField(name: name, value: try value(), column: column)
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
  private var byte: UInt8? { position < end ? bytes[position] : nil }

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

// MARK: - Numbers

extension JSONLineParser {
  private static func beginsNumber(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private mutating func number() throws(Defect) -> Value {
    let start = position
    let isNegative = byte == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let firstDigit = position
    let digits = skipDigits()
    guard digits > 0, digits == 1 || bytes[firstDigit] != UInt8(ascii: "0") else {
      throw malformed(start)
    }
    let isInteger = try !skipFractionAndExponent(start)
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isInteger {
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

  private mutating func skipFractionAndExponent(_ start: Int) throws(Defect) -> Bool {
    var hasAny = false
    if byte == UInt8(ascii: ".") {
      hasAny = true
      position += 1
      guard skipDigits() > 0 else { throw malformed(start) }
    }
    if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
      hasAny = true
      position += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
      guard skipDigits() > 0 else { throw malformed(start) }
    }
    return hasAny
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while let byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position - start
  }

  private func malformed(_ start: Int) -> Defect {
    Defect(
      offset: start,
      message: "this is not a JSON number.",
      remedy: "Write it as in -12.5, without leading zeros."
    )
  }
}

// MARK: - Texts

extension JSONLineParser {
  private mutating func string() throws(Defect) -> String {
    let opened = position
    position += 1
    let start = position
    var escaped: [UInt8]?
    while let byte, byte != UInt8(ascii: "\"") {
      if byte < 0x20 {
        throw defect("a control character in a text.", "Write it as \\n, \\t or \\u00….")
      }
      if byte == UInt8(ascii: "\\") {
        var result = escaped ?? Array(bytes[start..<position])
        result += Array(String(try escape()).utf8)
        escaped = result
      } else {
        escaped?.append(byte)
        position += 1
      }
    }
    guard byte != nil else {
      throw Defect(
        offset: opened,
        message: "a quote opens here and is never closed.",
        remedy: "Close it; a line end in a text is written \\n."
      )
    }
    let content = start..<position
    position += 1
    let text =
      escaped.map { String(validating: $0, as: UTF8.self) }
      ?? String(validating: bytes[content], as: UTF8.self)
    guard let text else {
      throw Defect(
        offset: UTF8Defect.offset(in: bytes, content) ?? opened,
        message: "a byte that is not valid UTF-8.",
        remedy: "Convert the file to UTF-8, for example with: iconv -f ISO-8859-1 -t UTF-8."
      )
    }
    return text
  }

  private mutating func escape() throws(Defect) -> Unicode.Scalar {
    let problem = defect("an unknown escape sequence.", "Write a backslash as \\\\.")
    position += 1
    guard let kind = byte else { throw problem }
    position += 1
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(kind)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try unicodeEscape(problem)
    default: throw problem
    }
  }

  private mutating func unicodeEscape(_ problem: Defect) throws(Defect) -> Unicode.Scalar {
    guard let first = codeUnit() else { throw problem }
    if let scalar = Unicode.Scalar(first) { return scalar }
    // A code unit that is not a scalar is half of a surrogate pair; only the high half can come first.
    let isPair = first < 0xDC00 && bytes[position..<end].starts(with: [0x5C, 0x75])
    if isPair {
      position += 2
      if let second = codeUnit(), (0xDC00...0xDFFF).contains(second),
        let scalar = Unicode.Scalar(
          0x10000 + UInt32(first - 0xD800) << 10 + UInt32(second - 0xDC00)
        )
      {
        return scalar
      }
    }
    throw Defect(
      offset: problem.offset,
      message: "half of a surrogate pair is not a character.",
      remedy: "Write both halves, or the character itself."
    )
  }

  private mutating func codeUnit() -> UInt16? {
    guard position + 4 <= end else { return nil }
    let digits = bytes[position..<position + 4]
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
    position += 4
    return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
