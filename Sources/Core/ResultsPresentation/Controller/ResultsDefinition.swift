public import ResultsDomain

/// All that decides what a live list shows; changing any of it on a live controller is an ordinary delta (R16, R50).
public struct ResultsDefinition<Object: FetchedObject>: Sendable {
  /// What is fetched.
  public var request: FetchRequest<Object>
  /// By what it is divided, or `nil` for one section.
  public var sectionKey: SectionKey?
  /// Whether membership, order and sections stay as first fetched: attributes stay live, and a deleted row leaves.
  public var isFrozen: Bool
  /// Counts to take from the very version that the rows are of, by name (R67).
  public var additionalCounts: [String: CountRequest]
  /// What is kept exact for every section besides its count, in the order in which headers tell it (R78).
  public var aggregates: [SectionAggregate]
  /// The name under which the list is kept on disk for the next start, or `nil` to keep nothing (R88).
  ///
  /// It decides nothing of what the list shows. Lists that share a name overwrite each other's cache, so each should have its own.
  public var cacheName: String?

  /// What a live list shows.
  public init(
    _ request: FetchRequest<Object>,
    sectionedBy sectionKey: SectionKey? = nil,
    isFrozen: Bool = false,
    additionalCounts: [String: CountRequest] = [:],
    aggregates: [SectionAggregate] = [],
    cacheName: String? = nil
  ) {
    self.request = request
    self.sectionKey = sectionKey
    self.isFrozen = isFrozen
    self.additionalCounts = additionalCounts
    self.aggregates = aggregates
    self.cacheName = cacheName
  }

  /// Which rows the list has and in what total order, as a store is asked for it: what `createIndex(serving:)` of an SQLite store takes,
  /// before anything is fetched.
  /// - Throws: `RequestError` for a definition that a fetch refuses too.
  public func order() throws(RequestError) -> OrderDefinition { try ListPlan(self).definition }
}

/// A count taken alongside a list, from the same version of the store.
public struct CountRequest: Hashable, Sendable {
  /// The entity whose objects are counted.
  public let entity: EntityDescription
  /// Which of them.
  public let predicate: FetchPredicate

  /// The count of the objects that a predicate holds for.
  public init(_ entity: EntityDescription, where predicate: FetchPredicate = .all) {
    self.entity = entity
    self.predicate = predicate
  }
}
