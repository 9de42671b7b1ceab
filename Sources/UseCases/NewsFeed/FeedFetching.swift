/// A feed to fetch.
public struct FeedRequest: Hashable, Sendable {
  /// The key of the feed.
  public var id: Int64
  /// Its address.
  public var address: String
  /// The `ETag` of the last content.
  public var tag: String?
  /// The `Last-Modified` of the last content.
  public var modified: String?

  /// Creates a request.
  public init(id: Int64, address: String, tag: String? = nil, modified: String? = nil) {
    (self.id, self.address, self.tag, self.modified) = (id, address, tag, modified)
  }
}

/// What a server, or the way to it, answered to a request.
public enum FeedAnswer: Hashable, Sendable {
  /// The content.
  case content([UInt8])
  /// The content is still that of the last time.
  case unchanged
  /// There is no such feed any more, and there will not be.
  case gone
  /// A sentence that says what failed, without an address and without a full stop.
  case failed(String)
}

/// The response to a request.
public struct FeedResponse: Sendable {
  /// The key of the feed.
  public var id: Int64
  /// The answer.
  public var answer: FeedAnswer
  /// The address of the content, after redirects.
  public var address: String?
  /// Whether the redirects to that address are permanent.
  public var hasMoved = false
  /// The `ETag` of the content.
  public var tag: String?
  /// The `Last-Modified` of the content.
  public var modified: String?
  /// The seconds after which the server wants to be asked again.
  public var retryAfter: Int?
  /// The seconds for which the content stays fresh.
  public var maximumAge: Int?

  /// Creates a response.
  public init(id: Int64, _ answer: FeedAnswer) { (self.id, self.answer) = (id, answer) }
}

/// The port through which feeds are fetched.
public protocol FeedFetching: Sendable {
  /// Fetches feeds, and returns each response when it has come, in any order.
  ///
  /// Each request has one response, unless the task that waits for it is cancelled: that ends the stream at once.
  func fetch(_ requests: [FeedRequest]) -> AsyncStream<FeedResponse>
}

/// What the content of a feed says.
public struct FeedDocument: Sendable {
  /// The title of the feed.
  public var title: String?
  /// The address of the site that the feed belongs to.
  public var site: String?
  /// The minutes for which the content stays fresh.
  public var minutesToLive: Int?
  /// The items; the feed that they belong to is set when they are stored.
  public var items: [Item]

  /// Creates a document.
  public init(
    title: String? = nil,
    site: String? = nil,
    minutesToLive: Int? = nil,
    items: [Item] = []
  ) {
    (self.title, self.site, self.minutesToLive, self.items) = (title, site, minutesToLive, items)
  }
}

/// Why the content of a feed cannot be read: a sentence without a full stop.
public struct FeedDefect: Error, Hashable, Sendable {
  /// The sentence.
  public let message: String

  /// Creates a defect.
  public init(_ message: String) { self.message = message }
}

/// The port through which the content of feeds is read.
public protocol FeedReading: Sendable {
  /// Reads content.
  /// - Parameters:
  ///   - content: The bytes, in any encoding.
  ///   - address: The address of the content, to which links in it are relative.
  /// - Returns: What it says.
  /// - Throws: `FeedDefect`.
  func document(_ content: [UInt8], from address: String) throws(FeedDefect) -> FeedDocument
}
