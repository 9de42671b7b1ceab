import Foundation
import ResultsDomain

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The bytes of a file as the XML parser takes them: UTF-8, without a document type, and without entities of HTML.
///
/// Line numbers stay the same.
struct XMLMarkup {
  /// The reason why the bytes are refused.
  private struct Defect: Error {
    var line: Int?
    var message: String
    var remedy: String
  }

  /// The markup in UTF-8, without declaration and document type.
  let bytes: [UInt8]

  /// Prepares the bytes of a file.
  /// - Parameters:
  ///   - bytes: The file.
  ///   - source: Its name for error messages.
  /// - Throws: `RecordError` for bytes in no known encoding, and for a file that defines entities.
  init(_ bytes: [UInt8], of source: String) throws(RecordError) {
    do throws(Defect) {
      self.bytes = try XMLMarkup.cleaned(try XMLMarkup.decoded(bytes))
    } catch {
      throw RecordError(
        source: source,
        line: error.line,
        message: error.message,
        remedy: error.remedy,
        isRecoverable: false
      )
    }
  }

  /// Walks through the markup, and reads no other file.
  /// - Parameters:
  ///   - handler: What is called for elements and texts, and for an error: the parser reports one to it and may say that all is well.
  ///   - hasNamespaces: Whether names of elements are those of namespaces.
  /// - Returns: The parser, where it has stopped.
  func parse(with handler: some XMLParserDelegate, hasNamespaces: Bool = true) -> XMLParser {
    let parser = XMLParser(data: Data(bytes))
    parser.shouldProcessNamespaces = hasNamespaces
    parser.shouldResolveExternalEntities = false
    parser.delegate = handler
    _ = parser.parse()
    return parser
  }
}

// MARK: - Encoding

extension XMLMarkup {
  private static func decoded(_ bytes: [UInt8]) throws(Defect) -> [UInt8] {
    if let form = UnicodeForm(beginning: bytes) {
      guard let text = form.decoded(bytes) else {
        throw Defect(
          line: 1,
          message: "the file begins like \(form.name), but is not valid \(form.name).",
          remedy: "Convert it to UTF-8 first, with iconv."
        )
      }
      return try withoutNulls(text)
    }
    let hasMark = bytes.starts(with: ByteOrderMark.utf8)
    let name = hasMark ? "utf-8" : declaredEncoding(bytes) ?? "utf-8"
    // The declaration was readable byte by byte, so the file is not UTF-16 or UTF-32, whatever it declares.
    if name.hasPrefix("utf") || name.contains("10646") || name.contains("ucs-") {
      return try withoutNulls(try utf8(hasMark ? Array(bytes.dropFirst(3)) : bytes))
    }
    guard let encoding = TextEncoding.named(name) else {
      throw Defect(
        line: 1,
        message: "the encoding “\(name.prefix(40))” is not supported.",
        remedy: "Convert it to UTF-8 first, with iconv."
      )
    }
    guard let text = encoding.decoded(bytes) else {
      throw Defect(
        line: 1,
        message: "the file declares the encoding \(name), but is not valid \(name).",
        remedy: "Convert it to UTF-8 first, with iconv."
      )
    }
    return try withoutNulls(text)
  }

  private static func utf8(_ bytes: [UInt8]) throws(Defect) -> [UInt8] {
    guard let offset = UTF8Defect.offset(in: bytes, 0..<bytes.count) else { return bytes }
    let byte = String(bytes[offset], radix: 16, uppercase: true)
    throw Defect(
      line: 1 + bytes[..<offset].count { $0 == 0x0A },
      message: "the byte \(byte) at offset \(offset) is not valid UTF-8.",
      remedy: "Convert it first, for example with: iconv -f ISO-8859-1 -t UTF-8."
    )
  }

  /// Returns the bytes; refuses NUL characters, at which the XML parser crashes.
  private static func withoutNulls(_ bytes: [UInt8]) throws(Defect) -> [UInt8] {
    guard let offset = bytes.firstIndex(of: 0) else { return bytes }
    throw Defect(
      line: 1 + bytes[..<offset].count { $0 == 0x0A },
      message: "a NUL character, which XML forbids.",
      remedy: "If the file is in another encoding, convert it to UTF-8 first, with iconv."
    )
  }

  /// The encoding of the XML declaration, in lower case; the declaration is ASCII in every supported encoding.
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

extension XMLMarkup {
  private static func cleaned(_ bytes: [UInt8]) throws(Defect) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "<"):
        let (end, isCopied) = try markup(bytes, at: index)
        // Line ends are always copied, so that errors name the right line.
        result += bytes[index..<end].filter { isCopied || $0 == 0x0A }
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

  /// The end of the CDATA section, comment, declaration or document type at this `<`, and whether it is copied.
  private static func markup(_ bytes: [UInt8], at index: Int) throws(Defect)
    -> (end: Int, isCopied: Bool)
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
        message:
          "the document defines its own entities, which can be used for an entity-expansion attack.",
        remedy: "Remove the DOCTYPE if you trust the file."
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

  /// Appends the character of an HTML entity, or the `&` itself, and returns the index after it.
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
