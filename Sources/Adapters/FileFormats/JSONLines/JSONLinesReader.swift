public import ResultsDomain

/// Reads one JSON object a line (RFC 8259); its keys are the fields.
///
/// A number without fraction and exponent is an integer, any other a real; `true` and `false` are the integers 1 and 0.
/// `{"base64":"…"}` is a blob; every other nested value is an error. Empty lines are skipped. Every
/// error but a wrong encoding leaves the lines behind it readable.
public struct JSONLinesReader: RecordReader, Sendable {
  private let bytes: [UInt8]
  private let source: String
  private let maximumLineBytes: Int
  private var position: Int
  private var line = 0

  /// A reader of bytes in memory.
  /// - Parameters:
  ///   - bytes: The file, in UTF-8.
  ///   - source: The file's name for messages.
  ///   - maximumLineBytes: The longest line that is read.
  public init(bytes: [UInt8], source: String, maximumLineBytes: Int = 16 << 20) {
    self.bytes = bytes
    self.source = source
    self.maximumLineBytes = maximumLineBytes
    position = bytes.starts(with: ByteOrderMark.utf8) ? ByteOrderMark.utf8.count : 0
  }

  /// The next record, or `nil` at the end.
  /// - Throws: `RecordError`.
  /// - Complexity: O(*n*) in the line's bytes.
  public mutating func next() throws(RecordError) -> Record? {
    if position == 0, let mark = ByteOrderMark.foreign(in: bytes) {
      position = bytes.count
      throw mark.error(source: source)
    }
    while let (lineStart, range) = nextLine() {
      guard !range.isEmpty else { continue }
      guard range.count <= maximumLineBytes else {
        throw error(
          1,
          "a line of \(range.count) bytes; at most \(maximumLineBytes) are read.",
          "Write one object a line."
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

  /// Where the next line begins, and its bytes without white space at the ends.
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
