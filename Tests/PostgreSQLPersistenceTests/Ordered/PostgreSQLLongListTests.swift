#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Synchronization
import Testing

@testable import PostgreSQLPersistence
@testable import ResultsPresentation

/// R17, R19, R55, R77, R88, R159: a long list over an index of PostgreSQL is right after every commit, reads no more than it must, and opens
/// from a cache.
@Suite("A long list over PostgreSQL", .timeLimit(.minutes(5)))
struct PostgreSQLLongListTests {
  private static let rows = 100_000

  /// A store with many messages and an index for their list.
  private struct World {
    let store: PostgreSQLStore
    let url: String
    let entity: EntityDescription
    var generator: SeededGenerator

    init(url: String, seed: UInt64) throws {
      self.url = url
      entity = try EntityDescription(
        name: "Message",
        attributes: [
          AttributeDescription("folder", .integer32),
          AttributeDescription("date", .integer64, isOptional: true),
          AttributeDescription("body", .text),
        ]
      )
      store = try PostgreSQLStore(url: url, entities: [entity])
      generator = SeededGenerator(seed: seed)
      try TestServer.connect(url).runOnce(
        """
        INSERT INTO "Message" (id, folder, date, body) SELECT n, n % 20, \
        CASE WHEN n % 50 = 0 THEN NULL ELSE n * 7919 % 1000003 END, 'body ' || n \
        FROM generate_series(1, \(PostgreSQLLongListTests.rows)) n
        """
      )
      let definition = try ResultsDefinition(request, sectionedBy: .attribute("folder")).order()
      #expect(try store.createIndex(serving: definition) != nil)
    }

    var request: FetchRequest<Row> {
      FetchRequest<Row>(entity: entity, sortedBy: [.descending("date")])
    }

    var ids: FetchRequest<ObjectID> {
      FetchRequest<ObjectID>(
        entity: entity,
        sortedBy: [.ascending("folder"), .descending("date")]
      )
    }

    func controller(
      _ cache: (any SectionCacheStorage)? = nil
    ) throws -> FetchedResultsController<Row> {
      var options = ResultsOptions()
      options.caches = cache
      return FetchedResultsController(
        ResultsDefinition(
          request,
          sectionedBy: .attribute("folder"),
          cacheName: cache == nil ? nil : "messages"
        ),
        in: store,
        options: options
      )
    }

    /// Changes random rows in one transaction.
    mutating func commit(rows count: Int) throws {
      var drawn = generator
      let entity = entity
      try store.write { transaction in
        for _ in 0..<count {
          let key = ObjectKey.integer(Int64(drawn.number(in: 1...PostgreSQLLongListTests.rows)))
          let id = ObjectID(entity: entity.name, key: key)
          let values: [Value] = [
            .integer(Int64(drawn.number(in: 0...21))),
            drawn.happens(percent: 10)
              ? .null : .integer(Int64(drawn.number(in: 0...1_000_003))), "changed",
          ]
          switch drawn.number(in: 0...9) {
          case 0: _ = try transaction.delete(id, of: entity)
          case 1: _ = try transaction.insert(values, key: nil, into: entity)
          default:
            guard try transaction.rows([key], of: entity).first != .some(nil) else { continue }
            try transaction.update(id, to: values, of: entity)
          }
        }
      }
      generator = drawn
    }
  }

  @Test func `R84: an index serves the opposite order too`() async throws {
    try await TestServer.withDatabase { url in
      let world = try World(url: url, seed: 1)
      let controller = try world.controller()
      try await controller.performFetch()
      let whole = try controller.results.snapshot.content.sections
      try await controller.update { $0 = $0.reversed() }
      let explanation = try #require(try await controller.explain())
      guard case .indexed = explanation.keys else {
        Issue.record("the list holds its keys")
        return
      }
      let reversed = try controller.results.snapshot.content.sections
      #expect(reversed.map(\.rows) == whole.reversed().map { $0.rows.reversed() })
      #expect(reversed.map(\.header.id) == whole.reversed().map(\.header.id))
      controller.cancel()
      try world.store.close()
    }
  }

