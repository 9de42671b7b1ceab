import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Collects the items of a feed while the XML parser walks through it.
final class FeedHandler: NSObject, XMLParserDelegate {
  /// The element whose text is being collected.
  private struct Capture {
    var part: FeedPart
    /// A source of a part replaces one of lower rank.
    var rank: Int
    var form: FeedTextForm
    /// Whether the text is base64, as Atom 0.3 allows.
    var isBase64 = false
    var depth: Int
    var found: FeedItem.Part
  }

  private(set) var items: [FeedItem] = []
  private(set) var feed = FeedItem(line: 1, column: 1)
  private(set) var problem: (line: Int, column: Int, message: String, remedy: String)?

  private let base: URL?
  private var path: [String] = []
  private var bases: [URL?] = []
  private var item: (value: FeedItem, depth: Int, ranks: [FeedPart: Int])?
  private var feedLink: URL?
  private var capture: Capture?
  private var guidIsLink = false
  private var home: String?
  private var minutesToLive: Int?

  /// What the feed says of itself.
  var heading: FeedHeading {
    FeedHeading(
      title: feed.parts[.title]?.text,
      site: feedLink?.absoluteString,
      minutesToLive: minutesToLive
    )
  }

  init(base: URL?) { self.base = base }

  /// Whether the root element has ended.
  private(set) var isComplete = false

  func parser(
    _ parser: XMLParser,
    didStartElement elementName: String,
    namespaceURI: String?,
    qualifiedName: String?,
    attributes: [String: String]
  ) {
    if path.isEmpty { home = namespaceURI }
    let name = FeedName.normalized(elementName, namespace: namespaceURI, home: home)
    if path.isEmpty { checkRoot(name, parser) }
    path.append(name)
    let outer = bases.last ?? base
    bases.append(attributes["xml:base"].flatMap { URL(string: $0, relativeTo: outer) } ?? outer)
    if let form = capture?.form {
      let space = FeedName.isInline(name) ? "" : " "
      capture?.found.text += form.hasBlocks ? FeedName.tag(name, attributes) : space
      return
    }
    if item == nil, name == "item" || name == "entry" {
      begin(FeedItem(line: parser.lineNumber, column: parser.columnNumber), attributes)
    } else if let item {
      if path.count == item.depth + 1 { startPart(name, attributes, parser) }
    } else if isFeedLevel {
      startFeedPart(name, attributes, parser)
    }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    let isMarkup = capture?.form == .markup
    capture?.found.text += isMarkup ? FeedName.escaped(string) : string
  }

  func parser(_ parser: XMLParser, foundCDATA block: Data) {
    capture?.found.text += String(decoding: block, as: UTF8.self)
  }

  func parser(
    _ parser: XMLParser,
    didEndElement elementName: String,
    namespaceURI: String?,
    qualifiedName: String?
  ) {
    if let capture, capture.depth == path.count {
      finish(capture)
    } else if capture?.form.hasBlocks == true {
      capture?.found.text += "</\(path.last ?? "")>"
    }
    if let item, item.depth == path.count {
      items.append(item.value)
      self.item = nil
    }
    path.removeLast()
    bases.removeLast()
    isComplete = path.isEmpty
  }

  func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
    guard problem == nil else { return }
    let code = (error as NSError).code
    // Feeds with undeclared prefixes are common, and the reader does not need the declaration.
    guard code != FeedName.undeclaredPrefixCode else { return }
    problem = (
      max(parser.lineNumber, 1), max(parser.columnNumber, 1), FeedName.message(ofParserError: code),
      "Report it to the publisher, or correct a saved copy."
    )
    parser.abortParsing()
  }
}

// MARK: - Elements

extension FeedHandler {
  private var isFeedLevel: Bool {
    path.count >= 2 && ["channel", "feed"].contains(path[path.count - 2])
  }

  private func checkRoot(_ name: String, _ parser: XMLParser) {
    guard !["rss", "rdf", "feed"].contains(name) else { return }
    let what = name == "html" ? "an HTML page" : "a “\(name.prefix(40))” document"
    problem = (
      parser.lineNumber, parser.columnNumber, "this is \(what), not an RSS or Atom feed.",
      "Use the address of the feed itself."
    )
    parser.abortParsing()
  }

  private func begin(_ item: FeedItem, _ attributes: [String: String]) {
    self.item = (item, path.count, [:])
    // RSS 1.0 identifies its items by this attribute.
    if let about = attributes["rdf:about"] {
      set(.guid, rank: 1, FeedItem.Part(text: about, line: item.line, column: item.column))
    }
  }

