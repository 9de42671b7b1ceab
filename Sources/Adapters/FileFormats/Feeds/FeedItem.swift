import Foundation
import ResultsDomain

/// What was found of one item of a feed, before it becomes a record.
struct FeedItem {
  /// A text and where it stood.
  struct Part {
    var text: String
    var line: Int
    var column: Int
  }

  let line: Int
  let column: Int
  var parts: [FeedPart: Part] = [:]

  /// The record with the fields `title`, `link`, `guid`, `published`, `feed` and `summary`.
  func record(source: String, feed: FeedItem) throws(RecordError) -> Record {
    let fields = [
      field("title", .text(title)), field("link", value(.link)),
      field("guid", parts[.guid] == nil ? value(.link) : value(.guid)),
      field("published", try published(source: source)),
      RecordField(name: "feed", value: .text(feed.parts[.title]?.text ?? ""), column: column),
      field("summary", value(.summary)),
    ]
    return Record(line: line, fields: fields)
  }

  private func field(_ name: String, _ value: Value) -> RecordField {
    let part = FeedPart(rawValue: name).flatMap { parts[$0] }
    // A part on a later line has its column there; the record has one line only.
    let isOnLine = part?.line == line
    return RecordField(name: name, value: value, column: isOnLine ? part?.column ?? column : column)
  }

  private func value(_ part: FeedPart) -> Value {
    parts[part].map { .text($0.text) } ?? .null
  }

  /// The title, or the beginning of the summary, or the link: a list has to show something.
  private var title: String {
    if let title = parts[.title]?.text, !title.isEmpty { return title }
    guard let summary = parts[.summary]?.text, !summary.isEmpty else {
      return parts[.link]?.text ?? ""
    }
    return summary.count > 100 ? summary.prefix(99) + "…" : summary
  }

  private func published(source: String) throws(RecordError) -> Value {
    guard let part = parts[.published], !part.text.isEmpty else { return .null }
    guard let instant = FeedDate.instant(of: part.text) else {
      throw RecordError(
        source: source,
        line: part.line,
        column: part.column,
        message: "“\(part.text.prefix(40))” is no date of RFC 822 or RFC 3339.",
        remedy: "It should look like “Tue, 03 Nov 2026 09:00:00 +0900”.",
        isRecoverable: true
      )
    }
    return .text(instant.plainText)
  }
}

/// The parts of an item that become fields.
enum FeedPart: String {
  case title
  case link
  case guid
  case published
  case summary
}
