public import ResultsDomain

/// A store with lists of several kinds: the entities of another store, its base, and unions over them (R12).
///
/// A union is an entity like the others, so lists over it have sections, conditions, aggregates and windows, and one commit of the base is
/// one change of such a list, whichever branches it touches. Rows of a union are only read; what is written are the objects of the base.
///
/// ```swift
/// let activity = try UnionDescription(
///   "Activity",
///   branches: [
///     UnionBranch("book", of: Book.self, attributes: [.attribute(\.title, as: "name")]),
///     UnionBranch("author", of: Author.self, attributes: [.attribute(\.name, as: "name")]),
///   ]
/// )
/// let union = try UnionStore(over: store, unions: [activity])
/// let list = FetchedResultsController(
///   FetchRequest<Row>(entity: activity.entity, sortedBy: [.ascending("name")]),
///   in: union
/// )
/// ```
///
/// A list whose branches each have their order in an index counts over these indexes; any other one holds its keys in memory. The base can
/// be used beside the store, which has no content of its own.
public final class UnionStore: Store {
  /// The store that has the objects of the branches.
  public let base: any Store
  /// The unions.
  public let unions: [UnionDescription]
  /// The base's entities, then those of the unions.
  public let entities: [EntityDescription]
  private let plans: [UnionPlan]
  private let fingerprint: String

  /// Creates a store over another one.
  /// - Parameters:
  ///   - base: The store of the branches' entities.
  ///   - unions: The unions, each with a name that no entity of the base has.
  /// - Throws: `UnionError`
  public init(over base: any Store, unions: [UnionDescription]) throws(UnionError) {
    var plans: [UnionPlan] = []
    var entities = base.entities
    for union in unions {
      let name = union.entity.name
      guard !entities.contains(where: { $0.name.hasSameBytes(as: name) }) else {
        throw .repeatedEntity(union: name)
      }
      for branch in union.branches {
        let known = base.entities
        guard known.contains(branch.entity) else {
          throw .unknownEntity(
            union: name,
            branch: branch.name,
            entity: branch.entity.name,
            known: known.map(\.name)
          )
        }
      }
      plans.append(try UnionPlan(union, answersPaths: base.capabilities.answersPaths))
      entities.append(union.entity)
    }
    self.base = base
    self.unions = unions
    self.entities = entities
    self.plans = plans
    fingerprint = unions.map(\.fingerprint).joined()
  }

  /// The base's.
  public var identity: StoreIdentity { base.identity }
  /// The base's.
  public var capabilities: StoreCapabilities { base.capabilities }
  /// The base's.
  public var executor: (any TaskExecutor)? { base.executor }

  /// Checks the base for commits of other writers.
  public func checkForExternalChanges() throws(StoreError) {
    try base.checkForExternalChanges()
  }

  /// Closes the base.
  public func close() throws(StoreError) { try base.close() }

  /// A stream of notifications that the base may have changed.
  public func commitNotifications() -> AsyncStream<Void> { base.commitNotifications() }

  /// A stream of notifications that the base may have changed, except for commits that the closure has handled.
  public func commitNotifications(
    following follow: @escaping @Sendable (any StoreSnapshot) -> Bool
  ) -> AsyncStream<Void> {
    base.commitNotifications { [plans, fingerprint] snapshot in
      follow(UnionSnapshot(snapshot, plans, fingerprint: fingerprint))
    }
  }

  /// Declares to the base that no history before a version is needed.
  public func releaseHistory(through version: StoreVersion) {
    base.releaseHistory(through: version)
  }
}

extension UnionStore {
  /// Runs a closure with a snapshot of the base that also has the rows of the unions.
  public func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try base.read { (snapshot) throws(StoreError) in
      try body(UnionSnapshot(snapshot, plans, fingerprint: fingerprint))
    }
  }

  /// Runs a closure as `read(_:)` does, but perhaps more than once.
  public func readOptimistically<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try base.readOptimistically { (snapshot) throws(StoreError) in
      try body(UnionSnapshot(snapshot, plans, fingerprint: fingerprint))
    }
  }

  /// Runs a closure as one transaction of the base.
  /// - Throws: As the base; `StoreError.invalid` for a row of a union.
  @discardableResult
  public func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    try base.commit(origin: origin) { transaction in
      try body(UnionTransaction(transaction, plans))
    }
  }
}

extension UnionDescription {
  /// What decides the rows of the union, as text.
  fileprivate var fingerprint: String {
    var text = "+\(entity.name)"
    for branch in branches {
      text += "|\(branch.name)=\(branch.entity.name) WHERE \(branch.predicate)"
      for attribute in branch.attributes { text += ",\(attribute.name)=\(attribute.expression)" }
    }
    return text
  }
}

// MARK: - Transactions

/// A transaction of the base, in which rows of unions can be read.
private final class UnionTransaction: UnionedSnapshot, StoreTransaction {
  private let transaction: any StoreTransaction
  let plans: [UnionPlan]

  var base: any StoreSnapshot { transaction }

  init(_ transaction: any StoreTransaction, _ plans: [UnionPlan]) {
    self.transaction = transaction
    self.plans = plans
  }

  private func refuseUnion(_ entity: EntityDescription) throws(StoreError) {
    guard let plan = plan(for: entity) else { return }
    let names = plan.union.branches.map(\.entity.name)
    throw .invalid([.onlyRead(entity: entity.name, branches: names)])
  }

  func insert(
    _ values: [Value],
    key: ObjectKey?,
    into entity: EntityDescription
  ) throws(StoreError) -> ObjectID {
    try refuseUnion(entity)
    return try transaction.insert(values, key: key, into: entity)
  }

  func insert(
    _ rows: [[Value]],
    keys: [ObjectKey?],
    into entity: EntityDescription
  ) throws(StoreError) -> [ObjectID] {
    try refuseUnion(entity)
    return try transaction.insert(rows, keys: keys, into: entity)
  }

  func update(
    _ id: ObjectID,
    to values: [Value],
    of entity: EntityDescription,
    ifUnchangedFrom expected: Row?
  ) throws(StoreError) {
    try refuseUnion(entity)
    try transaction.update(id, to: values, of: entity, ifUnchangedFrom: expected)
  }

  func delete(_ id: ObjectID, of entity: EntityDescription) throws(StoreError) -> Bool {
    try refuseUnion(entity)
    return try transaction.delete(id, of: entity)
  }
}
