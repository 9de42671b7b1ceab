import ResultsDomain

/// The aggregates of a list over a union, gathered over the rows of a branch by the store itself.
struct BranchAggregates {
  private let order: BranchOrder
  private let aggregates: CompiledAggregates
  private let own: CompiledAggregates
  /// For each aggregate of the list the branch's, or the value that all rows of the branch have.
  private let parts: [Part]

  private enum Part {
    case own(Int)
    /// A value that all rows have, or as many as one of the branch's aggregates counts.
    case constant(Value, counted: Int?)
  }

  /// - Throws: `StoreError.request` for an aggregate that the branch cannot have.
  init(_ aggregates: CompiledAggregates, _ order: BranchOrder) throws(StoreError) {
    self.aggregates = aggregates
    self.order = order
    var parts: [Part] = []
    var asked: [FetchAggregate] = []
    let branch = order.branch
    do {
      for aggregate in aggregates.aggregates {
        let input = branch.expression(aggregate.expression)
        let isConditional = aggregate.predicate != .all
        let condition = isConditional ? branch.predicate(aggregate.predicate) : .all
        if case .none = condition {
          parts.append(.constant(.null, counted: nil))
        } else if case .literal(let value) = input {
          parts.append(.constant(value, counted: isConditional ? asked.count : nil))
          if isConditional {
            let key = branch.entity.keyExpressions[0]
            asked.append(FetchAggregate(.count, of: key, where: condition))
          }
        } else if try input.storage(in: branch.entity) == nil {
          parts.append(.constant(.null, counted: nil))
        } else {
          parts.append(.own(asked.count))
          asked.append(FetchAggregate(aggregate.function, of: input, where: condition))
        }
      }
      own = try CompiledAggregates(asked, in: branch.entity)
    } catch {
      throw .request(error)
    }
    self.parts = parts
  }

  /// Calls a closure with each group of the branch's rows that agree in the first columns of the union's keys.
  func forEachGroup(
    in base: any StoreSnapshot,
    byFirst columns: Int,
    _ body: (AggregateGroup) -> Void
  ) throws(StoreError) {
    let snapshot = order.branch.snapshot(of: base)
    let ownColumns = order.branchColumns(forFirst: columns)
    try snapshot.aggregates(own, of: order.definition, groupedByFirst: ownColumns) {
      (group) throws(StoreError) in
      guard group.count > 0 else { return true }
      var states: [AggregateState] = []
      for (index, part) in parts.enumerated() {
        switch part {
        case .own(let number): states.append(group.states[number])
        case .constant(let value, let counted):
          var count = group.count
          if let counted, case .count(let matching) = group.states[counted] { count = matching }
          var state = aggregates.emptyStates[index]
          let isReal = aggregates.storage[index] == .real
          let input: Value =
            if isReal, case .integer(let number) = value { .real(Double(number)) } else { value }
          if !input.isNull { for _ in 0..<count { state.add(input) } }
          states.append(state)
        }
      }
      let prefix = try order.unionPrefix(group.prefix, columns: columns)
      body(AggregateGroup(prefix: prefix, count: group.count, states: states))
      return true
    }
  }
}
