import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// R88: for any commits, any changes of definitions and any shared names, a list opened through a cache equals the list fetched
/// without one.
///
/// `RESULTS_LAW_SEED` sets the first seed; a failure names its own.
@Suite("A list opened through a cache equals the list without one")
struct CacheLawTests {
  static let firstSeed =
    ProcessInfo.processInfo.environment["RESULTS_LAW_SEED"].flatMap { UInt64($0) } ?? 1

  @Test(arguments: firstSeed..<firstSeed + 20)
  func `a list through a cache equals one without, after any changes in between`(
    seed: UInt64
  ) async throws {
    var world = try ListWorld(seed: seed)
    let caches = RecordingCaches()
    // Every other run has an index, and some of its lists hold their keys all the same.
    let store: any Store = seed.isMultiple(of: 2) ? IndexingStore(world.store) : world.store
    try world.commit(rows: 30)
    var outcomes: [String: Int] = [:]
    var definitions = (0..<3).map { _ in world.definition() }
    for step in 0..<150 {
      let context: Comment = "seed \(seed), step \(step)"
      if world.generator.below(2) == 0 { try world.commit(rows: 1 + world.generator.below(6)) }
      if world.generator.below(20) == 0 {
        definitions[world.generator.below(3)] = world.definition()
      }
      var definition = definitions[world.generator.below(3)]
      definition.cacheName = ["Demo", "Demo", "か\u{3099}", "が"][world.generator.below(4)]
      spoil(caches, definition.cacheName ?? "", &world.generator)
      let controller = FetchedResultsController(
        definition,
        in: store,
        options: ResultsOptions(
          inMemoryKeyLimit: world.generator.below(8) == 0 ? 4096 : -1,
          caches: caches
        )
      )
      try await controller.performFetch()
      let rows = try world.store.fetch(world.everything)
      let truth = NaiveList(definition: definition, rows: rows).content
      #expect(try controller.results.snapshot.content == truth, context)
      outcomes["\(try #require(controller.cacheOutcome))".prefix(5).description, default: 0] += 1
      if world.generator.below(3) == 0 {
        try world.commit(rows: 1 + world.generator.below(3))
        try await controller.refresh()
      }
      #expect(try await controller.saveCache(), context)
      controller.cancel()
    }
    #expect(outcomes["hit", default: 0] > 3, "seed \(seed)")
    #expect(outcomes["hit, ", default: 0] > 3, "seed \(seed)")
    #expect(outcomes["miss,", default: 0] > 3, "seed \(seed)")
  }

  /// Sometimes changes a byte of a stored cache.
  private func spoil(_ caches: RecordingCaches, _ name: String, _ generator: inout SeededGenerator)
  {
    guard generator.below(25) == 0, var bytes = caches[name], !bytes.isEmpty else { return }
    bytes[generator.below(bytes.count)] ^= UInt8(1 + generator.below(255))
    caches[name] = bytes
  }
}
