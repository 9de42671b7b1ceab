import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLitePersistence
import Testing

/// The files in the folder after a store was closed.
@Suite struct `Closing an SQLite store` {
  private func files(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private func open(_ folder: TemporaryFolder, isReadOnly: Bool = false) throws -> SQLiteStore {
    try SQLiteStore(
      at: folder.file(),
      entities: [Sample.book],
      options: SQLiteStoreOptions(isReadOnly: isReadOnly, pollInterval: nil)
    )
  }

  private func add(_ title: String, to store: SQLiteStore) throws {
    try store.write { transaction in
      try transaction.insert(Sample.values("P", title, 1990), key: nil, into: Sample.book)
    }
  }

  private func titles(_ store: SQLiteStore) throws -> [Value] {
    try store.allRows(of: Sample.book).map { $0.values[1] }
  }

  @Test
  func `only the database file remains after any number of reads, and a copy of it is complete`()
    throws
  {
    let folder = try TemporaryFolder()
    let first = try open(folder)
    try add("a", to: first)
    #expect(try titles(first) == ["a"])
    try first.close()
    #expect(try files(folder) == ["store.sqlite"])

    let second = try open(folder)
    #expect(try titles(second) == ["a"])
    try second.close()
    #expect(try files(folder) == ["store.sqlite"])

    let copies = try TemporaryFolder()
    try copies.write(folder.bytes())
    let copy = try open(copies)
    #expect(try titles(copy) == ["a"])
    try copy.close()
  }

  @Test func `closing a store does not disturb another one on the same file`() throws {
    let folder = try TemporaryFolder()
    let (first, second) = (try open(folder), try open(folder))
    try add("a", to: first)
    #expect(try titles(first) == ["a"] && titles(second) == ["a"])
    try first.close()
    try add("b", to: second)
    #expect(try titles(second) == ["a", "b"])
    try second.close()
    #expect(try files(folder) == ["store.sqlite"])
  }

  @Test func `a read may close its own store and still finishes`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    try add("a", to: store)
    let count = try store.read { (snapshot) throws(StoreError) -> Int in
      try store.close()
      return try snapshot.count(of: Sample.book, where: .all)
    }
    #expect(count == 1)
    #expect(throws: StoreError.self) { try titles(store) }
    let other = try open(folder)
    #expect(try titles(other) == ["a"])
    try other.close()
  }

  @Test func `a read-only store leaves the files as they were`() throws {
    let folder = try TemporaryFolder()
    let writer = try open(folder)
    try add("a", to: writer)
    let before = try files(folder)
    let reader = try open(folder, isReadOnly: true)
    #expect(try titles(reader) == ["a"])
    try reader.close()
    #expect(try files(folder) == before)
    try writer.close()
  }

  @Test(arguments: [true, false])
  func `R20: a database that its application has closed is an error for every call`(
    isPool: Bool
  ) throws {
    let folder = try TemporaryFolder()
    try open(folder).close()
    let writer: any DatabaseWriter =
      isPool ? try DatabasePool(path: folder.file()) : try DatabaseQueue(path: folder.file())
    let store = try SQLiteStore(writer: writer, entities: [Sample.book])
    try add("a", to: store)
    try writer.close()
    #expect(throws: StoreError.self) { try store.checkForExternalChanges() }
    #expect(throws: StoreError.self) { try add("b", to: store) }
    #expect(throws: StoreError.self) { try titles(store) }
    try store.close()
  }
}
