import Foundation
import ResultsDomain

/// The parts of one item of a feed, before it becomes a record.
struct FeedItem {
  /// A text and its position in the feed.
  struct Part {
    var text: String
    var line: Int
    var column: Int
  }

  let line: Int
  let column: Int
  var parts: [FeedPart: Part] = [:]

  /// The record with the fields `title`, `link`, `guid`, `published`, `feed` and `summary`, and with
  /// `publishedText` for a date that cannot be read.
  ///
  /// A date that cannot be read is null: people read an item of which only the date is wrong (`dateProblem(source:)`).
  func record(feed: FeedItem) -> Record {
    var fields = [
      field("title", .text(title)), field("link", value(.link)),
      field("guid", parts[.guid] == nil ? value(.link) : value(.guid)),
      field("published", published.map { .text($0.plainText) } ?? .null),
      RecordField(name: "feed", value: .text(feed.parts[.title]?.text ?? ""), column: column),
      field("summary", value(.summary)),
    ]
    if let unreadDate {
      fields.append(RecordField(name: "publishedText", value: .text(unreadDate), column: column))
    }
    return Record(line: line, fields: fields)
  }

  private func field(_ name: String, _ value: Value) -> RecordField {
    let part = FeedPart(rawValue: name).flatMap { parts[$0] }
    // A record has one line, so the column of a part on a later line has no meaning for it.
    let isOnLine = part?.line == line
    return RecordField(name: name, value: value, column: isOnLine ? part?.column ?? column : column)
  }

  private func value(_ part: FeedPart) -> Value {
    parts[part].map { .text($0.text) } ?? .null
  }

  /// The title; without one, the beginning of the summary, or the link.
  private var title: String {
    if let title = parts[.title]?.text, !title.isEmpty { return title }
    // The first paragraph on one line.
    let lines = parts[.summary]?.text.split(separator: "\n", omittingEmptySubsequences: false)
    let summary = lines?.prefix { !$0.isEmpty }.joined(separator: " ") ?? ""
    guard !summary.isEmpty else { return parts[.link]?.text ?? "" }
    return summary.count > 100 ? summary.prefix(99) + "…" : summary
  }

  /// The date as the feed has it, if it cannot be read.
  private var unreadDate: String? {
    guard let text = parts[.published]?.text, !text.isEmpty, published == nil else { return nil }
    return String(text.prefix(200))
  }

  private var published: Instant? { parts[.published].flatMap { FeedDate.instant(of: $0.text) } }

  /// What is wrong with the item's date, if it has one that cannot be read.
  func dateProblem(source: String) -> RecordError? {
    guard let part = parts[.published], !part.text.isEmpty, published == nil else { return nil }
    return RecordError(
      source: source,
      line: part.line,
      column: part.column,
      message: "“\(part.text.prefix(40))” is not a date in the form of RFC 822 or RFC 3339:",
      remedy: "the item has no date.",
      isRecoverable: true
    )
  }
}

/// The parts of an item that become fields.
enum FeedPart: String {
  case title
  case link
  case guid
  case published
  case summary
  /// A part of the feed alone.
  case minutesToLive
}

/// Parses the dates of feeds: RFC 822 with the extensions of RFC 2822, and RFC 3339 with its shorter forms.
enum FeedDate {
  /// The instant of a date, or `nil` if the text has another form or the date does not exist.
  ///
  /// A date without a time is a whole day. The weekday is not compared with the date.
  static func instant(of text: String) -> Instant? {
    let text = HTMLText.trimmed(text)
    switch ISODate.form(of: text) {
    case .instant(let instant): return instant
    case .day(let day): return Instant(wholeDay: Int64(day.daysSince1970))
    case nil: return mailDate(text)
    }
  }

  /// `Tue, 03 Nov 2026 09:00:00 +0900`; weekday and seconds may be missing.
  private static func mailDate(_ text: String) -> Instant? {
    var scanner = DigitScanner(text)
    let weekday = scanner.word()
    if !weekday.isEmpty {
      guard weekdays.contains(where: { weekday == $0 || weekday == $0.prefix(3) }),
        scanner.take(",")
      else { return nil }
      _ = scanner.skipSpaces()
    }
    guard let day = scanner.number(digits: 1...2), scanner.skipSpaces(),
      let month = months.firstIndex(of: scanner.word()), scanner.skipSpaces(),
      let year = scanner.number(digits: 2...4), scanner.skipSpaces(),
      let date = CivilDate(year: fullYear(year), month: month + 1, day: day),
      let hour = scanner.number(digits: 1...2), scanner.take(":"),
      let minute = scanner.number(digits: 2), hour < 24, minute < 60
    else { return nil }
    var second = 0
    if scanner.take(":") {
      guard let number = scanner.number(digits: 2), number < 60 else { return nil }
      second = number
    }
    guard scanner.skipSpaces(), let offset = zone(&scanner), scanner.isAtEnd else { return nil }
    let minutes = date.daysSince1970 * 1440 + hour * 60 + minute - offset
    return Instant(microseconds: Int64(minutes * 60 + second) * 1_000_000)
  }

  /// The year of a number with two to four digits (RFC 2822, section 4.3).
  private static func fullYear(_ year: Int) -> Int {
    switch year {
    case 0..<50: 2000 + year
    case 50..<1000: 1900 + year
    default: year
    }
  }

  private static func zone(_ scanner: inout DigitScanner) -> Int? {
    let name = scanner.word()
    return name.isEmpty ? scanner.offset() : zones[name].map { $0 * 60 }
  }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  private static let weekdays = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]
  /// The zone names of RFC 822 and their offsets in hours.
  private static let zones = [
    "z": 0, "ut": 0, "utc": 0, "gmt": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7,
    "mdt": -6, "pst": -8, "pdt": -7,
  ]
}