  @Test func `R76: another window reads the rows that enter or leave, and counts nothing again`()
    async throws
  {
    try await TestServer.withDatabase { url in
      let world = try World(url: url, seed: 1)
      let controller = try world.controller()
      try await controller.performFetch()
      let ids = try world.store.fetch(world.ids)
      var shown = ids
      for (offset, limit) in [(4990, 40), (5000, 60), (99_990, 30), (0, 100)] {
        try await controller.update { definition in
          definition.request.fetchOffset = offset
          definition.request.fetchLimit = limit
        }
        let explanation = try #require(try await controller.explain())
        #expect(explanation.last.path == .windowMoved)
        let rows = Array(ids.dropFirst(offset).prefix(limit))
        #expect(try controller.results.snapshot.content.sections.flatMap(\.rows) == rows)
        #expect(explanation.last.work.rows == Set(shown).symmetricDifference(rows).count)
        shown = rows
      }
      controller.cancel()
      try world.store.close()
    }
  }

  @Test func `R79: limits of sections are those of the whole list`() async throws {
    try await TestServer.withDatabase { url in
      var world = try World(url: url, seed: 3)
      var (whole, limited) = (try world.controller().definition, try world.controller())
      whole.cacheName = nil
      let all = FetchedResultsController(whole, in: world.store)
      try await all.performFetch()
      try await limited.performFetch()
      try await limited.update { definition in
        definition.arrangement.fixed = [
          .init(.integer(7)), .init(.integer(99)), .init(.integer(1)),
        ]
        definition.arrangement.others = .hidden
        definition.arrangement.limits.all = 5
      }
      var content = try limited.results.snapshot.content
      var events = limited.changes.makeAsyncIterator()
      _ = await events.next()
      for number in 0..<20 {
        if number % 5 == 4 {
          let id = SectionID(.integer(7))
          try await limited.update { $0.arrangement.limits[id] = number == 4 ? 0 : number }
          let explanation = try #require(try await limited.explain())
          #expect(explanation.last.path == .limitsMoved)
          #expect(explanation.last.work.rows <= 20)
        } else {
          try world.commit(rows: 8)
        }
        try await all.refresh()
        try await limited.refresh()
        let (sections, after) = (try all.results.sections, try limited.results)
        let limits = limited.definition.arrangement.limits
        for (id, section) in zip([7, 99, 1], after.sections) {
          let same = sections.first { $0.id == section.id }
          #expect(section.id == SectionID(.integer(Int64(id))))
          #expect(section.matchingCount == same?.count ?? 0, "step \(number)")
          let rows = same?.rows.prefix(limits[section.id] ?? .max).map(\.objectID) ?? []
          #expect(section.rows.map(\.objectID) == rows, "step \(number)")
        }
        #expect(after.sections.count == 3)
        let wanted = try after.snapshot.content
        while content != wanted, case .change(let change) = await events.next() {
          let next = try change.after.snapshot.content
          try change.delta.verify(from: content, to: next)
          content = next
        }
      }
      all.cancel()
      limited.cancel()
      try world.store.close()
    }
  }

  @Test func `R77: deltas are exact, commit by commit`() async throws {
    try await TestServer.withDatabase { url in
      let seed: UInt64 = 1
      var world = try World(url: url, seed: seed)
      let controller = try world.controller()
      try await controller.performFetch()
      guard case .indexed? = try await controller.explain()?.keys else {
        Issue.record("the list holds its keys")
        return
      }
      var changes = controller.changes.makeAsyncIterator()
      _ = await changes.next()
      var content = try controller.results.snapshot.content
      for step in 0..<7 {
        let context: Comment = "seed \(seed), step \(step)"
        try world.commit(rows: step % 6 == 5 ? 400 : 1 + step % 5)
        try await controller.refresh()
        guard case .change(let change) = await changes.next() else {
          Issue.record(context)
          return
        }
        content = try content.applying(change.delta)
        let ids = try world.store.fetch(world.ids)
        #expect(content.sections.flatMap(\.rows) == ids, context)
        #expect(try controller.results.objectIDs(at: 0..<ids.count) == ids, context)
      }
    }
  }

