import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

/// R12, R284: after every step of a random walk, lists over a random union are a naive merge of its branches.
///
/// A hundredth of `RESULTS_LAW_STEPS`, at most 200,000, are the steps; `RESULTS_LAW_SEED` sets the first seed, and a failure names its own.
@Suite("Unions obey the laws")
struct UnionLawTests {
  private static let stepsOfWalk = 40
  private static let steps = min(number("RESULTS_LAW_STEPS").map { $0 / 100 } ?? 2400, 200_000)
  private static let firstSeed = UInt64(number("RESULTS_LAW_SEED") ?? 1)
  static let seeds = (0..<max(1, steps / stepsOfWalk)).map { firstSeed &+ UInt64($0) }

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test(arguments: seeds)
  func `R12: a list of several kinds is the naive merge of its branches`(seed: UInt64) async throws
  {
    var walk = try await UnionWalk(seed: seed) { try InMemoryStore(entities: $0) }
    for _ in 0..<Self.stepsOfWalk { try await walk.step() }
  }

  @Test(arguments: UInt64(100)...108)
  func `R12: it is so where the history has gaps`(seed: UInt64) async throws {
    var walk = try await UnionWalk(seed: seed) {
      try InMemoryStore(entities: $0, historyCapacity: 1)
    }
    for _ in 0..<20 { try await walk.step() }
  }

  @Test func `R12: the walks reach lists over indexes and ordered sources`() async throws {
    var kinds: Set<String> = []
    for seed in UInt64(1)...6 {
      var walk = try await UnionWalk(seed: seed) { try InMemoryStore(entities: $0) }
      for _ in 0..<10 { try await walk.step() }
      kinds.formUnion(walk.counts.keys)
    }
    #expect(kinds.isSuperset(of: ["own", "indexed", "source"]), "\(kinds)")
  }
}

@Suite struct `Store of unions over a store in memory` {
  /// R12, R49: a store with unions keeps all promises for the entities of its base.
  @Test(arguments: StoreConformance.cases)
  func `keeps the promises of a store`(_ testCase: StoreConformance.Case) async throws {
    let provider = StoreProvider(
      open: { try Self.store($0, historyCapacity: nil) },
      openWithHistory: { try Self.store($0, historyCapacity: $1) }
    )
    let outcome = try await testCase.run(with: provider)
    let skipped: [StoreConformance.Need] = [
      .reopening, .readOnlyOpening, .noZeroCharacters, .otherAssignedKeys,
    ]
    #expect(
      outcome == testCase.need.flatMap { skipped.contains($0) ? .skipped($0) : nil } ?? .passed
    )
  }

  /// A store of unions that names only the entities of its base, as the promises demand.
  private final class StoreOfBase: ForwardingStore {
    let union: UnionStore
    var target: any Store { union }
    var entities: [EntityDescription] { union.base.entities }

    init(union: UnionStore) { self.union = union }
  }

  /// A store with a union over the first of some entities.
  private static func store(
    _ entities: [EntityDescription],
    historyCapacity: Int?
  ) throws -> StoreOfBase {
    let base =
      try historyCapacity.map { try InMemoryStore(entities: entities, historyCapacity: $0) }
      ?? InMemoryStore(entities: entities)
    let unions = try entities.prefix(1).map { entity in
      try UnionDescription(
        "AllOf\(entity.name)",
        branches: [UnionBranch("all", entity: entity, attributes: [])]
      )
    }
    return StoreOfBase(union: try UnionStore(over: base, unions: unions))
  }
}
