/// One consistent version of a store's content, for the time of a closure.
///
/// Everything read through it is of `version`. It must not be kept: nothing is pinned after the closure returns.
public protocol StoreSnapshot: AnyObject {
  /// The version that is read.
  var version: StoreVersion { get }

  /// The rows of some objects, in the order asked; `nil` where there is no such object.
  /// - Complexity: O(*k* log *n*) for *k* objects.
  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?]

  /// Hands over the encoded keys of a list, in strictly ascending order, in batches.
  ///
  /// Only what the keys hold is read. The closure says whether to go on.
  /// - Throws: `StoreError.unexpectedValue` for a stored value of another storage class.
  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError)

  /// How many rows of an entity a predicate holds for.
  func count(of entity: EntityDescription, where predicate: FetchPredicate) throws(StoreError)
    -> Int

  /// Hands over a digest of some attributes of each row of a list, in ascending order of the objects' keys.
  ///
  /// Each entry is the identity's bytes (`KeyLayout.identityBytes(of:)`) followed by eight bytes of
  /// digest (`RowDigest`). A list compares digests of two versions to find rows whose content changed where the history cannot tell.
  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError)

  /// Hands over aggregates of the rows of a list, gathered by the first columns of its order, in that order (R78).
  ///
  /// With no column all rows are one group, which is handed over even if there are no rows; other groups have rows. The
  /// closure says whether to go on.
  /// - Throws: `StoreError.unexpectedValue` for a stored value of another storage class.
  /// - Complexity: O(*n*) in the rows that match.
  func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError)

  /// What happened to an entity between an earlier version and this one.
  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory

  /// What a later process needs to find this version again, or `nil` if the store keeps nothing that would tell.
  func bookmark() throws(StoreError) -> StoreBookmark?

  /// The version that a bookmark names, as `history(since:of:)` understands it.
  /// - Returns: `nil` if the store cannot prove that its own past goes through that very version.
  func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion?

  /// How the keys of a list come in their order.
  func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan

  /// The entries of a list as an index holds them, or `nil` if the store cannot prove that one does.
  ///
  /// It belongs to this snapshot and must not be kept either.
  func orderedSource(of definition: OrderDefinition) throws(StoreError) -> (any OrderedSource)?
}

extension StoreSnapshot {
  /// By default no version outlives the process.
  public func bookmark() throws(StoreError) -> StoreBookmark? { nil }

  /// By default no bookmark is understood.
  public func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? { nil }

  /// By default a store does not say how it works.
  public func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan {
    QueryPlan(source: .unknown)
  }

  /// By default a store has no index that would serve.
  public func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? { nil }
}
