import InMemoryPersistence
import ResultsDomain

/// A snapshot with its store's fault.
class FaultySnapshot: StoreSnapshot {
  let store: FaultyStore
  private let base: any StoreSnapshot

  init(_ base: any StoreSnapshot, of store: FaultyStore) {
    self.base = base
    self.store = store
  }

  var fault: StoreFault? { store.fault }
  var version: StoreVersion { base.version }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    let rows = try base.rows(keys, of: entity)
    return fault == .skipsMissingRows ? rows.filter { $0 != nil } : rows
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    switch fault {
    case .readsSeveralVersions where !(self is FaultyTransaction):
      try store.base.read { (snapshot) throws(StoreError) in
        try snapshot.entries(of: definition, body)
      }
    case .handsKeysOverUnsorted:
      try base.entries(of: definition) { (batch) throws(StoreError) in
        try body(batch.changed { $0.swapAt(0, $0.count - 1) })
      }
    default: try base.entries(of: try altered(definition), body)
    }
  }

  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    let asked = fault == .countsEveryRow ? .all : altered(predicate)
    return try base.count(of: entity, where: asked)
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let all = AttributeSet(indexes: definition.entity.attributes.indices)
    let asked = fault == .digestsIgnoreChoice ? all : attributes
    try base.digests(of: definition, attributes: asked) { (batch) throws(StoreError) in
      guard fault == .digestsAreAllAlike else { return try body(batch) }
      return try body(batch.changed { $0 = $0.map { $0.dropLast(8) + [0, 0, 0, 0, 0, 0, 0, 0] } })
    }
  }

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    let asked =
      fault == .tellsChangesOfOtherCommits && version.sequence > 0
      ? StoreVersion(epoch: version.epoch, sequence: version.sequence - 1) : version
    guard case .commits(let commits) = try base.history(since: asked, of: entity) else {
      return try base.history(since: asked, of: entity)
    }
    if fault == .tellsChangesThatCancelOut, commits.isEmpty,
      let row = try? base.rows([.integer(1)], of: entity).first.flatMap(\.self)
    {
      let change = CommittedChange(id: row.id, before: row, after: row)
      return .commits([CommitRecord(version: version, origin: .unnamed, changes: [change])])
    }
    guard fault == .dropsBeforeImages else { return .commits(commits) }
    return .commits(
      commits.map { commit in
        let changes = commit.changes.map { change in
          CommittedChange(
            id: change.id,
            before: change.after == nil ? change.before : nil,
            after: change.after
          )
        }
        return CommitRecord(version: commit.version, origin: commit.origin, changes: changes)
      }
    )
  }
}

extension FaultySnapshot {
  private func altered(_ definition: OrderDefinition) throws(StoreError) -> OrderDefinition {
    let terms = definition.terms.map { term in
      fault == .ignoresPlaceOfNulls
        ? FetchSortDescriptor(term.expression, term.direction) : term
    }
    do {
      return try OrderDefinition(
        entity: definition.entity,
        predicate: altered(definition.predicate),
        sortDescriptors: terms
      )
    } catch {
      throw .request(error)
    }
  }

  private func altered(_ predicate: FetchPredicate) -> FetchPredicate {
    switch (predicate, fault) {
    case (.identity(let set), .cutsLongSets):
      .identity(IdentitySet(keys: Array(set.keys.prefix(700))))
    case (.not(.comparison(let left, let comparison, let right)), .twoValuedLogic):
      .or([.not(.comparison(left, comparison, right)), .isNull(left), .isNull(right)])
    case (.not(let inner), _): .not(altered(inner))
    case (.and(let parts), _): .and(parts.map(altered))
    case (.or(let parts), _): .or(parts.map(altered))
    default: predicate
    }
  }
}

extension EntryBatch {
  /// The batch with its keys changed.
  fileprivate func changed(_ change: (inout [[UInt8]]) -> Void) -> EntryBatch {
    var keys: [[UInt8]] = []
    var start = 0
    for end in ends {
      keys.append(Array(bytes[start..<end]))
      start = end
    }
    change(&keys)
    var batch = EntryBatch()
    for key in keys { batch.append { $0.bytes += key } }
    return batch
  }
}
