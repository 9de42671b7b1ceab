public import ResultsDomain

/// A snapshot that passes every call on to another one.
///
/// Conform to it, and implement only what differs: every requirement of `StoreSnapshot` has an implementation here, including those with a
/// default there, so that a snapshot around another one loses no answer of the one inside.
///
/// ```swift
/// final class CountingSnapshot: SnapshotForwarding {
///   let base: any StoreSnapshot
///   private(set) var readRows = 0
///
///   init(_ base: any StoreSnapshot) { self.base = base }
///
///   func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
///     readRows += keys.count
///     return try base.rows(keys, of: entity)
///   }
/// }
/// ```
public protocol SnapshotForwarding: StoreSnapshot {
  /// The snapshot that receives the calls.
  var base: any StoreSnapshot { get }
}

extension SnapshotForwarding {
  /// The version of the other snapshot.
  public var version: StoreVersion { base.version }

  /// Forwards the call.
  public func rows(
    _ keys: [ObjectKey],
    of entity: EntityDescription
  ) throws(StoreError) -> [Row?] {
    try base.rows(keys, of: entity)
  }

  /// Forwards the call.
  public func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try base.entries(of: definition, body)
  }

  /// Forwards the call.
  public func firstEntries(
    of definition: OrderDefinition,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    try base.firstEntries(of: definition, limit: limit)
  }

  /// Forwards the call.
  public func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    try base.count(of: entity, where: predicate)
  }

  /// Forwards the call.
  public func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try base.digests(of: definition, attributes: attributes, body)
  }

  /// Forwards the call.
  public func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try base.aggregates(aggregates, of: definition, groupedByFirst: columns, body)
  }

  /// Forwards the call.
  public func history(
    since version: StoreVersion,
    of entity: EntityDescription
  ) throws(StoreError) -> StoreHistory {
    try base.history(since: version, of: entity)
  }

  /// Forwards the call.
  public func history(
    since version: StoreVersion,
    ofEach entities: [EntityDescription]
  ) throws(StoreError) -> StoreHistory {
    try base.history(since: version, ofEach: entities)
  }

  /// Forwards the call.
  public func retainedCommits() throws(StoreError) -> RetainedCommits? {
    try base.retainedCommits()
  }

  /// Forwards the call.
  public func history(
    from commit: RetainedCommits.Commit,
    ofEach entities: [EntityDescription]
  ) throws(StoreError) -> StoreHistory {
    try base.history(from: commit, ofEach: entities)
  }

  /// Forwards the call.
  public func referrers(
    to keys: [ObjectKey],
    through columns: [String],
    of entity: EntityDescription,
    limit: Int?
  ) throws(StoreError) -> [ObjectKey]? {
    try base.referrers(to: keys, through: columns, of: entity, limit: limit)
  }

  /// Forwards the call.
  public func bookmark() throws(StoreError) -> StoreBookmark? { try base.bookmark() }

  /// Forwards the call.
  public func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? {
    try base.version(at: bookmark)
  }

  /// Forwards the call.
  public func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan {
    try base.plan(of: definition)
  }

  /// Forwards the call.
  public func source(of definition: OrderDefinition) throws(StoreError) -> QueryPlan.Source {
    try base.source(of: definition)
  }

  /// Forwards the call.
  public func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? {
    try base.orderedSource(of: definition)
  }
}

// A list never reads through a transaction, so no index is proved for one, and its plan is as unknown as that of a store without indexes.
extension SnapshotForwarding where Self: StoreTransaction {
  /// The plan is unknown.
  public func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan {
    QueryPlan(source: .unknown)
  }

  /// The source is unknown.
  public func source(of definition: OrderDefinition) throws(StoreError) -> QueryPlan.Source {
    .unknown
  }

  /// No index provides the order.
  public func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? { nil }
}
