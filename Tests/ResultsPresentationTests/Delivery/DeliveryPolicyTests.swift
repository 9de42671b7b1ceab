import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Synchronization
import Testing

@testable import ResultsPresentation

@Suite("Policies of delivery", .timeLimit(.minutes(15)))
struct DeliveryPolicyTests {
  private typealias Events = ResultsChanges<Volume>.AsyncIterator

  private func list(
    of store: WatchedStore,
    _ options: ResultsOptions = ResultsOptions()
  ) async throws -> (FetchedResultsController<Volume>, Events) {
    let list = FetchedResultsController(Volume.bySeries(), in: store, options: options)
    try await list.performFetch()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    return (list, events)
  }

  /// Makes commits while a list is paused, and waits until their notification has been handled: another list of the store shows them.
  private func commitUnseenByPaused(_ store: WatchedStore, _ titles: [String]) async throws {
    let (other, events) = try await list(of: store)
    var remaining = events
    for title in titles {
      try store.add([("A", title)])
      _ = try #require(await remaining.change())
    }
    other.cancel()
  }

  @Test func `R65: at once means each commit with a change of its own`() async throws {
    let store = try Volume.store(("A", "x"))
    var (list, events) = try await list(of: store)
    for number in 0..<3 {
      try store.add([("A", "t\(number)")])
      #expect(try await events.picture() == "+[0,\(number)]")
    }
    #expect(try list.results.generation == 4)
    list.cancel()
  }

