import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
@testable import ResultsPresentation
import SQLitePersistence
import Synchronization
import Testing

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
        options: ResultsOptions(delivery: .onDemand, inMemoryKeyLimit: -1, auditPeriod: nil)
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

    var keys: IndexedKeys? { get throws { try keys(of: controller) } }

    func keys(of controller: FetchedResultsController<Row>) throws -> IndexedKeys? {
      if case .indexed(let keys) = try controller.results.snapshot.keys { keys } else { nil }
    }

    var logBytes: Int {
      let values = try? FileManager.default.attributesOfItem(
        atPath: folder.file("store.sqlite-wal")
      )
      return values?[.size] as? Int ?? 0
    }
  }

  @Test func `R76: another window reads the rows that enter or leave, and counts nothing again`()
    async throws
  {
    let world = try await World(rows: 2000)
    let whole = try world.controller.results.snapshot.content
    let windows: [(Int, Int?)] = [(0, 40), (90, 40), (95, 140), (1990, 400), (0, nil)]
    for (offset, limit) in windows {
      let before = try world.controller.results.snapshot.content
      try await world.controller.update { definition in
        definition.request.fetchOffset = offset
        definition.request.fetchLimit = limit
      }
      let explanation = try #require(try await world.controller.explain())
      #expect(explanation.last.path == .windowMoved)
      let after = try world.controller.results.snapshot.content
      let rows = Array(whole.sections.flatMap(\.rows).dropFirst(offset).prefix(limit ?? .max))
      #expect(after.sections.flatMap(\.rows) == rows)
      let moved = Set(before.sections.flatMap(\.rows)).symmetricDifference(rows).count
      #expect(explanation.last.work.rows == moved)
      _ = try #require(try world.keys, "the list holds its keys")
    }
    #expect(try world.controller.results.snapshot.content == whole)
  }

  @Test
  func `R79: limits of sections are those of the whole list, and read nothing but what they show`()
    async throws
  {
    let world = try await World(rows: 2000)
    let limited = FetchedResultsController(
      world.controller.definition,
      in: world.store,
      options: ResultsOptions(delivery: .onDemand, inMemoryKeyLimit: -1, auditPeriod: nil)
    )
    try await limited.performFetch()
    var arrangement = SectionArrangement(
      fixed: [.init("P7"), .init("P3"), .init("new")],
      limits: SectionLimits(all: 3)
    )
    arrangement.limits.collapse(SectionID(.text("P5")))
    try await limited.update { [arrangement] in $0.arrangement = arrangement }
    _ = try #require(try world.keys(of: limited), "the list holds its keys")
    for number in 0..<120 {
      let before = try limited.results.snapshot.content
      var events = limited.changes.makeAsyncIterator()
      _ = await events.next()
      if number % 4 == 3 {
        let id = SectionID(.text("P\(number % 20)"))
        arrangement.limits[id] = [nil, 0, 1, 50][number / 4 % 4]
        try await limited.update { [arrangement] in $0.arrangement = arrangement }
        let explanation = try #require(try await limited.explain())
        #expect(explanation.last.path == .limitsMoved)
        let after = try limited.results.snapshot.content
        let moved = Set(before.sections.flatMap(\.rows))
          .symmetricDifference(after.sections.flatMap(\.rows))
        #expect(explanation.last.work.rows == moved.count)
      }
      try await world.commit(number)
      try await limited.refresh()
      let after = try limited.results.snapshot.content
      let whole = try world.controller.results.snapshot.content
      #expect(after == whole.arranged(by: arrangement), "commit \(number)")
      var content = before
      while content != after, case .change(let change) = await events.next() {
        let next = try change.after.snapshot.content
        try change.delta.verify(from: content, to: next)
        content = next
      }
      _ = try #require(try world.keys(of: limited), "the list holds its keys")
    }
    let explanation = try #require(try await limited.explain())
    #expect(explanation.lines.contains { $0.hasPrefix("sections   3 fixed, others after; 3 rows") })
  }

  @Test func `R84: an index serves the opposite order too`() async throws {
    let world = try await World(rows: 2000)
    let whole = try world.controller.results.snapshot.content
    try await world.controller.update { $0 = $0.reversed() }
    _ = try #require(try world.keys, "the list holds its keys")
    for number in 0..<5 {
      let reversed = try world.controller.results.snapshot.content
      if number == 0 {
        let rows = whole.sections.reversed().map { Array($0.rows.reversed()) }
        #expect(reversed.sections.map(\.rows) == rows)
      }
      try await world.commit(number)
    }
    let reversed = try world.controller.results.snapshot.content.sections.flatMap(\.rows)
    try await world.controller.update { $0 = $0.reversed() }
    #expect(
      try world.controller.results.snapshot.content.sections.flatMap(\.rows) == reversed.reversed()
    )
  }

  @Test func `let checkpoints complete, and hold only what changed (R21)`() async throws {
    let world = try await World(rows: 2000)
    _ = try #require(try world.keys, "the list holds its keys")
    var held: [(results: ResultsList<Row>, content: ResultsContent)] = []
    for number in 0..<100 {
      let results = try world.controller.results
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
    #expect(first.keyVersion.transitionKeyCount <= 2 * 1100)
    world.controller.cancel()
    try world.store.close()
  }

  @Test func `are freed when nothing references them`() async throws {
    let world = try await World(rows: 200)
    weak var keyVersion: KeyVersion?
    do {
      let results = try world.controller.results
      guard case .indexed(let keys) = results.snapshot.keys else { return }
      keyVersion = keys.keyVersion
      #expect(keyVersion != nil)
    }
    for number in 0..<3 { try await world.commit(number) }
    #expect(keyVersion == nil)
    world.controller.cancel()
    try world.store.close()
  }

  @Test func `R285: the store finds the rows between a page and its section's end by the index`()
    async throws
  {
    // Its only connection is the one whose statements are traced.
    let store = try SQLiteStore.inMemory(entities: Sample.entities)
    try LogFixture.run(
      """
      CREATE INDEX shelves ON Book (publisher, title, id);
      WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1999)
      INSERT INTO Book (publisher, title, year) SELECT 'P' || (i % 2), 't' || (1000000 + i), 1 FROM n
      """,
      in: store
    )
    var definition = ResultsDefinition(
      FetchRequest<Row>(
        entity: Sample.book,
        sortedBy: [.ascending("publisher"), .ascending("title")]
      ),
      sectionedBy: .attribute("publisher")
    )
    definition.aggregates = [SectionAggregate("years", .sum("year"))]
    let controller = FetchedResultsController(
      definition,
      in: store,
      options: ResultsOptions(inMemoryKeyLimit: -1, auditPeriod: nil)
    )
    try await controller.performFetch()
    let results = try controller.results
    let statements = Mutex<[String]>([])
    func onConnection(_ body: (Database) throws -> Void) throws {
      _ = try store.commit(origin: .unnamed) { transaction in
        try (transaction as? SQLiteTransaction)?.withDatabase(body)
      }
    }
    try onConnection { database in
      database.trace { event in statements.withLock { $0.append(event.expandedDescription) } }
    }
    // Half of the section before the page, and half of it after the page.
    for (origin, first) in [(RunningOrigin.first, 500), (.last, 1500)] {
      let values = try results.runningValues(of: "years", from: origin, at: first..<first + 2)
      let wanted = origin == .first ? [first + 1, first + 2] : [2000 - first, 1999 - first]
      #expect(values.map(\.value) == wanted.map { .integer(Int64($0)) })
    }
    try onConnection { database in
      database.trace(nil)
      let sums = statements.withLock { $0.filter { $0.contains("sum((") } }
      #expect(sums.count == 2, "\(statements.withLock { $0 })")
      for sum in sums {
        let plan = try GRDB.Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sum)")
          .compactMap { $0["detail"] as String? }.joined(separator: "\n")
        #expect(plan.contains("shelves (publisher=? AND title>? AND title<?"), "\(plan)")
      }
    }
    controller.cancel()
  }
}

