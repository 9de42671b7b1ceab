public import ResultsDomain
public import ResultsStoreKit

/// A store that forwards every call to another one.
///
/// Conform to it in tests, and implement only what differs from the other store.
public protocol ForwardingStore: Store {
  /// The store that receives the calls.
  var target: any Store { get }

  /// Returns the snapshot that a read closure receives.
  /// - Parameter snapshot: The snapshot of the other store.
  /// - Returns: A snapshot that forwards to it, or the same one.
  func wrapped(_ snapshot: any StoreSnapshot) -> any StoreSnapshot
}

extension ForwardingStore {
  /// The identity of the other store.
  public var identity: StoreIdentity { target.identity }
  /// The capabilities of the other store.
  public var capabilities: StoreCapabilities { target.capabilities }
  /// The entities of the other store.
  public var entities: [EntityDescription] { target.entities }
  /// The executor of the other store.
  public var executor: (any TaskExecutor)? { target.executor }

  /// Returns the same snapshot.
  public func wrapped(_ snapshot: any StoreSnapshot) -> any StoreSnapshot { snapshot }

  /// Forwards the call.
  public func commitNotifications() -> AsyncStream<Void> { target.commitNotifications() }
  /// Forwards the call.
  public func checkForExternalChanges() throws(StoreError) { try target.checkForExternalChanges() }
  /// Forwards the call.
  public func close() throws(StoreError) { try target.close() }

  /// Reads the other store through a wrapped snapshot.
  public func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try target.read { (snapshot) throws(StoreError) in try body(wrapped(snapshot)) }
  }

  /// Reads the other store through wrapped snapshots.
  public func readRepeatably<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try target.readRepeatably { (snapshot) throws(StoreError) in try body(wrapped(snapshot)) }
  }

  /// Forwards the transaction.
  @discardableResult
  public func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    try target.commit(origin: origin, body)
  }
}

/// A snapshot that forwards every call to another one; a subclass overrides only what differs.
open class ForwardingSnapshot: StoreSnapshot {
  /// The snapshot that receives the calls.
  public let target: any StoreSnapshot

  /// Creates a snapshot that forwards to another one.
  public init(_ target: any StoreSnapshot) { self.target = target }

  /// The version of the other snapshot.
  open var version: StoreVersion { target.version }

  /// Forwards the call.
  open func rows(
    _ keys: [ObjectKey],
    of entity: EntityDescription
  ) throws(StoreError) -> [Row?] {
    try target.rows(keys, of: entity)
  }

  /// Forwards the call.
  open func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try target.entries(of: definition, body)
  }

  /// Forwards the call.
  open func firstEntries(
    of definition: OrderDefinition,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    try target.firstEntries(of: definition, limit: limit)
  }

  /// Forwards the call.
  open func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    try target.count(of: entity, where: predicate)
  }

  /// Forwards the call.
  open func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try target.digests(of: definition, attributes: attributes, body)
  }

  /// Forwards the call.
  open func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try target.aggregates(aggregates, of: definition, groupedByFirst: columns, body)
  }

  /// Forwards the call.
  open func history(
    since version: StoreVersion,
    of entity: EntityDescription
  ) throws(StoreError) -> StoreHistory {
    try target.history(since: version, of: entity)
  }

  /// Forwards the call.
  open func history(
    since version: StoreVersion,
    ofEach entities: [EntityDescription]
  ) throws(StoreError) -> StoreHistory {
    try target.history(since: version, ofEach: entities)
  }

  /// Forwards the call.
  open func referrers(
    to keys: [ObjectKey],
    through columns: [String],
    of entity: EntityDescription,
    limit: Int?
  ) throws(StoreError) -> [ObjectKey]? {
    try target.referrers(to: keys, through: columns, of: entity, limit: limit)
  }

  /// Forwards the call.
  open func bookmark() throws(StoreError) -> StoreBookmark? { try target.bookmark() }

  /// Forwards the call.
  open func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? {
    try target.version(at: bookmark)
  }

  /// Forwards the call.
  open func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan {
    try target.plan(of: definition)
  }

  /// Forwards the call.
  open func source(of definition: OrderDefinition) throws(StoreError) -> QueryPlan.Source {
    try target.source(of: definition)
  }

  /// Forwards the call.
  open func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? {
    try target.orderedSource(of: definition)
  }
}
