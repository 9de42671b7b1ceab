import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsTesting
import Testing

/// R109, R110, R269: after every step of a random walk a draft and a list over it are what a naive three-way model says.
///
/// A hundredth of `RESULTS_LAW_STEPS`, at most 200,000, are the steps; `RESULTS_LAW_SEED` sets the first seed, and a failure names its own.
@Suite("Drafts obey the laws")
struct DraftLawTests {
  private static let stepsOfWalk = 120
  private static let steps = min(number("RESULTS_LAW_STEPS").map { $0 / 100 } ?? 4800, 200_000)
  private static let firstSeed = UInt64(number("RESULTS_LAW_SEED") ?? 1)
  static let seeds = (0..<max(1, steps / stepsOfWalk)).map { firstSeed &+ UInt64($0) }

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test(arguments: seeds)
  func `R109, R110: a draft is what a naive three-way model says`(seed: UInt64) async throws {
    let entity = try #require(DraftWalk.entity)
    let store = try InMemoryStore(entities: [entity])
    var walk = try await DraftWalk(over: store, seed: seed)
    for _ in 0..<Self.stepsOfWalk { try await walk.step() }
    for kind in ["base", "edit"] {
      #expect(walk.counts[kind, default: 0] > 0, "seed \(seed): no step of \(kind)")
    }
    #expect(walk.counts["named"] == walk.counts["assigned"], "seed \(seed)")
  }

  @Test func `R110: the walks reach every kind of step`() async throws {
    let entity = try #require(DraftWalk.entity)
    var kinds: Set<String> = []
    for seed in UInt64(1)...6 {
      var walk = try await DraftWalk(over: try InMemoryStore(entities: [entity]), seed: seed)
      for _ in 0..<Self.stepsOfWalk { try await walk.step() }
      kinds.formUnion(walk.counts.keys)
    }
    #expect(
      kinds.isSuperset(
        of: [
          "base", "edit", "ancestor", "keep mine", "take theirs", "discard", "commit", "refusal",
        ]
      ),
      "\(kinds)"
    )
  }
}
