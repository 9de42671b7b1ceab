import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import Testing
import WireFormat

/// R30, R46, R78: the aggregates that a controller delivers, and those it refuses.
@Suite("A controller delivers aggregates")
struct AggregateDeliveryTests {
  private let entity: EntityDescription
  private let store: InMemoryStore

  init() throws {
    entity = try EntityDescription(
      name: "Payment",
      attributes: [
        AttributeDescription("who", .text),
        AttributeDescription("amount", .decimal(scale: 2), isOptional: true),
        AttributeDescription("big", .integer64, isOptional: true),
      ]
    )
    store = try InMemoryStore(entities: [entity])
  }

  private func definition(_ aggregates: SectionAggregate...) -> ResultsDefinition<Row> {
    ResultsDefinition(
      FetchRequest<Row>(entity: entity, sortedBy: [.ascending("who")]),
      sectionedBy: .attribute("who"),
      aggregates: aggregates
    )
  }

  private func pay(_ who: String, _ units: Int64, big: Int64 = 0) throws -> ObjectID {
    try store.commit(origin: .unnamed) {
      try $0.insert([.text(who), .integer(units), .integer(big)], key: nil, into: entity)
    }.result
  }

  @Test func `a change of a row that moves nothing updates its section`() async throws {
    let first = try pay("ann", 12_50)
    _ = try pay("bob", 1_00)
    let list = FetchedResultsController(definition(.init("sum", .sum("amount"))), in: store)
    try await list.performFetch()
    #expect(list.sections[0].aggregates["sum"]?.decimal == ExactDecimal(units: 12_50, scale: 2))
    #expect(list.sections[0].aggregates["other"] == nil)
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    _ = try store.commit(origin: .unnamed) {
      try $0.update(
        first,
        to: [.text("ann"), .integer(12_75), .integer(0)],
        of: entity,
        ifUnchangedFrom: nil
      )
    }
    try await list.refresh()
    guard case .change(let change) = await events.next() else {
      Issue.record("no change was delivered")
      return
    }
    let update = try #require(change.delta.sections.updates.first)
    #expect(change.delta.sections.updates.count == 1)
    #expect(update.from == 0 && update.to == 0)
    #expect(update.old.aggregates["sum"]?.description == "12.50")
    #expect(update.new.aggregates["sum"]?.description == "12.75")
    #expect(change.delta.tableViewBatch.retitledSections == [0])
    #expect(try list.results.aggregates.description == "sum 13.75")
    let line = WireEncoder(entity: entity).delta(change.delta)
    #expect(line.contains(#""title":"ann","aggregates":{"sum":"12.75"}}"#))
    list.cancel()
  }

  @Test func `a sum that overflows is marked on the wire, and the next that fits is right`()
    async throws
  {
    _ = try pay("ann", 0, big: .max)
    let list = FetchedResultsController(
      definition(.init("sum", .sum("big")), .init("none", .minimum("amount"))),
      in: store
    )
    try await list.performFetch()
    let second = try pay("ann", 0, big: 1)
    try await list.refresh()
    #expect(list.sections[0].aggregates["sum"]?.isOverflow == true)
    let header = list.sections[0].header
    let line = WireEncoder(entity: entity)
      .snapshot(at: .unknown(1), sections: [WireSection(header: header, rows: [])])
    #expect(line.contains(#""aggregates":{"sum":{"overflow":true},"none":"0.00"}"#))
    var replay = WireReplay()
    try replay.apply(line: line)
    #expect(replay.line == line)
    _ = try store.commit(origin: .unnamed) { try $0.delete(second, of: entity) }
    try await list.refresh()
    #expect(list.sections[0].aggregates["sum"]?.value == .integer(.max))
    list.cancel()
  }

  @Test(
    arguments: [
      ([.init("sum", .sum("who"))], .notSummable("who", type: .text)),
      ([.init("a", .count("who")), .init("a", .maximum("who"))], .duplicateAggregate("a")),
      (
        [.init("sum", .sum("weight"))],
        .unknownAttribute("weight", entity: "Payment", known: ["who", "amount", "big"])
      ),
    ] as [([SectionAggregate], RequestError)]
  )
  func `an aggregate that cannot be computed is refused`(
    aggregates: [SectionAggregate],
    error: RequestError
  ) async throws {
    var definition = definition()
    definition.aggregates = aggregates
    let list = FetchedResultsController(definition, in: store)
    let thrown = await #expect(throws: StoreError.self) { try await list.performFetch() }
    guard case .request(error) = thrown else {
      Issue.record("\(String(describing: thrown)), not \(error)")
      return
    }
  }

  @Test func `an empty list has one section whose count is zero and whose sum is null`()
    async throws
  {
    var definition = definition(.init("count", .count("who")), .init("sum", .sum("amount")))
    definition.sectionKey = nil
    let list = FetchedResultsController(definition, in: store)
    try await list.performFetch()
    #expect(list.sections[0].aggregates.map(\.value.value) == [.integer(0), .null])
    #expect(try list.results.aggregates.description == "count 0, sum none")
  }
}
