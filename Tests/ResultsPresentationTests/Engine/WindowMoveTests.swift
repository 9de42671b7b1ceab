import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// R76: another limit or offset of a live list is an ordinary change, which is the one that fetching again would find, and reads no key
/// of a list that holds them.
@Suite("A window moves over the keys that the list has")
struct WindowMoveTests {
  static let seeds: Range<UInt64> = 1..<25
  static let steps =
    (ProcessInfo.processInfo.environment["RESULTS_LAW_STEPS"].flatMap { Int($0) } ?? 10_000) / 100

  /// A random definition with aggregates, since those of a cut section change with the window.
  private func definition(_ world: inout ListWorld) -> ResultsDefinition<Row> {
    var definition = world.definition()
    if world.generator.below(2) == 0 {
      definition.aggregates = [
        SectionAggregate("sum", .sum("rank")),
        SectionAggregate("first", .minimum("note")),
      ]
    }
    return definition
  }

  private func moveWindow(
    of definition: inout ResultsDefinition<Row>,
    _ generator: inout SeededGenerator
  ) {
    definition.request.fetchLimit = [nil, 0, 1, 3, 8, 20][generator.below(6)]
    definition.request.fetchOffset = [0, 0, 1, 4, 9, 30][generator.below(6)]
  }

  @Test(arguments: seeds)
  func `R76: a moved window gives the delta of a list that is fetched again`(seed: UInt64) throws {
    var world = try ListWorld(seed: seed)
    let store = IndexingStore(world.store)
    try world.commit(rows: 40)
    var done = 0
    while done < Self.steps / Self.seeds.count + 40 {
      var definition = definition(&world)
      let plan = try ListPlan(definition)
      var held = try ListEngine(plan, in: store, indexing: nil)
      var indexing = IndexingPolicy(store, inMemoryKeyLimit: -1)
      indexing?.stride = 1 + world.generator.below(6)
      var indexed = try ListEngine(plan, in: store, indexing: indexing)
      for step in 0..<40 {
        let context: Comment = "seed \(seed), step \(done)"
        try world.commit(rows: 1 + world.generator.below(step % 10 == 9 ? 30 : 3))
        if world.generator.below(8) == 0 {
          let rows = world.generator.below(9)..<9 + world.generator.below(9)
          (held.observedRows, indexed.observedRows) = (rows, rows)
        }
        moveWindow(of: &definition, &world.generator)
        let next = try ListPlan(definition)
        let isSame = next.limit == held.plan.limit && next.offset == held.plan.offset
        #expect(next.differsOnlyInWindow(from: held.plan) != isSame, context)
        try store.read { (snapshot) throws(StoreError) in
          let history = SnapshotHistory(snapshot)
          _ = try held.advance(in: history, folding: true)
          _ = try indexed.advance(in: history, folding: true)
          var fetched = held
          let wanted = try fetched.redefine(next, in: snapshot)
          let moved = try held.moveWindow(to: next, in: snapshot)
          let other = try indexed.moveWindow(to: next, in: snapshot)
          #expect(moved?.delta == wanted?.delta, context)
          #expect(other?.delta == wanted?.delta, context)
          for engine in [held, indexed] {
            #expect(engine.observedRows == fetched.observedRows, context)
            #expect(engine.snapshot.generation == fetched.snapshot.generation, context)
            #expect(engine.snapshot.counts == fetched.snapshot.counts, context)
            let (content, wanted) = (try engine.snapshot.content, try fetched.snapshot.content)
            #expect(content == wanted, context)
          }
        }
        done += 1
      }
    }
  }

  @Test func `R76: a list that holds its keys reads only the rows that enter or leave`() throws {
    var world = try ListWorld(seed: 7)
    try world.commit(rows: 400)
    var request = world.everything
    request.fetchLimit = 5
    var definition = ResultsDefinition(request, sectionedBy: nil)
    var engine = try ListEngine(try ListPlan(definition), in: world.store, indexing: nil)
    definition.request.fetchLimit = 12
    definition.request.fetchOffset = 2
    let plan = try ListPlan(definition)
    let (step, work) = try world.store.read { (snapshot) throws(StoreError) in
      let counting = CountingSnapshot(snapshot)
      return (try engine.moveWindow(to: plan, in: counting), counting.work)
    }
    #expect(step?.delta.rows.deletes.count == 2)
    #expect(step?.delta.rows.inserts.count == 9)
    #expect(work.rows == 11)
    #expect(work.keys == 0)
  }

