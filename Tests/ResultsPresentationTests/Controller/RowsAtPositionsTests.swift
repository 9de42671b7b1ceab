import InMemoryPersistence
import ResultsDomain
import ResultsPresentation
import Testing

/// Rows that are read later than their positions still fit them (R19, R48).
@Suite struct RowsAtPositionsTests {
  private let entity: EntityDescription

  init() throws {
    entity = try EntityDescription(
      name: "Note",
      attributes: [
        AttributeDescription("text", .text), AttributeDescription("mark", .integer64),
      ]
    )
  }

  private func filled() throws -> (InMemoryStore, [ObjectID]) {
    let store = try InMemoryStore(entities: [entity])
    let ids = try store.commit(origin: .unnamed) { transaction in
      try ["a", "b", "c"].map {
        try transaction.insert([.text($0), .integer(0)], key: nil, into: entity)
      }
    }.result
    return (store, ids)
  }

  private func list(_ isFrozen: Bool = false, in store: any Store)
    -> FetchedResultsController<Row>
  {
    FetchedResultsController(
      ResultsDefinition(
        FetchRequest(entity: entity, sortedBy: [.ascending("text")]),
        sectionedBy: .attribute("text"),
        isFrozen: isFrozen
      ),
      in: store,
      options: ResultsOptions(delivery: .onDemand)
    )
  }

  private func texts(_ results: ResultsList<Row>) throws -> [Value] {
    try results.objects().map { $0.values[0] }
  }

  @Test func `a row that was deleted or moved since is read as it was (R19, R48)`() async throws {
    let (store, ids) = try filled()
    let controller = list(in: store)
    try await controller.performFetch()
    let held = try controller.results
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.delete(ids[0], of: entity)
      try transaction.update(
        ids[1],
        to: [.text("z"), .integer(1)],
        of: entity,
        ifUnchangedFrom: nil
      )
    }
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.delete(ids[1], of: entity)
    }
    #expect(try texts(held) == [.text("a"), .text("b"), .text("c")])
    #expect(held.sections.map(\.title) == ["a", "b", "c"])
    try await controller.refresh()
    #expect(try texts(controller.results) == [.text("c")])
  }

  @Test func `an attribute that decides no position shows its present value (R19)`() async throws {
    let (store, ids) = try filled()
    let controller = list(in: store)
    try await controller.performFetch()
    let held = try controller.results
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.update(
        ids[2],
        to: [.text("c"), .integer(7)],
        of: entity,
        ifUnchangedFrom: nil
      )
    }
    #expect(try held.objects().map { $0.values[1] } == [.integer(0), .integer(0), .integer(7)])
  }

  @Test func `members of a frozen list show what they are now, and a deleted one is gone (R19)`()
    async throws
  {
    let (store, ids) = try filled()
    let controller = list(true, in: store)
    try await controller.performFetch()
    let held = try controller.results
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.update(
        ids[0],
        to: [.text("z"), .integer(1)],
        of: entity,
        ifUnchangedFrom: nil
      )
      try transaction.delete(ids[1], of: entity)
    }
    #expect(try held.object(at: RowPath(section: 0, row: 0)).values[0] == .text("z"))
    #expect(throws: ResultsError.self) { try held.object(at: RowPath(section: 1, row: 0)) }
  }
}
