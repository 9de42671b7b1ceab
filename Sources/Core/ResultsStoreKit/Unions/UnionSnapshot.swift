import ResultsDomain

/// A snapshot that also has the rows of unions; what concerns the entities of the base is passed on.
protocol UnionedSnapshot: SnapshotForwarding {
  var plans: [UnionPlan] { get }
}

/// A snapshot of one version of a store with unions, valid inside a closure.
final class UnionSnapshot: UnionedSnapshot {
  let base: any StoreSnapshot
  let plans: [UnionPlan]
  private let fingerprint: String

  init(_ base: any StoreSnapshot, _ plans: [UnionPlan], fingerprint: String) {
    self.base = base
    self.plans = plans
    self.fingerprint = fingerprint
  }

  // What is cached of a list over a union also depends on the conditions of its branches.
  func bookmark() throws(StoreError) -> StoreBookmark? {
    guard let bookmark = try base.bookmark() else { return nil }
    return StoreBookmark(
      store: bookmark.store + fingerprint,
      sequence: bookmark.sequence,
      stamp: bookmark.stamp,
      detail: bookmark.detail
    )
  }

  func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? {
    let store = Array(bookmark.store.utf8)
    let suffix = Array(fingerprint.utf8)
    guard store.count >= suffix.count, store.suffix(suffix.count).elementsEqual(suffix) else {
      return nil
    }
    return try base.version(
      at: StoreBookmark(
        store: String(decoding: store.dropLast(suffix.count), as: UTF8.self),
        sequence: bookmark.sequence,
        stamp: bookmark.stamp,
        detail: bookmark.detail
      )
    )
  }

  func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan {
    guard let plan = plan(for: definition.entity) else { return try base.plan(of: definition) }
    var merged: QueryPlan?
    for order in try plan.orders(of: definition) {
      var part = try order.branch.snapshot(of: base).plan(of: order.definition)
      let name = plan.union.branches[order.branch.index].name
      part.steps = part.steps.map { "\(name): \($0)" }
      merged = merged.map { $0.merged(with: part) } ?? part
    }
    return merged ?? QueryPlan(source: .table)
  }

  func source(of definition: OrderDefinition) throws(StoreError) -> QueryPlan.Source {
    guard let plan = plan(for: definition.entity) else { return try base.source(of: definition) }
    var merged: QueryPlan.Source?
    for order in try plan.orders(of: definition) {
      let source = try order.branch.snapshot(of: base).source(of: order.definition)
      merged = merged.map { $0.merged(with: source) } ?? source
    }
    return merged ?? .table
  }

  func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? {
    guard let plan = plan(for: definition.entity) else {
      return try base.orderedSource(of: definition)
    }
    var parts: [UnionSource.Part] = []
    for order in try plan.orders(of: definition) {
      guard order.findsPositions,
        let source = try order.branch.snapshot(of: base).orderedSource(of: order.definition)
      else { return nil }
      parts.append(UnionSource.Part(order: order, source: source))
    }
    return UnionSource(parts, definition.layout)
  }
}

extension QueryPlan {
  /// The plan of two branches of a union, whose keys are merged.
  fileprivate func merged(with other: QueryPlan) -> QueryPlan {
    var merged = QueryPlan(source: source.merged(with: other.source), steps: steps + other.steps)
    let remedies = [remedy, other.remedy].compactMap(\.self)
    merged.remedy = remedies.isEmpty ? nil : remedies.joined(separator: "; ")
    merged.relationships = relationships
    for relationship in other.relationships where !merged.relationships.contains(relationship) {
      merged.relationships.append(relationship)
    }
    return merged
  }
}

extension QueryPlan.Source {
  /// The source of the keys of two branches of a union: that of the worse one, or both indexes.
  fileprivate func merged(with other: QueryPlan.Source) -> QueryPlan.Source {
    switch (self, other) {
    case (.unknown, _), (_, .unknown): .unknown
    case (.sorting, _), (_, .sorting): .sorting
    case (.index(let one), .index(let two)): one == two ? self : .index("\(one), \(two)")
    case (.index, .table), (.table, .table): self
    case (.table, .index): other
    }
  }
}

