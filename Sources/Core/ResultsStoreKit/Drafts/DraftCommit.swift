import ResultsDomain

/// Writes the rows of a draft into its base, in one transaction.
struct DraftCommit: Sendable {
  private let overlay: DraftOverlay
  private let entities: [EntityDescription]

  init(_ overlay: DraftOverlay, _ entities: [EntityDescription]) {
    self.overlay = overlay
    self.entities = entities
  }

  /// Writes all rows, each only if it is as the draft knows it or can be merged.
  /// - Returns: The new identities of rows that had temporary ones or whose keys contain such, and the rows as they were stored.
  /// - Throws: `StoreError.conflict` for a row that the base changed in the same attributes, and the transaction's errors.
  func write(
    in transaction: any StoreTransaction
  ) throws(StoreError) -> (identities: [ObjectID: ObjectID], landed: LandedRows) {
    var pending: [ObjectID: (table: Int, entry: DraftEntry)] = [:]
    var changes: [CommittedChange] = []
    let merged = try mergedEntries(in: transaction)
    // Given keys come first, so that the base assigns none of them.
    for (table, entry) in merged.filter({ !$0.entry.isTemporary })
      + merged.filter(\.entry.isTemporary)
    {
      guard let id = (entry.mine ?? entry.base)?.id else { continue }
      pending[id] = (table, entry)
      // Undone, the change from mine to the base's row is the one from the base's row to mine.
      changes.append(CommittedChange(id: id, before: entry.mine, after: entry.base))
    }
    var work = Work(foreignKeys: foreignKeys, entities: entities, pending: Set(pending.keys))
    for change in UndoOrder(changes).changes {
      guard let (table, entry) = pending[change.id] else { continue }
      try work.write(entry, change.id, inTable: table, in: transaction)
    }
    try work.writeLateKeys(in: transaction)
    return try landed(work.identities, pending, in: transaction)
  }

  /// The entries, merged with the rows as the transaction finds them.
  private func mergedEntries(
    in transaction: any StoreTransaction
  ) throws(StoreError) -> [(table: Int, entry: DraftEntry)] {
    var present: [Int: [ObjectKey: Row]] = [:]
    for (table, entries) in overlay.tables.enumerated() where !entries.isEmpty {
      for case .some(let row) in try transaction.rows(Array(entries.keys), of: entities[table]) {
        present[table, default: [:]][row.id.key] = row
      }
    }
    var merged: [(table: Int, entry: DraftEntry)] = []
    for (table, key, entry) in overlay.entries {
      let row = present[table]?[key]
      guard let next = entry.base == row ? entry : entry.rebased(onto: row) else { continue }
      guard !next.isConflict else {
        let id = ObjectID(entity: entities[table].name, key: key)
        guard let expected = entry.base, let row else {
          throw row == nil ? .notFound(id) : .alreadyExists(id)
        }
        throw .conflict(id, expected: expected, stored: row)
      }
      merged.append((table, next))
    }
    return merged
  }

  /// The rows as they were stored.
  private func landed(
    _ identities: [ObjectID: ObjectID],
    _ pending: [ObjectID: (table: Int, entry: DraftEntry)],
    in transaction: any StoreTransaction
  ) throws(StoreError) -> (identities: [ObjectID: ObjectID], landed: LandedRows) {
    var landed = LandedRows()
    var keys: [Int: [(draft: ObjectKey, stored: ObjectKey)]] = [:]
    for (id, (table, _)) in pending {
      keys[table, default: []].append((id.key, identities[id]?.key ?? id.key))
    }
    for (table, keys) in keys {
      let rows = try transaction.rows(keys.map(\.stored), of: entities[table])
      for ((draft, stored), row) in zip(keys, rows) {
        landed.add(row, stored, for: draft, inTable: table)
      }
    }
    return (identities, landed)
  }

