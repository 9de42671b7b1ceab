import GRDB
import ResultsDomain
import SQLitePersistence
import Testing

/// How a list's keys come in order is read off SQLite's plan, and the index that would help is tried before it is named (R89).
@Suite struct QueryPlanTests {
  private func plan(
    _ store: SQLiteStore,
    where predicate: FetchPredicate = .all,
    _ descriptors: [FetchSortDescriptor]
  ) throws -> QueryPlan {
    let definition = try OrderDefinition(
      entity: Sample.book,
      predicate: predicate,
      sortDescriptors: descriptors
    )
    return try store.read { (snapshot) throws(StoreError) in try snapshot.plan(of: definition) }
  }

  @Test func `without an index the keys are sorted, and the index that helps is named (R89)`()
    throws
  {
    let store = try SQLiteStore.inMemory(entities: [Sample.book])
    let found = try plan(store, [.ascending("title"), .descending("year")])
    #expect(found.source == .sorting)
    let remedy = try #require(found.remedy)
    #expect(
      remedy == #"CREATE INDEX "BookByTitleAndYear" ON "Book" ("title", "year" DESC)"#
    )
    _ = try store.commit(origin: .unnamed) { transaction in
      try (transaction as? SQLiteTransaction)?.withDatabase { try $0.execute(sql: remedy) }
    }
    let helped = try plan(store, [.ascending("title"), .descending("year")])
    #expect(helped.source == .index("BookByTitleAndYear"))
    #expect(helped.remedy == nil)
  }

  @Test func `the key's own order needs no index (R89)`() throws {
    let store = try SQLiteStore.inMemory(entities: [Sample.book])
    let found = try plan(store, [FetchSortDescriptor(.objectKey)])
    #expect(found.source == .table)
    #expect(found.remedy == nil)
  }

  @Test func `attributes that the predicate fixes lead the index (R89)`() throws {
    let store = try SQLiteStore.inMemory(entities: [Sample.book])
    let predicate = FetchPredicate.comparison(
      .attribute("year"),
      .equal,
      .literal(.integer(1990))
    )
    let found = try plan(store, where: predicate, [.ascending("title")])
    #expect(found.remedy == #"CREATE INDEX "BookByYearAndTitle" ON "Book" ("year", "title")"#)
  }

  @Test func `an order that no index of SQLite's has gets no advice (R89)`() throws {
    let store = try SQLiteStore.inMemory(entities: [Sample.book])
    let expression = FetchExpression.lowercased(.attribute("title"))
    #expect(try plan(store, [FetchSortDescriptor(expression)]).remedy == nil)
    let mixed = FetchSortDescriptor(.attribute("year"), .descending, nulls: .first)
    #expect(try plan(store, [mixed]).source == .sorting)
  }
}
