package import ResultsDomain

/// A snapshot that also answers for the derived entity of a relation tree: the core's join.
///
/// What concerns the entities of the store is passed on. What uses related objects is read in batches, evaluated, encoded and
/// sorted here, unless the store answers paths itself. It ends with the snapshot it wraps.
package final class RelatedSnapshot: StoreSnapshot {
  private let store: any StoreSnapshot
  private let tree: RelationTree
  /// The most rows that are evaluated at a time.
  private static let batchSize = 4096

  package init(_ store: any StoreSnapshot, _ tree: RelationTree) {
    self.store = store
    self.tree = tree
  }

  package var version: StoreVersion { store.version }

  package func rows(
    _ keys: [ObjectKey],
    of entity: EntityDescription
  ) throws(StoreError) -> [Row?] {
    guard tree.derives(entity) else { return try store.rows(keys, of: entity) }
    var reader = RelationReader(tree, in: RelationView(store))
    return try reader.derived(keys)
  }

  package func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    if let passed = try passed(definition) { return try store.entries(of: passed, body) }
    let encoder = RowKeyEncoder(definition)
    var keys = SortedEntries()
    try forEachMatch(of: definition) { (row) throws(StoreError) in
      try keys.append { (writer) throws(StoreError) in
        try encoder.write(row.values, key: row.id.key, to: &writer)
      }
    }
    try keys.deliver(body)
  }

  package func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    guard tree.derives(entity) else { return try store.count(of: entity, where: predicate) }
    if tree.answersPaths || tree.readsBaseOnly(predicate) {
      return try store.count(of: tree.base, where: tree.restored(predicate))
    }
    var count = 0
    try forEachMatch(predicate) { (_) throws(StoreError) in count += 1 }
    return count
  }

  package func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let isOfBase = attributes.indexes.allSatisfy { $0 < tree.base.attributes.count }
    if !tree.derives(definition.entity) || isOfBase, let passed = try passed(definition) {
      return try store.digests(of: passed, attributes: attributes, body)
    }
    var entries = SortedEntries()
    try forEachMatch(of: definition) { (row) throws(StoreError) in
      var digest = RowDigest()
      for index in attributes.indexes where index < row.values.count {
        digest.add(row.values[index])
      }
      guard let identity = definition.layout.identityBytes(of: row.id.key) else {
        throw .unexpectedValue(row.id, what: "the key")
      }
      entries.append { writer in
        writer.bytes += identity
        withUnsafeBytes(of: digest.value.bigEndian) { writer.bytes.append(contentsOf: $0) }
      }
    }
    try entries.deliver(body)
  }

  package func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard tree.derives(definition.entity) else {
      return try store.aggregates(aggregates, of: definition, groupedByFirst: columns, body)
    }
    let readsBaseOnly = aggregates.aggregates.allSatisfy { aggregate in
      aggregate.expression.attributes.allSatisfy(tree.isOfBase)
        && tree.readsBaseOnly(aggregate.predicate)
    }
    if readsBaseOnly,
      let passed = try passed(definition)
    {
      return try store.aggregates(
        try compiled(aggregates.aggregates),
        of: passed,
        groupedByFirst: columns,
        body
      )
    }
    let encoder = RowKeyEncoder(definition)
    var groups: [AggregateGroup] = []
    var indexes: [[UInt8]: Int] = [:]
    if columns == 0 {
      indexes[[]] = 0
      groups.append(AggregateGroup(prefix: [], count: 0, states: aggregates.emptyStates))
    }
    try forEachMatch(of: definition) { (row) throws(StoreError) in
      let key = columns == 0 ? [] : try encoder.key(row.values, key: row.id.key)
      let prefix = key.withUnsafeBytes {
        Array($0[..<definition.layout.prefixLength(columns: columns, in: $0)])
      }
      let index = indexes[prefix] ?? groups.count
      if index == groups.count {
        indexes[prefix] = index
        groups.append(AggregateGroup(prefix: prefix, count: 0, states: aggregates.emptyStates))
      }
      groups[index].add(try aggregates.inputs(row.values, key: row.id.key))
    }
    // In a key another column follows; its first byte decides the order if one prefix begins with another.
    groups.sort { ($0.prefix + [2]).lexicographicallyPrecedes($1.prefix + [2]) }
    for group in groups {
      guard try body(group) else { return }
    }
  }

  package func history(
    since version: StoreVersion,
    of entity: EntityDescription
  ) throws(StoreError) -> StoreHistory {
    guard tree.derives(entity) else { return try store.history(since: version, of: entity) }
    // Without a limit there is always a history.
    return try tree.history(since: version, in: store, limit: nil) ?? .gap(.trimmed)
  }

  package func history(
    since version: StoreVersion,
    ofEach entities: [EntityDescription]
  ) throws(StoreError) -> StoreHistory {
    try store.history(since: version, ofEach: entities)
  }

  package func referrers(
    to keys: [ObjectKey],
    through columns: [String],
    of entity: EntityDescription,
    limit: Int?
  ) throws(StoreError) -> [ObjectKey]? {
    let entity = tree.derives(entity) ? tree.base : entity
    return try store.referrers(to: keys, through: columns, of: entity, limit: limit)
  }

  package func bookmark() throws(StoreError) -> StoreBookmark? { try store.bookmark() }

  package func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? {
    try store.version(at: bookmark)
  }

  package func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan {
    if let passed = try passed(definition) { return try store.plan(of: passed) }
    let plan = try store.plan(of: try scan(of: definition.predicate))
    let names = tree.entities.dropFirst().map(\.name).joined(separator: ", ")
    let step = "JOIN \(names.isEmpty ? tree.base.name : names) AND SORT, IN MEMORY"
    return QueryPlan(source: .sorting, steps: plan.steps + [step])
  }

  package func source(of definition: OrderDefinition) throws(StoreError) -> QueryPlan.Source {
    try passed(definition).map { (passed) throws(StoreError) in try store.source(of: passed) }
      ?? .sorting
  }

  package func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? {
    guard tree.derives(definition.entity) else { return try store.orderedSource(of: definition) }
    guard tree.readsBaseOnly(definition) else { return nil }
    return try store.orderedSource(of: try stored(definition))
  }
}

