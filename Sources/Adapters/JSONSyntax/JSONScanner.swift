/// A scanner of the tokens of JSON (RFC 8259) in a range of bytes.
///
/// It is the only code of the package that interprets numbers, strings, escapes and surrogate pairs. The parsers of the wire form and
/// of JSON lines build their values from its tokens, and describe its failures in their own words.
package struct JSONScanner: Sendable {
  /// The reason why a token is malformed, and where.
  package struct Failure: Error, Hashable, Sendable {
    /// The kind of error.
    package enum Reason: Hashable, Sendable {
      case invalidNumber
      case controlCharacter
      case unknownEscape
      case truncatedEscape
      case invalidCodeUnit
      case unpairedSurrogate
      case unterminatedString
      case invalidUTF8
    }

    /// The kind of error.
    package let reason: Reason
    /// The offset of the malformed number, string, character or escape; for a surrogate pair that of its first half.
    package let start: Int
    /// The offset at which the error was found; for a string that is not UTF-8 that of its closing quote.
    package let offset: Int
  }

  /// The bytes.
  package let bytes: [UInt8]
  /// The end of the range that is scanned.
  package let end: Int
  /// The offset of the next byte.
  package var position: Int

  /// Creates a scanner of a range of bytes.
  package init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  /// The next byte, or `nil` at the end.
  package var byte: UInt8? { position < end ? bytes[position] : nil }
}

// MARK: - Numbers

extension JSONScanner {
  /// Consumes a number that begins at the position with a minus sign or a digit.
  /// - Returns: Its text, and whether it has neither a fraction nor an exponent.
  package mutating func number() throws(Failure) -> (text: String, isInteger: Bool) {
    let start = position
    if byte == UInt8(ascii: "-") { position += 1 }
    let first = position
    let digits = skipDigits()
    guard digits == 1 || digits > 1 && bytes[first] != UInt8(ascii: "0") else {
      throw Failure(reason: .invalidNumber, start: start, offset: start)
    }
    var isInteger = true
    if byte == UInt8(ascii: ".") {
      isInteger = false
      position += 1
      try requireDigits(of: start)
    }
    if let byte, byte | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      position += 1
      if self.byte == UInt8(ascii: "+") || self.byte == UInt8(ascii: "-") { position += 1 }
      try requireDigits(of: start)
    }
    return (String(decoding: bytes[start..<position], as: UTF8.self), isInteger)
  }

  private mutating func requireDigits(of start: Int) throws(Failure) {
    guard skipDigits() > 0 else {
      throw Failure(reason: .invalidNumber, start: start, offset: position)
    }
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while let byte, (0x30...0x39).contains(byte) { position += 1 }
    return position - start
  }
}

// MARK: - Strings

extension JSONScanner {
  /// Consumes a string that begins at the position with a quotation mark, and returns its text.
  /// - Complexity: O(*n*) in the bytes; a string without escapes is not copied twice.
  package mutating func string() throws(Failure) -> String {
    let quote = position
    position += 1
    let start = position
    var unescaped: [UInt8]?
    while let byte, byte != UInt8(ascii: "\"") {
      if byte < 0x20 {
        throw Failure(reason: .controlCharacter, start: position, offset: position)
      }
      if byte == UInt8(ascii: "\\") {
        var text = unescaped ?? Array(bytes[start..<position])
        unescaped = nil
        text += Array(String(Character(try escape())).utf8)
        unescaped = text
      } else {
        unescaped?.append(byte)
        position += 1
      }
    }
    guard byte != nil else {
      throw Failure(reason: .unterminatedString, start: quote, offset: end)
    }
    let closing = position
    position += 1
    let text =
      unescaped.map { String(validating: $0, as: UTF8.self) }
      ?? String(validating: bytes[start..<closing], as: UTF8.self)
    guard let text else { throw Failure(reason: .invalidUTF8, start: quote, offset: closing) }
    return text
  }

  private mutating func escape() throws(Failure) -> Unicode.Scalar {
    let start = position
    guard position + 1 < end else {
      position = end
      throw Failure(reason: .truncatedEscape, start: start, offset: end)
    }
    let scalar: Unicode.Scalar
    switch bytes[position + 1] {
    case UInt8(ascii: "\""): scalar = "\""
    case UInt8(ascii: "\\"): scalar = "\\"
    case UInt8(ascii: "/"): scalar = "/"
    case UInt8(ascii: "b"): scalar = "\u{8}"
    case UInt8(ascii: "f"): scalar = "\u{C}"
    case UInt8(ascii: "n"): scalar = "\n"
    case UInt8(ascii: "r"): scalar = "\r"
    case UInt8(ascii: "t"): scalar = "\t"
    case UInt8(ascii: "u"): return try unicodeEscape()
    default: throw Failure(reason: .unknownEscape, start: start, offset: start)
    }
    position += 2
    return scalar
  }

  /// Consumes `\u` and four hexadecimal digits, or two such escapes that form a surrogate pair.
  private mutating func unicodeEscape() throws(Failure) -> Unicode.Scalar {
    let start = position
    guard let first = codeUnit() else {
      throw Failure(reason: .invalidCodeUnit, start: start, offset: start)
    }
    if let scalar = Unicode.Scalar(first) { return scalar }
    // A code unit that is not a scalar is half of a pair, whose high half comes first.
    guard first < 0xDC00 else {
      throw Failure(reason: .unpairedSurrogate, start: start, offset: start)
    }
    guard let second = codeUnit() else {
      throw Failure(reason: .unpairedSurrogate, start: start, offset: position)
    }
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + UInt32(first - 0xD800) << 10 + UInt32(second - 0xDC00))
    else {
      throw Failure(reason: .unpairedSurrogate, start: start, offset: start)
    }
    return scalar
  }

  /// Consumes `\u` and four hexadecimal digits; where there are none, consumes nothing and returns `nil`.
  private mutating func codeUnit() -> UInt16? {
    guard position + 6 <= end, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { return nil }
    var code: UInt16 = 0
    for byte in bytes[position + 2..<position + 6] {
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46, 0x61...0x66: digit = (byte | 0x20) - 0x61 + 10
      default: return nil
      }
      code = code << 4 | UInt16(digit)
    }
    position += 6
    return code
  }
}
