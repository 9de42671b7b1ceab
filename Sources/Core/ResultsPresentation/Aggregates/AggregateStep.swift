import OrderStatistics
import ResultsDomain

/// Leads the aggregates of a list from one generation to the next, and tells in the delta which sections show others (R78).
///
/// Only the rows that the delta or the commit names are looked at. A smallest or largest value that is gone is asked for
/// again, for its section alone.
struct AggregateStep {
  let old: ResultsSnapshot
  let change: ListChange
  let store: any StoreSnapshot

  init(from old: ResultsSnapshot, _ change: ListChange, in store: any StoreSnapshot) {
    self.old = old
    self.change = change
    self.store = store
  }

  /// What rows took from a section and gave to it.
  fileprivate struct Exchange {
    var removed: [[Value]] = []
    var added: [[Value]] = []
    /// Whether a row's part is not known.
    var isDoubtful = false
  }

  /// Fills in the aggregates of the next generation, whose sections are known, and completes the delta that leads to it.
  /// - Complexity: O(*c* log *n*) for *c* changed rows; O(*n*) where the keys were read again.
  func lead(
    to next: inout ResultsSnapshot,
    telling delta: inout ResultsDelta?
  ) throws(StoreError) {
    guard let table = old.aggregates, var told = delta else { return }
    let mapping = PathMapping(told)
    let touched: [Int]
    if change.keys != nil {
      next.aggregates = try filling(next).table()
      touched = (0..<next.sectionCount).filter { section in
        mapping.oldSection(for: section).map(table.results(ofSection:))
          != next.aggregates?.results(ofSection: section)
      }
    } else {
      let exchanges = try exchanges(of: told, mapping, next)
      next.aggregates = try advanced(table, told, exchanges, next)
      touched = exchanges.keys.sorted()
    }
    tell(touched, mapping, next, in: &told)
    delta = told
  }

  private func filling(_ next: ResultsSnapshot) -> AggregateFilling {
    AggregateFilling(next, isPresent: change.isPresent, in: store, rows: change.rows)
  }

  /// What every touched section of the next generation lost and got.
  private func exchanges(
    of delta: ResultsDelta,
    _ mapping: PathMapping,
    _ next: ResultsSnapshot
  ) throws(StoreError) -> [Int: Exchange] {
    var inputs: [ObjectID: AggregateInputs] = [:]
    for row in change.affected { inputs[row.id] = row.inputs ?? AggregateInputs() }
    let named = delta.rows.ids
    // Rows that no commit touched have come into the window, left it, or changed section with others.
    let untouched = named.filter { inputs[$0] == nil }
    if !untouched.isEmpty {
      let compiled = next.plan.aggregates.compiled
      for (id, row) in zip(untouched, try change.rows(untouched.map(\.key))) {
        let values = try row.map { (row) throws(StoreError) in
          try compiled.inputs(row.values, key: row.id.key)
        }
        inputs[id] = AggregateInputs(before: values, after: values)
      }
    }
    var exchanges: [Int: Exchange] = [:]
    func take(_ id: ObjectID, from path: OldPath) {
      guard let section = mapping.newSection(for: path.section) else { return }
      exchanges[section, default: Exchange()].remove(inputs[id]?.before)
    }
    func give(_ id: ObjectID, to path: NewPath) {
      exchanges[path.section, default: Exchange()].add(inputs[id]?.after)
    }
    for delete in delta.rows.deletes { take(delete.id, from: delete.from) }
    for row in delta.rows.moves + delta.rows.updates {
      take(row.id, from: row.from)
      give(row.id, to: row.to)
    }
    for insert in delta.rows.inserts { give(insert.id, to: insert.to) }
    // A change that no attribute in sight shows stays where it was.
    let known = Set(named)
    for row in change.affected where !known.contains(row.id) {
      guard let inputs = row.inputs, inputs.before != inputs.after,
        let place = next.section(of: row)
      else { continue }
      exchanges[place.section, default: Exchange()].remove(place.isCertain ? inputs.before : nil)
      exchanges[place.section, default: Exchange()].add(inputs.after)
    }
    return exchanges
  }

