#if PostgreSQL
import Foundation
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLStoreSupport
import Testing

@testable import PostgreSQLPersistence

/// R55, R82, R85, R159: between any two bounds an index of PostgreSQL gives the same answers as the sorted rows, with nulls, ties, mixed
/// directions, expressions, predicates and all kinds of keys.
@Suite("Random lists that an index of PostgreSQL answers")
struct PostgreSQLOrderedSourceTests {
  /// The seeds, and those that once found bounds with a null where there is none, or beside a fixed or repeated column.
  static let seeds: [UInt64] =
    Array(1..<(ProcessInfo.processInfo.environment["RESULTS_FUZZ"].flatMap { UInt64($0) } ?? 40))
    + [127, 166, 199, 216]

  @Test(arguments: seeds)
  func `R159: agree with the sorted rows`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    try TestServer.withDatabase { url in
      let world = try OrderedWorld(url: url, rows: 120, &generator)
      let remedy = OrderedRemedy(reader: world.reader)
      let pool = ConnectionPool(try ConnectionSettings(url: url), limit: 1, patience: .seconds(5))
      func createIndex() throws -> String? {
        try remedy.createIndex(for: world.definition, in: world.table, beside: pool)
      }
      let statement = try createIndex()
      let context = Comment(rawValue: "seed \(seed), \(world.definition), \(statement ?? "none")")
      let isServed = try world.read { source in
        try compare(source, world.oracle, &generator, context)
        return true
      }
      #expect(isServed == true || statement == nil, context)
      #expect(try createIndex() == nil, context)
    }
  }

  private func compare(
    _ source: PostgreSQLOrderedSource,
    _ oracle: SortedRows,
    _ generator: inout SeededGenerator,
    _ context: Comment
  ) throws {
    for _ in 0..<12 {
      let ranges = (0..<generator.number(in: 1...8)).map { _ in
        KeyRange(from: oracle.bound(&generator), to: oracle.bound(&generator))
      }
      try #require(try source.counts(of: ranges) == oracle.counts(of: ranges), context)
      let batches = try source.keys(inEach: ranges).map(\.split)
      try #require(try batches == oracle.keys(inEach: ranges).map(\.split), context)
      let (skipped, limit) = (generator.choice(0, 0, 3, 200), generator.choice(1, 5, 1000, .max))
      let (lower, upper) = (ranges[0].lower, ranges[0].upper)
      let page = try source.keys(from: lower, to: upper, skipping: skipped, limit: limit)
      let wanted = try oracle.keys(from: lower, to: upper, skipping: skipped, limit: limit)
      try #require(page.split == wanted.split, context)
      try #require(
        try source.count(from: lower, to: upper) == oracle.count(from: lower, to: upper),
        context
      )
      try comparePage(from: lower, skipping: skipped, limit: limit, source, oracle, context)
    }
    for stride in [1, 9, 16, 1000] {
      var sample: [[UInt8]] = []
      let total = try source.sample(every: stride) { (batch) throws(StoreError) in
        sample += batch.split
        return true
      }
      #expect(total == oracle.keys.count, context)
      let expected = oracle.keys.indices.filter { $0.isMultiple(of: stride) }
      try #require(sample == expected.map { oracle.keys[$0] }, context)
    }
    for columns in 0...oracle.layout.order.count {
      try compareGroups(of: columns, source, oracle, &generator, context)
    }
    let indexes = oracle.keys.indices.filter { _ in generator.happens(percent: 40) }
    var sought = EntryBatch()
    for index in indexes { sought.append { $0.bytes += oracle.keys[index] } }
    try #require(try source.ranks(of: sought) == indexes, context)
    try #require(try source.ranksByMerging(sought) == indexes, context)
  }

  /// R173: a page has the keys of the list, and the rows that are read with it are those that a reading of their own finds.
  private func comparePage(
    from lower: KeyBound?,
    skipping skipped: Int,
    limit: Int,
    _ source: PostgreSQLOrderedSource,
    _ oracle: SortedRows,
    _ context: Comment
  ) throws {
    let (plan, paged) = (source.plan, PagedRows())
    let page = try PostgreSQLOrderedSource(plan, source.reader, paged)
      .page(from: lower, skipping: skipped, limit: limit)
    let wanted = try oracle.keys(from: lower, to: nil, skipping: skipped, limit: limit)
    try #require(page.split == wanted.split, context)
    let entity = plan.definition.entity
    let keys = page.split.compactMap { key in
      key.withUnsafeBytes { plan.definition.layout.objectKey(in: $0, of: entity.identity) }
    }
    try #require(keys.count == page.count, context)
    guard let rows = paged.take(keys, of: entity) else {
      // Orders with several columns that can be null, long pages, and bounds that no column can hold are read in two round trips.
      let nullable = plan.statements.terms.count(where: \.isNullable)
      let isUsual = lower.map { bound in oracle.keys.contains { $0.starts(with: bound.columns) } }
      return #expect(
        nullable > 1 || limit > PagedRows.limit || isUsual == false || keys.isEmpty,
        context
      )
    }
    #expect(rows == (try source.reader.rows(keys, of: entity)), context)
    #expect(paged.take(keys, of: entity) == nil, context)
  }

  private func compareGroups(
    of columns: Int,
    _ source: PostgreSQLOrderedSource,
    _ oracle: SortedRows,
    _ generator: inout SeededGenerator,
    _ context: Comment
  ) throws {
    func groups(_ source: any OrderedSource) throws -> [[UInt8]: Int] {
      var groups: [[UInt8]: Int] = [:]
      try source.groups(byFirstColumns: columns) { (prefix, count) throws(StoreError) in
        groups[prefix] = count
        return true
      }
      return groups
    }
    try #require(try groups(source) == groups(oracle), context)
    let lower = oracle.bound(&generator)
    var expected: [[UInt8]] = []
    var last: [UInt8]?
    for key in try oracle.keys(from: lower, to: nil, skipping: 0, limit: .max).split {
      let prefix = key.withUnsafeBytes { bytes in
        var end = 0
        for column in (oracle.layout.order + oracle.layout.identity).prefix(columns) {
          end = oracle.layout.end(of: column, in: bytes, from: end)
        }
        return Array(bytes[..<end])
      }
      if prefix != last { expected.append(key) }
      last = prefix
    }
    let limit = generator.choice(1, 3, 64)
    let first = try source.firstKeys(ofGroupsByFirstColumns: columns, from: lower, limit: limit)
    try #require(first.split == Array(expected.prefix(first.count)), "\(context) \(columns)")
    #expect(first.count > 0 || expected.isEmpty, context)
    #expect(first.count <= limit, context)
  }
}

