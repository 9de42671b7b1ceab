import ResultsDomain
import Testing

/// R78: what can be aggregated, and what comes out.
@Suite("An aggregate has a type, or is refused")
struct FetchAggregateTests {
  private let entity: EntityDescription

  init() throws {
    entity = try EntityDescription(
      name: "Thing",
      attributes: [
        AttributeDescription("number", .integer16, isOptional: true),
        AttributeDescription("price", .decimal(scale: 2), isOptional: true),
        AttributeDescription("isRead", .boolean),
        AttributeDescription("day", .date),
        AttributeDescription("share", .real),
        AttributeDescription("name", .text),
        AttributeDescription("bytes", .blob),
      ]
    )
  }

  @Test(
    arguments: [
      (.sum("number"), .integer64), (.sum("price"), .decimal(scale: 2)),
      (.sum("isRead"), .integer64),
      (.sum("share"), .real), (.minimum("day"), .date), (.maximum("name"), .text),
      (.minimum("bytes"), .blob), (.count("name"), .integer64),
      (FetchAggregate(.sum, of: .length(.attribute("name"))), .integer64),
      (FetchAggregate(.sum, of: .ifNull(.attribute("price"), .integer(0))), .decimal(scale: 2)),
      (FetchAggregate(.maximum, of: .objectKey), .integer64),
      (FetchAggregate(.minimum, of: .bucket(.attribute("day"), width: 60)), .date),
    ] as [(FetchAggregate, AttributeType)]
  )
  func `the type follows from the expression`(aggregate: FetchAggregate, type: AttributeType) throws
  {
    #expect(try aggregate.type(in: entity) == type)
  }

  @Test(
    arguments: [
      (.sum("day"), .notSummable("day", type: .date)),
      (.sum("name"), .notSummable("name", type: .text)),
      (.sum("bytes"), .notSummable("bytes", type: .blob)),
      (
        .count("weight"),
        .unknownAttribute(
          "weight",
          entity: "Thing",
          known: ["number", "price", "isRead", "day", "share", "name", "bytes"]
        )
      ),
      (
        FetchAggregate(.sum, of: .length(.attribute("number"))),
        .alwaysNull(FetchExpression.length(.attribute("number")).description)
      ),
    ] as [(FetchAggregate, RequestError)]
  )
  func `what has no sum or no value is refused`(aggregate: FetchAggregate, error: RequestError) {
    #expect(throws: error) { try aggregate.type(in: entity) }
    #expect(!error.description.isEmpty)
  }

  @Test func `a sum beyond 64 bits says so, and is right again when it fits`() {
    var state = AggregateState(.sum, of: .integer64)
    state.add(.integer(.max))
    state.add(.integer(.max))
    #expect(state.result(as: .integer64).isOverflow)
    #expect(state.result(as: .integer64).value == .null)
    let isKnown = state.remove(.integer(.max))
    #expect(isKnown)
    #expect(state.result(as: .integer64) == AggregateValue(.integer(.max), .integer64))
  }

  @Test func `over no values a count is zero and the others are null`() {
    for function in FetchAggregate.Function.allCases {
      var state = AggregateState(function, of: .decimal(scale: 2))
      state.add(.null)
      let result = state.result(as: .decimal(scale: 2))
      #expect(result.value == (function == .count ? .integer(0) : .null))
      #expect(!result.isOverflow)
    }
  }

  @Test func `the smallest value is not known once it is taken out`() {
    var state = AggregateState(.minimum, of: .text)
    for text in ["b", "a", "c"] { state.add(.text(text)) }
    let afterLargest = state.remove(.text("c"))
    let afterSmallest = state.remove(.text("a"))
    #expect(afterLargest && !afterSmallest)
  }
}
