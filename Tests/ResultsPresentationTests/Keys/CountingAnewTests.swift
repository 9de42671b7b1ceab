import InMemoryPersistence
import ResultsDomain
import Testing

@testable import ResultsPresentation

/// R43: a list over an index is counted anew, and no row is placed, where surely more rows move than its consumer wants.
@Suite("Counting a list anew")
struct CountingAnewTests {
  /// What becomes of three rows that all stand in section `a`.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var sectioned = true
    let values: [Value]
    let isCounted: Bool
  }

  static let cases = [
    Case(testDescription: "to another section", values: ["b", 1, "x"], isCounted: true),
    Case(testDescription: "to one that goes on alike", values: ["ab", 1, "x"], isCounted: true),
    Case(testDescription: "to no section", values: [.null, 1, "x"], isCounted: true),
    Case(testDescription: "within the section", values: ["a", 1, "y"], isCounted: false),
    Case(
      testDescription: "in a list without sections",
      sectioned: false,
      values: ["b", 1, "y"],
      isCounted: false
    ),
  ]

  @Test(arguments: cases)
  func `R43: rows that surely move are not placed where nobody wants so many`(
    _ example: Case
  ) async throws {
    let world = try ListWorld(seed: 1)
    let entity = world.entity
    _ = try world.store.commit(origin: .unnamed) { transaction in
      for _ in 0..<9 { _ = try transaction.insert(["a", 1, "x"], key: nil, into: entity) }
    }
    let request = FetchRequest<ObjectID>(entity: entity, sortedBy: [.ascending("note")])
    let list = FetchedResultsController(
      ResultsDefinition(request, sectionedBy: example.sectioned ? .attribute("series") : nil),
      in: IndexingStore(world.store),
      options: ResultsOptions(delivery: .onDemand, resetThreshold: 2, heldKeysLimit: -1)
    )
    try await list.performFetch()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    _ = try world.store.commit(origin: .unnamed) { transaction in
      for key in [2, 3, 5] as [Int64] {
        let id = ObjectID(entity: entity.name, key: .integer(key))
        try transaction.update(id, to: example.values, of: entity, ifUnchangedFrom: nil)
      }
    }
    try await list.refresh()
    // Whichever way is taken, the consumer hears of no change that is too large.
    guard case .reset(let reason, let results) = await events.next() else {
      Issue.record("no reset was told")
      return
    }
    #expect(reason == .tooManyChanges(count: 3))
    let path = try await list.explain()?.last.path
    #expect(path == (example.isCounted ? .reset(reason) : .followed(deltas: 1)))
    let other = FetchedResultsController(list.definition, in: world.store)
    try await other.performFetch()
    #expect(try results.snapshot.content == other.results.snapshot.content)
  }
}
