import ResultsDomain
import SQLStoreSupport
import Testing

@Suite("Comparisons of values of different types in SQL")
struct ComparisonBoundTests {
  private static let integers: [Int64] = [
    .min, .min + 1, -(1 << 53) - 1, -2, -1, 0, 1, 2, 3, (1 << 53) + 1, .max - 1, .max,
  ]
  private static let doubles: [Double] = [
    -.infinity, -0x1p63 - 2048, -0x1p63, -0x1p53, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 0x1p53,
    0x1p63 - 1024, 0x1p63, .infinity,
  ]
  private static let texts = ["", "a", "a\u{0}", "a\u{0}b", "ab", "b"]

  @Test(arguments: ComparisonOperator.allCases)
  func `R154: a bound has the result of the evaluator for every value of a column`(
    _ comparison: ComparisonOperator
  ) throws {
    let columns: [(StorageClass, [Value])] = [
      (.integer, Self.integers.map { .integer($0) }), (.real, Self.doubles.map { .real($0) }),
      // No text of the database has a NUL.
      (.text, Self.texts.filter { !$0.hasZero }.map { .text($0) }),
      (.blob, [.blob([]), .blob([0]), .blob([1])]),
    ]
    let constants =
      Self.integers.map { Value.integer($0) } + Self.doubles.map { .real($0) }
      + Self.texts.map { .text($0) } + [.blob([0])]
    for (storage, values) in columns {
      for constant in constants {
        let bound = ComparisonBound(storage, comparison, constant)
        for value in values {
          let expected = try Self.evaluated(value, comparison, constant)
          switch bound {
          case .always(let truth):
            #expect(truth == expected, "\(value) \(comparison) \(constant)")
          case .value(let other, let limit):
            #expect(limit.storage == storage && limit.text?.hasZero != true)
            #expect(
              try Self.evaluated(value, other, limit) == expected,
              "\(value) \(comparison) \(constant): \(other) \(limit)"
            )
          }
        }
      }
    }
  }

  @Test(arguments: ComparisonOperator.allCases)
  func `R154: an integer is compared exactly with the whole part of a double`(
    _ comparison: ComparisonOperator
  ) throws {
    let whole = WholePartComparison(comparison)
    for integer in Self.integers {
      for double in Self.doubles {
        let expected = try Self.evaluated(.integer(integer), comparison, .real(double))
        let result: Bool?
        if double >= 0x1p63 {
          result = whole.holdsAbove
        } else if double < -0x1p63 {
          result = whole.holdsBelow
        } else if whole.rounding == nil, double.rounded(.down) != double {
          result = whole.holdsAbove
        } else {
          let rounded = double.rounded(whole.rounding == .ceil ? .up : .down)
          // The server's function may round up to the first double beyond its integers.
          result = try Int64(exactly: rounded).map {
            try Self.evaluated(.integer(integer), comparison, .integer($0))
          }
        }
        #expect(result == expected, "\(integer) \(comparison) \(double)")
      }
    }
  }

  private static func evaluated(
    _ left: Value,
    _ comparison: ComparisonOperator,
    _ right: Value
  ) throws -> Bool {
    let entity = try EntityDescription(name: "constant", attributes: [])
    let predicate = FetchPredicate.comparison(.literal(left), comparison, .literal(right))
    return CompiledPredicate(predicate, in: entity).evaluate([], key: .integer(0)) == true
  }
}
