public import ResultsDomain
public import ResultsStoreKit

/// The definition of a live list; changing any of it on a live controller is an ordinary delta (R16, R50).
public struct ResultsDefinition<Object: FetchedObject>: Sendable {
  /// The request to fetch.
  public var request: FetchRequest<Object>
  /// The key that divides the list into sections, or `nil` for one section.
  public var sectionKey: SectionKey?
  /// The rule that gathers the sections into groups, or `nil` for none (R11).
  public var groups: SectionGroups?
  /// Whether membership, order and sections stay as first fetched; attributes stay live, and a deleted row leaves the list.
  public var isFrozen: Bool
  /// Counts to take from the version that the rows are of, by name (R67).
  public var additionalCounts: [String: CountRequest]
  /// Aggregates to maintain for every section besides its count, in the order in which headers list them (R78).
  public var aggregates: [SectionAggregate]
  /// How the list shows its sections: which are fixed, and how many rows of each it shows (R08, R79).
  public var arrangement: SectionArrangement
  /// The name under which the list is cached on disk for the next start, or `nil` for no cache (R88).
  ///
  /// It does not affect what the list shows. Lists that share a name overwrite each other's cache, so give each its own.
  public var cacheName: String?

  /// Creates the definition of a live list.
  public init(
    _ request: FetchRequest<Object>,
    sectionedBy sectionKey: SectionKey? = nil,
    groupedBy groups: SectionGroups? = nil,
    isFrozen: Bool = false,
    additionalCounts: [String: CountRequest] = [:],
    aggregates: [SectionAggregate] = [],
    arrangement: SectionArrangement = .none,
    cacheName: String? = nil
  ) {
    self.request = request
    self.sectionKey = sectionKey
    self.groups = groups
    self.isFrozen = isFrozen
    self.additionalCounts = additionalCounts
    self.aggregates = aggregates
    self.arrangement = arrangement
    self.cacheName = cacheName
  }

  /// Returns the rows and the total order that a store is queried for, which `createIndex(serving:)` of an SQLite store takes before
  /// anything is fetched.
  /// - Throws: `RequestError` for a definition that a fetch refuses too.
  public func order() throws(RequestError) -> OrderDefinition { try ListPlan(self).storeDefinition }

  /// Returns the entities whose objects decide what the list shows: that of its rows, and those that its paths reach.
  /// - Throws: `RequestError` for a definition that a fetch refuses too.
  package func entities() throws(RequestError) -> [EntityDescription] {
    try ListPlan(self).entities
  }
}

extension ResultsDefinition {
  /// Returns the definition of the same rows in the opposite order, sections included (R84).
  ///
  /// Nulls change ends, and rows that are equal in all terms are in descending order of their keys. So an index that has the one order
  /// has the other too. Limit and offset count from the new beginning: a limit of ten shows the last ten. Reversed twice, a definition
  /// gives the list that it gave before.
  ///
  /// ```swift
  /// try await books.update { $0 = $0.reversed() }
  /// ```
  public func reversed() -> ResultsDefinition {
    var reversed = self
    let columns = request.entity.identity.columns
    let key = columns.count == 1 ? [.objectKey] : columns.map { FetchExpression.attribute($0) }
    let tail = key.map { FetchSortDescriptor($0, .descending) }
    var terms = request.sortDescriptors
    // The key in ascending order ends every order, and need not be said.
    if terms.count > key.count, Array(terms.suffix(key.count)) == tail {
      terms.removeLast(key.count)
    } else {
      terms += key.filter { part in !terms.contains { $0.expression == part } }
        .map { FetchSortDescriptor($0) }
    }
    reversed.request.sortDescriptors = terms.map(\.reversed)
    reversed.sectionKey = sectionKey?.reversed
    reversed.groups = groups?.reversed
    reversed.arrangement = arrangement.reversed
    return reversed
  }
}

extension SectionArrangement {
  /// The same sections in the opposite order; limits show the first rows of the new order.
  fileprivate var reversed: SectionArrangement {
    let others: OtherSections =
      switch others {
      case .before: .after
      case .after: fixed.isEmpty ? .after : .before
      case .hidden: .hidden
      }
    return SectionArrangement(fixed: fixed.reversed(), others: others, limits: limits)
  }
}

extension SectionKey {
  fileprivate var reversed: SectionKey {
    let source: Source
    switch self.source {
    case .transient: return self
    case .expression(let id, let order, let direction, let nulls):
      source = .expression(id, orderedBy: order, direction.reversed, nulls: nulls?.reversed)
    case .relationship(let sections): source = .relationship(sections.reversed)
    }
    return SectionKey(
      source,
      contiguity: contiguity,
      titleIdentity: titleIdentity,
      title: title,
      indexTitle: indexTitle
    )
  }
}

/// A count taken together with a list, from the same version of the store.
public struct CountRequest: Hashable, Sendable {
  /// The entity whose objects are counted.
  public let entity: EntityDescription
  /// The predicate that counted objects satisfy.
  public let predicate: FetchPredicate

  /// Creates a count of the objects that satisfy a predicate.
  public init(_ entity: EntityDescription, where predicate: FetchPredicate = .all) {
    self.entity = entity.stored
    self.predicate = predicate
  }
}