/// R55, R56: terms after the object's key have no effect on the order, so an index is used with them, and remains in use.
@Suite struct `An order with terms after the object's key` {
  private typealias Row = ResultsDomain.Row

  private static let key = FetchExpression.objectKey

  /// Orders by an attribute and the key, with an optional attribute after them.
  private static let orders: [[FetchSortDescriptor]] = [
    [.ascending("publisher"), FetchSortDescriptor(key, .descending), .ascending("year")],
    [.ascending("publisher"), FetchSortDescriptor(key), .ascending("year")],
    [.descending("publisher"), FetchSortDescriptor(key, .descending), .descending("rating")],
    [FetchSortDescriptor(key, .descending), .ascending("year", nulls: .last)],
  ]

  @Test(arguments: 0..<4)
  func `R55 R56: uses the index created for it, and continues to`(_ index: Int) async throws {
    let store = try SQLiteStore.inMemory(entities: [Sample.book])
    try await store.write { transaction in
      for number in 0..<9 {
        try transaction.insert(
          Sample.values("P\(number % 2)", "t\(number)", number % 3 == 0 ? .null : .integer(7)),
          key: nil,
          into: Sample.book
        )
      }
    }
    let definition = try OrderDefinition(
      entity: Sample.book,
      predicate: .all,
      sortDescriptors: Self.orders[index]
    )
    try store.createIndex(serving: definition)
    let list = FetchedResultsController(
      FetchRequest<Row>(entity: Sample.book, sortedBy: Self.orders[index]),
      in: store,
      options: ResultsOptions(inMemoryKeyLimit: -1, auditPeriod: nil)
    )
    try await list.performFetch()
    guard case .indexed? = try await list.explain()?.keys else {
      Issue.record("\(String(describing: try await list.explain()?.lines))")
      return
    }
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    for number in 1...6 as ClosedRange<Int64> {
      try await store.write { transaction in
        try transaction.delete(Sample.id(number), of: Sample.book)
        try transaction.insert(Sample.values("P0", "u", .null), key: nil, into: Sample.book)
      }
      guard case .change(let change) = await events.next() else {
        Issue.record("no change, but a reset")
        return
      }
      #expect(change.delta.rows.count == 2)
      let old = try change.before.snapshot.content
      #expect(try old.applying(change.delta) == change.after.snapshot.content)
    }
    list.cancel()
  }
}

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
    #expect(try controller.results.count == 1_000_000)
    let last = try controller.results.object(at: RowPath(section: 0, row: 999_999))
    #expect(last["title"] == .text("item 1000000"))
    try await store.write { transaction in
      try transaction.delete(ObjectID(entity: "Item", key: .integer(500_000)), of: entity)
    }
    try await controller.refresh()
    #expect(try controller.results.count == 999_999)
    controller.cancel()
    try store.close()
  }
}

extension ResultsContent {
  /// The content as an arrangement shows it; other sections come after the fixed ones.
  fileprivate func arranged(by arrangement: SectionArrangement) -> ResultsContent {
    let fixed = arrangement.fixed.map { section in
      sections.first { $0.header.id == SectionID(section.id) }
        ?? Section(
          header: SectionHeader(id: SectionID(section.id), title: "\(section.id)"),
          rows: []
        )
    }
    let others = sections.filter { section in
      !arrangement.fixed.contains { SectionID($0.id) == section.header.id }
    }
    return ResultsContent(
      sections: (fixed + others).map { section in
        guard let limit = arrangement.limits[section.header.id] else { return section }
        let id = section.header.id
        let title = if case .text(let text) = id.value { text } else { section.header.title }
        return Section(
          header: SectionHeader(id: id, title: title, matchingCount: section.rows.count),
          rows: Array(section.rows.prefix(limit))
        )
      }
    )
  }
}
