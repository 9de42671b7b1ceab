import InMemoryPersistence
import NewsFeed
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Synchronization
import Testing

/// R254 to R259: refreshing feeds whose servers are scripted.
@Suite(.timeLimit(.minutes(2))) struct FeedRefreshTests {
  private let news: NewsFeed
  private let script = Script()
  private let clock = Clock()

  init() throws { news = NewsFeed(try InMemoryStore(entities: NewsFeed.entities)) }

  private var refresh: FeedRefresh {
    FeedRefresh(news, fetching: script, reading: ScriptedReading(), now: { [clock] in clock.now })
  }

  /// Adds a feed, and returns its key.
  private func subscribe(_ address: String, title: String? = nil) throws -> Int64 {
    try #require(try news.subscribe(Subscription(address: address, title: title)).feed.id)
  }

  private func stored(_ id: Int64) throws -> Feed {
    try #require(try news.feeds().first { $0.id == id })
  }

  private func items() throws -> [String] {
    try news.store.fetch(NewsFeed.request(Item.self)).map(\.guid).sorted()
  }

  @Test func `R254: a second refresh adds nothing, loses nothing and keeps what is read`()
    async throws
  {
    let id = try subscribe("https://a.example/feed")
    script.answers[id] = [.content("Alpha|1,2|30")]
    let first = try await refresh.run()
    #expect((first.fetched, first.changed, first.newItems) == (1, 1, 2))
    #expect(try stored(id).title == "Alpha")
    try news.open("1")
    clock.advance(hours: 2)
    script.answers[id] = [.content("Alpha renamed|2,1|30")]
    let second = try await refresh.run()
    #expect((second.fetched, second.unchanged, second.newItems) == (1, 1, 0))
    #expect(try items() == ["1", "2"])
    #expect(try news.unreadCount() == 1)
    #expect(try stored(id).title == "Alpha")
    // An item that its feed does not have any more stays.
    clock.advance(hours: 2)
    script.answers[id] = [.content("Alpha|3|30")]
    #expect(try await refresh.run().newItems == 1)
    #expect(try items() == ["1", "2", "3"])
    clock.advance(hours: 2)
    script.answers[id] = [FeedAnswer.unchanged]
    #expect(try await refresh.run().unchanged == 1)
    #expect(try items() == ["1", "2", "3"])
  }

  @Test func `R265: what was read and is old goes once its feed has it no more`() async throws {
    let (id, other) = (try subscribe("https://a.example/"), try subscribe("https://b.example/"))
    script.answers = [id: [.content("A|1,2,3,4|")], other: [.content("B|b1,b2|")]]
    _ = try await refresh.run()
    // 1 is unread, 2 is kept, 3 stays in the feed; 4 has none of these reasons.
    for guid in ["2", "3", "4", "b1", "b2"] { try news.open(guid) }
    #expect(try news.toggleKept(["2"]) == (isKept: true, count: 1))
    func answer(_ guids: String) async throws -> RefreshSummary {
      script.answers = [id: [.content("A|\(guids)|")], other: [.unchanged]]
      return try await refresh.run()
    }
    clock.advance(hours: 24 * 89)
    #expect(try await answer("3").removedItems == 0)
    clock.advance(hours: 24 * 2)
    #expect(try await answer("3").removedItems == 1)
    #expect(try items() == ["1", "2", "3", "b1", "b2"])
    // An answer without content says nothing about the items.
    #expect(try news.toggleKept(["2"]) == (isKept: false, count: 1))
    clock.advance(hours: 2)
    #expect(try await answer("").removedItems == 2)
    #expect(try items() == ["1", "b1", "b2"])
  }

  @Test func `R265: a feed says for how many days its read items stay`() async throws {
    let id = try subscribe("https://a.example/")
    script.answers[id] = [.content("A|1,2|")]
    _ = try await refresh.run()
    try await news.store.write { transaction in
      var feed = try #require(try transaction.object(.integer(id), as: Feed.self))
      feed.keep = 3
      try transaction.update(feed)
      // One from a file, which no refresh has brought, counts from its publication.
      try transaction.insert(
        Item(guid: "f", title: "f", feedID: id, published: clock.now, isRead: true)
      )
      try transaction.insert(Item(guid: "undated", title: "f", feedID: id, isRead: true))
    }
    try news.open("1")
    clock.advance(hours: 24 * 4)
    script.answers[id] = [.content("A|3|")]
    #expect(try await refresh.run().removedItems == 2)
    #expect(try items() == ["2", "3", "undated"])
    // Numbers that no calendar has do no harm.
    for days in [Int32.max, .min] {
      try await news.store.write { transaction in
        var feed = try #require(try transaction.object(.integer(id), as: Feed.self))
        feed.keep = days
        try transaction.update(feed)
      }
      clock.advance(hours: 2)
      script.answers[id] = [.content("A|3|")]
      #expect(try await refresh.run().removedItems == 0)
    }
  }

  @Test func `R254: each feed is one commit with the name of the refresh`() async throws {
    for number in 1...3 {
      let id = try subscribe("https://\(number).example/")
      script.answers[id] = [.content("F\(number)|\(number)a,\(number)b|")]
    }
    let base = try news.store.read { (snapshot) throws(StoreError) in snapshot.version }
    _ = try await refresh.run()
    let history = try news.store.read { (snapshot) throws(StoreError) in
      try snapshot.history(since: base, of: Feed.entity)
    }
    guard case .commits(let commits) = history else {
      Issue.record("no history")
      return
    }
    #expect(commits.map(\.origin) == Array(repeating: FeedRefresh.origin, count: 3))
  }

  @Test func `R254: items of two feeds with one guid are both kept, whatever their titles become`()
    async throws
  {
    let (one, two) = (try subscribe("https://a.example/"), try subscribe("https://b.example/"))
    script.answers = [one: [.content("News|1|")], two: [.content("News|1|")]]
    #expect(try await refresh.run().newItems == 2)
    try await news.store.write { transaction in
      for id in [one, two] {
        guard var feed = try transaction.object(.integer(id), as: Feed.self) else { continue }
        feed.title = "renamed \(id)"
        try transaction.update(feed)
      }
    }
    script.answers = [one: [.content("News|1|")], two: [.content("News|1|")]]
    #expect(try await refresh.run(.all).newItems == 0)
    #expect(try items().count == 2)
  }

  @Test func `R255: a failure is a value of its feed and harms no other one`() async throws {
    let (good, bad, broken) = (
      try subscribe("https://a.example/", title: "A"),
      try subscribe("https://b.example/", title: "B"),
      try subscribe("https://c.example/", title: "C")
    )
    script.answers = [
      good: [.content("A|1|")], bad: [.failed("404 Not Found")], broken: [.content("defect")],
    ]
    let start = clock.now
    let summary = try await refresh.run()
    #expect((summary.fetched, summary.newItems, summary.failed.count) == (3, 1, 2))
    #expect(try stored(bad).failure == "404 Not Found")
    #expect(try stored(broken).failure == "line 1: no feed")
    #expect(try stored(bad).failedSince == start && stored(bad).failures == 1)
    #expect(try stored(good).failure == nil && stored(good).failures == nil)
    clock.advance(hours: 3)
    script.answers = [good: [.unchanged], bad: [.failed("500 Oops")], broken: [.content("C|2|")]]
    #expect(try await refresh.run().failed.map(\.id) == [bad])
    #expect(try stored(bad).failure == "500 Oops" && stored(bad).failures == 2)
    #expect(try stored(bad).failedSince == start)
    #expect(try stored(broken).failure == nil && stored(broken).failedSince == nil)
  }

  @Test func `R255: the list of feeds follows unread items and failures`() async throws {
    let id = try subscribe("https://a.example/", title: "A")
    var definition = NewsFeed.feedsDefinition(Row.self)
    let unread = Feed.unread.description
    definition.request.propertiesToFetch = ["title", "failure", unread]
    let list = FetchedResultsController(definition, in: news.store)
    try await list.performFetch()
    script.answers[id] = [.content("A|1,2,3|")]
    _ = try await refresh.run()
    try await list.refresh()
    #expect(try list.results.rows.first?.object[unread] == .integer(3))
    try news.open("2")
    try await list.refresh()
    #expect(try list.results.rows.first?.object[unread] == .integer(2))
    list.cancel()
  }

  @Test(
    arguments: [
      ([nil, nil], 3600), ([60, nil], 900), ([1800, 7200], 7200), ([1 << 30, nil], 86_400),
      ([0, nil], 900), ([nil, 5400], 5400),
    ] as [([Int?], Int64)]
  )
  func `R256: a feed is due after what it asks for, between 15 minutes and a day`(
    _ asked: [Int?],
    _ seconds: Int64
  ) {
    let now = Instant(microseconds: 5)
    let next = FeedSchedule.next(after: now, asked: asked)
    #expect(next.microseconds == 5 + seconds * 1_000_000)
  }

  @Test(
    arguments: [
      (1, nil, 1800), (2, nil, 3600), (5, nil, 28_800), (7, nil, 86_400), (32_767, nil, 86_400),
      (1, 7200, 7200), (1, 10, 1800), (3, 1 << 40, 86_400),
    ] as [(Int16, Int?, Int64)]
  )
  func `R256: failures double the interval, and Retry-After counts`(
    _ failures: Int16,
    _ retryAfter: Int?,
    _ seconds: Int64
  ) {
    let now = Instant(microseconds: 5)
    let next = FeedSchedule.next(after: now, failures: failures, retryAfter: retryAfter)
    #expect(next.microseconds == 5 + seconds * 1_000_000)
  }

  @Test func `R256: only what is due is fetched, or all, or what is named`() async throws {
    let (often, rarely) = (try subscribe("https://a.example/"), try subscribe("https://b.example/"))
    script.answers = [often: [.content("A|1|15")], rarely: [.content("B|2|1440")]]
    _ = try await refresh.run()
    clock.advance(minutes: 14)
    let early = try await refresh.run()
    #expect(early.fetched == 0 && early.waiting == 2)
    #expect(early.nextCheck == (try stored(often)).nextCheck)
    clock.advance(minutes: 2)
    script.answers = [often: [.unchanged], rarely: [.unchanged]]
    #expect(try await refresh.run().fetched == 1)
    #expect(try await refresh.run(.some([rarely])).fetched == 1)
    script.answers = [often: [.unchanged], rarely: [.unchanged]]
    #expect(try await refresh.run(.all).fetched == 2)
  }

  @Test func `R256: the marks of the last content are sent, and kept while it does not change`()
    async throws
  {
    let id = try subscribe("https://a.example/")
    script.answers[id] = [.content("A|1|")]
    script.change = { $0.tag = "\"x\"" }
    _ = try await refresh.run()
    script.answers[id] = [.unchanged]
    script.change = { _ in }
    _ = try await refresh.run(.all)
    #expect(script.requests.map(\.tag) == [nil, "\"x\""])
    #expect(try stored(id).tag == "\"x\"")
  }

  @Test func `R257: an address changes when a permanent redirect was seen twice, and not before`()
    async throws
  {
    let id = try subscribe("https://a.example/")
    func run(_ target: String?) async throws -> String? {
      script.answers[id] = [.unchanged]
      script.change = { response in
        response.address = target ?? "https://a.example/"
        response.hasMoved = target != nil
      }
      _ = try await refresh.run(.all)
      return try stored(id).address
    }
    #expect(try await run("https://new.example/") == "https://a.example/")
    #expect(try await run(nil) == "https://a.example/")
    #expect(try await run("https://new.example/") == "https://a.example/")
    #expect(try await run("https://other.example/") == "https://a.example/")
    #expect(try await run("https://u:secret@other.example/") == "https://a.example/")
    #expect(try await run("https://other.example/") == "https://a.example/")
    #expect(try await run("https://other.example/") == "https://other.example/")
    // Another feed has the address already.
    script.answers[try subscribe("https://taken.example/")] = [.unchanged]
    for _ in 0..<3 { _ = try await run("https://taken.example/") }
    #expect(try stored(id).address == "https://other.example/")
  }

  @Test func `R258: a feed that is gone is not tried again, and keeps its items`() async throws {
    let id = try subscribe("https://a.example/")
    script.answers[id] = [.content("A|1|")]
    _ = try await refresh.run()
    script.answers[id] = [.gone]
    #expect(try await refresh.run(.all).failed.count == 1)
    clock.advance(hours: 1000)
    #expect(try await refresh.run(.all).fetched == 0)
    #expect(try await refresh.run().fetched == 0)
    #expect(try items() == ["1"])
    #expect(try stored(id).failure?.hasPrefix("410 Gone") == true)
    // One that is named is tried.
    script.answers[id] = [.unchanged]
    #expect(try await refresh.run(.some([id])).fetched == 1)
    #expect(try stored(id).nextCheck != nil && stored(id).failure == nil)
  }

  @Test(arguments: [
    "https://user:secret@a.example/", "http://:secret@a.example",
    "https://a:b@c:secret@a.example/x",
  ])
  func `R259: an address with a password is refused, and none is in a failure`(_ address: String)
    async throws
  {
    #expect(throws: FeedAddress.Refusal.password) { try FeedAddress.checked(address) }
    #expect(!FeedAddress.withoutPassword(address).contains("secret"))
    // Another program has stored it.
    let id = try subscribe(address, title: "A")
    let other = try subscribe("https://b.example/")
    script.answers[other] = [.content("B|1|")]
    let summary = try await refresh.run()
    #expect(summary.failed.map(\.id) == [id] && summary.newItems == 1)
    let failure = try #require(try stored(id).failure)
    #expect(failure.contains(".netrc") && !failure.contains("secret"))
    #expect(script.requests.map(\.id) == [other])
  }

  @Test(arguments: [
    ("lwn.net/rss", "https://lwn.net/rss"), (" http://A.example/x ", "http://A.example/x"),
    ("feed://a.example/x", "http://a.example/x"), ("https://u@a.example/", "https://u@a.example/"),
    ("https://a.example/?q=a:b@c", "https://a.example/?q=a:b@c"),
  ])
  func `an address is completed`(_ text: String, _ address: String) throws {
    #expect(try FeedAddress.checked(text) == address)
  }

  @Test(arguments: [
    "", "file:///etc/passwd", "javascript:alert(1)", "https://", "http://a b/", "x",
  ])
  func `what is no address of the web is refused`(_ text: String) {
    #expect(throws: FeedAddress.Refusal.notOfTheWeb) { try FeedAddress.checked(text) }
  }

  @Test func `R260: a feed of files gets the address of one with its title, and keeps its items`()
    async throws
  {
    try await news.store.write { transaction in
      let feed = try NewsFeed.feed(titled: "News", in: transaction)
      let item = Item(guid: "1", title: "one", isRead: true)
      _ = try NewsFeed.importItem(item, of: feed, into: transaction)
    }
    let document = FeedDocument(title: "News", items: ["1", "2"].map { Item(guid: $0, title: $0) })
    let result = try news.subscribe(
      Subscription(address: "https://a.example/"),
      to: document,
      answering: FeedResponse(id: 0, .unchanged),
      at: clock.now
    )
    #expect(result.isNew && result.added == 1)
    #expect(try news.feeds().count == 1)
    #expect(try news.unreadCount() == 1)
  }

  @Test func `an unsubscribed feed goes with its items, or stays with them and is not fetched`()
    async throws
  {
    let (one, two) = (try subscribe("https://a.example/"), try subscribe("https://b.example/"))
    script.answers = [one: [.content("A|1,2|")], two: [.content("B|3|")]]
    _ = try await refresh.run()
    #expect(try news.unsubscribe(one) == 2)
    #expect(try items() == ["3"])
    #expect(try news.unsubscribe(two, keepingItems: true) == 1)
    #expect(try items() == ["3"])
    #expect(try await refresh.run(.all).fetched == 0)
    #expect(try news.unsubscribe(99) == 0)
  }

  @Test func `R262: a refresh that is cancelled keeps what has come`() async throws {
    let (one, two) = (try subscribe("https://a.example/"), try subscribe("https://b.example/"))
    script.answers = [one: [.content("A|1|")], two: []]
    let refresh = refresh
    let work = Task { try await refresh.run() }
    for await _ in script.waits.stream { break }
    work.cancel()
    #expect(try await work.value.newItems == 1)
    #expect(try items() == ["1"])
    #expect(try stored(two).checkedAt == nil)
  }
}

