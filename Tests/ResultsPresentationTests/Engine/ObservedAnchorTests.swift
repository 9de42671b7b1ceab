import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// R81: observed rows keep to a row, or to the end of the list, and changes name what touches them, whether the list holds its keys or an
/// index has them.
@Suite("Observed rows keep to an anchor")
struct ObservedAnchorTests {
  @Test(arguments: UInt64(1)..<17)
  func `R81: the rows are those that a naive list has there, and changes name them all`(
    seed: UInt64
  ) throws {
    var world = try ListWorld(seed: seed &+ 500)
    let store = IndexingStore(world.store)
    try world.commit(rows: 60)
    for round in 0..<6 {
      let definition = world.anyDefinition()
      let plan = try ListPlan(definition)
      var full = try ListEngine(plan, in: store, indexing: nil)
      var held = full
      var indexing = IndexingPolicy(store, inMemoryKeyLimit: -1)
      indexing?.stride = 1 + world.generator.below(6)
      var indexed = try ListEngine(plan, in: store, indexing: indexing)
      for step in 0..<40 {
        let context: Comment = "seed \(seed), round \(round), step \(step)"
        let count = full.shown.rowCount
        if step % 8 == 0 || count == 0 {
          let rows = 1 + world.generator.below(9)
          var observed = ObservedRows(range: 0..<rows, anchor: .end).inList(of: count)
          if world.generator.below(2) == 0, count > 0 {
            let row = world.generator.below(count)
            let before = world.generator.below(5)
            let first = max(0, row - before)
            observed = ObservedRows(
              range: first..<row + rows,
              anchor: .row(at: row, before: before)
            )
          }
          (held.observed, indexed.observed) = (observed, observed)
        }
        let (before, anchored) = (full.shown, try #require(held.observed))
        try world.commit(rows: 1 + world.generator.below(step % 10 == 9 ? 25 : 4))
        let (all, ours, theirs) = try store.read { (snapshot) throws(StoreError) in
          let history = SnapshotHistory(snapshot)
          let all = try full.followed(history)
          return (all, try held.followed(history), try indexed.followed(history))
        }
        #expect(ours == theirs, context)
        #expect(held.observed == indexed.observed, context)
        guard let all else {
          #expect(ours == nil, context)
          continue
        }
        #expect(ours == all.observing(anchored, from: before, to: full.shown).delta, context)
        try check(anchored, try #require(held.observed), before, full.shown, all, context)
      }
    }
  }

  private func check(
    _ old: ObservedRows,
    _ new: ObservedRows,
    _ before: ResultsSnapshot,
    _ after: ResultsSnapshot,
    _ delta: ResultsDelta,
    _ context: Comment
  ) throws {
    #expect(new.range.count == old.range.count, context)
    guard delta.sections.moves.isEmpty else { return }
    switch old.anchor {
    case .start: break
    case .end: #expect(new.range.lowerBound == max(0, after.rowCount - old.range.count), context)
    case .row(let row, let distance):
      guard case .row(let position, distance) = new.anchor else {
        Issue.record("another anchor")
        return
      }
      #expect(new.range.lowerBound == max(0, position - distance), context)
      let moved = Set(delta.rows.moves.map(\.id))
      let rows = try before.objectIDs(atFlatPositions: row..<before.rowCount)
      // The row itself if it stayed where it was among the others, else the next one that did.
      let stayed = rows.first { !moved.contains($0) && after.path(of: $0) != nil }
      if let stayed { #expect(try after.identity(atFlatPosition: position) == stayed, context) }
    }
  }

  @Test func `R81: a chat observes its last rows, and a view keeps to a row`() async throws {
    let entity = try EntityDescription(
      name: "Line",
      attributes: [AttributeDescription("at", .integer64)]
    )
    let store = try InMemoryStore(entities: [entity])
    func say(_ times: Int64...) throws -> [ObjectID] {
      try store.write { transaction in
        try times.map { try transaction.insert([.integer($0)], key: nil, into: entity) }
      }
    }
    let first = try say(10, 20, 30, 40, 50, 60)
    let controller = FetchedResultsController(
      FetchRequest<Row>(entity: entity, sortedBy: [.ascending("at")]),
      in: store
    )
    controller.observe(last: 2)
    #expect(controller.observe(around: first[0], before: 1, after: 1) == nil)
    try await controller.performFetch()
    #expect(controller.observedRows == 4..<6)
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    _ = try say(15, 70)
    guard case .change(let change) = await events.next() else {
      Issue.record("no change")
      return
    }
    #expect(controller.observedRows == 6..<8)
    #expect(change.delta.rows.inserts.map(\.to.row) == [7])
    #expect(change.delta.unobserved?.above.inserted == 1)
    #expect(controller.observe(around: first[3], before: 2, after: 1) == 2..<6)
    _ = try say(1, 2, 35)
    // Two rows came above the first observed one, and one between it and the row.
    #expect(controller.observedRows == 5..<9)
    let row = try controller.results.snapshot.objectID(atFlatPosition: 7)
    #expect(row == first[3])
    let nobody = ObjectID(entity: "Line", key: .integer(99))
    #expect(controller.observe(around: nobody, before: 1, after: 1) == nil)
    #expect(controller.observedRows == 5..<9)
    controller.cancel()
  }
}

extension ListEngine {
  fileprivate mutating func followed(
    _ history: SnapshotHistory
  ) throws(StoreError) -> ResultsDelta? {
    guard case .moved(let steps) = try advance(in: history, folding: true) else { return nil }
    return steps.first?.delta
  }
}
