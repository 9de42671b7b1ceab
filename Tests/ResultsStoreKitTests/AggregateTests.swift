import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

/// R78: what can be aggregated, and the type of the result.
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

  @Test func `a sum beyond 64 bits is an overflow, and correct again when it fits`() {
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

  @Test func `the minimum is unknown once it is removed`() {
    var state = AggregateState(.minimum, of: .text)
    for text in ["b", "a", "c"] { state.add(.text(text)) }
    let afterLargest = state.remove(.text("c"))
    let afterSmallest = state.remove(.text("a"))
    #expect(afterLargest && !afterSmallest)
  }
}

/// R78: a sum of reals is the double nearest to the exact sum, whatever the order, and numbers can be removed.
@Suite("A sum of reals is exact")
struct ExactRealSumTests {
  @Test(
    arguments: [
      ([], 0),
      ([0.1, 0.2, -0.3], 0x1p-55),
      ([1e308, 1e308, -1e308, -1e308, 1], 1),
      ([1e16, 1, -1e16], 1),
      ([.greatestFiniteMagnitude, .greatestFiniteMagnitude], .infinity),
      ([-.greatestFiniteMagnitude, -0x1p971], -.infinity),
      ([.greatestFiniteMagnitude, 0x1p969], .greatestFiniteMagnitude),
      ([.leastNonzeroMagnitude, .leastNonzeroMagnitude], 0x1p-1073),
      ([-.leastNonzeroMagnitude], -.leastNonzeroMagnitude),
      ([0x1p52, 0.5], 0x1p52),
      ([0x1p52, 0.5, .leastNonzeroMagnitude], 0x1p52 + 1),
      ([0x1p52 + 1, 0.5], 0x1p52 + 2),
      ([.infinity, -1e308], .infinity),
      ([-.infinity, 7], -.infinity),
    ] as [([Double], Double)]
  )
  func `the value is the nearest double, ties to even`(numbers: [Double], expected: Double) {
    for numbers in [numbers, numbers.reversed()] {
      var sum = ExactRealSum()
      for number in numbers { sum.add(number) }
      #expect(sum.value == expected)
    }
  }

  @Test func `both infinities have no sum until one of them is removed`() {
    var sum = ExactRealSum()
    for number in [Double.infinity, -Double.infinity, 2] { sum.add(number) }
    #expect(sum.value == nil)
    sum.remove(.infinity)
    #expect(sum.value == -.infinity)
    sum.remove(-.infinity)
    #expect(sum.value == 2)
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `it agrees with whole numbers of 128 bits`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var (sum, exact) = (ExactRealSum(), Int128(0))
    var numbers: [Int64] = []
    for _ in 0..<generator.number(in: 1...60) {
      let bits = generator.number(in: 1...53)
      let number = Int64(truncatingIfNeeded: generator.next() >> UInt64(64 - bits))
      numbers.append(generator.happens(percent: 50) ? number : -number)
    }
    for number in numbers {
      sum.add(Double(number) / 1024)
      exact += Int128(number)
    }
    for number in numbers where generator.happens(percent: 40) {
      sum.remove(Double(number) / 1024)
      exact -= Int128(number)
    }
    #expect(sum.value == Double(exact) / 1024, "seed \(seed)")
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `order, removal and merging make no difference`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let numbers = (0..<40).map { _ -> Double in
      let real = Double(bitPattern: generator.next())
      return real.isNaN ? 1 : real
    }
    let half = numbers.count / 2
    var (forward, left, right) = (ExactRealSum(), ExactRealSum(), ExactRealSum())
    for number in numbers { forward.add(number) }
    for number in numbers[..<half].reversed() { left.add(number) }
    for number in numbers[half...].reversed() { right.add(number) }
    left.merge(right)
    #expect(left == forward, "seed \(seed)")
    #expect(left.value == forward.value, "seed \(seed)")
    for number in numbers[half...] { forward.remove(number) }
    for number in numbers[half...] { left.remove(number) }
    var lower = ExactRealSum()
    for number in numbers[..<half] { lower.add(number) }
    #expect(forward == lower, "seed \(seed)")
    #expect(left.value == lower.value, "seed \(seed)")
    lower.add(1e-300)
    #expect(forward != lower, "seed \(seed)")
  }
}
