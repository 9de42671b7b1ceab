import OrderStatistics
import ResultsDomain
import ResultsStoreKit

// MARK: - Reading the keys again

extension ListEngine {
  /// Reads the keys again and marks the delta as a repair.
  ///
  /// Where commits of this store are missing from the history too, every row counts as changed, whether or not changes of other
  /// writers are detected.
  /// - Parameters:
  ///   - reason: Why the history has a gap, or `nil` if its commits do not fit the list.
  ///   - store: The version to read.
  ///   - objects: What changed of the objects that are the list's sections, or `nil` for nothing.
  /// - Returns: The step, or none if rows and sections are as they were.
  /// - Throws: The store's error; the engine must not be used afterwards.
  mutating func repair(
    _ reason: GapReason?,
    in store: any StoreSnapshot,
    _ objects: SectionObjectsChange? = nil
  ) throws(StoreError) -> [Step] {
    if indexing?.reportsEveryCommit == false {
      isComparing = true
      maintainsDigests = detectsExternalChanges
    }
    let assumesChanges = detectsExternalChanges || reason != .otherWriter
    return try requery(in: store, assumingChanges: assumesChanges, objects).map { step in
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
      _ = try next.requery(in: store, assumingChanges: detectsExternalChanges)
    } else {
      let omitsCommits = indexing?.reportsEveryCommit == false
      next = try ListEngine(
        plan,
        from: store,
        generation: snapshot.generation,
        maintainsDigests: isComparing || omitsCommits
          ? omitsCommits && detectsExternalChanges : maintainsDigests,
        indexing: indexing
      )
      next.detectsExternalChanges = detectsExternalChanges
      next.observed = observed?.inList(of: next.shown.rowCount)
    }
    next.snapshot.update { fields in
      fields.generation = snapshot.generation + 1
      fields.life = snapshot.life
      fields.version = store.version
      fields.span = ContentSpan(store.version)
    }
    self = next
    return .reset(reason)
  }

  /// Leaves the keys of a list that was compared to an index, as the list would if it were fetched now; its generation stays the same.
  ///
  /// The store's history must have every commit again.
  /// - Throws: The store's error; the engine must not be used afterwards.
  /// - Complexity: O(*n*) in the rows that match, if an index has their keys.
  mutating func endComparing(in store: any StoreSnapshot) throws(StoreError) {
    guard snapshot.version == store.version else { return }
    (isComparing, maintainsDigests, digests) = (false, false, nil)
    guard case .held(let held) = snapshot.keys, storeKeys == nil,
      let keys = try indexing?.indexedKeys(of: plan, in: store), keys.count == held.count
    else { return }
    snapshot.update { fields in
      fields.keys = .indexed(keys)
      fields.counts = .counting(fields.keys, fields.window, fields.rule, fields.layout)
      fields.identities = IdentityIndex()
    }
  }

  /// Names rows as updated that were read in a version between two generations, whatever they were in it (R201).
  ///
  /// The list must have been advanced to the store's version.
  /// - Parameters:
  ///   - keys: The keys of the rows.
  ///   - reason: Why the history does not say what they were.
  ///   - store: The version.
  /// - Returns: The step, or `nil` if none of the rows is shown.
  /// - Throws: The store's error; the engine is then as it was.
  /// - Complexity: O(*k* log *n*) for *k* rows.
  mutating func rereading(
    _ keys: [ObjectKey],
    because reason: GapReason,
    in store: any StoreSnapshot
  ) throws(StoreError) -> Step? {
    let store = plan.view(store)
    var affected: [AffectedRow] = []
    for case .some(let row) in try store.rows(keys, of: plan.entity) {
      let key = plan.isFrozen ? frozenKey(of: row.id.key) : try plan.key(of: row)
      guard let key else { continue }
      affected.append(
        AffectedRow(
          id: row.id,
          oldKey: key,
          newKey: key,
          after: plan.carriesRows ? row : nil,
          changed: nil
        )
      )
    }
    guard !affected.isEmpty else { return nil }
    let entity = plan.entity
    let change = ListChange(
      affected: affected,
      version: store.version,
      cause: .external,
      origins: []
    ) { (keys) throws(StoreError) in
      try store.rows(keys, of: entity)
    }
    let steps = try advancingCopy(to: store) { (next) throws(StoreError) in
      try next.apply(change, in: store)?.step.map { [$0] } ?? []
    }
    return steps?.first.map { step in
      var delta = step.delta
      delta.repair = reason
      delta.rows.readLate = Set((delta.rows.updates + delta.rows.moves).map(\.id))
      return Step(snapshot: step.snapshot, delta: delta)
    }
  }

