public import ResultsDomain

/// A feed with its items: one that is fetched from an address, or one whose items come from files.
public struct Feed: Entity {
  /// The key; the store assigns it.
  public var id: Int64?
  /// The title.
  public var title: String
  /// The address it is fetched from, or `nil` for a feed whose items come from files.
  public var address: String?
  /// The address of the site that it belongs to.
  public var site: String?
  /// The folder it is filed in.
  public var folder: String?
  /// The `ETag` of the last content.
  public var tag: String?
  /// The `Last-Modified` of the last content.
  public var modified: String?
  /// The time of the last try to fetch it.
  public var checkedAt: Instant?
  /// The time of the next try; a feed that was tried and has none is not tried again.
  public var nextCheck: Instant?
  /// Why the last try failed.
  public var failure: String?
  /// The number of tries that have failed since the last one that did not.
  public var failures: Int16?
  /// The time of the first of them.
  public var failedSince: Instant?
  /// The address to which the last try was permanently redirected.
  public var movedTo: String?
  /// For how many days a read item stays that the feed has no more; 90 if it is `nil`.
  public var keep: Int32?

  /// A feed without a key.
  public init(
    title: String,
    address: String? = nil,
    site: String? = nil,
    folder: String? = nil
  ) {
    (self.title, self.address, self.site, self.folder) = (title, address, site, folder)
  }

  /// A feed without a title, to be filled from a row.
  public init() { self.init(title: "") }

  /// The items, which are deleted with the feed.
  public static let items = ToMany<Feed, Item>("items", inverse: Item.feed)

  /// The entity Feed.
  public static let schema = EntitySchema<Feed>("Feed", identity: \.id) {
    Attribute(\.title, "title")
    Attribute(\.address, "address")
    Attribute(\.site, "site")
    Attribute(\.folder, "folder")
    Attribute(\.tag, "tag")
    Attribute(\.modified, "modified")
    Attribute(\.checkedAt, "checkedAt")
    Attribute(\.nextCheck, "nextCheck")
    Attribute(\.failure, "failure")
    Attribute(\.failures, "failures")
    Attribute(\.failedSince, "failedSince")
    Attribute(\.movedTo, "movedTo")
    Attribute(\.keep, "keep")
    Relationship(items)
  }

  /// For how many days a read item stays that its feed has no more, if the feed says nothing else.
  static let usualKeep: Int32 = 90

  /// The number of unread items, as a value of a feed in a list.
  public static let unread = FetchExpression.relatedAggregate(
    ["items"],
    .count,
    nil,
    where: NewsFeed.unread
  )

  /// Whether it is fetched: it has an address, and its server has not said that it is gone.
  var isFetched: Bool { address != nil && (checkedAt == nil || nextCheck != nil) }

  /// Whether it is to be fetched at a time.
  func isDue(at now: Instant) -> Bool {
    isFetched && (nextCheck.map { $0.microseconds <= now.microseconds } ?? true)
  }

  /// The feed in which a try has failed.
  func failed(_ failure: String, at now: Instant, retryAfter: Int? = nil) -> Feed {
    var feed = self
    feed.failure = failure
    feed.failures = (failures ?? 0) + (failures == .max ? 0 : 1)
    feed.failedSince = failedSince ?? now
    feed.checkedAt = now
    feed.nextCheck = FeedSchedule.next(
      after: now,
      failures: feed.failures ?? 1,
      retryAfter: retryAfter
    )
    return feed
  }
}

/// The times at which feeds are fetched again.
public enum FeedSchedule {
  /// The shortest and the longest interval, in seconds.
  static let bounds = 900...86_400
  /// The interval for a feed that asks for none, in seconds.
  static let usual = 3600

  /// Returns the time of the next try after one that did not fail.
  ///
  /// It is what the feed or its server asks for, whichever is longer, between 15 minutes and a day.
  /// - Parameters:
  ///   - now: The time of the last try.
  ///   - seconds: The intervals that are asked for, such as `max-age` and the feed's `<ttl>`.
  /// - Returns: The time.
  public static func next(after now: Instant, asked seconds: [Int?]) -> Instant {
    later(seconds.compactMap(\.self).max() ?? usual, than: now)
  }

  /// Returns the time of the next try after some that have failed: each failure doubles the interval, and `Retry-After` counts.
  public static func next(after now: Instant, failures: Int16, retryAfter: Int?) -> Instant {
    // Seven doublings of 15 minutes are more than a day.
    let doubled = bounds.lowerBound << min(max(Int(failures), 0), 7)
    return later(max(doubled, retryAfter ?? 0), than: now)
  }

  private static func later(_ seconds: Int, than now: Instant) -> Instant {
    let seconds = min(max(seconds, bounds.lowerBound), bounds.upperBound)
    return Instant(microseconds: now.microseconds + Int64(seconds) * 1_000_000)
  }
}
