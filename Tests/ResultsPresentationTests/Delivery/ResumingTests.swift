import InMemoryPersistence
import ResultsDomain
import ResultsTesting
import Synchronization
import Testing

@testable import ResultsPresentation

@Suite("Going on from what is drawn", .timeLimit(.minutes(15)))
struct ResumingTests {
  private func list(
    of store: WatchedStore,
    journal: Int = 10,
    resetThreshold: Int? = nil
  ) async throws -> FetchedResultsController<Volume> {
    let list = FetchedResultsController(
      Volume.bySeries(),
      in: store,
      options: ResultsOptions(journalCapacity: journal, resetThreshold: resetThreshold)
    )
    try await list.performFetch()
    return list
  }

  @Test func `R44 R45: what follows begins at the generation that is drawn`() async throws {
    let store = try Volume.store(("A", "x"))
    let list = try await list(of: store)
    let drawn = try list.results
    for title in ["a", "b"] {
      try store.add([("A", title)])
      try await list.refresh()
    }
    var events = list.changes(from: drawn).makeAsyncIterator()
    let missed = try #require(await events.change())
    #expect(missed.delta.picture == "+[0,0] +[0,1]")
    #expect((missed.before.generation, missed.delta.from, missed.delta.to) == (1, 1, 3))
    try missed.delta.verify(from: drawn.snapshot.content, to: missed.after.snapshot.content)
    try store.add([("A", "c")])
    #expect(try await events.picture() == "+[0,2]")
    // Who has drawn the present generation is told of nothing but later ones.
    var late = list.changes(from: try list.results).makeAsyncIterator()
    try store.add([("A", "d")])
    let change = try #require(await late.change())
    #expect((change.delta.picture, change.delta.from) == ("+[0,3]", 4))
  }