  @Test func `R76: the rows, their order, sections and titles are the same`() throws {
    var world = try ListWorld(seed: 3)
    try world.commit(rows: 5)
    func plan(_ change: (inout ResultsDefinition<Row>) -> Void) throws -> ListPlan {
      let request = FetchRequest<Row>(entity: world.entity, sortedBy: [.ascending("rank")])
      var definition = ResultsDefinition(
        request,
        sectionedBy: .transient(source: "rank", grouping: TensGrouping())
      )
      change(&definition)
      return try ListPlan(definition)
    }
    let base = try plan { _ in }
    let windows: [(inout ResultsDefinition<Row>) -> Void] = [
      { $0.request.fetchLimit = 3 },
      { $0.request.fetchOffset = 3 },
      { ($0.request.fetchLimit, $0.request.fetchBatchSize) = (3, 7) },
    ]
    for change in windows { #expect(try plan(change).differsOnlyInWindow(from: base)) }
    let others: [(inout ResultsDefinition<Row>) -> Void] = [
      { _ in },
      { $0.request.fetchBatchSize = 7 },
      { $0.request.predicate = .not(.isNull(.attribute("rank"))) },
      { $0.request.sortDescriptors.append(.ascending("note")) },
      { $0.request.propertiesToFetch = ["note"] },
      { $0.sectionKey = nil },
      { $0.sectionKey = .transient(source: "rank", grouping: TensGrouping(width: 4)) },
      { $0.sectionKey = .transient(source: "rank", grouping: TensGrouping(language: "de")) },
      { $0.sectionKey?.title = { "\($0)" } },
      { $0.isFrozen = true },
      { $0.aggregates = [SectionAggregate("sum", .sum("rank"))] },
      { $0.additionalCounts = ["all": CountRequest(world.entity)] },
      { $0.cacheName = "x" },
    ]
    for (index, change) in others.enumerated() {
      #expect(try !plan(change).differsOnlyInWindow(from: base), "change \(index)")
      guard index > 1 else { continue }
      let both = try plan {
        change(&$0)
        $0.request.fetchLimit = 3
      }
      #expect(!both.differsOnlyInWindow(from: base), "change \(index) and a limit")
    }
    // Two closures cannot be compared, so a text says whether their titles are the same.
    let titled = try plan { $0.sectionKey?.title = { "\($0)" } }
    let other = try plan {
      $0.sectionKey?.title = { "# \($0)" }
      $0.request.fetchLimit = 3
    }
    #expect(!other.differsOnlyInWindow(from: titled))
  }

  @Test func `R76: an update of the limit is one change, and a refused one leaves the window`()
    async throws
  {
    var world = try ListWorld(seed: 5)
    try world.commit(rows: 60)
    var request = FetchRequest<Row>(entity: world.entity, sortedBy: [.ascending("rank")])
    request.fetchLimit = 4
    let controller = FetchedResultsController(request, in: world.store)
    try await controller.performFetch()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    try await controller.update { $0.request.fetchLimit = 6 }
    guard case .change(let change) = await events.next() else {
      Issue.record("no change")
      return
    }
    #expect(change.delta.cause == .definition)
    try change.delta.verify(from: change.before.snapshot.content, to: change.after.snapshot.content)
    #expect(change.delta.rows.inserts.count == 2)
    let explanation = try #require(try await controller.explain())
    #expect(explanation.last.path == .windowMoved)
    #expect(explanation.last.work.keys == 0)
    await #expect(throws: StoreError.self) {
      try await controller.update { $0.request.fetchLimit = -1 }
    }
    #expect(try controller.results.count == 6)
    // Many updates at once end with the newest, whatever windows were on their way.
    try await withThrowingTaskGroup { group in
      for limit in 1...20 {
        group.addTask { try await controller.update { $0.request.fetchLimit = limit } }
        group.addTask {
          try await controller.update { $0.request.sortDescriptors = [.descending("note")] }
        }
      }
      try await group.waitForAll()
    }
    try await controller.update { $0.request.fetchLimit = 3 }
    let rows = try world.store.read { (store) throws(StoreError) in
      try store.fetch(world.everything)
    }
    request.sortDescriptors = [.descending("note")]
    request.fetchLimit = 3
    let naive = NaiveList(definition: ResultsDefinition(request), rows: rows).content
    #expect(try controller.results.snapshot.content == naive)
    controller.cancel()
  }
}
