import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLitePersistence
import Testing

/// Invalid input fails with a typed error that has the path, and leaves the file unchanged.
@Suite struct `Opening an SQLite store` {
  /// Opens a store that must be refused, and returns the reason.
  private func refusal(
    _ folder: TemporaryFolder,
    _ name: String = "store.sqlite",
    entities: [EntityDescription] = [Sample.book],
    options: SQLiteStoreOptions = SQLiteStoreOptions()
  ) throws -> OpenFailure? {
    let before = try? folder.bytes(name)
    let siblings = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    do {
      try SQLiteStore(at: folder.file(name), entities: entities, options: options).close()
      return nil
    } catch {
      #expect((try? folder.bytes(name)) == before)
      let after = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      #expect(after == siblings)
      guard case .cannotOpen(let path, let failure) = error else { throw error }
      #expect(path == folder.file(name))
      return failure
    }
  }

  private func makeStore(_ folder: TemporaryFolder, _ entities: [EntityDescription]) throws {
    let store = try SQLiteStore(at: folder.file(), entities: entities)
    try store.write { transaction in
      for title in ["a", "b"] where entities.contains(Sample.book) {
        try transaction.insert(Sample.values("P", title, 1990), key: nil, into: Sample.book)
      }
    }
    try store.close()
  }

