#if PostgreSQL
import Foundation
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import PostgreSQLPersistence

/// Values of a stranger's tables that no attribute has (R275).
@Suite("Values that no attribute has", .timeLimit(.minutes(5)))
struct PostgreSQLUnheldValuesTests {
  private static let table = """
    CREATE TABLE t (id integer PRIMARY KEY, n integer, r real, d double precision NOT NULL, p numeric(9,2),
      a timestamptz, b timestamp, c date)
    """
  private static let rows = """
    INSERT INTO t SELECT i, i % 3,
      CASE WHEN i % 4 = 0 THEN 'NaN' WHEN i % 7 = 0 THEN NULL ELSE i / 2.0 END,
      CASE WHEN i % 5 = 0 THEN 'NaN' WHEN i % 11 = 0 THEN 'Infinity' ELSE -i::float8 END,
      CASE WHEN i % 3 = 0 THEN 'NaN' WHEN i % 7 = 0 THEN NULL ELSE i / 4.0 END,
      CASE WHEN i % 4 = 0 THEN timestamptz '294270-01-01 00:00+00' - make_interval(days => i)
        WHEN i % 5 = 0 THEN 'infinity' WHEN i % 7 = 0 THEN NULL WHEN i % 9 = 0 THEN '-infinity'
        WHEN i % 13 = 0 THEN '4712-01-01 00:00+00 BC' ELSE timestamptz '2026-01-01 00:00+00' + make_interval(hours => i) END,
      CASE WHEN i % 3 = 0 THEN timestamp '294260-01-01' - make_interval(days => i)
        WHEN i % 5 = 0 THEN 'infinity' ELSE timestamp '2026-01-01' + make_interval(days => i % 6) END,
      CASE WHEN i % 2 = 0 THEN date '5874897-12-31' - i WHEN i % 5 = 0 THEN 'infinity'
        WHEN i % 7 = 0 THEN '4712-01-01 BC' ELSE date '2026-01-01' + i END
    FROM generate_series(1, 60) AS i
    """

  private static func withStore(
    log: Bool = false,
    _ statements: [String] = [table, rows],
    _ body: (PostgreSQLStore, EntityDescription, Connection) throws -> Void
  ) throws {
    try TestServer.withDatabase { url in
      let connection = try TestServer.connect(url)
      for statement in statements { try connection.runOnce(statement) }
      let database = try PostgreSQLDatabaseDescription(url: url)
      let entity = try #require(database.table(named: "t")).entity.get()
      let store = try PostgreSQLStore(
        discovered: database,
        entities: [entity],
        addsChangeLog: log
      )
      defer { try? store.close() }
      try body(store, entity, connection)
    }
  }

  private static func all(_ store: PostgreSQLStore, _ entity: EntityDescription) throws -> [Row] {
    try store.fetch(FetchRequest<Row>(entity: entity, sortedBy: [FetchSortDescriptor(.objectKey)]))
  }

  @Test func `R275: not-a-number is no value, and a date after the last one is infinity`() throws {
    try Self.withStore { store, entity, _ in
      let rows = try Self.all(store, entity)
      #expect(rows.count == 60)
      #expect(rows[3].values[1] == .null && rows[4].values[2] == .null)
      #expect(rows[2].values[3] == .null && rows[10].values[2] == .real(.infinity))
      let infinity = Value.integer(Instant.infinity.microseconds)
      #expect(rows[3].values[4] == infinity && rows[4].values[4] == infinity)
      #expect(rows[2].values[5] == infinity && rows[1].values[6] == infinity)
      #expect(rows[8].values[4] == .integer(Instant.negativeInfinity.microseconds))
      #expect((rows[12].values[4].integer ?? 0) < 0 && (rows[6].values[6].integer ?? 0) < 0)
    }
  }

  @Test(arguments: ["r", "d", "p", "a", "b", "c"])
  func `R275: lists by such values have the order of what is shown`(name: String) throws {
    try Self.withStore { store, entity, _ in
      let rows = try Self.all(store, entity)
      let column = try #require(entity.index(of: name))
      let first = entity.index(of: "n") ?? 0
      for (direction, nulls) in [
        (SortDirection.ascending, NullPlacement.first),
        (.ascending, .last), (.descending, .first), (.descending, .last),
      ] {
        let order = [
          FetchSortDescriptor(.attribute(name), direction, nulls: nulls), .ascending("n"),
        ]
        let ids = try store.fetch(FetchRequest<ObjectID>(entity: entity, sortedBy: order))
        let expected = rows.sorted { one, other in
          let (left, right) = (one.values[column], other.values[column])
          if left.isNull != right.isNull { return left.isNull == (nulls == .first) }
          switch Value.compare(left, right) {
          case .ascending: return direction == .ascending
          case .descending: return direction == .descending
          default: break
          }
          let (n, m) = (one.values[first].integer ?? 0, other.values[first].integer ?? 0)
          let (i, j) = (one.id.key, other.id.key)
          return n != m ? n < m : Self.number(i) < Self.number(j)
        }
        #expect(ids == expected.map(\.id), "\(name) \(direction) \(nulls)")
        var page = FetchRequest<ObjectID>(entity: entity, sortedBy: order)
        page.fetchLimit = 7
        #expect(try store.fetch(page) == Array(expected.map(\.id).prefix(7)))
      }
    }
  }

