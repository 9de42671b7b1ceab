import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Synchronization

/// A correct store with one fault, or none.
///
/// `gate` guards no state: it makes readers wait for writers if that is the fault.
final class FaultyStore: ForwardingStore {
  let base: InMemoryStore
  let fault: StoreFault?
  private let gate = Mutex<Void>(())

  init(entities: [EntityDescription], fault: StoreFault?) throws {
    base = try InMemoryStore(entities: entities)
    self.fault = fault
  }

  var target: any Store { base }
  var executor: (any TaskExecutor)? { nil }

  func close() throws(StoreError) {
    if fault != .answersWhenClosed { try base.close() }
  }

  func commitNotifications() -> AsyncStream<Void> {
    guard fault == .neverNotifies else { return base.commitNotifications() }
    return AsyncStream { _ in }
  }

  func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    if fault == .readersWaitForWriters { gate.withLock { _ in } }
    return try base.read { (snapshot) throws(StoreError) in
      try body(FaultySnapshot(snapshot, of: self))
    }
  }

  func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    switch fault {
    case .commitsHalfTransactions: try commitHalf(origin, body)
    case .readersWaitForWriters:
      try gate.withLock { (_) throws(StoreError) in try commitWhole(origin, body) }
    case .forgetsOrigin: try commitWhole(.unnamed, body)
    default: try commitWhole(origin, body)
    }
  }

  private func commitWhole<Result: Sendable>(
    _ origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    try base.commit(origin: origin) { try body(FaultyTransaction($0, of: self)) }
  }

  private func commitHalf<Result: Sendable>(
    _ origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    var failure: (any Error)?
    let committed = try base.commit(origin: origin) { transaction -> Result? in
      do {
        return try body(FaultyTransaction(transaction, of: self))
      } catch {
        failure = error
        return nil
      }
    }
    guard let result = committed.result else {
      if let error = failure as? StoreError { throw error }
      throw .aborted(by: failure ?? CancellationError())
    }
    return Committed(result: result, version: committed.version)
  }
}

// MARK: - Snapshot

/// A snapshot that has the fault of its store.
class FaultySnapshot: SnapshotForwarding {
  let base: any StoreSnapshot
  let store: FaultyStore

  init(_ base: any StoreSnapshot, of store: FaultyStore) {
    self.store = store
    self.base = base
  }

