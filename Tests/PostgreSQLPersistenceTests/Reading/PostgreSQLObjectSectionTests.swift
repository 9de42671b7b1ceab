#if PostgreSQL
import InMemoryPersistence
import PostgreSQLPersistence
import ResultsDomain
import ResultsTesting
import Testing

/// R11, R106: sections that are objects are the same over PostgreSQL as in memory, with two writers, with and without a change log.
@Suite struct PostgreSQLObjectSectionTests {
  @Test(arguments: [1, 2] as [UInt64], [true, false])
  func `R11, R106: a list over PostgreSQL is that in memory, with two writers`(
    seed: UInt64,
    withLog hasLog: Bool
  ) async throws {
    let entities = try ObjectSectionWalk.Entities(withTextKeys: seed.isMultiple(of: 2))
    let stores = try TestStores()
    let options = PostgreSQLStoreOptions(maintainsChangeLog: hasLog)
    let store = try stores.open(entities.all, options)
    let other = try stores.open(sameAs: store)
    var walk = ObjectSectionWalk(
      seed: seed,
      over: store,
      writtenBy: [store, other],
      beside: try InMemoryStore(entities: entities.all),
      entities
    )
    try await walk.run(lists: 4, steps: 12)
    try other.close()
    try store.close()
  }
}
#endif
