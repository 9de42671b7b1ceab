import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
@testable import SQLitePersistence
import Synchronization
import Testing

/// What another program commits.
private enum LogRetention {
  /// Statements that insert tags.
  static func inserts(_ count: Int, _ turn: Int) -> String {
    let rows = (0..<count).map { "('\(turn) \($0)', 1)" }
    return "INSERT INTO Tag VALUES \(rows.joined(separator: ", "))"
  }
}

/// How long the log is retained, its size, and how a damaged one is handled.
@Suite struct `Retention of the change log` {
  private func open(
    _ folder: TemporaryFolder,
    _ change: (inout SQLiteStoreOptions) -> Void = { _ in }
  )
    throws -> SQLiteStore
  {
    var options = SQLiteStoreOptions(pollInterval: nil)
    change(&options)
    return try SQLiteStore(at: folder.file(), entities: Sample.entities, options: options)
  }

  private func insert(_ store: SQLiteStore, _ count: Int, _ first: Int = 0) throws {
    for number in first..<first + count {
      try store.write { try $0.insert([1], key: .text("t\(number)"), into: Sample.tag) }
    }
  }

  private func value(_ folder: TemporaryFolder, _ sql: String) throws -> Int {
    let queue = try DatabaseQueue(path: folder.file())
    defer { try? queue.close() }
    return try queue.read { try Int.fetchOne($0, sql: sql) } ?? 0
  }

