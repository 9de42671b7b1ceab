import InMemoryPersistence
import OrderStatistics
import ResultsDomain
import ResultsStoreKit
import Synchronization
import Testing

@testable import ResultsPresentation

/// R17, R19, R43, R53, R57, R71, R72, R77, R89: a list over an index whose store loses its index or its history.
@Suite("A list over an index")
struct IndexedControllerTests {
  private struct World {
    var list: ListWorld
    let store: IndexingStore
    let controller: FetchedResultsController<Row>

    init(seed: UInt64, rows: Int = 60, sectioned: Bool = true, resetThreshold: Int? = nil) throws {
      list = try ListWorld(seed: seed)
      store = IndexingStore(list.store)
      try list.commit(rows: rows)
      let request = FetchRequest<Row>(entity: list.entity, sortedBy: [.ascending("note")])
      controller = FetchedResultsController(
        ResultsDefinition(request, sectionedBy: sectioned ? .attribute("series") : nil),
        in: store,
        options: ResultsOptions(resetThreshold: resetThreshold, inMemoryKeyLimit: -1)
      )
    }

    /// Commits some new rows.
    func insert(_ count: Int) throws {
      try list.store.write { transaction in
        for number in 0..<count {
          let values: [Value] = [.text("a"), .integer(Int64(number)), .text("y")]
          _ = try transaction.insert(values, key: nil, into: list.entity)
        }
      }
    }

    /// The list as one that holds its keys shows it.
    func truth() async throws -> ResultsContent {
      let other = FetchedResultsController(controller.definition, in: list.store)
      try await other.performFetch()
      return try other.results.snapshot.content
    }
  }

  @Test(arguments: [(2, "tooManyChanges"), (3, "change")])
  func `R43: a change above the threshold is not applied, and the list is counted again`(
    threshold: Int,
    delivered: String
  ) async throws {
    let world = try World(seed: 5, resetThreshold: threshold)
    try await world.controller.performFetch()
    var events = world.controller.changes.makeAsyncIterator()
    _ = await events.next()
    try world.insert(3)
    try await world.controller.refresh()
    switch await events.next() {
    case .reset(let reason, let results):
      #expect(reason == .tooManyChanges(count: 3))
      #expect(delivered == reason.wireName)
      #expect(results.generation == 2)
    case .change(let change):
      #expect(delivered == "change")
      #expect(change.delta.rows.count == 3)
    default: Issue.record("nothing was delivered")
    }
    #expect(try await world.controller.results.snapshot.content == world.truth())
    try world.insert(1)
    try await world.controller.refresh()
    guard case .change(let change) = await events.next() else {
      Issue.record("no change was delivered")
      return
    }
    #expect(change.delta.from == 2)
    #expect(try await world.controller.results.snapshot.content == world.truth())
  }

  @Test func `a lost index is a reset, and the list holds its keys from then on`()
    async throws
  {
    var world = try World(seed: 3)
    try await world.controller.performFetch()
    guard case .indexed = try world.controller.results.snapshot.keys else {
      Issue.record("the list holds its keys")
      return
    }
    var events = world.controller.changes.makeAsyncIterator()
    _ = await events.next()
    world.store.hasIndex.store(false, ordering: .relaxed)
    try world.list.commit(rows: 5)
    try await world.controller.refresh()
    let results = try world.controller.results
    guard case .held = results.snapshot.keys else {
      Issue.record("the list is still read from the index")
      return
    }
    #expect(try await results.snapshot.content == world.truth())
    guard case .reset(.indexLost, _) = await events.next() else {
      Issue.record("no reset was delivered")
      return
    }
  }

  @Test func `a lost history is a reset, and the list uses the index again`()
    async throws
  {
    var world = try World(seed: 12)
    try await world.controller.performFetch()
    var events = world.controller.changes.makeAsyncIterator()
    _ = await events.next()
    world.store.losesHistory.store(true, ordering: .relaxed)
    try world.list.commit(rows: 5)
    try await world.controller.refresh()
    guard case .reset(.historyLost, let results) = await events.next() else {
      Issue.record("no reset was delivered")
      return
    }
    guard case .indexed = results.snapshot.keys else {
      Issue.record("the list holds its keys")
      return
    }
    #expect(try await results.snapshot.content == world.truth())
  }

