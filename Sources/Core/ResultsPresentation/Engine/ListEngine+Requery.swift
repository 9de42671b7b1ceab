import OrderStatistics
import ResultsDomain

extension ListEngine {
  /// Reads the keys again and marks the delta as a repair.
  ///
  /// Where commits of this store are missing from the history too, every row counts as changed, whether or not changes of other
  /// writers are detected.
  /// - Parameters:
  ///   - reason: Why the history has a gap, or `nil` if its commits do not fit the list.
  ///   - store: The version to read.
  /// - Returns: The step, or none if rows and sections are as they were.
  /// - Throws: The store's error; the engine must not be used afterwards.
  mutating func repair(
    _ reason: GapReason?,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [Step] {
    let assumed = assumesContentChangedInGaps
    assumesContentChangedInGaps = assumed || reason != .otherWriter
    defer { assumesContentChangedInGaps = assumed }
    return try requery(in: store).map { step in
      var delta = step.delta
      delta.repair = reason
      return Step(snapshot: step.snapshot, delta: delta)
    }
  }

  /// Fetches the list again, as the next generation.
  ///
  /// A frozen list retains the members that still exist.
  mutating func refetch(
    _ reason: ResultsResetReason,
    in store: any StoreSnapshot
  ) throws(StoreError) -> Progress {
    var next = self
    if plan.isFrozen {
      _ = try next.requery(in: store)
    } else {
      next = try ListEngine(
        plan,
        from: store,
        generation: snapshot.generation,
        maintainsDigests: maintainsDigests,
        indexing: indexing
      )
      next.assumesContentChangedInGaps = assumesContentChangedInGaps
      next.observedRows = observedRows
    }
    next.snapshot.update { fields in
      fields.generation = snapshot.generation + 1
      fields.life = snapshot.life
      fields.version = store.version
    }
    self = next
    return .reset(reason)
  }

  /// Reads the keys again and finds the changed rows without any history (R57).
  /// - Complexity: O(*n*) in the rows that match.
  mutating func requery(in store: any StoreSnapshot) throws(StoreError) -> [Step] {
    let store = plan.view(store)
    let oldKeys: SortedKeyList
    if let storeKeys { oldKeys = storeKeys } else { oldKeys = try snapshot.keys.held(in: store) }
    let newKeys = try currentKeys(oldKeys, in: store)
    let newDigests = try currentDigests(in: store)
    var affected = pairedRows(oldKeys, newKeys)
    if let digests, let newDigests {
      let changed = newDigests.changedIdentities(since: digests)
      markUnchanged(&affected, except: changed)
      affected += try updatedRows(changed, except: affected, in: store)
    }
    if digests == nil, assumesContentChangedInGaps, !plan.observedAttributes.isEmpty {
      affected += possiblyUpdatedRows(newKeys, except: affected)
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

  /// All rows in the window whose content may have changed.
  private func possiblyUpdatedRows(
    _ newKeys: SortedKeyList,
    except known: [AffectedRow]
  ) -> [AffectedRow] {
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

  /// The keys as the store has them now; a frozen list only loses those of deleted rows.
  private func currentKeys(
    _ oldKeys: SortedKeyList,
    in store: any StoreSnapshot
  ) throws(StoreError) -> SortedKeyList {
    guard plan.isFrozen else { return try ListEngine.keys(of: plan.definition, in: store) }
    var present: Set<ObjectKey> = []
    let definition = try frozenDefinition()
    try store.entries(of: definition) { (batch) throws(StoreError) in
      for index in 0..<batch.count {
        let key = batch.key(at: index).withUnsafeBytes {
          definition.layout.objectKey(in: $0, of: plan.entity.identity)
        }
        if let key { present.insert(key) }
      }
      return true
    }
    guard present.count < oldKeys.count else { return oldKeys }
    var deleted: [[UInt8]] = []
    oldKeys.forEachKey(in: 0..<oldKeys.count) { _, key in
      if let id = plan.layout.objectKey(in: key, of: plan.entity.identity), !present.contains(id) {
        deleted.append(Array(key))
      }
    }
    var keys = oldKeys
    do {
      try keys.apply(removals: deleted, insertions: [])
    } catch {
      throw .unexpected(path: plan.entity.name, detail: "\(error)")
    }
    return keys
  }

  /// The definition that reads which members of a frozen list still exist.
  private func frozenDefinition() throws(StoreError) -> OrderDefinition {
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
    return try DigestTable(of: definition, plan.observedAttributes, in: store)
  }

  /// Rows whose keys differ between two readings, matched by identity.
  func pairedRows(_ oldKeys: SortedKeyList, _ newKeys: SortedKeyList) -> [AffectedRow] {
    let difference = SortedKeyList.difference(from: oldKeys, to: newKeys)
    var rows: [AffectedRow] = []
    var indexes: [[UInt8]: Int] = [:]
    let layout = plan.layout
    let changed: AttributeSet? = plan.observedAttributes.isEmpty ? AttributeSet() : nil
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
      indexes[found.identity] = rows.count
      rows.append(AffectedRow(id: found.id, oldKey: key, newKey: nil, changed: changed))
    }
    for position in difference.insertions {
      let key = newKeys.key(at: position)
      guard let found = row(key) else { continue }
      if let index = indexes[found.identity] {
        rows[index].newKey = key
      } else {
        rows.append(AffectedRow(id: found.id, oldKey: nil, newKey: key, changed: changed))
      }
    }
    return rows
  }

  /// Marks rows with equal digests in both readings as unchanged: a sort or section value that is not shown moves a row and
  /// updates nothing.
  private func markUnchanged(_ rows: inout [AffectedRow], except changed: [[UInt8]]) {
    let changed = Set(changed)
    for index in rows.indices where rows[index].oldKey != nil && rows[index].newKey != nil {
      guard let identity = plan.layout.identityBytes(of: rows[index].id.key),
        !changed.contains(identity)
      else { continue }
      rows[index].changed = AttributeSet()
    }
  }

  /// Rows with the same key and other content.
  private func updatedRows(
    _ identities: [[UInt8]],
    except known: [AffectedRow],
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
