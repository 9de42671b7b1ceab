import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// Advances the aggregates of a list to the next generation, and adds the sections with other aggregates to the delta (R78).
///
/// Only the rows that the delta or the commit names are read. When a smallest or largest value is removed, the store computes the
/// aggregate again, for its section alone.
struct AggregateUpdate {
  private let old: ResultsSnapshot
  private let change: ListChange
  private let store: any StoreSnapshot

  init(from old: ResultsSnapshot, _ change: ListChange, in store: any StoreSnapshot) {
    self.old = old
    self.change = change
    self.store = store
  }

  /// The inputs removed from the aggregates of a section and added to them.
  fileprivate struct Exchange {
    private(set) var removed: [[Value]] = []
    private(set) var added: [[Value]] = []
    /// Whether the inputs of a row are not known.
    private(set) var isIncomplete = false

    mutating func remove(_ inputs: [Value]?) {
      if let inputs { removed.append(inputs) } else { isIncomplete = true }
    }

    mutating func add(_ inputs: [Value]?) {
      if let inputs { added.append(inputs) } else { isIncomplete = true }
    }
  }

  /// Sets the aggregates of the next generation, whose sections are known, and completes the delta to it.
  /// - Complexity: O(*c* log *n*) for *c* changed rows; O(*n*) where the keys were read again.
  func apply(
    to next: inout ResultsSnapshot,
    completing delta: inout ResultsDelta?
  ) throws(StoreError) {
    guard let table = old.aggregates, var completed = delta else { return }
    let mapping = PathMapping(completed)
    let touched: [Int]
    if change.keys != nil {
      let recomputed = try computation(next).table()
      next.update { $0.aggregates = recomputed }
      touched = (0..<next.sectionCount).filter { section in
        mapping.oldSection(for: section).map(table.results(ofSection:))
          != next.aggregates?.results(ofSection: section)
      }
    } else {
      let exchanges = try exchanges(of: completed, mapping, next)
      let advanced = try advanced(table, completed, exchanges, next)
      next.update { $0.aggregates = advanced }
      touched = exchanges.keys.sorted()
    }
    writeHeaders(touched, mapping, next, in: &completed)
    delta = completed
  }

  private func computation(_ next: ResultsSnapshot) -> AggregateComputation {
    AggregateComputation(next, isPresent: change.isPresent, in: store, rows: change.rows)
  }

  /// The exchange of every touched section of the next generation.
  private func exchanges(
    of delta: ResultsDelta,
    _ mapping: PathMapping,
    _ next: ResultsSnapshot
  ) throws(StoreError) -> [Int: Exchange] {
    var inputs: [ObjectID: AggregateInputs] = [:]
    for row in change.affected { inputs[row.id] = row.inputs ?? AggregateInputs() }
    let named = delta.rows.ids
    // Rows that no commit touched have entered or left the window, or changed section with others.
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
    func remove(_ id: ObjectID, from path: OldPath) {
      guard let section = mapping.newSection(for: path.section) else { return }
      exchanges[section, default: Exchange()].remove(inputs[id]?.before)
    }
    func add(_ id: ObjectID, to path: NewPath) {
      exchanges[path.section, default: Exchange()].add(inputs[id]?.after)
    }
    for delete in delta.rows.deletes { remove(delete.id, from: delete.from) }
    for row in delta.rows.moves + delta.rows.updates {
      remove(row.id, from: row.from)
      add(row.id, to: row.to)
    }
    for insert in delta.rows.inserts { add(insert.id, to: insert.to) }
    // A row with changed inputs and no visible change is not named, and did not move.
    let known = Set(named)
    for row in change.affected where !known.contains(row.id) {
      guard let inputs = row.inputs, inputs.before != inputs.after,
        let found = next.section(of: row)
      else { continue }
      exchanges[found.section, default: Exchange()].remove(found.isCertain ? inputs.before : nil)
      exchanges[found.section, default: Exchange()].add(inputs.after)
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
    table.apply(delta.sections)
    for (section, exchange) in exchanges {
      guard !exchange.isIncomplete else {
        let states = try computation(next).states(ofSection: section, table.plan.compiled)
        table.set(states, ofSection: section)
        continue
      }
      var states = table.states(ofSection: section)
      var lost: [Int] = []
      for index in states.indices where !states[index].exchange(exchange, index) {
        lost.append(index)
      }
      if !lost.isEmpty {
        let again = try table.plan.compiled.only(lost, in: next.entity)
        let found = try computation(next).states(ofSection: section, again)
        for (index, state) in zip(lost, found) { states[index] = state }
      }
      table.set(states, ofSection: section)
    }
    return table
  }

  /// Writes the headers as both generations have them, and an update for each touched section whose header differs.
  private func writeHeaders(
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

extension AggregateState {
  /// Removes and adds the inputs of one aggregate.
  /// - Returns: Whether the state is known; it is not once a smallest or largest value was removed without an equal or better one left.
  fileprivate mutating func exchange(_ exchange: AggregateUpdate.Exchange, _ index: Int) -> Bool {
    var isKnown = true
    for inputs in exchange.removed where !remove(inputs[index]) { isKnown = false }
    let known = self
    for inputs in exchange.added {
      // An input that cannot be removed again is the extreme itself, so the state is known again.
      var probe = known
      if !isKnown, !probe.remove(inputs[index]) { isKnown = true }
      add(inputs[index])
    }
    return isKnown || self != known
  }
}

extension CompiledAggregates {
  /// Some of the aggregates.
  func only(
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
    // The section of a key follows without reading, but not whether the window cuts the key off.
    let extent = key.withUnsafeBytes { rule.extent(of: $0, layout) }
    guard let extent else { return nil }
    let positions = keys.positions(of: extent).clamped(to: window)
    guard !positions.isEmpty,
      let path = path(ofFlatPosition: positions.lowerBound - window.lowerBound)
    else { return nil }
    return (path.section, !mayBeCut(path.section))
  }
}
