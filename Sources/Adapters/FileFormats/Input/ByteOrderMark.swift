import ResultsDomain

/// The bytes at the beginning of a file that name its encoding.
enum ByteOrderMark: String, Sendable {
  case utf16LittleEndian = "UTF-16LE"
  case utf16BigEndian = "UTF-16BE"
  case utf32LittleEndian = "UTF-32LE"
  case utf32BigEndian = "UTF-32BE"

  /// The mark of UTF-8, which is skipped.
  static let utf8: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The mark of another encoding, if the bytes begin with one.
  static func foreign(in bytes: [UInt8]) -> ByteOrderMark? {
    switch Array(bytes.prefix(4)) {
    // The shorter mark is the beginning of the longer.
    case [0xFF, 0xFE, 0, 0]: .utf32LittleEndian
    case [0, 0, 0xFE, 0xFF]: .utf32BigEndian
    case let mark where mark.starts(with: [0xFF, 0xFE]): .utf16LittleEndian
    case let mark where mark.starts(with: [0xFE, 0xFF]): .utf16BigEndian
    default: nil
    }
  }

  func error(source: String) -> RecordError {
    RecordError(
      source: source,
      line: 1,
      column: 1,
      message: "the file is \(rawValue), not UTF-8.",
      remedy: "Convert it first: iconv -f \(rawValue.dropLast(2)) -t UTF-8.",
      isRecoverable: false
    )
  }
}