/// R55, R158, R159: what an index of PostgreSQL answers costs few flights, and only while the index serves.
@Suite("What an index of PostgreSQL costs")
struct OrderedCostTests {
  private func world(_ url: String, rows: Int = 3000) throws -> (OrderedPlan, TableReader) {
    let entity = try EntityDescription(
      name: "Book",
      attributes: [
        AttributeDescription("publisher", .text), AttributeDescription("year", .integer32),
      ]
    )
    let connection = try TestServer.connect(url)
    let tables = try SchemaOpening.tables(
      for: [entity],
      options: SchemaOptions(),
      path: "test",
      on: connection
    )
    try connection.runOnce(
      """
      INSERT INTO "Book" (id, publisher, year)
      SELECT n, 'P' || n % 100, n % 11 FROM generate_series(1, \(rows)) n
      """
    )
    try connection.runOnce(#"CREATE INDEX i ON "Book" (publisher, year DESC, id)"#)
    try connection.runOnce(#"VACUUM (ANALYZE) "Book""#)
    try connection.run([.begin(.reading)])
    let reader = TableReader(connection, tables: tables, path: "test")
    let definition = try OrderDefinition(
      entity: entity,
      predicate: .all,
      sortDescriptors: [.ascending("publisher"), .descending("year")]
    )
    let plan = try OrderedPlanCache()
      .plan(of: definition, in: try tables.table(of: entity), reader)
    return (try #require(plan), reader)
  }

  @Test func `R158: any number of counts is one flight, and so is any number of pages`() throws {
    try TestServer.withDatabase { url in
      let (plan, reader) = try world(url)
      let source = PostgreSQLOrderedSource(plan, reader)
      let keys = try source.keys(from: nil, to: nil, skipping: 0, limit: 3000).split
      #expect(keys.count == 3000)
      let ranges = (0..<200).map { index in
        KeyRange(from: .before(keys[index * 7]), to: .before(keys[index * 7 + index]))
      }
      #expect(try source.counts(of: ranges) == Array(0..<200))
      #expect(try source.keys(inEach: ranges).map(\.count) == Array(0..<200))
      // Their statements are proved now.
      let flights = reader.connection.flightCount
      #expect(try source.counts(of: ranges.reversed()) == Array((0..<200).reversed()))
      #expect(reader.connection.flightCount == flights + 1)
      #expect(try source.keys(inEach: ranges).map(\.count) == Array(0..<200))
      #expect(reader.connection.flightCount == flights + 2)
      #expect(plan.serves)
    }
  }

  @Test func `R55: a pass over all keys is few flights, and can end`() throws {
    try TestServer.withDatabase { url in
      let (plan, reader) = try world(url)
      let source = PostgreSQLOrderedSource(plan, reader)
      _ = try source.sample(every: 512) { (_) throws(StoreError) in true }
      let flights = reader.connection.flightCount
      var pivots = 0
      let total = try source.sample(every: 512) { (batch) throws(StoreError) in
        pivots += batch.count
        return true
      }
      #expect(total == 3000)
      #expect(pivots == 6)
      #expect(reader.connection.flightCount == flights + 3)
      #expect(try source.sample(every: 512) { (_) throws(StoreError) in false } == nil)
      let first = try source.firstKeys(ofGroupsByFirstColumns: 1, from: nil, limit: 200)
      #expect(first.count == 100)
      #expect(try source.estimatedCount() == 3000)
      #expect(plan.serves)
    }
  }

  @Test func `R159: an index that is gone is noticed, and answers are right until then`() throws {
    try TestServer.withDatabase { url in
      let (plan, reader) = try world(url)
      let source = PostgreSQLOrderedSource(plan, reader)
      #expect(try source.count(from: nil, to: nil) == 3000)
      // The same statement as below, so that it is not proved again.
      _ = try source.keys(from: nil, to: nil, skipping: 0, limit: 1)
      try reader.connection.run([.commit])
      try reader.connection.runOnce("DROP INDEX i")
      try reader.connection.run([.begin(.reading)])
      let later = PostgreSQLOrderedSource(plan, reader)
      let key = try later.keys(from: nil, to: nil, skipping: 1234, limit: 1).split[0]
      #expect(!plan.serves)
      #expect(try later.count(from: nil, to: .before(key)) == 1234)
    }
  }

  @Test(arguments: [
    "publisher, year, id", "publisher, id", "publisher, year DESC", "year DESC, publisher, id",
    "publisher DESC, year DESC, id",
  ])
  func `R159: an index that has not the list's order does not serve`(_ columns: String) throws {
    try TestServer.withDatabase { url in
      let (plan, reader) = try world(url)
      try reader.connection.run([.commit])
      try reader.connection.runOnce("DROP INDEX i")
      try reader.connection.runOnce(#"CREATE INDEX j ON "Book" (\#(columns))"#)
      try reader.connection.run([.begin(.reading)])
      let found = try OrderedPlanCache().plan(of: plan.definition, in: plan.table, reader)
      #expect(found == nil)
      let shown = try OrderedRemedy(reader: reader).plan(of: plan.definition, in: plan.table, nil)
      #expect(shown.source == .sorting)
      #expect(
        shown.remedy == #"""
          CREATE INDEX CONCURRENTLY "BookByPublisherAndYear" ON "public"."Book" \#
          ("publisher", "year" DESC, "id")
          """#
      )
    }
  }

  @Test func `R55: a source that is used after its snapshot fails`() throws {
    try TestServer.withDatabase { url in
      let (plan, reader) = try world(url, rows: 10)
      let source = PostgreSQLOrderedSource(plan, reader)
      source.end()
      #expect(throws: StoreError.self) { _ = try source.count(from: nil, to: nil) }
      #expect(throws: StoreError.self) {
        _ = try source.keys(from: nil, to: nil, skipping: 0, limit: 1)
      }
    }
  }
}
#endif
