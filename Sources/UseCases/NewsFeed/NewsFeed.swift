public import ResultsDomain
public import ResultsStoreKit
public import ResultsPresentation

/// Items, read and unread, in sections by feed, newest first: their commands and live queries.
public struct NewsFeed: Sendable {
  /// The store with the items.
  public let store: any Store

  /// The entities of the store: items and feeds.
  public static let entities = [Item.entity, Feed.entity]

  /// A feed over a store that has its entities.
  public init(_ store: any Store) { self.store = store }

  /// The predicate for unread items.
  public static let unread = FetchPredicate.comparison(
    .attribute("isRead"),
    .equal,
    .literal(.integer(0))
  )

  /// The request for the items: newest first within each feed.
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

  /// The default section key: the title of the feed.
  public static let sectionKey = SectionKey.expression(.related(["feed"], .attribute("title")))

  /// All items in sections by feed, cached under the name `Items`.
  public static func definition<Object: FetchedObject>(
    _ kind: Object.Type = Object.self
  ) -> ResultsDefinition<Object> {
    ResultsDefinition(request(kind), sectionedBy: sectionKey, cacheName: "Items")
  }

  /// Returns the present unread items as a frozen list: opened items stay in it, and the order does not change.
  ///
  /// Only the ids are fetched up front, not the items.
  /// - Throws: `StoreError`.
  public func frozenUnread() throws(StoreError) -> FetchedResultsController<Item> {
    let identities = try store.fetch(Self.request(ObjectID.self, onlyUnread: true))
    return .frozen(
      IdentitySet(identities),
      Self.request(Item.self),
      sectionedBy: Self.sectionKey,
      in: store
    )
  }

  /// Returns the unread items as a live list: an item leaves the list as soon as it is read.
  public func liveUnread() -> FetchedResultsController<Item> {
    FetchedResultsController(
      Self.request(Item.self, onlyUnread: true),
      sectionedBy: Self.sectionKey,
      in: store
    )
  }

  /// Marks an item read and returns it.
  /// - Parameters:
  ///   - guid: The item's guid.
  ///   - origin: The name of the commit.
  /// - Returns: The item, or `nil` if no item has this guid.
  /// - Throws: `StoreError`.
  @discardableResult
  public func open(
    _ guid: String,
    origin: CommitOrigin = .unnamed
  ) throws(StoreError) -> Item? {
    try mark(guid, isRead: true, origin)
  }

  /// Marks an item unread.
  /// - Parameters:
  ///   - guid: The item's guid.
  ///   - origin: The name of the commit.
  /// - Returns: The item, or `nil` if no item has this guid.
  /// - Throws: `StoreError`.
  @discardableResult
  public func markUnread(
    _ guid: String,
    origin: CommitOrigin = .unnamed
  ) throws(StoreError) -> Item? {
    try mark(guid, isRead: false, origin)
  }

  /// Marks items read if any of them is unread, and else all of them unread, in one commit; items that do not exist are passed over.
  /// - Parameters:
  ///   - guids: The guids of the items.
  ///   - origin: The name of the commit.
  /// - Returns: Whether the items are read now, and the number that was marked.
  /// - Throws: `StoreError`.
  @discardableResult
  public func toggleRead(
    _ guids: [String],
    origin: CommitOrigin = .unnamed
  ) throws(StoreError) -> (isRead: Bool, count: Int) {
    let (isRead, count) = try toggle(guids, origin, \.isRead)
    return (isRead, count)
  }

  /// Keeps items for good, or no longer if all of them are kept, in one commit; items that are gone are left out.
  /// - Parameters:
  ///   - guids: The guids of the items.
  ///   - origin: The name of the commit.
  /// - Returns: Whether the items are kept now, and the number that was changed.
  /// - Throws: `StoreError`.
  @discardableResult
  public func toggleKept(
    _ guids: [String],
    origin: CommitOrigin = .unnamed
  ) throws(StoreError) -> (isKept: Bool, count: Int) {
    let (isKept, count) = try toggle(guids, origin, \.keepsForGood)
    return (isKept, count)
  }

  /// Sets a mark of items, or removes it if all of them have it.
  private func toggle(
    _ guids: [String],
    _ origin: CommitOrigin,
    _ mark: any WritableKeyPath<Item, Bool> & Sendable
  ) throws(StoreError) -> (isSet: Bool, count: Int) {
    let committed = try store.commit(origin: origin) { transaction -> [Int] in
      var items: [Item] = []
      for guid in guids {
        if let item = try transaction.object(.text(guid), as: Item.self) { items.append(item) }
      }
      let isSet = items.contains { !$0[keyPath: mark] }
      var count = 0
      for var item in items where item[keyPath: mark] != isSet {
        item[keyPath: mark] = isSet
        try transaction.update(item)
        count += 1
      }
      return [isSet ? 1 : 0, count]
    }.result
    return (committed[0] == 1, committed[1])
  }

  /// Marks items read in one commit; if one of them does not exist, none is marked.
  /// - Parameters:
  ///   - guids: The guids of the items.
  ///   - origin: The name of the commit.
  /// - Returns: The number of items that were unread.
  /// - Throws: `StoreError.notFound` with the id of the first missing item.
  @discardableResult
  public func markRead(
    _ guids: [String],
    origin: CommitOrigin = .unnamed
  ) throws(StoreError) -> Int {
    try store.commit(origin: origin) { transaction -> Int in
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

  /// Marks all items read in one commit, in batches.
  /// - Parameters:
  ///   - condition: Which items are marked.
  ///   - origin: The name of the commit.
  /// - Returns: The number of items that were unread.
  /// - Throws: `StoreError`.
  @discardableResult
  public func markAllRead(
    where condition: FetchPredicate = .all,
    origin: CommitOrigin = .unnamed
  ) throws(StoreError) -> Int {
    try store.commit(origin: origin) { transaction -> Int in
      var request = Self.request(ObjectID.self, onlyUnread: true)
      request.predicate = request.predicate && condition
      let keys = try transaction.keys(of: request)
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

  /// The title of an item's feed; empty for an item without one.
  /// - Throws: `StoreError`.
  public func title(of item: Item) throws(StoreError) -> String {
    guard let id = item.feedID else { return "" }
    return try store.read { (snapshot) throws(StoreError) in
      let rows = try snapshot.rows([.integer(id)], of: Feed.entity)
      return rows.first.flatMap(\.self)?["title"].text ?? ""
    }
  }

  private func mark(
    _ guid: String,
    isRead: Bool,
    _ origin: CommitOrigin
  ) throws(StoreError) -> Item? {
    try store.commit(origin: origin) { transaction -> Item? in
      guard var item = try transaction.object(.text(guid), as: Item.self) else { return nil }
      item.isRead = isRead
      try transaction.update(item)
      return item
    }.result
  }
}
