#if PostgreSQL
import ResultsDomain
import Testing

@testable import PostgreSQLPersistence
@testable import ResultsPresentation

/// R219: a list over an index of PostgreSQL, while the log does not record the changes of its table.
@Suite("A list over an index while the log is incomplete", .timeLimit(.minutes(5)))
struct ComparedIndexTests {
  static let interruptions = [
    "ALTER TABLE t DISABLE TRIGGER ALL",
    #"DROP TRIGGER "!results_update" ON t"#,
    "ALTER TABLE t RENAME TO old; CREATE TABLE t (LIKE old INCLUDING ALL); INSERT INTO t SELECT * FROM old",
  ]

  @Test(arguments: interruptions)
  func `R219: it is compared meanwhile, and then leaves its keys to the index again`(
    _ interruption: String
  ) async throws {
    try await TestServer.withDatabase { url in
      let writer = try TestServer.connect(url)
      for statement in [
        "CREATE TABLE t (id bigint PRIMARY KEY, v bigint NOT NULL, w bigint NOT NULL)",
        "CREATE INDEX i ON t (v, id)",
        "INSERT INTO t SELECT n, n, 0 FROM generate_series(1, 9) AS n",
      ] {
        try writer.runOnce(statement)
      }
      let entity = try EntityDescription(
        name: "t",
        identity: .integer(column: "id"),
        attributes: [AttributeDescription("v", .integer64), AttributeDescription("w", .integer64)]
      )
      var options = PostgreSQLStoreOptions()
      options.adoptsTables = true
      options.maintainsChangeLog = true
      let store = try PostgreSQLStore(url: url, entities: [entity], options: options)
      let request = FetchRequest<Row>(entity: entity, sortedBy: [.ascending("v")])
      let controller = FetchedResultsController(
        ResultsDefinition(request),
        in: store,
        options: ResultsOptions(inMemoryKeyLimit: -1)
      )
      try await controller.performFetch()
      #expect(try await isIndexed(controller))
      var events = controller.changes.makeAsyncIterator()
      _ = await events.next()
      // The list is followed from its first change on. Of what happens before, the store compares from the start, and resets nothing.
      try writer.runOnce("UPDATE t SET w = w + 1 WHERE id = 9")
      #expect(await changedRows(&events) == [.integer(9)])
      // In one transaction, so that no list sees a table that is only half swapped.
      for statement in ["BEGIN"] + interruption.split(separator: "; ") + ["COMMIT"] {
        try writer.runOnce(String(statement))
      }
      // The triggers are part of the schema.
      #expect(await isReset(&events))
      for number in 1...3 {
        try writer.runOnce("UPDATE t SET w = w + 1 WHERE id = \(number)")
        #expect(await changedRows(&events) == [.integer(Int64(number))])
      }
      let explanation = try await controller.explain()
      #expect(explanation?.keys == .held(.unreportedCommits))
      #expect(explanation?.captureProblems.count == 1)
      try store.repair()
      #expect(await isReset(&events))
      for number in 4...5 {
        try writer.runOnce("UPDATE t SET w = w + 1 WHERE id = \(number)")
        #expect(await changedRows(&events) == [.integer(Int64(number))])
      }
      #expect(try await isIndexed(controller))
      #expect(try await controller.explain()?.captureProblems == [])
      controller.cancel()
      try store.close()
    }
  }

  private func isIndexed(_ controller: FetchedResultsController<Row>) async throws -> Bool {
    if case .indexed? = try await controller.explain()?.keys { true } else { false }
  }

  private func isReset(_ events: inout ResultsChanges<Row>.AsyncIterator) async -> Bool {
    if case .reset(.schemaChanged, _)? = await events.next() { true } else { false }
  }

  /// The keys of the rows that the next change names; `nil` if it is none.
  private func changedRows(
    _ events: inout ResultsChanges<Row>.AsyncIterator
  ) async -> [ObjectKey]? {
    guard case .change(let change) = await events.next() else { return nil }
    return change.delta.rows.updates.map(\.id.key)
  }
}
#endif
