public import ResultsDomain
import ResultsStoreKit

/// A section of a list in one generation: a collection of its rows.
///
/// ```swift
/// for section in results.sections {
///   print(section.title, section.count)
///   for row in section { print(try row.object.title) }
/// }
/// ```
///
/// A section and its rows are identifiable, so a user interface can iterate over them as they are. Counting rows and naming them
/// reads no object; an object is read with its batch when a row is asked to give it.
public struct ResultsSection<Object: FetchedObject>: Identifiable, Sendable {
  private let results: ResultsList<Object>
  /// The section's index in the list.
  public let index: Int
  /// The section's identity, title and aggregates.
  public let header: SectionHeader

  init?(_ results: ResultsList<Object>, _ index: Int) {
    guard let header = results.snapshot.header(ofSection: index) else { return nil }
    self.results = results
    self.index = index
    self.header = header
  }

  /// The section's identity: the value its rows share.
  public var id: SectionID { header.id }
  /// The title to display.
  public var title: String { header.title }
  /// The number of the section's rows, those beyond its limit included (R107).
  public var matchingCount: Int { results.snapshot.matchingCount(inSection: index) ?? 0 }
  /// The section's title in an index of the list, such as its first letter.
  public var indexTitle: String { results.indexTitle(forTitle: title) }

  /// The section's rows, as a collection that can read many objects at once.
  public var rows: ResultsRows<Object> {
    let start = results.snapshot.flatPosition(ofSection: index) ?? 0
    return ResultsRows(results, start..<start + count)
  }

  /// Reads all objects of the section at once, in one version of the store.
  ///
  /// ```swift
  /// for book in try section.objects() { draw(book.title) }
  /// ```
  /// - Throws: As `ResultsList.objects(at:)`.
  /// - Complexity: O(*k* + log *n*) for a section of *k* rows.
  public func objects() throws(ResultsError) -> [Object] { try rows.objects(at: 0..<count) }
}

extension ResultsSection: RandomAccessCollection {
  /// The index of the first row.
  public var startIndex: Int { 0 }
  /// The index after the last row.
  public var endIndex: Int { count }
  /// The number of rows.
  /// - Complexity: O(1)
  public var count: Int { results.snapshot.rowCount(inSection: index) ?? 0 }

  /// Returns the row at an index; its object has not been read.
  public subscript(row: Int) -> ResultsRow<Object> { rows[row] }

  /// Returns an iterator over the rows.
  public func makeIterator() -> IndexingIterator<ResultsRows<Object>> { rows.makeIterator() }
}

/// The sections of a list in order, created on access.
public struct ResultsSections<Object: FetchedObject>: RandomAccessCollection, Sendable {
  private let results: ResultsList<Object>?

  init(_ results: ResultsList<Object>) { self.results = results }

  /// Creates an empty collection: what a view shows before the first fetch.
  public init() { results = nil }

  /// The index of the first section.
  public var startIndex: Int { 0 }
  /// The index after the last section.
  public var endIndex: Int { results?.snapshot.sectionCount ?? 0 }

  /// Returns the section at an index.
  /// - Complexity: O(log *n*), and the title's own cost.
  public subscript(index: Int) -> ResultsSection<Object> {
    guard let section = results.flatMap({ ResultsSection($0, index) }) else {
      preconditionFailure("section \(index) of a list of \(endIndex) sections")
    }
    return section
  }
}

// MARK: - Rows

/// A row of a list, whose object is read on access.
///
/// Reading can fail: the row may have been deleted since, its values may not fit the object's type, or the store may be unreadable.
/// So there are two ways to an object's properties, and neither hides a failure nor traps:
///
/// - `try row.object.title` throws the failure of this row, and says what happened;
/// - `row.title` is `nil` while the row cannot be read. It serves where nothing can be thrown, such as the body of a view:
///   `section.map(\.title)`, or `ForEach(section) { row in Text(row.title ?? "…") }`.
///
/// An optional property has two levels of `nil` in the second form. Where the object has a property named like one of the row's own
/// (`id`, `objectID`, `path`, `object`), the row's own is meant.
@dynamicMemberLookup
public struct ResultsRow<Object: FetchedObject>: Identifiable, Sendable {
  /// A row's identity in its list.
  public enum ID: Hashable, Sendable {
    /// The identity of the row's object.
    case object(ObjectID)
    /// The row's position, where the store can no longer say which object the list showed there.
    case position(Int)
  }

  private let results: ResultsList<Object>
  private let position: Int

