import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// One version of the rows of all entities: the immutable root that a commit publishes.
struct StoreContent: Sendable {
  let entities: [EntityDescription]
  var tables: [RowTable]
  var version: StoreVersion
  /// The cached orders of this version.
  var orders = CachedOrders()

  init(entities: [EntityDescription], version: StoreVersion) {
    self.entities = entities
    self.version = version
    tables = entities.map { _ in RowTable() }
  }

  /// The index of an entity's table.
  func index(of entity: EntityDescription) throws(StoreError) -> Int {
    guard let index = entities.index(matching: entity) else {
      throw .unknownEntity(entity.name, known: entities.map(\.name))
    }
    return index
  }
}

// MARK: - Reading

extension StoreContent {
  /// The rows with some keys, in the order of the keys.
  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    let table = tables[try index(of: entity)]
    return keys.map { table[$0] }
  }

  /// The number of rows for which a predicate holds.
  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    let entity = entity.stored
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

  /// Calls a closure with a list's keys in batches, in ascending order.
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

  /// Calls a closure with each row's identity and digest in batches, in ascending order of identities.
  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let table = tables[try index(of: definition.entity)]
    let columns = definition.layout.identity
    var batch = EntryBatch()
    var continues = true
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
        continues = try body(batch)
        batch.removeAll()
      }
      return continues
    }
    if continues, batch.count > 0 { _ = try body(batch) }
  }

  /// Calls a closure with the rows for which a predicate holds, in key order, until it returns false.
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
    // A lookup costs about as much as scanning a few rows, hence the factor.
    guard let identities = predicate.requiredIdentities, identities.count * 4 < table.count else {
      return try table.forEach(test)
    }
    for key in identities.keys {
      if let row = table[key], !(try test(row)) { return }
    }
  }
}

extension FetchPredicate {
  /// The smallest set of identities that contains all objects for which the predicate holds.
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
  /// Groups the rows of a list by the first columns of its order, and calls a closure with the groups in that order.
  ///
  /// Only the groups are sorted, not the rows.
  func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let table = tables[try index(of: definition.entity)]
    let encoder = RowKeyEncoder(definition)
    var groups: [AggregateGroup] = []
    var indexes: [[UInt8]: Int] = [:]
    if columns == 0 {
      indexes[[]] = 0
      groups.append(AggregateGroup(prefix: [], count: 0, states: aggregates.emptyStates))
    }
    try forEachMatch(definition.predicate, of: definition.entity, in: table) {
      (row) throws(StoreError) in
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
      return true
    }
    // In a key another column follows; its first byte decides the order if one prefix begins with another.
    groups.sort { KeyOrder.compare($0.prefix + [2], $1.prefix + [2]) < 0 }
    for group in groups {
      guard try body(group) else { return }
    }
  }
}

// MARK: - Sorting keys

/// Encoded keys in one arena, sorted through small references of fixed size.
struct KeyArena {
  /// The number of keys in a batch.
  static let batchLimit = 2048

  private struct Reference {
    /// The key's first eight bytes, which decide most comparisons.
    let head: UInt64
    let start: Int
    let count: Int

    func key(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
    }
  }

  private var writer = KeyWriter()
  private var references: [Reference] = []

  /// Appends a key that a closure writes.
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

  /// Calls a closure with all keys in batches, in ascending order, until it returns false.
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
