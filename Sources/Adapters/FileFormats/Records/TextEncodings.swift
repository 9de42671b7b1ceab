import Foundation
import ResultsDomain

/// The byte order mark at the beginning of a file.
enum ByteOrderMark: String, Sendable {
  case utf16LittleEndian = "UTF-16LE"
  case utf16BigEndian = "UTF-16BE"
  case utf32LittleEndian = "UTF-32LE"
  case utf32BigEndian = "UTF-32BE"

  /// The byte order mark of UTF-8, which readers skip.
  static let utf8: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The mark of another encoding than UTF-8, if the bytes begin with one.
  static func foreign(in bytes: [UInt8]) -> ByteOrderMark? {
    switch Array(bytes.prefix(4)) {
    // The mark of UTF-16LE is a prefix of that of UTF-32LE.
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

/// A Unicode encoding with units of two or four bytes, detected by the first bytes of an XML document.
enum UnicodeForm: CaseIterable {
  case utf32BigEndian
  case utf32LittleEndian
  case utf16BigEndian
  case utf16LittleEndian

  /// Detects the form by the byte order mark or by the first `<` (XML 1.0, appendix F).
  init?(beginning bytes: [UInt8]) {
    // The longer forms come first: the shorter ones are prefixes of them.
    let form = UnicodeForm.allCases.first { form in
      ([0xFEFF, 0x3C] as [UInt32]).contains { bytes.starts(with: form.bytes(of: $0)) }
    }
    guard let form else { return nil }
    self = form
  }

  /// The forms that a name in lower case stands for, the usual one first; `nil` for another name.
  static func forms(of name: String) -> [UnicodeForm]? {
    switch name {
    case "utf-16", "utf16": [.utf16LittleEndian, .utf16BigEndian]
    case "utf-16le": [.utf16LittleEndian]
    case "utf-16be": [.utf16BigEndian]
    case "utf-32", "utf32": [.utf32LittleEndian, .utf32BigEndian]
    default: nil
    }
  }

  /// The name of the encoding.
  var name: String { width == 4 ? "UTF-32" : "UTF-16" }

  /// The text in UTF-8 without its byte order mark, or `nil` if the bytes are not valid.
  func decoded(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count.isMultiple(of: width) else { return nil }
    let units = stride(from: 0, to: bytes.count, by: width).lazy.map { start in
      self.unit(bytes[start..<start + self.width])
    }
    let text =
      width == 4
      ? String(validating: units, as: UTF32.self)
      : String(validating: units.map { UInt16(truncatingIfNeeded: $0) }, as: UTF16.self)
    return text.map {
      Array(
        ($0.unicodeScalars.first == "\u{FEFF}" ? String($0.unicodeScalars.dropFirst()) : $0).utf8
      )
    }
  }

  /// Whether a document of this form begins with `<`, with or without a byte order mark.
  func isMarkup(_ bytes: [UInt8]) -> Bool {
    let mark = self.bytes(of: 0xFEFF)
    let start = bytes.starts(with: mark) ? mark.count : 0
    return bytes[start...].starts(with: self.bytes(of: 0x3C))
  }

  private var width: Int {
    switch self {
    case .utf32BigEndian, .utf32LittleEndian: 4
    case .utf16BigEndian, .utf16LittleEndian: 2
    }
  }

  private var isBigEndian: Bool { self == .utf32BigEndian || self == .utf16BigEndian }

  private func unit(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    isBigEndian
      ? bytes.reduce(0) { $0 << 8 | UInt32($1) }
      : bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The bytes of a unit.
  func bytes(of unit: UInt32) -> [UInt8] {
    let bytes = (0..<width).map { UInt8(truncatingIfNeeded: unit >> (8 * UInt32($0))) }
    return isBigEndian ? bytes.reversed() : bytes
  }
}

/// The encodings that a feed may declare, and a user may name for a file, besides those of Unicode.
///
/// The list is fixed: the name may come from the feed, and converters that accept any name have been attacked that way.
enum TextEncoding {
  /// Decoded by Foundation.
  case foundation(String.Encoding)
  /// Decoded by the system's `iconv`, if it has the tables.
  case system(String)

  /// The encoding of a name in lower case, or `nil` for one that is not supported.
  static func named(_ name: String) -> TextEncoding? {
    let name = name.replacingOccurrences(of: "_", with: "-")
    if let encoding = foundation[name] { return .foundation(encoding) }
    return system.contains(name) ? .system(name) : nil
  }

  /// The text in UTF-8, or `nil` if the bytes are not valid in this encoding.
  func decoded(_ bytes: [UInt8]) -> [UInt8]? {
    switch self {
    case .foundation(let encoding):
      return String(data: Data(bytes), encoding: encoding).map { Array($0.utf8) }
    case .system(let name): return TextEncoding.converted(bytes, from: name)
    }
  }

  private static let foundation: [String: String.Encoding] = [
    "us-ascii": .ascii, "ascii": .ascii, "iso-8859-1": .isoLatin1, "iso8859-1": .isoLatin1,
    "latin1": .isoLatin1, "latin-1": .isoLatin1, "iso-8859-2": .isoLatin2, "latin2": .isoLatin2,
    "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251, "windows-1252": .windowsCP1252,
    "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254, "cp1250": .windowsCP1250,
    "cp1251": .windowsCP1251, "cp1252": .windowsCP1252, "cp1253": .windowsCP1253,
    "cp1254": .windowsCP1254, "shift-jis": .shiftJIS, "sjis": .shiftJIS,
    "windows-31j": .shiftJIS, "cp932": .shiftJIS,
  ]

  private static let system: Set<String> = {
    var names: Set<String> = [
      "big5", "big5-hkscs", "euc-jp", "euc-kr", "euc-tw", "gb18030", "gb2312", "gbk", "hz-gb-2312",
      "iso-2022-jp", "iso-2022-kr", "johab", "koi8-r", "koi8-u", "macintosh", "tis-620", "viscii",
    ]
    for part in 3...16 where part != 12 { names.insert("iso-8859-\(part)") }
    for page in 1255...1258 { names.formUnion(["windows-\(page)", "cp\(page)"]) }
    for page in [
      437, 737, 775, 850, 852, 855, 857, 860, 861, 862, 863, 864, 865, 866, 869, 874, 949, 950,
    ] {
      names.formUnion(["cp\(page)", "ibm\(page)"])
    }
    return names
  }()

  private static func converted(_ bytes: [UInt8], from name: String) -> [UInt8]? {
    // iconv has another name for this one.
    let descriptor = iconv_open("UTF-8", name == "hz-gb-2312" ? "HZ" : name)
    guard descriptor != iconv_t(bitPattern: -1) else { return nil }
    defer { iconv_close(descriptor) }
    var input = bytes.map { CChar(bitPattern: $0) }
    // No character of these encodings takes more than four bytes of UTF-8 per byte.
    var output = [CChar](repeating: 0, count: 4 * bytes.count + 16)
    let written = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output -> Int? in
        var (source, sourceCount) = (input.baseAddress, input.count)
        var (target, targetCount) = (output.baseAddress, output.count)
        let result = iconv(descriptor, &source, &sourceCount, &target, &targetCount)
        guard result != .max, sourceCount == 0 else { return nil }
        guard iconv(descriptor, nil, nil, &target, &targetCount) != .max else { return nil }
        return output.count - targetCount
      }
    }
    return written.map { output[..<$0].map { UInt8(bitPattern: $0) } }
  }
}

/// The first byte that is not valid UTF-8.
enum UTF8Defect {
  /// The offset, from the beginning of all bytes, of the first byte in a range that is not valid UTF-8.
  /// - Complexity: O(*n*) in the range; meant for messages.
  static func offset(in bytes: [UInt8], _ range: Range<Int>) -> Int? {
    var decoder = Unicode.UTF8.ForwardParser()
    var iterator = bytes[range].makeIterator()
    var offset = range.lowerBound
    while true {
      switch decoder.parseScalar(from: &iterator) {
      case .valid(let scalar): offset += scalar.count
      case .emptyInput: return nil
      case .error: return offset
      }
    }
  }
}
