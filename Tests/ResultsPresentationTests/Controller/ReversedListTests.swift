import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// R84: the opposite order is the same list from its end, rows and sections, and reversed twice it is the list itself.
@Suite("A reversed list")
struct ReversedListTests {
  @Test(arguments: UInt64(1)..<31)
  func `R84: it has the rows and sections of the list from its end`(seed: UInt64) throws {
    var world = try ListWorld(seed: seed)
    try world.commit(rows: 40)
    for step in 0..<30 {
      let context: Comment = "seed \(seed), step \(step)"
      var definition = world.definition()
      (definition.request.fetchLimit, definition.request.fetchOffset) = (nil, 0)
      if let key = definition.sectionKey, key.contiguity == .split {
        // Parts of a divided section are numbered from the beginning.
        definition.sectionKey?.contiguity = .merge
      }
      var list = try ListEngine(try ListPlan(definition), in: world.store, indexing: nil)
      var opposite = try engine(definition.reversed(), world)
      var same = try engine(definition.reversed().reversed(), world)
      for _ in 0..<4 {
        try world.commit(rows: 1 + world.generator.below(5))
        let (one, other) = try world.store.read { (store) throws(StoreError) in
          _ = try opposite.advance(to: store)
          return (try list.advance(to: store), try same.advance(to: store))
        }
        #expect(one.map(\.delta) == other.map(\.delta), context)
        let sections = try list.snapshot.content.sections
        let reversed = try opposite.snapshot.content.sections
        guard definition.sectionKey?.contiguity != .merge else {
          // A merged section stands where its first row does.
          #expect(Set(reversed.map(\.header.id)) == Set(sections.map(\.header.id)), context)
          continue
        }
        #expect(reversed.map(\.header) == sections.reversed().map(\.header), context)
        #expect(reversed.map(\.rows) == sections.reversed().map { $0.rows.reversed() }, context)
      }
    }
  }

  private func engine(
    _ definition: ResultsDefinition<Row>,
    _ world: ListWorld
  ) throws -> ListEngine {
    try ListEngine(try ListPlan(definition), in: world.store, indexing: nil)
  }

  @Test func `R84: a limit counts from the new beginning, and an update reverses a live list`()
    async throws
  {
    var world = try ListWorld(seed: 2)
    try world.commit(rows: 60)
    let controller = FetchedResultsController(
      FetchRequest<Row>(entity: world.entity, sortedBy: [.ascending("rank"), .ascending("note")]),
      in: world.store
    )
    try await controller.performFetch()
    let ids = try controller.results.snapshot.content.sections[0].rows
    try await controller.update {
      $0 = $0.reversed()
      $0.request.fetchLimit = 7
    }
    let last = try controller.results.snapshot.content.sections[0].rows
    #expect(last == ids.suffix(7).reversed())
    controller.cancel()
  }
}
