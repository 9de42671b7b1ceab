import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import Testing

@testable import ResultsPresentation

/// R26, R27, R29, R48, R50, R55, R56, R57, R75, R79, R80, R85: after every random commit or change of definition, each delta turns the old content
/// into the new, the new content is that of a naive model, and applying a commit agrees with reading again.
///
/// `RESULTS_LAW_STEPS` sets the number of steps, `RESULTS_LAW_SEED` the first seed; a failure names its own.
@Suite("The engine obeys the laws")
struct EngineLawTests {
  static let histories = 25
  static let steps = number("RESULTS_LAW_STEPS") ?? 10_000
  static let firstSeed = UInt64(number("RESULTS_LAW_SEED") ?? 1)

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test(arguments: firstSeed..<firstSeed + UInt64(histories))
  func `every delta turns the old content into the new, whichever way it was found`(
    seed: UInt64
  ) throws {
    var world = try ListWorld(seed: seed)
    try world.commit(rows: 30)
    var done = 0
    while done < EngineLawTests.steps / EngineLawTests.histories {
      var definition = world.anyDefinition()
      var engine = try fetch(world, try ListPlan(definition))
      for step in 0..<40 {
        let context: Comment = "seed \(seed), step \(done)"
        let before = engine.shown
        var reader = engine
        try world.commit(rows: 1 + world.generator.below(step % 10 == 9 ? 25 : 4))
        let (own, other, rows) = try world.store.read { (store) throws(StoreError) in
          let own = try engine.advance(to: store)
          return (own, try reader.requery(in: store), try store.fetch(world.everything))
        }
        let naive = NaiveList(definition: definition, rows: rows).content
        #expect(try engine.shown.content == naive, context)
        #expect(try reader.shown.content == naive, context)
        try own.check(from: before.content, to: naive, context)
        try other.check(from: before.content, to: naive, context)
        #expect(own.map(\.delta.sections) == other.map(\.delta.sections), context)
        #expect(own.map(paths) == other.map(paths), context)
        done += 1
        guard step % 13 == 12 else { continue }
        let old = engine.shown
        definition = world.anyDefinition()
        let plan = try ListPlan(definition)
        let redefined = try world.store.read { (store) throws(StoreError) in
          try engine.redefine(plan, in: store)
        }
        let wanted = NaiveList(definition: definition, rows: rows).content
        #expect(try engine.shown.content == wanted, context)
        try (redefined.map { [$0] } ?? []).check(from: old.content, to: wanted, context)
      }
    }
  }

  private func fetch(_ world: ListWorld, _ plan: ListPlan) throws -> ListEngine {
    try world.store.read { (store) throws(StoreError) in
      try ListEngine(plan, from: store, generation: 1, maintainsDigests: true)
    }
  }

  /// The paths that a step names; the changed attributes are not known from reading again.
  private func paths(_ step: ListEngine.Step) -> [String] {
    let rows = step.delta.rows
    return rows.deletes.map { "- \($0.id) \($0.from)" }
      + rows.inserts.map { "+ \($0.id) \($0.to)" }
      + rows.moves.map { "~ \($0.id) \($0.from) \($0.to)" }
      + rows.updates.map { "= \($0.id) \($0.from) \($0.to)" }
  }
}
