import Foundation
package import ResultsDomain

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Reads the items of an RSS 2.0, RSS 1.0 or Atom feed as records.
///
/// The fields are `title` (without one, the beginning of the summary), `link` (absolute if the feed has a base address),
/// `guid` (Atom's id; the link if there is none, or if several items share it), `published` (ISO 8601 in UTC,
/// or null), `publishedText` (only for a date that cannot be read), `feed` (the feed's title) and `summary` (plain text). Fields may contain control characters; the display
/// escapes them. Lines and columns are those of the end of a start tag.
///
/// A feed that is not well formed, too long, or declares entities is refused as a whole. An item whose date cannot be read has
/// none, and ``unreadDates`` says why.
package struct FeedReader: RecordReader, Sendable {
  private enum State: Sendable {
    case unread([UInt8])
    case reading(ArraySlice<Record>)
  }

  private let source: String
  private let address: String?
  private let maximumBytes: Int
  private var state: State
  /// The dates of items that cannot be read, in the order of the items; known once the first item was read.
  package private(set) var unreadDates: [RecordError] = []
  /// What the feed says of itself, known once the first item was read.
  package private(set) var heading = FeedHeading()

  /// A reader of bytes in memory.
  /// - Parameters:
  ///   - bytes: The feed, in the encoding of its XML declaration, or UTF-8.
  ///   - source: The name of the feed for error messages.
  ///   - address: The address of the feed, to resolve relative links, or `nil`.
  ///   - maximumBytes: The largest size of a feed, in bytes.
  package init(
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

  /// Returns the next item, or `nil` at the end.
  /// - Throws: `RecordError`.
  /// - Complexity: O(*n*) in the feed's bytes for the first item, O(1) for the others.
  package mutating func next() throws(RecordError) -> Record? {
    if case .unread(let bytes) = state {
      state = .reading([])
      state = .reading(try items(bytes))
    }
    guard case .reading(var items) = state, let item = items.popFirst() else { return nil }
    state = .reading(items)
    return item
  }

  private mutating func items(_ bytes: [UInt8]) throws(RecordError) -> ArraySlice<Record> {
    guard bytes.count <= maximumBytes else {
      throw error(
        nil,
        nil,
        "the feed has \(bytes.count) bytes; the limit is \(maximumBytes).",
        "Shorten a saved copy."
      )
    }
    let handler = FeedHandler(base: address.flatMap { URL(string: $0) })
    try parse(bytes, with: handler)
    // The title of the feed may come after its items.
    let items = handler.items.withUniqueGuids()
    unreadDates = items.compactMap { $0.dateProblem(source: source) }
    heading = handler.heading
    return items.map { $0.record(feed: handler.feed) }[...]
  }

  private func parse(_ bytes: [UInt8], with handler: FeedHandler) throws(RecordError) {
    let parser = try XMLMarkup(bytes, of: source).parse(with: handler)
    if let problem = handler.problem {
      throw error(problem.line, problem.column, problem.message, problem.remedy)
    }
    guard handler.isComplete else {
      throw error(
        max(parser.lineNumber, 1),
        max(parser.columnNumber, 1),
        "the feed is empty or ends before its first element.",
        "Report it to the publisher, or correct a saved copy."
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

/// What a feed says of itself.
package struct FeedHeading: Hashable, Sendable {
  /// The title.
  package var title: String?
  /// The address of the site that the feed belongs to.
  package var site: String?
  /// The minutes for which the feed stays fresh, of RSS's `<ttl>`.
  package var minutesToLive: Int?
}

extension [FeedItem] {
  /// The items, each with a guid that is unique within the feed.
  ///
  /// Some feeds give all their items one guid, or one link and no guid. It does not identify an item, so it is replaced by
  /// the item's link or a digest of its content. Of items that share guid, link and title only the latest remains, as
  /// RFC 4287 (section 4.1.1) allows.
  /// - Complexity: O(*n*)
  func withUniqueGuids() -> [FeedItem] {
    var indexes: [String: [Int]] = [:]
    for (index, item) in enumerated() {
      if let name = item.name { indexes[name, default: []].append(index) }
    }
    var items = self
    var older: Set<Int> = []
    for indexes in indexes.values where indexes.count > 1 {
      let groups = Dictionary(grouping: indexes) { Distinction(items[$0]) }
      for group in groups.values {
        let latest = group.max {
          items[$0].date < items[$1].date || (items[$0].date == items[$1].date && $0 > $1)
        }
        older.formUnion(group.filter { $0 != latest })
      }
      guard groups.count > 1 else { continue }
      let links = Set(groups.keys.compactMap(\.link))
      let areLinksUnique = links.count == groups.count
      for index in indexes {
        items[index].parts[.guid] =
          areLinksUnique ? items[index].parts[.link] : items[index].contentName
      }
    }
    return items.enumerated().filter { !older.contains($0.offset) }.map(\.element)
  }
}

/// The parts by which items of one guid differ.
private struct Distinction: Hashable {
  let link: String?
  private let title: String?

  init(_ item: FeedItem) {
    link = item.parts[.link]?.text
    title = item.parts[.title]?.text
  }
}

extension FeedItem {
  /// The identifier of the item: its guid, or its link if there is none.
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
