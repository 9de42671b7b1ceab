#if PostgreSQL
import Foundation
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Testing

@testable import PostgreSQLPersistence

/// R190: what another program does to a table under a list is listed, or is an error with its reason.
@Suite struct PostgreSQLAlteredTablesTests {
  /// How rows are read: all keys at once, or pages of an index; with a log or by comparing.
  enum Opening: String, CaseIterable {
    case held, indexed, comparing
  }

  /// Each leaves a table that the list cannot read; some leave bytes that would be read as other values.
  private static let alterations = [
    ("ALTER TABLE t RENAME COLUMN v TO w", "v does not exist"),
    ("ALTER TABLE t DROP COLUMN v", "v does not exist"),
    ("DROP TABLE t", "does not exist"),
    // Eight letters are as long as a bigint.
    (
      "ALTER TABLE t ALTER COLUMN id TYPE text USING 'letters' || id",
      "since it was opened"
    ),
    (
      "ALTER TABLE t ALTER COLUMN v TYPE text USING 'letters' || v",
      "since it was opened"
    ),
    // Microseconds since 2000 are as long as a bigint, too.
    (
      "ALTER TABLE t ALTER COLUMN v TYPE timestamptz USING to_timestamp(v)",
      "since it was opened"
    ),
  ]

  @Test(.timeLimit(.minutes(5)), arguments: Opening.allCases, alterations)
  func `R190: a table that is altered is an error with what is different`(
    _ opening: Opening,
    _ alteration: (sql: String, detail: String)
  ) async throws {
    try await TestServer.withDatabase { url in
      let connection = try TestServer.connect(url)
      let (store, controller) = try Self.list(url, opening, on: connection)
      try await controller.performFetch()
      try connection.runOnce(alteration.sql)
      let text = await Self.reason(ofFailingToRead: controller)
      #expect(text.contains("has changed since it was opened"), "\(text)")
      #expect(text.contains(alteration.detail), "\(text)")
      controller.cancel()
      try store.close()
    }
  }

  /// What was prepared before is prepared again; a list that compares may fail once.
  @Test(.timeLimit(.minutes(5)), arguments: Opening.allCases)
  func `R190: a list goes on when a column gets another type that it can read`(
    _ opening: Opening
  ) async throws {
    try await TestServer.withDatabase { url in
      let connection = try TestServer.connect(url)
      let (store, controller) = try Self.list(url, opening, on: connection)
      try await controller.performFetch()
      try connection.runOnce("ALTER TABLE t ADD w text, ALTER COLUMN v TYPE integer")
      try connection.runOnce("INSERT INTO t VALUES (10, 0)")
      var keys: [ObjectKey] = []
      while true {
        do {
          try await controller.refresh()
          keys = try controller.results.objects().map(\.id.key)
          break
        } catch  where opening == .comparing || Self.isPassing(error) {
          continue
        }
      }
      #expect(keys.first == .integer(10))
      controller.cancel()
      try store.close()
    }
  }

  /// To the server such a name is a row, or a column of an outer statement, once the table's own column is gone.
  @Test(.timeLimit(.minutes(5)), arguments: Opening.allCases, ["t", "p", "q", "k", "n", "number"])
  func `R190: a column that is dropped is missing, whatever else has its name in a statement`(
    _ opening: Opening,
    _ name: String
  ) async throws {
    try await TestServer.withDatabase { url in
      let connection = try TestServer.connect(url)
      let (store, controller) = try Self.list(url, opening, showing: name, on: connection)
      try await controller.performFetch()
      #expect(try controller.results.objects().count == 9)
      try connection.runOnce("ALTER TABLE t DROP COLUMN \(name)")
      let text = await Self.reason(ofFailingToRead: controller)
      #expect(text.contains("has changed since it was opened"), "\(text)")
      #expect(text.contains("(column \(name) does not exist)"), "\(text)")
      controller.cancel()
      try store.close()
    }
  }

  /// Types that no attribute has, whose binary form would be read as some text.
  @Test(arguments: ["int4range USING '[1,2)'", "text[] USING ARRAY[w]", "pg_lsn USING '16/B3'"])
  func `R190: a column of texts that gets a type without them is an error`(
    _ type: String
  ) async throws {
    try await TestServer.withDatabase { url in
      let connection = try TestServer.connect(url)
      let (store, controller) = try Self.list(url, .comparing, showing: "w", on: connection)
      try await controller.performFetch()
      try connection.runOnce("ALTER TABLE t ALTER w DROP DEFAULT, ALTER w TYPE \(type)")
      let text = await Self.reason(ofFailingToRead: controller)
      #expect(text.contains("has changed since it was opened"), "\(text)")
      controller.cancel()
      try store.close()
    }
  }

  /// What a list says that cannot be read any more.
  private static func reason(
    ofFailingToRead controller: FetchedResultsController<Row>
  ) async -> String {
    while true {
      let error = await #expect(throws: (any Error).self) {
        try await controller.refresh()
        _ = try controller.results.objects()
      }
      guard let error, isPassing(error) else { return error.map { "\($0)" } ?? "" }
    }
  }

  /// A list over an index is fetched again once, since its log does not record the altered table.
  private static func isPassing(_ error: any Error) -> Bool {
    "\(error)".contains("no longer known")
  }

  private static func list(
    _ url: String,
    _ opening: Opening,
    showing shown: String? = nil,
    on connection: Connection
  ) throws -> (PostgreSQLStore, FetchedResultsController<Row>) {
    // The rows of texts are not read together with the log, by another statement.
    let key = shown == nil ? "bigint" : "text COLLATE \"C\""
    try connection.runOnce("CREATE TABLE t (id \(key) PRIMARY KEY, v bigint NOT NULL)")
    try connection.runOnce("CREATE INDEX i ON t (v, id)")
    try connection.runOnce("INSERT INTO t SELECT n, n FROM generate_series(1, 9) AS n")
    if let shown { try connection.runOnce("ALTER TABLE t ADD \(shown) text DEFAULT 'shown'") }
    let entity = try EntityDescription(
      name: "t",
      identity: shown == nil ? .integer(column: "id") : .text(column: "id"),
      attributes: [AttributeDescription("v", .integer64)]
        + (shown.map { [AttributeDescription($0, .text, isOptional: true)] } ?? [])
    )
    var options = PostgreSQLStoreOptions()
    options.adoptsTables = true
    options.maintainsChangeLog = opening != .comparing
    let store = try PostgreSQLStore(url: url, entities: [entity], options: options)
    let request = FetchRequest<Row>(entity: entity, sortedBy: [.ascending("v")])
    let controller = FetchedResultsController(
      ResultsDefinition(request),
      in: store,
      options: ResultsOptions(inMemoryKeyLimit: opening == .indexed ? -1 : .max)
    )
    return (store, controller)
  }

  @Test func `a statement of the application that cannot run is an error with the server's words`()
    throws
  {
    try TestServer.withDatabase { url in
      let entity = try EntityDescription(
        name: "t",
        identity: .integer(column: "id"),
        attributes: [AttributeDescription("v", .integer64)]
      )
      let store = try PostgreSQLStore(url: url, entities: [entity])
      for sql in ["UPDATE t SET w = 1", "UPDAT t", "SELECT 'x'::bigint", "SELECT 1 / 0"] {
        let error = #expect(throws: StoreError.self) {
          try store.write { transaction in
            _ = try (transaction as? PostgreSQLTransaction)?.execute(sql)
          }
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("Correct the statement"), "\(sql)")
      }
      try store.close()
    }
  }
}
#endif
