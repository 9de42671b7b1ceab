import ResultsDomain

/// The declared aggregates of a list, made ready.
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
      throw .duplicateAggregate(aggregate.name)
    }
    names = aggregates.map(\.name)
    compiled = try CompiledAggregates(aggregates.map(\.aggregate), in: entity)
  }

  /// What states came to, by name.
  func results(of states: [AggregateState]) -> SectionAggregates {
    SectionAggregates(
      names.indices.map { index in
        let type = compiled.types[index]
        guard index < states.count else {
          return (names[index], compiled.emptyStates[index].result(as: type))
        }
        return (names[index], states[index].result(as: type))
      }
    )
  }

  /// What a changed row gives to the aggregates, or `nil` if there are none.
  ///
  /// Values are taken only where the row is one of the list's.
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

/// What a row gave to the aggregates before a commit and gives afterwards; `nil` where that is not known or the row was no member.
struct AggregateInputs {
  var before: [Value]?
  var after: [Value]?

  /// Whether the aggregates may differ by it.
  var differ: Bool { before != after }
}
