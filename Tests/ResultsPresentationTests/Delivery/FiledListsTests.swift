import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// A commit asks only the lists that it may concern, and every list delivers what it would if all were asked.
@Suite("Lists are filed by what they demand", .timeLimit(.minutes(5)))
struct FiledListsTests {
  private func list(
    _ predicate: FetchPredicate,
    of store: QuietStore,
    _ options: ResultsOptions = ResultsOptions()
  ) async throws -> FetchedResultsController<Row> {
    let request = FetchRequest<Row>(
      entity: FilingWorld.orders,
      where: predicate,
      sortedBy: [.ascending("rank")]
    )
    let list = FetchedResultsController(ResultsDefinition(request), in: store, options: options)
    try await list.performFetch()
    return list
  }

  /// The number of lists that the next turn asks.
  private func questions(_ world: FilingWorld, _ list: FetchedResultsController<Row>) throws -> Int
  {
    let before = list.list.scheduler.questionCount
    #expect(try world.store.follow())
    return list.list.scheduler.questionCount - before
  }

  @Test func `R165: a commit asks the lists of its old and its new value, however many there are`()
    async throws
  {
    let world = try FilingWorld(seed: 1)
    var lists: [FetchedResultsController<Row>] = []
    for tenant in 0..<1000 {
      // All demand the same state, so that is not where they are filed.
      let predicate =
        Self.equal(Self.state, "open")
        && Self.equal(Self.tenant, .integer(Int64(tenant)))
      lists.append(try await list(predicate, of: world.store))
    }
    // The first list was alone under its state; once asked, it is filed beside the others.
    try world.insert(["state": "open"])
    #expect(try world.store.follow())
    let several = try await list(.membership(.attribute("tenant"), [7, 8]), of: world.store)
    let id = try world.insert(["tenant": 7, "state": "open"])
    #expect(try questions(world, several) == 2)
    #expect(try lists[7].results.count == 1)
    try world.update(id, ["tenant": 9])
    #expect(try questions(world, several) == 3)
    #expect(try lists.map { try $0.results.count }.reduce(0, +) == 1)
    #expect(try several.results.count == 0)
    // A list that demands nothing is asked every time.
    let whole = try await list(.all, of: world.store)
    try world.update(id, ["rank": 1])
    #expect(try questions(world, whole) == 2)
    #expect(try lists[9].results.generation == 3)
  }

  @Test func `R166: a list that was not asked is at the present version all the same`()
    async throws
  {
    let world = try FilingWorld(seed: 1)
    let mine = try await list(Self.equal(Self.tenant, 1), of: world.store)
    let other = try await list(Self.equal(Self.tenant, 2), of: world.store)
    for _ in 0..<20 {
      try world.insert(["tenant": 2])
      #expect(try world.store.follow())
    }
    #expect(try other.results.generation == 21)
    // The store has trimmed everything that was released; the list's own version would be a gap now.
    #expect(world.store.released == (try world.version))
    try world.insert(["tenant": 1])
    #expect(try world.store.follow())
    #expect(try mine.results.count == 1)
    #expect(mine.list.engine?.snapshot.version == (try world.version))
    #expect(world.store.gaps == 0)
  }

  @Test func `R64 R166: a paused list waits at its version, and its turns read nothing`()
    async throws
  {
    let world = try FilingWorld(seed: 1)
    let mine = try await list(Self.equal(Self.tenant, 1), of: world.store)
    let other = try await list(Self.equal(Self.tenant, 2), of: world.store)
    try world.insert(["tenant": 2])
    #expect(try world.store.follow())
    mine.pause()
    other.pause()
    let released = world.store.released
    try world.insert(["tenant": 1])
    let histories = world.store.histories
    #expect(try world.store.follow())
    #expect(world.store.histories == histories)
    #expect(mine.list.engine?.snapshot.version == released)
    try await mine.resume()
    #expect(try mine.results.count == 1)
  }

  @Test func `R165: a list that ends is not in the files any more`() async throws {
    let world = try FilingWorld(seed: 1)
    let kept = try await list(Self.equal(Self.tenant, 1), of: world.store)
    do {
      let released = try await list(Self.equal(Self.tenant, 1), of: world.store)
      let cancelled = try await list(Self.equal(Self.tenant, 1), of: world.store)
      cancelled.cancel()
      withExtendedLifetime(released) {}
    }
    try world.insert(["tenant": 1])
    #expect(try questions(world, kept) == 1)
  }

  private static let tenant = FetchExpression.attribute("tenant")
  private static let state = FetchExpression.attribute("state")

  private static func equal(_ left: FetchExpression, _ right: Value) -> FetchPredicate {
    .comparison(left, .equal, .literal(right))
  }

  @Test(
    arguments: [
      (equal(tenant, 1.0), ["tenant": [1]]),
      (.comparison(.literal(1), .equal, tenant), ["tenant": [1]]),
      (equal(tenant, .null), ["tenant": [.null]]),
      (.membership(tenant, [1, 2.0, 2.5]), ["tenant": [1, 2, 2.5]]),
      (.membership(tenant, []), ["tenant": []]),
      (.comparison(tenant, .less, .literal(1)), [:]),
      (.not(equal(tenant, 1)), [:]),
      (equal(tenant, 1) || equal(tenant, 2), ["tenant": [1, 2]]),
      (equal(tenant, 1) || equal(state, "a"), [:]),
      (
        equal(tenant, 1) && .membership(state, ["a", "b"]),
        ["tenant": [1], "state": ["a", "b"]]
      ),
    ] as [(FetchPredicate, [String: Set<Value>])]
  )
  func `R165: equalities, lists and tests for null demand constants, also within AND and OR`(
    _ predicate: FetchPredicate,
    _ expected: [String: Set<Value>]
  ) {
    var demands: [String: Set<Value>] = [:]
    for demand in predicate.normalized.demands(in: FilingWorld.orders) {
      demands[FilingWorld.orders.attributes[demand.attribute].name] = demand.values
    }
    #expect(demands == expected, "\(predicate)")
  }

  @Test(arguments: 1...16)
  func `R165 R166 R167: filed lists deliver what they would if every commit asked them`(seed: Int)
    async throws
  {
    var world = try FilingWorld(seed: UInt64(seed))
    for _ in 0..<30 { try world.commit() }
    for _ in 0..<40 { try await world.addList() }
    for round in 0..<60 {
      try await world.step("seed \(seed), round \(round)")
    }
  }
}
