import ResultsDomain

/// One version of a store, for the time of a closure.
final class SQLiteSnapshot: StoreSnapshot {
  private let access: SnapshotAccess

  init(_ access: SnapshotAccess) { self.access = access }

  var version: StoreVersion { access.version }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    try access.rows(keys, of: entity)
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try access.entries(of: definition, body)
  }

  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    try access.count(of: entity, where: predicate)
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try access.digests(of: definition, attributes: attributes, body)
  }

  func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try access.aggregates(aggregates, of: definition, groupedByFirst: columns, body)
  }

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    try access.history(since: version, of: entity)
  }

  func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan {
    try access.plan(of: definition)
  }

  func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? {
    try access.orderedSource(of: definition)
  }

  func bookmark() throws(StoreError) -> StoreBookmark? { try access.bookmark() }

  func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? {
    try access.version(at: bookmark)
  }
}