extension RelatedSnapshot {
  /// Returns a row with its related values in this version, as a row of the derived entity.
  ///
  /// The row need not be stored; its own values are used as they are given.
  package func derived(_ row: Row) throws(StoreError) -> Row {
    let own = Array(row.values.prefix(tree.base.attributes.count))
    var reader = RelationReader(tree, in: RelationView(store))
    let base = Row(entity: tree.base, id: row.id, values: own)
    return try reader.derived([base]).first ?? base
  }
}

// MARK: - The join

extension RelatedSnapshot {
  /// The definition that the store can answer, or `nil` if the core has to join.
  private func passed(_ definition: OrderDefinition) throws(StoreError) -> OrderDefinition? {
    guard tree.derives(definition.entity) else { return definition }
    guard tree.answersPaths || tree.readsBaseOnly(definition) else { return nil }
    return try stored(definition)
  }

  private func stored(_ definition: OrderDefinition) throws(StoreError) -> OrderDefinition {
    do {
      return try tree.storeDefinition(of: definition)
    } catch {
      throw .request(error)
    }
  }

  private func compiled(_ aggregates: [FetchAggregate]) throws(StoreError) -> CompiledAggregates {
    do {
      return try CompiledAggregates(aggregates, in: tree.base)
    } catch {
      throw .request(error)
    }
  }

