public import ResultsDomain
public import ResultsStoreKit
public import ResultsPresentation

/// A feed as other readers describe it in OPML.
public struct Subscription: Hashable, Sendable {
  /// The address of the feed.
  public var address: String
  /// The title, if there is one.
  public var title: String?
  /// The address of the site.
  public var site: String?
  /// The folder.
  public var folder: String?

  /// Creates a subscription.
  public init(
    address: String,
    title: String? = nil,
    site: String? = nil,
    folder: String? = nil
  ) {
    (self.address, self.title, self.site, self.folder) = (address, title, site, folder)
  }
}

extension NewsFeed {
  /// The feeds by folder and title, each with the number of its unread items.
  public static func feedsDefinition<Object: FetchedObject>(
    _ kind: Object.Type = Object.self
  ) -> ResultsDefinition<Object> {
    ResultsDefinition(
      FetchRequest<Object>(
        entity: Feed.entity,
        sortedBy: [.ascending("title")],
        fetchBatchSize: 20
      ),
      sectionedBy: .attribute("folder")
    )
  }

  /// All feeds, by title.
  /// - Throws: `StoreError`.
  public func feeds() throws(StoreError) -> [Feed] {
    try store.fetch(FetchRequest<Feed>(entity: Feed.entity, sortedBy: [.ascending("title")]))
  }

  /// The number of unread items.
  /// - Throws: `StoreError`.
  public func unreadCount() throws(StoreError) -> Int {
    try store.count(of: Self.request(ObjectID.self, onlyUnread: true))
  }

  /// Returns the feeds that a text names: by key, address or title.
  /// - Throws: `StoreError`.
  public func feeds(named text: String) throws(StoreError) -> [Feed] {
    let all = try feeds()
    if let id = Int64(text), let feed = all.first(where: { $0.id == id }) { return [feed] }
    let address = (try? FeedAddress.checked(text)) ?? text
    let known = all.filter { feed in
      feed.address.map { Value.text($0) == .text(address) } ?? false
    }
    return known.isEmpty ? all.filter { Value.text($0.title) == .text(text) } : known
  }

  /// Adds a feed that is to be fetched, unless there is one with its address.
  ///
  /// A feed of that title whose items come from files, if there is just one, gets the address: its items stay, with their marks.
  /// - Returns: The feed, and whether it was not fetched before.
  /// - Throws: `StoreError`.
  @discardableResult
  public func subscribe(
    _ subscription: Subscription,
    origin: CommitOrigin = .unnamed
  ) throws(StoreError) -> (feed: Feed, isNew: Bool) {
    try store.commit(origin: origin) { transaction in
      try Self.subscribe(subscription, in: transaction)
    }.result
  }

  /// Adds several feeds in one commit.
  /// - Returns: The number of those that are new.
  /// - Throws: `StoreError`.
  @discardableResult
  public func subscribe(
    _ subscriptions: [Subscription],
    origin: CommitOrigin = .unnamed
  ) throws(StoreError) -> Int {
    try store.commit(origin: origin) { transaction -> Int in
      var count = 0
      for subscription in subscriptions
      where try Self.subscribe(subscription, in: transaction).isNew {
        count += 1
      }
      return count
    }.result
  }

  /// Adds a feed with what its address holds, in one commit.
  /// - Returns: The feed, whether it was not fetched before, and the number of new items.
  /// - Throws: `StoreError`.
  public func subscribe(
    _ subscription: Subscription,
    to document: FeedDocument,
    answering response: FeedResponse,
    at now: Instant,
    origin: CommitOrigin = .unnamed
  ) throws(StoreError) -> (feed: Feed, isNew: Bool, added: Int) {
    var subscription = subscription
    subscription.title = subscription.title ?? document.title
    subscription.site = subscription.site ?? document.site
    return try store.commit(origin: origin) { [subscription] transaction in
      var (feed, isNew) = try Self.subscribe(subscription, in: transaction)
      (feed.tag, feed.modified, feed.checkedAt) = (response.tag, response.modified, now)
      (feed.failure, feed.failures, feed.failedSince) = (nil, nil, nil)
      feed.nextCheck = FeedSchedule.next(
        after: now,
        asked: [response.maximumAge, document.minutesToLive.map { $0 * 60 }]
      )
      try transaction.update(feed)
      var added = 0
      for item in document.items {
        let outcome = try Self.importItem(item, of: feed, isFetched: true, into: transaction)
        if outcome == .added { added += 1 }
      }
      return (feed, isNew, added)
    }.result
  }

