public import ResultsDomain
import ResultsStoreKit

/// One item of a feed, read or unread, identified by its guid or its link.
public struct Item: Entity {
  /// The feed's identifier of the item, or the link if there is none.
  public var guid: String
  /// The title.
  public var title: String
  /// The address.
  public var link: String?
  /// The key of the feed.
  public var feedID: Int64?
  /// The time of publication.
  public var published: Instant?
  /// The text of the time of publication, if it cannot be read.
  public var publishedText: String?
  /// The summary, as plain text.
  public var summary: String?
  /// Whether it has been read.
  public var isRead: Bool
  /// Whether it is kept for good; `nil` is no.
  public var isKept: Bool?
  /// The time at which a refresh brought it, or `nil` if it came from a file.
  public var receivedAt: Instant?

  /// An item.
  public init(
    guid: String,
    title: String,
    link: String? = nil,
    feedID: Int64? = nil,
    published: Instant? = nil,
    publishedText: String? = nil,
    summary: String? = nil,
    isRead: Bool = false
  ) {
    self.guid = guid
    self.title = title
    self.link = link
    self.feedID = feedID
    self.published = published
    self.publishedText = publishedText
    self.summary = summary
    self.isRead = isRead
  }

  /// Whether it is kept for good.
  var keepsForGood: Bool {
    get { isKept == true }
    set { isKept = newValue ? true : nil }
  }

  /// An empty item, to be filled from a row.
  public init() { self.init(guid: "", title: "") }

  /// The feed; an item is deleted with it.
  public static let feed = ToOne<Item, Feed>("feed", \.feedID, onDelete: .cascade)

  /// The entity Item.
  public static let schema = EntitySchema<Item>("Item", textIdentity: \.guid) {
    Attribute(\.title, "title")
    Attribute(\.link, "link")
    Attribute(\.feedID, "feedID")
    Attribute(\.published, "published")
    Attribute(\.publishedText, "publishedText")
    Attribute(\.summary, "summary")
    Attribute(\.isRead, "isRead")
    Attribute(\.isKept, "isKept")
    Attribute(\.receivedAt, "receivedAt")
    Relationship(feed)
  }
}

/// The rules by which a record of a file becomes an item.
public enum ItemRecord {
  /// Field names and the attributes they stand for.
  public static let aliases = ["guid": "id"]

  /// Returns the record with an identifier, and as unread unless it has the field `isRead`.
  ///
  /// The identifier is the guid, or the link. An item without either is identified by a digest of its content.
  public static func complete(_ record: Record) -> Record {
    var record = record
    if field(["guid", "id"], of: record) == nil {
      record.fields.removeAll { ["guid", "id"].contains($0.name.lowercased()) }
      let link = field(["link"], of: record)
      let value = link?.value ?? .text(contentName(of: record))
      record.fields.append(RecordField(name: "guid", value: value, column: link?.column ?? 1))
    }
    if !record.fields.contains(where: { $0.name.lowercased() == "isread" }) {
      record.fields.append(RecordField(name: "isRead", value: .integer(0), column: 1))
    }
    return record
  }

  /// Returns the first field with one of these names that is not empty.
  private static func field(_ names: [String], of record: Record) -> RecordField? {
    record.fields.first { field in
      guard names.contains(field.name.lowercased()) else { return false }
      return field.value != .null && field.value != .text("")
    }
  }

  private static func contentName(of record: Record) -> String {
    var digest = RowDigest()
    for name in ["feed", "title", "published", "summary"] {
      digest.add(field([name], of: record)?.value ?? .null)
    }
    let digits = String(digest.value, radix: 16)
    return "content-" + String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
