import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
@testable import SQLitePersistence
import Testing

/// R186: the log of a file of others is created once for a program's start.
@Suite struct HeldFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try make("store.sqlite", 1)
  }

  private func make(_ name: String, _ value: Int, journal: String = "WAL") throws {
    let queue = try DatabaseQueue(path: folder.file(name))
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = \(journal)")
      try database.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
      try database.execute(sql: "INSERT INTO t VALUES (1, ?)", arguments: [value])
    }
    try queue.close()
  }

  private var index: FileIdentity? { FileIdentity.find(folder.file() + "-shm").file }

  /// Whether nothing but the database is in the folder.
  private func isAlone() throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store.sqlite"]
  }

  private func describe(_ held: HeldFile) throws -> (DatabaseDescription, EntityDescription) {
    let database = try DatabaseDescription(at: folder.file(), holding: held)
    return (database, try #require(database.table(named: "t")).entity.get())
  }

  private func values(
    _ database: DatabaseDescription,
    _ entity: EntityDescription
  ) throws -> [[Value]] {
    let store = try SQLiteStore(discovered: database, entities: [entity])
    defer { try? store.close() }
    return try store.allRows(of: entity).map(\.values)
  }

  @Test func `R186: everything is read through one log, which is removed at the end`() throws {
    let held = HeldFile(folder.file())
    let (first, _) = try describe(held)
    // The open file keeps its identity from being used again.
    let index = try #require(index)
    let file = try #require(FileHandle(forReadingAtPath: folder.file() + "-shm"))
    defer { try? file.close() }
    #expect(try first.rowCounts() == [1] && first.isCurrent())
    let (database, entity) = try describe(held)
    #expect(self.index == index)
    let store = try SQLiteStore(discovered: database, entities: [entity])
    #expect(self.index == index)
    #expect(held.connection == nil)
    #expect(try store.allRows(of: entity).map(\.values) == [[.integer(1)]])
    try store.close()
    #expect(try isAlone())
    held.close()
    // It holds the file once.
    _ = try describe(held)
    #expect(try isAlone())
  }

  @Test func `R186: what no store opens is closed by its owner`() throws {
    let held = HeldFile(folder.file())
    _ = try describe(held)
    #expect(index != nil)
    held.close()
    #expect(try isAlone())
  }

  @Test func `R186: a store that cannot be opened leaves nothing beside the file`() throws {
    let held = HeldFile(folder.file())
    let (database, _) = try describe(held)
    let other = try EntityDescription(name: "u", attributes: [])
    #expect(throws: StoreError.self) { try SQLiteStore(discovered: database, entities: [other]) }
    #expect(try isAlone())
  }

  @Test func `R186: a store that writes is opened alone`() throws {
    let held = HeldFile(folder.file())
    let (database, entity) = try describe(held)
    let store = try SQLiteStore(discovered: database, entities: [entity], addsChangeLog: true)
    #expect(store.capabilities.historyCoverage == .everyWriter)
    try store.close()
    #expect(try isAlone())
  }

  @Test(arguments: [true, false])
  func `R186: another file that takes the path is read, and not with the log of the first`(
    _ readsBefore: Bool
  ) throws {
    let held = HeldFile(folder.file())
    let (database, entity) = try describe(held)
    try make("other", 2)
    #expect(rename(folder.file("other"), folder.file()) == 0)
    if readsBefore { #expect(try database.rowCounts() == [1]) }
    #expect(try values(database, entity) == [[.integer(2)]])
    #expect(held.connection == nil)
    #expect(try isAlone())
  }

  @Test func `R186: a file with a rollback journal is not held`() throws {
    try FileManager.default.removeItem(atPath: folder.file())
    try make("store.sqlite", 3, journal: "DELETE")
    let held = HeldFile(folder.file())
    let (database, entity) = try describe(held)
    #expect(held.connection == nil)
    #expect(try values(database, entity) == [[.integer(3)]])
  }
}
