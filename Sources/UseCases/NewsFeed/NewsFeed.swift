public import ResultsDomain
public import ResultsPresentation

/// Items that are read or unread, newest first in sections by feed: its commands and live queries.
public struct NewsFeed: Sendable {
  /// The store the items are in.
  public let store: any Store

  /// A feed over a store that was opened with the entity Item.
  public init(_ store: any Store) { self.store = store }

  /// Which items are unread.
  public static let unread = FetchPredicate.comparison(
    .attribute("isRead"),
    .equal,
    .literal(.integer(0))
  )

  /// What the feed lists: newest first within each feed.
  public static func request<Object: FetchedObject>(
    _ kind: Object.Type = Object.self,
    onlyUnread: Bool = false
  ) -> FetchRequest<Object> {
    FetchRequest<Object>(
      entity: Item.entity,
      where: onlyUnread ? unread : .all,
      sortedBy: [.descending("published"), .ascending("title")],
      fetchBatchSize: 20
    )
  }

  /// What divides the feed unless told otherwise.
  public static let sectionKey = SectionKey.attribute("feed")

  /// All items in their feeds, kept under the name `Items` where there is a place for caches.
  public static func definition<Object: FetchedObject>(
    _ kind: Object.Type = Object.self
  ) -> ResultsDefinition<Object> {
    ResultsDefinition(request(kind), sectionedBy: sectionKey, cacheName: "Items")
  }

  /// The unread items as they are now: their membership and order stay while they are read.
  ///
  /// Only identities are fetched first, so that nothing is materialised; then the list stands on that fixed set.
  /// - Throws: `StoreError`.
  public func heldUnread() throws(StoreError) -> FetchedResultsController<Item> {
    let identities = try store.fetch(Self.request(ObjectID.self, onlyUnread: true))
    return .frozen(
      IdentitySet(identities),
      Self.request(Item.self),
      sectionedBy: Self.sectionKey,
      in: store
    )
  }

  /// The unread items, live: an item leaves as soon as it is read.
  public func liveUnread() -> FetchedResultsController<Item> {
    FetchedResultsController(
      Self.request(Item.self, onlyUnread: true),
      sectionedBy: Self.sectionKey,
      in: store
    )
  }

  /// Opens an item, which marks it read.
  /// - Returns: The item, or `nil` if there is none of that guid.
  /// - Throws: `StoreError`.
  @discardableResult
  public func open(_ guid: String) throws(StoreError) -> Item? { try mark(guid, isRead: true) }

  /// Marks an item unread.
  /// - Returns: The item, or `nil` if there is none of that guid.
  /// - Throws: `StoreError`.
  @discardableResult
  public func markUnread(_ guid: String) throws(StoreError) -> Item? {
    try mark(guid, isRead: false)
  }

  /// Marks some items read, in one commit; if there is none of one of the guids, nothing is marked.
  /// - Returns: How many were unread.
  /// - Throws: `StoreError.notFound` with the first that is missing.
  @discardableResult
  public func markRead(_ guids: [String]) throws(StoreError) -> Int {
    try store.commit(origin: .unnamed) { transaction -> Int in
      var count = 0
      for guid in guids {
        guard var item = try transaction.object(.text(guid), as: Item.self) else {
          throw StoreError.notFound(ObjectID(entity: Item.entity.name, key: .text(guid)))
        }
        guard !item.isRead else { continue }
        item.isRead = true
        try transaction.update(item)
        count += 1
      }
      return count
    }.result
  }

  /// Marks every item read, in one commit; items are read a batch at a time.
  /// - Returns: How many were unread.
  /// - Throws: `StoreError`.
  @discardableResult
  public func markAllRead() throws(StoreError) -> Int {
    try store.commit(origin: .unnamed) { transaction -> Int in
      let keys = try transaction.keys(of: Self.request(ObjectID.self, onlyUnread: true))
      let mark = Item.entity.index(of: "isRead") ?? 0
      for start in stride(from: 0, to: keys.count, by: 1024) {
        let batch = Array(keys[start..<min(start + 1024, keys.count)])
        for case .some(let row) in try transaction.rows(batch, of: Item.entity) {
          var values = row.values
          values[mark] = true
          try transaction.update(row.id, to: values, of: Item.entity, ifUnchangedFrom: nil)
        }
      }
      return keys.count
    }.result
  }

  private func mark(_ guid: String, isRead: Bool) throws(StoreError) -> Item? {
    try store.commit(origin: .unnamed) { transaction -> Item? in
      guard var item = try transaction.object(.text(guid), as: Item.self) else { return nil }
      item.isRead = isRead
      try transaction.update(item)
      return item
    }.result
  }
}

/// What became of an item that a feed handed in.
public enum ItemIntake: Hashable, Sendable {
  /// It is new.
  case added
  /// It was there, and says what it said.
  case known
  /// It was there, and was corrected; whether it has been read stays.
  case updated
}

extension NewsFeed {
  /// Takes an item of a feed: adds it, or corrects the one that is there.
  ///
  /// A guid tells an item from the others of its feed only. Where another feed's item has it already, the item is stored
  /// under its guid and its feed's name. A part that the item lacks takes nothing away from the stored one.
  /// - Throws: `StoreError`.
  /// - Complexity: O(log *n*) in the items of the store.
  public static func take(
    _ item: Item,
    into transaction: any StoreTransaction
  ) throws(StoreError) -> ItemIntake {
    var free: String?
    var tried = 0
    while tried < names(of: item).count || free == nil {
      let guid = name(tried, of: item)
      tried += 1
      guard let stored = try transaction.object(.text(guid), as: Item.self) else {
        free = free ?? guid
        continue
      }
      guard isSame(stored, item) else { continue }
      let corrected = correct(stored, by: item)
      guard corrected.attributeValues != stored.attributeValues else { return .known }
      try transaction.update(corrected)
      return .updated
    }
    var added = item
    added.guid = free ?? item.guid
    try transaction.insert(added)
    return .added
  }

  /// The keys that an item is as a rule stored under, in the order they are tried.
  private static func names(of item: Item) -> [String] {
    var names = [item.guid, "\(item.guid) (\(item.feed))"]
    if let host = host(of: item) { names.append("\(item.guid) (\(item.feed), \(host))") }
    return names
  }

  /// One key of all that an item may be stored under: numbers follow where items of other feeds have the others.
  private static func name(_ number: Int, of item: Item) -> String {
    let names = names(of: item)
    return number < names.count ? names[number] : "\(item.guid) (\(item.feed), \(number))"
  }

  /// Whether two items of one guid are the same: of one feed, and not of two feeds that have one title.
  private static func isSame(_ stored: Item, _ item: Item) -> Bool {
    guard Value.text(stored.feed) == .text(item.feed) else { return false }
    guard let left = host(of: stored), let right = host(of: item) else { return true }
    return left == right
  }

  private static func correct(_ stored: Item, by item: Item) -> Item {
    var corrected = stored
    if !item.title.isEmpty { corrected.title = item.title }
    corrected.link = item.link ?? stored.link
    corrected.published = item.published ?? stored.published
    corrected.summary = item.summary ?? stored.summary
    return corrected
  }

  /// The machine that an item's link leads to, without `www.`.
  private static func host(of item: Item) -> String? {
    guard
      let parts = item.link?.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false),
      parts.count > 2, parts[0].hasSuffix(":"), parts[1].isEmpty, !parts[2].isEmpty
    else { return nil }
    let host = parts[2].prefix { $0 != "?" && $0 != "#" }.lowercased()
    return host.hasPrefix("www.") ? String(host.dropFirst(4)) : host
  }
}
