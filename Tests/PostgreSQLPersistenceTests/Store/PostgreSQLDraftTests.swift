#if PostgreSQL
import PostgreSQLPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@Suite struct `Drafts over PostgreSQL` {
  private static let stores = Result { try TestStores() }

  @Test(arguments: UInt64(1)...4)
  func `R109, R110: a draft is what a naive three-way model says, while others write`(
    seed: UInt64
  ) async throws {
    let entity = try #require(DraftWalk.entity)
    let stores = try Self.stores.get()
    let store = try stores.open([entity])
    let other = try stores.open(sameAs: store)
    var generator = SeededGenerator(seed: seed)
    var walk = try await DraftWalk(over: store, seed: seed)
    for _ in 0..<40 {
      try await walk.step(
        generator.happens(percent: 50) ? { steps in try other.commit(steps, of: entity) } : nil
      )
    }
    for kind in ["base", "foreign", "edit"] {
      #expect(walk.counts[kind, default: 0] > 0, "seed \(seed): \(kind)")
    }
    try other.close()
    try store.close()
  }
}
#endif
