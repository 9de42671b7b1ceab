import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Testing

@testable import ResultsPresentation

/// R85: an index without regard to case orders lowercased texts, as long as none has a NUL.
@Suite struct `An index without regard to case` {
  private typealias Row = ResultsDomain.Row

  private static let entity = Sample.entity(
    "Note",
    .integer(),
    [
      AttributeDescription("name", .text, isOptional: true),
      AttributeDescription("folder", .integer64),
    ]
  )
  private static let lowercased = FetchExpression.lowercased(.attribute("name"))

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A store over an application's table with texts that differ in case.
  private func store(_ index: String, _ options: String = "") throws -> SQLiteStore {
    try folder.execute(
      """
      PRAGMA journal_mode = WAL;
      CREATE TABLE Note (id INTEGER PRIMARY KEY, name TEXT, folder INTEGER NOT NULL) \(options);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
        INSERT INTO Note SELECT i, CASE i % 9 WHEN 0 THEN NULL WHEN 1 THEN 'É' || i % 7 WHEN 2 THEN ''
          WHEN 3 THEN char(65 + i % 40) WHEN 4 THEN 'ab_' || char(97 + i % 5) ELSE char(97 + i % 5, 65 + i % 7) END,
          i % 4 FROM n;
      CREATE INDEX byName ON Note \(index);
      """
    )
    return try SQLiteStore(
      at: folder.file(),
      entities: [Self.entity],
      options: SQLiteStoreOptions(adoptsTables: true, maintainsChangeLog: true)
    )
  }

  private func definition(
    _ terms: [FetchSortDescriptor],
    where predicate: FetchPredicate = .all
  ) throws -> OrderDefinition {
    try OrderDefinition(entity: Self.entity, predicate: predicate, sortDescriptors: terms)
  }

  /// Whether an index answers for a list, whose keys are then compared with those in the order of the store.
  private func isServed(_ definition: OrderDefinition, _ store: SQLiteStore) throws -> Bool {
    try store.read { (snapshot) throws(StoreError) in
      guard let source = try snapshot.orderedSource(of: definition) else { return false }
      var all = EntryBatch()
      try snapshot.entries(of: definition) { (batch) throws(StoreError) in
        all = batch
        return true
      }
      #expect(all.count > 50)
      let page = try source.keys(from: nil, to: nil, skipping: 0, limit: 1000)
      #expect(page.bytes == all.bytes)
      #expect(try source.ranks(of: all) == Array(0..<all.count))
      var start = 0
      for (index, end) in all.ends.enumerated() {
        let key = Array(all.bytes[start..<end])
        #expect(try source.count(from: nil, to: .before(key)) == index)
        start = end
      }
      return true
    }
  }

  @Test(arguments: ["", "STRICT"])
  func `answers for lowercased texts, however they are combined (R85)`(_ options: String) throws {
    let store = try store("(name COLLATE NOCASE)", options)
    let ascending = FetchSortDescriptor(Self.lowercased)
    #expect(try isServed(definition([ascending]), store))
    #expect(try !isServed(definition([.ascending("name")]), store))
    #expect(try !isServed(definition([ascending, .ascending("name")]), store))
    try folder.execute("CREATE INDEX byBoth ON Note (folder, name COLLATE NOCASE DESC, name)")
    let descending = FetchSortDescriptor(Self.lowercased, .descending)
    let folder = FetchPredicate.comparison(.attribute("folder"), .equal, .literal(2))
    #expect(try isServed(definition([descending, .ascending("name")], where: folder), store))
    #expect(
      try isServed(definition([.ascending("folder"), descending, .ascending("name")]), store)
    )
    try store.close()
  }

  @Test(arguments: ["'a' || char(0) || 'B'", "x'4142'"])
  func `is left when a value comes that it orders differently, and not before (R85)`(
    _ value: String
  ) throws {
    let store = try store("(name COLLATE NOCASE)")
    let list = try definition([FetchSortDescriptor(Self.lowercased)])
    #expect(try isServed(list, store))
    try folder.execute("INSERT INTO Note VALUES (1000, 'aB', 0)")
    #expect(try isServed(list, store))
    try folder.execute("UPDATE Note SET name = \(value) WHERE id = 1000")
    #expect(try !isServed(list, store))
    try store.close()
  }

  @Test func `is named by the plan of a list that it answers for, until it no longer does (R89)`()
    throws
  {
    let store = try store("(name COLLATE NOCASE)")
    let list = try definition([FetchSortDescriptor(Self.lowercased)])
    let plan = try store.read { (snapshot) throws(StoreError) in try snapshot.plan(of: list) }
    #expect(plan.source == .index("byName"))
    #expect(plan.steps == ["SCAN Note USING COVERING INDEX byName"] && plan.remedy == nil)
    try folder.execute("INSERT INTO Note VALUES (1000, 'a' || char(0), 0)")
    let later = try store.read { (snapshot) throws(StoreError) in try snapshot.plan(of: list) }
    #expect(later.source == .sorting)
    try store.close()
  }

  @Test func `is not used where such a value is there already (R85)`() throws {
    let store = try store("(name COLLATE NOCASE)")
    try folder.execute("INSERT INTO Note VALUES (1000, 'a' || char(0), 0)")
    #expect(try !isServed(definition([FetchSortDescriptor(Self.lowercased)]), store))
    try store.close()
  }

  @Test func `keeps a long list in order, and the list holds its keys after a NUL (R77 R85)`()
    async throws
  {
    let store = try store("(name COLLATE NOCASE)")
    let request = FetchRequest<Row>(
      entity: Self.entity,
      sortedBy: [FetchSortDescriptor(Self.lowercased)]
    )
    let list = FetchedResultsController(
      request,
      in: store,
      options: ResultsOptions(delivery: .onDemand, inMemoryKeyLimit: -1, auditPeriod: nil)
    )
    try await list.performFetch()
    var isIndexed = true
    for name in ["Zz", "zZ0", "", "ÉÉ", "a' || char(0) || 'Z", "a' || char(0) || 'b", "AB"] {
      try folder.execute("INSERT INTO Note (name, folder) VALUES ('\(name)', 1)")
      try await list.refresh()
      if name.contains("char(0)") { isIndexed = false }
      let results = try list.results
      if case .indexed = results.snapshot.keys {
        #expect(isIndexed, "\(name)")
      } else {
        #expect(!isIndexed, "\(name)")
      }
      let fresh = try store.read { (snapshot) throws(StoreError) in
        try snapshot.fetch(request).map(\.id)
      }
      #expect(try results.objects().map(\.id) == fresh, "\(name)")
    }
    try store.close()
  }
}
