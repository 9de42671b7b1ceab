import Foundation
import GRDB
import ResultsDomain
import ResultsPresentation
import SQLitePersistence
import Testing

@Suite("A million identities", .timeLimit(.minutes(15)))
struct MillionIdentitiesTests {
  /// A fixed set of a million ids, none of which is written into a statement or fetched as an object.
  @Test func `frozen results can have a million identities`() async throws {
    let entity = try EntityDescription(
      name: "Item",
      attributes: [
        AttributeDescription("title", .text), AttributeDescription("isRead", .boolean),
      ]
    )
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("million-\(UUID().uuidString).sqlite").path
    defer {
      for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    }
    let store = try SQLiteStore(
      at: path,
      entities: [entity],
      options: SQLiteStoreOptions(historyCapacity: 10)
    )
    try await store.write { transaction in
      try (transaction as? SQLiteTransaction)?.withDatabase { database in
        try database.execute(
          sql: """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
            INSERT INTO Item (id, title, isRead) SELECT i, 'item ' || i, 0 FROM n
            """
        )
      }
    }
    let unread = try store.fetch(
      FetchRequest<ObjectID>(
        entity: entity,
        where: .comparison(.attribute("isRead"), .equal, .literal(0)),
        sortedBy: [FetchSortDescriptor(.objectKey)]
      )
    )
    #expect(unread.count == 1_000_000)
    let controller = FetchedResultsController<ResultsDomain.Row>.frozen(
      IdentitySet(unread),
      FetchRequest<ResultsDomain.Row>(
        entity: entity,
        sortedBy: [FetchSortDescriptor(.objectKey)],
        propertiesToFetch: []
      ),
      in: store
    )
    try await controller.performFetch()
    #expect(try controller.results().count == 1_000_000)
    let last = try controller.results().object(at: RowPath(section: 0, row: 999_999))
    #expect(last["title"] == .text("item 1000000"))
    try await store.write { transaction in
      try transaction.delete(ObjectID(entity: "Item", key: .integer(500_000)), of: entity)
    }
    try await controller.refresh()
    #expect(try controller.results().count == 999_999)
    controller.cancel()
    try store.close()
  }
}
