import InMemoryPersistence
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import Testing

/// R109: a change in which a new row of a draft gets its final key names both identities.
@Suite struct FormerIdentityTests {
  private let entity: EntityDescription

  init() throws {
    entity = try EntityDescription(
      name: "Item",
      attributes: [AttributeDescription("rank", .integer64)]
    )
  }

  /// The deltas of a list since it was last asked.
  private struct Deltas {
    let list: FetchedResultsController<Row>
    private var events: ResultsChanges<Row>.AsyncIterator
    private var generation: Int

    init(of entity: EntityDescription, in store: any Store, observing rows: Range<Int>? = nil)
      async throws
    {
      list = FetchedResultsController(
        FetchRequest<Row>(entity: entity, sortedBy: [.ascending("rank")]),
        in: store
      )
      try await list.performFetch()
      if let rows { list.observedRows = rows }
      events = list.changes.makeAsyncIterator()
      _ = await events.next()
      generation = try list.results.generation
    }

    mutating func next() async throws -> [ResultsDelta] {
      try await list.refresh()
      var deltas: [ResultsDelta] = []
      let last = try list.results.generation
      while generation < last, case .change(let change)? = await events.next() {
        deltas.append(change.delta)
        generation = change.delta.to
      }
      return deltas
    }
  }

  private func insert(_ rank: Value, into store: any Store) throws -> ObjectID {
    let entity = entity
    return try store.commit(origin: .unnamed) { try $0.insert([rank], key: nil, into: entity) }
      .result
  }

  private func update(_ id: ObjectID, to rank: Value, in store: any Store) throws {
    let entity = entity
    _ = try store.commit(origin: .unnamed) { try $0.update(id, to: [rank], of: entity) }
  }

  @Test func `R109: composed and inverse changes name them, and only what is deleted and inserted`()
    async throws
  {
    let store = try InMemoryStore(entities: [entity])
    _ = try insert(1, into: store)
    let draft = DraftStore(over: store)
    var deltas = try await Deltas(of: entity, in: draft)
    let temporary = try insert(2, into: draft)
    let made = try #require(try await deltas.next().first)
    try update(temporary, to: 3, in: draft)
    let edited = try #require(try await deltas.next().first)
    let final = try #require(try await draft.commit().result[temporary])
    let committed = try #require(try await deltas.next().first)
    try update(final, to: 4, in: store)
    let later = try #require(try await deltas.next().first)

    #expect(made.rows.formerIDs.isEmpty && edited.rows.formerIDs.isEmpty)
    #expect(committed.rows.formerIDs == [final: temporary])
    #expect(try edited.then(committed).rows.formerIDs == [final: temporary])
    #expect(try committed.then(later).rows.formerIDs == [final: temporary])
    #expect(committed.inverse.rows.formerIDs == [temporary: final])
    // Before both the list had neither.
    #expect(try made.then(edited).then(committed).rows.formerIDs.isEmpty)
  }

  @Test func `R109: commits that a pause folds into one change name them`() async throws {
    let store = try InMemoryStore(entities: [entity])
    let draft = DraftStore(over: store)
    var deltas = try await Deltas(of: entity, in: draft)
    let temporary = try insert(2, into: draft)
    _ = try await deltas.next()
    deltas.list.pause()
    let final = try #require(try await draft.commit().result[temporary])
    try update(final, to: 4, in: store)
    try await deltas.list.resume()
    let found = try await deltas.next()
    #expect(found.map(\.rows.formerIDs) == [[final: temporary]])
  }

  @Test func `R109: a list over a draft of a draft names them at each commit`() async throws {
    let store = try InMemoryStore(entities: [entity])
    _ = try insert(1, into: store)
    let inner = DraftStore(over: store)
    // The inner draft already has a temporary key, so that the outer one's row gets another.
    let first = try insert(0, into: inner)
    let outer = DraftStore(over: inner)
    var deltas = try await Deltas(of: entity, in: outer)
    let temporary = try insert(2, into: outer)
    _ = try await deltas.next()
    let middle = try await outer.commit().result[temporary] ?? temporary
    let landed = try await deltas.next()
    let identities = try await inner.commit().result
    let (final, other) = (try #require(identities[middle]), try #require(identities[first]))
    let committed = try #require(try await deltas.next().first)
    #expect(committed.rows.formerIDs == [final: middle, other: first])
    if middle != temporary {
      let step = try #require(landed.first)
      #expect(step.rows.formerIDs == [middle: temporary])
      #expect(try step.then(committed).rows.formerIDs == [final: temporary, other: first])
    }
  }

  @Test func `R109: a union over a draft names its rows`() async throws {
    let store = try InMemoryStore(entities: [entity])
    let draft = DraftStore(over: store)
    let description = try UnionDescription(
      "All",
      branches: [
        UnionBranch(
          "item",
          entity: entity,
          attributes: [UnionAttribute("rank", .attribute("rank"))]
        )
      ]
    )
    let union = try UnionStore(over: draft, unions: [description])
    var deltas = try await Deltas(of: description.entity, in: union)
    _ = try insert(2, into: draft)
    let made = try #require(try await deltas.next().first)
    try await draft.commit()
    let committed = try #require(try await deltas.next().first)
    let old = try #require(made.rows.inserts.first?.id)
    let new = try #require(committed.rows.inserts.first?.id)
    #expect(committed.rows.formerIDs == [new: old])
  }

  @Test func `R109: only observed rows are named`() async throws {
    let store = try InMemoryStore(entities: [entity])
    let draft = DraftStore(over: store)
    var deltas = try await Deltas(of: entity, in: draft, observing: 0..<1)
    let near = try insert(1, into: draft)
    _ = try insert(2, into: draft)
    _ = try await deltas.next()
    let identities = try await draft.commit().result
    let committed = try #require(try await deltas.next().first)
    #expect(committed.rows.formerIDs == [try #require(identities[near]): near])
  }
}
