import Foundation
import GRDB
import ResultsDomain
import SQLitePersistence
import Testing

@testable import ResultsPresentation

/// R19, R21, R77: retained generations do not block checkpoints, and hold only what changed since in memory.
@Suite struct `Retained generations of a list over an index` {
  private typealias Row = ResultsDomain.Row

  private struct World {
    let folder: TemporaryFolder
    let store: SQLiteStore
    let controller: FetchedResultsController<Row>

    init(rows: Int) async throws {
      folder = try TemporaryFolder()
      store = try SQLiteStore(
        at: folder.file(),
        entities: Sample.entities,
        options: SQLiteStoreOptions(pollInterval: nil)
      )
      try LogFixture.run(
        """
        CREATE INDEX shelves ON Book (publisher, title, id);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
        INSERT INTO Book (publisher, title) SELECT 'P' || i % 20, 't' || i FROM n
        """,
        in: store
      )
      controller = FetchedResultsController(
        FetchRequest<Row>(entity: Sample.book, sortedBy: [.ascending("title")]),
        sectionedBy: .attribute("publisher"),
        in: store,
        options: ResultsOptions(delivery: .onDemand, heldKeysLimit: -1, auditPeriod: nil)
      )
      try await controller.performFetch()
    }

    /// Moves one row.
    func commit(_ number: Int) async throws {
      let values = Sample.values("P\(number % 23)", "u\(number)")
      _ = try store.commit(origin: .unnamed) { transaction in
        try transaction.update(
          Sample.id(Int64(1 + number * 7 % 500)),
          to: values,
          of: Sample.book,
          ifUnchangedFrom: nil
        )
      }
      try await controller.refresh()
    }

    var keys: IndexedKeys? {
      get throws {
        if case .indexed(let keys) = try controller.results().snapshot.keys { keys } else { nil }
      }
    }

    var logBytes: Int {
      let values = try? FileManager.default.attributesOfItem(
        atPath: folder.file("store.sqlite-wal")
      )
      return values?[.size] as? Int ?? 0
    }
  }

  @Test func `let checkpoints complete, and hold only what changed (R21)`() async throws {
    let world = try await World(rows: 2000)
    _ = try #require(try world.keys, "the list holds its keys")
    var held: [(results: FetchedResults<Row>, content: ResultsContent)] = []
    for number in 0..<100 {
      let results = try world.controller.results()
      held.append((results, try results.snapshot.content))
      try await world.commit(number)
    }
    var longest = 0
    for number in 100..<1100 {
      try await world.commit(number)
      longest = max(longest, world.logBytes)
    }
    // SQLite begins a checkpoint at a thousand pages, and reuses the log after it is complete.
    #expect(longest < 3 * 1000 * 4096, "the log grew to \(longest) bytes")
    let other = try DatabaseQueue(path: world.folder.file())
    let busy = try await other.writeWithoutTransaction {
      try Int.fetchOne($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    #expect(busy == 0)
    #expect(world.logBytes == 0)
    try other.close()
    for (results, content) in held.enumerated().filter({ $0.offset % 20 == 0 }).map(\.element) {
      #expect(try results.snapshot.content == content)
    }
    // Each commit removes one key and inserts one; all generations share these changes.
    guard case .indexed(let first) = held[0].results.snapshot.keys else {
      Issue.record("the first generation holds its keys")
      return
    }
    #expect(first.era.keyCountOfWay <= 2 * 1100)
    world.controller.cancel()
    try world.store.close()
  }

  @Test func `are freed when nothing references them`() async throws {
    let world = try await World(rows: 200)
    weak var era: KeyEra?
    do {
      let results = try world.controller.results()
      guard case .indexed(let keys) = results.snapshot.keys else { return }
      era = keys.era
      #expect(era != nil)
    }
    for number in 0..<3 { try await world.commit(number) }
    #expect(era == nil)
    world.controller.cancel()
    try world.store.close()
  }
}