  init(_ results: ResultsList<Object>, _ position: Int) {
    self.results = results
    self.position = position
  }

  /// The row's identity; no object is read.
  /// - Complexity: O(log *n*)
  public var id: ID { objectID.map { .object($0) } ?? .position(position) }

  /// The object's identity, or `nil` where the store can no longer say it; no object is read.
  ///
  /// `object` throws the reason.
  /// - Complexity: O(log *n*)
  public var objectID: ObjectID? { results.snapshot.objectID(atFlatPosition: position) }

  /// The row's path in its generation.
  public var path: RowPath {
    results.snapshot.path(ofFlatPosition: position) ?? RowPath(section: 0, row: position)
  }

  /// The row's object, read with its batch.
  /// - Throws: As `ResultsList.object(at:)`; a failure affects this row only (R25).
  /// - Complexity: O(log *n*); one batch is read from the store unless it is cached.
  public var object: Object {
    get throws(ResultsError) { try results.object(atFlatPosition: position) }
  }

  /// A property of the row's object, or `nil` while the object cannot be read; `object` throws the reason.
  public subscript<Member>(dynamicMember keyPath: KeyPath<Object, Member>) -> Member? {
    (try? object).map { $0[keyPath: keyPath] }
  }
}

extension ResultsRow where Object: Entity {
  /// The object of a to-one relationship that the request prefetched, read with the row's batch; `nil` where a step has no object.
  ///
  /// ```swift
  /// let name = try row.related(\.author)?.name
  /// ```
  /// - Throws: As `object`; `ResultsError.related` if the request did not prefetch it, or a stored value does not fit.
  /// - Complexity: As `object`.
  public func related<Target: Entity>(
    _ path: KeyPath<Object.Type, ToOne<Object, Target>>
  ) throws(ResultsError) -> Target? {
    let row = try results.row(atFlatPosition: position)
    do {
      return try row.related(Object.self[keyPath: path])
    } catch {
      throw .related(error)
    }
  }

  /// The objects of a to-many relationship that the request prefetched, read with the row's batch, in the order of their keys.
  ///
  /// ```swift
  /// let tags = try row.related(\.tags).map(\.name)
  /// ```
  /// - Throws: As `object`; `ResultsError.related` if the request did not prefetch them, or a stored value does not fit.
  /// - Complexity: As `object`.
  public func related<Element: Entity>(
    _ path: KeyPath<Object.Type, ToMany<Object, Element>>
  ) throws(ResultsError) -> [Element] {
    let row = try results.row(atFlatPosition: position)
    do {
      return try row.related(Object.self[keyPath: path])
    } catch {
      throw .related(error)
    }
  }
}

/// Rows of a list in order, as a collection that reads objects on access, batch by batch.
public struct ResultsRows<Object: FetchedObject>: RandomAccessCollection, Sendable {
  private let results: ResultsList<Object>?
  private let range: Range<Int>

  init(_ results: ResultsList<Object>, _ range: Range<Int>) {
    self.results = results
    self.range = range
  }

  /// Creates an empty collection: what a view shows before the first fetch.
  public init() {
    results = nil
    range = 0..<0
  }

  /// The index of the first row.
  public var startIndex: Int { 0 }
  /// The index after the last row.
  public var endIndex: Int { range.count }

  /// Returns the row at an index; its object has not been read.
  public subscript(index: Int) -> ResultsRow<Object> {
    guard let results else { preconditionFailure("row \(index) of no rows") }
    return ResultsRow(results, range.lowerBound + index)
  }

  /// Returns the identities of the rows at some indexes, in order; no object is read.
  /// - Throws: As `ResultsList.objectIDs(at:)`.
  /// - Complexity: O(*k* + log *n*) for *k* rows.
  public func objectIDs(at indexes: Range<Int>) throws(ResultsError) -> [ObjectID] {
    try results?.objectIDs(at: positions(of: indexes)) ?? []
  }

  /// Returns the objects of the rows at some indexes, in order, read at once.
  /// - Throws: As `ResultsList.objects(at:)`.
  /// - Complexity: O(*k* + log *n*) for *k* rows.
  public func objects(at indexes: Range<Int>) throws(ResultsError) -> [Object] {
    try results?.objects(at: positions(of: indexes)) ?? []
  }

  private func positions(of indexes: Range<Int>) -> Range<Int> {
    let indexes = indexes.clamped(to: 0..<range.count)
    return range.lowerBound + indexes.lowerBound..<range.lowerBound + indexes.upperBound
  }
}
