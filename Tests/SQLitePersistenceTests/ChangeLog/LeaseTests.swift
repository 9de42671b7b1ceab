@testable import SQLitePersistence
import Foundation
import GRDB
import ResultsDomain
import Testing

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