  @Test func `a million inserts in one commit take a few bytes of the log`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    let start = try store.currentVersion()
    let count = 100_000
    try store.write { transaction in
      for _ in 0..<count {
        try transaction.insert(Sample.values("P", "t"), key: nil, into: Sample.book)
      }
    }
    #expect(try value(folder, "SELECT max(length(key)) FROM _results_log WHERE kind = 0") < 20)
    let records = try #require(try store.history(since: start, of: Sample.book).records)
    #expect(records.count == 1 && records[0].isOwn && records[0].changes.count == count)
    #expect(records[0].changes.last?.after?["title"] == "t")
    try store.close()
  }

  @Test func `R230: no transaction of another program makes the log longer than its bound`() throws
  {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    let start = try store.currentVersion()
    // For each of 400 rows the application's trigger changes all of them.
    try LogFixture.execute(
      folder.file(),
      """
      CREATE TABLE step (i INTEGER PRIMARY KEY);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
      INSERT INTO step SELECT i FROM n;
      INSERT INTO Book (publisher, title) SELECT 'P', i FROM step;
      CREATE TRIGGER each AFTER UPDATE ON step BEGIN UPDATE Book SET title = title || 'x'; END;
      UPDATE step SET i = -i;
      """
    )
    let bound = ChangeLogBound(SQLiteStoreOptions()).entries
    #expect(bound < 400 * 400)
    #expect(try value(folder, "SELECT count(*) FROM _results_log") <= bound + 64)
    #expect(try store.history(since: start, of: Sample.book).records == nil)
    let middle = try store.currentVersion()
    try LogFixture.execute(folder.file(), "UPDATE Book SET title = 't' WHERE id = 1")
    let records = try #require(try store.history(since: middle, of: Sample.book).records)
    #expect(records.flatMap(\.changes).map { $0.after?["title"] } == ["t"])
    try store.close()
  }

  @Test(arguments: [20_000, 200_000])
  func `R230: no transaction of another program makes the log larger than its bound`(_ size: Int)
    throws
  {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    try LogFixture.execute(
      folder.file(),
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
      INSERT INTO Book (publisher, title, cover) SELECT 'P', 't', zeroblob(\(size)) FROM n;
      BEGIN;
      \(String(repeating: "UPDATE Book SET title = title || 'x';", count: 5_000_000 / size))
      COMMIT;
      """
    )
    let sum = ChangeLogFormat.size(columns: 5)
    let bytes = try value(folder, "SELECT \(sum) FROM _results_log")
    #expect(bytes < (16 << 20) + 64 * size)
    #expect(bytes > 8 << 20)
    try store.close()
  }

  @Test func `R230: a log gets the bound at its next opening, and retains a larger one`() throws {
    let folder = try TemporaryFolder()
    try open(folder).close()
    try LogFixture.execute(folder.file(), "DROP TRIGGER _results_bound")
    try open(folder) { $0.onlyReads = true }.close()
    #expect(try bound(folder) == nil)
    let store = try open(folder)
    #expect(try bound(folder)?.entries == 131_072)
    #expect("\(store.capture)" == "hook + log")
    try store.close()
    try open(folder) { $0.logCapacity = 1_000_000 }.close()
    #expect(try bound(folder)?.entries == 2_000_000)
    let other = try open(folder) { $0.logByteLimit = 1 << 30 }
    #expect(try bound(folder)?.entries == 2_000_000)
    #expect(try bound(folder)?.bytes == 1 << 30)
    #expect("\(other.capture)" == "hook + log")
    try other.close()
    try open(folder) { ($0.logCapacity, $0.logByteLimit) = (.max, .max) }.close()
    #expect(try bound(folder)?.entries == 2 * Int(Int32.max))
  }

  private func bound(_ folder: TemporaryFolder) throws -> ChangeLogBound? {
    let queue = try DatabaseQueue(path: folder.file())
    defer { try? queue.close() }
    return try queue.read { database in
      try ChangeLogBound(
        in: ChangeLogLayout.triggers(on: database),
        columns: ChangeLogFormat.columnCount(on: database)
      )
    }
  }

  @Test func `a hundred thousand rows of another program are one record`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    try LogFixture.execute(
      folder.file(),
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
      INSERT INTO Book (publisher, title) SELECT 'P', 't' || i FROM n
      """
    )
    let start = try store.currentVersion()
    try LogFixture.execute(
      folder.file(),
      """
      UPDATE Book SET title = 'u' || id;
      DELETE FROM Book WHERE id % 2 = 0;
      INSERT INTO Book (publisher, title) SELECT 'Q', title FROM Book;
      """
    )
    let records = try #require(try store.history(since: start, of: Sample.book).records)
    #expect(records.count == 1 && records[0].changes.count == 74_999)
    #expect(records[0].changes[0].before?["title"] == "t1")
    #expect(records[0].changes[0].after?["title"] == "u1")
    #expect(records[0].changes[1].after == nil)
    try store.close()
  }

  @Test(arguments: [60, 300])
  func `many changes of one commit are read back from the log in any order (R58)`(
    count: Int
  ) throws {
    let folder = try TemporaryFolder()
    let store = try open(folder) { $0.historyCapacity = 0 }
    try store.write { transaction in
      for number in 0..<count {
        try transaction.insert(
          Sample.values("P", "a rather long title of \(number), with an \u{E9}"),
          key: nil,
          into: Sample.book
        )
      }
    }
    let before = LogFixture.content(try store.allRows(of: Sample.book))
    let start = try store.currentVersion()
    try store.write { transaction in
      for number in (1...Int64(count)).reversed() {
        let id = Sample.id(number)
        guard number % 3 > 0 else {
          try transaction.delete(id, of: Sample.book)
          continue
        }
        var values = try #require(before[id]).values
        // Every fourth title has different, canonically equivalent bytes; the others are unchanged.
        if number % 4 == 0, let title = values[1].text {
          values[1] = .text(String(title.dropLast()) + "e\u{301}")
        }
        values[2] = .integer(number)
        try transaction.update(id, to: values, of: Sample.book, ifUnchangedFrom: nil)
      }
    }
    let records = try #require(try store.history(since: start, of: Sample.book).records)
    let now = LogFixture.content(try store.allRows(of: Sample.book))
    #expect(records.count == 1 && records[0].changes.count == count)
    #expect(LogFixture.replay(records[0].changes, on: before) == now)
    let equivalent = records[0].changes.count { change in
      change.after != nil && change.before.map { $0["title"] != change.after?["title"] } ?? false
    }
    #expect(equivalent == (1...count).count { $0 % 3 > 0 && $0 % 4 == 0 })
    try store.close()
  }

  @Test func `old entries are removed, the newest is retained, and a late reader gets a gap`()
    throws
  {
    let folder = try TemporaryFolder()
    let store = try open(folder) {
      $0.logCapacity = 20
      $0.historyCapacity = 0
    }
    let start = try store.currentVersion()
    try insert(store, 200)
    #expect(try value(folder, "SELECT count(*) FROM _results_log") < 50)
    #expect(try store.history(since: start, of: Sample.tag).gap == .trimmed)
    let now = try store.currentVersion()
    let near = StoreVersion(epoch: now.epoch, sequence: now.sequence - 15)
    #expect(try store.history(since: near, of: Sample.tag).records?.count == 15)
    try LogFixture.execute(folder.file(), "UPDATE Tag SET rank = 2")
    try store.checkForExternalChanges()
    #expect(try value(folder, "SELECT count(*) FROM _results_log") < 50)
    try store.close()
  }

  @Test func `large commits are removed before there are many of them`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder) { $0.logByteLimit = 10_000 }
    let cover = Value.blob(Array(repeating: 1, count: 4000))
    let values = [Value.text("P"), "t", .null, .null, cover]
    let id = try store.write { try $0.insert(values, key: nil, into: Sample.book) }
    for year in 0..<20 {
      try store.write { transaction in
        let values: [Value] = ["P", "t", .integer(Int64(year)), .null, cover]
        try transaction.update(id, to: values, of: Sample.book, ifUnchangedFrom: nil)
      }
    }
    #expect(try value(folder, "SELECT sum(length(key)) FROM _results_log") < 20_000)
    try store.close()
  }

  @Test func `large rows of another program are removed before there are many of them`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder) { $0.logByteLimit = 100_000 }
    let path = folder.file()
    try LogFixture.execute(path, "INSERT INTO Book (publisher, title) VALUES ('P', 't')")
    for _ in 0..<100 {
      try LogFixture.execute(path, "UPDATE Book SET title = printf('%.*c', 10000, 'x')")
      try store.checkForExternalChanges()
    }
    #expect(try value(folder, "SELECT sum(length(v1)) FROM _results_log") < 300_000)
    try store.close()
  }

  @Test func `a listener retains the log for as long as its lease lasts`() throws {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    let listener = try open(folder) { $0.now = { clock.seconds } }
    let writer = try open(folder) {
      $0.now = { clock.seconds }
      $0.logCapacity = 20
      $0.historyCapacity = 0
    }
    let hints = listener.commitNotifications()
    let start = try listener.currentVersion()
    // The lease is taken on the writing connection, after the current work there.
    listener.database.writer.unsafeReentrantWrite { _ in }
    #expect(try value(folder, "SELECT count(*) FROM _results_reader") == 1)
    try insert(writer, 100)
    #expect(try listener.history(since: start, of: Sample.tag).records?.count == 100)
    let reader = try #require(try writer.check().log?.readers.first)
    #expect(reader.behind == 100 && reader.age == 0)
    // After the lease is renewed, what was read is no longer needed.
    clock.advance(by: ReaderLease.renewal)
    try LogFixture.execute(folder.file(), "INSERT INTO Tag VALUES ('x', 1)")
    try listener.checkForExternalChanges()
    #expect(try writer.check().log?.readers.first?.behind == 1)
    try insert(writer, 100, 100)
    #expect(try listener.history(since: start, of: Sample.tag).gap == .trimmed)
    clock.advance(by: ReaderLease.duration + 1)
    try insert(writer, 100, 200)
    #expect(try value(folder, "SELECT count(*) FROM _results_reader") == 0)
    #expect(try value(folder, "SELECT count(*) FROM _results_log") < 50)
    withExtendedLifetime(hints) {}
    try writer.close()
    try listener.close()
  }

  @Test
  func `a listener that reports its progress retains the log from there, whatever was read since`()
    throws
  {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    let listener = try open(folder) { $0.now = { clock.seconds } }
    let writer = try open(folder) {
      $0.now = { clock.seconds }
      $0.logCapacity = 20
      $0.historyCapacity = 0
    }
    let hints = listener.commitNotifications()
    listener.database.writer.unsafeReentrantWrite { _ in }
    try insert(writer, 10)
    let reached = try listener.currentVersion()
    listener.releaseHistory(through: reached)
    // A list that has not advanced yet, or an earlier generation, reads from there again.
    for turn in 0..<3 {
      try insert(writer, 100, 100 + turn * 100)
      let records = try listener.history(since: reached, of: Sample.tag).records
      #expect(records?.count == 100 * (turn + 1))
      clock.advance(by: ReaderLease.renewal)
      try LogFixture.execute(folder.file(), "UPDATE Tag SET rank = rank WHERE name = 't1'")
      try listener.checkForExternalChanges()
    }
    listener.releaseHistory(through: try listener.currentVersion())
    clock.advance(by: ReaderLease.renewal)
    try LogFixture.execute(folder.file(), "INSERT INTO Tag VALUES ('x', 1)")
    try listener.checkForExternalChanges()
    try insert(writer, 100, 1000)
    #expect(try listener.history(since: reached, of: Sample.tag).gap == .trimmed)
    withExtendedLifetime(hints) {}
    try writer.close()
    try listener.close()
  }

  @Test
  func `R230: what a listener has followed is removed, however fast another program commits`()
    throws
  {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    let listener = try open(folder) {
      $0.now = { clock.seconds }
      $0.logCapacity = 20
    }
    let hints = listener.commitNotifications()
    listener.database.writer.unsafeReentrantWrite { _ in }
    for turn in 0..<10 {
      try LogFixture.execute(folder.file(), LogRetention.inserts(100, turn))
      try listener.checkForExternalChanges()
      listener.releaseHistory(through: try listener.currentVersion())
    }
    #expect(try value(folder, "SELECT count(*) FROM _results_log") < 250)
    withExtendedLifetime(hints) {}
    try listener.close()
  }

  @Test func `R230: a log that another reader retains is not measured after each commit`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder) { $0.logCapacity = 100 }
    let count = Mutex(0)
    store.database.writer.unsafeReentrantWrite { database in
      database.trace { event in
        if "\(event)".contains("GROUP BY sequence") { count.withLock { $0 += 1 } }
      }
    }
    try LogFixture.execute(
      folder.file(),
      "INSERT INTO _results_reader (id, sequence, renewed) VALUES (1, 0, unixepoch())"
    )
    for turn in 0..<100 {
      try LogFixture.execute(folder.file(), LogRetention.inserts(10, turn))
      try store.checkForExternalChanges()
    }
    #expect(try value(folder, "SELECT count(*) FROM _results_log") > 1000)
    #expect((1...10).contains(count.withLock { $0 }))
    try store.close()
  }

  @Test
  func `without listeners the log is no longer retained, although the store continues to write`()
    throws
  {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    let store = try open(folder) {
      $0.now = { clock.seconds }
      $0.logCapacity = 20
    }
    var hints: AsyncStream<Void>? = store.commitNotifications()
    store.database.writer.unsafeReentrantWrite { _ in }
    try insert(store, 10)
    store.releaseHistory(through: try store.currentVersion())
    withExtendedLifetime(hints) { clock.advance(by: ReaderLease.renewal) }
    hints = nil
    try insert(store, 200, 100)
    #expect(try value(folder, "SELECT count(*) FROM _results_reader") == 0)
    #expect(try value(folder, "SELECT count(*) FROM _results_log") < 50)
    // A new listener makes the store a reader again.
    let later = store.commitNotifications()
    store.database.writer.unsafeReentrantWrite { _ in }
    #expect(try value(folder, "SELECT count(*) FROM _results_reader") == 1)
    withExtendedLifetime(later) {}
    try store.close()
  }

  @Test func `a closed store no longer retains the log`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    let hints = store.commitNotifications()
    store.database.writer.unsafeReentrantWrite { _ in }
    #expect(try value(folder, "SELECT count(*) FROM _results_reader") == 1)
    try store.close()
    #expect(try value(folder, "SELECT count(*) FROM _results_reader") == 0)
    withExtendedLifetime(hints) {}
  }

  @Test func `a damaged entry is a gap, and the rows are unchanged`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder) { $0.historyCapacity = 0 }
    let start = try store.currentVersion()
    try insert(store, 1)
    #expect(try store.check().problems == [])
    try LogFixture.execute(
      folder.file(),
      "UPDATE _results_log SET key = substr(key, 1, 2) || x'00' || substr(key, 4) WHERE kind = 0"
    )
    #expect(try store.history(since: start, of: Sample.tag).gap == .trimmed)
    let check = try store.check()
    #expect(check.problems == ["the change log is damaged"] && check.log?.damagedCount == 1)
    try insert(store, 1, 1)
    try store.repair()
    #expect(try store.check().problems == [])
    #expect(try store.history(since: start, of: Sample.tag).gap != nil)
    let mended = try store.currentVersion()
    try insert(store, 1, 2)
    try LogFixture.execute(folder.file(), "DELETE FROM Tag WHERE name = 't0'")
    let history = try store.history(since: mended, of: Sample.tag)
    #expect(history.records?.map(\.changes.count) == [1, 1], "\(history)")
    #expect(try store.allRows(of: Sample.tag).count == 2)
    try store.close()
  }

  @Test(arguments: [true, false])
  func `a commit into a file that lost its path is refused`(_ isReplaced: Bool) throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    try insert(store, 1)
    try FileManager.default.removeItem(atPath: folder.file())
    if isReplaced { try folder.write([]) }
    let error = #expect(throws: StoreError.self) { try insert(store, 1, 1) }
    guard case .inputOutput(folder.file(), let detail) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(detail.contains("replaced"))
    try store.close()
  }

  @Test func `a check reports the state of the log`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    try insert(store, 2)
    let check = try store.check()
    #expect(check.log?.rowCount == 3 && check.log?.hasTriggers == true)
    #expect(check.lines.contains { $0.hasPrefix("log        3 rows") })
    try LogFixture.execute(folder.file(), "DROP TRIGGER _results_1_insert")
    #expect(
      try store.check().problems == [
        "the change log misses changes: its triggers are missing or changed"
      ]
    )
    try store.repair()
    #expect(try store.check().problems == [])
    try store.close()
  }
}

