import ResultsDomain

/// The states of the declared aggregates, section by section.
struct AggregateTable: Sendable {
  let plan: AggregatePlan
  private(set) var sections: PlacedList<[AggregateState]>

  init(_ plan: AggregatePlan, sections: [[AggregateState]]) {
    self.plan = plan
    self.sections = PlacedList(sections)
  }

  /// What the aggregates of a section came to.
  func results(ofSection section: Int) -> SectionAggregates {
    plan.results(of: sections.element(at: section) ?? [])
  }

  /// What the aggregates came to over all sections.
  /// - Complexity: O(*s*)
  var total: SectionAggregates {
    var total = plan.compiled.emptyStates
    sections.forEach { states in
      for index in states.indices { total[index].merge(states[index]) }
    }
    return plan.results(of: total)
  }

  /// Replaces the states of a section.
  mutating func set(_ states: [AggregateState], ofSection section: Int) {
    sections.replace(at: section, with: states)
  }

  /// Lets sections go and come as a delta says; those that come have no rows yet.
  mutating func arrange(_ changes: SectionChanges) {
    var moved: [Int: [AggregateState]] = [:]
    let targets = Dictionary(
      changes.moves.map { ($0.from, $0.to) },
      uniquingKeysWith: { first, _ in first }
    )
    let leaving = changes.deletes.map(\.from) + changes.moves.map(\.from)
    for from in leaving.sorted(by: >) {
      let states = sections.remove(at: from)
      if let to = targets[from] { moved[to] = states }
    }
    for to in (changes.inserts.map(\.to) + changes.moves.map(\.to)).sorted() {
      sections.insert(moved[to] ?? plan.compiled.emptyStates, at: to)
    }
  }
}