  @Test func `R45: catching up and then listening leaves no gap, whatever is committed between`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let list = try await list(of: store)
    let left = try list.results.position
    try store.add([("A", "a")])
    try await list.refresh()
    let answer = try list.catchUp(from: left)
    try store.add([("A", "b")])
    try await list.refresh()
    var events = list.changes(from: answer.results).makeAsyncIterator()
    let change = try #require(await events.change())
    #expect((change.delta.picture, change.delta.from) == ("+[0,1]", 2))
  }

  @Test func `R27 R44: what came to nothing meanwhile is no event, and the next one leads on`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let list = try await list(of: store)
    let drawn = try list.results
    try store.add([("A", "a")])
    try await list.refresh()
    try store.remove("a")
    try await list.refresh()
    var events = list.changes(from: drawn).makeAsyncIterator()
    try store.add([("A", "b")])
    let change = try #require(await events.change())
    #expect((change.delta.picture, change.delta.from, change.delta.to) == ("+[0,0]", 1, 4))
  }

  @Test(arguments: [
    (0, nil, "beyondJournal"), (1, nil, "beyondJournal"), (10, 1, "tooManyChanges"),
  ])
  func `R43 R45: where the way is not known, or too long, it begins with a reset`(
    journal: Int,
    threshold: Int?,
    reason: String
  ) async throws {
    let store = try Volume.store(("A", "x"))
    let list = try await list(of: store, journal: journal, resetThreshold: threshold)
    let drawn = try list.results
    for title in ["a", "b"] {
      try store.add([("A", title)])
      try await list.refresh()
    }
    var events = list.changes(from: drawn).makeAsyncIterator()
    #expect(try await events.picture() == "\(reason) A: a b x")
    try store.add([("A", "c")])
    #expect(try await events.picture() == "+[0,2]")
  }

  @Test func `R44 R45: a generation of another life is answered by a reset with that reason`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let earlier = try await list(of: store)
    for title in ["a", "b"] {
      try store.add([("A", title)])
      try await earlier.refresh()
    }
    let drawn = try earlier.results
    earlier.cancel()
    let later = try await list(of: store)
    for title in ["c", "d", "e"] {
      try store.add([("A", title)])
      try await later.refresh()
    }
    // Its number is one that the later life has too, and so are its first and last.
    #expect(drawn.generation == 3)
    for generation in 1...4 {
      var position = drawn.position
      position.generation = generation
      guard case .reset(.otherLife, let present) = try later.catchUp(from: position) else {
        Issue.record("generation \(generation) was taken for one of the later life")
        continue
      }
      #expect(present.generation == 4)
    }
    var events = later.changes(from: drawn).makeAsyncIterator()
    #expect(try await events.picture() == "otherLife A: a b c d e x")
  }

  @Test func `R44: deltas of two lives do not compose, and are equal if they do the same`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let (first, second) = (try await list(of: store), try await list(of: store))
    var events = (first.changes.makeAsyncIterator(), second.changes.makeAsyncIterator())
    _ = (await events.0.next(), await events.1.next())
    try store.add([("A", "a")])
    let one = try #require(await events.0.change()).delta
    let other = try #require(await events.1.change()).delta
    #expect(one.life != other.life)
    #expect(one == other)
    #expect(one.inverse.life == one.life)
    #expect(throws: DeltaError.otherLife(expected: other.life, found: one.life)) {
      try one.then(other.inverse)
    }
    #expect(try one.then(one.inverse).life == one.life)
  }

  @Test func `R44: the life stays through redefinitions, resets and failures`() async throws {
    let store = try Volume.store(("A", "x"))
    let list = try await list(of: store)
    let life = try list.results.snapshot.life
    #expect(life != .unknown)
    try await list.update { $0.request.fetchLimit = 3 }
    store.report(.otherEpoch)
    try store.add([("A", "z")])
    try await list.refresh()
    store.report(nil)
    store.fail(with: .inputOutput(path: "disk", detail: "gone"))
    await #expect(throws: StoreError.self) { try await list.refresh() }
    store.fail(with: nil)
    try store.add([("B", "z")])
    try await list.refresh()
    #expect(try list.results.generation > 2)
    #expect(try list.results.snapshot.life == life)
  }

  @Test(arguments: ["17.3w5e11264sgsf", "1.a.b", "0.", "-3.é"])
  func `R46: a position is kept as text`(_ text: String) throws {
    let position = try #require(ResultsPosition(text))
    #expect(position.description == text)
    #expect(ResultsPosition(position.description) == position)
  }

  @Test(arguments: ["", ".", "17", "x.a", "99999999999999999999.a", "１.a"])
  func `R46: what is no position is refused`(_ text: String) {
    #expect(ResultsPosition(text) == nil)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `R44 R45: who comes back again and again while others write misses nothing`(
    seed: UInt64
  ) async throws {
    let store = try Volume.store(("A", "x"))
    let list = try await list(of: store, journal: 10_000)
    let isWriting = Mutex(true)
    let writer = Task.detached {
      var generator = SeededGenerator(seed: seed)
      for number in 0..<300 {
        try store.add([("\(generator.number(in: 0...2))", "t\(number)")])
        if number % 2 == 0 { try store.remove("t\(generator.number(in: 0...number))") }
      }
      try await list.refresh()
      isWriting.withLock { $0 = false }
    }
    var drawn = try list.results
    var content = try drawn.snapshot.content
    while true {
      let wasWriting = isWriting.withLock { $0 }
      guard case .change = try list.catchUp(from: drawn.position) else {
        guard wasWriting else { break }
        await Task.yield()
        continue
      }
      for await event in list.changes(from: drawn) {
        guard case .change(let change) = event else {
          Issue.record("\(event)")
          break
        }
        #expect(change.delta.from == drawn.generation)
        content = try content.applying(change.delta)
        drawn = change.after
        break
      }
    }
    try await writer.value
    #expect(try content == list.results.snapshot.content)
  }
}