  /// Removes a feed with its items, or leaves the items in a feed that is not fetched any more.
  /// - Returns: The number of its items.
  /// - Throws: `StoreError`.
  @discardableResult
  public func unsubscribe(
    _ id: Int64,
    keepingItems: Bool = false,
    origin: CommitOrigin = .unnamed
  ) throws(StoreError) -> Int {
    try store.commit(origin: origin) { transaction -> Int in
      let key = ObjectKey.integer(id)
      guard var feed = try transaction.object(key, as: Feed.self) else { return 0 }
      let items = FetchPredicate.comparison(.attribute("feedID"), .equal, .literal(.integer(id)))
      let count = try transaction.count(of: Item.entity, where: items)
      guard keepingItems else {
        _ = try transaction.delete(ObjectID(entity: Feed.entity.name, key: key), of: Feed.entity)
        return count
      }
      (feed.address, feed.tag, feed.modified, feed.nextCheck) = (nil, nil, nil, nil)
      (feed.failure, feed.failures, feed.failedSince, feed.movedTo) = (nil, nil, nil, nil)
      try transaction.update(feed)
      return count
    }.result
  }

  /// The subscriptions, by folder and title.
  /// - Throws: `StoreError`.
  public func subscriptions() throws(StoreError) -> [Subscription] {
    let sorts = [FetchSortDescriptor.ascending("folder"), .ascending("title")]
    let feeds = try store.fetch(FetchRequest<Feed>(entity: Feed.entity, sortedBy: sorts))
    return feeds.compactMap { feed in
      feed.address.map {
        Subscription(address: $0, title: feed.title, site: feed.site, folder: feed.folder)
      }
    }
  }

  private static func subscribe(
    _ subscription: Subscription,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> (feed: Feed, isNew: Bool) {
    if var known = try feed(at: subscription.address, in: transaction) {
      guard let folder = subscription.folder, known.folder == nil else { return (known, false) }
      known.folder = folder
      try transaction.update(known)
      return (known, false)
    }
    let title = subscription.title ?? ""
    let sameTitle = title.isEmpty ? [] : try feeds(titled: title, in: transaction)
    if sameTitle.count == 1, var feed = sameTitle.first, feed.address == nil {
      feed.address = subscription.address
      feed.site = subscription.site ?? feed.site
      feed.folder = subscription.folder ?? feed.folder
      try transaction.update(feed)
      return (feed, true)
    }
    let feed = Feed(
      title: title.isEmpty ? subscription.address : title,
      address: subscription.address,
      site: subscription.site,
      folder: subscription.folder
    )
    return (try added(feed, to: transaction), true)
  }

  /// The feed that is fetched from an address.
  static func feed(at address: String, in transaction: any StoreTransaction)
    throws(StoreError) -> Feed?
  {
    try storedFeeds(where: "address", is: address, in: transaction).first
  }

  private static func feeds(titled title: String, in transaction: any StoreTransaction)
    throws(StoreError) -> [Feed]
  {
    try storedFeeds(where: "title", is: title, in: transaction)
  }

  private static func storedFeeds(
    where attribute: String,
    is text: String,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> [Feed] {
    let request = FetchRequest<ObjectID>(
      entity: Feed.entity,
      where: .comparison(.attribute(attribute), .equal, .literal(.text(text))),
      sortedBy: [FetchSortDescriptor(.objectKey)]
    )
    var feeds: [Feed] = []
    for key in try transaction.keys(of: request) {
      if let feed = try transaction.object(key, as: Feed.self) { feeds.append(feed) }
    }
    return feeds
  }

  /// Returns the feed of a title, which is added if there is none; of several, the first.
  /// - Throws: `StoreError`.
  public static func feed(
    titled title: String,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> Feed {
    if let known = try feeds(titled: title, in: transaction).first { return known }
    return try added(Feed(title: title), to: transaction)
  }

  /// Adds a feed, and returns it with its key.
  private static func added(_ feed: Feed, to transaction: any StoreTransaction)
    throws(StoreError) -> Feed
  {
    var feed = feed
    if case .integer(let number) = try transaction.insert(feed).key { feed.id = number }
    return feed
  }
}
