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
