#if PostgreSQL
import Foundation
import ResultsTesting
import Synchronization

@testable import PostgreSQLPersistence

/// A program that writes into the tables of `LogFixture` in every way that a server offers.
final class TortureWriter {
  /// How much the writers have done.
  struct Tally: Sendable {
    var committed = 0
    var rolledBack = 0
    var failed = 0
  }

  private let url: String
  private let number: Int
  private var random: SeededGenerator
  private var connection: Connection?
  private var count = 0
  /// Whether the server can prepare transactions.
  private let prepares: Bool

  /// The largest key.
  static let keys = 40

  init(_ url: String, number: Int, seed: UInt64, prepares: Bool) {
    (self.url, self.number, self.prepares) = (url, number, prepares)
    random = SeededGenerator(seed: seed &* 1000 &+ UInt64(number))
  }

  private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
  private func integer(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
  private func pause(_ microseconds: Int) { usleep(UInt32(integer(0...microseconds))) }

  /// Runs one transaction; failures are a part of it.
  func transact(_ tally: borrowing Mutex<Tally>) {
    do {
      let connection = try self.connection ?? open()
      self.connection = connection
      let isCommitted = try transaction(on: connection)
      tally.withLock { tally in
        if isCommitted { tally.committed += 1 } else { tally.rolledBack += 1 }
      }
    } catch {
      tally.withLock { $0.failed += 1 }
      if let connection, connection.isUsable {
        _ = try? connection.run([.rollback])
      } else {
        connection = nil
        usleep(20_000)
      }
    }
  }

  private func open() throws -> Connection {
    let connection = try TestServer.connect(url)
    // Settings of a session that must not matter.
    if chance(30) { try connection.runOnce("SET client_encoding = 'LATIN1'") }
    if chance(30) { try connection.runOnce("SET synchronous_commit = off") }
    if chance(30) { try connection.runOnce("SET session_replication_role = replica") }
    return connection
  }

  /// - Returns: Whether it was committed.
  private func transaction(on connection: Connection) throws -> Bool {
    let levels = ["READ COMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"]
    try connection.runOnce("BEGIN ISOLATION LEVEL \(levels[integer(0...3)])")
    if chance(10) {
      // A number long before the first change.
      try connection.runOnce("SELECT pg_current_xact_id()")
      pause(20_000)
    }
    for _ in 0..<integer(1...5) {
      for statement in statements() { try connection.runOnce(statement) }
      if chance(30) { pause(4000) }
    }
    count += 1
    // A row of its own, so that every transaction has an effect; old ones are removed again.
    try connection.runOnce(#"INSERT INTO "Tag" VALUES ('w\#(number)-\#(count)', NULL)"#)
    try connection.runOnce(#"DELETE FROM "Tag" WHERE id = 'w\#(number)-\#(count - 5)'"#)
    guard !chance(12) else {
      try connection.run([.rollback])
      return false
    }
    if prepares, chance(10) {
      let name = "g\(number)_\(count)"
      try connection.runOnce("PREPARE TRANSACTION '\(name)'")
      pause(10_000)
      try connection.runOnce("COMMIT PREPARED '\(name)'")
    } else {
      try connection.run([.commit])
    }
    return true
  }

  /// Statements that belong together.
  private func statements() -> [String] {
    let key = integer(1...TortureWriter.keys)
    let title = ["ä", "ß", "x", "y", "é"][integer(0...4)]
    let year = ["NULL", "1", "2"][integer(0...2)]
    switch integer(0...99) {
    case ..<22:
      return [
        """
        INSERT INTO "Book" VALUES (\(key), '\(title)', \(year)) ON CONFLICT (id) DO UPDATE SET title = excluded.title
        """
      ]
    case ..<25: return [#"INSERT INTO "Book" VALUES (\#(key), '\#(title)', \#(year))"#]
    case ..<45: return [#"UPDATE "Book" SET title = '\#(title)' WHERE id = \#(key)"#]
    case ..<52:
      return [#"UPDATE "Book" SET id = \#(integer(1...TortureWriter.keys)) WHERE id = \#(key)"#]
    case ..<56:
      return [#"UPDATE "Book" SET id = id + 1 WHERE id BETWEEN \#(key) AND \#(key + 4)"#]
    case ..<62:
      return [#"UPDATE "Book" SET year = year + 1 WHERE id BETWEEN \#(key) AND \#(key + 5)"#]
    case ..<72: return [#"DELETE FROM "Book" WHERE id = \#(key)"#]
    case ..<76:
      return [
        "SAVEPOINT s", #"DELETE FROM "Book" WHERE id BETWEEN \#(key) AND \#(key + 3)"#,
        #"UPDATE "Book" SET id = id + 100 WHERE id = \#(integer(1...TortureWriter.keys))"#,
        "ROLLBACK TO s",
      ]
    case ..<79:
      return [
        #"COPY "Book" (id, title) FROM PROGRAM 'printf "%s\n" \#(key),c \#(key + 1),d' (FORMAT csv)"#
      ]
    case ..<82:
      return [
        """
        INSERT INTO "Book" SELECT n, 'many', NULL FROM generate_series(\(key), \(key + 20)) n ON CONFLICT DO NOTHING
        """
      ]
    case ..<84:
      return [
        """
        MERGE INTO "Book" b USING generate_series(\(key), \(key + 5)) n ON b.id = n \
        WHEN MATCHED AND b.year IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET title = 'merged' \
        WHEN NOT MATCHED THEN INSERT VALUES (n, 'new', 1)
        """
      ]
    case ..<86:
      return [
        """
        WITH gone AS (DELETE FROM "Book" WHERE id BETWEEN \(key) AND \(key + 2) RETURNING *) \
        INSERT INTO "Book" SELECT id + 50, title, year FROM gone ON CONFLICT DO NOTHING
        """
      ]
    case ..<93:
      return [
        """
        INSERT INTO "Score" VALUES ('ü\(key % 5)', \(key), \(key).5) ON CONFLICT (player, game) \
        DO UPDATE SET points = "Score".points + 1
        """
      ]
    case ..<96:
      return [#"UPDATE "Score" SET game = game + 1 WHERE game BETWEEN \#(key) AND \#(key + 3)"#]
    default: return [#"DELETE FROM "Score" WHERE game = \#(key)"#]
    }
  }
}
#endif
