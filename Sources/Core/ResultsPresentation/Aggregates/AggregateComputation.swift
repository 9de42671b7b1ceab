import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// Computes the aggregates of a generation from the store, for all sections at once or for one.
struct AggregateComputation {
  private let snapshot: ResultsSnapshot
  /// Whether the store has the rows of the generation; if not, only `rows` reads them.
  private let isPresent: Bool
  private let store: any StoreSnapshot
  /// Reads rows of the generation's version, in the order of the keys.
  private let rows: (_ keys: [ObjectKey]) throws(StoreError) -> [Row?]

  private static var batchSize: Int { 1024 }

  /// Creates the computation for a generation of the store's version.
  init(_ snapshot: ResultsSnapshot, in store: any StoreSnapshot) {
    let entity = snapshot.entity
    self.init(snapshot, isPresent: true, in: store) { (keys) throws(StoreError) in
      try store.rows(keys, of: entity)
    }
  }

  init(
    _ snapshot: ResultsSnapshot,
    isPresent: Bool,
    in store: any StoreSnapshot,
    rows: @escaping (_ keys: [ObjectKey]) throws(StoreError) -> [Row?]
  ) {
    self.snapshot = snapshot
    self.isPresent = isPresent
    self.store = store
    self.rows = rows
  }

  private var plan: ListPlan { snapshot.plan }
  private var compiled: CompiledAggregates { plan.aggregates.compiled }

  /// The table of all sections, or `nil` if no aggregate is declared.
  ///
  /// The store computes them in one pass where sections are runs of its order; otherwise the rows of the window are read.
  /// - Complexity: O(*n*) in the rows that match, or in those of the window.
  func table() throws(StoreError) -> AggregateTable? {
    guard !plan.aggregates.isEmpty else { return nil }
    if let sections = try grouped() {
      return AggregateTable(plan.aggregates, sections: sections)
    }
    var sections: [[AggregateState]] = []
    for section in 0..<snapshot.sectionCount { sections.append(try folded(section, compiled)) }
    return AggregateTable(plan.aggregates, sections: sections)
  }

  /// The states of some aggregates of one section.
  /// - Complexity: One pass of the store over the section's rows, or a reading of each row where no predicate selects them.
  func states(
    ofSection section: Int,
    _ aggregates: CompiledAggregates
  ) throws(StoreError) -> [AggregateState] {
    guard let definition = try definition(ofSection: section) else {
      return try folded(section, aggregates)
    }
    var found: AggregateGroup?
    try store.aggregates(aggregates, of: definition, groupedByFirst: 0) { group in
      found = group
      return false
    }
    guard let found, found.count == snapshot.rowCount(inSection: section) else {
      return try folded(section, aggregates)
    }
    return found.states
  }

  /// All sections in one pass of the store, or `nil` if its groups do not fit the sections.
  private func grouped() throws(StoreError) -> [[AggregateState]]? {
    guard isPresent, snapshot.showsStoreOrder, snapshot.rowCount == snapshot.matchingCount else {
      return nil
    }
    let columns: Int
    switch plan.rule {
    case .single: columns = 0
    case .columns(let count, _): columns = count
    case .grouping, .numbered: columns = 1
    }
    var sections: [[AggregateState]] = []
    var current = AggregateGroup(prefix: [], count: 0, states: compiled.emptyStates)
    var fits = true
    try store.aggregates(compiled, of: plan.definition, groupedByFirst: columns) { group in
      current.merge(group)
      // A section is a run of groups, and ends where it has its length.
      let length = snapshot.rowCount(inSection: sections.count)
      fits = length.map { current.count <= $0 } ?? false
      if current.count == length {
        sections.append(current.states)
        current = AggregateGroup(prefix: [], count: 0, states: compiled.emptyStates)
      }
      return fits
    }
    return fits && sections.count == snapshot.sectionCount ? sections : nil
  }

  /// The aggregates of a section, by reading its rows.
  private func folded(
    _ section: Int,
    _ aggregates: CompiledAggregates
  ) throws(StoreError) -> [AggregateState] {
    var group = AggregateGroup(prefix: [], count: 0, states: aggregates.emptyStates)
    let count = snapshot.rowCount(inSection: section) ?? 0
    let start = snapshot.flatPosition(of: RowPath(section: section, row: 0)) ?? 0
    for first in stride(from: start, to: start + count, by: Self.batchSize) {
      let end = min(first + Self.batchSize, start + count)
      let positions = first + snapshot.window.lowerBound..<end + snapshot.window.lowerBound
      let keys = try snapshot.keys.keys(at: positions, in: store).compactMap { key in
        key.withUnsafeBytes { snapshot.objectID(of: $0)?.key }
      }
      for case .some(let row) in try rows(keys) {
        group.add(try aggregates.inputs(row.values, key: row.id.key))
      }
    }
    return group.states
  }
}

extension AggregateComputation {
  /// The definition of the rows of one section and no others, or `nil` if no predicate selects them.
  private func definition(ofSection section: Int) throws(StoreError) -> OrderDefinition? {
    guard isPresent, snapshot.showsStoreOrder, !snapshot.mayBeCut(section),
      let predicate = try snapshot.predicate(ofSection: section, in: store)
    else { return nil }
    return try? OrderDefinition(
      entity: plan.entity,
      predicate: plan.definition.predicate && predicate,
      sortDescriptors: plan.definition.terms
    )
  }
}

extension ResultsSnapshot {
  /// Whether the rows have the store's order and are those for which the predicate holds.
  var showsStoreOrder: Bool { !plan.isFrozen && layout == plan.layout }

  /// Whether an edge of the window may cut a section.
  func mayBeCut(_ section: Int) -> Bool {
    section == 0 && window.lowerBound > 0
      || section == sectionCount - 1 && window.upperBound < matchingCount
  }

  /// The predicate that holds for the rows of a section and for no other matching row, or `nil` if there is none.
  fileprivate func predicate(
    ofSection section: Int,
    in store: any StoreSnapshot
  ) throws(StoreError) -> FetchPredicate? {
    if case .single = rule { return .all }
    guard let row = flatPosition(of: RowPath(section: section, row: 0)) else { return nil }
    let position = window.lowerBound + row
    guard let key = try keys.keys(at: position..<position + 1, in: store).first else { return nil }
    func value(_ column: Int) -> Value {
      key.withUnsafeBytes { layout.value(ofColumn: column, in: $0) }
    }
    func equals(_ column: Int) -> FetchPredicate {
      let expression = plan.definition.terms[column].expression
      let value = value(column)
      return value.isNull
        ? .isNull(expression) : .comparison(expression, .equal, .literal(value))
    }
    switch rule {
    case .single, .numbered: return nil
    case .columns(let count, _): return .and((0..<count).map(equals))
    case .grouping(let grouping):
      let (expression, value) = (plan.definition.terms[0].expression, value(0))
      guard !value.isNull else { return equals(0) }
      let group = grouping.group(of: value)
      guard let first = group.first, let next = group.next else { return nil }
      return .and([
        .comparison(expression, .greaterOrEqual, .literal(first)),
        .comparison(expression, .less, .literal(next)),
      ])
    }
  }
}
