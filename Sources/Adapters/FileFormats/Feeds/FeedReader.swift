import Foundation
public import ResultsDomain

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Reads the items of an RSS 2.0, RSS 1.0 or Atom feed as records.
///
/// The fields are `title` (the beginning of the summary where there is none), `link` (absolute where the feed says
/// from where), `guid` (Atom's id; the link where there is none, or where several items share it), `published` (ISO 8601 at
/// offset `Z`, or null), `feed` (the feed's title) and `summary` (plain text). Control characters in them are
/// data; the display makes them harmless. Lines and columns are where the XML parser stood, at
/// the end of a start tag.
///
/// A feed that is not well-formed, too long, or declares entities is refused whole; a date that is none is an
/// error of its item alone.
public struct FeedReader: RecordReader, Sendable {
  private enum State: Sendable {
    case unread([UInt8])
    case reading(ArraySlice<Result<Record, RecordError>>)
  }

  private let source: String
  private let address: String?
  private let maximumBytes: Int
  private var state: State

  /// A reader of bytes in memory.
  /// - Parameters:
  ///   - bytes: The feed; its declaration names the encoding, UTF-8 without one.
  ///   - source: The file's name for messages.
  ///   - address: Where the feed came from, to resolve relative links, or `nil`.
  ///   - maximumBytes: The longest feed that is read.
  public init(
    bytes: [UInt8],
    source: String,
    address: String? = nil,
    maximumBytes: Int = 32 << 20
  ) {
    self.source = source
    self.address = address
    self.maximumBytes = maximumBytes
    state = .unread(bytes)
  }

  /// The next item, or `nil` at the end.
  /// - Throws: `RecordError`.
  /// - Complexity: O(*n*) in the feed's bytes for the first item, O(1) for the others.
  public mutating func next() throws(RecordError) -> Record? {
    if case .unread(let bytes) = state {
      state = .reading([])
      state = .reading(try items(bytes))
    }
    guard case .reading(var items) = state, let item = items.popFirst() else { return nil }
    state = .reading(items)
    return try item.get()
  }

  private func items(_ bytes: [UInt8]) throws(RecordError)
    -> ArraySlice<Result<Record, RecordError>>
  {
    guard bytes.count <= maximumBytes else {
      throw error(
        nil,
        nil,
        "a feed of \(bytes.count) bytes; at most \(maximumBytes) are read.",
        "Save a shorter copy."
      )
    }
    let handler = FeedHandler(base: address.flatMap { URL(string: $0) })
    try parse(bytes, with: handler)
    // The feed's own title may stand behind its items.
    return handler.items.withGuidsOfTheirOwn().map { item in
      Result { () throws(RecordError) in try item.record(source: source, feed: handler.feed) }
    }[...]
  }

  private func parse(_ bytes: [UInt8], with handler: FeedHandler) throws(RecordError) {
    let markup: FeedMarkup
    do throws(FeedMarkup.Defect) {
      markup = try FeedMarkup(bytes)
    } catch {
      throw self.error(error.line, nil, error.message, error.remedy)
    }
    let parser = XMLParser(data: Data(markup.bytes))
    parser.shouldProcessNamespaces = true
    parser.shouldResolveExternalEntities = false
    parser.delegate = handler
    // The parser may say it succeeded after it reported an error; the report is the truth.
    _ = parser.parse()
    if let problem = handler.problem {
      throw error(problem.line, problem.column, problem.message, problem.remedy)
    }
    guard handler.isComplete else {
      throw error(
        max(parser.lineNumber, 1),
        max(parser.columnNumber, 1),
        "the feed is empty or ends before its first element.",
        "The feed is broken; ask its publisher, or correct a saved copy."
      )
    }
  }

  private func error(_ line: Int?, _ column: Int?, _ message: String, _ remedy: String)
    -> RecordError
  {
    RecordError(
      source: source,
      line: line,
      column: column,
      message: message,
      remedy: remedy,
      isRecoverable: false
    )
  }
}

extension [FeedItem] {
  /// The items, each with a guid of its own within the feed.
  ///
  /// Some feeds give one guid, or one link where there is no guid, to all their items: such a name tells none of them, so
  /// their links take its place, or what they say. Of two items that share guid, link and title only the later one stays,
  /// as RFC 4287 (section 4.1.1) allows.
  /// - Complexity: O(*n*)
  func withGuidsOfTheirOwn() -> [FeedItem] {
    var places: [String: [Int]] = [:]
    for (place, item) in enumerated() {
      if let name = item.name { places[name, default: []].append(place) }
    }
    var items = self
    var older: Set<Int> = []
    for places in places.values where places.count > 1 {
      let groups = Dictionary(grouping: places) { Distinction(items[$0]) }
      for group in groups.values {
        let latest = group.max {
          items[$0].date < items[$1].date || (items[$0].date == items[$1].date && $0 > $1)
        }
        older.formUnion(group.filter { $0 != latest })
      }
      guard groups.count > 1 else { continue }
      let links = Set(groups.keys.compactMap(\.link))
      for place in places {
        let isOwn = links.count == groups.count
        items[place].parts[.guid] = isOwn ? items[place].parts[.link] : items[place].contentName
      }
    }
    return items.enumerated().filter { !older.contains($0.offset) }.map(\.element)
  }
}

/// What tells two items of one guid apart.
private struct Distinction: Hashable {
  let link: String?
  private let title: String?

  init(_ item: FeedItem) {
    link = item.parts[.link]?.text
    title = item.parts[.title]?.text
  }
}

extension FeedItem {
  /// What the item is recognised by: its guid, or its link where there is none.
  fileprivate var name: String? { (parts[.guid] ?? parts[.link])?.text }

  fileprivate var date: Int64 {
    parts[.published].flatMap { FeedDate.instant(of: $0.text) }?.microseconds ?? .min
  }

  /// The item's guid with a digest of its title and summary.
  fileprivate var contentName: Part? {
    guard var part = parts[.guid] ?? parts[.link] else { return nil }
    var digest = RowDigest()
    for part in [FeedPart.title, .link, .summary] {
      digest.add(parts[part].map { .text($0.text) } ?? .null)
    }
    part.text += "#" + String(digest.value, radix: 16)
    return part
  }
}
