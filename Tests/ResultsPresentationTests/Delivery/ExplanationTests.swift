import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import Testing

/// A list explains how it is fetched, how it last changed and what that cost (R56, R89).
@Suite struct ExplanationTests {
  private let entity: EntityDescription

  init() throws {
    entity = try EntityDescription(
      name: "Note",
      attributes: [AttributeDescription("text", .text)]
    )
  }

  private func list(
    in store: any Store
  ) -> FetchedResultsController<Row> {
    FetchedResultsController(
      FetchRequest(entity: entity, sortedBy: [.ascending("text")]),
      in: store
    )
  }

  private func add(_ text: String, to store: any Store) throws {
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.insert([.text(text)], key: nil, into: entity)
    }
  }

  @Test func `nothing is explained before the first fetch (R89)`() async throws {
    let store = try InMemoryStore(entities: [entity])
    #expect(try await list(in: store).explain() == nil)
  }

  @Test func `a first fetch reads every key once, and no row (R07, R89)`() async throws {
    let store = try InMemoryStore(entities: [entity])
    for number in 0..<10 { try add("\(number)", to: store) }
    let controller = list(in: store)
    try await controller.performFetch()
    let explanation = try #require(try await controller.explain())
    #expect(explanation.last.path == .fetched)
    #expect(explanation.last.work.keys == 10)
    #expect(explanation.last.work.rows == 0)
    #expect(explanation.matchingCount == 10)
    #expect(explanation.keyBytes > 10)
    #expect(explanation.plan.source == .sorting)
    #expect(explanation.lines.first == "entity     Note")
    #expect(explanation.lines.contains("where      TRUEPREDICATE"))
  }

  @Test func `a commit of this store is applied without a query (R55, R89)`() async throws {
    let store = try InMemoryStore(entities: [entity])
    let controller = list(in: store)
    try await controller.performFetch()
    try add("one", to: store)
    try await controller.refresh()
    let explanation = try #require(try await controller.explain())
    #expect(explanation.last.path == .followed(deltas: 1))
    #expect(explanation.last.work == ListWork())
  }
}
