package import ResultsDomain
package import ResultsPresentation

/// The average of an attribute in the headers of sections: a sum and a count, of which one text is made.
///
/// Averages of sections do not add up to that of a group; sums and counts do.
package enum AverageAggregates {
  private static let sumPrefix = "sum of "
  private static let countPrefix = "number of "

  /// Returns the aggregates of an attribute of numbers.
  package static func of(_ attribute: AttributeDescription) -> [SectionAggregate] {
    [
      SectionAggregate(sumPrefix + attribute.name, .sum(attribute.name)),
      SectionAggregate(countPrefix + attribute.name, .count(attribute.name)),
    ]
  }

  /// What an aggregate of a header is to an average.
  package enum Part: Hashable, Sendable {
    /// No part of any.
    case none
    /// The number of values, which is not shown by itself.
    case count
    /// The sum, with the attribute and its average, rounded half up to one decimal; `nil` where there are no values.
    case sum(of: String, average: Value?)

    /// The type of the average.
    package static let type = AttributeType.decimal(scale: 1)
  }

  /// Returns what an aggregate is to an average among all of a header.
  /// - Complexity: O(*n*) in the aggregates.
  package static func part(
    _ name: String,
    _ aggregate: AggregateValue,
    among aggregates: SectionAggregates
  ) -> Part {
    if let attribute = attribute(name, after: countPrefix), aggregates[sumPrefix + attribute] != nil
    {
      return .count
    }
    guard let attribute = attribute(name, after: sumPrefix),
      case .some(.integer(let count)) = aggregates[countPrefix + attribute]?.value
    else { return .none }
    guard count > 0, !aggregate.isOverflow, case .integer(let sum) = aggregate.value else {
      return .sum(of: attribute, average: nil)
    }
    var scale = 0
    if case .decimal(let digits) = aggregate.type { scale = digits }
    let average = rounded(sum, over: count, scale: scale)
    return .sum(of: attribute, average: average.map { .integer($0) })
  }

  private static func attribute(_ name: String, after prefix: String) -> String? {
    guard name.utf8.starts(with: prefix.utf8) else { return nil }
    return String(name.utf8.dropFirst(prefix.utf8.count))
  }

  /// The quotient in tenths, rounded half up; `nil` beyond 64 bits.
  private static func rounded(_ sum: Int64, over count: Int64, scale: Int) -> Int64? {
    var divisor = Int128(count)
    for _ in 0..<scale { divisor *= 10 }
    let doubled = Int128(sum) * 20 + divisor
    let (quotient, rest) = doubled.quotientAndRemainder(dividingBy: 2 * divisor)
    return Int64(exactly: rest < 0 ? quotient - 1 : quotient)
  }
}
