import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// A view that is held shows an earlier list, and everything since as one change (R28, R44).
@Suite("Changes of a held view compose")
struct ChangeCompositionTests {
  private func controller(_ world: inout ListWorld) -> FetchedResultsController<Row> {
    FetchedResultsController(
      world.definition(),
      in: world.store,
      options: ResultsOptions(delivery: .onDemand)
    )
  }

  /// Commits at random, and returns the changes as they are delivered one by one.
  private func changes(
    _ world: inout ListWorld,
    _ controller: FetchedResultsController<Row>,
    count: Int
  ) async throws -> [ResultsChange<Row>] {
    var events = controller.changes(from: try controller.results).makeAsyncIterator()
    var changes: [ResultsChange<Row>] = []
    var generation = try controller.results.generation
    for _ in 0..<count {
      try world.commit(rows: 1 + world.generator.below(4))
      try await controller.refresh()
      let present = try controller.results.generation
      while generation < present, case .change(let change)? = await events.next() {
        changes.append(change)
        generation = change.after.generation
      }
    }
    return changes
  }

  @Test(arguments: UInt64(1)...30)
  func `R28: the composed change turns the list that is shown into the present one`(
    seed: UInt64
  ) async throws {
    var world = try ListWorld(seed: seed)
    try world.commit(rows: 30)
    let controller = controller(&world)
    try await controller.performFetch()
    let context: Comment = "seed \(seed)"
    let shown = try controller.results
    let deliveries = try await changes(&world, controller, count: 25)
    guard var held = deliveries.first else { return }
    #expect(held.before.generation == shown.generation, context)
    for next in deliveries.dropFirst() { held = try held.then(next) }
    let present = try controller.results
    #expect(held.before.generation == shown.generation, context)
    #expect(held.after.generation == present.generation, context)
    #expect(throws: Never.self, context) {
      try held.delta.verify(
        from: try held.before.snapshot.content,
        to: try present.snapshot.content
      )
    }
    // Made again from its parts, it is the same.
    let again = try ResultsChange(from: shown, by: held.delta, to: present)
    #expect(again.delta == held.delta && again.after.generation == present.generation, context)
  }

  @Test func `R44: parts that do not fit together are refused with what is wrong`() async throws {
    var world = try ListWorld(seed: 5)
    try world.commit(rows: 30)
    let request = FetchRequest<Row>(entity: world.entity, sortedBy: [.ascending("note")])
    let options = ResultsOptions(delivery: .onDemand)
    let one = FetchedResultsController(request, in: world.store, options: options)
    let other = FetchedResultsController(request, in: world.store, options: options)
    try await one.performFetch()
    try await other.performFetch()
    let deliveries = try await changes(&world, one, count: 9)
    try #require(deliveries.count >= 3)
    let (first, last) = (deliveries[0], deliveries[2])
    func refusal(_ make: () throws -> ResultsChange<Row>) -> DeltaError? {
      do {
        _ = try make()
        return nil
      } catch {
        return error as? DeltaError
      }
    }
    let generation = first.before.generation
    #expect(
      refusal { try first.then(last) }
        == .outOfSync(expected: generation + 2, found: generation + 1)
    )
    #expect(
      refusal { try ResultsChange(from: first.after, by: first.delta, to: first.after) }
        == .outOfSync(expected: generation + 1, found: generation)
    )
    #expect(
      refusal { try ResultsChange(from: first.before, by: first.delta, to: last.after) }
        == .outOfSync(expected: generation + 3, found: generation + 1)
    )
    let foreign = try other.results
    #expect(
      refusal { try ResultsChange(from: foreign, by: first.delta, to: first.after) }
        == .otherLife(expected: foreign.position.life, found: first.delta.life)
    )
    var wrong = first.delta
    wrong.newSectionCount += 1
    #expect(
      refusal { try ResultsChange(from: first.before, by: wrong, to: first.after) }
        == .sectionCount(.after, expected: 1, found: 2)
    )
  }
}