  @Test func `R65: a span of time collects its commits, and nothing is read before its end`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let clock = ManualClock()
    let options = ResultsOptions(delivery: .throttled(for: .milliseconds(100)), clock: clock)
    var (first, events) = try await list(of: store, options)
    let (second, _) = try await list(of: store, options)
    let before = store.counts
    for title in ["a", "b", "c"] { try store.add([("A", title)]) }
    try store.remove("b")
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(99))
    #expect(clock.sleeperCount == 1)
    #expect(store.counts == before)
    #expect(try first.results.generation == 1)
    clock.advance(by: .milliseconds(1))
    let change = try #require(await events.change())
    #expect(change.delta.picture == "+[0,0] +[0,1]")
    #expect((change.delta.from, change.delta.to) == (1, 2))
    // Both lists of one span reach the same commit in one read.
    #expect(try second.results.generation == 2)
    #expect(store.counts[0] - before[0] == 1)
    try store.add([("A", "d")])
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(100))
    #expect(try await events.picture() == "+[0,2]")
    first.cancel()
  }

  @Test func `R65: spans of different length or with different clocks are independent`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let clocks = [ManualClock(), ManualClock()]
    var (first, events) = try await list(
      of: store,
      ResultsOptions(delivery: .throttled(for: .seconds(1)), clock: clocks[0])
    )
    let (second, _) = try await list(
      of: store,
      ResultsOptions(delivery: .throttled(for: .seconds(2)), clock: clocks[0])
    )
    let (third, _) = try await list(
      of: store,
      ResultsOptions(delivery: .throttled(for: .seconds(1)), clock: clocks[1])
    )
    try store.add([("A", "a")])
    await clocks[0].waitForSleepers(2)
    await clocks[1].waitForSleepers()
    clocks[0].advance(by: .seconds(1))
    #expect(try await events.picture() == "+[0,0]")
    #expect(try [second, third].map { try $0.results.generation } == [1, 1])
    first.cancel()
  }

  @Test func `R65: on demand means not before a refresh, and then as one change`() async throws {
    let store = try Volume.store(("A", "x"))
    var (list, events) = try await list(of: store, ResultsOptions(delivery: .onDemand))
    var (other, others) = try await self.list(of: store)
    for title in ["a", "b"] {
      try store.add([("A", title)])
      _ = await others.next()
    }
    try await other.refresh()
    #expect(try list.results.generation == 1)
    try await list.refresh()
    #expect(try await events.picture() == "+[0,0] +[0,1]")
    #expect(try list.results.generation == 2)
    other.cancel()
  }

  @Test func `R64: a paused list costs no query, and what was missed is one change`() async throws {
    let store = try Volume.store(("A", "x"))
    var (list, events) = try await list(of: store)
    list.pause()
    #expect(list.isPaused)
    let before = store.counts
    for title in ["a", "b", "c"] { try store.add([("A", title)]) }
    try store.remove("b")
    for _ in 0..<2000 { await Task.yield() }
    #expect(store.counts == before)
    #expect(try list.results.generation == 1)
    try await list.resume()
    let change = try #require(await events.change())
    #expect(change.delta.picture == "+[0,0] +[0,1]")
    #expect((change.delta.from, change.delta.to) == (1, 2))
    try store.add([("A", "d")])
    #expect(try await events.picture() == "+[0,2]")
  }

  @Test func `R64: a pause without a net change delivers nothing`() async throws {
    let store = try Volume.store(("A", "x"))
    var (list, events) = try await list(of: store)
    var (other, others) = try await self.list(of: store)
    list.pause()
    try store.add([("A", "a")])
    _ = await others.next()
    try store.remove("a")
    _ = await others.next()
    try await other.refresh()
    #expect(try list.results.generation == 1)
    try await list.resume()
    #expect(try list.results.generation == 1)
    try store.add([("A", "b")])
    let change = try #require(await events.change())
    #expect(change.delta.from == 1)
    other.cancel()
  }

  @Test
  func `R64 R71: after a failed resume the next good commit delivers everything as one change`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    var (list, events) = try await list(of: store)
    list.pause()
    try await commitUnseenByPaused(store, ["a", "b"])
    store.fail(with: .inputOutput(path: "disk", detail: "missing"))
    await #expect(throws: StoreError.self) { try await list.resume() }
    store.fail(with: nil)
    try store.add([("A", "c")])
    let change = try #require(await events.change())
    #expect(change.delta.picture == "+[0,0] +[0,1] +[0,2]")
  }

  @Test func `R64: resuming checks for external changes, so that it returns with them shown`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    var (list, events) = try await list(of: store, ResultsOptions(delivery: .onDemand))
    list.pause()
    try store.add([("A", "a")])
    store.commitUnseen("b")
    try await list.resume()
    #expect(try list.results.picture() == "A: a b x")
    let change = try #require(await events.change())
    #expect(change.delta.picture == "+[0,0] +[0,1]")
  }

  @Test(arguments: [true, false])
  func `R64: a commit during a resume's check is shown, with no change of its own`(
    _ succeeds: Bool
  ) async throws {
    let store = try Volume.store(("A", "x"))
    let (list, changes) = try await list(of: store)
    let (other, _) = try await self.list(of: store)
    var events = changes
    list.pause()
    store.watch.withLock { watch in
      watch.onCheck = { () throws(StoreError) in
        func commit(_ title: String) throws(StoreError) {
          _ = try store.commit(origin: .unnamed) { transaction in
            try transaction.insert(Volume(series: "A", title: title))
          }
        }
        try commit("a")
        // A turn for another list advances all lists that are due, as a notification does.
        try other.list.bringUpToDate()
        #expect((try? other.results.generation) == 2)
        #expect((try? list.results.generation) == 1)
        guard succeeds else { throw .inputOutput(path: "disk", detail: "missing") }
        try commit("b")
      }
    }
    if succeeds {
      try await list.resume()
    } else {
      await #expect(throws: StoreError.self) { try await list.resume() }
    }
    #expect(try list.results.picture() == (succeeds ? "A: a b x" : "A: a x"))
    let change = try #require(await events.change())
    #expect(change.delta.picture == (succeeds ? "+[0,0] +[0,1]" : "+[0,0]"))
    // The backlog of a consumer is one change too, so that this is counted where it is published.
    #expect((change.delta.from, change.delta.to) == (1, 2))
    other.cancel()
  }

  @Test
  func `R64 R71: a resume that cannot check for external changes fails, and the list continues`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    var (list, events) = try await list(of: store)
    list.pause()
    try await commitUnseenByPaused(store, ["a"])
    store.watch.withLock { $0.checkFailure = .inputOutput(path: "disk", detail: "missing") }
    await #expect(throws: StoreError.self) { try await list.resume() }
    guard case .failure(.inputOutput) = await events.next() else {
      Issue.record("no failure reported")
      return
    }
    #expect(!list.isPaused)
    store.watch.withLock { $0.checkFailure = nil }
    try store.add([("A", "b")])
    let change = try #require(await events.change())
    #expect(change.delta.picture == "+[0,0] +[0,1]")
  }

  @Test func `R60: an audit checks for external changes first`() async throws {
    let store = try Volume.store(("A", "x"))
    let (list, _) = try await list(of: store, ResultsOptions(delivery: .onDemand))
    store.commitUnseen("b")
    try await list.audit()
    #expect(try list.results.picture() == "A: b x")
  }

  @Test func `R63: a slow consumer holds no read open, and its backlog is one change`() async throws
  {
    let store = try Volume.store(("A", "x"))
    var (list, events) = try await list(of: store)
    for number in 0..<100 {
      try store.add([("A", "t\(number)")])
      try await list.refresh()
    }
    #expect(store.openReads == 0)
    let change = try #require(await events.change())
    #expect((change.delta.from, change.delta.to) == (1, 101))
    #expect(change.delta.rows.inserts.count == 100)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `R28 R65: folded commits give the same list as one by one`(seed: UInt64) throws {
    var world = try ListWorld(seed: seed)
    try world.commit(rows: 20)
    for round in 0..<150 {
      let plan = try ListPlan(world.definition())
      var single = try world.store.read { (store) throws(StoreError) in
        try ListEngine(plan, from: store, generation: 1, maintainsDigests: false)
      }
      var folding = single
      let before = try single.snapshot.content
      for _ in 0..<4 { try world.commit(rows: 1 + world.generator.below(4)) }
      let progress = try world.store.read { (store) throws(StoreError) in
        _ = try single.advance(to: store)
        return Delivered(try folding.advance(in: SnapshotHistory(store), folding: true))
      }
      let context: Comment = "seed \(seed), round \(round)"
      #expect(try folding.snapshot.content == single.snapshot.content, context)
      #expect(progress.deltas.count <= 1, context)
      for delta in progress.deltas {
        #expect(throws: Never.self, context) {
          try delta.verify(from: before, to: folding.snapshot.content)
        }
      }
      if progress.deltas.isEmpty { #expect(try folding.snapshot.content == before, context) }
    }
  }
}

