import InMemoryPersistence
import ResultsDomain
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

  @Test func `R65: a span of time gathers what is committed in it, and nothing is read before`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let clock = ManualClock()
    let options = ResultsOptions(delivery: .every(.milliseconds(100)), clock: clock)
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
    // Both lists of one span come to the same commit in one read.
    #expect(try second.results.generation == 2)
    #expect(store.counts[0] - before[0] == 1)
    try store.add([("A", "d")])
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(100))
    #expect(try await events.picture() == "+[0,2]")
    first.cancel()
  }

  @Test func `R65: spans of different length, or of different clocks, are kept apart`() async throws
  {
    let store = try Volume.store(("A", "x"))
    let clocks = [ManualClock(), ManualClock()]
    var (first, events) = try await list(
      of: store,
      ResultsOptions(delivery: .every(.seconds(1)), clock: clocks[0])
    )
    let (second, _) = try await list(
      of: store,
      ResultsOptions(delivery: .every(.seconds(2)), clock: clocks[0])
    )
    let (third, _) = try await list(
      of: store,
      ResultsOptions(delivery: .every(.seconds(1)), clock: clocks[1])
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

  @Test func `R64: a pause in which nothing came of it ends in silence`() async throws {
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

  @Test func `R64 R71: a resume that fails is made up for by the next good commit, as one change`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    var (list, events) = try await list(of: store)
    list.pause()
    for title in ["a", "b"] { try store.add([("A", title)]) }
    store.fail(with: .inputOutput(path: "disk", detail: "gone"))
    await #expect(throws: StoreError.self) { try await list.resume() }
    store.fail(with: nil)
    try store.add([("A", "c")])
    let change = try #require(await events.change())
    #expect(change.delta.picture == "+[0,0] +[0,1] +[0,2]")
  }

  @Test func `R64: resuming looks for other writers, so that it returns with their commits shown`()
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

  @Test func `R64 R71: a resume that cannot look for other writers fails, and the list goes on`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    var (list, events) = try await list(of: store)
    list.pause()
    try store.add([("A", "a")])
    store.watch.withLock { $0.checkFailure = .inputOutput(path: "disk", detail: "gone") }
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

  @Test func `R60: an audit looks for other writers first`() async throws {
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
  func `R28 R65: commits told as one lead to the same list as one by one`(seed: UInt64) throws {
    var world = try ListWorld(seed: seed)
    try world.commit(rows: 20)
    for round in 0..<150 {
      let plan = try ListPlan(world.definition())
      var single = try world.store.read { (store) throws(StoreError) in
        try ListEngine(plan, from: store, generation: 1, keepsDigests: false)
      }
      var folding = single
      let before = try single.snapshot.content
      for _ in 0..<4 { try world.commit(rows: 1 + world.generator.below(4)) }
      let progress = try world.store.read { (store) throws(StoreError) in
        _ = try single.advance(to: store)
        return Told(try folding.advance(in: SnapshotHistory(store), folding: true))
      }
      let place: Comment = "seed \(seed), round \(round)"
      #expect(try folding.snapshot.content == single.snapshot.content, place)
      #expect(progress.deltas.count <= 1, place)
      for delta in progress.deltas {
        #expect(throws: Never.self, place) {
          try delta.verify(from: before, to: folding.snapshot.content)
        }
      }
      if progress.deltas.isEmpty { #expect(try folding.snapshot.content == before, place) }
    }
  }
}

private struct Told: Sendable {
  var deltas: [ResultsDelta] = []

  init(_ progress: ListEngine.Progress) {
    if case .moved(let steps) = progress { deltas = steps.map(\.delta) }
  }
}
