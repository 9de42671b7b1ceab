import GRDB
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Testing

@Suite struct `Unions over a database file` {
  /// How a file is opened.
  enum Kind: CaseIterable {
    /// With a change log, so that each commit of another program is known.
    case logged
    /// Without one, so that they are found by comparison.
    case compared
  }

  private final class Opened {
    var store: SQLiteStore?
    var entities: [EntityDescription] = []
  }

  @Test(arguments: Kind.allCases, UInt64(1)...8)
  func `R12: a list of several kinds is the naive merge of its branches, while others write`(
    kind: Kind,
    seed: UInt64
  ) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("union.sqlite")
    var options = SQLiteStoreOptions(pollInterval: nil)
    options.maintainsChangeLog = kind == .logged
    let opened = Opened()
    var walk = try await UnionWalk(seed: seed) { entities in
      let store = try SQLiteStore(at: path, entities: entities, options: options)
      (opened.store, opened.entities) = (store, entities)
      return store
    }
    let other = try SQLiteStore(at: path, entities: opened.entities, options: options)
    for _ in 0..<20 { try await walk.step(other) }
    #expect(walk.counts["foreign", default: 0] > 0, "seed \(seed)")
    try other.close()
    try opened.store?.close()
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: Kind.allCases)
  func `R12: a commit of another program to two branches is one change`(kind: Kind) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("union.sqlite")
    var options = SQLiteStoreOptions(pollInterval: nil)
    options.maintainsChangeLog = kind == .logged
    let base = try SQLiteStore(at: path, entities: [Sample.book, Sample.tag], options: options)
    let union = try Self.union()
    let store = try UnionStore(over: base, unions: [union])
    let list = FetchedResultsController(
      FetchRequest<ResultsDomain.Row>(entity: union.entity, sortedBy: [.ascending("number")]),
      in: store
    )
    try await list.performFetch()
    let other = try DatabaseQueue(path: path)
    try await other.write { database in
      try database.execute(
        sql: """
          INSERT INTO Book (publisher, title, year) VALUES ('Ace', 'Emma', 1815);
          INSERT INTO Tag (name, rank) VALUES ('a', 7), ('b', 2000);
          """
      )
    }
    let generation = try list.results.generation
    try store.checkForExternalChanges()
    try await list.refresh()
    #expect(try list.results.generation == generation + 1)
    let shown = try list.results.objects().map { "\($0.id)" }
    #expect(shown == ["Thing tag,a", "Thing book,1", "Thing tag,b"])
    try other.close()
    try base.close()
    withExtendedLifetime(folder) {}
  }

  @Test func `R12, R77: a list over indexes of both branches counts them, and its plan names both`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.file("union.sqlite")
    let base = try SQLiteStore(at: path, entities: [Sample.book, Sample.tag])
    let queue = try DatabaseQueue(path: path)
    try await queue.write { database in
      try database.execute(
        sql: """
          CREATE INDEX BookByYear ON Book (year);
          CREATE INDEX TagByRank ON Tag (rank, name);
          """
      )
    }
    try await base.write { transaction in
      for number in 1...200 as ClosedRange<Int64> {
        try transaction.insert(
          Sample.values("Ace", "Emma", .integer(number * 2)),
          key: nil,
          into: Sample.book
        )
        try transaction.insert([.integer(number * 3)], key: .text("t\(number)"), into: Sample.tag)
      }
    }
    let union = try Self.union()
    let store = try UnionStore(over: base, unions: [union])
    let list = FetchedResultsController(
      FetchRequest<ResultsDomain.Row>(entity: union.entity, sortedBy: [.ascending("number")]),
      in: store,
      options: ResultsOptions(inMemoryKeyLimit: 0)
    )
    try await list.performFetch()
    let explanation = try #require(try await list.explain())
    #expect(explanation.plan.source == .index("BookByYear, TagByRank"))
    guard case .indexed = explanation.keys else {
      Issue.record("\(explanation.keys)")
      return
    }
    #expect(try list.results.count == 400)
    try await base.write { try $0.insert([.integer(5)], key: .text("new"), into: Sample.tag) }
    try await list.refresh()
    #expect(
      try list.results.objects().prefix(6).map { "\($0.id)" } == [
        "Thing book,1", "Thing tag,t1", "Thing book,2", "Thing tag,new", "Thing book,3",
        "Thing tag,t2",
      ]
    )
    try queue.close()
    try base.close()
    withExtendedLifetime(folder) {}
  }

  private static func union() throws -> UnionDescription {
    try UnionDescription(
      "Thing",
      branches: [
        UnionBranch(
          "book",
          entity: Sample.book,
          attributes: [UnionAttribute("number", .attribute("year"))]
        ),
        UnionBranch(
          "tag",
          entity: Sample.tag,
          attributes: [UnionAttribute("number", .attribute("rank"))]
        ),
      ]
    )
  }
}