  private func advanced(
    _ table: AggregateTable,
    _ delta: ResultsDelta,
    _ exchanges: [Int: Exchange],
    _ next: ResultsSnapshot
  ) throws(StoreError) -> AggregateTable {
    var table = table
    table.arrange(delta.sections)
    for (section, exchange) in exchanges {
      guard !exchange.isDoubtful else {
        let states = try filling(next).states(ofSection: section, table.plan.compiled)
        table.set(states, ofSection: section)
        continue
      }
      var states = table.sections.element(at: section) ?? table.plan.compiled.emptyStates
      var lost: [Int] = []
      for index in states.indices where !states[index].exchange(exchange, index) {
        lost.append(index)
      }
      if !lost.isEmpty {
        let again = try table.plan.compiled.only(lost, in: next.entity)
        let found = try filling(next).states(ofSection: section, again)
        for (index, state) in zip(lost, found) { states[index] = state }
      }
      table.set(states, ofSection: section)
    }
    return table
  }

  /// Writes the headers as both generations have them, and an update for each touched section whose header differs.
  private func tell(
    _ touched: [Int],
    _ mapping: PathMapping,
    _ next: ResultsSnapshot,
    in delta: inout ResultsDelta
  ) {
    func header(_ header: SectionHeader, _ snapshot: ResultsSnapshot, _ section: Int)
      -> SectionHeader
    {
      snapshot.header(ofSection: section) ?? header
    }
    var sections = SectionChanges(
      deletes: delta.sections.deletes.map {
        .init(from: $0.from, old: header($0.old, old, $0.from))
      },
      moves: delta.sections.moves.map {
        .init(
          from: $0.from,
          to: $0.to,
          old: header($0.old, old, $0.from),
          new: header($0.new, next, $0.to)
        )
      },
      inserts: delta.sections.inserts.map { .init(to: $0.to, new: header($0.new, next, $0.to)) }
    )
    let moved = Set(sections.moves.map(\.to))
    let candidates = Set(touched + delta.sections.updates.map(\.to)).subtracting(moved)
    for to in candidates.sorted() {
      guard let from = mapping.oldSection(for: to), let before = old.header(ofSection: from),
        let after = next.header(ofSection: to), before != after
      else { continue }
      sections.updates.append(.init(from: from, to: to, old: before, new: after))
    }
    delta.sections = sections
  }
}

extension AggregateStep.Exchange {
  fileprivate mutating func remove(_ inputs: [Value]?) {
    if let inputs { removed.append(inputs) } else { isDoubtful = true }
  }

  fileprivate mutating func add(_ inputs: [Value]?) {
    if let inputs { added.append(inputs) } else { isDoubtful = true }
  }
}

extension AggregateState {
  /// Takes out and adds the values of one aggregate.
  /// - Returns: Whether the state is known; that of a smallest or largest value that went without an equal or better one is not.
  fileprivate mutating func exchange(_ exchange: AggregateStep.Exchange, _ index: Int) -> Bool {
    var isKnown = true
    for inputs in exchange.removed where !remove(inputs[index]) { isKnown = false }
    let known = self
    for inputs in exchange.added {
      // What would be lost if taken out is the extreme itself; what replaces it is better.
      var probe = known
      if !isKnown, !probe.remove(inputs[index]) { isKnown = true }
      add(inputs[index])
    }
    return isKnown || self != known
  }
}

extension CompiledAggregates {
  /// Some of the aggregates.
  fileprivate func only(
    _ indexes: [Int],
    in entity: EntityDescription
  ) throws(StoreError) -> CompiledAggregates {
    do {
      return try CompiledAggregates(indexes.map { aggregates[$0] }, in: entity)
    } catch {
      throw .request(error)
    }
  }
}

extension ResultsSnapshot {
  /// The section of a row that a commit touched, or `nil` if it is not in the window; and whether that is certain.
  fileprivate func section(of row: AffectedRow) -> (section: Int, isCertain: Bool)? {
    guard layout == plan.layout, let key = row.newKey else {
      return path(of: row.id).map { ($0.section, true) }
    }
    if case .held(let held) = keys {
      guard let position = held.position(of: key) else { return nil }
      return path(ofFlatPosition: position - window.lowerBound).map { ($0.section, true) }
    }
    if case .single = rule { return (0, !mayBeCut(0)) }
    // Nothing is read to tell which section a key falls into, but its place in a section that the window cuts is not known so.
    let extent = key.withUnsafeBytes { rule.extent(of: $0, layout) }
    guard let extent else { return nil }
    let positions = keys.positions(of: extent).clamped(to: window)
    guard !positions.isEmpty,
      let path = path(ofFlatPosition: positions.lowerBound - window.lowerBound)
    else { return nil }
    return (path.section, !mayBeCut(path.section))
  }
}
