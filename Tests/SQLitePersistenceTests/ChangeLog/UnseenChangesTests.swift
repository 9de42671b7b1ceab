import CSQLiteHooks
import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLitePersistence
import Testing

/// R59: changes that the log's triggers miss invalidate the history, or SQLite refuses them.
@Suite struct `Changes that no trigger sees` {
  private func open(_ folder: TemporaryFolder) throws -> SQLiteStore {
    try SQLiteStore(
      at: folder.file(),
      entities: Sample.entities,
      options: SQLiteStoreOptions(pollInterval: nil)
    )
  }

  private func titles(_ store: SQLiteStore) throws -> [Value] {
    try store.allRows(of: Sample.book).map { $0.values[1] }
  }

  private func fill(_ folder: TemporaryFolder) throws -> SQLiteStore {
    let store = try open(folder)
    try store.write { transaction in
      for title in ["a", "b"] {
        try transaction.insert(Sample.values("P", title), key: nil, into: Sample.book)
      }
      try transaction.insert([1], key: .text("x"), into: Sample.tag)
    }
    return store
  }

  /// Recreates a table as SQLite's documentation recommends (sqlite.org/lang_altertable.html), with its indexes and triggers.
  static func rebuild(
    _ path: String,
    _ table: String,
    filling: String,
    dropsFirst: Bool = false
  ) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { database in
      let others = try String.fetchAll(
        database,
        sql: """
          SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND type <> 'table' AND sql IS NOT NULL
          """,
        arguments: [table]
      )
      let declaration = try #require(
        try String.fetchOne(
          database,
          sql: "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?",
          arguments: [table]
        )
      )
      let made = declaration.replacing("\"\(table)\"", with: "\"Rebuilt\"", maxReplacements: 1)
      try database.execute(sql: "PRAGMA legacy_alter_table = ON; BEGIN IMMEDIATE")
      if dropsFirst {
        try database.execute(sql: "CREATE TEMP TABLE Aside AS SELECT * FROM main.\(table)")
        try database.execute(sql: "DROP TABLE main.\(table); \(declaration)")
        try database.execute(
          sql: "INSERT INTO main.\(table) " + filling.replacing("FROM \(table)", with: "FROM Aside")
        )
      } else {
        try database.execute(sql: "\(made); INSERT INTO Rebuilt \(filling)")
        try database.execute(sql: "DROP TABLE \(table); ALTER TABLE Rebuilt RENAME TO \(table)")
      }
      for sql in others { try database.execute(sql: sql) }
      try database.execute(sql: "COMMIT")
    }
    try queue.close()
  }

  private static let books = "SELECT id, publisher, title || '!', year, rating, cover FROM Book"

  @Test(arguments: [false, true])
  func `are a gap when a table was recreated with its triggers`(_ dropsFirst: Bool) throws {
    let folder = try TemporaryFolder()
    let store = try fill(folder)
    let (start, bookmark) = try store.read { (snapshot) throws(StoreError) in
      (snapshot.version, try snapshot.bookmark())
    }
    let known = try #require(bookmark)
    try Self.rebuild(folder.file(), "Book", filling: Self.books, dropsFirst: dropsFirst)
    try store.checkForExternalChanges()
    #expect(try store.history(since: start, of: Sample.book).gap == .schemaChanged)
    #expect(try titles(store) == ["a!", "b!"])
    try store.close()
    // A cache that another process has persisted.
    let later = try open(folder)
    let gap = try later.read { (snapshot) throws(StoreError) -> GapReason? in
      guard let version = try snapshot.version(at: known) else { return .otherEpoch }
      return try snapshot.history(since: version, of: Sample.book).gap
    }
    #expect(gap != nil)
    #expect(later.capture.mode == .hookAndLog)
    try later.close()
  }

  @Test func `are a gap also in a table without row numbers and for a read-only store`() throws {
    let folder = try TemporaryFolder()
    let store = try fill(folder)
    let bookmark = try store.read { (snapshot) throws(StoreError) in try snapshot.bookmark() }
    let known = try #require(bookmark)
    try store.close()
    try Self.rebuild(folder.file(), "Tag", filling: "SELECT name, rank + 1 FROM Tag")
    let reader = try SQLiteStore(
      at: folder.file(),
      entities: Sample.entities,
      options: SQLiteStoreOptions(isReadOnly: true, pollInterval: nil)
    )
    let isBelieved = try reader.read { (snapshot) throws(StoreError) -> Bool in
      guard let version = try snapshot.version(at: known) else { return false }
      return try snapshot.history(since: version, of: Sample.tag).gap == nil
    }
    #expect(!isBelieved)
    try reader.close()
  }

  @Test func `do not include an index that others create`() throws {
    let folder = try TemporaryFolder()
    let store = try fill(folder)
    let start = try store.currentVersion()
    try LogFixture.execute(folder.file(), "CREATE INDEX other ON Book (year); DROP INDEX other")
    try store.checkForExternalChanges()
    #expect(try store.history(since: start, of: Sample.book).records?.isEmpty == true)
    try store.close()
  }

  @Test func `after the whole file was rewritten cost one more read`() throws {
    let folder = try TemporaryFolder()
    let store = try fill(folder)
    // Later tables move up.
    try LogFixture.run("CREATE TABLE other (x)", in: store)
    try LogFixture.execute(folder.file(), "DROP TABLE other; VACUUM")
    try store.checkForExternalChanges()
    #expect(try titles(store) == ["a", "b"])
    #expect(store.capture.mode == .hookAndLog)
    let start = try store.currentVersion()
    try LogFixture.execute(folder.file(), "UPDATE Book SET title = 'c' WHERE id = 1")
    try store.checkForExternalChanges()
    let changes = try store.history(since: start, of: Sample.book).changes?.flatMap(\.self)
    #expect(changes?.map(LogFixture.text) == ["1:ac"])
    try store.close()
  }

  @Test(arguments: ["title", "cover"])
  func `are refused to incremental writing`(_ column: String) throws {
    let folder = try TemporaryFolder()
    let store = try fill(folder)
    try LogFixture.run("UPDATE Book SET cover = zeroblob(3)", in: store)
    let queue = try DatabaseQueue(path: folder.file())
    queue.inDatabase { database in
      #expect(IncrementalWrite.write("z", into: column, row: 1, on: database) != SQLITE_OK)
      #expect(database.lastErrorMessage?.contains("cannot open indexed column") == true)
    }
    try queue.close()
    // Another program drops the index that prevents it.
    let start = try store.currentVersion()
    try LogFixture.execute(folder.file(), "DROP INDEX _results_1_guard")
    try store.checkForExternalChanges()
    #expect(try store.history(since: start, of: Sample.book).gap == .schemaChanged)
    try store.close()
  }

  @Test func `end the history when a copy with as many or more commits is restored`() throws {
    for more in [3, 5] {
      let folder = try TemporaryFolder()
      let store = try fill(folder)
      try copy(folder.file(), to: folder.file("copy.sqlite"))
      for title in ["o1", "o2", "o3"] {
        try store.write { transaction in
          try transaction.insert(Sample.values("P", title), key: nil, into: Sample.book)
        }
      }
      let start = try store.currentVersion()
      #expect(try titles(store).count == 5)
      let other = try SQLiteStore(at: folder.file("copy.sqlite"), entities: Sample.entities)
      for number in 1...more {
        try other.write { transaction in
          try transaction.insert(Sample.values("P", "t\(number)"), key: nil, into: Sample.book)
        }
      }
      try other.close()
      try copy(folder.file("copy.sqlite"), to: folder.file())
      try store.checkForExternalChanges()
      #expect(try store.currentVersion() != start)
      let history = try store.history(since: start, of: Sample.book)
      #expect(history.gap != nil, "\(history)")
      #expect(try titles(store).suffix(more).first == "t1")
      try store.close()
    }
  }

  private func copy(_ source: String, to target: String) throws {
    let (from, to) = (try DatabaseQueue(path: source), try DatabaseQueue(path: target))
    try from.backup(to: to)
    try from.close()
    try to.close()
  }
}
