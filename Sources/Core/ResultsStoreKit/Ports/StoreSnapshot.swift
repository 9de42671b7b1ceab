public import ResultsDomain

/// One consistent version of a store's content, valid inside a closure.
///
/// Everything read through it belongs to `version`. It ends when the closure returns, so do not store it.
public protocol StoreSnapshot: AnyObject {
  /// The version of the content.
  var version: StoreVersion { get }

  /// The rows of some objects, in the order of their keys; `nil` for an object that does not exist.
  /// - Complexity: O(*k* log *n*) for *k* objects.
  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?]

  /// Calls a closure with the encoded keys of a list in batches, in strictly ascending order.
  ///
  /// Only the columns of the keys are read. The closure returns whether to continue.
  /// - Throws: `StoreError.unexpectedValue` for a stored value of another storage class.
  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError)

  /// The first encoded keys of a list, in strictly ascending order.
  ///
  /// A store whose queries take a limit reads no more than that.
  /// - Throws: As `entries(of:_:)`.
  /// - Complexity: O(*k* log *n*) for *k* keys where an index has the order.
  func firstEntries(of definition: OrderDefinition, limit: Int) throws(StoreError) -> EntryBatch

  /// The number of rows of an entity for which a predicate holds.
  func count(of entity: EntityDescription, where predicate: FetchPredicate) throws(StoreError)
    -> Int

  /// Calls a closure with a digest of some attributes of each row of a list, in ascending order of the objects' keys.
  ///
  /// Each entry is the identity's bytes (`KeyLayout.identityBytes(of:)`) followed by eight bytes of
  /// digest (`RowDigest`). After a gap in the history, a list compares the digests of two versions to find changed rows.
  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError)

  /// Calls a closure with aggregates of the rows of a list, grouped by the first columns of its order, in that order (R78).
  ///
  /// Without columns, all rows form one group, even if there are none; any other group has rows. The closure returns
  /// whether to continue.
  /// - Throws: `StoreError.unexpectedValue` for a stored value of another storage class.
  /// - Complexity: O(*n*) in the rows that match.
  func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError)

  /// The changes of an entity between an earlier version and this one.
  ///
  /// Records of equal version are one commit, also in the histories of different entities, and a commit has the same version in
  /// each of them.
  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory

  /// The changes of several entities between an earlier version and this one: one record for each commit.
  ///
  /// A gap in the history of one entity is a gap.
  func history(since version: StoreVersion, ofEach entities: [EntityDescription])
    throws(StoreError) -> StoreHistory

  /// The commits up to this version of which the history still has all changes, whichever process made them (R281).
  /// - Returns: `nil` if the store keeps no history for other processes, or it is not complete.
  /// - Complexity: O(*n*) in the entries of the history; no changes are read.
  func retainedCommits() throws(StoreError) -> RetainedCommits?

  /// The changes of several entities from a retained commit on, this one included: one record for each commit, oldest first.
  ///
  /// A commit that did not touch the entities has none. The records' versions need not be those of this process's histories. A gap in the history of one entity is a gap.
  func history(
    from commit: RetainedCommits.Commit,
    ofEach entities: [EntityDescription]
  ) throws(StoreError) -> StoreHistory

  /// The keys of the objects whose columns hold one of some keys, in any order and without duplicates.
  /// - Parameters:
  ///   - keys: The keys that are sought; a key of another number of parts is not found.
  ///   - columns: The columns, one for each part of a key: attributes, or the column of the objects' own key.
  ///   - entity: The entity of the objects.
  ///   - limit: The largest number of keys to return, or `nil` for any.
  /// - Returns: `nil` if there are more than `limit`.
  /// - Throws: `StoreError.request` for a column that the entity does not have, and the store's error.
  /// - Complexity: O(log *n*) for each key, and O(1) for each object, with an index over the columns; otherwise O(*n*).
  func referrers(
    to keys: [ObjectKey],
    through columns: [String],
    of entity: EntityDescription,
    limit: Int?
  ) throws(StoreError) -> [ObjectKey]?

  /// A bookmark with which a later process can find this version, or `nil` if the store supports none.
  func bookmark() throws(StoreError) -> StoreBookmark?

  /// The version of a bookmark, for `history(since:of:)`.
  /// - Returns: `nil` if the store cannot prove that this version descends from the bookmark's.
  func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion?

  /// How the store reads the keys of a list in order.
  func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan

  /// The source of a list's order, without the rest of the plan.
  func source(of definition: OrderDefinition) throws(StoreError) -> QueryPlan.Source

  /// The entries of a list in an index, or `nil` if the store cannot prove that an index has them in order.
  ///
  /// The source ends with this snapshot.
  func orderedSource(of definition: OrderDefinition) throws(StoreError) -> (any OrderedSource)?
}

extension StoreSnapshot {
  /// By default, the entries of a list are read until there are enough.
  public func firstEntries(
    of definition: OrderDefinition,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    var first = EntryBatch()
    guard limit > 0 else { return first }
    try entries(of: definition) { (batch) throws(StoreError) in
      for index in 0..<min(batch.count, limit - first.count) {
        first.append { $0.bytes += batch.key(at: index) }
      }
      return first.count < limit
    }
    return first
  }

  /// By default, a store supports no bookmarks.
  public func bookmark() throws(StoreError) -> StoreBookmark? { nil }

  /// By default, a store supports no bookmarks.
  public func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? { nil }

  /// By default, the plan is unknown.
  public func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan {
    QueryPlan(source: .unknown)
  }

  /// By default, the whole plan is made.
  public func source(of definition: OrderDefinition) throws(StoreError) -> QueryPlan.Source {
    try plan(of: definition).source
  }

  /// By default, no index provides the order.
  public func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? { nil }
}
