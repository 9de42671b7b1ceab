public import ResultsDomain
import ResultsStoreKit

/// What came of a refresh.
public struct RefreshSummary: Sendable {
  /// The number of feeds that were fetched.
  public var fetched = 0
  /// The number of feeds without new items.
  public var unchanged = 0
  /// The number of feeds with new items.
  public var changed = 0
  /// The number of new items in all.
  public var newItems = 0
  /// The number of items that were removed because they had been read, were old, and their feeds have them no more.
  public var removedItems = 0
  /// The feeds that failed, as they are stored now, in the order in which they failed.
  public var failed: [Feed] = []
  /// The feeds that have another address now, with the former one.
  public var moved: [(from: String, feed: Feed)] = []
  /// The number of feeds that were not due.
  public var waiting = 0
  /// The earliest time at which one of all feeds is due.
  public var nextCheck: Instant?
}

/// Which feeds are fetched.
public enum FeedChoice: Hashable, Sendable {
  /// Those whose time has come.
  case due
  /// All but those whose server has said that they are gone.
  case all
  /// Those with some keys, whenever they are due.
  case some([Int64])
}

/// A refresh: fetches feeds and stores what is new, in one commit for each feed, so that lists fill feed by feed.
///
/// What fails is a value of the feed's row. One feed never harms another.
public struct FeedRefresh: Sendable {
  private let feed: NewsFeed
  private let fetching: any FeedFetching
  private let reading: any FeedReading
  private let now: @Sendable () -> Instant

  /// The name of the commits.
  public static let origin = CommitOrigin("refresh")

  /// Creates a refresh.
  /// - Parameters:
  ///   - feed: The items and feeds.
  ///   - fetching: The port through which feeds are fetched.
  ///   - reading: The port through which their content is read.
  ///   - now: Returns the present time.
  public init(
    _ feed: NewsFeed,
    fetching: any FeedFetching,
    reading: any FeedReading,
    now: @escaping @Sendable () -> Instant
  ) {
    (self.feed, self.fetching, self.reading, self.now) = (feed, fetching, reading, now)
  }

  /// Fetches feeds and stores what is new.
  /// - Returns: What was done; it is complete unless the task was cancelled.
  /// - Throws: `StoreError`.
  public func run(_ choice: FeedChoice = .due) async throws(StoreError) -> RefreshSummary {
    let time = now()
    let all = try feed.feeds()
    let chosen = all.filter { candidate in
      guard let id = candidate.id, candidate.address != nil else { return false }
      return switch choice {
      case .due: candidate.isDue(at: time)
      case .all: candidate.isFetched
      case .some(let ids): ids.contains(id)
      }
    }
    var summary = RefreshSummary()
    summary.waiting = all.count { $0.isFetched } - chosen.count { $0.isFetched }
    var requests: [FeedRequest] = []
    for feed in chosen {
      switch FeedRefresh.request(feed) {
      case .success(let request): requests.append(request)
      case .failure(let failure):
        try take(FeedResponse(id: feed.id ?? 0, .failed(failure.message)), into: &summary)
      }
    }
    for await response in fetching.fetch(requests) {
      try take(response, into: &summary)
      if Task.isCancelled { break }
    }
    let times = try feed.feeds().filter(\.isFetched).compactMap(\.nextCheck)
    summary.nextCheck = times.min { $0.microseconds < $1.microseconds }
    return summary
  }

  /// The request of a feed; an address that another program has stored may be one that is not fetched.
  private static func request(_ feed: Feed) -> Result<FeedRequest, FeedDefect> {
    guard let id = feed.id, let address = feed.address else {
      return .failure(FeedDefect("it has no address"))
    }
    do throws(FeedAddress.Refusal) {
      let checked = try FeedAddress.checked(address)
      return .success(
        FeedRequest(id: id, address: checked, tag: feed.tag, modified: feed.modified)
      )
    } catch {
      return .failure(FeedDefect(error.sentence))
    }
  }

  private func take(_ response: FeedResponse, into summary: inout RefreshSummary)
    throws(StoreError)
  {
    guard let stored = try store(response) else { return }
    summary.fetched += 1
    summary.removedItems += stored.items.removed
    if stored.feed.failure != nil {
      summary.failed.append(stored.feed)
    } else if stored.items.added > 0 {
      summary.changed += 1
      summary.newItems += stored.items.added
    } else {
      summary.unchanged += 1
    }
    if let former = stored.movedFrom { summary.moved.append((former, stored.feed)) }
  }

  /// Stores a response in one commit.
  /// - Returns: The feed as it is now, the numbers of items that came and went, and its former address if it has another one; `nil` if
  ///   there is no such feed any more.
  private func store(_ response: FeedResponse) throws(StoreError)
    -> (feed: Feed, items: ItemCounts, movedFrom: String?)?
  {
    let time = now()
    // The content is read before the transaction, which other writers wait for.
    let content = read(response)
    return try feed.store.commit(origin: FeedRefresh.origin) { transaction in
      let key = ObjectKey.integer(response.id)
      guard let old = try transaction.object(key, as: Feed.self) else {
        return nil as (feed: Feed, items: ItemCounts, movedFrom: String?)?
      }
      let (new, items) = try changed(old, response, content, at: time, in: transaction)
      try transaction.update(new)
      return (new, items, isSame(new.address, old.address) ? nil : old.address)
    }.result
  }