  private func startPart(_ name: String, _ attributes: [String: String], _ parser: XMLParser) {
    if name == "link", let address = attributes["href"] {
      // Atom has links in attributes; only the alternate one is that of the article.
      guard (attributes["rel"] ?? "alternate") == "alternate" else { return }
      set(.link, rank: 3, part(resolved(address), parser))
      return
    }
    guard let (part, rank) = FeedName.part(of: name) else { return }
    if name == "guid" { guidIsLink = attributes["isPermaLink"]?.lowercased() != "false" }
    let form = FeedTextForm(element: name, type: attributes["type"])
    begin(part, rank, form, parser)
    capture?.isBase64 = attributes["mode"]?.lowercased() == "base64"
  }

  private func startFeedPart(_ name: String, _ attributes: [String: String], _ parser: XMLParser) {
    switch name {
    case "title" where feed.parts[.title] == nil:
      begin(.title, 1, FeedTextForm(element: name, type: attributes["type"]), parser)
    case "link":
      if let address = attributes["href"] {
        guard (attributes["rel"] ?? "alternate") == "alternate" else { return }
        feedLink = feedLink ?? URL(string: address, relativeTo: bases.last ?? base)
      } else if feedLink == nil {
        begin(.link, 1, .verbatim, parser)
      }
    case "ttl": begin(.minutesToLive, 1, .verbatim, parser)
    default: break
    }
  }

  private func begin(_ part: FeedPart, _ rank: Int, _ form: FeedTextForm, _ parser: XMLParser) {
    capture = Capture(
      part: part,
      rank: rank,
      form: form,
      depth: path.count,
      found: self.part("", parser)
    )
  }

  private func finish(_ capture: Capture) {
    self.capture = nil
    var found = capture.found
    if capture.isBase64,
      let data = Data(base64Encoded: found.text, options: .ignoreUnknownCharacters),
      let text = String(validating: data, as: UTF8.self)
    {
      found.text = text
    }
    found.text =
      capture.part == .summary && capture.form.hasBlocks
      ? HTMLBlocks.text(found.text, resolving: resolved) : capture.form.plain(found.text)
    guard item != nil else {
      if capture.part == .title { feed.parts[.title] = found }
      if capture.part == .minutesToLive {
        minutesToLive = Int(found.text).map { max(0, min($0, 1 << 20)) }
      }
      if capture.part == .link {
        feedLink = URL(string: found.text, relativeTo: bases.last ?? base)
      }
      return
    }
    guard !found.text.isEmpty else { return }
    if capture.part == .link { found.text = resolved(found.text) }
    set(capture.part, rank: capture.rank, found)
    let isAddress = found.text.hasPrefix("http://") || found.text.hasPrefix("https://")
    if path.last == "guid", guidIsLink, isAddress { set(.link, rank: 1, found) }
  }

  private func set(_ part: FeedPart, rank: Int, _ found: FeedItem.Part) {
    guard rank > item?.ranks[part] ?? 0 else { return }
    item?.ranks[part] = rank
    item?.value.parts[part] = found
  }

  private func part(_ text: String, _ parser: XMLParser) -> FeedItem.Part {
    FeedItem.Part(text: text, line: parser.lineNumber, column: parser.columnNumber)
  }

  /// The absolute address, or the address itself if no base is known.
  private func resolved(_ address: String) -> String {
    let address = HTMLText.trimmed(address)
    guard let start = (bases.last ?? nil) ?? feedLink else { return address }
    return URL(string: address, relativeTo: start)?.absoluteString ?? address
  }
}

/// The element names of RSS 2.0, RSS 1.0 and Atom, and the messages for the XML parser's codes.
enum FeedName {
  /// Normalizes the name of an element.
  ///
  /// - Parameters:
  ///   - name: The name in the feed.
  ///   - namespace: The namespace of the element.
  ///   - home: The namespace of the root element, which counts as that of feeds whatever it is.
  /// - Returns: The name in lower case, with a prefix where the element belongs to an extension.
  static func normalized(_ name: String, namespace: String?, home: String?) -> String {
    let local = name.split(separator: ":").last.map(String.init) ?? name
    if let home, !home.isEmpty, namespace == home { return local.lowercased() }
    switch namespace ?? "" {
    // A prefix marks an extension, declared or not.
    case "": return name.contains(":") ? name.lowercased() : local.lowercased()
    case "http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#", "http://purl.org/rss/1.0/",
      "http://my.netscape.com/rdf/simple/0.9/", "http://backend.userland.com/rss2",
      "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/1999/xhtml":
      return local.lowercased()
    case "http://purl.org/dc/elements/1.1/": return "dc:" + local.lowercased()
    case "http://purl.org/dc/terms/": return "dcterms:" + local.lowercased()
    case "http://search.yahoo.com/mrss/", "http://search.yahoo.com/mrss":
      return "media:" + local.lowercased()
    case "http://purl.org/rss/1.0/modules/content/": return "content:" + local.lowercased()
    default: return "other:" + local.lowercased()
    }
  }