  @Test func `R285: running values are those of the rows, also commits behind`() async throws {
    try await TestServer.withDatabase { url in
      var world = try World(url: url, seed: 3)
      let controller = try world.controller()
      try await controller.update { $0.aggregates = [SectionAggregate("dates", .sum("date"))] }
      try await controller.performFetch()
      var everything = FetchRequest<Row>(entity: world.entity, sortedBy: [.ascending("folder")])
      everything.sortDescriptors.append(.descending("date"))
      for step in 0..<6 {
        let dates = try world.store.fetch(everything).map { $0["date"].integer ?? 0 }
        let results = try controller.results
        if step % 2 == 1 { try world.commit(rows: 40) }
        for start in [0, 2400, 33_333, 52_500, 99_990] {
          let page = start..<start + 3
          let first = try results.runningValues(of: "dates", at: page)
          let last = try results.runningValues(of: "dates", from: .last, at: page)
          let wanted = page.map { position in
            [dates[...position], dates[position...]].map { $0.reduce(0, +) }
          }
          let context: Comment = "step \(step), \(page)"
          #expect(first.map(\.value.integer) == wanted.map { $0[0] }, context)
          #expect(last.map(\.value.integer) == wanted.map { $0[1] }, context)
        }
        try await controller.refresh()
      }
      controller.cancel()
      try world.store.close()
    }
  }

  @Test func `R158: a commit of another program costs two round trips after the wake-up`()
    async throws
  {
    try await TestServer.withDatabase { url in
      let world = try World(url: url, seed: 4)
      let controller = try world.controller()
      try await controller.performFetch()
      var changes = controller.changes.makeAsyncIterator()
      _ = await changes.next()
      let writer = try TestServer.connect(url)
      var flights: [Int] = []
      // To and fro between two places; the statements for them are proved when they are first needed.
      for round in 0..<6 {
        let before = try world.store.pool.with(.reading) { (connection) throws(StoreError) in
          connection.flightCount
        }
        try writer.runOnce("UPDATE \"Message\" SET folder = \(round % 2 + 3) WHERE id = 77")
        guard case .change(let change) = await changes.next() else {
          Issue.record("no change in round \(round)")
          return
        }
        #expect(change.delta.rows.count == 1)
        let after = try world.store.pool.with(.reading) { (connection) throws(StoreError) in
          connection.flightCount
        }
        flights.append(after - before)
      }
      // What is fresh and its counts; the third is the end of the transaction, for which nobody waits.
      #expect(flights.suffix(2) == [3, 3], "\(flights)")
    }
  }

  @Test func `R17: the first rows come before the others are counted`() async throws {
    try await TestServer.withDatabase { url in
      let world = try World(url: url, seed: 2)
      let controller = try world.controller()
      let pages = Mutex<[Int]>([])
      try await controller.performFetch { page in pages.withLock { $0.append(page.ids.count) } }
      #expect(pages.withLock { $0 } == [50])
      #expect(try controller.results.count == PostgreSQLLongListTests.rows)
    }
  }

  @Test func `R88: a cache is opened with what was committed since`() async throws {
    try await TestServer.withDatabase { url in
      var world = try World(url: url, seed: 3)
      let caches = Caches()
      let first = try world.controller(caches)
      try await first.performFetch()
      #expect(first.cacheOutcome == .miss(.none))
      first.cancel()
      try world.commit(rows: 40)
      let second = try world.controller(caches)
      try await second.performFetch()
      guard case .replayed? = second.cacheOutcome else {
        Issue.record("\(String(describing: second.cacheOutcome))")
        return
      }
      let ids = try world.store.fetch(world.ids)
      #expect(try second.results.objectIDs(at: 0..<ids.count) == ids)
    }
  }
}

/// Caches in memory.
///
/// The mutex guards the bytes.
private final class Caches: SectionCacheStorage {
  private let stored = Mutex<[String: [UInt8]]>([:])

  func load(_ name: String) -> [UInt8]? { stored.withLock { $0[name] } }
  func save(_ bytes: [UInt8], as name: String) { stored.withLock { $0[name] = bytes } }
  func remove(_ name: String) -> Bool { stored.withLock { $0.removeValue(forKey: name) != nil } }
  func removeAll() -> Int {
    stored.withLock { stored in
      defer { stored = [:] }
      return stored.count
    }
  }
  func entries() -> [SectionCacheEntry] { [] }
}
#endif
