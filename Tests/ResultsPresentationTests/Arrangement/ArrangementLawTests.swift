import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// R08, R09, R79, R80, R107: arranged sections are those of a naive model after every commit, and every delta turns what was shown into
/// what is shown, whether the list holds its keys or an index has them.
@Suite("An arrangement of sections obeys the laws")
struct ArrangementLawTests {
  static let seeds: Range<UInt64> = 1..<25
  static let steps =
    (ProcessInfo.processInfo.environment["RESULTS_LAW_STEPS"].flatMap { Int($0) } ?? 10_000) / 50

  @Test(arguments: seeds)
  func `R79: a list over an index, one in memory and a naive one agree`(seed: UInt64) throws {
    var world = try ListWorld(seed: seed &+ 100)
    let store = IndexingStore(world.store)
    try world.commit(rows: 40)
    var done = 0
    while done < Self.steps / Self.seeds.count + 80 {
      var definition = world.arrangedDefinition()
      let hasAggregates = world.generator.below(2) == 0
      if hasAggregates {
        definition.aggregates = [
          SectionAggregate("sum", .sum("rank")), SectionAggregate("first", .minimum("note")),
        ]
      }
      let plan = try ListPlan(definition)
      var held = try ListEngine(plan, in: store, indexing: nil)
      var indexing = IndexingPolicy(store, inMemoryKeyLimit: -1)
      indexing?.stride = 1 + world.generator.below(6)
      var indexed = try ListEngine(plan, in: store, indexing: indexing)
      for step in 0..<40 {
        let context: Comment = "seed \(seed), step \(done)"
        done += 1
        var (before, observed) = (held.shown, held)
        let rows = world.generator.below(9)..<9 + world.generator.below(9)
        observed.observedRows = rows
        var indexedObserved = indexed
        indexedObserved.observedRows = rows
        let commits = 1 + world.generator.below(3)
        for _ in 0..<commits {
          try world.commit(rows: 1 + world.generator.below(step % 10 == 9 ? 30 : 3))
        }
        let isFolding = world.generator.below(2) == 0
        let rowsNow = try store.read { (snapshot) throws(StoreError) in
          let history = SnapshotHistory(snapshot)
          let steps = try held.moved(in: history, folding: isFolding)
          let others = try indexed.moved(in: history, folding: isFolding)
          #expect(steps.map(\.delta) == others.map(\.delta), context)
          try steps.check(from: before.content, to: held.shown.content, context)
          let seen = try observed.moved(in: history, folding: true)
          let alsoSeen = try indexedObserved.moved(in: history, folding: true)
          #expect(seen.map(\.delta) == alsoSeen.map(\.delta), context)
          #expect(observed.observedRows == indexedObserved.observedRows, context)
          return try snapshot.fetch(world.everything)
        }
        try compare(held, indexed, NaiveList(definition: definition, rows: rowsNow), context)
        // Other limits, which read nothing but the rows that come or go.
        guard step % 3 == 0 else { continue }
        before = held.shown
        definition.arrangement.limits = world.limits(of: definition)
        let next = try ListPlan(definition)
        guard next.differsOnlyInSectionLimits(from: held.plan) else { continue }
        try store.read { (snapshot) throws(StoreError) in
          var fetched = held
          let wanted = try fetched.redefine(next, in: snapshot)
          let moved = try held.moveLimits(to: next, in: snapshot)
          let other = try indexed.moveLimits(to: next, in: snapshot)
          #expect(moved?.delta == wanted?.delta, context)
          #expect(other?.delta == wanted?.delta, context)
          #expect(held.shown.generation == fetched.shown.generation, context)
          try (moved.map { [$0] } ?? []).check(
            from: before.content,
            to: held.shown.content,
            context
          )
        }
        try compare(held, indexed, NaiveList(definition: definition, rows: rowsNow), context)
      }
    }
  }

  private func compare(
    _ held: ListEngine,
    _ indexed: ListEngine,
    _ naive: NaiveList,
    _ context: Comment
  ) throws {
    let wanted = naive.content
    for shown in [held.shown, indexed.shown] {
      let content = try shown.content
      #expect(content.withoutAggregates == wanted, context)
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
    #expect(try held.shown.content == indexed.shown.content, context)
  }
}

extension ResultsContent {
  fileprivate var withoutAggregates: ResultsContent {
    ResultsContent(
      sections: sections.map { section in
        let header = SectionHeader(
          id: section.header.id,
          title: section.header.title,
          matchingCount: section.header.matchingCount
        )
        return Section(header: header, rows: section.rows)
      }
    )
  }
}
