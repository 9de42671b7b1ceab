import InMemoryPersistence
import NewsFeed
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Testing

@Suite struct NewsFeedTests {
  private let feed: NewsFeed

  init() throws { feed = NewsFeed(try InMemoryStore(entities: NewsFeed.entities)) }

  @Test func `an opened item stays in the frozen list and leaves the live one`() async throws {
    try add(20)
    let (live, frozen) = (feed.liveUnread(), try feed.frozenUnread())
    try await live.performFetch()
    try await frozen.performFetch()
    let id = try #require(frozen.rows?[7].objectID)
    let path = frozen.path(of: id)
    let opened = try feed.open(id.key.description)
    #expect(opened?.isRead == true)
    try await live.refresh()
    try await frozen.refresh()
    #expect(live.path(of: id) == nil)
    #expect(frozen.path(of: id) == path)
    #expect(try frozen.object(at: try #require(path)).isRead)
    try feed.markUnread(id.key.description)
    try await live.refresh()
    #expect(live.path(of: id) != nil)
    #expect(frozen.rows?.count == 20)
  }

  @Test
  func `a frozen list keeps its order and sections while content changes, and drops deleted items`()
    async throws
  {
    try add(9)
    let frozen = try feed.frozenUnread()
    try await frozen.performFetch()
    let before = try #require(frozen.rows).compactMap(\.objectID)
    try await feed.store.write { transaction in
      guard var item = try transaction.object(.text("g4"), as: Item.self) else { return }
      item.feedID = try NewsFeed.feed(titled: "Z", in: transaction).id
      (item.title, item.published) = ("changed", nil)
      try transaction.update(item)
      try transaction.insert(Item(guid: "new", title: "new"))
      try transaction.delete(ObjectID(entity: "Item", key: .text("g5")), of: Item.entity)
    }
    try await frozen.refresh()
    let after = try #require(frozen.rows).compactMap(\.objectID)
    #expect(after == before.filter { $0.key != .text("g5") })
    let path = try #require(frozen.path(of: ObjectID(entity: "Item", key: .text("g4"))))
    #expect(try frozen.object(at: path).title == "changed")
    #expect(frozen.sections.map(\.title) == ["feed 0", "feed 1", "feed 2"])
  }

  @Test func `marking is one commit under its name, and toggling reads all before it unreads any`()
    throws
  {
    try add(4)
    func origins(_ body: () throws -> Void) throws -> [CommitOrigin] {
      let base = try feed.store.read { (snapshot) throws(StoreError) in snapshot.version }
      try body()
      let history = try feed.store.read { (snapshot) throws(StoreError) in
        try snapshot.history(since: base, of: Item.entity)
      }
      guard case .commits(let records) = history else { return [] }
      return records.map(\.origin)
    }
    func unread() throws -> Int {
      try feed.store.fetch(NewsFeed.request(ObjectID.self, onlyUnread: true)).count
    }
    let name = CommitOrigin("browse-1")
    #expect(try origins { try feed.open("g1", origin: name) } == [name])
    #expect(try feed.toggleRead(["g1", "g2", "nothing"], origin: name) == (true, 1))
    #expect(try unread() == 2)
    #expect(try origins { try feed.toggleRead(["g1", "g2"], origin: name) } == [name])
    #expect(try unread() == 4)
    let first = FetchPredicate.comparison(
      .related(["feed"], .attribute("title")),
      .equal,
      .literal("feed 0")
    )
    let count = try feed.store.count(of: request(where: first))
    #expect(try feed.markAllRead(where: first, origin: name) == count)
    #expect(try unread() == 4 - count)
    #expect(try origins { try feed.markUnread("g1", origin: name) }.count <= 1)
  }

  private func request(where predicate: FetchPredicate) -> FetchRequest<ObjectID> {
    var request = NewsFeed.request(ObjectID.self)
    request.predicate = predicate
    return request
  }

  @Test func `unread ids can be fetched as dictionaries with one property`() throws {
    try add(3)
    var request = NewsFeed.request(FetchedDictionary.self, onlyUnread: true)
    request.propertiesToFetch = []
    let rows = try feed.store.fetch(request)
    #expect(rows.allSatisfy { $0.properties.isEmpty })
    let ids = try feed.store.fetch(NewsFeed.request(ObjectID.self, onlyUnread: true))
    #expect(rows.map(\.objectID) == ids)
  }

