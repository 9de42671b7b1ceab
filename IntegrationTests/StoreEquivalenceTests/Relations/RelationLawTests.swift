import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import Testing

/// R52, R92, R93, R94, R95, R97, R98, R101: a list with paths is that of a naive model after random commits to all entities.
///
/// That holds in each version; every delta verifies, and names exactly the rows whose observed values differ. The deltas are the same in memory,
/// over SQLite's own join and the core's, over an index, folded, after commits of other programs, and after reading again without a log.
///
/// `RESULTS_RELATION_STEPS` sets the number of steps, `RESULTS_RELATION_SEED` the first seed; a failure names its own. A step is one commit
/// in one list in one of the ways to maintain it.
@Suite("Lists with related values obey the laws")
struct RelationLawTests {
  static let worlds = 40
  static let steps = number("RESULTS_RELATION_STEPS") ?? 20_000
  static let firstSeed = UInt64(number("RESULTS_RELATION_SEED") ?? 1)

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test(arguments: firstSeed..<firstSeed + UInt64(worlds))
  func `R94: a list with paths is that of a fresh fetch after every commit, in every store`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    var done = 0
    var shells = 0
    let limit = RelationLawTests.steps / RelationLawTests.worlds
    while done < limit {
      let world = try RelationWorld(&generator)
      _ = try world.commit(steps: 40, by: .store, &generator)
      for _ in 0..<4 where done < limit {
        var model = try RelationModel(world)
        var walks = try (0..<5).map { number in
          try RelationWalk(
            try draw(world.schema, &generator),
            world,
            model,
            "seed \(seed), step \(done), list \(number)"
          )
        }
        for _ in 0..<8 where done < limit {
          var versions: [RelationWorld.Versions] = []
          var models: [RelationModel] = []
          var story = ""
          for _ in 0..<generator.number(in: 1...4) {
            var writer = generator.choice(RelationWorld.Writer.store, .store, .connection)
            // A process takes as long as a hundred commits.
            if writer == .connection, shells * 4_000 <= done, generator.happens(percent: 20) {
              writer = .shell
              shells += 1
            }
            let steps = generator.number(in: 1...8)
            versions.append(try world.commit(steps: steps, by: writer, &generator))
            model = try RelationModel(world)
            models.append(model)
            story += "\(writer) "
          }
          for index in walks.indices {
            done += try walks[index].advance(versions, models, &generator, story)
          }
        }
      }
    }
  }

  private func draw(
    _ schema: RelationSchema,
    _ generator: inout SeededGenerator
  ) throws -> ResultsDefinition<Row> {
    let entity = schema.entities[generator.number(in: 0...schema.entities.count - 1)]
    var terms = [FetchSortDescriptor(schema.expression(over: entity, depth: 3, &generator))]
    if generator.happens(percent: 50) {
      terms.append(
        FetchSortDescriptor(schema.expression(over: entity, depth: 2, &generator), .descending)
      )
    }
    var predicate = FetchPredicate.all
    if generator.happens(percent: 60) {
      predicate = schema.predicate(over: entity, depth: 3, &generator)
    }
    var section: SectionKey?
    if generator.happens(percent: 40) {
      section = .expression(schema.expression(over: entity, depth: 2, &generator))
    }
    var properties: [String]?
    if let own = entity.attributes.first?.name, generator.happens(percent: 25) {
      let relationships = entity.relationships.filter(\.isToOne)
      if let step = generator.element(of: relationships) {
        let name = schema.value(of: step.destination, isText: true).description
        properties = [own, "\(step.name).\(name)"]
      }
      // Such a list only shows related values, so that an index can keep its keys.
      if generator.happens(percent: 70) {
        (terms, predicate, section) = ([.ascending(own)], .all, nil)
      }
    } else if generator.happens(percent: 20) {
      terms = [FetchSortDescriptor(schema.value(of: entity, isText: true))]
    }
    var request = FetchRequest<Row>(
      entity: entity,
      where: predicate,
      sortedBy: terms,
      fetchLimit: generator.happens(percent: 20) ? 4 : nil,
      fetchOffset: generator.happens(percent: 20) ? 1 : 0
    )
    request.propertiesToFetch = properties
    return ResultsDefinition(request, sectionedBy: section)
  }
}

extension RelationModel {
  /// The content of a world at present.
  fileprivate init(_ world: RelationWorld) throws {
    self = try world.memory.read { (store) throws(StoreError) in
      try RelationModel(world.schema.entities, in: store)
    }
  }
}