/// A clock that only the test advances.
private final class TestClock: Sendable {
  private let time = Mutex<Int64>(1_000_000)

  var seconds: Int64 { time.withLock { $0 } }

  func advance(by seconds: Int64) { time.withLock { $0 += seconds } }
}

/// Rows in the table of readers that no running store needs.
@Suite struct `Leases of readers` {
  private static let now: Int64 = 1_000_000

  private func open(_ folder: TemporaryFolder) throws -> SQLiteStore {
    var options = SQLiteStoreOptions(pollInterval: nil, historyCapacity: 0, logCapacity: 20)
    options.now = { Self.now }
    return try SQLiteStore(at: folder.file(), entities: Sample.entities, options: options)
  }

  private func fill(_ store: SQLiteStore) throws {
    for number in 0..<100 {
      try store.write { try $0.insert([1], key: .text("t\(number)"), into: Sample.tag) }
    }
  }

  private func value(_ folder: TemporaryFolder, _ sql: String) throws -> Int {
    let queue = try DatabaseQueue(path: folder.file())
    defer { try? queue.close() }
    return try queue.read { try Int.fetchOne($0, sql: sql) } ?? 0
  }

  private func add(_ folder: TemporaryFolder, renewed: Int64, owner: String?) throws {
    let owner = owner.map { "'\($0)'" } ?? "NULL"
    try LogFixture.execute(
      folder.file(),
      "INSERT INTO _results_reader VALUES (5, 1, \(renewed), \(owner))"
    )
  }

