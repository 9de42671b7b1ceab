/// What to fetch: an entity, a predicate, an order, and a window.
///
/// The kind of result is the type parameter: an entity's struct, `Row`, `ObjectID` or `FetchedDictionary`. A request is a
/// value; it does nothing until a store or a controller is given it.
public struct FetchRequest<Object: FetchedObject>: Sendable {
  /// The entity whose objects are fetched.
  public let entity: EntityDescription
  /// Which of them; all, unless told.
  public var predicate: FetchPredicate
  /// In which order.
  ///
  /// The object's key is appended, so that the order is always total.
  public var sortDescriptors: [FetchSortDescriptor]
  /// At most so many rows, or `nil` for all; the limit stays true while a list is live.
  public var fetchLimit: Int?
  /// How many rows of the order are passed over before the first.
  public var fetchOffset: Int
  /// How many rows are read at a time while results are walked; at least one.
  public var fetchBatchSize: Int
  /// The properties that dictionary results have and that a change is looked for in; `nil` for all.
  public var propertiesToFetch: [String]?

  /// A request for rows of an entity known only by its description.
  public init(
    entity: EntityDescription,
    where predicate: FetchPredicate = .all,
    sortedBy sortDescriptors: [FetchSortDescriptor],
    fetchLimit: Int? = nil,
    fetchOffset: Int = 0,
    fetchBatchSize: Int = 50,
    propertiesToFetch: [String]? = nil
  ) {
    self.entity = entity
    self.predicate = predicate
    self.sortDescriptors = sortDescriptors
    self.fetchLimit = fetchLimit
    self.fetchOffset = fetchOffset
    self.fetchBatchSize = max(1, fetchBatchSize)
    self.propertiesToFetch = propertiesToFetch
  }
}

extension FetchRequest where Object: Entity {
  /// A request for objects of an entity, over its properties.
  public init(
    where predicate: EntityPredicate<Object> = .all,
    sortedBy sortDescriptors: [EntitySortDescriptor<Object>],
    fetchLimit: Int? = nil,
    fetchOffset: Int = 0,
    fetchBatchSize: Int = 50
  ) {
    self.init(
      entity: Object.entity,
      where: predicate.predicate,
      sortedBy: sortDescriptors.map(\.descriptor),
      fetchLimit: fetchLimit,
      fetchOffset: fetchOffset,
      fetchBatchSize: fetchBatchSize
    )
  }
}

extension FetchRequest {
  /// The same request with another kind of result.
  public func returning<Other: FetchedObject>(
    _ kind: Other.Type = Other.self
  ) -> FetchRequest<Other> {
    FetchRequest<Other>(
      entity: entity,
      where: predicate,
      sortedBy: sortDescriptors,
      fetchLimit: fetchLimit,
      fetchOffset: fetchOffset,
      fetchBatchSize: fetchBatchSize,
      propertiesToFetch: propertiesToFetch
    )
  }
}
