/// What the elements of RSS 2.0, RSS 1.0 and Atom are called, and what the XML parser's codes mean.
enum FeedName {
  /// An element's name as the reader knows it.
  ///
  /// - Parameters:
  ///   - name: The name as it is written.
  ///   - namespace: Its namespace.
  ///   - home: The namespace of the feed's root, whatever its publisher took for that of feeds.
  /// - Returns: The name in lower case, with a prefix where the element belongs to an extension.
  static func normalized(_ name: String, namespace: String?, home: String?) -> String {
    let local = name.split(separator: ":").last.map(String.init) ?? name
    if let home, !home.isEmpty, namespace == home { return local.lowercased() }
    switch namespace ?? "" {
    // An undeclared prefix marks an extension as well as a declared one.
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

  /// The part an element of an item holds, and its rank among those that hold the same.
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

  /// Whether an element of XHTML stands inside a line.
  static func isInline(_ name: String) -> Bool { HTMLText.inline.contains(name) }

  /// libxml2's XML_NS_ERR_UNDEFINED_NAMESPACE.
  static let undeclaredPrefixCode = 201

  /// Words for the codes of libxml2, which Foundation passes on.
  static func message(ofParserError code: Int) -> String {
    switch code {
    case 4: "the feed is empty."
    case 5, 77: "the feed ends before its elements do."
    case 6...9: "a character that XML forbids."
    case 22...27: "an entity that is not known."
    case 38: "a “<” in an attribute that is not escaped."
    case 39...41, 65, 75: "a malformed attribute."
    case 42: "an attribute that is there twice."
    case 45: "a comment that is not closed."
    case 46, 47: "an instruction that is not closed."
    case 62: "a “]]>” that closes nothing."
    case 63: "a CDATA section that is not closed."
    case 64: "an XML declaration that is not at the beginning."
    case 68: "a “<” or “&” that is not escaped."
    case 72, 73: "a tag that is not closed by a “>”."
    case 76: "an end tag that does not match its start tag."
    case 86: "text behind the end of the feed."
    case 89: "a name that XML forbids."
    case 203: "an attribute that is there twice."
    case 1549: "the feed is too large for the parser."
    default: "the XML is not well formed here (error \(code) of libxml2)."
    }
  }
}