  @Test func `self and SELF name the object, and objectID is refused with a hint`() throws {
    try add(3)
    for word in ["self", "SELF"] {
      let predicate = try FetchPredicate(
        parsing: "\(word) IN {'g1', 'g2'}",
        entity: Item.entity
      )
      var request = NewsFeed.request(Item.self)
      request.predicate = predicate
      #expect(try feed.store.count(of: request) == 2)
    }
    let error = #expect(throws: PredicateParseError.self) {
      try FetchPredicate(parsing: "objectID IN {'g1'}", entity: Item.entity)
    }
    #expect("\(try #require(error))".contains("SELF"))
  }

  @Test func `all items are marked read in one commit, and the unread ones are counted`()
    async throws
  {
    try add(12)
    try feed.open("g3")
    let live = feed.liveUnread()
    try await live.performFetch()
    var events = live.changes.makeAsyncIterator()
    _ = await events.next()
    #expect(try feed.markAllRead() == 11)
    try await live.refresh()
    try #require(try live.results.generation == 2)
    guard case .change(let change) = await events.next() else {
      Issue.record("no change")
      return
    }
    #expect(change.delta.rows.deletes.count == 11)
    #expect(try feed.markAllRead() == 0)
  }

  @Test func `items are marked read in one commit, or none if one is missing (R48)`() throws {
    try add(3)
    #expect(throws: StoreError.self) { try feed.markRead(["g0", "missing"]) }
    #expect(try feed.store.fetch(NewsFeed.request(ObjectID.self, onlyUnread: true)).count == 3)
    #expect(try feed.markRead(["g0", "g2", "g0"]) == 2)
    #expect(try feed.store.fetch(NewsFeed.request(ObjectID.self, onlyUnread: true)).count == 1)
  }

  @Test func `opening a missing item returns nil, and opening twice publishes one change (R27)`()
    async throws
  {
    try add(2)
    #expect(try feed.open("missing") == nil)
    #expect(try feed.markUnread("missing") == nil)
    let frozen = try feed.frozenUnread()
    try await frozen.performFetch()
    try feed.open("g0")
    try feed.open("g0")
    try await frozen.refresh()
    #expect(try frozen.results.generation == 2)
  }

  @Test func `a hundred thousand ids are fetched without reading an item`() async throws {
    try add(100_000)
    let frozen = try feed.frozenUnread()
    try await frozen.performFetch()
    #expect(frozen.sections.map(\.count).reduce(0, +) == 100_000)
    try feed.open("g77777")
    try await frozen.refresh()
    #expect(frozen.path(of: ObjectID(entity: "Item", key: .text("g77777"))) != nil)
  }

  @Test func `a guid belongs to its feed and to the host of its links`() throws {
    let items = [
      (Item(guid: "1", title: "a", link: "https://a.example/1"), "News"),
      (Item(guid: "1", title: "b", link: "http://www.b.example/x"), "News"),
      (Item(guid: "1", title: "c"), "Other"), (Item(guid: "1", title: "d"), "Third"),
      (Item(guid: "1", title: "e", link: "http://e.example/"), "News"),
      (Item(guid: "1", title: "f", link: "http://f.example/"), "News"),
    ]
    #expect(try importItems(items) == Array(repeating: .added, count: 6))
    #expect(try importItems(items.reversed()) == Array(repeating: .known, count: 6))
    let guids = try feed.store.fetch(NewsFeed.request(Item.self)).map(\.guid).sorted()
    #expect(
      guids == [
        "1", "1 (News)", "1 (News, e.example)", "1 (News, f.example)", "1 (Other)", "1 (Third)",
      ]
    )
  }

  @Test func `an item whose keys are taken gets a numbered key, and is found under it`() throws {
    let others = [
      (Item(guid: "1", title: "a"), "A"), (Item(guid: "1 (B)", title: "b"), "A"),
    ]
    let item = (Item(guid: "1", title: "c"), "B")
    #expect(try importItems(others + [item, item]) == [.added, .added, .added, .known])
  }

  @Test func `a correction changes the values that it has, and removes none`() throws {
    let day = try #require(Instant(iso8601: "2026-11-03T09:00:00Z"))
    var item = Item(
      guid: "1",
      title: "a",
      link: "http://a.example/1",
      published: day,
      summary: "s"
    )
    #expect(try importItems([(item, "A")]) == [.added])
    try feed.open("1")
    #expect(try importItems([(item, "A")]) == [.known])
    (item.title, item.summary, item.link) = ("b", nil, "http://www.a.example/2")
    #expect(try importItems([(item, "A")]) == [.updated])
    let stored = try #require(try feed.markUnread("1"))
    #expect(stored.title == "b" && stored.summary == "s" && stored.published == day)
    #expect(stored.link == "http://www.a.example/2")
    #expect(try feed.markRead(["1"]) == 1)
  }

  private func importItems(_ items: [(Item, String)]) throws -> [ItemImportOutcome] {
    try feed.store.write { transaction in
      var outcomes: [ItemImportOutcome] = []
      for (item, title) in items {
        let feed = try NewsFeed.feed(titled: title, in: transaction)
        outcomes.append(try NewsFeed.importItem(item, of: feed, into: transaction))
      }
      return outcomes
    }
  }

  private func add(_ count: Int) throws {
    try feed.store.write { transaction in
      let feeds = try (0..<3).map { try NewsFeed.feed(titled: "feed \($0)", in: transaction) }
      for number in 0..<count {
        let published = Instant(microseconds: Int64(number) * 1_000_000)
        try transaction.insert(
          Item(
            guid: "g\(number)",
            title: "t\(number)",
            feedID: feeds[number % 3].id,
            published: published
          )
        )
      }
    }
  }
}
