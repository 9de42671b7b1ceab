import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// R52, R92, R93, R94, R95, R97, R98: after random commits to all entities of a random schema, a list with paths is that of a naive model in
/// each version, every delta verifies, and it names exactly the rows whose observed values differ.
///
/// `RESULTS_RELATION_STEPS` sets the number of steps, `RESULTS_RELATION_SEED` the first seed; a failure names its own.
@Suite("Lists with related values obey the laws")
struct RelationLawTests {
  static let worlds = 40
  static let steps = number("RESULTS_RELATION_STEPS") ?? 4_000
  static let firstSeed = UInt64(number("RESULTS_RELATION_SEED") ?? 1)

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test(arguments: firstSeed..<firstSeed + UInt64(worlds))
  func `R94: a list with paths is that of a fresh fetch after every commit`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var done = 0
    while done < RelationLawTests.steps / RelationLawTests.worlds {
      let schema = try RelationSchema(&generator)
      let store = try InMemoryStore(entities: schema.entities)
      try store.write { try schema.change(steps: 40, $0, &generator) }
      let definition = try draw(schema, &generator)
      let plan = try ListPlan(definition)
      var context = "seed \(seed), step \(done): \(plan.storeDefinition.predicate), "
      context += plan.storeDefinition.terms.map(\.expression.description).joined(separator: ", ")
      var engine = try store.read { (store) throws(StoreError) in
        try ListEngine(plan, from: store, generation: 1, maintainsDigests: true)
      }
      var last = try model(schema, definition, store)
      #expect(try engine.snapshot.content == last.content, "\(context)")
      for _ in 0..<12 {
        var reader = engine
        var lists: [StoreVersion: NaiveRelatedList] = [:]
        let commits = generator.number(in: 1...4)
        for _ in 0..<commits {
          let steps = generator.number(in: 1...8)
          let commit = try store.commit(origin: .unnamed) { transaction in
            try schema.change(steps: steps, transaction, &generator)
          }
          lists[commit.version] = try model(schema, definition, store)
        }
        let isFolding = generator.happens(percent: 30)
        let old = engine.snapshot
        let (own, other, fetched) = try store.read { (store) throws(StoreError) in
          let progress = try engine.advance(in: SnapshotHistory(store), folding: isFolding)
          let other = try reader.requery(in: store)
          let fetched = try store.fetch(definition.request).map(\.id)
          guard case .moved(let steps) = progress else {
            return ([ListEngine.Step](), other, fetched)
          }
          return (steps, other, fetched)
        }
        let now = try model(schema, definition, store)
        #expect(try engine.snapshot.content == now.content, "\(context)")
        #expect(try reader.snapshot.content == now.content, "\(context)")
        if definition.sectionKey == nil { #expect(fetched == now.rows.map(\.id), "\(context)") }
        try check(own, from: old, last, lists, plan, "\(context)")
        if isFolding || commits == 1 { try check(own, last, now, plan, "\(context)") }
        #expect(own.isEmpty == other.isEmpty || commits > 1, "\(context)")
        last = now
        done += 1
      }
    }
  }

  private func draw(
    _ schema: RelationSchema,
    _ generator: inout SeededGenerator
  ) throws -> ResultsDefinition<Row> {
    let entity = schema.entities[generator.number(in: 0...schema.entities.count - 2)]
    var terms = [FetchSortDescriptor(schema.expression(over: entity, depth: 3, &generator))]
    if generator.happens(percent: 50) {
      terms.append(
        FetchSortDescriptor(schema.expression(over: entity, depth: 2, &generator), .descending)
      )
    }
    if generator.happens(percent: 20) { terms = [.ascending("name")] }
    let request = FetchRequest<Row>(
      entity: entity,
      where: generator.happens(percent: 60)
        ? schema.predicate(over: entity, depth: 3, &generator) : .all,
      sortedBy: terms,
      fetchLimit: generator.happens(percent: 20) ? 4 : nil,
      fetchOffset: generator.happens(percent: 20) ? 1 : 0
    )
    let section: SectionKey? =
      generator.happens(percent: 40)
      ? .expression(schema.expression(over: entity, depth: 2, &generator)) : nil
    return ResultsDefinition(request, sectionedBy: section)
  }

  private func model(
    _ schema: RelationSchema,
    _ definition: ResultsDefinition<Row>,
    _ store: InMemoryStore
  ) throws -> NaiveRelatedList {
    try store.read { (store) throws(StoreError) in
      NaiveRelatedList(definition, try RelationModel(schema.entities, in: store))
    }
  }

  /// Each step verifies, and ends in the list of its own version.
  private func check(
    _ steps: [ListEngine.Step],
    from old: ResultsSnapshot,
    _ before: NaiveRelatedList,
    _ lists: [StoreVersion: NaiveRelatedList],
    _ plan: ListPlan,
    _ context: Comment
  ) throws {
    var content = try old.content
    #expect(content == before.content, context)
    for step in steps {
      let next = try step.snapshot.content
      #expect(!step.delta.isEmpty, context)
      #expect(throws: Never.self, context) { try step.delta.verify(from: content, to: next) }
      if let list = lists[step.snapshot.version] { #expect(next == list.content, context) }
      content = next
    }
  }

  /// One step names exactly the rows of which something observed differs, and what.
  private func check(
    _ steps: [ListEngine.Step],
    _ old: NaiveRelatedList,
    _ new: NaiveRelatedList,
    _ plan: ListPlan,
    _ context: Comment
  ) throws {
    var named: [ObjectID: [String]] = [:]
    for step in steps {
      for survivor in step.delta.rows.updates + step.delta.rows.moves {
        let names = survivor.changed?.names(in: plan.entity).sorted() ?? []
        if !names.isEmpty { named[survivor.id] = names }
      }
    }
    #expect(named == new.changes(since: old), context)
  }
}
