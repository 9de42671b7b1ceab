import ResultsDomain

/// A snapshot of a base under the rows of a draft.
///
/// What the draft does not change is read from the base as it is; its few rows are evaluated here, and merged.
protocol OverlaidSnapshot: StoreSnapshot {
  /// Returns the base's snapshot, the draft's rows and the entities of their tables.
  /// - Throws: `StoreError.unexpected` after the closure to which the snapshot belongs has returned.
  func current() throws(StoreError) -> OverlaidReading
}

/// What an overlaid snapshot reads.
struct OverlaidReading {
  let base: any StoreSnapshot
  let overlay: DraftOverlay
  let entities: [EntityDescription]

  /// The index of an entity's table, or `nil` if the draft changes none of its rows.
  func table(of entity: EntityDescription) -> Int? {
    entities.index(matching: entity).flatMap { overlay.tables[$0].isEmpty ? nil : $0 }
  }
}

extension OverlaidSnapshot {
  func rows(
    _ keys: [ObjectKey],
    of entity: EntityDescription
  ) throws(StoreError) -> [Row?] {
    let reading = try current()
    guard let table = reading.table(of: entity) else {
      return try reading.base.rows(keys, of: entity)
    }
    let entries = reading.overlay.tables[table]
    let others = keys.filter { entries[$0] == nil }
    guard others.count < keys.count else { return try reading.base.rows(keys, of: entity) }
    var found = (others.isEmpty ? [] : try reading.base.rows(others, of: entity)).makeIterator()
    return keys.map { key in
      if let entry = entries[key] { entry.mine } else { found.next() ?? nil }
    }
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let reading = try current()
    guard var merge = try reading.keys(of: definition) else {
      return try reading.base.entries(of: definition, body)
    }
    var continues = true
    try reading.base.entries(of: definition) { (batch) throws(StoreError) in
      continues = try merge.deliver(batch, to: body)
      return continues
    }
    if continues { try merge.deliverRest(to: body) }
  }

  func firstEntries(
    of definition: OrderDefinition,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    let reading = try current()
    guard limit > 0, var merge = try reading.keys(of: definition) else {
      return try reading.base.firstEntries(of: definition, limit: limit)
    }
    let (wanted, isOverflow) = limit.addingReportingOverflow(merge.removed.count)
    let batch = try reading.base.firstEntries(of: definition, limit: isOverflow ? .max : wanted)
    var first = EntryBatch()
    func take(_ batch: EntryBatch) -> Bool {
      for index in 0..<min(batch.count, limit - first.count) {
        first.append { $0.bytes += batch.key(at: index) }
      }
      return first.count < limit
    }
    if try merge.deliver(batch, to: take) { try merge.deliverRest(to: take) }
    return first
  }

  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    let reading = try current()
    let count = try reading.base.count(of: entity, where: predicate)
    guard let table = reading.table(of: entity) else { return count }
    let condition = CompiledPredicate(predicate, in: entity.stored)
    return reading.overlay.tables[table].values.reduce(count) { count, entry in
      let wasCounted = entry.base.map(condition.holds) ?? false
      let isCounted = entry.mine.map(condition.holds) ?? false
      return count - (wasCounted ? 1 : 0) + (isCounted ? 1 : 0)
    }
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let reading = try current()
    guard let rest = try reading.rest(of: definition) else {
      return try reading.base.digests(of: definition, attributes: attributes, body)
    }
    var added: [[UInt8]] = []
    for row in rest.rows {
      guard let identity = definition.layout.identityBytes(of: row.id.key) else {
        throw .unexpectedValue(row.id, what: "the key")
      }
      var digest = RowDigest()
      for index in attributes.indexes where row.values.indices.contains(index) {
        digest.add(row.values[index])
      }
      added.append(identity + withUnsafeBytes(of: digest.value.bigEndian) { Array($0) })
    }
    var merge = EntryMerge(adding: added, suffixLength: 8)
    var continues = true
    try reading.base.digests(of: rest.definition, attributes: attributes) {
      (batch) throws(StoreError) in
      continues = try merge.deliver(batch, to: body)
      return continues
    }
    if continues { try merge.deliverRest(to: body) }
  }

  func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let reading = try current()
    guard let rest = try reading.rest(of: definition) else {
      return try reading.base.aggregates(aggregates, of: definition, groupedByFirst: columns, body)
    }
    var groups = try rest.groups(aggregates, byFirst: columns)
    var continues = true
    try reading.base.aggregates(aggregates, of: rest.definition, groupedByFirst: columns) {
      (group) throws(StoreError) in
      var group = group
      while let next = groups.first, !group.precedes(next) {
        groups.removeFirst()
        guard next.precedes(group) else {
          group.merge(next)
          break
        }
        continues = try body(next)
        guard continues else { return false }
      }
      continues = try body(group)
      return continues
    }
    for group in groups where continues { continues = try body(group) }
  }

  func referrers(
    to keys: [ObjectKey],
    through columns: [String],
    of entity: EntityDescription,
    limit: Int?
  ) throws(StoreError) -> [ObjectKey]? {
    let reading = try current()
    guard let table = reading.table(of: entity) else {
      return try reading.base.referrers(to: keys, through: columns, of: entity, limit: limit)
    }
    let entries = reading.overlay.tables[table]
    // Each of the draft's rows can take away one of those that the base has.
    let (wanted, isOverflow) = (limit ?? .max).addingReportingOverflow(entries.count)
    guard
      var found = try reading.base.referrers(
        to: keys,
        through: columns,
        of: entity,
        limit: limit == nil || isOverflow ? nil : wanted
      )
    else { return nil }
    found.removeAll { entries[$0] != nil }
    let sought = Set(keys.map(\.parts).filter { !$0.contains(where: \.isNull) })
    let stored = entity.stored
    let values = columns.map { name in
      CompiledExpression(stored.expression(ofColumn: name) ?? .literal(.null), in: stored)
    }
    for (key, entry) in entries {
      guard let row = entry.mine else { continue }
      if sought.contains(values.map { $0.value(row.values, key: key) }) { found.append(key) }
    }
    if let limit, found.count > limit { return nil }
    return found
  }

  func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan {
    try current().base.plan(of: definition)
  }

  func source(of definition: OrderDefinition) throws(StoreError) -> QueryPlan.Source {
    try current().base.source(of: definition)
  }
}