  @Test(arguments: [(-601, 0), (-600, 1), (0, 1), (600, 1), (601, 0), (86_400, 0)])
  func `a lease from a clock that was ahead expires like an old one`(
    _ difference: Int64,
    _ count: Int
  ) throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    try add(folder, renewed: Self.now + difference, owner: nil)
    try fill(store)
    #expect(try value(folder, "SELECT count(*) FROM _results_reader") == count)
    #expect(try (value(folder, "SELECT count(*) FROM _results_log") < 50) == (count == 0))
    try store.close()
  }

  @Test(.enabled(if: ReaderLease.owner != nil))
  func `a lease ends with its process`() throws {
    let owner = try #require(ReaderLease.owner)
    let parts = owner.split(separator: " ")
    try #require(parts.count == 4)
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/bin/true")
    try child.run()
    child.waitUntilExit()
    let scope = parts.prefix(2).joined(separator: " ")
    let cases = [
      (owner, true),
      ("\(scope) \(child.processIdentifier) \(parts[3])", false),
      // The process number was reused.
      ("\(scope) \(parts[2]) 1", false),
      // Nothing is known of processes of another machine, or another namespace.
      ("00000000-0000-0000-0000-000000000000 \(parts[1]) \(child.processIdentifier) 1", true),
      ("\(parts[0]) pid:[1] \(child.processIdentifier) 1", true),
      ("\(scope) -1 1", true), ("\(scope)", true), ("", true), ("x", true),
    ]
    for (mark, lives) in cases {
      let folder = try TemporaryFolder()
      let store = try open(folder)
      try add(folder, renewed: Self.now, owner: mark)
      #expect(try store.check().log?.readers.count == (lives ? 1 : 0), "\(mark)")
      try fill(store)
      #expect(try value(folder, "SELECT count(*) FROM _results_reader") == (lives ? 1 : 0))
      #expect(try (value(folder, "SELECT count(*) FROM _results_log") < 50) == !lives, "\(mark)")
      try store.close()
    }
  }

  @Test func `a table of readers without owners gets them from the first reader`() throws {
    let folder = try TemporaryFolder()
    try open(folder).close()
    try LogFixture.execute(folder.file(), "ALTER TABLE _results_reader DROP COLUMN owner")
    let store = try open(folder)
    try fill(store)
    let hints = store.commitNotifications()
    store.database.writer.unsafeReentrantWrite { _ in }
    let mine = "SELECT count(*) FROM _results_reader WHERE owner IS NOT NULL"
    #expect(try value(folder, mine) == (ReaderLease.owner == nil ? 0 : 1))
    try store.write { try $0.insert([1], key: .text("new"), into: Sample.tag) }
    #expect(try store.check().problems == [])
    withExtendedLifetime(hints) {}
    try store.close()
    #expect(try value(folder, "SELECT count(*) FROM _results_reader") == 0)
  }
}
