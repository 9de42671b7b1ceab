import GRDB
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import SQLitePersistence
import Testing

/// R89: how a list's keys are put in order is read from SQLite's query plan, and a recommended index is tested first.
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

  @Test func `without an index the keys are sorted, and an index that helps is recommended (R89)`()
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

  @Test func `indexes that another program creates and drops appear in the next plan (R89)`() throws
  {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(at: folder.file(), entities: [Sample.book])
    let other = try DatabaseQueue(path: folder.file())
    let order = [FetchSortDescriptor.ascending("title")]
    let remedy = try #require(try plan(store, order).remedy)
    try other.writeWithoutTransaction { try $0.execute(sql: remedy) }
    #expect(try plan(store, order).source == .index("BookByTitle"))
    try other.writeWithoutTransaction { try $0.execute(sql: "DROP INDEX BookByTitle") }
    #expect(try plan(store, order).remedy == remedy)
    try other.close()
    try store.close()
  }

  @Test
  func `an index is created for a definition before anything is fetched, and for an empty list`()
    async throws
  {
    let store = try SQLiteStore.inMemory(entities: [Sample.book])
    let definition = ResultsDefinition(
      FetchRequest<ResultsDomain.Row>(entity: Sample.book, sortedBy: [.ascending("title")]),
      sectionedBy: .attribute("publisher")
    )
    let statement = try store.createIndex(serving: definition.order())
    #expect(
      statement == #"CREATE INDEX "BookByPublisherAndTitle" ON "Book" ("publisher", "title")"#
    )
    for limit in [-1, 0] {
      let list = FetchedResultsController(
        definition,
        in: store,
        options: ResultsOptions(inMemoryKeyLimit: limit)
      )
      try await list.performFetch()
      let explanation = try #require(try await list.explain())
      #expect(explanation.definition == (try definition.order()))
      // With a limit below 0 even an empty list does not hold its keys.
      if case .indexed = explanation.keys {
        #expect(limit < 0)
      } else {
        #expect(limit == 0)
      }
      list.cancel()
    }
    #expect(throws: RequestError.self) {
      try ResultsDefinition(FetchRequest<ResultsDomain.Row>(entity: Sample.book, sortedBy: []))
        .order()
    }
  }

  @Test func `relationships that are only shown are explained too (R89)`() async throws {
    let writer = Sample.entity("Writer", .integer(), [AttributeDescription("name", .text)])
    let novel = Sample.related(
      "Novel",
      [
        AttributeDescription("title", .text),
        AttributeDescription("writerID", .integer64, isOptional: true),
      ],
      [RelationshipDescription("writer", .toOne(foreignKey: ["writerID"])) { writer }]
    )
    let store = try SQLiteStore.inMemory(entities: [novel, writer])
    var request = FetchRequest<ResultsDomain.Row>(entity: novel, sortedBy: [.ascending("title")])
    for (properties, count) in [(nil, 0), (["title", "writer.name"], 1)] as [([String]?, Int)] {
      request.propertiesToFetch = properties
      let list = FetchedResultsController(ResultsDefinition(request), in: store)
      try await list.performFetch()
      let explanation = try #require(try await list.explain())
      #expect(explanation.plan.relationships.count == count)
      #expect(
        explanation.lines.filter { $0.hasPrefix("relation   Novel.writer joins") }.count == count
      )
      list.cancel()
    }
  }

  @Test func `a row is overwritten whatever its values are`() async throws {
    let store = try SQLiteStore.inMemory(entities: [Sample.book])
    try await store.write { transaction in
      let id = try transaction.insert(Sample.values("P", "a"), key: nil, into: Sample.book)
      try transaction.update(id, to: Sample.values("P", "b"), of: Sample.book)
    }
    #expect(try store.allRows(of: Sample.book).map { $0["title"] } == ["b"])
  }

  @Test func `the key's own order needs no index (R89)`() throws {
    let store = try SQLiteStore.inMemory(entities: [Sample.book])
    let found = try plan(store, [FetchSortDescriptor(.objectKey)])
    #expect(found.source == .table)
    #expect(found.remedy == nil)
  }

  @Test func `attributes that the predicate fixes come first in the index (R89)`() throws {
    let store = try SQLiteStore.inMemory(entities: [Sample.book])
    let predicate = FetchPredicate.comparison(
      .attribute("year"),
      .equal,
      .literal(.integer(1990))
    )
    let found = try plan(store, where: predicate, [.ascending("title")])
    #expect(found.remedy == #"CREATE INDEX "BookByYearAndTitle" ON "Book" ("year", "title")"#)
  }

  @Test
  func `for an order by an expression, an index is recommended that any program can update (R89)`()
    throws
  {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(at: folder.file(), entities: [Sample.book])
    let decade = FetchExpression.bucket(.attribute("year"), width: 10)
    let letter = FetchExpression.lowercased(.prefix(.attribute("title"), length: 1))
    let definition = try OrderDefinition(
      entity: Sample.book,
      predicate: .all,
      sortDescriptors: [FetchSortDescriptor(decade, .descending), FetchSortDescriptor(letter)]
    )
    let statement = try store.createIndex(serving: definition)
    #expect(
      statement == """
        CREATE INDEX "BookByYearBucket10AndTitlePrefix1Lowercased" ON "Book" \
        (CASE WHEN "year" >= -9223372036854775800 \
        THEN "year" - ("year" % 10 + 10) % 10 END DESC, \
        lower(substr("title", 1, 1)))
        """
    )
    // A connection without the store's functions.
    let other = try DatabaseQueue(path: folder.file())
    try other.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          INSERT INTO Book(id, publisher, title, year)
          VALUES (1, 'p', 'Zoo', 1999), (2, 'p', 'é', -1), (3, 'p', 'zoo', 1990), (4, 'p', 'a', NULL)
          """
      )
    }
    let keys = try store.read { (snapshot) throws(StoreError) in
      let source = try snapshot.orderedSource(of: definition)
      return try source?.keys(from: nil, to: nil, skipping: 0, limit: 9).split ?? []
    }
    let expected = try store.read { (snapshot) throws(StoreError) in
      try OrderedReference(snapshot, definition).all
    }
    let identities = keys.compactMap { key in
      key.withUnsafeBytes { definition.layout.objectKey(in: $0, of: .integer()) }
    }
    #expect(identities == [.integer(1), .integer(3), .integer(2), .integer(4)])
    #expect(keys == expected)
    try other.close()
    try store.close()
  }

  @Test func `for an order that no index of SQLite can have, none is recommended (R89)`() throws {
    let store = try SQLiteStore.inMemory(entities: [Sample.book])
    let nested = FetchExpression.bucket(.bucket(.attribute("year"), width: 2), width: 6)
    #expect(try plan(store, [FetchSortDescriptor(nested)]).remedy == nil)
    let fraction = FetchExpression.ifNull(.attribute("rating"), .real(0.1))
    #expect(try plan(store, [FetchSortDescriptor(fraction)]).remedy == nil)
    let mixed = FetchSortDescriptor(.attribute("year"), .descending, nulls: .first)
    #expect(try plan(store, [mixed]).source == .sorting)
  }
}
