#if PostgreSQL
import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import PostgreSQLPersistence

/// R92, R93, R98: a list with paths has the same keys whether the core joins or PostgreSQL does.
@Suite struct PostgreSQLPathTests {
  private static let listCount =
    ProcessInfo.processInfo.environment["RESULTS_FUZZ"].flatMap { Int($0) } ?? 400
  private static let listsOfSeed = 80
  private static let firstSeed: UInt64 =
    ProcessInfo.processInfo.environment["RESULTS_SEED"].flatMap { UInt64($0) } ?? 1

  @Test func `keys, counts, digests and aggregates are the core's, byte by byte (R98)`() throws {
    let seeds = UInt64(max(1, Self.listCount / Self.listsOfSeed))
    var compared = 0
    for seed in Self.firstSeed..<Self.firstSeed + seeds {
      compared += try TestServer.withDatabase { try compare(seed, $0) }
    }
    print("\(compared) lists compared; seeds \(Self.firstSeed) to \(Self.firstSeed + seeds - 1)")
    #expect(compared > Int(seeds) * 40)
  }

  private func compare(_ seed: UInt64, _ url: String) throws -> Int {
    var random = try RandomRelations(seed: seed)
    random.hasZeros = false
    let memory = try InMemoryStore(entities: random.library.entities)
    let server = try ReadTables(random.library.entities, at: url)
    var compared = 0
    for step in 0..<20 {
      try write(into: memory, &random)
      for entity in random.library.entities {
        try server.replace(try rows(of: entity, in: memory), of: entity)
      }
      for list in 0..<Self.listsOfSeed / 20 {
        let what = "seed \(seed), step \(step), list \(list)"
        // Most candidates have no path, or mix types.
        for _ in 0..<100 where try compare(memory, server, &random, what) {
          compared += 1
          break
        }
      }
    }
    return compared
  }

  /// Compares a random definition.
  /// - Returns: Whether it is valid and has a path.
  private func compare(
    _ memory: any Store,
    _ server: ReadTables,
    _ random: inout RandomRelations,
    _ what: String
  ) throws -> Bool {
    guard let entity = random.generator.element(of: random.library.entities) else { return false }
    let predicate =
      random.generator.happens(percent: 40) ? .all : random.predicate(entity, depth: 2)
    let terms = (0..<random.generator.number(in: 0...2)).map { _ in
      FetchSortDescriptor(
        random.expression(entity, depth: 2),
        random.generator.choice(.ascending, .descending),
        nulls: random.generator.choice(.first, .last)
      )
    }
    var builder = RelationTreeBuilder(entity)
    guard (try? builder.rewrite(predicate)) != nil,
      terms.allSatisfy({ (try? builder.rewrite($0)) != nil }),
      try builder.tree(answersPaths: true) != nil,
      (try? OrderDefinition(entity: entity, predicate: predicate, sortDescriptors: terms)) != nil
    else { return false }
    let expected = try memory.read { (snapshot) throws(StoreError) in
      try view(snapshot, entity, predicate, terms, joins: true)
    }
    let half = try server.read { try view($0, entity, predicate, terms, joins: true) }
    let own = try server.read { try view($0, entity, predicate, terms, joins: false) }
    let list = "\(entity.name) where \(predicate) by \(terms)"
    try #require(half.difference(from: expected) == "", "\(what), joined: \(list)")
    try #require(own.difference(from: expected) == "", "\(what): \(list)")
    return true
  }

  /// Reads a definition with the core's join, or with the store's own.
  private func view(
    _ snapshot: any StoreSnapshot,
    _ entity: EntityDescription,
    _ predicate: FetchPredicate,
    _ terms: [FetchSortDescriptor],
    joins: Bool
  ) throws(StoreError) -> ListView {
    do {
      var builder = RelationTreeBuilder(entity)
      let rewritten = try builder.rewrite(predicate)
      var order: [FetchSortDescriptor] = []
      for term in terms { order.append(try builder.rewrite(term)) }
      guard let tree = try builder.tree(answersPaths: !joins) else { throw Unexpected() }
      let definition = try OrderDefinition(
        entity: tree.entity,
        predicate: rewritten,
        sortDescriptors: order
      )
      let numbers = entity.attributes.filter {
        $0.type.storage != .text && $0.type.storage != .blob
      }
      let aggregates = try CompiledAggregates(
        numbers.map { FetchAggregate(.sum, of: .attribute($0.name)) },
        in: tree.entity
      )
      return try ListView(
        RelatedSnapshot(snapshot, tree),
        definition,
        aggregates,
        min(1, definition.terms.count)
      )
    } catch let error as StoreError {
      throw error
    } catch {
      throw .aborted(by: error)
    }
  }

  private struct Unexpected: Error {}

  private func rows(of entity: EntityDescription, in store: any Store) throws -> [Row] {
    let order: [FetchSortDescriptor] =
      switch entity.identity {
      case .integer, .text: [FetchSortDescriptor(.objectKey)]
      case .compound(let names): names.map { .ascending($0) }
      }
    return try store.fetch(FetchRequest<Row>(entity: entity, sortedBy: order))
  }

  private func write(into store: any Store, _ random: inout RandomRelations) throws {
    for _ in 0..<random.generator.number(in: 2...8) {
      guard let entity = random.generator.element(of: random.library.entities) else { continue }
      let values = entity.attributes.map { random.value($0) }
      let key = random.key(of: entity)
      let deletes = random.generator.happens(percent: 15)
      _ = try? store.write { transaction in
        let id = ObjectID(
          entity: entity.name,
          key: key ?? .compound(entity.keyAttributeIndexes.map { values[$0] })
        )
        if deletes {
          try transaction.delete(id, of: entity)
        } else if try transaction.rows([id.key], of: entity) == [nil] {
          try transaction.insert(values, key: key, into: entity)
        } else {
          try transaction.update(id, to: values, of: entity, ifUnchangedFrom: nil)
        }
      }
    }
  }
}
#endif
