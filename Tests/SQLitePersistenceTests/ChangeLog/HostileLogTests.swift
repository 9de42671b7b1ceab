@testable import SQLitePersistence
import Foundation
import GRDB
import ResultsDomain
import Testing

/// The content of the log is validated before it is used.
@Suite struct `A log that others have written` {
  private func open(_ folder: TemporaryFolder) throws -> SQLiteStore {
    try SQLiteStore(
      at: folder.file(),
      entities: Sample.entities,
      options: SQLiteStoreOptions(pollInterval: nil, historyCapacity: 0)
    )
  }

  /// Writes a commit of packed changes that names a number of keys, from 1 on.
  private func name(_ count: UInt64, in folder: TemporaryFolder, entity: Int = 1) throws {
    var bytes: [UInt8] = [UInt8(entity << 2), 2]
    var rest = count - 1
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
    var sum = PayloadChecksum()
    sum.add(bytes[...])
    withUnsafeBytes(of: sum.value.littleEndian) { bytes.append(contentsOf: $0) }
    let queue = try DatabaseQueue(path: folder.file())
    try queue.write { database in
      try database.execute(
        sql: "INSERT INTO _results_log (kind, key) VALUES (0, ?)",
        arguments: [Data(bytes)]
      )
    }
    try queue.close()
  }

  @Test(arguments: [1 << 17, 4_000_000_000])
  func `a few bytes cannot name more keys than are plausible`(_ count: UInt64) throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    let start = try store.currentVersion()
    try name(count, in: folder)
    #expect(try store.history(since: start, of: Sample.book).gap == .trimmed)
    try store.close()
  }

  @Test func `many keys of existing rows are accepted`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    let start = try store.currentVersion()
    try store.write { transaction in
      for _ in 0..<100_000 {
        try transaction.insert(Sample.values("P", "t"), key: nil, into: Sample.book)
      }
    }
    let records = try #require(try store.history(since: start, of: Sample.book).records)
    #expect(records.map(\.changes.count) == [100_000])
    try store.close()
  }

  @Test(arguments: [Int64.min, -1, 0, 1 << 62 + 1, .max])
  func `a row with any sequence number crashes no reader, and later commits are noticed`(
    _ sequence: Int64
  ) throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    let hints = store.commitNotifications()
    // The lease is taken on the writing connection.
    store.database.writer.unsafeReentrantWrite { _ in }
    try LogFixture.execute(
      folder.file(),
      """
      INSERT INTO _results_log (sequence, kind) VALUES (\(sequence), 7);
      INSERT INTO Tag VALUES ('a', 1)
      """
    )
    try store.checkForExternalChanges()
    let start = try store.currentVersion()
    try LogFixture.execute(folder.file(), "UPDATE Tag SET rank = 2")
    try store.checkForExternalChanges()
    #expect(try store.currentVersion() != start)
    try store.write { try $0.insert([3], key: .text("b"), into: Sample.tag) }
    #expect(try store.allRows(of: Sample.tag).count == 2)
    #expect(try store.check().problems != [])
    try store.repair()
    #expect(try store.check().problems == [])
    withExtendedLifetime(hints) {}
    try store.close()
  }

  @Test func `two entities with the same number get different ones`() throws {
    let folder = try TemporaryFolder()
    try open(folder).close()
    try LogFixture.execute(folder.file(), "UPDATE _results_entity SET number = 2")
    let store = try open(folder)
    let start = try store.currentVersion()
    try LogFixture.execute(folder.file(), "INSERT INTO Tag VALUES ('a', 1)")
    #expect(try store.history(since: start, of: Sample.tag).changes?.count == 1)
    #expect(try store.history(since: start, of: Sample.book).changes == [])
    #expect(try store.check().problems == [])
    try store.close()
  }

  @Test func `limits of any size cause no overflow`() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(
      at: folder.file(),
      entities: Sample.entities,
      options: SQLiteStoreOptions(
        busyTimeout: .seconds(Int64.max),
        pollInterval: .seconds(Int64.max),
        historyCapacity: .max,
        logCapacity: .max,
        logByteLimit: .max
      )
    )
    let hints = store.commitNotifications()
    store.database.writer.unsafeReentrantWrite { _ in }
    try store.write { try $0.insert([1], key: .text("a"), into: Sample.tag) }
    try LogFixture.execute(folder.file(), "UPDATE Tag SET rank = 2")
    try store.checkForExternalChanges()
    #expect(try store.allRows(of: Sample.tag).map { $0["rank"] } == [2])
    withExtendedLifetime(hints) {}
    try store.close()
  }
}