  /// The definition of the rows for which the conditions on the base entity hold, in the order of their keys.
  private func scan(of predicate: FetchPredicate) throws(StoreError) -> OrderDefinition {
    var conditions: [FetchPredicate] = []
    switch predicate {
    case .and(let parts): conditions = parts.filter(tree.readsBaseOnly)
    default: if tree.readsBaseOnly(predicate) { conditions = [predicate] }
    }
    let columns: [FetchExpression] =
      switch tree.base.identity {
      case .integer, .text: [.objectKey]
      case .compound(let names): names.map { .attribute($0) }
      }
    do {
      return try OrderDefinition(
        entity: tree.base,
        predicate: .conjunction(conditions),
        sortDescriptors: columns.map { FetchSortDescriptor($0) }
      )
    } catch {
      throw .request(error)
    }
  }

  private func forEachMatch(
    of definition: OrderDefinition,
    _ body: (Row) throws(StoreError) -> Void
  ) throws(StoreError) {
    // Where the store answers paths, it selects the rows too.
    guard tree.answersPaths else { return try forEachMatch(definition.predicate, body) }
    let definition = try stored(definition)
    try forEachRow(of: definition, where: nil, body)
  }

  /// Calls a closure with the derived rows for which a predicate over the derived entity holds.
  private func forEachMatch(
    _ predicate: FetchPredicate,
    _ body: (Row) throws(StoreError) -> Void
  ) throws(StoreError) {
    let condition = CompiledPredicate(predicate, in: tree.entity)
    try forEachRow(of: try scan(of: predicate), where: condition, body)
  }

  private func forEachRow(
    of definition: OrderDefinition,
    where condition: CompiledPredicate?,
    _ body: (Row) throws(StoreError) -> Void
  ) throws(StoreError) {
    // The keys are read first: a store may not begin another query while it delivers one.
    var keys: [ObjectKey] = []
    try store.entries(of: definition) { (batch) throws(StoreError) in
      keys += batch.objectKeys(definition.layout, of: tree.base)
      return true
    }
    var reader = RelationReader(tree, in: RelationView(store))
    for start in stride(from: 0, to: keys.count, by: RelatedSnapshot.batchSize) {
      let batch = Array(keys[start..<min(start + RelatedSnapshot.batchSize, keys.count)])
      for case .some(let row) in try reader.derived(batch) where condition?.holds(for: row) ?? true
      {
        try body(row)
      }
    }
  }
}

// MARK: - Sorting

/// Byte strings in one array, sorted through small references of fixed size.
private struct SortedEntries {
  /// The number of entries in a batch.
  private static let batchLimit = 2048

  private struct Reference {
    /// The first eight bytes, which decide most comparisons.
    let head: UInt64
    let range: Range<Int>
  }

  private var writer = KeyWriter()
  private var references: [Reference] = []

  /// Appends an entry that a closure writes.
  mutating func append<Failure: Error>(
    _ write: (inout KeyWriter) throws(Failure) -> Void
  ) throws(Failure) {
    let start = writer.bytes.count
    try write(&writer)
    let end = writer.bytes.count
    var head: UInt64 = 0
    for position in start..<start + 8 {
      head = head << 8 | (position < end ? UInt64(writer.bytes[position]) : 0)
    }
    references.append(Reference(head: head, range: start..<end))
  }

  /// Calls a closure with all entries in batches, in ascending order, until it returns false.
  /// - Complexity: O(*n* log *n*)
  mutating func deliver(_ body: (EntryBatch) throws(StoreError) -> Bool) throws(StoreError) {
    let bytes = writer.bytes
    bytes.withUnsafeBytes { bytes in
      references.sort { left, right in
        guard left.head == right.head else { return left.head < right.head }
        return bytes[left.range].lexicographicallyPrecedes(bytes[right.range])
      }
    }
    var batch = EntryBatch()
    for reference in references {
      batch.append { $0.bytes.append(contentsOf: bytes[reference.range]) }
      if batch.count == SortedEntries.batchLimit {
        guard try body(batch) else { return }
        batch.removeAll()
      }
    }
    if batch.count > 0 { _ = try body(batch) }
  }
}
