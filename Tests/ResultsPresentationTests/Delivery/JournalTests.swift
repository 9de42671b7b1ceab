import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Synchronization
import Testing

@testable import ResultsPresentation

@Suite("The journal of a list", .timeLimit(.minutes(15)))
struct JournalTests {
  @Test func `R45: a consumer that was away catches up with one change`() async throws {
    let store = try Volume.store(("A", "x"))
    let list = FetchedResultsController(
      Volume.bySeries(),
      in: store,
      options: ResultsOptions(journalCapacity: 10)
    )
    #expect(throws: ResultsError.self) { try list.catchUp(generation: 1) }
    try await list.performFetch()
    for title in ["a", "b", "c"] {
      try store.add([("A", title)])
      try await list.refresh()
    }
    try store.remove("b")
    try await list.refresh()
    #expect(try list.catchUp(generation: 1).picture == "+[0,0] +[0,1] to 5")
    #expect(try list.catchUp(generation: 3).picture == "-[0,1] +[0,1] to 5")
    #expect(try list.catchUp(generation: 5).picture == "up to date 5")
    #expect(try list.catchUp(generation: 2).picture == "+[0,1] to 5")
  }

  @Test func `R45: rows inserted and deleted meanwhile are nothing to catch up with`() async throws
  {
    let store = try Volume.store(("A", "x"))
    let list = FetchedResultsController(
      Volume.bySeries(),
      in: store,
      options: ResultsOptions(journalCapacity: 10)
    )
    try await list.performFetch()
    try store.add([("A", "a")])
    try await list.refresh()
    try store.remove("a")
    try await list.refresh()
    #expect(try list.catchUp(generation: 1).picture == "up to date 3")
  }

  @Test(arguments: [Int.min, -1, 0, 6, Int.max])
  func `R45 R44: a generation that the list never had is answered by a reset`(
    generation: Int
  ) async throws {
    let store = try Volume.store(("A", "x"))
    let list = FetchedResultsController(
      Volume.bySeries(),
      in: store,
      options: ResultsOptions(journalCapacity: 2)
    )
    try await list.performFetch()
    for number in 0..<4 {
      try store.add([("A", "t\(number)")])
      try await list.refresh()
    }
    #expect(try list.catchUp(generation: generation).picture == "beyondJournal 5")
    // The journal retains two row changes, so it reaches back two generations.
    #expect(try list.catchUp(generation: 2).picture == "beyondJournal 5")
    #expect(try list.catchUp(generation: 3).picture == "+[0,2] +[0,3] to 5")
  }

  @Test func `R45 R43: what was reset cannot be caught up with, and too much is a reset`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let list = FetchedResultsController(
      Volume.bySeries(),
      in: store,
      options: ResultsOptions(journalCapacity: 10, resetThreshold: 1)
    )
    try await list.performFetch()
    for title in ["a", "b"] {
      try store.add([("A", title)])
      try await list.refresh()
    }
    #expect(try list.catchUp(generation: 1).picture == "tooManyChanges 3")
    #expect(try list.catchUp(generation: 2).picture == "+[0,1] to 3")
    store.report(.otherEpoch)
    try store.add([("A", "c")])
    try await list.refresh()
    store.report(nil)
    #expect(try list.catchUp(generation: 3).picture == "storeReplaced 4")
    #expect(try list.catchUp(generation: 4).picture == "up to date 4")
    try store.add([("A", "d")])
    try await list.refresh()
    #expect(try list.catchUp(generation: 4).picture == "+[0,3] to 5")
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `R45 R26: it catches up from every generation, or is a reset`(
    seed: UInt64
  ) async throws {
    var world = try ListWorld(seed: seed)
    try world.commit(rows: 20)
    let capacity = 30
    let list = FetchedResultsController(
      world.definition(),
      in: world.store,
      options: ResultsOptions(journalCapacity: capacity)
    )
    try await list.performFetch()
    var contents = [1: try list.results.snapshot.content]
    var answers: Set<String> = []
    for step in 0..<40 {
      try world.commit(rows: 1 + world.generator.below(4))
      try await list.refresh()
      if step % 9 == 8 {
        let next = world.definition()
        try await list.update { $0 = next }
      }
      let present = try list.results.snapshot
      contents[present.generation] = try present.content
      for (generation, content) in contents {
        let context: Comment = "seed \(seed), step \(step), from \(generation)"
        switch try list.catchUp(generation: generation) {
        case .upToDate: #expect(try content == present.content, context)
        case .change(let delta, _):
          answers.insert("change")
          #expect(try content.applying(delta) == present.content, context)
        case .reset(let reason, _):
          answers.insert("reset")
          #expect(reason == .beyondJournal, context)
        }
      }
    }
    #expect(answers.contains("change"))
  }
}

extension FetchedResultsController {
  /// Catches up from a generation of the controller's own life.
  fileprivate func catchUp(generation: Int) throws(ResultsError) -> ResultsCatchUp<Object> {
    let life = state.results?.snapshot.life ?? .unknown
    return try catchUp(from: ResultsPosition(life: life, generation: generation))
  }
}

extension ResultsCatchUp<Volume> {
  fileprivate var picture: String {
    switch self {
    case .upToDate(let results): "up to date \(results.generation)"
    case .change(let delta, let results): "\(delta.picture) to \(results.generation)"
    case .reset(let reason, let results): "\(reason.wireName) \(results.generation)"
    }
  }
}

@Suite("Continuing from drawn results", .timeLimit(.minutes(15)))
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

  @Test func `R44 R45: the events begin at the drawn generation`() async throws {
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
    // A consumer of the present generation receives only later ones.
    var late = list.changes(from: try list.results).makeAsyncIterator()
    try store.add([("A", "d")])
    let change = try #require(await late.change())
    #expect((change.delta.picture, change.delta.from) == ("+[0,3]", 4))
  }

  @Test func `R45: catching up and then subscribing leaves no gap, for any commits in between`()
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

  @Test func `R27 R44: changes that cancel out are no event, and the next one continues`()
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
  func `R43 R45: where the changes are unknown or too many, it begins with a reset`(
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
    // The later life has the same numbers.
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
    store.fail(with: .inputOutput(path: "disk", detail: "missing"))
    await #expect(throws: StoreError.self) { try await list.refresh() }
    store.fail(with: nil)
    try store.add([("B", "z")])
    try await list.refresh()
    #expect(try list.results.generation > 2)
    #expect(try list.results.snapshot.life == life)
  }

  @Test(arguments: ["17.3w5e11264sgsf", "1.a.b", "0.", "-3.é"])
  func `R46: a position has a text form`(_ text: String) throws {
    let position = try #require(ResultsPosition(text))
    #expect(position.description == text)
    #expect(ResultsPosition(position.description) == position)
  }

  @Test(arguments: ["", ".", "17", "x.a", "99999999999999999999.a", "１.a"])
  func `R46: a malformed position is refused`(_ text: String) {
    #expect(ResultsPosition(text) == nil)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `R44 R45: a consumer that returns again and again while others write misses nothing`(
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
