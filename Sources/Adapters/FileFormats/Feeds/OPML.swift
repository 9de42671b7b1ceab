import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif
package import ResultsDomain

/// A feed in a list of subscriptions.
package struct OPMLOutline: Hashable, Sendable {
  /// The address of the feed.
  package var address: String
  /// The title, if there is one.
  package var title: String?
  /// The address of the site.
  package var site: String?
  /// The folder; folders in folders are joined by slashes.
  package var folder: String?
  /// The line of the file.
  package var line = 1

  /// Creates an outline.
  package init(
    address: String,
    title: String? = nil,
    site: String? = nil,
    folder: String? = nil
  ) {
    (self.address, self.title, self.site, self.folder) = (address, title, site, folder)
  }
}

/// OPML, the form in which feed readers exchange lists of subscriptions.
package enum OPML {
  /// Reads the feeds of a list, in its order.
  /// - Parameters:
  ///   - bytes: The file, in the encoding of its XML declaration, or UTF-8.
  ///   - source: The name of the file for error messages.
  /// - Returns: The feeds.
  /// - Throws: `RecordError` if the file is not well formed, or no OPML.
  /// - Complexity: O(*n*) in the bytes.
  package static func outlines(_ bytes: [UInt8], source: String) throws(RecordError)
    -> [OPMLOutline]
  {
    func error(_ line: Int?, _ message: String, _ remedy: String) -> RecordError {
      RecordError(
        source: source,
        line: line,
        message: message,
        remedy: remedy,
        isRecoverable: false
      )
    }
    let handler = OPMLHandler()
    let parser = try XMLMarkup(bytes, of: source).parse(with: handler, hasNamespaces: false)
    if let name = handler.otherRoot {
      throw error(
        1,
        "this is a “\(name.prefix(40))” document, and not OPML.",
        "Give the list of subscriptions that another reader has exported."
      )
    }
    guard handler.isComplete, !handler.hasFailed else {
      throw error(
        max(parser.lineNumber, 1),
        "the XML is not well formed here.",
        "Export the list again, or correct a copy."
      )
    }
    return handler.outlines
  }

  /// Returns the file of a list, with an outline for each folder.
  /// - Complexity: O(*n*) in the feeds.
  package static func text(_ outlines: [OPMLOutline], title: String) -> String {
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<opml version=\"2.0\">",
      "  <head><title>\(escaped(title))</title></head>", "  <body>",
    ]
    for outline in outlines where outline.folder == nil { lines.append("    " + element(outline)) }
    var indexes: [Value: Int] = [:]
    var folders: [(name: String, lines: [String])] = []
    for outline in outlines {
      guard let name = outline.folder else { continue }
      let index = indexes[.text(name)] ?? folders.count
      if index == folders.count { folders.append((name, [])) }
      indexes[.text(name)] = index
      folders[index].lines.append("      " + element(outline))
    }
    for folder in folders {
      lines.append("    <outline text=\"\(escaped(folder.name))\">")
      lines += folder.lines + ["    </outline>"]
    }
    return (lines + ["  </body>", "</opml>"]).joined(separator: "\n") + "\n"
  }

  private static func element(_ outline: OPMLOutline) -> String {
    let title = escaped(outline.title ?? outline.address)
    let site = outline.site.map { " htmlUrl=\"\(escaped($0))\"" } ?? ""
    return "<outline type=\"rss\" text=\"\(title)\" title=\"\(title)\""
      + " xmlUrl=\"\(escaped(outline.address))\"\(site)/>"
  }

  /// A text as the value of an attribute; characters that XML forbids are left out.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: break
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

/// Collects the feeds of a list while the XML parser walks through it.
private final class OPMLHandler: NSObject, XMLParserDelegate {
  private(set) var outlines: [OPMLOutline] = []
  private(set) var otherRoot: String?
  private(set) var isComplete = false
  private(set) var hasFailed = false
  private var depth = 0
  /// The folders that are open, by their depth.
  private var folders: [(depth: Int, name: String)] = []

  func parser(
    _ parser: XMLParser,
    didStartElement elementName: String,
    namespaceURI: String?,
    qualifiedName: String?,
    attributes: [String: String]
  ) {
    depth += 1
    if depth == 1, elementName.lowercased() != "opml" {
      otherRoot = elementName
      return parser.abortParsing()
    }
    // The parser recurses, and no list is that deep.
    guard depth < 200 else {
      hasFailed = true
      return parser.abortParsing()
    }
    guard elementName.lowercased() == "outline" else { return }
    let values = Dictionary(
      attributes.map { ($0.key.lowercased(), HTMLText.trimmed($0.value)) },
      uniquingKeysWith: { first, _ in first }
    )
    let title = [values["title"], values["text"]].compactMap { $0 }.first { !$0.isEmpty }
    guard let address = values["xmlurl"], !address.isEmpty else {
      if let title { folders.append((depth, title)) }
      return
    }
    var outline = OPMLOutline(
      address: address,
      title: title,
      site: values["htmlurl"].flatMap { $0.isEmpty ? nil : $0 },
      folder: folders.isEmpty ? nil : folders.map(\.name).joined(separator: "/")
    )
    outline.line = max(parser.lineNumber, 1)
    outlines.append(outline)
  }

  func parser(
    _ parser: XMLParser,
    didEndElement elementName: String,
    namespaceURI: String?,
    qualifiedName: String?
  ) {
    if folders.last?.depth == depth { folders.removeLast() }
    depth -= 1
    isComplete = depth == 0
  }

  func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
    if otherRoot == nil { hasFailed = true }
  }
}