  private func read(_ response: FeedResponse) -> Result<FeedDocument, FeedDefect>? {
    guard case .content(let bytes) = response.answer else { return nil }
    do throws(FeedDefect) {
      return .success(try reading.document(bytes, from: response.address ?? ""))
    } catch {
      return .failure(error)
    }
  }

  /// The numbers of items that came and went.
  private typealias ItemCounts = (added: Int, removed: Int)

  /// The feed after a response, whose items are stored.
  private func changed(
    _ old: Feed,
    _ response: FeedResponse,
    _ content: Result<FeedDocument, FeedDefect>?,
    at time: Instant,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> (feed: Feed, items: ItemCounts) {
    var document: FeedDocument?
    switch (response.answer, content) {
    case (.failed(let failure), _):
      return (old.failed(failure, at: time, retryAfter: response.retryAfter), (0, 0))
    case (.gone, _):
      var gone = old.failed("410 Gone: it is not fetched any more", at: time)
      gone.nextCheck = nil
      return (gone, (0, 0))
    case (.content, .failure(let defect)?): return (old.failed(defect.message, at: time), (0, 0))
    case (.content, .success(let read)?): document = read
    case (.content, nil), (.unchanged, _): break
    }
    var feed = old
    (feed.failure, feed.failures, feed.failedSince, feed.checkedAt) = (nil, nil, nil, time)
    // A server that has not changed need not repeat the validators.
    feed.tag = response.tag ?? (document == nil ? old.tag : nil)
    feed.modified = response.modified ?? (document == nil ? old.modified : nil)
    feed.nextCheck = FeedSchedule.next(
      after: time,
      asked: [response.maximumAge, document?.minutesToLive.map { $0 * 60 }]
    )
    try follow(response, to: &feed, in: transaction)
    guard let document else { return (feed, (0, 0)) }
    if feed.title.isEmpty || isSame(feed.title, old.address) {
      feed.title = document.title.flatMap { $0.isEmpty ? nil : $0 } ?? feed.title
    }
    feed.site = document.site ?? old.site
    var added = 0
    var present: Set<Value> = []
    for var item in document.items {
      item.receivedAt = time
      let (outcome, guid) = try NewsFeed.store(item, of: feed, isFetched: true, into: transaction)
      if outcome == .added { added += 1 }
      present.insert(.text(guid))
    }
    return (feed, (added, try removeOld(of: feed, except: present, at: time, in: transaction)))
  }

  /// Removes the items of a feed that were read, came or were published before the days for which they stay, are not kept, and are not
  /// in the feed: one that is would come back unread.
  /// - Returns: Their number.
  private func removeOld(
    of feed: Feed,
    except present: Set<Value>,
    at time: Instant,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> Int {
    guard let id = feed.id else { return 0 }
    // Any program can have stored the number; a hundred years are for ever.
    let days = Int64(min(max(feed.keep ?? Feed.usualKeep, 0), 36_500))
    let limit = Value.integer(time.microseconds - days * 86_400_000_000)
    let isOld = FetchPredicate.or([
      .comparison(.attribute("receivedAt"), .less, .literal(limit)),
      .isNull(.attribute("receivedAt"))
        && .comparison(.attribute("published"), .less, .literal(limit)),
    ])
    let request = FetchRequest<ObjectID>(
      entity: Item.entity,
      where: .comparison(.attribute("feedID"), .equal, .literal(.integer(id)))
        && .comparison(.attribute("isRead"), .equal, .literal(1))
        && .comparison(.ifNull(.attribute("isKept"), 0), .equal, .literal(0)) && isOld,
      sortedBy: [FetchSortDescriptor(.objectKey)]
    )
    var removed = 0
    for key in try transaction.keys(of: request) {
      guard case .text(let guid) = key, !present.contains(.text(guid)) else { continue }
      let old = ObjectID(entity: Item.entity.name, key: key)
      if try transaction.delete(old, of: Item.entity) { removed += 1 }
    }
    return removed
  }

  /// Takes a permanent redirect that was seen twice as the address, unless another feed has it.
  private func follow(
    _ response: FeedResponse,
    to feed: inout Feed,
    in transaction: any StoreTransaction
  ) throws(StoreError) {
    guard response.hasMoved, let target = response.address,
      let address = try? FeedAddress.checked(target), !isSame(address, feed.address)
    else {
      feed.movedTo = nil
      return
    }
    guard isSame(feed.movedTo, address) else {
      feed.movedTo = address
      return
    }
    guard try NewsFeed.feed(at: address, in: transaction) == nil else { return }
    (feed.address, feed.movedTo) = (address, nil)
  }

  /// Whether two texts have the same bytes.
  private func isSame(_ left: String?, _ right: String?) -> Bool {
    left.map { Value.text($0) } == right.map { Value.text($0) }
  }
}
