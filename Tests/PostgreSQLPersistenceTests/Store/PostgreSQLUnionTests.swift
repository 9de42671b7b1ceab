#if PostgreSQL
import PostgreSQLPersistence
import ResultsDomain
import ResultsTesting
import Testing

@Suite struct `Unions over PostgreSQL` {
  private static let stores = Result { try TestStores() }

  private final class Opened {
    var store: PostgreSQLStore?
  }

  @Test(arguments: UInt64(1)...2)
  func `R12: a list of several kinds is the naive merge of its branches, while others write`(
    seed: UInt64
  ) async throws {
    let stores = try Self.stores.get()
    let opened = Opened()
    var walk = try await UnionWalk(seed: seed) { entities in
      let store = try stores.open(entities)
      opened.store = store
      return store
    }
    let store = try #require(opened.store)
    let other = try stores.open(sameAs: store)
    for _ in 0..<8 { try await walk.step(other) }
    #expect(walk.counts["foreign", default: 0] > 0, "seed \(seed)")
    try other.close()
    try store.close()
  }
}
#endif
