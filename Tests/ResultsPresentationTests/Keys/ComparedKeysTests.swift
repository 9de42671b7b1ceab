import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import Synchronization
import Testing

@testable import ResultsPresentation

/// R219: a list while the history of its store omits commits, which it has otherwise.
@Suite("A list whose store omits commits for a while", .timeLimit(.minutes(1)))
struct ComparedKeysTests {
  private struct World {
    var list: ListWorld
    let store: IndexingStore
    let controller: FetchedResultsController<Row>

    init(seed: UInt64, inMemoryKeyLimit: Int = -1, sectioned: Bool = true) throws {
      list = try ListWorld(seed: seed)
      store = IndexingStore(list.store)
      try list.commit(rows: 60)
      let request = FetchRequest<Row>(entity: list.entity, sortedBy: [.ascending("note")])
      controller = FetchedResultsController(
        ResultsDefinition(
          request,
          sectionedBy: sectioned ? .attribute("series") : nil,
          aggregates: [SectionAggregate("sum", .sum("rank"))]
        ),
        in: store,
        options: ResultsOptions(inMemoryKeyLimit: inMemoryKeyLimit)
      )
    }

    /// Changes what is shown of the row at a position, and not its order.
    func update(_ position: Int) throws {
      let id = try #require(try controller.results.snapshot.identity(atFlatPosition: position))
      try list.store.write { transaction in
        let row = try #require(try transaction.rows([id.key], of: list.entity)[0])
        var values = row.values
        values[1] = .integer((values[1].integer ?? 0) + 1)
        try transaction.update(id, to: values, of: list.entity, ifUnchangedFrom: nil)
      }
    }

    var isIndexed: Bool {
      get async throws {
        if case .indexed? = try await controller.explain()?.keys { true } else { false }
      }
    }

    /// The list as one that holds its keys shows it.
    var truth: ResultsContent {
      get async throws {
        let other = FetchedResultsController(controller.definition, in: list.store)
        try await other.performFetch()
        return try other.results.snapshot.content
      }
    }

    func setOmitsCommits(_ omits: Bool) { store.omitsCommits.store(omits, ordering: .relaxed) }
  }

  private typealias Events = ResultsChanges<Row>.AsyncIterator

  /// Brings the list up to date, and returns the number of rows that the delta names; it must turn the old content into the new.
  private func follow(
    _ world: World,
    _ events: inout Events,
    from content: inout ResultsContent
  ) async throws -> Int? {
    try await world.controller.refresh()
    guard case .change(let change) = await events.next() else { return nil }
    content = try content.applying(change.delta)
    #expect(try await content == world.truth)
    #expect(try world.controller.results.snapshot.content == content)
    return change.delta.rows.count
  }

  @Test(arguments: [true, false], 1...3 as ClosedRange<UInt64>)
  func `R219: a list over an index is compared meanwhile, and then leaves its keys to it again`(
    sectioned: Bool,
    seed: UInt64
  ) async throws {
    var world = try World(seed: seed, sectioned: sectioned)
    try await world.controller.performFetch()
    #expect(try await world.isIndexed)
    var events = world.controller.changes.makeAsyncIterator()
    _ = await events.next()
    for _ in 0..<2 {
      world.setOmitsCommits(true)
      try world.update(3)
      try await world.controller.refresh()
      guard case .reset(.historyLost, let results) = await events.next() else {
        Issue.record("the earlier keys of an index cannot be known")
        return
      }
      var content = try results.snapshot.content
      #expect(try await content == world.truth)
      #expect(try await world.controller.explain()?.keys == .held(.unreportedCommits))
      for position in [5, 6, 7] {
        try world.update(position)
        #expect(try await follow(world, &events, from: &content) == 1)
      }
      try world.list.commit(rows: 12)
      #expect(try await follow(world, &events, from: &content) != nil)
      world.setOmitsCommits(false)
      let shown = try world.controller.results
      try world.update(8)
      #expect(try await follow(world, &events, from: &content) == 1)
      #expect(try await world.isIndexed)
      #expect(try shown.snapshot.content != content)
      for position in [9, 10] {
        try world.update(position)
        #expect(try await follow(world, &events, from: &content) == 1)
      }
      try world.list.commit(rows: 12)
      #expect(try await follow(world, &events, from: &content) != nil)
      #expect(try await world.isIndexed)
    }
  }

  @Test func `R219: a list that begins meanwhile leaves its keys to the index afterwards`()
    async throws
  {
    let world = try World(seed: 4)
    world.setOmitsCommits(true)
    try await world.controller.performFetch()
    #expect(try await !world.isIndexed)
    var events = world.controller.changes.makeAsyncIterator()
    _ = await events.next()
    var content = try world.controller.results.snapshot.content
    world.setOmitsCommits(false)
    try world.update(2)
    #expect(try await follow(world, &events, from: &content) == 1)
    #expect(try await world.isIndexed)
  }

  @Test func `R219: a list that holds its keys names meanwhile the rows that changed`()
    async throws
  {
    let world = try World(seed: 5, inMemoryKeyLimit: .max)
    try await world.controller.performFetch()
    var events = world.controller.changes.makeAsyncIterator()
    _ = await events.next()
    var content = try world.controller.results.snapshot.content
    world.setOmitsCommits(true)
    try world.update(1)
    // What the other rows were is not known.
    let count = try world.controller.results.count
    #expect(try await follow(world, &events, from: &content) == count)
    for position in [1, 2] {
      try world.update(position)
      #expect(try await follow(world, &events, from: &content) == 1)
    }
    world.setOmitsCommits(false)
    for position in [3, 4] {
      try world.update(position)
      #expect(try await follow(world, &events, from: &content) == 1)
    }
    #expect(try await !world.isIndexed)
  }
}
