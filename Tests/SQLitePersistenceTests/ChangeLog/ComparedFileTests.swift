import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import SQLitePersistence
import Testing

/// R219: a list over an index of a file, while another program has dropped the triggers that record changes.
@Suite struct `A list over an index while triggers are missing` {
  private typealias Row = ResultsDomain.Row

  @Test(.timeLimit(.minutes(1)))
  func `R219: it is compared meanwhile, and then leaves its keys to the index again`() async throws
  {
    let folder = try TemporaryFolder()
    func open(
      _ change: (inout SQLiteStoreOptions) -> Void = { _ in }
    ) throws -> SQLiteStore {
      var options = SQLiteStoreOptions(pollInterval: nil)
      change(&options)
      return try SQLiteStore(at: folder.file(), entities: Sample.entities, options: options)
    }
    try open().close()
    try LogFixture.execute(
      folder.file(),
      """
      CREATE INDEX ranks ON Tag (rank, name);
      INSERT INTO Tag VALUES ('a', 1), ('b', 2), ('c', 3), ('d', 4);
      """
    )
    // A store that may write puts them back.
    let store = try open { $0.isReadOnly = true }
    let controller = FetchedResultsController(
      FetchRequest<Row>(entity: Sample.tag, sortedBy: [.ascending("rank")]),
      in: store,
      options: ResultsOptions(inMemoryKeyLimit: -1)
    )
    try await controller.performFetch()
    #expect(try await isIndexed(controller))
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    try LogFixture.execute(folder.file(), "DROP TRIGGER _results_3_update")
    try LogFixture.execute(folder.file(), "UPDATE Tag SET rank = 5 WHERE name = 'd'")
    try await controller.refresh()
    // The triggers are part of the schema.
    #expect(await isReset(&events))
    #expect(store.capabilities.historyCoverage == .thisStore)
    for rank in 6...8 {
      try LogFixture.execute(folder.file(), "UPDATE Tag SET rank = \(rank) WHERE name = 'd'")
      try await controller.refresh()
      #expect(await changedRows(&events) == ["d"])
    }
    #expect(try await controller.explain()?.keys == .held(.unreportedCommits))
    #expect(try await controller.explain()?.captureProblems.isEmpty == false)
    try open().close()
    try await controller.refresh()
    #expect(await isReset(&events))
    for rank in 9...10 {
      try LogFixture.execute(folder.file(), "UPDATE Tag SET rank = \(rank) WHERE name = 'd'")
      try await controller.refresh()
      #expect(await changedRows(&events) == ["d"])
    }
    #expect(try await isIndexed(controller))
    controller.cancel()
    try store.close()
  }

  private func isIndexed(_ controller: FetchedResultsController<Row>) async throws -> Bool {
    if case .indexed? = try await controller.explain()?.keys { true } else { false }
  }

  private func isReset(_ events: inout ResultsChanges<Row>.AsyncIterator) async -> Bool {
    if case .reset(.schemaChanged, _)? = await events.next() { true } else { false }
  }

  /// The names of the rows that the next change names; `nil` if it is none.
  private func changedRows(
    _ events: inout ResultsChanges<Row>.AsyncIterator
  ) async -> [Value]? {
    guard case .change(let change) = await events.next() else { return nil }
    return (change.delta.rows.updates.map(\.id) + change.delta.rows.moves.map(\.id))
      .flatMap(\.key.parts)
  }
}