  @Test func `an earlier generation needs only the list's own history`() async throws {
    var world = try World(seed: 13)
    try await world.controller.performFetch()
    let (shown, content) = (try world.controller.results, try await world.truth())
    for _ in 0..<12 {
      try world.list.commit(rows: 4)
      try await world.controller.refresh()
    }
    world.store.losesHistory.store(true, ordering: .relaxed)
    #expect(try shown.snapshot.content == content)
  }

  @Test func `earlier generations stay readable while the store changes`() async throws {
    var world = try World(seed: 4)
    try await world.controller.performFetch()
    var shown: [(ResultsList<Row>, ResultsContent)] = []
    for _ in 0..<30 {
      shown.append((try world.controller.results, try await world.truth()))
      try world.list.commit(rows: 4)
      // This commit has not been delivered yet, and earlier generations are read all the same.
      for (results, content) in shown { #expect(try results.snapshot.content == content) }
      try await world.controller.refresh()
      for (results, content) in shown { #expect(try results.snapshot.content == content) }
    }
  }

  @Test func `rows are read at the positions of their generation`() async throws {
    var world = try World(seed: 5)
    try await world.controller.performFetch()
    let results = try world.controller.results
    let before = try results.objects()
    try world.list.commit(rows: 12)
    try await world.controller.refresh()
    for (position, row) in before.enumerated() {
      let id = try #require(results.snapshot.objectID(atFlatPosition: position))
      #expect(id == row.id)
      let path = try #require(results.snapshot.path(ofFlatPosition: position))
      #expect(results.path(of: row.id) == path)
    }
    #expect(try await world.controller.results.snapshot.content == world.truth())
  }

  @Test func `another definition is an ordinary delta`() async throws {
    let world = try World(seed: 6)
    try await world.controller.performFetch()
    let old = try world.controller.results.snapshot.content
    var events = world.controller.changes.makeAsyncIterator()
    _ = await events.next()
    try await world.controller.update { definition in
      definition.request.predicate = .comparison(.attribute("rank"), .greater, .literal(3))
    }
    let new = try world.controller.results.snapshot.content
    guard case .change(let change) = await events.next() else {
      Issue.record("no change was delivered")
      return
    }
    try change.delta.verify(from: old, to: new)
  }

  @Test func `a change behind the end of a window needs no query`() throws {
    var list = try ListWorld(seed: 7)
    let store = IndexingStore(list.store)
    try list.commit(rows: 400)
    let entity = list.entity
    let request = FetchRequest<Row>(
      entity: entity,
      sortedBy: [.ascending("note"), FetchSortDescriptor(.objectKey)],
      fetchLimit: 5
    )
    let plan = try ListPlan(ResultsDefinition(request))
    var indexing = IndexingPolicy(store, inMemoryKeyLimit: -1)
    indexing?.stride = 4
    var engine = try ListEngine(plan, in: store, indexing: indexing)
    try store.write { transaction in
      let values: [Value] = [.null, .null, .text("zzz")]
      _ = try transaction.insert(values, key: nil, into: entity)
    }
    let (progress, work) = try store.read { (snapshot) throws(StoreError) in
      let history = SnapshotHistory(snapshot)
      let progress = try engine.advance(in: history, folding: false)
      return (progress, history.snapshot.work)
    }
    guard case .moved(let steps) = progress else {
      Issue.record("the commit was not applied")
      return
    }
    #expect(steps.isEmpty)
    #expect(work == ListWork())
    #expect(engine.snapshot.matchingCount == engine.snapshot.keys.count)
  }

  @Test func `the first rows are shown before the others are counted`() async throws {
    let world = try World(seed: 8, rows: 300)
    let pages = Mutex<[ResultsPage<Row>]>([])
    let controller = world.controller
    try await controller.performFetch { page in
      guard case .opening = controller.state else { return }
      pages.withLock { $0.append(page) }
    }
    let page = try #require(pages.withLock { $0 }.first)
    let results = try controller.results
    let batchSize = controller.definition.request.fetchBatchSize
    #expect(page.ids.count == min(batchSize, results.count))
    for (position, id) in page.ids.enumerated() {
      #expect(results.snapshot.objectID(atFlatPosition: position) == id)
    }
    #expect(try page.objects().map(\.id) == page.ids)
    // The second time the list is fetched already.
    try await controller.performFetch { page in pages.withLock { $0.append(page) } }
    #expect(pages.withLock { $0.count } == 1)
  }

  @Test func `counting ends when the controller is cancelled`() async throws {
    let world = try World(seed: 9, rows: 300)
    let controller = world.controller
    try? await controller.performFetch { _ in controller.cancel() }
    guard case .ended(nil) = controller.state else {
      Issue.record("the list was fetched: \(controller.state)")
      return
    }
  }

  @Test func `a row outside of the history is found by an audit, and is a reset`()
    async throws
  {
    var world = try World(seed: 10, rows: 200)
    try await world.controller.performFetch()
    #expect(try await world.controller.audit(blocks: 64).unsoundBlocks == 0)
    var events = world.controller.changes.makeAsyncIterator()
    _ = await events.next()
    world.store.hidesCommits.store(true, ordering: .relaxed)
    try world.list.commit(rows: 40)
    try await world.controller.refresh()
    let audit = try await world.controller.audit(blocks: 64)
    #expect(audit.unsoundBlocks > 0)
    guard case .reset(.indexLost, _) = await events.next() else {
      Issue.record("no reset was delivered")
      return
    }
    #expect(try await world.controller.results.snapshot.content == world.truth())
  }

  @Test func `the list explains itself`() async throws {
    let world = try World(seed: 11, rows: 200)
    try await world.controller.performFetch()
    let explanation = try #require(try await world.controller.explain())
    guard case .indexed(let blocks, let sections) = explanation.keys else {
      Issue.record("the list holds its keys")
      return
    }
    #expect(blocks >= 1)
    #expect(try sections == world.controller.results.snapshot.sectionCount)
    #expect(explanation.lines.contains { $0.contains("counted over the index") })
  }
}

/// R43: a list over an index is counted again, and no row is located, where certainly more rows move than its consumer wants.
@Suite("Counting a list again")
struct RecountingTests {
  /// A change of three rows that are all in section `a`.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var sectioned = true
    let values: [Value]
    let isCounted: Bool
  }

  static let cases = [
    Case(testDescription: "to another section", values: ["b", 1, "x"], isCounted: true),
    Case(
      testDescription: "to one with the same beginning",
      values: ["ab", 1, "x"],
      isCounted: true
    ),
    Case(testDescription: "to no section", values: [.null, 1, "x"], isCounted: true),
    Case(testDescription: "within the section", values: ["a", 1, "y"], isCounted: false),
    Case(
      testDescription: "in a list without sections",
      sectioned: false,
      values: ["b", 1, "y"],
      isCounted: false
    ),
  ]

  @Test(arguments: cases)
  func `R43: rows that certainly move are not located where their number exceeds the threshold`(
    _ example: Case
  ) async throws {
    let world = try ListWorld(seed: 1)
    let entity = world.entity
    _ = try world.store.commit(origin: .unnamed) { transaction in
      for _ in 0..<9 { _ = try transaction.insert(["a", 1, "x"], key: nil, into: entity) }
    }
    let request = FetchRequest<ObjectID>(entity: entity, sortedBy: [.ascending("note")])
    let list = FetchedResultsController(
      ResultsDefinition(request, sectionedBy: example.sectioned ? .attribute("series") : nil),
      in: IndexingStore(world.store),
      options: ResultsOptions(delivery: .onDemand, resetThreshold: 2, inMemoryKeyLimit: -1)
    )
    try await list.performFetch()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    _ = try world.store.commit(origin: .unnamed) { transaction in
      for key in [2, 3, 5] as [Int64] {
        let id = ObjectID(entity: entity.name, key: .integer(key))
        try transaction.update(id, to: example.values, of: entity, ifUnchangedFrom: nil)
      }
    }
    try await list.refresh()
    // Either way, the consumer receives no change that is too large.
    guard case .reset(let reason, let results) = await events.next() else {
      Issue.record("no reset was delivered")
      return
    }
    #expect(reason == .tooManyChanges(count: 3))
    let path = try await list.explain()?.last.path
    #expect(path == (example.isCounted ? .reset(reason) : .followed(deltas: 1)))
    let other = FetchedResultsController(list.definition, in: world.store)
    try await other.performFetch()
    #expect(try results.snapshot.content == other.results.snapshot.content)
  }
}
