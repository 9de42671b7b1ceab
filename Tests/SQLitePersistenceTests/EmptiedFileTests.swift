import Foundation
import GRDB
import ResultsDomain
import SQLitePersistence
import Testing

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