// MARK: - Reading

extension UnionedSnapshot {
  /// The plan of a union, or `nil` for any other entity.
  func plan(for entity: EntityDescription) -> UnionPlan? {
    plans.first { $0.entity == entity }
  }

  func rows(
    _ keys: [ObjectKey],
    of entity: EntityDescription
  ) throws(StoreError) -> [Row?] {
    guard let plan = plan(for: entity) else { return try base.rows(keys, of: entity) }
    var positions: [[Int]] = plan.branches.map { _ in [] }
    var objects: [[ObjectKey]] = plan.branches.map { _ in [] }
    for (position, key) in keys.enumerated() {
      guard let object = plan.union.object(of: key) else { continue }
      positions[object.branch].append(position)
      objects[object.branch].append(object.key)
    }
    var rows: [Row?] = Array(repeating: nil, count: keys.count)
    for branch in plan.branches where !objects[branch.index].isEmpty {
      let found = try branch.snapshot(of: base).rows(objects[branch.index], of: branch.entity)
      for (position, object) in zip(positions[branch.index], found) {
        rows[position] = branch.row(of: object)
      }
    }
    return rows
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard let plan = plan(for: definition.entity) else {
      return try base.entries(of: definition, body)
    }
    // A store may not begin another query while it delivers one, so the branches are read one after the other.
    var merge = KeyMerge()
    for order in try plan.orders(of: definition) { merge.add(try keys(of: order)) }
    try merge.deliver(body)
  }

