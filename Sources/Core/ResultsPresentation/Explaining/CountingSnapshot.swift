import ResultsDomain

/// A snapshot that counts what a list asks of it (R89).
final class CountingSnapshot: StoreSnapshot {
  private let base: any StoreSnapshot
  /// What was asked so far.
  private(set) var work = ListWork()

  init(_ base: any StoreSnapshot) { self.base = base }

  var version: StoreVersion { base.version }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    work.queries += 1
    work.rows += keys.count
    return try base.rows(keys, of: entity)
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    work.queries += 1
    try base.entries(of: definition) { (batch) throws(StoreError) in
      work.keys += batch.count
      return try body(batch)
    }
  }

  func count(of entity: EntityDescription, where predicate: FetchPredicate) throws(StoreError)
    -> Int
  {
    work.queries += 1
    return try base.count(of: entity, where: predicate)
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    work.queries += 1
    try base.digests(of: definition, attributes: attributes) { (batch) throws(StoreError) in
      work.digests += batch.count
      return try body(batch)
    }
  }

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    try base.history(since: version, of: entity)
  }

  func bookmark() throws(StoreError) -> StoreBookmark? { try base.bookmark() }

  func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? {
    try base.version(at: bookmark)
  }

  func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan {
    try base.plan(of: definition)
  }
}
