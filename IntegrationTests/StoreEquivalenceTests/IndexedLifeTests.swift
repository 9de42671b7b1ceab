import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import SQLitePersistence
import Testing

/// R43, R57, R71, R72, R89: a list that holds only counts, when its index or the store's history is lost.
@Suite struct `A list over an index of a file` {
  /// A list of one table, with an index that has its keys.
  private struct World {
    var generator: SeededGenerator
    let table: IndexedTable
    let list: IndexedTable.List
    let index: String
    var pair: IndexedPair

    init(
      seed: UInt64,
      _ options: ResultsOptions = ResultsOptions(),
      _ change: (inout SQLiteStoreOptions) -> Void = { _ in }
    ) async throws {
      generator = SeededGenerator(seed: seed)
      table = try IndexedTable(&generator, change)
      for _ in 0..<4 { try table.commit(&generator, rows: 60, by: [.stranger]) }
      list = IndexedTable.List(
        definition: ResultsDefinition(
          FetchRequest<Row>(entity: table.entity, sortedBy: [.ascending("k2"), .descending("n")]),
          sectionedBy: .attribute("t")
        ),
        columns: ["t", "k2", "n DESC"] + table.keys.filter { $0 != "k2" },
        condition: ""
      )
      index = try table.makeIndex(for: list)
      pair = try await IndexedPair(list.definition, in: table.store, options)
      #expect(try await pair.isIndexed())
    }

    mutating func commit(_ count: Int = 1, rows: Int = 5) throws {
      for _ in 0..<count { try table.commit(&generator, rows: rows) }
    }

    /// Both show the same rows in the same sections.
    func compare() throws {
      let held = try pair.held.results.snapshot.content
      #expect(try pair.indexed.results.snapshot.content == held)
      #expect(held.sections.count > 1)
    }

    func refresh() async throws {
      try await pair.held.refresh()
      try await pair.indexed.refresh()
    }
  }

  private func reset(
    _ events: inout ResultsChanges<Row>.AsyncIterator
  ) async -> ResultsResetReason? {
    while let event = await events.next() {
      switch event {
      case .reset(let reason, _): return reason
      case .change, .snapshot: continue
      case .failure: return nil
      }
    }
    return nil
  }

  @Test(.timeLimit(.minutes(5)), arguments: 1...6 as ClosedRange<UInt64>)
  func `is reset when its index is lost, holds its keys, and leaves them to a new index`(
    seed: UInt64
  ) async throws {
    var world = try await World(seed: seed)
    try world.commit(3)
    try await world.refresh()
    var events = world.pair.indexed.changes.makeAsyncIterator()
    _ = await events.next()
    try world.table.runAsStranger("DROP INDEX \(world.index)")
    try world.commit(2, rows: 20)
    try await world.refresh()
    #expect(await reset(&events) == .indexLost)
    #expect(try await world.pair.isIndexed() == false)
    try world.compare()
    try world.commit(2)
    try await world.refresh()
    try world.compare()
    try world.table.makeIndex(for: world.list)
    try world.commit()
    try await world.pair.indexed.performFetch()
    try await world.pair.held.performFetch()
    #expect(try await world.pair.isIndexed())
    try world.compare()
    try world.commit(3)
    try await world.refresh()
    try world.compare()
    world.pair.cancel()
  }

  @Test(.timeLimit(.minutes(5)), arguments: 1...3 as ClosedRange<UInt64>)
  func `shows its rows after its index is dropped and before the next commit`(
    seed: UInt64
  ) async throws {
    var world = try await World(seed: seed)
    try world.commit(2)
    try await world.refresh()
    try world.table.runAsStranger("DROP INDEX \(world.index)")
    try await world.refresh()
    try world.compare()
    world.pair.cancel()
  }

  @Test(.timeLimit(.minutes(5)), arguments: 1...4 as ClosedRange<UInt64>)
  func `is fetched again if the log was trimmed while it was paused`(seed: UInt64) async throws {
    var world = try await World(seed: seed, ResultsOptions(delivery: .onDemand)) {
      // Without observers the log is not retained.
      $0.logCapacity = 20
      $0.historyCapacity = 0
    }
    var events = world.pair.indexed.changes.makeAsyncIterator()
    _ = await events.next()
    world.pair.held.pause()
    world.pair.indexed.pause()
    for _ in 0..<120 { try world.table.commit(&world.generator, rows: 1, by: [.statements]) }
    try await world.pair.held.resume()
    try await world.pair.indexed.resume()
    #expect(await reset(&events) == .historyLost)
    #expect(try await world.pair.isIndexed())
    try world.compare()
    try world.commit(3)
    try await world.refresh()
    try world.compare()
    world.pair.cancel()
  }

  @Test(.timeLimit(.minutes(5)))
  func `is opened from a cache of its own form, and from no other`() async throws {
    var world = try await World(seed: 5)
    let options = ResultsOptions(caches: MemoryCaches())
    for (cached, opened) in [(-1, 1_000_000), (1_000_000, -1)] {
      var definition = world.list.definition
      definition.cacheName = "list"
      var first = options
      first.inMemoryKeyLimit = cached
      let before = FetchedResultsController(definition, in: world.table.store, options: first)
      try await before.performFetch()
      try await before.saveCache()
      try world.commit()
      var second = options
      second.inMemoryKeyLimit = opened
      let after = FetchedResultsController(definition, in: world.table.store, options: second)
      try await after.performFetch()
      #expect(after.cacheOutcome == .miss(.otherKeys))
      try await before.refresh()
      #expect(
        try after.results.snapshot.content == before.results.snapshot.content
      )
      before.cancel()
      after.cancel()
      try await before.saveCache()
      _ = options.caches.map { try? $0.removeAll() }
    }
    world.pair.cancel()
  }
}
