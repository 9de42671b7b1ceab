import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLitePersistence
import Testing

/// Lightweight migration: changes without loss are made when a store is opened.
@Suite struct `SQLite migration` {
  private func open(
    _ folder: TemporaryFolder,
    _ entities: [EntityDescription],
    isReadOnly: Bool = false
  ) throws -> SQLiteStore {
    let options = SQLiteStoreOptions(isReadOnly: isReadOnly)
    return try SQLiteStore(at: folder.file(), entities: entities, options: options)
  }

  private func note(_ attributes: AttributeDescription...) -> EntityDescription {
    Sample.entity("Note", .integer(), [AttributeDescription("text", .text)] + attributes)
  }

  private let extra = AttributeDescription("extra \"quoted\"", .date, isOptional: true)

  private func makeNote(_ folder: TemporaryFolder, _ entity: EntityDescription) throws {
    let store = try open(folder, [entity])
    let values: [Value] = entity.attributes.map { $0.type == .date ? .integer(5) : "t" }
    try store.write { try $0.insert(values, key: nil, into: entity) }
    try store.close()
  }

  @Test func `an optional attribute is added as null`() throws {
    let folder = try TemporaryFolder()
    try makeNote(folder, note())
    let store = try open(folder, [note(extra)])
    #expect(try store.allRows(of: note(extra)).map(\.values) == [["t", .null]])
    let id = ObjectID(entity: "Note", key: .integer(1))
    try store.write { try $0.update(id, to: ["t", 9], of: note(extra), ifUnchangedFrom: nil) }
    try store.close()
    let again = try open(folder, [note(extra)])
    #expect(try again.allRows(of: note(extra)).map(\.values) == [["t", 9]])
    try again.close()
  }

  @Test func `an attribute is dropped`() throws {
    let folder = try TemporaryFolder()
    try makeNote(folder, note(extra))
    let store = try open(folder, [note()])
    #expect(try store.allRows(of: note()).map(\.values) == [["t"]])
    try store.close()
    let wide = try open(folder, [note(extra)])
    #expect(try wide.allRows(of: note(extra)).map(\.values) == [["t", .null]])
    try wide.close()
  }

  @Test func `an attribute that an index of another program uses is not dropped`() throws {
    let folder = try TemporaryFolder()
    try makeNote(folder, note(extra))
    let queue = try DatabaseQueue(path: folder.file())
    try queue.write { try $0.execute(sql: #"CREATE INDEX i ON Note ("extra ""quoted""")"#) }
    try queue.close()
    #expect(throws: StoreError.self) { try open(folder, [note()]) }
    let store = try open(folder, [note(extra)])
    #expect(try store.allRows(of: note(extra)).map(\.values) == [["t", 5]])
    try store.close()
  }

  @Test func `a new entity gets its table, and the others are unchanged`() throws {
    let folder = try TemporaryFolder()
    try makeNote(folder, note())
    let store = try open(folder, [Sample.tag])
    try store.write { _ = try $0.insert([1], key: .text("x"), into: Sample.tag) }
    try store.close()
    let both = try open(folder, [note(), Sample.tag])
    #expect(try both.allRows(of: note()).count == 1)
    #expect(try both.allRows(of: Sample.tag).count == 1)
    try both.close()
  }

  @Test func `a read-only store is not migrated`() throws {
    let folder = try TemporaryFolder()
    try makeNote(folder, note(extra))
    let before = try folder.bytes()
    let narrow = try open(folder, [note()], isReadOnly: true)
    #expect(try narrow.allRows(of: note()).map(\.values) == [["t"]])
    #expect(throws: StoreError.self) {
      try narrow.write { _ = try $0.insert(["x"], key: nil, into: self.note()) }
    }
    try narrow.close()
    let more = AttributeDescription("more", .text, isOptional: true)
    #expect(throws: StoreError.self) { try open(folder, [note(extra, more)], isReadOnly: true) }
    #expect(throws: StoreError.self) { try open(folder, [Sample.tag], isReadOnly: true) }
    #expect(try folder.bytes() == before)
  }
}

/// A file that seems empty but is not new.
@Suite struct `A file whose schema reads as empty` {
  private func refusal(
    _ folder: TemporaryFolder,
    _ options: SQLiteStoreOptions = SQLiteStoreOptions()
  ) throws -> OpenFailure? {
    let before = try folder.bytes()
    do throws(StoreError) {
      try SQLiteStore(at: folder.file(), entities: Sample.entities, options: options).close()
      return nil
    } catch {
      #expect(try folder.bytes() == before)
      guard case .cannotOpen(_, let failure) = error else { throw error }
      return failure
    }
  }

  private func isDamaged(_ failure: OpenFailure?) -> Bool {
    if case .damaged = failure { true } else { false }
  }

  private func make(_ folder: TemporaryFolder, _ sql: String) throws {
    let queue = try DatabaseQueue(path: folder.file())
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  /// Overwrites the cell count of the first page with 0.
  private func empty(_ folder: TemporaryFolder) throws {
    var bytes = try folder.bytes()
    bytes.replaceSubrange(103..<105, with: [0, 0])
    try folder.write(bytes)
  }

  @Test func `is damaged if it was a store`() throws {
    let folder = try TemporaryFolder()
    try SQLiteStore(at: folder.file(), entities: Sample.entities).close()
    try empty(folder)
    #expect(isDamaged(try refusal(folder)))
    #expect(isDamaged(try refusal(folder, SQLiteStoreOptions(isReadOnly: true))))
    #expect(isDamaged(try refusal(folder, SQLiteStoreOptions(adoptsTables: true))))
  }

  @Test(arguments: ["NONE", "FULL", "INCREMENTAL"])
  func `is damaged if it has pages that are neither used nor free`(_ vacuum: String) throws {
    let folder = try TemporaryFolder()
    try make(folder, "PRAGMA auto_vacuum = \(vacuum); CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    try empty(folder)
    #expect(isDamaged(try refusal(folder)))
  }

  @Test(arguments: ["NONE", "FULL", "INCREMENTAL"])
  func `is new if everything in it was dropped`(_ vacuum: String) throws {
    let folder = try TemporaryFolder()
    try make(
      folder,
      """
      PRAGMA auto_vacuum = \(vacuum); CREATE TABLE t (x); CREATE INDEX i ON t (x);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        INSERT INTO t SELECT 'some text that fills pages ' || i FROM n;
      DROP TABLE t
      """
    )
    #expect(try refusal(folder) == nil)
  }

  @Test func `is new if nothing was ever created in it`() throws {
    let folder = try TemporaryFolder()
    try make(folder, "PRAGMA user_version = 1")
    #expect(try refusal(folder) == nil)
  }
}
