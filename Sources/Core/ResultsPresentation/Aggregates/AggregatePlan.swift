import ResultsDomain

/// The declared aggregates of a list, compiled.
struct AggregatePlan: Sendable {
  let names: [String]
  let compiled: CompiledAggregates

  var isEmpty: Bool { names.isEmpty }

  init(
    _ aggregates: [SectionAggregate],
    in entity: EntityDescription
  ) throws(RequestError) {
    var known: Set<Value> = []
    for aggregate in aggregates where !known.insert(.text(aggregate.name)).inserted {
      throw .aggregateTwice(aggregate.name)
    }
    names = aggregates.map(\.name)
    compiled = try CompiledAggregates(aggregates.map(\.aggregate), in: entity)
  }

  /// The results of some states, by name.
  func results(of states: [AggregateState]) -> SectionAggregates {
    SectionAggregates(
      names.indices.map { index in
        let type = compiled.types[index]
        guard index < states.count else {
          return (names[index], compiled.empty[index].result(as: type))
        }
        return (names[index], states[index].result(as: type))
      }
    )
  }

  /// The inputs of a changed row to the aggregates, or `nil` if there are none.
  ///
  /// Only the images with which the row is in the list have inputs.
  func inputs(
    of change: CommittedChange,
    wasMember: Bool,
    isMember: Bool
  ) throws(StoreError) -> AggregateInputs? {
    guard !isEmpty else { return nil }
    var inputs = AggregateInputs()
    if wasMember, let row = change.before {
      inputs.before = try compiled.inputs(row.values, key: row.id.key)
    }
    if isMember, let row = change.after {
      inputs.after = try compiled.inputs(row.values, key: row.id.key)
    }
    return inputs
  }
}

/// The inputs of a row to the aggregates before a commit and after it; `nil` where they are unknown or the row was not in the list.
struct AggregateInputs {
  var before: [Value]?
  var after: [Value]?

  /// Whether they may change the aggregates.
  var differ: Bool { before != after }
}