  private func execute(_ folder: TemporaryFolder, _ sql: String) throws {
    let queue = try DatabaseQueue(path: folder.file())
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  @Test func `a folder is not a store`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("d"),
      withIntermediateDirectories: false
    )
    #expect(try refusal(folder, "d") == .isDirectory)
  }

  @Test func `the error names a missing folder`() throws {
    let folder = try TemporaryFolder()
    #expect(try refusal(folder, "no/store") == .missingFolder(folder.file("no")))
  }

  @Test func `a file instead of the folder is refused`() throws {
    let folder = try TemporaryFolder()
    try folder.write([1], to: "f")
    let failure = try refusal(folder, "f/store")
    guard case .cannotCreate = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test func `a read-only store does not create a file`() throws {
    let folder = try TemporaryFolder()
    let options = SQLiteStoreOptions(isReadOnly: true)
    #expect(try refusal(folder, options: options) == .missingFile)
  }

  @Test func `an empty path is refused`() {
    #expect(throws: StoreError.self) { try SQLiteStore(at: "", entities: [Sample.book]) }
    #expect(throws: StoreError.self) { try SQLiteStore(at: "/tmp/a\0b", entities: [Sample.book]) }
  }

  @Test func `a text is not a database`() throws {
    let folder = try TemporaryFolder()
    try folder.write(String(repeating: "publisher,title\n", count: 100).utf8)
    #expect(try refusal(folder) == .notADatabase)
  }

  @Test func `an empty file is a new store`() throws {
    let folder = try TemporaryFolder()
    try folder.write([])
    #expect(try refusal(folder) == nil)
  }

  @Test func `a truncated file is damaged`() throws {
    let folder = try TemporaryFolder()
    try makeStore(folder, [Sample.book])
    let bytes = try folder.bytes()
    try folder.write(bytes.prefix(bytes.count / 2))
    guard case .damaged = try refusal(folder) else {
      Issue.record("not refused as damaged")
      return
    }
  }

  @Test func `a file whose pages are garbage is damaged`() throws {
    let folder = try TemporaryFolder()
    try makeStore(folder, [Sample.book])
    var bytes = try folder.bytes()
    for index in 100..<bytes.count { bytes[index] = 0xA5 }
    try folder.write(bytes)
    guard case .damaged = try refusal(folder) else {
      Issue.record("not refused as damaged")
      return
    }
  }

  @Test func `a newer format is not changed`() throws {
    let folder = try TemporaryFolder()
    try makeStore(folder, [Sample.book])
    try execute(folder, "UPDATE _results_store SET format = 9")
    #expect(try refusal(folder) == .newerFormat(found: 9, supported: 3))
  }

  @Test func `the database of another application is not changed`() throws {
    let folder = try TemporaryFolder()
    try execute(folder, "CREATE TABLE Book (id INTEGER PRIMARY KEY); CREATE TABLE other (x)")
    #expect(try refusal(folder) == .otherApplication(tables: ["Book", "other"]))
  }

  @Test func `tables of another application are adopted on request, if they fit`() throws {
    let folder = try TemporaryFolder()
    try execute(
      folder,
      """
      CREATE TABLE book (title VARCHAR(80), id INTEGER PRIMARY KEY, publisher TEXT, year INT,
        rating FLOAT, cover, extra TEXT);
      INSERT INTO book (title, publisher) VALUES ('t', 'P');
      """
    )
    let options = SQLiteStoreOptions(adoptsTables: true)
    let store = try SQLiteStore(at: folder.file(), entities: [Sample.book], options: options)
    #expect(try store.allRows(of: Sample.book).map(\.values) == [Sample.values("P", "t")])
    try store.close()
    try execute(folder, "ALTER TABLE book DROP COLUMN year")
    #expect(
      try refusal(folder, options: options)
        == .schemaMismatch(entity: "Book", detail: "it has no column year")
    )
  }

  static let changes: [(name: String, entity: EntityDescription)] = {
    let (publisher, title) = (
      AttributeDescription("publisher", .text), AttributeDescription("title", .text)
    )
    let (year, rating, cover) = (
      AttributeDescription("year", .integer64, isOptional: true),
      AttributeDescription("rating", .real, isOptional: true),
      AttributeDescription("cover", .blob, isOptional: true)
    )
    func book(_ identity: EntityIdentity, _ attributes: AttributeDescription...)
      -> EntityDescription
    {
      Sample.entity("Book", identity, attributes)
    }
    return [
      (
        "another type",
        book(.integer(), publisher, title, .init("year", .date, isOptional: true), rating, cover)
      ),
      (
        "another scale",
        book(
          .integer(),
          publisher,
          title,
          .init("year", .decimal(scale: 2), isOptional: true),
          rating,
          cover
        )
      ),
      (
        "optional to required",
        book(.integer(), publisher, title, .init("year", .integer64), rating, cover)
      ),
      (
        "required to optional",
        book(.integer(), publisher, .init("title", .text, isOptional: true), year, rating, cover)
      ),
      (
        "a required attribute added",
        book(.integer(), publisher, title, year, rating, cover, .init("new", .text))
      ),
      ("another key column", book(.integer(column: "key"), publisher, title, year, rating, cover)),
      ("another kind of key", book(.text(), publisher, title, year, rating, cover)),
      (
        "a new name",
        book(
          .integer(),
          publisher,
          title,
          .init("Jahr", .integer64, isOptional: true),
          rating,
          cover
        )
      ),
    ]
  }()

  @Test(arguments: changes)
  func `a schema change that would lose data is refused`(
    _ change: (name: String, entity: EntityDescription)
  ) throws {
    let folder = try TemporaryFolder()
    try makeStore(folder, [Sample.book])
    guard case .schemaMismatch("Book", _) = try refusal(folder, entities: [change.entity]) else {
      Issue.record("\(change.name) was not refused")
      return
    }
  }

  @Test(arguments: ["sqlite_x", "_results_x", "a\0b"])
  func `invalid table names are refused`(_ name: String) throws {
    let entity = Sample.entity(name, .integer(), [AttributeDescription("a", .text)])
    #expect(throws: StoreError.self) { try SQLiteStore.inMemory(entities: [entity]) }
  }

  @Test func `names that differ in case only are refused`() throws {
    let columns = Sample.entity(
      "E",
      .integer(),
      [AttributeDescription("a", .text), AttributeDescription("A", .text)]
    )
    #expect(throws: StoreError.self) { try SQLiteStore.inMemory(entities: [columns]) }
    let other = Sample.entity("BOOK", .integer(), [AttributeDescription("a", .text)])
    #expect(throws: StoreError.self) { try SQLiteStore.inMemory(entities: [Sample.book, other]) }
  }

  @Test func `many processes that create the same store at once all open it`() async throws {
    let folder = try TemporaryFolder()
    let names = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let store = try SQLiteStore(at: folder.file(), entities: Sample.entities)
          try store.write { try $0.insert(Sample.values("P", "t"), key: nil, into: Sample.book) }
          defer { try? store.close() }
          return store.identity.uniqueName
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(names).count == 1)
    let store = try SQLiteStore(at: folder.file(), entities: Sample.entities)
    #expect(try store.allRows(of: Sample.book).count == 8)
    try store.close()
  }
}
