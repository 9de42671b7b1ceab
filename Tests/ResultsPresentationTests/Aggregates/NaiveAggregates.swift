import ResultsDomain
import ResultsStoreKit

@testable import ResultsPresentation

/// The expected results of declared aggregates, computed naively: collect the values, then fold them.
///
/// It shares no code with the engine, sums of reals aside, which `ExactRealSumTests` prove.
struct NaiveAggregates {
  let aggregates: [SectionAggregate]
  let entity: EntityDescription
  private let rows: [ObjectID: Row]

  init(_ aggregates: [SectionAggregate], over rows: [Row], of entity: EntityDescription) {
    self.aggregates = aggregates
    self.entity = entity
    self.rows = Dictionary(rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// A list with the aggregates of each section in its header.
  func completing(_ content: ResultsContent) throws -> ResultsContent {
    ResultsContent(
      sections: try content.sections.map { section in
        ResultsContent.Section(
          header: SectionHeader(
            id: section.header.id,
            title: section.header.title,
            aggregates: try values(section.rows)
          ),
          rows: section.rows
        )
      }
    )
  }

  /// The results of the aggregates over some rows.
  func values(_ ids: [ObjectID]) throws -> SectionAggregates {
    SectionAggregates(
      try aggregates.map { declared in
        let type = try declared.aggregate.type(in: entity)
        let values = ids.compactMap { rows[$0] }
          .filter { declared.aggregate.predicate.holds(for: $0) }
          .map(declared.aggregate.expression.evaluate)
          .filter { !$0.isNull }
        return (declared.name, value(declared.aggregate.function, values, type))
      }
    )
  }

  private func value(
    _ function: FetchAggregate.Function,
    _ values: [Value],
    _ type: AttributeType
  ) -> AggregateValue {
    switch function {
    case .count: return AggregateValue(.integer(Int64(values.count)), type)
    case .minimum:
      let least = values.min { Value.compare($0, $1) == .ascending }
      return AggregateValue(least ?? .null, type)
    case .maximum:
      let largest = values.max { Value.compare($0, $1) == .ascending }
      return AggregateValue(largest ?? .null, type)
    case .sum:
      guard !values.isEmpty else { return AggregateValue(.null, type) }
      if type == .real {
        var sum = ExactRealSum()
        for value in values { sum.add(value.double ?? 0) }
        return AggregateValue(sum.value.map { .real($0) } ?? .null, type)
      }
      let sum = values.compactMap(\.integer).reduce(Int128(0)) { $0 + Int128($1) }
      guard let fitting = Int64(exactly: sum) else {
        return AggregateValue(.null, type, isOverflow: true)
      }
      return AggregateValue(.integer(fitting), type)
    }
  }
}
