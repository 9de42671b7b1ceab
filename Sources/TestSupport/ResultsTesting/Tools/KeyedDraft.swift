package import ResultsDomain
package import ResultsStoreKit

/// A draft that gives new rows the next integer key, as a store does, so that the conformance kit can prove everything else of it.
///
/// It closes its base with itself.
package final class KeyedDraft: ForwardingStore {
  package let draft: DraftStore

  /// Creates a draft over an empty store.
  package init(over base: any Store, historyCapacity: Int = 65_536) {
    draft = DraftStore(over: base, historyCapacity: historyCapacity)
  }

  package var target: any Store { draft }

  package var capabilities: StoreCapabilities {
    var capabilities = draft.capabilities
    capabilities.assignsLargestKeyPlusOne = true
    return capabilities
  }

  package func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    try draft.commit(origin: origin) { try body(KeyingTransaction($0)) }
  }

  package func close() throws(StoreError) {
    try draft.close()
    try draft.base.close()
  }
}

/// A transaction that gives new rows the next integer key.
private final class KeyingTransaction: SnapshotForwarding, StoreTransaction {
  let base: any StoreSnapshot
  private let transaction: any StoreTransaction
  /// The next key of each entity, as long as only keys of this kind are added.
  private var nextKeys: [String: Int64] = [:]

  init(_ transaction: any StoreTransaction) {
    self.transaction = transaction
    base = transaction
  }

  func insert(
    _ values: [Value],
    key: ObjectKey?,
    into entity: EntityDescription
  ) throws(StoreError) -> ObjectID {
    guard key == nil, case .integer = entity.identity else {
      nextKeys[entity.name] = nil
      return try transaction.insert(values, key: key, into: entity)
    }
    let next: Int64
    if let known = nextKeys[entity.name] { next = known } else { next = try nextKey(of: entity) }
    let id = try transaction.insert(values, key: .integer(next), into: entity)
    nextKeys[entity.name] = next < .max ? next + 1 : nil
    return id
  }

  func update(
    _ id: ObjectID,
    to values: [Value],
    of entity: EntityDescription,
    ifUnchangedFrom expected: Row?
  ) throws(StoreError) {
    try transaction.update(id, to: values, of: entity, ifUnchangedFrom: expected)
  }

  func delete(_ id: ObjectID, of entity: EntityDescription) throws(StoreError) -> Bool {
    nextKeys[entity.name] = nil
    return try transaction.delete(id, of: entity)
  }

  private func nextKey(of entity: EntityDescription) throws(StoreError) -> Int64 {
    let definition: OrderDefinition
    do {
      definition = try OrderDefinition(
        entity: entity,
        predicate: .all,
        sortDescriptors: [FetchSortDescriptor(.objectKey, .descending)]
      )
    } catch {
      throw .request(error)
    }
    let keys = try transaction.firstEntries(of: definition, limit: 1)
      .objectKeys(definition.layout, of: entity)
    guard case .integer(let last)? = keys.first else { return 1 }
    guard last < .max else { throw .invalid([.invalidKey(entity: entity.name)]) }
    return last + 1
  }
}
