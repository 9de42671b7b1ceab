import Foundation
import InMemoryPersistence
import OrderStatistics
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// R19, R26, R48, R55, R56, R57, R77: a list whose keys an index has takes the same steps as one that holds them, path by path, and its
/// earlier generations can be read for as long as they are held.
@Suite("A list over an index shows and delivers the same as one that holds its keys")
struct IndexedLawTests {
  static let seeds: Range<UInt64> = 1..<25
  static let steps =
    (ProcessInfo.processInfo.environment["RESULTS_LAW_STEPS"].flatMap { Int($0) }
      ?? 10_000) / 100

  @Test(arguments: seeds)
  func `both ways give the same deltas and the same lists`(seed: UInt64) throws {
    var world = try ListWorld(seed: seed)
    let store = IndexingStore(world.store)
    try world.commit(rows: 40)
    var done = 0
    while done < Self.steps / Self.seeds.count + 40 {
      let plan = try ListPlan(world.definition())
      var (held, indexed) = try fetch(plan, store, stride: 1 + world.generator.below(6))
      var shown: [(snapshot: ResultsSnapshot, ids: [ObjectID], content: ResultsContent)] = []
      for step in 0..<40 {
        let context: Comment = "seed \(seed), step \(done)"
        for _ in 0..<1 + world.generator.below(3) {
          try world.commit(rows: 1 + world.generator.below(step % 10 == 9 ? 60 : 4))
        }
        for earlier in shown {
          let ids = try page(of: earlier.ids, &world.generator)
          // Before anything else, so that little of it has been read.
          #expect(
            try earlier.snapshot.objectIDs(atFlatPositions: ids.positions) == ids.page,
            context
          )
        }
        if world.generator.below(4) == 0, let last = shown.last {
          #expect(try last.snapshot.content == last.content, context)
        }
        let isFolding = world.generator.below(3) == 0
        let (one, other) = try store.read { (store) throws(StoreError) in
          let history = SnapshotHistory(store)
          return (
            steps(try held.advance(in: history, folding: isFolding)),
            steps(try indexed.advance(in: history, folding: isFolding))
          )
        }
        #expect(one.map(\.delta) == other.map(\.delta), context)
        for (one, other) in zip(one, other) {
          #expect(try one.snapshot.content == other.snapshot.content, context)
        }
        let ids = (0..<held.snapshot.rowCount)
          .compactMap {
            held.snapshot.objectID(atFlatPosition: $0)
          }
        for _ in 0..<3 {
          let ids = try page(of: ids, &world.generator)
          #expect(
            try indexed.snapshot.objectIDs(atFlatPositions: ids.positions) == ids.page,
            context
          )
          #expect(try held.snapshot.objectIDs(atFlatPositions: ids.positions) == ids.page, context)
        }
        try compare(held.snapshot, indexed.snapshot, context)
        try shown.append((indexed.snapshot, ids, held.snapshot.content))
        if shown.count > 6 { shown.remove(at: world.generator.below(shown.count)) }
        for earlier in shown { #expect(try earlier.snapshot.content == earlier.content, context) }
        done += 1
      }
    }
  }

  /// Any positions, also outside of the list, and the rows there.
  private func page(
    of ids: [ObjectID],
    _ generator: inout SeededGenerator
  ) throws -> (positions: Range<Int>, page: [ObjectID]) {
    let start = generator.below(ids.count + 6) - 3
    let positions = start..<start + generator.below(ids.count + 6)
    return (positions, Array(ids[positions.clamped(to: 0..<ids.count)]))
  }

  private func fetch(
    _ plan: ListPlan,
    _ store: IndexingStore,
    stride: Int
  ) throws -> (held: ListEngine, indexed: ListEngine) {
    try store.read { (snapshot) throws(StoreError) in
      let held = try ListEngine(plan, from: snapshot, generation: 1, maintainsDigests: false)
      var indexing = IndexingPolicy(store, inMemoryKeyLimit: -1)
      indexing?.stride = stride
      if stride > 2 { indexing?.countsBySections = true }
      indexing?.lookup = stride.isMultiple(of: 2) ? .seeking : .scanning
      let indexed = try ListEngine(
        plan,
        from: snapshot,
        generation: 1,
        maintainsDigests: false,
        indexing: indexing
      )
      return (held, indexed)
    }
  }

  private func steps(_ progress: ListEngine.Progress) -> [ListEngine.Step] {
    if case .moved(let steps) = progress { steps } else { [] }
  }

  /// Compares everything that two generations offer.
  private func compare(
    _ held: ResultsSnapshot,
    _ indexed: ResultsSnapshot,
    _ context: Comment
  ) throws {
    #expect(held.rowCount == indexed.rowCount, context)
    #expect(held.matchingCount == indexed.matchingCount, context)
    #expect(try held.content == indexed.content, context)
    for section in 0..<held.sectionCount {
      let header = try #require(held.header(ofSection: section))
      #expect(indexed.header(ofSection: section) == header, context)
      #expect(held.section(of: header.id) == indexed.section(of: header.id), context)
    }
    for position in 0..<held.rowCount {
      let id = try #require(held.objectID(atFlatPosition: position))
      #expect(indexed.objectID(atFlatPosition: position) == id, context)
      #expect(indexed.path(of: id) == held.path(ofFlatPosition: position), context)
    }
    guard case .indexed(let keys) = indexed.keys else {
      #expect(indexed.plan.numbersSections, context)
      return
    }
    #expect(keys.blocks.checkInvariants() == nil, context)
    #expect(keys.sections.checkInvariants() == nil, context)
    #expect(keys.blocks.rowCount == held.matchingCount, context)
  }
}
