import Foundation

/// Makes a feed's bytes fit for the XML parser: UTF-8, no document type, no entity XML does not know.
///
/// Lines keep their numbers.
struct FeedMarkup {
  /// Why the bytes are refused.
  struct Defect: Error {
    var line: Int?
    var message: String
    var remedy: String
  }

  /// The markup in UTF-8, without declaration and document type.
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) throws(Defect) {
    self.bytes = try FeedMarkup.cleaned(try FeedMarkup.decoded(bytes))
  }
}

// MARK: - Encoding

extension FeedMarkup {
  private static let byteOrderMarks: [([UInt8], String)] = [
    (ByteOrderMark.utf8, "utf-8"), ([0xFF, 0xFE], "utf-16"), ([0xFE, 0xFF], "utf-16"),
  ]

  private static let encodings: [String: String.Encoding] = [
    "us-ascii": .ascii, "iso-8859-1": .isoLatin1, "latin1": .isoLatin1,
    "windows-1252": .windowsCP1252, "cp1252": .windowsCP1252, "windows-1251": .windowsCP1251,
    "windows-1250": .windowsCP1250, "iso-8859-2": .isoLatin2, "shift_jis": .shiftJIS,
    "shift-jis": .shiftJIS, "windows-31j": .shiftJIS, "utf-16": .utf16,
    "utf-16le": .utf16LittleEndian,
    "utf-16be": .utf16BigEndian,
  ]

  private static func decoded(_ bytes: [UInt8]) throws(Defect) -> [UInt8] {
    let mark = byteOrderMarks.first { bytes.starts(with: $0.0) }
    let name = mark?.1 ?? declaredEncoding(bytes) ?? "utf-8"
    if name == "utf-8" || name == "utf8" {
      let content = mark == nil ? bytes : Array(bytes.dropFirst(ByteOrderMark.utf8.count))
      guard let offset = UTF8Defect.offset(in: content, 0..<content.count) else { return content }
      let byte = String(content[offset], radix: 16, uppercase: true)
      throw Defect(
        line: 1 + content[..<offset].count { $0 == 0x0A },
        message: "the feed says it is UTF-8, but the byte \(byte) at offset \(offset) is not.",
        remedy: "Convert it first, for example with: iconv -f ISO-8859-1 -t UTF-8."
      )
    }
    guard let encoding = encodings[name] else {
      throw Defect(
        line: 1,
        message: "the encoding “\(name)” is not read.",
        remedy: "Convert it to UTF-8 first: iconv -f \(name.uppercased()) -t UTF-8."
      )
    }
    guard let text = String(data: Data(bytes), encoding: encoding) else {
      throw Defect(
        line: 1,
        message: "the feed says it is \(name), but is not.",
        remedy: "Convert it to UTF-8 first, with iconv."
      )
    }
    return Array(text.utf8)
  }

  /// The encoding of the XML declaration, in lower case; the declaration is ASCII in all that matter.
  private static func declaredEncoding(_ bytes: [UInt8]) -> String? {
    let head = String(decoding: bytes.prefix(200), as: UTF8.self)
    guard head.hasPrefix("<?xml"), let end = head.range(of: "?>"),
      let key = head.range(of: "encoding", range: head.startIndex..<end.lowerBound)
    else { return nil }
    let value = head[key.upperBound..<end.lowerBound].drop { $0 == " " || $0 == "=" }
    guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
    return value.dropFirst().prefix { $0 != quote }.lowercased()
  }
}

// MARK: - Entities

extension FeedMarkup {
  private static func cleaned(_ bytes: [UInt8]) throws(Defect) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "<"):
        let (end, isKept) = try special(bytes, at: index)
        // What is dropped keeps its line ends, so that errors name the right line.
        result += bytes[index..<end].filter { isKept || $0 == 0x0A }
        index = end
      case UInt8(ascii: "&"):
        index = appendEntity(bytes, at: index, to: &result)
      default:
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }

  /// Where what begins with this `<` ends as far as it is one piece, and whether it is kept.
  private static func special(_ bytes: [UInt8], at index: Int) throws(Defect)
    -> (end: Int, isKept: Bool)
  {
    let rest = bytes[index...]
    if rest.starts(with: "<![CDATA[".utf8) { return (self.end(of: "]]>", bytes, index + 9), true) }
    if rest.starts(with: "<!--".utf8) { return (self.end(of: "-->", bytes, index + 4), true) }
    if rest.starts(with: "<?xml ".utf8) { return (self.end(of: "?>", bytes, index), false) }
    guard rest.prefix(9).map({ $0 & 0xDF }) == "<!DOCTYPE".utf8.map({ $0 & 0xDF }) else {
      return (index + 1, true)
    }
    let end = self.end(of: ">", bytes, index)
    guard !bytes[index..<end].contains(UInt8(ascii: "[")) else {
      throw Defect(
        line: 1 + bytes[..<index].count { $0 == 0x0A },
        message: "the feed declares entities of its own, which is how bombs are built.",
        remedy: "Remove the DOCTYPE if you trust the feed."
      )
    }
    return (end, false)
  }

  private static func end(of mark: String, _ bytes: [UInt8], _ start: Int) -> Int {
    var index = min(start, bytes.count)
    while index < bytes.count {
      if bytes[index...].starts(with: mark.utf8) { return index + mark.utf8.count }
      index += 1
    }
    return bytes.count
  }

  /// Writes the character of an HTML entity, or the bytes as they are; gives the index behind.
  private static func appendEntity(_ bytes: [UInt8], at index: Int, to result: inout [UInt8]) -> Int
  {
    let name = bytes[(index + 1)...].prefix(10).prefix {
      ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || (0x30...0x39).contains($0)
    }
    if name.endIndex < bytes.count, bytes[name.endIndex] == UInt8(ascii: ";"),
      let scalar = HTMLEntities.scalar(named: String(decoding: name, as: UTF8.self))
    {
      result += Array(String(scalar).utf8)
      return name.endIndex + 1
    }
    result.append(bytes[index])
    return index + 1
  }
}
