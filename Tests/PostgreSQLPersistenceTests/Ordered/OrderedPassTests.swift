#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import PostgreSQLPersistence

/// R172: a pass over a long list in parts.
@Suite struct OrderedPassTests {
  private static let rows = 5000

  private func withSource(
    order: [FetchSortDescriptor] = [.ascending("publisher"), .ascending("year")],
    where predicate: FetchPredicate = .all,
    connections: Int = 4,
    afterReading: () throws -> Void = {},
    _ body: (PostgreSQLOrderedSource, ConnectionPool) throws -> Void
  ) throws {
    try TestServer.withDatabase { url in
      let entity = try EntityDescription(
        name: "Book",
        attributes: [
          AttributeDescription("publisher", .text), AttributeDescription("year", .integer32),
        ]
      )
      let store = try PostgreSQLStore(
        url: url,
        entities: [entity],
        options: PostgreSQLStoreOptions(connectionLimit: connections)
      )
      try TestServer.connect(url).runOnce(
        """
        INSERT INTO "Book" (id, publisher, year)
        SELECT n, 'P' || n * 7919 % 97, n % 11 FROM generate_series(1, \(Self.rows)) n
        """
      )
      let definition = try OrderDefinition(
        entity: entity,
        predicate: predicate,
        sortDescriptors: order
      )
      try store.createIndex(serving: definition)
      try store.read { (snapshot) throws(StoreError) in
        let source = try snapshot.orderedSource(of: definition) as? PostgreSQLOrderedSource
        do {
          try body(try #require(source), store.pool)
        } catch {
          Issue.record(error)
        }
      }
      try afterReading()
    }
  }

  /// Checks that blocks have the keys of the list, and what each of them says of its place.
  private func check(_ blocks: KeyBlocks, _ source: PostgreSQLOrderedSource) throws {
    let keys = try source.keys(from: nil, to: nil, skipping: 0, limit: .max)
    #expect(blocks.keyCount == keys.count)
    var position = 0
    for (index, count) in blocks.counts.enumerated() {
      #expect(blocks.firstKeys.key(at: index) == keys.key(at: position))
      #expect((1...64).contains(count))
      position += count
    }
  }

  @Test func `parts agree with the whole, also where the predicate fixes a column (R172)`() throws {
    try withSource { source, _ in
      let blocks = try source.parallelBlocks(ofAbout: 64, from: 1000) { true }
      try check(try #require(blocks), source)
    }
    try withSource(
      order: [.descending("year")],
      where: .comparison(.attribute("publisher"), .equal, .literal(.text("P7")))
    ) { source, _ in
      // A short list cannot be divided evenly by a sample.
      let blocks = try source.parallelBlocks(ofAbout: 64, from: 1000) { true }
      #expect(blocks == nil)
    }
    try withSource(order: [.descending("year"), .descending("publisher")]) { source, _ in
      // The key ascends, so no comparison of rows has this order.
      let blocks = try source.parallelBlocks(ofAbout: 64, from: 1000) { true }
      #expect(blocks == nil)
      try check(try source.blocks(ofAbout: 64) { true }, source)
    }
  }

  /// Waits until another connection has done its parts.
  /// - Returns: Whether that happened within 20 seconds.
  private static func waitForOthers(_ connection: Connection) -> Bool {
    let deadline = ContinuousClock.now + .seconds(20)
    let question = """
      SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle' AND query = 'COMMIT'
      """
    while ContinuousClock.now < deadline {
      if let count = try? connection.run(question).integer(0, 0), count > 0 { return true }
    }
    return false
  }

  @Test func `rows that are committed meanwhile are in no part (R172)`() throws {
    try withSource { source, pool in
      let connection = try pool.connect()
      try connection.runOnce(#"DELETE FROM public."Book" WHERE id % 2 = 0"#)
      var hasWaited = false
      let blocks = try source.parallelBlocks(ofAbout: 64, from: 1000) {
        // The other connections come first.
        if !hasWaited { hasWaited = Self.waitForOthers(connection) }
        return true
      }
      #expect(hasWaited)
      #expect(blocks?.keyCount == Self.rows)
      try check(try #require(blocks), source)
    }
  }

  @Test func `R251: a part does not wait behind who waits for the pass`() throws {
    var altering: ThreadWork?
    // Ends before its database is removed, which would end its connection.
    try withSource(afterReading: { try altering?.wait() }) { source, pool in
      let watching = try pool.connect()
      let name = try watching.run("SELECT current_database()::text").text(0, 0)
      let url = TestServer.url(ofDatabase: try #require(name))
      let work = ThreadWork {
        let application = try TestServer.connect(url)
        try application.runOnce("SET lock_timeout = '10s'")
        try application.runOnce(#"ALTER TABLE public."Book" ADD COLUMN extra int"#)
      }
      let blocked = "SELECT FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'"
      while !work.isDone, try watching.run(blocked).count == 0 {}
      var hasWaited = false
      let blocks = try source.parallelBlocks(ofAbout: 64, from: 1000) {
        let waiting = "SELECT FROM pg_locks WHERE NOT granted AND mode = 'AccessShareLock'"
        let deadline = ContinuousClock.now + .seconds(20)
        while !hasWaited, ContinuousClock.now < deadline {
          hasWaited = (try? watching.run(waiting).count).map { $0 > 0 } ?? false
        }
        return true
      }
      #expect(hasWaited)
      // With a lock that it waits for, the application would have given up.
      #expect(!work.isDone)
      try check(try #require(blocks), source)
      altering = work
    }
  }

  @Test func `without a free connection, or with ones that fail, the caller does it all (R172)`()
    throws
  {
    try withSource(connections: 1) { source, _ in
      let blocks = try source.parallelBlocks(ofAbout: 64, from: 1000) { true }
      try check(try #require(blocks), source)
    }
    try withSource { source, pool in
      let own = try #require(
        source.reader.connection.run("SELECT current_database()::text").text(0, 0)
      )
      pool.forgetIdle()
      let administrator = try TestServer.connect()
      try administrator.runOnce("ALTER DATABASE \(own) ALLOW_CONNECTIONS false")
      defer { _ = try? administrator.runOnce("ALTER DATABASE \(own) ALLOW_CONNECTIONS true") }
      #expect(throws: StoreError.self) { _ = try pool.connect(patience: .zero) }
      let blocks = try source.parallelBlocks(ofAbout: 64, from: 1000) { true }
      try check(try #require(blocks), source)
    }
  }

  @Test func `a pass that is not wanted any more ends (R172)`() throws {
    try withSource { source, _ in
      #expect(throws: StoreError.self) {
        _ = try source.parallelBlocks(ofAbout: 64, from: 1000) { false }
      }
    }
  }
}
#endif
