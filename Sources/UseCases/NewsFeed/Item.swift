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
