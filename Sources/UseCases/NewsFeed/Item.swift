public import ResultsDomain

/// One item of a feed, read or unread.
///
/// Its guid, or its link, tells it from the others.
public struct Item: Entity {
  /// The feed's own identifier of the item, or the link where there is none.
  public var guid: String
  /// What it is called.
  public var title: String
  /// Where it is.
  public var link: String?
  /// What the feed is called.
  public var feed: String
  /// When it was published.
  public var published: Instant?
  /// What it says, as plain text.
  public var summary: String?
  /// Whether it has been read.
  public var isRead: Bool

  /// An item.
  public init(
    guid: String,
    title: String,
    link: String? = nil,
    feed: String,
    published: Instant? = nil,
    summary: String? = nil,
    isRead: Bool = false
  ) {
    self.guid = guid
    self.title = title
    self.link = link
    self.feed = feed
    self.published = published
    self.summary = summary
    self.isRead = isRead
  }

  /// An item to be filled from a row.
  public init() { self.init(guid: "", title: "", feed: "") }

  /// The entity Item.
  public static let schema = EntitySchema<Item>("Item", textIdentity: \.guid) {
    Attribute(\.title, "title")
    Attribute(\.link, "link")
    Attribute(\.feed, "feed")
    Attribute(\.published, "published")
    Attribute(\.summary, "summary")
    Attribute(\.isRead, "isRead")
  }
}

/// How a record of a file becomes an item.
public enum ItemRecord {
  /// Field names that mean an attribute of another name.
  public static let aliases = ["guid": "id"]

  /// The record with a name for its item, and unread unless it says otherwise.
  ///
  /// The name is the guid, else the link. An item without either is named by what it says, so that it is known again as
  /// long as that is the same.
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

  /// The first field of one of some names that is not empty.
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
