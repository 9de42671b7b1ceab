import Foundation
import GRDB
import ProgramFrontEnd
import ResultsDomain
import ResultsPresentation
import SQLitePersistence
import Testing

@testable import CommandLineFrontEnd

/// R190: a list whose rows another program deletes between its reading and its printing is printed again.
@Suite struct PrintedListTests {
  private let path = FileManager.default.temporaryDirectory
    .appendingPathComponent("PrintedListTests-\(UUID().uuidString).sqlite").path

  private func execute(_ sql: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.inDatabase { try $0.execute(sql: sql) }
    try queue.close()
  }

  /// A list of members that nobody notices the commits of others for, after a program has made the table again.
  private func list(
    of count: Int
  ) async throws -> (SQLiteStore, FetchedResultsController<ResultsDomain.Row>) {
    let creation = "CREATE TABLE Member (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"
    try execute(
      """
      PRAGMA journal_mode = WAL; \(creation);
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO Member SELECT i, 'a' FROM n
      """
    )
    let entity = try EntityDescription(
      name: "Member",
      attributes: [AttributeDescription("name", .text)]
    )
    let store = try SQLiteStore(
      at: path,
      entities: [entity],
      options: SQLiteStoreOptions(adoptsTables: true, pollInterval: nil)
    )
    let request = ResultsDomain.FetchRequest<ResultsDomain.Row>(
      entity: entity,
      sortedBy: [.ascending("name")]
    )
    let controller = FetchedResultsController(
      ResultsDefinition(request),
      in: store,
      detectsExternalChanges: false
    )
    try await controller.performFetch()
    try execute(
      "BEGIN; DROP TABLE Member; \(creation); INSERT INTO Member VALUES (1, 'a'), (\(count + 1), 'b'); COMMIT"
    )
    return (store, controller)
  }

  private func names(_ reading: ResultsReading<ResultsDomain.Row>) throws -> [String] {
    var names: [String] = []
    try ListContent(reading).forEach { _ in
    } row: { _, row in
      names.append("\(row.id.key) \(row["name"].text ?? "")")
    }
    return names
  }

  @Test func `R190: a row that is gone makes the list be read again, and printed`() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let (store, controller) = try await list(of: 3)
    // The version that is read is not what the list was fetched from.
    #expect(throws: ResultsError.self) { try controller.read { try names($0) } }
    let printed = try await controller.printing(again: false) { try names($0) }
    #expect(printed == ["1 a", "4 b"])
    controller.cancel()
    try store.close()
  }

  @Test func `R190: a list of which a part was printed is a failure that says to print it again`()
    async throws
  {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let (store, controller) = try await list(of: 501)
    let failure = await #expect(throws: CommandFailure.self) {
      try await controller.printing(again: false) { try names($0) }
    }
    #expect(failure?.status == .temporary)
    controller.cancel()
    try store.close()
  }
}
