public import ResultsDomain

/// A group of a list in one generation: a run of its sections, with numbers and aggregates over all of them (R11).
///
/// ```swift
/// for group in results.groups {
///   print(group.title, group.header.rowCount)
///   for section in group.sections { print(section.title, section.count) }
/// }
/// ```
///
/// Sections keep their indexes in the list, and rows their paths.
public struct ResultsGroup<Object: FetchedObject>: Identifiable, Sendable {
  private let results: ResultsList<Object>
  /// The group's index in the list.
  public let index: Int
  /// The group's identity, title, numbers and aggregates.
  public let header: GroupHeader
  /// The indexes of the group's sections in the list.
  public let sectionIndexes: Range<Int>

  init?(_ results: ResultsList<Object>, _ index: Int) {
    guard let header = results.snapshot.header(ofGroup: index),
      let sections = results.snapshot.sections(ofGroup: index)
    else { return nil }
    self.results = results
    self.index = index
    self.header = header
    sectionIndexes = sections
  }

  /// The group's identity: the value that its sections share.
  public var id: Value { header.id }
  /// The title to display.
  public var title: String { header.title }
  /// The declared aggregates over the group's rows (R78); no row is read.
  public var aggregates: SectionAggregates { header.aggregates }
  /// The group's sections; their indexes are those in the list.
  public var sections: Slice<ResultsSections<Object>> { results.sections[sectionIndexes] }
}

/// The groups of a list in order, created on access.
public struct ResultsGroups<Object: FetchedObject>: RandomAccessCollection, Sendable {
  private let results: ResultsList<Object>?

  init(_ results: ResultsList<Object>) { self.results = results }

  /// Creates an empty collection: what a view shows before the first fetch.
  public init() { results = nil }

  /// The index of the first group.
  public var startIndex: Int { 0 }
  /// The index after the last group.
  public var endIndex: Int { results?.snapshot.groupCount ?? 0 }

  /// Returns the group at an index.
  /// - Complexity: As `ResultsSnapshot.header(ofGroup:)`.
  public subscript(index: Int) -> ResultsGroup<Object> {
    guard let group = results.flatMap({ ResultsGroup($0, index) }) else {
      preconditionFailure("group \(index) of a list of \(endIndex) groups")
    }
    return group
  }
}

extension ResultsList {
  /// The groups of sections in order; none in a list without them (R11).
  public var groups: ResultsGroups<Object> { ResultsGroups(self) }

  /// Whether the sections are gathered into groups.
  public var isGrouped: Bool { snapshot.plan.groups != nil }

  /// Returns the group at an index, or `nil` if there is none.
  ///
  /// ```swift
  /// if let group = results.group(at: 0) { draw(group.title, group.header.rowCount) }
  /// ```
  public func group(at index: Int) -> ResultsGroup<Object>? { ResultsGroup(self, index) }

  /// Returns the group with an identity, or `nil` if there is none.
  /// - Complexity: O(*g*) in the groups.
  public func group(withID id: Value) -> ResultsGroup<Object>? {
    snapshot.groups?.ids.firstIndex(of: id).flatMap { ResultsGroup(self, $0) }
  }

  /// Returns the group that a section is in, or `nil` if there is no such section, or the list has no groups.
  /// - Complexity: As `ResultsSnapshot.header(ofGroup:)`.
  public func group(ofSection section: Int) -> ResultsGroup<Object>? {
    snapshot.group(ofSection: section).flatMap { ResultsGroup(self, $0) }
  }
}
