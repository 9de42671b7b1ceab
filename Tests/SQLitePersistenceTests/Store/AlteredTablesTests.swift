import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import SQLitePersistence
import Testing

/// R188, R190: what another program does to a table, or to the keys of its rows, under a list is listed, or is an error with its reason.
@Suite struct AlteredTablesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// How a store opens the table `t`.
  enum Opening: CaseIterable, Sendable {
    case discovered, discoveredWithLog, adopted, adoptedWithLog
  }

  private func store(_ opening: Opening, _ sql: String) throws -> (EntityDescription, SQLiteStore) {
    try folder.execute("PRAGMA journal_mode = WAL; " + sql)
    let database = try DatabaseDescription(at: folder.file())
    let entity = try #require(database.table(named: "t")).entity.get()
    switch opening {
    case .discovered, .discoveredWithLog:
      let store = try SQLiteStore(
        discovered: database,
        entities: [entity],
        addsChangeLog: opening == .discoveredWithLog
      )
      return (entity, store)
    case .adopted, .adoptedWithLog:
      let options = SQLiteStoreOptions(
        adoptsTables: true,
        pollInterval: nil,
        maintainsChangeLog: opening == .adoptedWithLog
      )
      return (entity, try SQLiteStore(at: folder.file(), entities: [entity], options: options))
    }
  }

  private func texts(_ sql: String) throws -> [String] {
    let queue = try DatabaseQueue(path: folder.file())
    defer { try? queue.close() }
    return try queue.read { try String.fetchAll($0, sql: sql) }
  }

  private func list(
    of entity: EntityDescription,
    in store: SQLiteStore,
    sortedBy name: String
  ) -> FetchedResultsController<ResultsDomain.Row> {
    let request = ResultsDomain.FetchRequest<ResultsDomain.Row>(
      entity: entity,
      sortedBy: [.ascending(name)]
    )
    return FetchedResultsController(ResultsDefinition(request), in: store)
  }

  /// The failure of the next reading after another program has run statements.
  private func failure(
    after sql: String,
    of controller: FetchedResultsController<ResultsDomain.Row>
  ) async throws -> OpenFailure? {
    try folder.execute(sql)
    do {
      try await controller.refresh()
      return nil
    } catch {
      guard case .cannotOpen(_, let failure) = error else { throw error }
      return failure
    }
  }

  private func detail(_ failure: OpenFailure?) -> String {
    switch failure {
    case .schemaMismatch("t", let detail), .tableChanged("t", let detail): detail
    default: "\(String(describing: failure))"
    }
  }

  @Test(
    arguments: Opening.allCases,
    ["k TEXT PRIMARY KEY, v TEXT", "k TEXT, v TEXT, PRIMARY KEY (k, v)"]
  )
  func `R188: a row without a key is an error until it is gone, and no list lacks it in silence`(
    _ opening: Opening,
    _ columns: String
  ) async throws {
    let (entity, store) = try store(
      opening,
      "CREATE TABLE t (\(columns)); INSERT INTO t VALUES ('a', '1'), ('c', '3')"
    )
    let controller = list(of: entity, in: store, sortedBy: "v")
    try await controller.performFetch()
    let found = try await failure(after: "INSERT INTO t VALUES (NULL, 'n')", of: controller)
    #expect(detail(found) == "a row has no key: its k is null")
    // Another list does not begin without it.
    await #expect(throws: StoreError.self) {
      try await list(of: entity, in: store, sortedBy: "v").performFetch()
    }
    #expect(try await failure(after: "DELETE FROM t WHERE k IS NULL", of: controller) == nil)
    #expect(try controller.results.count == 2)
    // A new description identifies the rows by their numbers.
    try folder.execute("INSERT INTO t VALUES (NULL, 'n'), (NULL, 'n')")
    let database = try DatabaseDescription(at: folder.file())
    let again = try #require(database.table(named: "t")).entity.get()
    #expect(again.identity == .integer(column: "rowid"))
    controller.cancel()
    try store.close()
  }

  @Test func `R188: rows of a view that share a key are an error`() async throws {
    let (_, base) = try store(
      .discovered,
      "CREATE TABLE t (k TEXT, v TEXT); INSERT INTO t VALUES ('a', '1'), ('c', '3'); CREATE VIEW w AS SELECT k, v FROM t"
    )
    try base.close()
    let database = try DatabaseDescription(at: folder.file())
    let entity = try #require(database.table(named: "w")).entity.get()
    let store = try SQLiteStore(discovered: database, entities: [entity])
    let controller = list(of: entity, in: store, sortedBy: "v")
    try await controller.performFetch()
    try folder.execute("INSERT INTO t VALUES ('a', '2')")
    let error = await #expect(throws: StoreError.self) { try await controller.refresh() }
    guard case .request(.duplicateIdentity(let id, _, _)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(id.key == .compound(["a"]))
    controller.cancel()
    try store.close()
  }

  private static let alterations = [
    ("ALTER TABLE t RENAME COLUMN v TO w", "there is no column v any more"),
    (
      "BEGIN; DROP TABLE t; CREATE TABLE t (k TEXT NOT NULL PRIMARY KEY); COMMIT",
      "there is no column v any more"
    ),
    (
      "BEGIN; DROP TABLE t; CREATE TABLE t (k TEXT NOT NULL, v TEXT); COMMIT",
      "its primary key is another one now"
    ),
    (
      "BEGIN; DROP TABLE t; CREATE TABLE t (k TEXT NOT NULL, v TEXT PRIMARY KEY); COMMIT",
      "its primary key is another one now"
    ),
    (
      "BEGIN; DROP TABLE t; CREATE TABLE t (k TEXT NOT NULL COLLATE NOCASE PRIMARY KEY, v TEXT); COMMIT",
      "its primary key does not compare by bytes any more"
    ),
    (
      "BEGIN; DROP TABLE t; CREATE TABLE t (k TEXT NOT NULL PRIMARY KEY, v INTEGER); COMMIT",
      "v is now declared INTEGER"
    ),
    (
      "BEGIN; DROP TABLE t; CREATE TABLE t (k TEXT PRIMARY KEY, v TEXT); COMMIT",
      "k can be null now"
    ),
    ("DROP TABLE t", "there is no such table any more"),
  ]

  @Test(arguments: Opening.allCases, alterations)
  func `R190: a table that is altered under a list is an error with what is different`(
    _ opening: Opening,
    _ alteration: (sql: String, detail: String)
  ) async throws {
    let (entity, store) = try store(
      opening,
      "CREATE TABLE t (k TEXT NOT NULL PRIMARY KEY, v TEXT); INSERT INTO t VALUES ('a', '1')"
    )
    let controller = list(of: entity, in: store, sortedBy: "v")
    try await controller.performFetch()
    let found = try await failure(after: alteration.sql, of: controller)
    #expect(detail(found) == alteration.detail)
    controller.cancel()
    try store.close()
  }

  @Test(
    arguments: [
      ("k INTEGER NOT NULL, v TEXT, PRIMARY KEY (k)) WITHOUT ROWID", "k INT, v"),
      ("k INTEGER PRIMARY KEY, v TEXT)", "k TEXT NOT NULL PRIMARY KEY, v"),
      (
        "k TEXT NOT NULL PRIMARY KEY, v TEXT NOT NULL)",
        "k TEXT NOT NULL, v TEXT NOT NULL, PRIMARY KEY (v, k)"
      ),
    ]
  )
  func `R190: the log of a table that was made again with another key is not followed`(
    _ columns: (before: String, after: String)
  ) async throws {
    let creation = "CREATE TABLE t (\(columns.before); INSERT INTO t VALUES (1, 'a'), (2, 'b')"
    let first = try self.store(.discoveredWithLog, creation).1
    let triggers = try texts("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")
    try folder.execute(
      """
      PRAGMA legacy_alter_table = ON; ALTER TABLE t RENAME TO gone; CREATE TABLE t (\(columns.after));
      INSERT INTO t SELECT * FROM gone; DROP TABLE gone
      """
    )
    try? first.checkForExternalChanges()
    try first.close()
    for trigger in triggers { try? folder.execute(trigger) }
    let database = try DatabaseDescription(at: folder.file())
    let entity = try #require(database.table(named: "t")).entity.get()
    let store = try SQLiteStore(discovered: database, entities: [entity])
    let start = try store.currentVersion()
    let before = Set(try store.allRows(of: entity).map(\.id))
    try folder.execute("INSERT OR IGNORE INTO t VALUES (3, 'c'), (3, 'd'), (3, 'e')")
    try store.checkForExternalChanges()
    let after = Set(try store.allRows(of: entity).map(\.id))
    if let records = try store.history(since: start, of: entity).records {
      #expect(Set(records.flatMap(\.changes).map(\.id)) == after.subtracting(before))
    }
    try store.close()
  }

  @Test(arguments: Opening.allCases)
  func `R190: a list goes on when a table gets a column, an index, or is made again as it was`(
    _ opening: Opening
  ) async throws {
    let creation = "CREATE TABLE t (k TEXT NOT NULL PRIMARY KEY, v TEXT)"
    let (entity, store) = try store(opening, "\(creation); INSERT INTO t VALUES ('a', '1')")
    let controller = list(of: entity, in: store, sortedBy: "v")
    try await controller.performFetch()
    for sql in [
      "ALTER TABLE t ADD COLUMN w; INSERT INTO t VALUES ('b', '2', 3)", "CREATE INDEX i ON t (v)",
      "BEGIN; DROP TABLE t; \(creation); INSERT INTO t VALUES ('c', '2'), ('d', '3'); COMMIT",
    ] {
      #expect(try await failure(after: sql, of: controller) == nil)
    }
    #expect(try controller.results.objects().map(\.id.key) == [.text("c"), .text("d")])
    controller.cancel()
    try store.close()
  }

  @Test(arguments: ["OFF", "ON"], [Opening.discoveredWithLog, .adoptedWithLog])
  func `R190: after a legacy rename, writes that may replace rows fail until the store looks`(
    _ legacy: String,
    _ opening: Opening
  ) throws {
    let creation = "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT UNIQUE, w)"
    let rows = "INSERT INTO t VALUES (1, 'a', 0), (2, 'b', 0)"
    let (_, store) = try store(opening, "\(creation); \(rows)")
    try folder.execute("PRAGMA legacy_alter_table = \(legacy); ALTER TABLE t RENAME TO moved")
    // SQLite renames the table in the ON clauses of triggers, but not in what they read.
    let harmless = [
      "UPDATE moved SET w = 1", "DELETE FROM moved WHERE k = 1", "UPDATE moved SET w = w + 1",
    ]
    for sql in harmless { #expect(throws: Never.self, "\(sql)") { try folder.execute(sql) } }
    let replacing = [
      "INSERT INTO moved VALUES (3, 'c', 0)", "UPDATE moved SET v = 'd' WHERE k = 2",
      "UPDATE moved SET k = 4 WHERE k = 2",
    ]
    for sql in replacing {
      let hasFailed = (try? folder.execute(sql)) == nil
      #expect(hasFailed == (legacy == "ON"), "\(sql)")
    }
    try? store.checkForExternalChanges()
    let others = ["INSERT INTO moved VALUES (5, 'e', 0)", "UPDATE moved SET k = 6 WHERE k = 5"]
    for sql in harmless + others {
      #expect(throws: Never.self, "\(sql)") { try folder.execute(sql) }
    }
    try store.close()
  }

  @Test(arguments: [Opening.discoveredWithLog, .adoptedWithLog])
  func
    `R190: after legacy renames, tables of other programs can be written when a store has looked`(
      _ opening: Opening
    ) throws
  {
    let creation = "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT UNIQUE)"
    let other = "CREATE TABLE u (k INTEGER PRIMARY KEY, note TEXT UNIQUE)"
    try folder.execute("PRAGMA journal_mode = WAL; \(other); INSERT INTO u VALUES (1, 'a')")
    /// Records the other table in the log, as another program does.
    func recordOther() throws {
      let database = try DatabaseDescription(at: folder.file())
      let entity = try #require(database.table(named: "u")).entity.get()
      try SQLiteStore(discovered: database, entities: [entity], addsChangeLog: true).close()
    }
    func triggers(on table: String) throws -> Int {
      try texts("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = '\(table)'")
        .count
    }
    func fail(_ statements: [String]) -> Bool {
      statements.contains { (try? folder.execute($0)) == nil }
    }
    let (_, store) = try store(opening, "\(creation); INSERT INTO t VALUES (1, 'a')")
    try recordOther()
    try? store.checkForExternalChanges()
    #expect(try triggers(on: "t") == 6 && triggers(on: "u") == 6)
    try folder.execute("PRAGMA legacy_alter_table = ON; ALTER TABLE u RENAME TO w")
    #expect(fail(["INSERT INTO w VALUES (3, 'c')"]))
    try store.checkForExternalChanges()
    #expect(!fail(["INSERT INTO w VALUES (3, 'c')", "REPLACE INTO w VALUES (4, 'c')"]))
    #expect(try triggers(on: "t") == 6 && triggers(on: "w") == 0)
    try folder.execute("ALTER TABLE w RENAME TO u")
    try recordOther()
    #expect(try triggers(on: "u") == 6)
    try folder.execute(
      """
      PRAGMA legacy_alter_table = ON; BEGIN; ALTER TABLE t RENAME TO x; ALTER TABLE u RENAME TO t;
      ALTER TABLE x RENAME TO u; COMMIT
      """
    )
    #expect(fail(["INSERT INTO t VALUES (5, 'e')", "INSERT INTO u VALUES (5, 'e')"]))
    try? store.checkForExternalChanges()
    #expect(!fail(["REPLACE INTO t VALUES (6, 'f')", "REPLACE INTO u VALUES (6, 'f')"]))
    try store.close()
  }
}