  private static func number(_ key: ObjectKey) -> Int64 {
    if case .integer(let number) = key { number } else { 0 }
  }

  @Test func `R275: conditions find what is shown`() throws {
    try Self.withStore { store, entity, _ in
      let rows = try Self.all(store, entity)
      let texts = [
        "r > 5", "NOT r > 5", "r == NULL", "d != NULL", "NOT d < 0", "d BETWEEN {-20, 5}",
        "p IN {1, 2.5}",
        "NOT p IN {1, 2.5}", "p == NULL", "r < d", "p >= 3", "ifnull(r, 4) == 4",
        "a == 'infinity'", "a != 'infinity'", "a < 'infinity'", "a <= 'infinity'",
        "a >= 'infinity'",
        "a > 'infinity'", "NOT a == 'infinity'", "a IN {'infinity', '2026-01-01T01:00:00Z'}",
        "NOT a IN {'infinity'}", "a == '-infinity'", "a > '2100-01-01'", "b == 'infinity'",
        "b >= '2026-01-03' AND b < 'infinity'", "c == 'infinity'", "c != 'infinity'",
        "c < '1000-01-01'", "c IN {'infinity', '2026-01-04'}", "a == b", "a >= b", "b == c",
        "ifnull(a, 'infinity') == 'infinity'",
      ]
      for text in texts {
        let predicate = try FetchPredicate(parsing: text, entity: entity)
        let compiled = CompiledPredicate(predicate, in: entity)
        let request = FetchRequest<ObjectID>(
          entity: entity,
          where: predicate,
          sortedBy: [FetchSortDescriptor(.objectKey)]
        )
        let expected = rows.filter { compiled.evaluate($0.values, key: $0.id.key) == true }
        #expect(try store.fetch(request) == expected.map(\.id), "\(text)")
        #expect(
          try store.read { (snapshot) throws(StoreError) in
            try snapshot.count(of: entity, where: predicate)
          }
            == expected.count
        )
      }
    }
  }

  @Test(arguments: [true, false], ["a", "r", "c"])
  func `R275: a list follows commits of such values`(hasLog: Bool, name: String) async throws {
    try await TestServer.withDatabase { url in
      let writer = try TestServer.connect(url)
      let plain = name == "r" ? "1.5" : "'2026-05-05'"
      // Dates that the server has in another order than the list, in which they are equal.
      let odd =
        switch name {
        case "r": "'NaN'"
        case "a": "timestamptz '294275-05-05' - make_interval(days => id)"
        default: "date '294275-05-05' - id"
        }
      for statement in [
        Self.table, Self.rows, "UPDATE t SET \(name) = \(plain) WHERE id % 2 = 0",
        "CREATE INDEX ON t (\(name) NULLS FIRST, n DESC NULLS LAST, id)", "VACUUM ANALYZE t",
      ] {
        try writer.runOnce(statement)
      }
      let database = try PostgreSQLDatabaseDescription(url: url)
      let entity = try #require(database.table(named: "t")).entity.get()
      let store = try PostgreSQLStore(
        discovered: database,
        entities: [entity],
        addsChangeLog: hasLog
      )
      let request = FetchRequest<Row>(
        entity: entity,
        sortedBy: [.ascending(name), .descending("n")]
      )
      let controller = FetchedResultsController(
        ResultsDefinition(request),
        in: store,
        options: ResultsOptions(inMemoryKeyLimit: -1)
      )
      try await controller.performFetch()
      var events = controller.changes.makeAsyncIterator()
      _ = await events.next()
      for statement in [
        "UPDATE t SET \(name) = \(odd) WHERE id = 13",
        "UPDATE t SET \(name) = \(odd) WHERE id IN (8, 9, 10, 16, 22)",
        "UPDATE t SET n = 5 WHERE id = 8", "DELETE FROM t WHERE id = 9",
        "UPDATE t SET n = 2 WHERE id = 22", "UPDATE t SET \(name) = \(plain) WHERE id IN (13, 11)",
      ] {
        try writer.runOnce(statement)
        _ = await events.next()
        let expected = try store.fetch(request).map(\.id)
        let results = try controller.results
        #expect(try results.objectIDs(at: 0..<results.count) == expected, "\(statement)")
      }
      controller.cancel()
      try store.close()
    }
  }
}
#endif