  func firstEntries(
    of definition: OrderDefinition,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    guard let plan = plan(for: definition.entity) else {
      return try base.firstEntries(of: definition, limit: limit)
    }
    guard limit > 0 else { return EntryBatch() }
    var merge = KeyMerge()
    for order in try plan.orders(of: definition) {
      let first = try order.branch.snapshot(of: base)
        .firstEntries(of: order.definition, limit: limit)
      merge.add(try order.unionKeys(first))
    }
    return try merge.nextBatch(limit: limit)
  }

  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    guard let plan = plan(for: entity) else { return try base.count(of: entity, where: predicate) }
    do {
      try predicate.validate(in: entity)
    } catch {
      throw .request(error)
    }
    var count = 0
    for branch in plan.branches {
      let condition = branch.predicate(predicate)
      if case .none = condition { continue }
      count += try branch.snapshot(of: base).count(of: branch.entity, where: condition)
    }
    return count
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard let plan = plan(for: definition.entity) else {
      return try base.digests(of: definition, attributes: attributes, body)
    }
    // The branches are in the order of their names, with which the keys of rows begin.
    let byKey: OrderDefinition
    do {
      byKey = try OrderDefinition(
        entity: plan.entity,
        predicate: definition.predicate,
        sortDescriptors: plan.entity.keyExpressions.map { FetchSortDescriptor($0) }
      )
    } catch {
      throw .request(error)
    }
    for order in try plan.orders(of: byKey) {
      let snapshot = order.branch.snapshot(of: base)
      var keys: [ObjectKey] = []
      var identities = EntryBatch()
      try snapshot.entries(of: order.definition) { (batch) throws(StoreError) in
        keys += batch.objectKeys(order.definition.layout, of: order.branch.entity)
        try order.append(batch, to: &identities)
        return true
      }
      for start in stride(from: 0, to: keys.count, by: KeyMerge.batchLimit) {
        let range = start..<min(keys.count, start + KeyMerge.batchLimit)
        let rows = try snapshot.rows(Array(keys[range]), of: order.branch.entity)
        var batch = EntryBatch()
        for case (let index, .some(let row)) in zip(range, rows) {
          let digest = order.branch.digest(of: row, attributes)
          let key = identities.key(at: index)
          let identity = key.withUnsafeBytes { byKey.layout.identityStart(in: $0) }
          batch.append { writer in
            writer.bytes += key[identity...]
            withUnsafeBytes(of: digest.bigEndian) { writer.bytes.append(contentsOf: $0) }
          }
        }
        if batch.count > 0 {
          guard try body(batch) else { return }
        }
      }
    }
  }

  func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard let plan = plan(for: definition.entity) else {
      return try base.aggregates(aggregates, of: definition, groupedByFirst: columns, body)
    }
    var groups: [[UInt8]: AggregateGroup] = [:]
    if columns == 0 {
      groups[[]] = AggregateGroup(prefix: [], count: 0, states: aggregates.emptyStates)
    }
    for order in try plan.orders(of: definition) {
      let gathering = try BranchAggregates(aggregates, order)
      try gathering.forEachGroup(in: base, byFirst: columns) { group in
        if groups[group.prefix]?.merge(group) == nil { groups[group.prefix] = group }
      }
    }
    // In a key another column follows; its first byte decides the order if one prefix begins with another.
    let sorted = groups.values.sorted {
      ($0.prefix + [2]).lexicographicallyPrecedes($1.prefix + [2])
    }
    for group in sorted {
      guard try body(group) else { return }
    }
  }

  func history(
    since version: StoreVersion,
    of entity: EntityDescription
  ) throws(StoreError) -> StoreHistory {
    guard let plan = plan(for: entity) else { return try base.history(since: version, of: entity) }
    return try plan.history(since: version, in: base)
  }

  func history(
    since version: StoreVersion,
    ofEach entities: [EntityDescription]
  ) throws(StoreError) -> StoreHistory {
    let others = entities.filter { plan(for: $0) == nil }
    guard others.count < entities.count else {
      return try base.history(since: version, ofEach: entities)
    }
    var histories: [[CommitRecord]] = []
    if !others.isEmpty {
      switch try base.history(since: version, ofEach: others) {
      case .gap(let reason): return .gap(reason)
      case .commits(let records): histories.append(records)
      }
    }
    for plan in entities.compactMap(plan(for:)) {
      switch try plan.history(since: version, in: base) {
      case .gap(let reason): return .gap(reason)
      case .commits(let records): histories.append(records)
      }
    }
    return .commits(CommitRecord.merging(histories))
  }

  func referrers(
    to keys: [ObjectKey],
    through columns: [String],
    of entity: EntityDescription,
    limit: Int?
  ) throws(StoreError) -> [ObjectKey]? {
    guard let plan = plan(for: entity) else {
      return try base.referrers(to: keys, through: columns, of: entity, limit: limit)
    }
    var terms: [CompiledExpression] = []
    for name in columns {
      guard let term = plan.entity.expression(ofColumn: name) else {
        throw .request(
          .unknownAttribute(name, entity: entity.name, known: entity.attributes.map(\.name))
        )
      }
      terms.append(CompiledExpression(term, in: plan.entity))
    }
    let sought = Set(keys.map(\.parts).filter { !$0.contains(where: \.isNull) })
    var found: [ObjectKey] = []
    for branch in plan.branches {
      let rows = try branch.allRows(in: base).filter { row in
        sought.contains(terms.map { $0.value(row.values, key: row.id.key) })
      }
      found += rows.map(\.id.key)
      if let limit, found.count > limit { return nil }
    }
    return found
  }

  /// All keys of a branch as keys of the union.
  private func keys(of order: BranchOrder) throws(StoreError) -> EntryBatch {
    var keys = EntryBatch()
    try order.branch.snapshot(of: base).entries(of: order.definition) {
      (batch) throws(StoreError) in
      try order.append(batch, to: &keys)
      return true
    }
    return keys
  }
}

extension BranchPlan {
  /// All rows of the branch, in the order of their objects' keys.
  fileprivate func allRows(in base: any StoreSnapshot) throws(StoreError) -> [Row] {
    let definition: OrderDefinition
    do {
      definition = try OrderDefinition(
        entity: entity,
        predicate: predicate,
        sortDescriptors: entity.keyExpressions.map { FetchSortDescriptor($0) }
      )
    } catch {
      throw .request(error)
    }
    let snapshot = snapshot(of: base)
    var keys: [ObjectKey] = []
    try snapshot.entries(of: definition) { (batch) throws(StoreError) in
      keys += batch.objectKeys(definition.layout, of: entity)
      return true
    }
    return try snapshot.rows(keys, of: entity).compactMap(row)
  }
}