  var fault: StoreFault? { store.fault }

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
    case .passesKeysUnsorted:
      try base.entries(of: definition) { (batch) throws(StoreError) in
        try body(batch.modified { $0.swapAt(0, $0.count - 1) })
      }
    default: try base.entries(of: try altered(definition), body)
    }
  }

  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    let requested = fault == .countsEveryRow ? .all : altered(predicate)
    return try base.count(of: entity, where: requested)
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let all = AttributeSet(indexes: definition.entity.attributes.indices)
    let requested = fault == .digestsIgnoreChoice ? all : attributes
    try base.digests(of: definition, attributes: requested) { (batch) throws(StoreError) in
      guard fault == .digestsAreAllAlike else { return try body(batch) }
      return try body(batch.modified { $0 = $0.map { $0.dropLast(8) + [0, 0, 0, 0, 0, 0, 0, 0] } })
    }
  }

  func history(since version: StoreVersion, of entity: EntityDescription)
    throws(StoreError)
    -> StoreHistory
  {
    let requested =
      fault == .reportsChangesOfOtherCommits && version.sequence > 0
      ? StoreVersion(epoch: version.epoch, sequence: version.sequence - 1) : version
    guard case .commits(let commits) = try base.history(since: requested, of: entity) else {
      return try base.history(since: requested, of: entity)
    }
    if fault == .reportsChangesThatCancelOut, commits.isEmpty,
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
      fault == .ignoresNullPlacement
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
  /// Returns the batch with its keys modified by a closure.
  fileprivate func modified(_ change: (inout [[UInt8]]) -> Void) -> EntryBatch {
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

// MARK: - Transaction

/// A transaction that has the fault of its store.
final class FaultyTransaction: FaultySnapshot, StoreTransaction {
  private let writing: any StoreTransaction

  init(_ writing: any StoreTransaction, of store: FaultyStore) {
    self.writing = writing
    super.init(writing, of: store)
  }

  func insert(
    _ values: [Value],
    key: ObjectKey?,
    into entity: EntityDescription
  ) throws(StoreError) -> ObjectID {
    var key = key
    if fault == .assignsUsedKeys, key == nil, case .integer = entity.identity {
      key = .integer(Int64(try writing.count(of: entity, where: .all)) + 1)
    }
    return try writing.insert(altered(values, entity), key: key, into: entity)
  }

  func update(
    _ id: ObjectID,
    to values: [Value],
    of entity: EntityDescription,
    ifUnchangedFrom expected: Row?
  ) throws(StoreError) {
    let base = fault == .overwritesConflicts ? nil : expected
    try writing.update(id, to: altered(values, entity), of: entity, ifUnchangedFrom: base)
  }

  func delete(_ id: ObjectID, of entity: EntityDescription) throws(StoreError) -> Bool {
    try writing.delete(id, of: entity)
  }

  private func altered(_ values: [Value], _ entity: EntityDescription) -> [Value] {
    values.enumerated().map { index, value in
      switch (fault, value) {
      case (.composesTexts, .text(let text))
      where text.unicodeScalars.elementsEqual("\u{304B}\u{3099}".unicodeScalars):
        "\u{304C}"
      case (.storesEmptyTextsAsNull, .text("")) where entity.attributes[index].isOptional: .null
      default: value
      }
    }
  }
}

// MARK: - Faults

/// A defect of a store, and the case of the conformance kit that detects it.
enum StoreFault: CaseIterable, Sendable {
  case dropsBeforeImages
  case passesKeysUnsorted
  case ignoresNullPlacement
  case commitsHalfTransactions
  case reportsChangesThatCancelOut
  case reportsChangesOfOtherCommits
  case digestsAreAllAlike
  case digestsIgnoreChoice
  case countsEveryRow
  case neverNotifies
  case composesTexts
  case storesEmptyTextsAsNull
  case overwritesConflicts
  case readsSeveralVersions
  case readersWaitForWriters
  case cutsLongSets
  case twoValuedLogic
  case assignsUsedKeys
  case forgetsOrigin
  case answersWhenClosed
  case skipsMissingRows

  /// The name of the case that detects the fault.
  var detectingCase: String {
    switch self {
    case .dropsBeforeImages: "the history reports each change with the row before and after"
    case .passesKeysUnsorted:
      "entries are the keys of the definition, strictly ascending"
    case .ignoresNullPlacement:
      "a list is ordered by its terms, nulls as requested, ties by key"
    case .commitsHalfTransactions: "a transaction that throws is rolled back completely"
    case .reportsChangesThatCancelOut:
      "steps of one transaction that cancel out are not in the history"
    case .reportsChangesOfOtherCommits:
      "commits are listed oldest first, and only those after the requested version"
    case .digestsAreAllAlike, .digestsIgnoreChoice:
      "a digest changes if and only if one of its attributes' values does"
    case .countsEveryRow: "the store and the evaluator agree about every predicate"
    case .neverNotifies: "every observer is notified of a commit"
    case .composesTexts: "texts are read byte for byte"
    case .storesEmptyTextsAsNull: "null, an empty text and an empty blob are distinct"
    case .overwritesConflicts: "an edit is rejected if the object has changed since it was read"
    case .readsSeveralVersions: "a reader sees one version from its first read to its last"
    case .readersWaitForWriters: "a reader sees nothing of a transaction that has not committed"
    case .cutsLongSets: "a fixed set may hold a hundred thousand identities"
    case .twoValuedLogic: "a comparison with null is unknown, and its negation is unknown too"
    case .assignsUsedKeys: "integer keys are assigned as one more than the largest"
    case .forgetsOrigin: "the history reports each change with the row before and after"
    case .answersWhenClosed: "every call on a closed store fails with closed"
    case .skipsMissingRows: "rows are returned in the order of the keys, with nil for missing ones"
    }
  }
}
