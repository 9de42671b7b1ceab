#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import SQLStoreSupport
import Testing

@testable import PostgreSQLPersistence

/// R60: without a log, a commit of another program is noticed although a reader was the first to see it.
@Suite struct SnapshotComparisonTests {
  @Test func `R60: there is news of a commit that a reader was the first to see`() throws {
    try TestServer.withDatabase { url in
      let connection = try TestServer.connect(url)
      try connection.runOnce("CREATE TABLE t (id bigint PRIMARY KEY)")
      let comparison = try SnapshotComparison(of: StoreTables([]), on: connection, path: "test")
      func read() throws -> StoreVersion {
        defer { _ = try? connection.run([.commit]) }
        let opening = connection.opening(.reading)
        return try comparison.begin(on: connection, opening: opening).version
      }
      let first = try read()
      try TestServer.connect(url).runOnce("INSERT INTO t VALUES (1)")
      #expect(try read() != first)
      #expect(try comparison.hasNews(on: connection))
    }
  }

  @Test func `R221: what a look has reported and a list has read is not reported again`() throws {
    try TestServer.withDatabase { url in
      let connection = try TestServer.connect(url)
      try connection.runOnce("CREATE TABLE t (id bigint PRIMARY KEY)")
      let comparison = try SnapshotComparison(of: StoreTables([]), on: connection, path: "test")
      func read() throws -> StoreVersion {
        defer { _ = try? connection.run([.commit]) }
        let opening = connection.opening(.reading)
        return try comparison.begin(on: connection, opening: opening).version
      }
      func snapshot() throws -> String {
        try connection.run("SELECT pg_current_snapshot()::text").text(0, 0) ?? ""
      }
      let writer = try TestServer.connect(url)
      var last = try read()
      for number in 1...3 {
        try writer.runOnce("INSERT INTO t VALUES (\(number))")
        // What nobody has read is reported again.
        #expect(try comparison.hasNews(on: connection))
        #expect(try comparison.hasNews(on: connection))
        var version = try read()
        #expect(version != last)
        // Transactions in other databases of the server count too, and other tests have some.
        var (before, found, expected) = ("", "", "-")
        repeat {
          before = try snapshot()
          _ = try comparison.hasNews(on: connection)
          version = try read()
          expected = "no news, \(version), no news"
          func words(_ hasNews: Bool) -> String { hasNews ? "news" : "no news" }
          let first = words(try comparison.hasNews(on: connection))
          found = "\(first), \(try read()), \(words(try comparison.hasNews(on: connection)))"
        } while try snapshot() != before
        #expect(found == expected)
        last = version
      }
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `R60: a list is compared after a commit that was read before the list was notified of it`()
    async throws
  {
    try await TestServer.withDatabase { url in
      let writer = try TestServer.connect(url)
      try writer.runOnce("CREATE TABLE t (id bigint PRIMARY KEY)")
      try writer.runOnce("INSERT INTO t VALUES (1), (2)")
      let entity = try EntityDescription(
        name: "t",
        identity: .integer(column: "id"),
        attributes: []
      )
      var options = PostgreSQLStoreOptions()
      options.adoptsTables = true
      options.maintainsChangeLog = false
      let store = try PostgreSQLStore(url: url, entities: [entity], options: options)
      let request = FetchRequest<Row>(
        entity: entity,
        sortedBy: [FetchSortDescriptor(.objectKey, .ascending)]
      )
      let controller = FetchedResultsController(ResultsDefinition(request), in: store)
      try await controller.performFetch()
      var changes = controller.changes.makeAsyncIterator()
      guard case .snapshot = await changes.next() else {
        Issue.record("the list does not begin with its snapshot")
        return
      }
      try writer.runOnce("DELETE FROM t WHERE id = 1")
      // It looks once a second.
      _ = try store.read { (snapshot) throws(StoreError) in snapshot.version }
      guard case .change(let change) = await changes.next() else {
        Issue.record("the list does not say that a row is gone")
        return
      }
      #expect(change.delta.rows.deletes.count == 1)
      controller.cancel()
      try store.close()
    }
  }
}
#endif
