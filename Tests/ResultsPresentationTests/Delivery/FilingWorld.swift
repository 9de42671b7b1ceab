import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Synchronization
import Testing

@testable import ResultsPresentation

/// Orders of tenants with values of every class, and many lists of them, each beside an engine that is asked about every commit.
struct FilingWorld {
  static let folders = entity("Folder", [AttributeDescription("name", .text)])
  static let orders = entity(
    "Order",
    [
      AttributeDescription("tenant", .integer64, isOptional: true, holdsAnyValue: true),
      AttributeDescription("state", .text, isOptional: true),
      AttributeDescription("rank", .integer64, isOptional: true),
      AttributeDescription("folderID", .integer64, isOptional: true),
    ],
    [RelationshipDescription("folder", .toOne(foreignKey: ["folderID"])) { folders }]
  )

  private static func entity(
    _ name: String,
    _ attributes: [AttributeDescription],
    _ relationships: [RelationshipDescription] = []
  ) -> EntityDescription {
    do {
      return try EntityDescription(
        name: name,
        attributes: attributes,
        relationships: relationships
      )
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// A list, and an engine that is advanced through every commit.
  private struct Follower {
    let controller: FetchedResultsController<Row>
    var definition: ResultsDefinition<Row>
    let delivery: ResultsDelivery
    var twin: ListEngine

    /// Whether each turn advances it.
    var followsEveryTurn: Bool { delivery == .immediate && !controller.isPaused }
  }

  private static let tenants: [Value] = [
    .null, 0, 1, 2, 3, 1.0, 2.5, .real(-0.0), "1", "か", "か\u{3099}", .blob([1]), .real(.infinity),
  ]
  private static let states: [Value] = [.null, "", "open", "done", "a\0b"]

  let store: QuietStore
  private var generator: SeededGenerator
  private var followers: [Follower] = []
  private var ids: [ObjectID] = []

  init(seed: UInt64) throws {
    let base = try InMemoryStore(entities: [FilingWorld.orders, FilingWorld.folders])
    store = QuietStore(base)
    generator = SeededGenerator(seed: seed)
    try base.write { transaction in
      for key in 1...3 {
        try transaction.insert(["a"], key: .integer(Int64(key)), into: FilingWorld.folders)
      }
    }
  }

  /// The present version.
  var version: StoreVersion {
    get throws { try store.base.read { $0.version } }
  }
}

// MARK: - Commits

extension FilingWorld {
  /// Inserts an order in a commit of its own.
  @discardableResult
  func insert(_ values: [String: Value]) throws -> ObjectID {
    try store.base.write { transaction in
      try transaction.insert(
        FilingWorld.orders.attributes.map { values[$0.name] ?? .null },
        key: nil,
        into: FilingWorld.orders
      )
    }
  }

  /// Changes an order in a commit of its own.
  func update(_ id: ObjectID, _ values: [String: Value]) throws {
    try store.base.write { transaction in
      guard let row = try transaction.rows([id.key], of: FilingWorld.orders).first ?? nil else {
        return
      }
      let changed = zip(FilingWorld.orders.attributes, row.values).map { values[$0.name] ?? $1 }
      try transaction.update(id, to: changed, of: FilingWorld.orders, ifUnchangedFrom: nil)
    }
  }

  private mutating func value(of attribute: String) -> Value {
    switch attribute {
    case "tenant": generator.element(of: FilingWorld.tenants) ?? .null
    case "state": generator.element(of: FilingWorld.states) ?? .null
    case "rank": generator.choice(.null, 1, 2, 3, 4, 5)
    default: generator.choice(.null, 1, 2, 3)
    }
  }

  /// Commits a few random changes.
  mutating func commit() throws {
    var (drawn, ids) = (self, ids)
    let count = generator.happens(percent: 5) ? 40 : generator.number(in: 1...4)
    try store.base.write { transaction in
      for _ in 0..<count {
        switch drawn.generator.number(in: 0...9) {
        case 0...2:
          let values = FilingWorld.orders.attributes.map { drawn.value(of: $0.name) }
          ids.append(try transaction.insert(values, key: nil, into: FilingWorld.orders))
        case 3 where ids.count > 10:
          let id = ids.remove(at: drawn.generator.number(in: 0...ids.count - 1))
          try transaction.delete(id, of: FilingWorld.orders)
        case 4:
          let id = ObjectID(entity: "Folder", key: .integer(drawn.generator.choice(1, 2, 3)))
          let name: Value = drawn.generator.choice("a", "b")
          try transaction.update(id, to: [name], of: FilingWorld.folders, ifUnchangedFrom: nil)
        default:
          guard let id = drawn.generator.element(of: ids),
            let row = try transaction.rows([id.key], of: FilingWorld.orders).first ?? nil
          else { continue }
          var values = row.values
          let index = drawn.generator.number(in: 0...3)
          values[index] = drawn.value(of: FilingWorld.orders.attributes[index].name)
          try transaction.update(id, to: values, of: FilingWorld.orders, ifUnchangedFrom: nil)
        }
      }
    }
    (generator, self.ids) = (drawn.generator, ids)
  }
}

// MARK: - Lists

extension FilingWorld {
  private mutating func demand() -> FetchPredicate {
    let tenant = FetchExpression.attribute("tenant")
    let values = (0..<3).map { _ in value(of: "tenant") }
    return generator.choice(
      .comparison(tenant, .equal, .literal(values[0])),
      .comparison(.literal(values[0]), .equal, tenant),
      .comparison(tenant, .equal, .literal(values[1])),
      .membership(tenant, values),
      .membership(tenant, []),
      .comparison(.attribute("state"), .equal, .literal(value(of: "state")))
    )
  }

  private mutating func predicate() -> FetchPredicate {
    let folder = FetchExpression.related(["folder"], .attribute("name"))
    return generator.choice(
      demand(),
      demand() && demand(),
      demand() && .comparison(.attribute("rank"), .greater, .literal(2)),
      demand() || demand(),
      demand() && .comparison(folder, .equal, .literal("a")),
      .not(demand()),
      .comparison(.attribute("rank"), .greaterOrEqual, .attribute("folderID")),
      .all
    )
  }

  private mutating func definition() -> ResultsDefinition<Row> {
    let request = FetchRequest<Row>(
      entity: FilingWorld.orders,
      where: predicate(),
      sortedBy: [generator.choice(FetchSortDescriptor.ascending("rank"), .descending("state"))],
      fetchLimit: generator.choice(nil, nil, 3),
      fetchOffset: generator.choice(0, 0, 1)
    )
    let sum = SectionAggregate("sum", FetchAggregate(.sum, of: .attribute("rank")))
    return ResultsDefinition(
      request,
      sectionedBy: generator.choice(nil, .attribute("state")),
      isFrozen: generator.happens(percent: 5),
      additionalCounts: generator.happens(percent: 5)
        ? ["folders": CountRequest(FilingWorld.folders)] : [:],
      aggregates: generator.happens(percent: 20) ? [sum] : []
    )
  }

  /// Adds a list with a random definition.
  mutating func addList() async throws {
    let definition = definition()
    let delivery: ResultsDelivery = generator.happens(percent: 10) ? .onDemand : .immediate
    let controller = FetchedResultsController(
      definition,
      in: store,
      options: ResultsOptions(delivery: delivery, journalCapacity: 1_000_000)
    )
    try await controller.performFetch()
    let twin = try #require(controller.list.engine)
    followers.append(
      Follower(controller: controller, definition: definition, delivery: delivery, twin: twin)
    )
  }
}

// MARK: - Turns

extension FilingWorld {
  /// Commits, takes a turn, and checks every list.
  mutating func step(_ context: String) async throws {
    for _ in 0..<generator.number(in: 0...3) { try commit() }
    let index = generator.number(in: 0...followers.count - 1)
    switch generator.number(in: 0...19) {
    case 0: try await turnWithFailure(index, context)
    case 1, 2: try await turnWithGap(index, context)
    case 3:
      followers[index].controller.pause()
      try await turn(context)
    case 4, 5: try await redefine(index, context)
    case 6:
      followers.remove(at: index).controller.cancel()
      try await turn(context)
      try await addList()
    case 7: _ = followers.remove(at: index)
    default: try await turn(context)
    }
    // Once in a while, those that wait catch up.
    guard generator.happens(percent: 25) else { return }
    for index in followers.indices where !followers[index].followsEveryTurn {
      if followers[index].controller.isPaused {
        try await followers[index].controller.resume()
      } else {
        try await followers[index].controller.refresh()
      }
      try checkContent(index, context)
      try check(context)
    }
  }

  /// A turn within the call of a commit, or one on request.
  private mutating func turn(_ context: String) async throws {
    let index = generator.number(in: 0...followers.count - 1)
    if generator.happens(percent: 50), try store.follow() { return try check(context) }
    try await followers[index].controller.refresh()
    if !followers[index].followsEveryTurn { try checkContent(index, context) }
    try check(context)
  }

  private mutating func turnWithGap(_ index: Int, _ context: String) async throws {
    store.situation.withLock {
      $0.gap = generator.choice(.otherWriter, .trimmed, .otherEpoch, .schemaChanged)
    }
    defer { store.situation.withLock { $0.gap = nil } }
    try await followers[index].controller.refresh()
    for other in followers.indices where followers[other].followsEveryTurn || other == index {
      try checkContent(other, context)
    }
  }

  private mutating func turnWithFailure(_ index: Int, _ context: String) async throws {
    let failure = StoreError.unexpected(path: "world", detail: context)
    store.situation.withLock { $0.failure = failure }
    let controller = followers[index].controller
    await #expect(throws: StoreError.self) { try await controller.refresh() }
    store.situation.withLock { $0.failure = nil }
    for follower in followers where follower.followsEveryTurn {
      guard case .failed = follower.controller.state else {
        Issue.record("\(context): \(follower.controller.state)")
        continue
      }
    }
    try await turn(context)
  }

  private mutating func redefine(_ index: Int, _ context: String) async throws {
    let definition = definition()
    try await followers[index].controller.update { $0 = definition }
    followers[index].definition = definition
    try checkContent(index, context)
    try check(context)
  }
}

// MARK: - Checks

extension FilingWorld {
  /// Every list that follows each turn has exactly the generations and deltas of its twin.
  private mutating func check(_ context: String) throws {
    for index in followers.indices where followers[index].followsEveryTurn {
      let before = followers[index].twin.snapshot.generation
      let steps = try store.base.read { (snapshot) throws(StoreError) in
        try followers[index].twin.advance(to: snapshot)
      }
      let (follower, twin) = (followers[index], followers[index].twin.snapshot)
      let comment: Comment = "\(context): \(follower.definition.request.predicate)"
      guard case .ready(let results) = follower.controller.state else {
        Issue.record("\(comment): \(follower.controller.state)")
        continue
      }
      let shown = results.loader.snapshot
      #expect(shown.generation == twin.generation, comment)
      #expect(try shown.content == twin.content, comment)
      #expect(shown.additionalCounts == twin.additionalCounts, comment)
      #expect(shown.aggregates.map { "\($0)" } == twin.aggregates.map { "\($0)" }, comment)
      guard !steps.isEmpty else { continue }
      let entry = try follower.controller.list.publisher.journalEntry(from: before).entry
      guard case .deltas(let deltas) = entry else {
        Issue.record("\(comment): no deltas")
        continue
      }
      #expect(deltas == steps.map(\.delta), comment)
    }
  }

  /// A list that caught up in its own way shows what the store has; from here on its twin is the same again.
  private mutating func checkContent(_ index: Int, _ context: String) throws {
    let engine = try #require(followers[index].controller.list.engine)
    followers[index].twin = engine
    guard !engine.plan.isFrozen else { return }
    let fetched = try ListEngine(engine.plan, in: store.base, indexing: nil)
    let comment: Comment = "\(context): \(followers[index].definition.request.predicate)"
    #expect(try engine.snapshot.content == fetched.snapshot.content, comment)
  }
}

/// A store that notifies nobody by itself, trims what is released at once, and has gaps and failures on demand.
final class QuietStore: ForwardingStore {
  struct Situation {
    var follow: (@Sendable (any StoreSnapshot) -> Bool)?
    /// Keeps the stream of notifications open.
    var continuation: AsyncStream<Void>.Continuation?
    var gap: GapReason?
    var failure: StoreError?
    var released: StoreVersion?
    /// The numbers of histories that were queried, and of those that had been trimmed.
    var histories = 0
    var gaps = 0
  }

  let base: InMemoryStore
  let situation = Mutex(Situation())
  var target: any Store { base }

  init(_ base: InMemoryStore) { self.base = base }

  /// The version through which the history was released.
  var released: StoreVersion? { situation.withLock { $0.released } }
  var histories: Int { situation.withLock { $0.histories } }
  var gaps: Int { situation.withLock { $0.gaps } }

  /// Offers the present version to the observer, as a small commit does.
  /// - Returns: Whether it followed.
  func follow() throws -> Bool {
    let follow = situation.withLock { $0.follow }
    return try base.read { snapshot in follow?(wrapped(snapshot)) ?? true }
  }

  func commitNotifications(
    following follow: @escaping @Sendable (any StoreSnapshot) -> Bool
  ) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    situation.withLock { ($0.follow, $0.continuation) = (follow, continuation) }
    return stream
  }

  func releaseHistory(through version: StoreVersion) {
    situation.withLock { $0.released = version }
  }

  func wrapped(_ snapshot: any StoreSnapshot) -> any StoreSnapshot { QuietSnapshot(snapshot, self) }

  func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    if let failure = situation.withLock({ $0.failure }) { throw failure }
    return try base.read { (snapshot) throws(StoreError) in try body(wrapped(snapshot)) }
  }

  fileprivate func history(
    since version: StoreVersion,
    _ known: () throws(StoreError) -> StoreHistory
  ) throws(StoreError) -> StoreHistory {
    let gap = situation.withLock { situation -> GapReason? in
      situation.histories += 1
      if let gap = situation.gap { return gap }
      guard let released = situation.released, version.sequence < released.sequence else {
        return nil
      }
      situation.gaps += 1
      return .trimmed
    }
    if let gap { return .gap(gap) }
    return try known()
  }
}

private final class QuietSnapshot: SnapshotForwarding {
  let base: any StoreSnapshot
  private let store: QuietStore

  init(_ snapshot: any StoreSnapshot, _ store: QuietStore) {
    self.store = store
    base = snapshot
  }

  func history(
    since version: StoreVersion,
    of entity: EntityDescription
  ) throws(StoreError) -> StoreHistory {
    try store.history(since: version) { () throws(StoreError) in
      try base.history(since: version, of: entity)
    }
  }

  func history(
    since version: StoreVersion,
    ofEach entities: [EntityDescription]
  ) throws(StoreError) -> StoreHistory {
    try store.history(since: version) { () throws(StoreError) in
      try base.history(since: version, ofEach: entities)
    }
  }
}
