import OrderStatistics
import ResultsDomain

/// One version of all entities' rows: the immutable root that a commit publishes.
struct StoreContent: Sendable {
  let entities: [EntityDescription]
  var tables: [RowTable]
  var version: StoreVersion
  /// Keys of lists in this version.
  var orders = KeptOrders()

  init(entities: [EntityDescription], version: StoreVersion) {
    self.entities = entities
    self.version = version
    tables = entities.map { _ in RowTable() }
  }

  /// Where an entity's table is.
  func index(of entity: EntityDescription) throws(StoreError) -> Int {
    guard let index = entities.firstIndex(of: entity) else {
      throw .unknownEntity(entity.name, known: entities.map(\.name))
    }
    return index
  }
}

// MARK: - Reading

extension StoreContent {
  /// The rows of some keys, in the order asked.
  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    let table = tables[try index(of: entity)]
    return keys.map { table[$0] }
  }

  /// How many rows a predicate holds for.
  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    let table = tables[try index(of: entity)]
    do {
      try predicate.validate(in: entity)
    } catch {
      throw .request(error)
    }
    guard predicate != .all else { return table.count }
    var count = 0
    try forEachMatch(predicate, of: entity, in: table) { (_) throws(StoreError) in
      count += 1
      return true
    }
    return count
  }

  /// Hands over a list's keys, ascending by bytes.
  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let table = tables[try index(of: definition.entity)]
    let encoder = RowKeyEncoder(definition)
    var keys = KeyArena()
    try forEachMatch(definition.predicate, of: definition.entity, in: table) {
      (row) throws(StoreError) in
      try keys.append { (writer) throws(StoreError) in
        try encoder.write(row.values, key: row.id.key, to: &writer)
      }
      return true
    }
    try keys.deliverAscending(body)
  }

  /// Hands over each row's identity and digest, ascending by identity.
  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let table = tables[try index(of: definition.entity)]
    let columns = definition.layout.identity
    var batch = EntryBatch()
    var goesOn = true
    try forEachMatch(definition.predicate, of: definition.entity, in: table) {
      (row) throws(StoreError) in
      try batch.append { (writer) throws(StoreError) in
        for (part, column) in zip(row.id.key.parts, columns) {
          guard writer.append(part, column) else {
            throw .unexpectedValue(row.id, what: "the key")
          }
        }
        var digest = RowDigest()
        for index in attributes.indexes where row.values.indices.contains(index) {
          digest.add(row.values[index])
        }
        withUnsafeBytes(of: digest.value.bigEndian) { writer.bytes.append(contentsOf: $0) }
      }
      if batch.count == KeyArena.batchLimit {
        goesOn = try body(batch)
        batch.removeAll()
      }
      return goesOn
    }
    if goesOn, batch.count > 0 { _ = try body(batch) }
  }

  /// Hands over the rows that a predicate holds for, in key order.
  func forEachMatch(
    _ predicate: FetchPredicate,
    of entity: EntityDescription,
    in table: RowTable,
    _ body: (Row) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let compiled = CompiledPredicate(predicate, in: entity)
    guard !compiled.isAlwaysTrue else { return try table.forEach(body) }
    func test(_ row: Row) throws(StoreError) -> Bool {
      compiled.holds(for: row) ? try body(row) : true
    }
    // A search costs about as much as reading a few rows, hence the factor.
    guard let identities = predicate.requiredIdentities, identities.count * 4 < table.count else {
      return try table.forEach(test)
    }
    for key in identities.keys {
      if let row = table[key], !(try test(row)) { return }
    }
  }
}

extension FetchPredicate {
  /// The smallest set of identities outside of which the predicate cannot hold.
  fileprivate var requiredIdentities: IdentitySet? {
    switch self {
    case .identity(let identities): identities
    case .and(let parts): parts.compactMap(\.requiredIdentities).min { $0.count < $1.count }
    default: nil
    }
  }
}

// MARK: - Aggregates

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
      groups.append(AggregateGroup(prefix: [], count: 0, states: aggregates.emptyStates))
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
        groups.append(AggregateGroup(prefix: prefix, count: 0, states: aggregates.emptyStates))
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

// MARK: - Sorting keys

/// Encoded keys in one arena, which are sorted by moving small fixed-size references.
struct KeyArena {
  /// How many keys are handed over at a time.
  static let batchLimit = 2048

  private struct Reference {
    /// The key's first eight bytes, so that most comparisons read nothing else.
    let head: UInt64
    let start: Int
    let count: Int

    func key(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
    }
  }

  private var writer = KeyWriter()
  private var references: [Reference] = []

  /// Appends the key that a closure writes.
  mutating func append(
    _ write: (inout KeyWriter) throws(StoreError) -> Void
  ) throws(StoreError) {
    let start = writer.bytes.count
    try write(&writer)
    let end = writer.bytes.count
    var head: UInt64 = 0
    for position in start..<start + 8 {
      head = head << 8 | (position < end ? UInt64(writer.bytes[position]) : 0)
    }
    references.append(Reference(head: head, start: start, count: end - start))
  }

  /// Hands over all keys in ascending order until the closure says stop.
  /// - Complexity: O(*n* log *n*)
  mutating func deliverAscending(
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let bytes = writer.bytes
    bytes.withUnsafeBytes { bytes in
      references.sort { left, right in
        guard left.head == right.head else { return left.head < right.head }
        return KeyOrder.compare(left.key(in: bytes), right.key(in: bytes)) < 0
      }
    }
    var batch = EntryBatch()
    for reference in references {
      batch.append { writer in
        writer.bytes.append(contentsOf: bytes[reference.start..<reference.start + reference.count])
      }
      if batch.count == KeyArena.batchLimit {
        guard try body(batch) else { return }
        batch.removeAll()
      }
    }
    if batch.count > 0 { _ = try body(batch) }
  }
}
