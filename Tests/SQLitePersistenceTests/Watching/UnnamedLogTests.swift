import Foundation
import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
@testable import SQLitePersistence
import Testing

/// R213: a write-ahead log that the header of its file does not name, as after a file was replaced while its log was created, locks no other
/// program out.
@Suite struct UnnamedLogTests {
  private let folder: TemporaryFolder

  /// Makes a file whose header names a rollback journal, with a write-ahead log beside it.
  init() throws {
    folder = try TemporaryFolder()
    let queue = try DatabaseQueue(path: folder.file("original"))
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL")
      try database.execute(sql: "CREATE TABLE t (k INTEGER PRIMARY KEY, v)")
      try database.execute(sql: "INSERT INTO t VALUES (1, 'a'); PRAGMA wal_checkpoint(TRUNCATE)")
      // No size changes, so the log has no page with a header.
      try database.execute(sql: "UPDATE t SET v = 'b'")
    }
    var bytes = try folder.bytes("original")
    (bytes[18], bytes[19]) = (1, 1)
    let log = try folder.bytes("original-wal")
    try queue.close()
    try folder.write(bytes)
    try folder.write(log, to: "store.sqlite-wal")
  }

  private func store(addsChangeLog: Bool) throws -> (SQLiteStore, EntityDescription) {
    let database = try DatabaseDescription(at: folder.file())
    let entity = try #require(database.table(named: "t")).entity.get()
    let store = try SQLiteStore(
      discovered: database,
      entities: [entity],
      addsChangeLog: addsChangeLog
    )
    return (store, entity)
  }

  /// Runs a statement on a connection of its own, as another program does, and returns the connection's mode.
  @discardableResult private func run(_ sql: String, waiting seconds: Double = 0) throws -> String?
  {
    var configuration = Configuration()
    configuration.busyMode = .timeout(seconds)
    let queue = try DatabaseQueue(path: folder.file(), configuration: configuration)
    defer { try? queue.close() }
    return try queue.inDatabase { database in
      try database.execute(sql: sql)
      return try String.fetchOne(database, sql: "PRAGMA journal_mode")
    }
  }

  @Test func `R213: a store that writes makes the header name the log`() throws {
    let (store, entity) = try store(addsChangeLog: true)
    try run("PRAGMA wal_checkpoint(TRUNCATE)", waiting: 10)
    #expect(try run("INSERT INTO t VALUES (2, 'c')", waiting: 1) == "wal")
    #expect(try store.allRows(of: entity).map { $0.values[0] } == ["b", "c"])
    try store.close()
  }

  @Test func `R213: a store that writes beside others opens the file again and names the log`()
    throws
  {
    let (reader, entity) = try store(addsChangeLog: false)
    let (writer, _) = try store(addsChangeLog: true)
    let notifications = [reader, writer].map { $0.commitNotifications { _ in true } }
    #expect(try folder.bytes()[18] == 1)
    try run("PRAGMA wal_checkpoint(TRUNCATE)", waiting: 10)
    try run("INSERT INTO t VALUES (2, 'c')", waiting: 20)
    for store in [reader, writer] {
      try store.checkForExternalChanges()
      #expect(try store.allRows(of: entity).map { $0.values[0] } == ["b", "c"])
    }
    withExtendedLifetime(notifications) {}
    try writer.close()
    try reader.close()
  }

  @Test func `R213: a store commits nothing into a log that is none for others`() throws {
    let (reader, _) = try store(addsChangeLog: false)
    let (writer, entity) = try store(addsChangeLog: true)
    try run("PRAGMA wal_checkpoint(TRUNCATE)", waiting: 10)
    #expect(throws: StoreError.self) {
      try writer.commit(origin: .unnamed) { transaction in
        try transaction.insert(["d"], key: .integer(3), into: entity)
      }
    }
    #expect(try folder.bytes("store.sqlite-wal").isEmpty)
    try reader.close()
    try writer.close()
  }

  @Test func `R213: a store is not opened with a log that was removed meanwhile`() throws {
    let database = try DatabaseDescription(at: folder.file())
    let entity = try #require(database.table(named: "t")).entity.get()
    let options = SQLiteStoreOptions(isReadOnly: true, adoptsTables: true, pollInterval: nil)
    let opener = DatabaseOpener(path: folder.file(), entities: [entity], options: options)
    let opened = try opener.openFile()
    for name in ["-wal", "-shm"] {
      try FileManager.default.removeItem(atPath: folder.file() + name)
    }
    #expect(throws: StoreError.self) {
      try OpenDatabase(
        opened,
        path: folder.file(),
        options: options,
        ownsWriter: true,
        broadcaster: CommitBroadcaster()
      )
    }
    // No lock is left.
    #expect(try run("INSERT INTO t VALUES (2, 'c')") == "delete")
  }

  @Test func `R213: a store that only reads lets go of a log that is none for others`() throws {
    let (store, entity) = try store(addsChangeLog: false)
    let notifications = store.commitNotifications { _ in true }
    #expect(try store.allRows(of: entity).map { $0.values[0] } == ["b"])
    try run("PRAGMA wal_checkpoint(TRUNCATE)", waiting: 10)
    #expect(try run("INSERT INTO t VALUES (2, 'c')", waiting: 20) == "delete")
    try store.checkForExternalChanges()
    #expect(try store.allRows(of: entity).map { $0.values[0] } == ["b", "c"])
    withExtendedLifetime(notifications) {}
    try store.close()
  }
}