  /// The part of an item that an element holds, and its rank among the elements for that part.
  static func part(of name: String) -> (part: FeedPart, rank: Int)? {
    switch name {
    case "title": (.title, 3)
    case "dc:title": (.title, 2)
    case "media:title": (.title, 1)
    case "link": (.link, 2)
    case "guid", "id": (.guid, 2)
    case "published", "pubdate", "issued": (.published, 5)
    case "dcterms:issued": (.published, 4)
    case "dc:date": (.published, 3)
    case "created", "dcterms:created": (.published, 2)
    case "updated", "modified", "dcterms:modified": (.published, 1)
    case "description", "summary": (.summary, 2)
    case "content", "content:encoded": (.summary, 1)
    default: nil
    }
  }

  /// Whether an XHTML element is an inline element.
  static func isInline(_ name: String) -> Bool { HTMLText.inline.contains(name) }

  /// The start of an XHTML element as HTML, with what of its attributes is read.
  static func tag(_ name: String, _ attributes: [String: String]) -> String {
    let read = ["href", "alt"].compactMap { key in
      attributes[key].map { " \(key)=\"\(escaped($0))\"" }
    }
    return "<\(name)\(read.joined())>"
  }

  /// A text as HTML.
  static func escaped(_ text: String) -> String {
    var escaped: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): escaped += "&amp;".utf8
      case UInt8(ascii: "<"): escaped += "&lt;".utf8
      case UInt8(ascii: "\""): escaped += "&quot;".utf8
      default: escaped.append(byte)
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  /// libxml2's XML_NS_ERR_UNDEFINED_NAMESPACE.
  static let undeclaredPrefixCode = 201

  /// The message for an error code of libxml2.
  static func message(ofParserError code: Int) -> String {
    switch code {
    case 4: "the feed is empty."
    case 5, 77: "the feed ends inside of an element."
    case 6...9: "a character that XML forbids."
    case 22...27: "an unknown entity."
    case 38: "an unescaped “<” in an attribute."
    case 39...41, 65, 75: "a malformed attribute."
    case 42: "an attribute that occurs twice."
    case 45: "an unclosed comment."
    case 46, 47: "an unclosed processing instruction."
    case 62: "a “]]>” outside of a CDATA section."
    case 63: "an unclosed CDATA section."
    case 64: "an XML declaration that is not at the start of the feed."
    case 68: "an unescaped “<” or “&”."
    case 72, 73: "a tag without its closing “>”."
    case 76: "an end tag that does not match its start tag."
    case 86: "text after the end of the feed."
    case 89: "a name that XML forbids."
    case 203: "an attribute that occurs twice."
    case 1549: "the feed is too large for the parser."
    default: "the XML is not well formed here (error \(code) of libxml2)."
    }
  }
}

/// How the text of an element is converted to plain text.
private enum FeedTextForm: Sendable {
  /// Plain text; white space at its ends is removed.
  case verbatim
  /// Text that may be escaped twice, like titles in RSS; tags in it are text.
  case escaped
  /// HTML.
  case html
  /// Elements of XHTML, which are written as HTML again.
  case markup

  /// The form of an element of an item, by its name and Atom's `type`.
  init(element name: String, type: String?) {
    switch (name, type?.lowercased()) {
    case (_, "xhtml"), (_, "application/xhtml+xml"): self = .markup
    case ("title", nil): self = .escaped
    case (_, "html"), ("title", "text/html"): self = .html
    case ("description", _), ("content:encoded", _): self = .html
    case ("summary", "text"), ("content", "text"), (_, "text/plain"): self = .verbatim
    case ("summary", _), ("content", _): self = .html
    default: self = .verbatim
    }
  }

  /// Whether the text can have paragraphs, lists and links.
  var hasBlocks: Bool { self == .html || self == .markup }

  /// The plain text, of one line unless it is verbatim.
  func plain(_ text: String) -> String {
    switch self {
    case .verbatim: HTMLText.trimmed(text)
    case .escaped: HTMLText.decodingEntities(text)
    case .html, .markup: HTMLText.plain(text)
    }
  }
}
