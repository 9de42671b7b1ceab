import Foundation
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Synchronization
import Testing

@testable import ResultsPresentation

/// R106: sections that are objects are those of a naive model after every commit of either entity or both, and every delta turns what was
/// shown into what is shown, whether the list holds its keys or an index has them.
@Suite("Sections that are objects obey the laws")
struct ObjectSectionLawTests {
  static let seeds: Range<UInt64> = 1..<25
  static let steps =
    (ProcessInfo.processInfo.environment["RESULTS_LAW_STEPS"].flatMap { Int($0) } ?? 10_000) / 50

  @Test(arguments: seeds)
  func `R106: a list over an index, one in memory and a naive one agree`(seed: UInt64) throws {
    var world = try ObjectWorld(seed: seed)
    let store = IndexingStore(world.library.store)
    try world.commit(rows: 40)
    var done = 0
    while done < Self.steps / Self.seeds.count + 60 {
      var definition = world.definition()
      let plan = try ListPlan(definition)
      var held = try ListEngine(plan, in: store, indexing: nil)
      var indexing = IndexingPolicy(store, inMemoryKeyLimit: -1)
      indexing?.stride = 1 + world.generator.below(6)
      var indexed = try ListEngine(plan, in: store, indexing: indexing)
      for step in 0..<30 {
        let context: Comment = "seed \(seed), step \(done)"
        done += 1
        let before = held.shown
        var observed = held
        observed.observedRows = world.generator.below(9)..<9 + world.generator.below(9)
        var indexedObserved = indexed
        indexedObserved.observedRows = observed.observedRows
        for _ in 0..<1 + world.generator.below(3) {
          try world.commit(rows: 1 + world.generator.below(step % 10 == 9 ? 30 : 3))
        }
        // Without the history, both are read again; a list over an index is then reset.
        let losesHistory = world.generator.below(12) == 0
        store.losesHistory.store(losesHistory, ordering: .relaxed)
        let isFolding = world.generator.below(2) == 0
        try store.read { (snapshot) throws(StoreError) in
          let history = SnapshotHistory(snapshot)
          let steps = try held.moved(in: history, folding: isFolding)
          let others = try indexed.moved(in: history, folding: isFolding)
          if !losesHistory {
            #expect(steps.map(\.delta) == others.map(\.delta), context)
            let seen = try observed.moved(in: history, folding: true)
            let alsoSeen = try indexedObserved.moved(in: history, folding: true)
            #expect(seen.map(\.delta) == alsoSeen.map(\.delta), context)
          }
          try steps.check(from: before.content, to: held.shown.content, context)
        }
        store.losesHistory.store(false, ordering: .relaxed)
        let naive = try world.naive(definition)
        try compare(held, indexed, naive, context)
        try compareLanding(held, indexed, naive, &world, context)
        if losesHistory {
          // A reset counts as a generation, and reading again without a difference does not.
          held = try ListEngine(held.plan, in: store, indexing: nil)
          indexed = try ListEngine(held.plan, in: store, indexing: indexing)
        }
        guard step % 3 == 0 else { continue }
        try change(&definition, &held, &indexed, &world, store, context)
      }
    }
  }

  /// Gives both lists another definition: other limits, other sections, or the opposite order.
  private func change(
    _ definition: inout ResultsDefinition<Row>,
    _ held: inout ListEngine,
    _ indexed: inout ListEngine,
    _ world: inout ObjectWorld,
    _ store: IndexingStore,
    _ context: Comment
  ) throws {
    let before = held.shown
    if world.generator.below(2) == 0 {
      definition.arrangement.limits = world.limits()
    } else {
      definition = world.generator.below(3) == 0 ? definition.reversed() : world.definition()
    }
    let next = try ListPlan(definition)
    let onlyLimits = next.differsOnlyInSectionLimits(from: held.plan)
    try store.read { (snapshot) throws(StoreError) in
      var fetched = held
      let wanted = try fetched.redefine(next, in: snapshot)
      let moved =
        onlyLimits
        ? try held.moveLimits(to: next, in: snapshot) : try held.redefine(next, in: snapshot)
      let other =
        onlyLimits
        ? try indexed.moveLimits(to: next, in: snapshot) : try indexed.redefine(next, in: snapshot)
      #expect(moved?.delta == wanted?.delta, context)
      #expect(other?.delta == wanted?.delta, context)
      try (moved.map { [$0] } ?? []).check(from: before.content, to: held.shown.content, context)
    }
    try compare(held, indexed, world.naive(definition), context)
  }

  private func compare(
    _ held: ListEngine,
    _ indexed: ListEngine,
    _ naive: NaiveObjectList,
    _ context: Comment
  ) throws {
    let wanted = naive.content
    for shown in [held.shown, indexed.shown] {
      let content = try shown.content
      #expect(content == wanted, context)
      let ids = content.sections.flatMap(\.rows)
      #expect(shown.rowCount == ids.count, context)
      #expect(try shown.objectIDs(atFlatPositions: 0..<shown.rowCount) == ids, context)
      for (position, id) in ids.enumerated() {
        let path = shown.path(ofFlatPosition: position)
        #expect(path.flatMap(shown.flatPosition(of:)) == position, context)
        #expect(try shown.identity(atFlatPosition: position) == id, context)
        #expect(shown.path(of: id) == path, context)
      }
      for (index, section) in content.sections.enumerated() {
        #expect(shown.section(of: section.header.id) == index, context)
        #expect(shown.rowCount(inSection: index) == section.rows.count, context)
      }
    }
  }

  /// R122: where a row would land is where it stands in the list with it.
  private func compareLanding(
    _ held: ListEngine,
    _ indexed: ListEngine,
    _ naive: NaiveObjectList,
    _ world: inout ObjectWorld,
    _ context: Comment
  ) throws {
    let key = naive.books.isEmpty ? 999 : Int64(world.generator.below(naive.books.count + 2)) + 1
    let id = ObjectID(entity: "Book", key: .integer(key))
    let row = Row(entity: world.library.books, id: id, values: world.bookValues())
    let books = naive.books.filter { $0.id != id } + [row]
    let content = NaiveObjectList(
      definition: naive.definition,
      sections: naive.sections,
      authors: naive.authors,
      books: books
    ).content
    var wanted: RowPath?
    for (index, section) in content.sections.enumerated() {
      if let found = section.rows.firstIndex(of: id) {
        wanted = RowPath(section: index, row: found)
      }
    }
    for engine in [held, indexed] {
      let found = try world.library.store.read { (snapshot) throws(StoreError) in
        try engine.shown.landingPath(
          of: row,
          in: IndexingSnapshot(snapshot, IndexingStore(world.library.store))
        )
      }
      #expect(found == wanted, context)
    }
  }
}