private struct Delivered: Sendable {
  var deltas: [ResultsDelta] = []

  init(_ progress: ListEngine.Progress) {
    if case .moved(let steps) = progress { deltas = steps.map(\.delta) }
  }
}

/// R65: a small commit of the store's own is delivered within the call that makes it.
@Suite("Prompt delivery", .timeLimit(.minutes(5)))
struct PromptDeliveryTests {
  private let store: InMemoryStore

  init() throws { store = try InMemoryStore(entities: [Volume.entity]) }

  private func add(_ count: Int, from first: Int = 0) throws {
    _ = try store.commit(origin: .unnamed) { transaction in
      for number in first..<first + count {
        try transaction.insert(Volume(series: "s\(number % 3)", title: "t\(number)"))
      }
    }
  }

  @Test(arguments: [4096, -1])
  func `R65: a small commit is shown when its call returns`(limit: Int) async throws {
    let list = FetchedResultsController(
      Volume.bySeries(),
      in: store,
      options: ResultsOptions(inMemoryKeyLimit: limit)
    )
    try await list.performFetch()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    for number in 0..<40 {
      let before = try list.results
      try add(1, from: number)
      let after = try list.results
      #expect(after.count == number + 1)
      guard case .change(let change) = await events.next() else {
        Issue.record("no change for commit \(number)")
        return
      }
      #expect(change.before.generation == before.generation)
      #expect(change.after.generation == after.generation)
      #expect(change.delta.rows.inserts.count == 1)
    }
  }

  @Test func `R65: a span of time, a pause and a list on demand are respected`() async throws {
    let kinds: [ResultsDelivery] = [.throttled(for: .seconds(3600)), .onDemand, .immediate]
    let lists = kinds.map {
      FetchedResultsController(
        Volume.bySeries(),
        in: store,
        options: ResultsOptions(delivery: $0)
      )
    }
    for list in lists { try await list.performFetch() }
    lists[2].pause()
    try add(1)
    for list in lists { #expect(try list.results.count == 0) }
    try await lists[2].resume()
    #expect(try lists[2].results.count == 1)
    lists.forEach { $0.cancel() }
  }

  @Test
  func `R65: the caller of a large commit does not wait, and its list is advanced all the same`()
    async throws
  {
    let calls = Mutex(0)
    let hints = store.commitNotifications { _ in
      calls.withLock { $0 += 1 }
      return true
    }
    let list = FetchedResultsController(Volume.bySeries(), in: store)
    try await list.performFetch()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    try add(1000)
    #expect(calls.withLock { $0 } == 0)
    guard case .change(let change) = await events.next() else {
      Issue.record("no change")
      return
    }
    #expect(change.delta.rows.inserts.count == 1000)
    withExtendedLifetime(hints) {}
  }

  @Test func `R65, R66: writers in many threads advance lists that are being fetched`()
    async throws
  {
    let list = FetchedResultsController(
      Volume.bySeries(),
      in: store,
      options: ResultsOptions(journalCapacity: 100_000)
    )
    try await list.performFetch()
    let first = try list.results
    let store = store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<100 {
            let count = number.isMultiple(of: 25) ? 50 : 1
            _ = try store.commit(origin: .unnamed) { transaction in
              for index in 0..<count {
                let title = "w\(writer) \(number) \(index)"
                try transaction.insert(Volume(series: "s\(number % 5)", title: title))
              }
            }
          }
        }
      }
      group.addTask {
        for _ in 0..<50 {
          let other = FetchedResultsController(Volume.bySeries(), in: store)
          try await other.performFetch()
        }
      }
      try await group.waitForAll()
    }
    try await list.refresh()
    let last = try list.results
    #expect(last.count == 4 * (96 + 4 * 50))
    guard case .change(let delta, _) = try list.catchUp(from: first.position) else {
      Issue.record("the journal does not reach back to the first generation")
      return
    }
    try delta.verify(from: first.snapshot.content, to: last.snapshot.content)
  }
}