  /// The columns that can hold the key of a new row: those of declared relationships to entities with integer keys.
  private var foreignKeys: [Int: [(attribute: Int, destination: Int)]] {
    var found: [Int: [(attribute: Int, destination: Int)]] = [:]
    func add(_ columns: [String], of holder: EntityDescription, naming other: EntityDescription) {
      guard columns.count == 1, case .integer = other.identity,
        let table = entities.firstIndex(where: { $0.name.hasSameBytes(as: holder.name) }),
        let destination = entities.firstIndex(where: { $0.name.hasSameBytes(as: other.name) }),
        let attribute = entities[table].index(of: columns[0])
      else { return }
      let isKnown = found[table]?.contains { $0 == (attribute, destination) } ?? false
      if !isKnown { found[table, default: []].append((attribute, destination)) }
    }
    for entity in entities {
      for relationship in entity.relationships {
        switch relationship.kind {
        case .toOne(let columns): add(columns, of: entity, naming: relationship.destination)
        case .toMany(let columns): add(columns, of: relationship.destination, naming: entity)
        case .manyToMany(let link, let from, let to):
          add(from, of: link.entity, naming: entity)
          add(to, of: link.entity, naming: relationship.destination)
        }
      }
    }
    return found
  }
}

// MARK: - Writing row by row

/// The writing of a draft's rows, while temporary keys become final ones.
private struct Work {
  let foreignKeys: [Int: [(attribute: Int, destination: Int)]]
  let entities: [EntityDescription]
  /// The draft's rows that are written.
  let pending: Set<ObjectID>
  /// The final identities of rows that had others in the draft.
  private(set) var identities: [ObjectID: ObjectID] = [:]
  /// Rows that name a row that was written after them.
  private var late: [(table: Int, id: ObjectID, values: [Value])] = []

  init(
    foreignKeys: [Int: [(attribute: Int, destination: Int)]],
    entities: [EntityDescription],
    pending: Set<ObjectID>
  ) {
    self.foreignKeys = foreignKeys
    self.entities = entities
    self.pending = pending
  }

  /// Writes a row as the draft has it.
  mutating func write(
    _ entry: DraftEntry,
    _ id: ObjectID,
    inTable table: Int,
    in transaction: any StoreTransaction
  ) throws(StoreError) {
    let entity = entities[table]
    guard let mine = entry.mine else {
      _ = try transaction.delete(id, of: entity)
      return
    }
    let (values, isComplete) = resolved(mine.values, inTable: table, hidesUnknown: true)
    var stored = id
    if let base = entry.base {
      try transaction.update(id, to: values, of: entity, ifUnchangedFrom: base)
    } else {
      let isAssigned = entry.isTemporary || !entity.keyAttributeIndexes.isEmpty
      stored = try transaction.insert(values, key: isAssigned ? nil : id.key, into: entity)
      if stored != id { identities[id] = stored }
    }
    if !isComplete { late.append((table, stored, mine.values)) }
  }

  /// Writes the foreign keys that named rows which had no final key yet.
  mutating func writeLateKeys(in transaction: any StoreTransaction) throws(StoreError) {
    for (table, id, values) in late {
      let (values, _) = resolved(values, inTable: table, hidesUnknown: false)
      try transaction.update(id, to: values, of: entities[table])
    }
  }

  /// Replaces the temporary keys that a row names by final ones.
  /// - Parameters:
  ///   - values: The row's values.
  ///   - table: The index of its table.
  ///   - hidesUnknown: Whether a key that is not known yet is null for now, where it can be.
  /// - Returns: The values, and whether all keys were known.
  private func resolved(
    _ values: [Value],
    inTable table: Int,
    hidesUnknown: Bool
  ) -> (values: [Value], isComplete: Bool) {
    var (values, isComplete) = (values, true)
    for (attribute, destination) in foreignKeys[table] ?? [] {
      guard case .integer(let number) = values[attribute], number < 0 else { continue }
      let named = ObjectID(entity: entities[destination].name, key: .integer(number))
      if let identity = identities[named], case .integer(let final) = identity.key {
        values[attribute] = .integer(final)
      } else if pending.contains(named), hidesUnknown {
        isComplete = false
        if entities[table].attributes[attribute].isOptional { values[attribute] = .null }
      }
    }
    return (values, isComplete)
  }
}
