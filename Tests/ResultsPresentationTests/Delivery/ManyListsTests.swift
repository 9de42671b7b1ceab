import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import Testing

@testable import ResultsPresentation

@Suite("Many lists of one store", .timeLimit(.minutes(15)))
struct ManyListsTests {
  private func lists(_ count: Int, of store: WatchedStore) async throws
    -> [FetchedResultsController<Volume>]
  {
    var lists: [FetchedResultsController<Volume>] = []
    for pages in 0..<count {
      let list = FetchedResultsController(
        FetchRequest<Volume>(where: \.pages == pages, sortedBy: [.ascending(\.title)]),
        in: store
      )
      try await list.performFetch()
      lists.append(list)
    }
    return lists
  }

  @Test func `R54 R66: a commit that concerns one of a thousand lists costs the others no query`()
    async throws
  {
    let store = try Volume.store(("A", "x"), ("A", "y"))
    let lists = try await lists(1000, of: store)
    var events = lists[7].changes.makeAsyncIterator()
    _ = await events.next()
    let before = store.counts
    let shown = lists.map { $0.state.results?.loader }
    try store.change("y") { $0.pages = 7 }
    #expect(try await events.picture() == "+[0,0]")
    // One read and one history for all, and neither keys nor rows: the commit contains the new row.
    #expect(zip(store.counts, before).map(-) == [1, 1, 0, 0])
    // The other lists have not been touched at all.
    let touched = zip(lists, shown).filter { $0.0.state.results?.loader !== $0.1 }.map(\.0)
    #expect(touched.map { $0.state.results?.generation } == [2, 2])
    #expect(Set(lists.map { ObjectIdentifier($0.list.scheduler) }).count == 1)
  }

  @Test func `R53: a commit of attributes that are neither shown nor observed costs no query`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    var definition = Volume.bySeries()
    definition.request.propertiesToFetch = ["series", "title"]
    let list = FetchedResultsController(definition, in: store)
    try await list.performFetch()
    let before = store.counts
    try store.change("x") { $0.pages = 7 }
    try await list.refresh()
    // The notification of the commit may have caused a turn as well.
    let queries = zip(store.counts, before).map(-)
    #expect(queries[2...] == [0, 0])
    #expect(try list.results.generation == 1)
  }

  @Test func `R67: additional counts are taken again only if their entity was changed`()
    async throws
  {
    let other = try EntityDescription(
      name: "Other",
      attributes: [AttributeDescription("a", .text)]
    )
    let store = WatchedStore(try InMemoryStore(entities: [Volume.entity, other]))
    var definition = Volume.bySeries()
    definition.additionalCounts = ["others": CountRequest(other)]
    let list = FetchedResultsController(definition, in: store)
    try await list.performFetch()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    let before = store.counts
    try store.add([("A", "x")])
    #expect(try await events.picture() == "+s0 +[0,0]")
    #expect(store.counts[2] - before[2] == 1)
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.insert([.text("a")], key: .integer(1), into: other)
    }
    try await list.refresh()
    #expect(try list.results.additionalCounts == ["others": 1])
    #expect(try list.results.generation == 2)
  }

  @Test func `R66: a subscriber of one list finds every other one at the same commit`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let first = try #require(await lists(1, of: store).first)
    // Many lists that show the commit too are between the two, so that an early delivery would be seen.
    var between: [FetchedResultsController<Volume>] = []
    for _ in 0..<300 {
      let list = FetchedResultsController(Volume.bySeries(), in: store)
      try await list.performFetch()
      between.append(list)
    }
    let last = try #require(await lists(2, of: store).last)
    var events = first.changes.makeAsyncIterator()
    _ = await events.next()
    for round in 0..<50 {
      try store.change("x") { $0.pages = 1 - $0.pages }
      let change = try #require(await events.change())
      #expect(change.after.count + (try last.results.count) == 1, "round \(round)")
    }
    #expect(try between.allSatisfy { try $0.results.generation == 51 })
  }

  private func lists(of store: WatchedStore) async throws -> [FetchedResultsController<Volume>] {
    try store.add((0..<20).map { ("A", "t\($0)") })
    var lists: [FetchedResultsController<Volume>] = []
    for series in ["A", "B"] {
      let list = FetchedResultsController(
        FetchRequest<Volume>(where: \.series == series, sortedBy: [.ascending(\.title)]),
        in: store
      )
      try await list.performFetch()
      lists.append(list)
    }
    return lists
  }

  @Test func `R66: a commit between the readings of two lists is seen by both`()
    async throws
  {
    let store = try Volume.store()
    let lists = try await lists(of: store)
    var attempts = 0
    let counts = try lists[0].consistently {
      attempts += 1
      let first = try lists[0].results.count
      if attempts == 1 {
        try store.change("t0") { $0.series = "B" }
        try lists[1].list.bringUpToDate()
      }
      return [first, try lists[1].results.count]
    }
    #expect(counts == [19, 1])
    #expect(attempts == 2)
  }

  @Test
  func `R66: the sum over two lists is constant, however fast rows move from one to the other`()
    async throws
  {
    let store = try Volume.store()
    let lists = try await lists(of: store)
    let writer = onThread {
      for step in 0..<1500 {
        try store.change("t\(step % 20)") { $0.series = $0.series == "A" ? "B" : "A" }
      }
      // The last commit lets the reader know that it is over.
      try store.add((0..<5).map { ("A", "end \($0)") })
    }
    var sums: Set<Int> = []
    while !sums.contains(25) {
      let counts = try lists[0].consistently { try lists.map { try $0.results.count } }
      sums.insert(counts.reduce(0, +))
      await Task.yield()
    }
    try await writer.value
    #expect(sums == [20, 25])
  }

  @Test func `R70: nothing retains a controller, its list or the scheduler of its store`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    weak var list: LiveList?
    weak var scheduler: ListScheduler?
    do {
      let controller = FetchedResultsController(Volume.bySeries(), in: store)
      try await controller.performFetch()
      var events = controller.changes.makeAsyncIterator()
      _ = await events.next()
      try store.add([("A", "y")])
      _ = await events.next()
      (list, scheduler) = (controller.list, controller.list.scheduler)
      #expect(list != nil)
    }
    // The task that delivered the last change may still hold both for a moment.
    while list != nil || scheduler != nil { await Task.yield() }
    #expect(list == nil)
    let next = FetchedResultsController(Volume.bySeries(), in: store)
    try await next.performFetch()
    #expect(try next.results.picture() == "A: x y")
  }

  @Test func `R70: a cancelled list does not end the others`() async throws {
    let store = try Volume.store(("A", "x"))
    let lists = try await lists(2, of: store)
    var events = lists[0].changes.makeAsyncIterator()
    _ = await events.next()
    lists[1].cancel()
    try store.add([("A", "y")])
    #expect(try await events.picture() == "+[0,1]")
  }

  @Test func `R72: closing the store ends every list`() async throws {
    let store = try Volume.store(("A", "x"))
    let lists = try await lists(2, of: store)
    try store.close()
    for list in lists {
      for await _ in list.changes {}
      guard case .ended(let last?) = list.state else {
        Issue.record("\(list.state)")
        continue
      }
      #expect(last.generation == 1)
    }
  }
}

extension Array {
  fileprivate func asyncMap<Result>(
    _ transform: (Element) async throws -> Result
  ) async throws -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
