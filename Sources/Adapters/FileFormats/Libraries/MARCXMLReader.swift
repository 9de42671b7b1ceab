import Foundation
package import ResultsDomain

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Reads the books of a MARCXML file: MARC 21 in the elements of loc.gov/standards/marcxml.
///
/// Records may stand in elements of other namespaces, as in answers of catalogues. A file that is not well formed, too long, or declares
/// entities is refused as a whole.
package struct MARCXMLReader: RecordReader, Sendable {
  private enum State: Sendable {
    case unread([UInt8])
    case reading(ArraySlice<MARCRecord>)
  }

  private let source: String
  private let maximumBytes: Int
  private var state: State

  /// The namespace of the elements.
  static let namespace = "http://www.loc.gov/MARC21/slim"

  /// A reader of bytes in memory.
  /// - Parameters:
  ///   - bytes: The file, in the encoding of its XML declaration, or UTF-8.
  ///   - source: The name of the file for error messages.
  ///   - maximumBytes: The largest size, in bytes.
  package init(bytes: [UInt8], source: String, maximumBytes: Int = 32 << 20) {
    (self.source, self.maximumBytes) = (source, maximumBytes)
    state = .unread(bytes)
  }

  /// Returns the next book, or `nil` at the end.
  /// - Throws: `RecordError`; after a recoverable one the next record follows.
  /// - Complexity: O(*n*) in the file's bytes for the first book, O(*k*) in the record's for the others.
  package mutating func next() throws(RecordError) -> Record? {
    if case .unread(let bytes) = state {
      state = .reading([])
      state = .reading(try records(bytes))
    }
    guard case .reading(var records) = state, let record = records.popFirst() else { return nil }
    state = .reading(records)
    return try record.record(source: source)
  }

  /// Whether the first element of a file is a collection or a record of the namespace.
  /// - Complexity: O(*k*) in the bytes before it, at most 64 kB.
  static func isRoot(of bytes: [UInt8]) -> Bool {
    // Names of elements and the namespace are ASCII, also between the zeros of UTF-16.
    var rest = bytes.prefix(1 << 16).filter { $0 != 0 }[...]
    func skip(to mark: String) {
      while !rest.isEmpty, !rest.starts(with: mark.utf8) { rest = rest.dropFirst() }
    }
    while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[start...].dropFirst()
      if rest.starts(with: "!--".utf8) {
        skip(to: "-->")
      } else if rest.first == UInt8(ascii: "?") {
        skip(to: "?>")
      } else if rest.first != UInt8(ascii: "!") {
        let tag = rest.prefix { $0 != UInt8(ascii: ">") }
        let name =
          tag.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
          .split(separator: UInt8(ascii: ":")).last ?? []
        return (name.elementsEqual("collection".utf8) || name.elementsEqual("record".utf8))
          && tag.indices.contains { tag[$0...].starts(with: namespace.utf8) }
      }
    }
    return false
  }

  private func records(_ bytes: [UInt8]) throws(RecordError) -> ArraySlice<MARCRecord> {
    guard bytes.count <= maximumBytes else {
      throw error(
        nil,
        "the file has \(bytes.count) bytes; the limit of MARCXML is \(maximumBytes).",
        "Convert it, for example: yaz-marcdump -i marcxml -o marc FILE"
      )
    }
    let handler = MARCXMLHandler()
    let parser = try XMLMarkup(bytes, of: source).parse(with: handler)
    guard handler.isComplete, !handler.hasFailed else {
      throw error(
        max(handler.failedLine ?? parser.lineNumber, 1),
        "the XML is not well formed here.",
        "Export the records again, or correct a copy."
      )
    }
    guard handler.isMARC else {
      throw error(
        1,
        "the file has no element of MARCXML (\(MARCXMLReader.namespace)).",
        "Export the records as MARC 21."
      )
    }
    return handler.records[...]
  }

  private func error(_ line: Int?, _ message: String, _ remedy: String) -> RecordError {
    RecordError(
      source: source,
      line: line,
      message: message,
      remedy: remedy,
      isRecoverable: false
    )
  }
}

/// Collects the records of MARCXML while the XML parser walks through it.
private final class MARCXMLHandler: NSObject, XMLParserDelegate {
  private(set) var records: [MARCRecord] = []
  private(set) var isMARC = false
  private(set) var isComplete = false
  private(set) var hasFailed = false
  private(set) var failedLine: Int?

  private var depth = 0
  private var record: MARCRecord?
  private var field: MARCRecord.Field?
  private var text: String?
  private var code: UInt8 = 0

  func parser(
    _ parser: XMLParser,
    didStartElement elementName: String,
    namespaceURI: String?,
    qualifiedName: String?,
    attributes: [String: String]
  ) {
    depth += 1
    guard namespaceURI == MARCXMLReader.namespace else { return }
    isMARC = true
    switch elementName {
    case "record" where record == nil: record = MARCRecord(line: max(parser.lineNumber, 1))
    case "leader": text = ""
    case "controlfield" where attributes["tag"] == "008": text = ""
    case "datafield":
      guard let tag = attributes["tag"], MARCRecord.reads(tag) else { break }
      field = MARCRecord.Field(
        tag: tag,
        indicator: attributes["ind2"]?.utf8.first ?? UInt8(ascii: " ")
      )
    case "subfield" where field != nil:
      code = attributes["code"]?.utf8.first ?? 0
      text = ""
    default: break
    }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { text?.append(string) }

  func parser(_ parser: XMLParser, foundCDATA block: Data) {
    text?.append(String(decoding: block, as: UTF8.self))
  }

  func parser(
    _ parser: XMLParser,
    didEndElement elementName: String,
    namespaceURI: String?,
    qualifiedName: String?
  ) {
    depth -= 1
    isComplete = depth == 0
    guard namespaceURI == MARCXMLReader.namespace else { return }
    let found = text
    switch elementName {
    case "leader":
      record?.status = found.flatMap { $0.utf8.dropFirst(5).first }
    case "controlfield":
      if let found { record?.fixedData = Array(found.utf8) }
    case "subfield":
      if let found { field?.subfields.append((code, found)) }
    case "datafield":
      if let field { record?.append(field) }
      field = nil
    case "record":
      if let record { records.append(record) }
      (record, field) = (nil, nil)
    default: return
    }
    text = nil
  }

  func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
    // libxml2's warnings about addresses of namespaces, which are only names.
    guard !(99...101).contains((error as NSError).code) else { return }
    if !hasFailed { failedLine = parser.lineNumber }
    hasFailed = true
    parser.abortParsing()
  }
}
