import InMemoryPersistence
import ResultsDomain
import Testing

@testable import ResultsPresentation

@Suite("The journal of a list", .timeLimit(.minutes(15)))
struct JournalTests {
  @Test func `R45: a reader that was away catches up with one change`() async throws {
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

  @Test func `R45: what came and went meanwhile is nothing to catch up with`() async throws {
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
  func `R45 R44: a generation that is none of the list's is answered by a reset`(
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
    // Two row changes are kept, so the journal reaches back two generations.
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
  func `R45 R26: from every generation it leads to the present one, or says that it cannot`(
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
        let place: Comment = "seed \(seed), step \(step), from \(generation)"
        switch try list.catchUp(generation: generation) {
        case .upToDate: #expect(try content == present.content, place)
        case .change(let delta, _):
          answers.insert("change")
          #expect(try content.applying(delta) == present.content, place)
        case .reset(let reason, _):
          answers.insert("reset")
          #expect(reason == .beyondJournal, place)
        }
      }
    }
    #expect(answers.contains("change"))
  }
}

extension FetchedResultsController {
  /// What leads from a generation of the controller's own life to the present one.
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
