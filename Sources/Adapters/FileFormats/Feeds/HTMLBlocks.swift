/// Converts HTML to plain text of several lines: paragraphs, lists, quotations, rows of tables, and links with numbers.
///
/// Each address is once in a list below the text. The result has no control characters but line feeds.
struct HTMLBlocks {
  private var lines: [String] = []
  private var line = String.UnicodeScalarView()
  private var isSpacePending = false
  /// Whether an empty line separates the next line from those before it.
  private var isParagraphPending = false
  private var lists: [List] = []
  /// What the first line of an item begins with.
  private var marker: String?
  private var quotations = 0
  private var preformatted = 0
  private var openLink: Link?
  private var addresses: [String] = []
  private var numbers: [String: Int] = [:]

  private struct List {
    let isOrdered: Bool
    var count = 0
  }

  /// A link whose end has not been read.
  private struct Link {
    let address: String?
    var text = String.UnicodeScalarView()
  }

  /// The number of nested lists or quotations that are indented.
  private static let deepest = 6

  /// Returns the text of a document.
  /// - Parameters:
  ///   - html: The document; scripts, styles and comments are left out.
  ///   - resolve: Returns the absolute address of a link.
  /// - Returns: The text, without white space at its ends.
  /// - Complexity: O(*n*) in the scalars.
  static func text(_ html: String, resolving resolve: (String) -> String) -> String {
    var blocks = HTMLBlocks()
    var rest = Substring(html).unicodeScalars
    while let part = HTMLText.takePart(&rest) {
      switch part {
      case .scalar(let scalar): blocks.append(scalar)
      case .tag(let tag): blocks.append(tag, resolve)
      }
    }
    return blocks.ended()
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    if scalar == "\n", preformatted > 0 { return breakLine(always: true) }
    guard !HTMLText.isSpace(scalar) || preformatted > 0 else {
      isSpacePending = true
      return
    }
    let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    guard !isControl || scalar == "\t" else { return }
    if isSpacePending, !line.isEmpty { line.append(" ") }
    isSpacePending = false
    line.append(scalar)
    openLink?.text.append(scalar)
  }

  private mutating func append(text: String) {
    for scalar in text.unicodeScalars { append(scalar) }
  }

  private mutating func append(_ tag: HTMLText.Tag, _ resolve: (String) -> String) {
    switch tag.name {
    case "ul", "ol", "menu", "dir":
      if lists.isEmpty { breakParagraph() } else { breakLine() }
      if !tag.isEnd {
        lists.append(List(isOrdered: tag.name == "ol"))
      } else if !lists.isEmpty {
        lists.removeLast()
      }
    case "li":
      breakLine()
      marker = nil
      if !tag.isEnd { beginItem() }
    case "blockquote":
      breakParagraph()
      quotations = tag.isEnd ? max(0, quotations - 1) : quotations + 1
    case "pre":
      breakParagraph()
      preformatted = tag.isEnd ? max(0, preformatted - 1) : preformatted + 1
    case "br": breakLine(always: true)
    case "tr", "dt", "dd": breakLine()
    case "td", "th": if !tag.isEnd, !line.isEmpty { append(text: " | ") }
    case "img": append(picture: tag)
    case "a":
      endLink()
      guard !tag.isEnd else { return }
      let address = tag.value(of: "href").map(resolve).flatMap(HTMLBlocks.followed)
      openLink = Link(address: address)
    case let name where HTMLText.inline.contains(name) || name == "!": break
    case let name where HTMLBlocks.paragraphs.contains(name):
      // An item of a list is one paragraph.
      if lists.isEmpty { breakParagraph() } else { breakLine() }
    default: isSpacePending = true
    }
  }

  private mutating func beginItem() {
    guard !lists.isEmpty else { return marker = "• " }
    lists[lists.count - 1].count += 1
    let list = lists[lists.count - 1]
    marker = list.isOrdered ? "\(list.count). " : "• "
  }

  private mutating func append(picture tag: HTMLText.Tag) {
    guard let text = tag.value(of: "alt"), !HTMLText.trimmed(text).isEmpty else { return }
    append(text: "[picture: \(HTMLText.trimmed(text))]")
  }

  // MARK: - Links

  /// Ends the open link with the number of its address, unless its text is the address.
  private mutating func endLink() {
    guard let link = openLink else { return }
    openLink = nil
    guard let address = link.address, HTMLText.trimmed(String(link.text)) != address else { return }
    let number = numbers[address] ?? addresses.count + 1
    if numbers.updateValue(number, forKey: address) == nil { addresses.append(address) }
    let isSpaced = isSpacePending
    isSpacePending = !line.isEmpty
    append(text: "[\(number)]")
    isSpacePending = isSpaced
  }

  /// An address that a reader can follow, or `nil` for any other one, such as that of a script.
  private static func followed(_ address: String) -> String? {
    let start = address.prefix(8).lowercased()
    let isKnown = ["http://", "https://", "mailto:"].contains(where: start.hasPrefix)
    let isPlain = address.unicodeScalars.allSatisfy {
      $0.value > 0x20 && !(0x7F...0xA0).contains($0.value)
    }
    return isKnown && isPlain ? address : nil
  }

  // MARK: - Lines

  private mutating func breakParagraph() {
    breakLine()
    isParagraphPending = true
  }

  /// Ends the line.
  /// - Parameter isForced: Whether a second break makes an empty line.
  private mutating func breakLine(always isForced: Bool = false) {
    isSpacePending = false
    guard !line.isEmpty else {
      if isForced { isParagraphPending = true }
      return
    }
    if isParagraphPending, !lines.isEmpty { lines.append("") }
    isParagraphPending = false
    let depth = min(lists.count, HTMLBlocks.deepest)
    let isContinued = marker == nil && depth > 0
    let indent = String(repeating: "  ", count: max(0, depth - 1)) + (isContinued ? "  " : "")
    let quotation = String(repeating: "> ", count: min(quotations, HTMLBlocks.deepest))
    lines.append(quotation + indent + (marker ?? "") + String(line))
    marker = nil
    line = String.UnicodeScalarView()
  }

  private mutating func ended() -> String {
    endLink()
    breakLine()
    if !addresses.isEmpty {
      lines += (lines.isEmpty ? [] : [""])
      lines += addresses.enumerated().map { "[\($0 + 1)] \($1)" }
    }
    return HTMLText.trimmed(lines.joined(separator: "\n"))
  }

  private static let paragraphs: Set<String> = [
    "address", "article", "aside", "caption", "center", "details", "div", "dl", "fieldset",
    "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
    "main", "nav", "p", "section", "summary", "table",
  ]
}
