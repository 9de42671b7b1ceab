#if PostgreSQL
import Foundation
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport
import Testing

@testable import PostgreSQLPersistence

/// R215: how many connections a follower holds.
@Suite struct FollowerConnectionTests {
  /// How many connections a database has beside the one that asks.
  private func count(on connection: Connection) throws -> Int {
    let result = try connection.runOnce(
      """
      SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() \
      AND backend_type = 'client backend'
      """
    )
    return Int(result.integer(0, 0) ?? -1)
  }

  /// Waits until the database has a number of further connections.
  private func waits(for number: Int, on connection: Connection) throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    while try count(on: connection) != number {
      guard ContinuousClock.now < deadline else { return false }
      usleep(1000)
    }
    return true
  }

  @Test(arguments: [true, false])
  func `R215: a follower holds one connection while nothing changes, and others while it works`(
    _ hasLog: Bool
  ) async throws {
    let note = try #require(WritingTests.note)
    try await TestServer.withDatabase { url in
      var options = PostgreSQLStoreOptions()
      options.idleTime = .milliseconds(200)
      options.maintainsChangeLog = hasLog
      let store = try PostgreSQLStore(url: url, entities: [note], options: options)
      let connection = try TestServer.connect(url)
      // A store that nobody follows holds none after a while.
      #expect(try waits(for: 0, on: connection))
      let notifications = store.commitNotifications()
      try await store.write { try $0.insert([.text("a"), .integer(1)], key: nil, into: note) }
      var iterator = notifications.makeAsyncIterator()
      for round in 1...3 {
        // Without a log the one that asks each second is given back each time.
        #expect(try waits(for: hasLog ? 1 : 0, on: connection), "\(round)")
        let table = store.context.tables.all[0].quotedName
        try connection.runOnce("INSERT INTO \(table) VALUES (DEFAULT, 'b', \(round))")
        let rows = try await rows(of: note, 1 + round, in: store, &iterator)
        #expect(rows == 1 + round)
      }
      try store.close()
      #expect(try waits(for: 0, on: connection))
    }
  }

  /// Reads after each notification until there are as many rows.
  private func rows(
    of entity: EntityDescription,
    _ wanted: Int,
    in store: PostgreSQLStore,
    _ notifications: inout AsyncStream<Void>.AsyncIterator
  ) async throws -> Int {
    while true {
      let found = try store.read { (snapshot) throws(StoreError) in
        try snapshot.count(of: entity, where: .all)
      }
      if found >= wanted { return found }
      guard await notifications.next(isolation: #isolation) != nil else { return found }
    }
  }
}
#endif
