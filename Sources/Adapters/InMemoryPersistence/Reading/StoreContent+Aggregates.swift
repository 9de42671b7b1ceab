import OrderStatistics
import ResultsDomain

extension StoreContent {
  /// Gathers the rows of a list by the first columns of its order, and hands over the groups in that order.
  ///
  /// Only the columns of the groups are encoded and sorted, not the rows.
  func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let table = tables[try index(of: definition.entity)]
    let encoder = RowKeyEncoder(definition)
    var groups: [AggregateGroup] = []
    var places: [[UInt8]: Int] = [:]
    if columns == 0 {
      places[[]] = 0
      groups.append(AggregateGroup(prefix: [], count: 0, states: aggregates.empty))
    }
    try forEachMatch(definition.predicate, of: definition.entity, in: table) {
      (row) throws(StoreError) in
      let key = columns == 0 ? [] : try encoder.key(row.values, key: row.id.key)
      let prefix = key.withUnsafeBytes {
        Array($0[..<definition.layout.prefixLength(columns: columns, in: $0)])
      }
      let place = places[prefix] ?? groups.count
      if place == groups.count {
        places[prefix] = place
        groups.append(AggregateGroup(prefix: prefix, count: 0, states: aggregates.empty))
      }
      groups[place].add(try aggregates.inputs(row.values, key: row.id.key))
      return true
    }
    // In a key another column follows, whose first byte decides where one text goes on and another ends.
    groups.sort { KeyOrder.compare($0.prefix + [2], $1.prefix + [2]) < 0 }
    for group in groups {
      guard try body(group) else { return }
    }
  }
}
