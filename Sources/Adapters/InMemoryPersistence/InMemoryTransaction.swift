import ResultsDomain
import ResultsStoreKit

/// A transaction on a copy of the content.
final class InMemoryTransaction: StoreTransaction {
  let version: StoreVersion
  private let store: InMemoryStore
  private var content: StoreContent
  private var touched = NetChanges()
  private var isOpen = true

  init(_ content: StoreContent, of store: InMemoryStore) {
    self.store = store
    self.content = content
    version = content.version
  }

  /// Ends the transaction and returns its content and net changes.
  func end() -> (content: StoreContent, changes: [Int: [CommittedChange]]) {
    let result = (content, touched.changes(in: content))
    isOpen = false
    content = StoreContent(entities: [], version: version)
    touched = NetChanges()
    return result
  }

  private func checkOpen() throws(StoreError) {
    guard isOpen else { throw store.usedAfterEnd("transaction") }
  }

  private func set(_ row: Row, inTable table: Int, replacing old: Row?) {
    touched.record(row.id.key, inTable: table, before: old)
    content.tables[table].set(row)
  }

  private func remove(_ old: Row, fromTable table: Int) {
    touched.record(old.id.key, inTable: table, before: old)
    content.tables[table].remove(old.id.key)
  }

  /// The next integer key, as in SQLite: one more than the largest, or 1 in an empty table.
  private func nextKey(inTable table: Int) throws(StoreError) -> ObjectKey {
    guard case .some(.integer(let last)) = content.tables[table].last?.id.key else {
      return .integer(1)
    }
    guard last < .max else { throw .invalid([.invalidKey(entity: content.entities[table].name)]) }
    return .integer(last + 1)
  }
}

extension InMemoryTransaction {
  func insert(
    _ values: [Value],
    key: ObjectKey?,
    into entity: EntityDescription
  ) throws(StoreError) -> ObjectID {
    try checkOpen()
    let table = try content.index(of: entity)
    let values = content.entities[table].completed(entity.storedValues(values))
    let entity = content.entities[table]
    try entity.validate(values)
    let given = try entity.key(for: values, given: key)
    let newKey = if let given { given } else { try nextKey(inTable: table) }
    let id = ObjectID(entity: entity.name, key: newKey)
    guard content.tables[table][newKey] == nil else { throw .alreadyExists(id) }
    let row = Row(entity: content.entities[table], id: id, values: values)
    set(row, inTable: table, replacing: nil)
    return id
  }

  func update(
    _ id: ObjectID,
    to values: [Value],
    of entity: EntityDescription,
    ifUnchangedFrom expected: Row?
  ) throws(StoreError) {
    try checkOpen()
    let table = try content.index(of: entity)
    var values = entity.storedValues(values)
    let entity = content.entities[table]
    guard isObject(id, of: entity), let stored = content.tables[table][id.key] else {
      throw .notFound(id)
    }
    values = entity.completed(values, from: stored)
    try entity.validate(values)
    if let expected, entity.completed(expected, from: stored) != stored {
      throw .conflict(id, expected: expected, stored: stored)
    }
    let isCompound = !entity.keyAttributeIndexes.isEmpty
    let key =
      isCompound ? ObjectKey.compound(entity.keyAttributeIndexes.map { values[$0] }) : id.key
    let newID = ObjectID(entity: entity.name, key: key)
    let row = Row(entity: content.entities[table], id: newID, values: values)
    guard key != id.key else {
      set(row, inTable: table, replacing: stored)
      return
    }
    guard content.tables[table][key] == nil else { throw .alreadyExists(newID) }
    remove(stored, fromTable: table)
    set(row, inTable: table, replacing: nil)
  }

  func delete(_ id: ObjectID, of entity: EntityDescription) throws(StoreError) -> Bool {
    try checkOpen()
    let table = try content.index(of: entity)
    guard isObject(id, of: entity), content.tables[table][id.key] != nil else { return false }
    let consequences = try consequences(
      ofDeleting: id,
      of: content.entities[table],
      among: content.entities
    )
    for row in consequences.updates {
      try update(row.id, to: row.values, of: row.entity, ifUnchangedFrom: nil)
    }
    for id in consequences.deletes {
      let index = content.entities.firstIndex { Value.text($0.name) == .text(id.entity) }
      guard let index, let stored = content.tables[index][id.key] else { continue }
      remove(stored, fromTable: index)
    }
    return true
  }

  private func isObject(_ id: ObjectID, of entity: EntityDescription) -> Bool {
    id == ObjectID(entity: entity.name, key: id.key)
  }
}

extension InMemoryTransaction {
  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    try checkOpen()
    return try content.rows(keys, of: entity)
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try checkOpen()
    try content.entries(of: definition, body)
  }

  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    try checkOpen()
    return try content.count(of: entity, where: predicate)
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try checkOpen()
    try content.digests(of: definition, attributes: attributes, body)
  }

  func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try checkOpen()
    try content.aggregates(aggregates, of: definition, groupedByFirst: columns, body)
  }

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    store.history(after: version, through: self.version, of: entity)
  }
}

// MARK: - Net changes

/// The rows that a transaction changed, with their values before it.
struct NetChanges {
  private struct Touched {
    var order: [(key: ObjectKey, before: Row?)] = []
    var keys: Set<ObjectKey> = []
  }

  private var tables: [Int: Touched] = [:]

  /// Records a row before its first change; later calls for the same key are ignored.
  mutating func record(_ key: ObjectKey, inTable table: Int, before row: Row?) {
    guard tables[table, default: Touched()].keys.insert(key).inserted else { return }
    tables[table, default: Touched()].order.append((key, row))
  }

  /// The net changes of each table that has any, in the order of the rows' first changes.
  /// - Complexity: O(*k* log *n*) for *k* changed rows.
  func changes(in content: StoreContent) -> [Int: [CommittedChange]] {
    var changes: [Int: [CommittedChange]] = [:]
    for (table, touched) in tables {
      let (name, rows) = (content.entities[table].name, content.tables[table])
      let changed: [CommittedChange] = touched.order.compactMap { key, before in
        let after = rows[key]
        guard after != before else { return nil }
        return CommittedChange(
          id: ObjectID(entity: name, key: key),
          before: before,
          after: after
        )
      }
      if !changed.isEmpty { changes[table] = changed }
    }
    return changes
  }
}
