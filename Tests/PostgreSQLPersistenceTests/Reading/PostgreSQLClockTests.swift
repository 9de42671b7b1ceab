#if PostgreSQL
import InMemoryPersistence
import PostgreSQLPersistence
import ResultsDomain
import ResultsTesting
import Testing

/// R15: a list over PostgreSQL follows the clock as one in memory does, with two writers, with and without a change log.
@Suite struct PostgreSQLClockTests {
  @Test(arguments: [1, 2] as [UInt64], [true, false])
  func `R15: a list over PostgreSQL follows the clock as that in memory, with two writers`(
    seed: UInt64,
    withLog hasLog: Bool
  ) async throws {
    let entities = try ClockWalk.Entities()
    let stores = try TestStores()
    let options = PostgreSQLStoreOptions(maintainsChangeLog: hasLog)
    let store = try stores.open(entities.all, options)
    let other = try stores.open(sameAs: store)
    var walk = ClockWalk(
      seed: seed,
      over: store,
      writtenBy: [store, other],
      beside: try InMemoryStore(entities: entities.all),
      entities
    )
    #expect(try await walk.run(lists: 4, steps: 12) > 0)
    try other.close()
    try store.close()
  }
}
#endif
