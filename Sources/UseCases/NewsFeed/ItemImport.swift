public import ResultsDomain
public import ResultsStoreKit

/// The outcome of importing an item of a feed.
public enum ItemImportOutcome: Hashable, Sendable {
  /// The item is new.
  case added
  /// The store has the item with the same content.
  case known
  /// The store had the item with other content, and it was updated; its read mark stays.
  case updated
}

extension NewsFeed {
  /// Imports an item of a feed: adds it, or updates the stored one.
  ///
  /// A guid is unique only within its feed. If an item of another feed has the guid already, the item is stored under its
  /// guid and the title of its feed. Values that the imported item lacks do not change the stored item.
  /// - Parameters:
  ///   - item: The item.
  ///   - feed: The feed that it belongs to, as it is stored.
  ///   - isFetched: Whether the item was fetched from the feed's address. The items of a file are known by the hosts of their links
  ///     too, since two feeds may have the same title.
  ///   - transaction: The transaction.
  /// - Returns: What was done.
  /// - Throws: `StoreError`.
  /// - Complexity: O(log *n*) in the items of the store.
  public static func importItem(
    _ item: Item,
    of feed: Feed,
    isFetched: Bool = false,
    into transaction: any StoreTransaction
  ) throws(StoreError) -> ItemImportOutcome {
    try store(item, of: feed, isFetched: isFetched, into: transaction).outcome
  }

  /// Imports an item as `importItem(_:of:isFetched:into:)` does.
  /// - Returns: What was done, and the key of the stored item.
  static func store(
    _ item: Item,
    of feed: Feed,
    isFetched: Bool,
    into transaction: any StoreTransaction
  ) throws(StoreError) -> (outcome: ItemImportOutcome, guid: String) {
    var item = item
    item.feedID = feed.id
    let names = names(of: item, in: feed, isFetched)
    var free: String?
    var tried = 0
    while tried < names.count || free == nil {
      let guid = tried < names.count ? names[tried] : "\(item.guid) (\(feed.title), \(tried))"
      tried += 1
      guard let stored = try transaction.object(.text(guid), as: Item.self) else {
        free = free ?? guid
        continue
      }
      guard isSame(stored, item, isFetched) else { continue }
      let updated = Self.updated(stored, by: item)
      guard updated.attributeValues != stored.attributeValues else { return (.known, guid) }
      try transaction.update(updated)
      return (.updated, guid)
    }
    item.guid = free ?? item.guid
    try transaction.insert(item)
    return (.added, item.guid)
  }

  /// The usual keys of an item, in the order in which they are tried; the number of a feed stays when its title is changed.
  private static func names(of item: Item, in feed: Feed, _ isFetched: Bool) -> [String] {
    let titled = "\(item.guid) (\(feed.title))"
    if isFetched, let id = feed.id { return [item.guid, "\(item.guid) (feed \(id))", titled] }
    return [item.guid, titled]
      + (host(of: item).map { ["\(item.guid) (\(feed.title), \($0))"] } ?? [])
  }

  /// Whether two items with the same guid are the same item.
  private static func isSame(_ stored: Item, _ item: Item, _ isFetched: Bool) -> Bool {
    guard stored.feedID == item.feedID else { return false }
    guard !isFetched, let left = host(of: stored), let right = host(of: item) else { return true }
    return left == right
  }

  private static func updated(_ stored: Item, by item: Item) -> Item {
    var result = stored
    if !item.title.isEmpty { result.title = item.title }
    result.link = item.link ?? stored.link
    result.published = item.published ?? stored.published
    // A date that was read says more than one that was not.
    result.publishedText = result.published == nil ? item.publishedText : nil
    result.summary = item.summary ?? stored.summary
    return result
  }

  /// The host of the item's link, without `www.`.
  private static func host(of item: Item) -> String? {
    guard
      let parts = item.link?.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false),
      parts.count > 2, parts[0].hasSuffix(":"), parts[1].isEmpty, !parts[2].isEmpty
    else { return nil }
    let host = parts[2].prefix { $0 != "?" && $0 != "#" }.lowercased()
    return host.hasPrefix("www.") ? String(host.dropFirst(4)) : host
  }
}
