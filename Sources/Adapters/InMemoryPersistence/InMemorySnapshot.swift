import ResultsDomain
import ResultsStoreKit

/// A snapshot of one version of a store, valid inside a closure.
final class InMemorySnapshot: StoreSnapshot {
  let version: StoreVersion
  private let store: InMemoryStore
  private var content: StoreContent?
  private var sources: [InMemoryOrderedSource] = []

  init(_ content: StoreContent, of store: InMemoryStore) {
    self.store = store
    self.content = content
    version = content.version
  }

  /// Releases the version and its sources; later calls throw.
  func end() {
    content = nil
    for source in sources { source.end() }
    sources = []
  }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    try current().rows(keys, of: entity)
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try current().entries(of: definition, body)
  }

  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    try current().count(of: entity, where: predicate)
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try current().digests(of: definition, attributes: attributes, body)
  }

  func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try current().aggregates(aggregates, of: definition, groupedByFirst: columns, body)
  }

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    store.history(after: version, through: self.version, of: entity)
  }

  func retainedCommits() throws(StoreError) -> RetainedCommits? {
    store.core.retainedCommits(through: version)
  }

  func history(
    from commit: RetainedCommits.Commit,
    ofEach entities: [EntityDescription]
  ) throws(StoreError) -> StoreHistory {
    guard let before = store.core.version(before: commit) else { return .gap(.trimmed) }
    return try history(since: before, ofEach: entities)
  }

  func bookmark() throws(StoreError) -> StoreBookmark? { store.bookmark(of: version) }

  func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? {
    let then = StoreVersion(epoch: version.epoch, sequence: bookmark.sequence)
    let isAncestor = bookmark == store.bookmark(of: then) && then.sequence <= version.sequence
    return isAncestor ? then : nil
  }

  func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan {
    QueryPlan(source: .sorting, steps: ["SORT THE KEYS OF THE ROWS THAT MATCH, IN MEMORY"])
  }

  func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? {
    guard let order = try store.order(of: definition, in: try current()) else { return nil }
    let source = InMemoryOrderedSource(order, of: store)
    sources.append(source)
    return source
  }

  private func current() throws(StoreError) -> StoreContent {
    guard let content else { throw store.usedAfterEnd("snapshot") }
    return content
  }
}