// MARK: - The draft's part of a list

/// A list without the rows that a draft changes, and those of these rows that belong to it.
private struct RestOfList {
  let definition: OrderDefinition
  let rows: [Row]

  /// The groups of the draft's rows, in the order of their prefixes.
  func groups(
    _ aggregates: CompiledAggregates,
    byFirst columns: Int
  ) throws(StoreError) -> [AggregateGroup] {
    let encoder = RowKeyEncoder(definition)
    var groups: [[UInt8]: AggregateGroup] = [:]
    for row in rows {
      let key = columns == 0 ? [] : try encoder.key(row.values, key: row.id.key)
      let prefix = key.withUnsafeBytes {
        Array($0[..<definition.layout.prefixLength(columns: columns, in: $0)])
      }
      let empty = AggregateGroup(prefix: prefix, count: 0, states: aggregates.emptyStates)
      groups[prefix, default: empty].add(try aggregates.inputs(row.values, key: row.id.key))
    }
    return groups.values.sorted { $0.precedes($1) }
  }
}

extension OverlaidReading {
  /// The keys of the draft's rows in a list, before and after; `nil` if the draft does not change the list's keys.
  fileprivate func keys(of definition: OrderDefinition) throws(StoreError) -> EntryMerge? {
    guard let table = table(of: definition.entity) else { return nil }
    let condition = CompiledPredicate(definition.predicate, in: definition.entity)
    let encoder = RowKeyEncoder(definition)
    func key(of row: Row?) throws(StoreError) -> [UInt8]? {
      guard let row, condition.holds(for: row) else { return nil }
      return try encoder.key(row.values, key: row.id.key)
    }
    var (removed, added) = ([[UInt8]](), [[UInt8]]())
    for entry in overlay.tables[table].values {
      let (old, new) = (try key(of: entry.base), try key(of: entry.mine))
      guard old != new else { continue }
      if let old { removed.append(old) }
      if let new { added.append(new) }
    }
    guard !removed.isEmpty || !added.isEmpty else { return nil }
    return EntryMerge(removing: removed, adding: added)
  }

  /// The list without the draft's rows, and those of them that belong to it; `nil` if the draft changes nothing that can belong to it.
  fileprivate func rest(of definition: OrderDefinition) throws(StoreError) -> RestOfList? {
    guard let table = table(of: definition.entity) else { return nil }
    let condition = CompiledPredicate(definition.predicate, in: definition.entity)
    let entries = overlay.tables[table]
    let hidden = entries.filter { $0.value.base.map(condition.holds) ?? false }.map(\.key)
    let rows = entries.values.compactMap(\.mine).filter(condition.holds)
    guard !hidden.isEmpty || !rows.isEmpty else { return nil }
    guard !hidden.isEmpty else { return RestOfList(definition: definition, rows: rows) }
    do {
      let rest = try OrderDefinition(
        entity: definition.entity,
        predicate: .and([definition.predicate, .not(.identity(IdentitySet(keys: hidden)))]),
        sectionTerms: definition.terms,
        sortDescriptors: Array(definition.terms.prefix(1))
      )
      return RestOfList(definition: rest, rows: rows)
    } catch {
      throw .request(error)
    }
  }
}

extension AggregateGroup {
  /// Whether the group comes before another one.
  fileprivate func precedes(_ other: AggregateGroup) -> Bool {
    // In a key another column follows; its first byte decides the order if one prefix begins with another.
    (prefix + [2]).lexicographicallyPrecedes(other.prefix + [2])
  }
}
