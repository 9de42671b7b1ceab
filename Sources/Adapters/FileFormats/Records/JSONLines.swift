import Foundation
package import ResultsDomain

/// Reads one JSON object per line (RFC 8259); its keys are the field names.
///
/// A number without fraction and exponent is an integer, any other number a real; `true` and `false` are the integers 1
/// and 0. `{"base64":"…"}` is a blob; every other nested value is an error. Empty lines are skipped. The reader can
/// continue after every error except a byte order mark of another encoding.
package struct JSONLinesReader: RecordReader, Sendable {
  private let bytes: [UInt8]
  private let source: String
  private let maximumLineBytes: Int
  private var position: Int
  private var line = 0

  /// A reader of bytes in memory.
  /// - Parameters:
  ///   - bytes: The file, in UTF-8.
  ///   - source: The name of the file for error messages.
  ///   - maximumLineBytes: The largest size of a line, in bytes.
  package init(bytes: [UInt8], source: String, maximumLineBytes: Int = 16 << 20) {
    self.bytes = bytes
    self.source = source
    self.maximumLineBytes = maximumLineBytes
    position = bytes.starts(with: ByteOrderMark.utf8) ? ByteOrderMark.utf8.count : 0
  }

  /// Returns the next record, or `nil` at the end.
  /// - Throws: `RecordError`.
  /// - Complexity: O(*n*) in the line's bytes.
  package mutating func next() throws(RecordError) -> Record? {
    if position == 0, let mark = ByteOrderMark.foreign(in: bytes) {
      position = bytes.count
      throw mark.error(source: source)
    }
    while let (lineStart, range) = nextLine() {
      guard !range.isEmpty else { continue }
      guard range.count <= maximumLineBytes else {
        throw error(
          1,
          "the line has \(range.count) bytes; the limit is \(maximumLineBytes).",
          "Write one object per line."
        )
      }
      do throws(JSONLineParser.Defect) {
        var parser = JSONLineParser(bytes: bytes, range: range, lineStart: lineStart)
        return Record(line: line, fields: try parser.object())
      } catch {
        let column = JSONLineParser.column(of: error.offset, in: bytes, from: lineStart)
        throw self.error(column, error.message, error.remedy)
      }
    }
    return nil
  }

  /// The start of the next line, and the range of its bytes without white space at the ends.
  private mutating func nextLine() -> (start: Int, content: Range<Int>)? {
    guard position < bytes.count else { return nil }
    line += 1
    let lineStart = position
    var start = position
    var end = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
    position = end + 1
    while start < end, JSONLineParser.isSpace(bytes[end - 1]) { end -= 1 }
    while start < end, JSONLineParser.isSpace(bytes[start]) { start += 1 }
    return (lineStart, start..<end)
  }

  private func error(_ column: Int, _ message: String, _ remedy: String) -> RecordError {
    RecordError(
      source: source,
      line: line,
      column: column,
      message: message,
      remedy: remedy,
      isRecoverable: true
    )
  }
}

/// Writes one JSON object per line, with the keys in the order of the columns.
///
/// Printable text is not escaped. Blobs are `{"base64":"…"}`. Infinite numbers are the texts `inf` and `-inf`, because JSON has none: what
/// the wire form and CSV write, and an import of a number reads.
package struct JSONLinesWriter: RecordWriter, Sendable {
  /// The keys with their punctuation.
  private var keys: [String] = []

  /// A writer.
  package init() {}

  /// Sets the keys of the objects, and returns nothing: the format has no header.
  package mutating func begin(columns: [String]) -> String {
    keys = columns.enumerated().map { index, name in
      var key = index == 0 ? "" : ","
      JSONText.appendString(name, to: &key)
      return key + ":"
    }
    return ""
  }

  /// Returns one line.
  /// - Complexity: O(*n*) in the bytes of the values.
  package mutating func write(_ values: [Value]) -> String { write(values, booleans: []) }

  /// Returns one line in which some values, which are the texts `true` and `false`, are the words of JSON.
  /// - Parameters:
  ///   - values: The values.
  ///   - booleans: The indexes of those values.
  /// - Returns: The line.
  /// - Complexity: O(*n*) in the bytes of the values.
  package mutating func write(_ values: [Value], booleans: Set<Int>) -> String {
    var line = "{"
    for (index, (key, value)) in zip(keys, values).enumerated() {
      line += key
      if booleans.contains(index), value == "true" || value == "false", let word = value.text {
        line += word
      } else {
        JSONText.append(value, to: &line)
      }
    }
    return line + "}\n"
  }

  /// Returns nothing: the format has no end.
  package mutating func end() -> String { "" }
}

/// Writes values as JSON (RFC 8259).
private enum JSONText {
  static func appendString(_ text: String, to result: inout String) {
    result += "\""
    // The controls from U+0080 begin with the byte C2, the line separators with E2.
    let isPlain = text.utf8.allSatisfy {
      $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F && $0 != 0xC2 && $0 != 0xE2
    }
    if isPlain {
      result += text
    } else {
      for scalar in text.unicodeScalars { append(scalar, to: &result) }
    }
    result += "\""
  }

  static func append(_ value: Value, to result: inout String) {
    switch value {
    case .null: result += "null"
    case .integer(let number): result += String(number)
    case .real(let number) where number.isNaN: result += "null"
    // JSON has no number for infinity.
    case .real(let number) where number.isInfinite: appendString(String(number), to: &result)
    case .real(let number): result += String(number)
    case .text(let text): appendString(text, to: &result)
    case .blob(let bytes):
      result += "{\"base64\":\"" + Data(bytes).base64EncodedString() + "\"}"
    case .illFormedText(let text):
      result += "{\"text\":"
      appendString(text.repaired, to: &result)
      result += ",\"base64\":\"" + Data(text.bytes).base64EncodedString() + "\"}"
    }
  }

  private static func append(_ scalar: Unicode.Scalar, to result: inout String) {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    case "\r": result += "\\r"
    case "\t": result += "\\t"
    case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    default: result.unicodeScalars.append(scalar)
    }
  }
}
