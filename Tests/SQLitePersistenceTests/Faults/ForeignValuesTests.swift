@testable import SQLitePersistence
import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import Testing

/// With any values in the store's own tables, a call returns a correct answer or an error about the damage; nothing traps, and a refused
/// file is unchanged.
@Suite(.timeLimit(.minutes(5))) struct `Values of another kind in the store's own tables` {
  private static let columns = [
    ("_results_store", ["id", "format", "identity", "epoch", "adopted"]),
    ("_results_entity", ["name", "identity", "key_column", "number"]),
    (
      "_results_attribute",
      ["entity", "position", "name", "type", "is_optional", "key_position"]
    ),
    ("_results_log", ["sequence", "stamp", "entity", "kind", "key", "v0", "v1", "v2"]),
    ("_results_reader", ["id", "sequence", "renewed", "owner"]),
  ]
  .flatMap { table, columns in columns.map { (table, $0) } }

  /// Values in SQL, of every storage class.
  private static let values = [
    "NULL", "0", "-1", "2", "9223372036854775807", "-9223372036854775807 - 1", "1 << 62", "3.5",
    "-1e300", "''", "'x'", "x''", "x'ff'", "CAST(x'ff' AS TEXT)", "hex(zeroblob(300))",
  ]

  /// The short form writes a third of the values into each column, a different one into the next; `script/torture` writes all of them.
  private static func values(of table: String, _ column: String) -> [(number: Int, value: String)] {
    let all = values.enumerated().map { (number: $0.offset, value: $0.element) }
    guard ProcessInfo.processInfo.environment["RESULTS_TORTURE_OPERATIONS"] == nil else {
      return all
    }
    let index = columns.firstIndex { $0 == (table, column) } ?? 0
    return all.filter { ($0.number + index).isMultiple(of: 3) }
  }

  /// A file whose declarations are those of a store again makes SQLite refuse each change of such a row.
  @Test(arguments: columns, [false, true])
  func `a value of any kind causes no trap`(
    _ named: (table: String, column: String),
    isDeclaredAgain: Bool
  ) async throws {
    let (table, column) = named
    let folder = try TemporaryFolder()
    let store = try LogFixture.open(folder)
    try store.close()
    try LogFixture.execute(
      folder.file(),
      "UPDATE Tag SET rank = 3; INSERT INTO _results_reader VALUES (7, 1, 2, NULL)"
    )
    let declarations = try free(folder.file())
    let whole = try folder.bytes()
    for (number, value) in Self.values(of: table, column) {
      let file = folder.file("\(number).sqlite")
      try whole.write(to: URL(fileURLWithPath: file))
      let hasNumbers = !["_results_entity", "_results_attribute"].contains(table)
      let newest = hasNumbers ? "rowid = (SELECT max(rowid) FROM \(table))" : "name > 'T'"
      do {
        try LogFixture.execute(
          file,
          before: ["PRAGMA ignore_check_constraints = ON"],
          "UPDATE OR IGNORE \(table) SET \(column) = \(value)"
            + (number.isMultiple(of: 2) ? "" : " WHERE \(newest)")
        )
      } catch let error as DatabaseError where error.resultCode == .SQLITE_MISMATCH {
        // A row number is a number in any file.
        continue
      }
      if isDeclaredAgain { try declare(declarations, in: file) }
      try await use(file, "\(table).\(column) = \(value)")
    }
  }

  @Test(arguments: columns)
  func `a missing column is reported or created again`(
    _ table: String,
    _ column: String
  ) async throws {
    let folder = try TemporaryFolder()
    try LogFixture.open(folder).close()
    try free(folder.file())
    let names = "SELECT group_concat(name) FROM sqlite_schema WHERE type = 'trigger'"
    let triggers = try value(folder.file(), names)
    let drops = triggers.split(separator: ",").map { "DROP TRIGGER \"\($0)\";" }.joined()
    // A key cannot be dropped; it is renamed.
    try LogFixture.execute(
      folder.file(),
      "\(drops) ALTER TABLE \(table) RENAME COLUMN \(column) TO other"
    )
    try await use(folder.file(), "\(table).\(column)")
  }

  /// Uses all functions of a store, and expects answers or errors about the damage.
  private func use(_ file: String, _ comment: String) async throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: file))
    for mode in ["reads", "read-only", "writes"] {
      var options = SQLiteStoreOptions(
        isReadOnly: mode == "read-only",
        pollInterval: nil,
        logCapacity: 1
      )
      options.onlyReads = mode == "reads"
      do {
        let store = try SQLiteStore(at: file, entities: Sample.entities, options: options)
        defer { try? store.close() }
        try await read(store)
        if mode == "writes" { try write(store) }
      } catch {
        #expect(reportsDamage(error), "\(comment), \(mode): \(error)")
      }
      guard mode != "writes" else { break }
      let isSame = try Data(contentsOf: URL(fileURLWithPath: file)) == whole
      #expect(isSame, "\(comment), \(mode)")
      for side in ["-wal", "-shm"] {
        #expect(!FileManager.default.fileExists(atPath: file + side), "\(comment), \(mode)")
      }
    }
  }

  private func read(_ store: SQLiteStore) async throws {
    for entity in Sample.entities { _ = try store.allRows(of: entity) }
    let version = try store.currentVersion()
    for distance in [1, 3, version.sequence] where distance <= version.sequence {
      let old = StoreVersion(epoch: version.epoch, sequence: version.sequence - distance)
      for entity in Sample.entities { _ = try store.history(since: old, of: entity) }
    }
    let bookmark = try store.read { (snapshot) throws(StoreError) in try snapshot.bookmark() }
    if let bookmark {
      _ = try store.read { (snapshot) throws(StoreError) in try snapshot.version(at: bookmark) }
    }
    _ = try store.check().lines
  }

  private func write(_ store: SQLiteStore) throws {
    let hints = store.commitNotifications()
    store.database.writer.unsafeReentrantWrite { _ in }
    try store.write {
      try $0.insert(["P", "new", .null, .null, .null], key: nil, into: Sample.book)
    }
    try LogFixture.execute(store.path, "UPDATE Tag SET rank = 9 WHERE name = 'x'")
    try store.checkForExternalChanges()
    try store.repair()
    try store.write { try $0.insert([4], key: .text("z"), into: Sample.tag) }
    // Some versions of SQLite check the wrong column of a table without row numbers.
    let problems = try store.check().problems.filter { $0 != "NULL value in Score.points" }
    #expect(problems == [], "\(problems)")
    withExtendedLifetime(hints) {}
  }

  /// Whether an error reports that the file is damaged, not a store of these entities, or written by a later version.
  private func reportsDamage(_ error: any Error) -> Bool {
    switch error {
    case StoreError.damaged, StoreError.unexpectedValue, StoreError.cannotOpen: true
    default: false
    }
  }

  /// Removes the constraints of the store's own tables against values of another kind, as a damaged schema would.
  /// - Returns: The statements that declared the tables, by name.
  @discardableResult
  private func free(_ file: String) throws -> [(name: String, sql: String)] {
    let queue = try DatabaseQueue(path: file)
    let declarations = try queue.read { database in
      try GRDB.Row.fetchAll(
        database,
        sql: """
          SELECT name, sql FROM sqlite_schema
          WHERE name LIKE '\\_results\\_%' ESCAPE '\\' AND type = 'table'
          """
      )
      .map { (name: $0["name"] as String, sql: $0["sql"] as String) }
    }
    try queue.close()
    try LogFixture.execute(
      file,
      before: ["PRAGMA writable_schema = ON"],
      """
      UPDATE sqlite_schema SET sql = replace(replace(sql, ' STRICT,', ''), ' STRICT', '')
        WHERE name LIKE '\\_results\\_%' ESCAPE '\\' AND type = 'table';
      UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '')
        WHERE name LIKE '\\_results\\_%' ESCAPE '\\' AND type = 'table';
      """,
      after: "PRAGMA writable_schema = RESET"
    )
    return declarations
  }

  private func declare(_ declarations: [(name: String, sql: String)], in file: String) throws {
    try LogFixture.execute(
      file,
      before: ["PRAGMA writable_schema = ON"],
      declarations.map { name, sql in
        "UPDATE sqlite_schema SET sql = '\(sql.replacing("'", with: "''"))' WHERE name = '\(name)';"
      }
      .joined(separator: "\n"),
      after: "PRAGMA writable_schema = RESET"
    )
  }

  private func value(_ file: String, _ sql: String) throws -> String {
    let queue = try DatabaseQueue(path: file)
    defer { try? queue.close() }
    return try queue.read { try String.fetchOne($0, sql: sql) } ?? ""
  }
}