extension FeedAnswer {
  fileprivate static func content(_ text: String) -> FeedAnswer { .content(Array(text.utf8)) }
}

/// Answers by feed; a feed without one is waited for until the task is cancelled.
private final class Script: FeedFetching {
  private struct State {
    var answers: [Int64: [FeedAnswer]] = [:]
    var requests: [FeedRequest] = []
    var change: @Sendable (inout FeedResponse) -> Void = { _ in }
  }

  private let state = Mutex(State())
  let waits = AsyncStream<Void>.makeStream()

  var answers: [Int64: [FeedAnswer]] {
    get { state.withLock { $0.answers } }
    set { state.withLock { $0.answers = newValue } }
  }

  var change: @Sendable (inout FeedResponse) -> Void {
    get { state.withLock { $0.change } }
    set { state.withLock { $0.change = newValue } }
  }

  var requests: [FeedRequest] { state.withLock { $0.requests } }

  func fetch(_ requests: [FeedRequest]) -> AsyncStream<FeedResponse> {
    let (stream, continuation) = AsyncStream<FeedResponse>.makeStream()
    let isWhole = state.withLock { state in
      state.requests += requests
      var isWhole = true
      for request in requests {
        guard let answer = state.answers[request.id]?.first else {
          isWhole = false
          continue
        }
        var response = FeedResponse(id: request.id, answer)
        response.address = request.address
        state.change(&response)
        continuation.yield(response)
      }
      return isWhole
    }
    if isWhole { continuation.finish() } else { waits.continuation.yield() }
    return stream
  }
}

/// Reads `TITLE|GUID,GUID|MINUTES`.
private struct ScriptedReading: FeedReading {
  func document(_ content: [UInt8], from address: String) throws(FeedDefect) -> FeedDocument {
    let parts = String(decoding: content, as: UTF8.self)
      .split(separator: "|", omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw FeedDefect("line 1: no feed") }
    let guids = parts[1].split(separator: ",").map(String.init)
    return FeedDocument(
      title: String(parts[0]),
      minutesToLive: Int(parts[2]),
      items: guids.map { Item(guid: $0, title: "title \($0)") }
    )
  }
}

private final class Clock: Sendable {
  private let seconds = Mutex<Int64>(1_800_000_000)

  var now: Instant { Instant(microseconds: seconds.withLock { $0 } * 1_000_000) }

  func advance(hours: Int64 = 0, minutes: Int64 = 0) {
    seconds.withLock { $0 += hours * 3600 + minutes * 60 }
  }
}
