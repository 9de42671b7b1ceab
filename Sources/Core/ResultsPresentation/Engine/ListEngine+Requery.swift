import OrderStatistics
import ResultsDomain

extension ListEngine {
  /// Reads the keys again and finds what happened, row by row, without any history (R57).
  /// - Complexity: O(*n*) in the rows that match.
  mutating func requery(in store: any StoreSnapshot) throws(StoreError) -> [Step] {
    let oldKeys: SortedKeyList
    if let storeKeys { oldKeys = storeKeys } else { oldKeys = try snapshot.keys.held(in: store) }
    let newKeys = try currentKeys(oldKeys, in: store)
    let newDigests = try currentDigests(in: store)
    var affected = pairedRows(oldKeys, newKeys)
    if let digests, let newDigests {
      let changed = newDigests.changedIdentities(since: digests)
      clearUnchanged(&affected, besides: changed)
      affected += try updatedRows(changed, besides: affected, in: store)
    }
    if digests == nil, doubtsContentInGaps, !plan.observed.isEmpty {
      affected += doubtfulRows(newKeys, besides: affected)
    }
    let entity = plan.entity
    let change = ListChange(
      affected: affected,
      version: store.version,
      cause: .external,
      origins: [],
      keys: newKeys
    ) { (keys) throws(StoreError) in
      try store.rows(keys, of: entity)
    }
    digests = newDigests
    return try apply(change, in: store)?.step.map { [$0] } ?? []
  }

  /// All rows in both windows, of which nothing tells whether their content changed.
  private func doubtfulRows(_ newKeys: SortedKeyList, besides known: [AffectedRow]) -> [AffectedRow]
  {
    let known = Set(known.map(\.id.key))
    var rows: [AffectedRow] = []
    newKeys.forEachKey(in: plan.window(of: newKeys.count)) { _, bytes in
      guard let key = plan.layout.objectKey(in: bytes, of: plan.entity.identity),
        !known.contains(key)
      else { return }
      let id = ObjectID(entity: plan.entity.name, key: key)
      rows.append(AffectedRow(id: id, oldKey: Array(bytes), newKey: Array(bytes), changed: nil))
    }
    return rows
  }

  /// The keys as the store has them now; a frozen list only loses those whose rows are gone.
  private func currentKeys(
    _ oldKeys: SortedKeyList,
    in store: any StoreSnapshot
  ) throws(StoreError) -> SortedKeyList {
    guard plan.isFrozen else { return try ListEngine.keys(of: plan.definition, in: store) }
    var present: Set<ObjectKey> = []
    let definition = try frozenDefinition()
    try store.entries(of: definition) { (batch) throws(StoreError) in
      for position in 0..<batch.count {
        let key = batch.key(at: position).withUnsafeBytes {
          definition.layout.objectKey(in: $0, of: plan.entity.identity)
        }
        if let key { present.insert(key) }
      }
      return true
    }
    guard present.count < oldKeys.count else { return oldKeys }
    var gone: [[UInt8]] = []
    oldKeys.forEachKey(in: 0..<oldKeys.count) { _, key in
      if let id = plan.layout.objectKey(in: key, of: plan.entity.identity), !present.contains(id) {
        gone.append(Array(key))
      }
    }
    var keys = oldKeys
    do {
      try keys.apply(removals: gone, insertions: [])
    } catch {
      throw .unexpected(path: plan.entity.name, detail: "\(error)")
    }
    return keys
  }

  /// The definition that reads which members of a frozen list there still are.
  func frozenDefinition() throws(StoreError) -> OrderDefinition {
    var members: [ObjectKey] = []
    try snapshot.keys.forEachKey(in: 0..<snapshot.keys.count) { _, key in
      if let id = snapshot.layout.objectKey(in: key, of: plan.entity.identity) {
        members.append(id)
      }
    }
    do {
      return try OrderDefinition(
        entity: plan.entity,
        predicate: .identity(IdentitySet(keys: members)),
        sortDescriptors: plan.definition.terms
      )
    } catch {
      throw .request(error)
    }
  }

  private func currentDigests(in store: any StoreSnapshot) throws(StoreError) -> DigestTable? {
    guard digests != nil else { return nil }
    let definition = plan.isFrozen ? try frozenDefinition() : plan.definition
    return try DigestTable(of: definition, plan.observed, in: store)
  }

  /// Rows whose keys differ between two readings, matched by identity.
  private func pairedRows(_ oldKeys: SortedKeyList, _ newKeys: SortedKeyList) -> [AffectedRow] {
    let difference = SortedKeyList.difference(from: oldKeys, to: newKeys)
    var rows: [AffectedRow] = []
    var places: [[UInt8]: Int] = [:]
    let layout = plan.layout
    let changed: AttributeSet? = plan.observed.isEmpty ? AttributeSet() : nil
    func row(_ key: [UInt8]) -> (identity: [UInt8], id: ObjectID)? {
      key.withUnsafeBytes { bytes in
        guard let id = layout.objectKey(in: bytes, of: plan.entity.identity) else { return nil }
        let identity = Array(bytes[layout.identityStart(in: bytes)...])
        return (identity, ObjectID(entity: plan.entity.name, key: id))
      }
    }
    for position in difference.removals {
      let key = oldKeys.key(at: position)
      guard let found = row(key) else { continue }
      places[found.identity] = rows.count
      rows.append(AffectedRow(id: found.id, oldKey: key, newKey: nil, changed: changed))
    }
    for position in difference.insertions {
      let key = newKeys.key(at: position)
      guard let found = row(key) else { continue }
      if let place = places[found.identity] {
        rows[place].newKey = key
      } else {
        rows.append(AffectedRow(id: found.id, oldKey: nil, newKey: key, changed: changed))
      }
    }
    return rows
  }

  /// Notes of rows in both readings that no observed attribute changed, where their digests are the same: a sort or section value
  /// that is not shown places a row elsewhere, and updates nothing.
  private func clearUnchanged(_ rows: inout [AffectedRow], besides changed: [[UInt8]]) {
    let changed = Set(changed)
    for place in rows.indices where rows[place].oldKey != nil && rows[place].newKey != nil {
      guard let identity = plan.layout.identityBytes(of: rows[place].id.key),
        !changed.contains(identity)
      else { continue }
      rows[place].changed = AttributeSet()
    }
  }

  /// Rows whose content differs while their key is the same.
  private func updatedRows(
    _ identities: [[UInt8]],
    besides known: [AffectedRow],
    in store: any StoreSnapshot
  ) throws(StoreError) -> [AffectedRow] {
    let known = Set(known.map(\.id.key))
    let keys = identities.compactMap { bytes in
      bytes.withUnsafeBytes {
        plan.layout.objectKey(identity: $0, of: plan.entity.identity)
      }
    }.filter { !known.contains($0) }
    var rows: [AffectedRow] = []
    for case .some(let row) in try store.rows(keys, of: plan.entity) {
      let key =
        plan.isFrozen
        ? frozenKey(of: row.id.key) : try plan.encoder.key(row.values, key: row.id.key)
      guard let key else { continue }
      rows.append(
        AffectedRow(
          id: row.id,
          oldKey: key,
          newKey: key,
          after: plan.carriesRows ? row : nil,
          changed: nil
        )
      )
    }
    return rows
  }
}
