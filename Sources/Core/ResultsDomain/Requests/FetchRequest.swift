/// What to fetch: an entity, a predicate, an order, and a window.
///
/// The type parameter is the type of the results: an entity's struct, `Row`, `ObjectID` or `FetchedDictionary`. A request is a
/// value, which stores and controllers execute.
public struct FetchRequest<Object: FetchedObject>: Sendable {
  /// The entity whose objects are fetched.
  public package(set) var entity: EntityDescription
  /// The condition for objects to be fetched; by default, all objects.
  public var predicate: FetchPredicate
  /// The order of the results.
  ///
  /// The object's key is appended, so that the order is always total.
  public var sortDescriptors: [FetchSortDescriptor]
  /// The largest number of results, or `nil` for no limit; a live list enforces it after every change.
  public var fetchLimit: Int?
  /// The number of rows to skip before the first result.
  public var fetchOffset: Int
  /// The number of rows that are read at a time while results are iterated; at least one.
  public var fetchBatchSize: Int
  /// The properties of dictionary results, which alone are checked for changes; `nil` for all.
  ///
  /// A name is that of an attribute, or a path of related objects: `author.name`, `tags.@count`, or `tags.name`, whose value is a
  /// list (`Value.elements`).
  public var propertiesToFetch: [String]?
  /// The relationships, as the names of their steps, whose objects are read with the rows and observed like their attributes.
  ///
  /// `prefetching(_:)` adds them by key paths; `Row.related(_:)` returns the objects.
  public var relationshipPathsForPrefetching: [[String]] = []

  /// Creates a request for an entity that is known by its description.
  ///
  /// ```swift
  /// let request = FetchRequest<Row>(
  ///   entity: Book.entity,
  ///   where: try FetchPredicate(parsing: "year > 1990", entity: Book.entity),
  ///   sortedBy: [.ascending("title")]
  /// )
  /// ```
  public init(
    entity: EntityDescription,
    where predicate: FetchPredicate = .all,
    sortedBy sortDescriptors: [FetchSortDescriptor],
    fetchLimit: Int? = nil,
    fetchOffset: Int = 0,
    fetchBatchSize: Int = 50,
    propertiesToFetch: [String]? = nil
  ) {
    self.entity = entity.stored
    self.predicate = predicate
    self.sortDescriptors = sortDescriptors
    self.fetchLimit = fetchLimit
    self.fetchOffset = fetchOffset
    self.fetchBatchSize = max(1, fetchBatchSize)
    self.propertiesToFetch = propertiesToFetch ?? Object.propertiesToFetch
  }
}

extension FetchRequest where Object: Entity {
  /// Creates a request for objects of an entity, with conditions on its properties.
  ///
  /// ```swift
  /// let request = FetchRequest<Book>(
  ///   where: \.publisher == "岩波書店" && \.year > 1990,
  ///   sortedBy: [.descending(\.year), .ascending(\.title)],
  ///   fetchLimit: 100
  /// )
  /// ```
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
  /// Returns the request with another type of results.
  ///
  /// ```swift
  /// let request = FetchRequest<Book>(sortedBy: [.ascending(\.title)])
  /// let ids = try store.fetch(request.returning(ObjectID.self))
  /// ```
  public func returning<Other: FetchedObject>(
    _ kind: Other.Type = Other.self
  ) -> FetchRequest<Other> {
    returning(kind, of: entity)
  }

  /// Returns the request for another description of its entity, which has the attributes that the request names.
  package func returning<Other: FetchedObject>(
    _ kind: Other.Type = Other.self,
    of entity: EntityDescription
  ) -> FetchRequest<Other> {
    var request = FetchRequest<Other>(
      entity: entity,
      where: predicate,
      sortedBy: sortDescriptors,
      fetchLimit: fetchLimit,
      fetchOffset: fetchOffset,
      fetchBatchSize: fetchBatchSize,
      propertiesToFetch: Other.propertiesToFetch ?? propertiesToFetch
    )
    request.relationshipPathsForPrefetching = relationshipPathsForPrefetching
    return request
  }
}