  /// Reads the keys again and finds the changed rows without any history (R57).
  /// - Parameters:
  ///   - store: The version to read.
  ///   - assumesChanges: Whether every row counts as changed where there are no digests to compare.
  ///   - objects: What changed of the objects that are the list's sections, or `nil` for nothing.
  /// - Returns: The step, or none if rows and sections are as they were.
  /// - Throws: The store's error; the engine must not be used afterwards.
  /// - Complexity: O(*n*) in the rows that match.
  mutating func requery(
    in store: any StoreSnapshot,
    assumingChanges assumesChanges: Bool = false,
    _ objects: SectionObjectsChange? = nil
  ) throws(StoreError) -> [Step] {
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
    if digests == nil, assumesChanges, !plan.observedAttributes.isEmpty {
      affected += possiblyUpdatedRows(oldKeys, newKeys, except: affected)
    }
    let entity = plan.entity
    var change = ListChange(
      affected: affected,
      version: store.version,
      cause: .external,
      origins: [],
      keys: newKeys
    ) { (keys) throws(StoreError) in
      try store.rows(keys, of: entity)
    }
    change.objects = objects
    digests = newDigests
    return try apply(change, in: store)?.step.map { [$0] } ?? []
  }

  /// All rows with the same key in both readings that are in the window, or have left it, and whose content may have changed.
  private func possiblyUpdatedRows(
    _ oldKeys: SortedKeyList,
    _ newKeys: SortedKeyList,
    except known: [AffectedRow]
  ) -> [AffectedRow] {
    var known = Set(known.map(\.id.key))
    var rows: [AffectedRow] = []
    for (keys, window) in [
      (newKeys, plan.window(of: newKeys.count)), (oldKeys, snapshot.window),
    ] {
      keys.forEachKey(in: window) { _, bytes in
        guard let key = plan.layout.objectKey(in: bytes, of: plan.entity.identity),
          known.insert(key).inserted
        else { return }
        let id = ObjectID(entity: plan.entity.name, key: key)
        rows.append(AffectedRow(id: id, oldKey: Array(bytes), newKey: Array(bytes), changed: nil))
      }
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
    guard maintainsDigests, !plan.observedAttributes.isEmpty else { return nil }
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

// MARK: - Many dependent rows

// A commit of one related object can concern a large part of a list: an author with a quarter of the books is renamed. Placing each of its
// rows then costs more than reading all keys and comparing them, and evaluating each before and after costs most. So beyond a limit the keys
// are read again, and what changed of a row is found by its related objects. The delta is the same.

extension ListEngine {
  /// The share of the list up to which dependent rows are placed one by one.
  private static let placedShare = 4

  /// The most dependent rows of a commit that are evaluated and placed one by one, or `nil` for any number.
  var dependentLimit: Int? {
    // Keys in an index are not read as a whole, a frozen list retains its own, and aggregates need the values of each row.
    guard plan.relations != nil, case .held(let keys) = snapshot.keys, !plan.isFrozen,
      plan.aggregates.isEmpty, digests == nil
    else { return nil }
    return max(fewestRowsReadAgain, keys.count / ListEngine.placedShare)
  }

  /// Advances the list by all commits at once: reads its keys again, and finds by related objects what changed of its rows.
  mutating func advanceReadingAgain(
    in history: SnapshotHistory,
    _ objects: SectionObjectsChange?
  ) throws(StoreError) -> Progress {
    let store = plan.view(history.snapshot)
    guard let relations = plan.relations,
      let summary = try relations.summary(since: snapshot.version, in: history.snapshot)
    else { return .unchanged }
    let steps = try advancingCopy(to: store) { (next) throws(StoreError) in
      try next.apply(summary, objects, in: store)
    }
    return .moved(steps ?? [])
  }

  private mutating func apply(
    _ summary: RelationSummary,
    _ objects: SectionObjectsChange?,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [Step] {
    let oldKeys: SortedKeyList
    if let storeKeys { oldKeys = storeKeys } else { oldKeys = try snapshot.keys.held(in: store) }
    let newKeys = try ListEngine.keys(of: plan.definition, in: store)
    let exact = Dictionary(uniqueKeysWithValues: summary.changes.map { ($0.id.key, $0) })
    var affected = pairedRows(oldKeys, newKeys)
    var paired: Set<ObjectKey> = []
    for index in affected.indices {
      let key = affected[index].id.key
      paired.insert(key)
      describe(&affected[index], exact[key], summary.dependents[key])
    }
    // Rows whose keys are the same, but not what is shown of them.
    var updated: [AffectedRow] = []
    newKeys.forEachKey(in: 0..<newKeys.count) { _, bytes in
      guard let key = plan.layout.objectKey(in: bytes, of: plan.entity.identity),
        !paired.contains(key), exact[key] != nil || summary.dependents[key] != nil
      else { return }
      let id = ObjectID(entity: plan.entity.name, key: key)
      var row = AffectedRow(id: id, oldKey: Array(bytes), newKey: Array(bytes), changed: nil)
      describe(&row, exact[key], summary.dependents[key])
      if row.changed?.isEmpty == false { updated.append(row) }
    }
    var change = ListChange(
      affected: affected + updated,
      version: store.version,
      cause: summary.records.allSatisfy(\.isOwn) ? .own : .external,
      origins: ListEngine.origins(of: summary.records),
      keys: newKeys
    ) { [plan] (keys) throws(StoreError) in
      try store.rows(keys, of: plan.entity)
    }
    change.objects = objects
    return try apply(change, in: store)?.step.map { [$0] } ?? []
  }

  /// Completes a row with what changed of it.
  private func describe(
    _ row: inout AffectedRow,
    _ exact: CommittedChange?,
    _ dependent: AttributeSet?
  ) {
    guard let exact else {
      row.changed = dependent?.intersection(plan.observedAttributes) ?? AttributeSet()
      return
    }
    row.changed = AttributeSet()
    if let before = exact.before, let after = exact.after {
      row.changed = after.changes(from: before, of: plan.observedAttributes)
    }
    guard plan.carriesRows else { return }
    row.before = exact.before
    row.after = exact.after
  }
}

// MARK: - Another definition

extension ListEngine {
  /// Gives the list another definition, as an ordinary step (R50).
  ///
  /// The list must have been advanced to the store's version, so that only the definition differs.
  /// - Returns: The step, or `nil` if the list shows the same as before.
  /// - Complexity: O(*n*) in the rows that match; where only titles change, the cost of the titles.
  mutating func redefine(_ plan: ListPlan, in store: any StoreSnapshot) throws(StoreError) -> Step?
  {
    let next = try ListEngine(
      plan,
      from: store,
      generation: snapshot.generation + 1,
      maintainsDigests: maintainsDigests,
      indexing: indexing
    )
    return try redefine(as: next, in: store)
  }

  /// Replaces the list by a fetched one of another definition, as an ordinary step.
  ///
  /// Both must have been advanced to the store's version, so that only the definition differs.
  /// The cause of the step is that of another definition or locale, unless it is given.
  mutating func redefine(
    as other: ListEngine,
    in store: any StoreSnapshot,
    because cause: DeltaCause? = nil
  ) throws(StoreError) -> Step? {
    var next = other
    next.snapshot.update { fields in
      fields.generation = snapshot.generation + 1
      fields.life = snapshot.life
    }
    next.detectsExternalChanges = detectsExternalChanges
    next.observed = observed
    let entity = next.plan.entity
    let rows = next.plan.view(store)
    let change = ListChange(
      affected: undetectedUpdates(next),
      version: store.version,
      cause: cause ?? (plan.differsOnlyInLocale(from: next.plan) ? .locale : .definition),
      origins: []
    ) { (keys) throws(StoreError) in
      try rows.rows(keys, of: entity)
    }
    var delta = try FullDelta(
      from: shown.holdingKeys(in: store),
      to: next.shown.holdingKeys(in: store),
      change,
      sameOrder: false
    ).assemble()
    delta.groups = GroupUpdate(from: shown, to: next.shown, delta).replacement
    guard !delta.isEmpty else {
      next.snapshot.update { $0.generation = snapshot.generation }
      self = next
      return nil
    }
    let old = shown
    self = next
    let part = observedPart(of: delta, from: old, to: shown)
    return Step(snapshot: shown, delta: part)
  }

  /// Rows that another writer changed in a commit that the store has not detected yet.
  ///
  /// The digests of the new definition include that commit already, so no later comparison would find it.
  private func undetectedUpdates(_ next: ListEngine) -> [AffectedRow] {
    guard let old = digests, let new = next.digests,
      plan.observedAttributes == next.plan.observedAttributes, plan.entity == next.plan.entity
    else { return [] }
    return new.changedIdentities(since: old).compactMap { bytes in
      bytes.withUnsafeBytes { plan.layout.objectKey(identity: $0, of: plan.entity.identity) }
    }.map { key in
      let id = ObjectID(entity: plan.entity.name, key: key)
      return AffectedRow(id: id, oldKey: nil, newKey: nil, changed: nil)
    }
  }
}
