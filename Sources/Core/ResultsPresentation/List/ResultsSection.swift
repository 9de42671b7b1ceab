public import ResultsDomain

/// One section of a list in one generation.
public struct ResultsSection<Object: FetchedObject>: Sendable {
  private let results: ResultsList<Object>
  /// The section's place in the list.
  public let index: Int
  /// What tells it from the others, and what is shown.
  public let header: SectionHeader

  init?(_ results: ResultsList<Object>, _ index: Int) {
    guard let header = results.snapshot.header(ofSection: index) else { return nil }
    self.results = results
    self.index = index
    self.header = header
  }

  /// What tells the section from the others.
  public var id: SectionID { header.id }
  /// What is shown as its title.
  public var title: String { header.title }
  /// The number of its rows; no row is read.
  public var count: Int { results.snapshot.rowCount(inSection: index) ?? 0 }
  /// What stands for it in an index of the list.
  public var indexTitle: String { results.indexTitle(forTitle: title) }

  /// Its rows in order; objects are read when asked for.
  public var objects: ResultsRows<Object> {
    let start = results.snapshot.flatPosition(of: RowPath(section: index, row: 0)) ?? 0
    return ResultsRows(results, start..<start + count)
  }
}

/// The sections of a list in order, made when asked for.
public struct ResultsSections<Object: FetchedObject>: RandomAccessCollection, Sendable {
  private let results: ResultsList<Object>

  init(_ results: ResultsList<Object>) { self.results = results }

  /// The first place.
  public var startIndex: Int { 0 }
  /// Behind the last place.
  public var endIndex: Int { results.snapshot.sectionCount }

  /// The section at a place.
  public subscript(index: Int) -> ResultsSection<Object> {
    guard let section = ResultsSection(results, index) else {
      preconditionFailure("section \(index) of a list of \(endIndex) sections")
    }
    return section
  }
}

extension ResultsList {
  /// The sections in order; a list without a section key has one (C10).
  public var sections: ResultsSections<Object> { ResultsSections(self) }

  /// The section at a place, or `nil` if there is none.
  public func section(at index: Int) -> ResultsSection<Object>? { ResultsSection(self, index) }

  /// The section of an id, or `nil` if there is none.
  /// - Complexity: O(log *n*) for sections in the order of their ids, O(*s*) in the sections otherwise.
  public func section(withID id: SectionID) -> ResultsSection<Object>? {
    snapshot.section(of: id).flatMap { ResultsSection(self, $0) }
  }
}

// MARK: - Rows

/// One place of a list, whose object is read when asked for.
public struct ResultsRow<Object: FetchedObject>: Sendable {
  private let results: ResultsList<Object>
  private let position: Int

  init(_ results: ResultsList<Object>, _ position: Int) {
    self.results = results
    self.position = position
  }

  /// The object's identity; no row is read.
  ///
  /// It is `nil` only where the store cannot tell it any more; `get()` says why.
  public var id: ObjectID? { results.snapshot.objectID(atFlatPosition: position) }

  /// The place's path in its generation.
  public var path: RowPath {
    results.snapshot.path(ofFlatPosition: position) ?? RowPath(section: 0, row: position)
  }

  /// Reads the object, with its batch.
  /// - Throws: As `ResultsList.object(at:)`; a failure affects this row only (R25).
  public func get() throws(ResultsError) -> Object {
    try results.object(atFlatPosition: position)
  }
}

/// All rows of a list in order, as a collection that reads objects only when asked (batch by batch).
public struct ResultsRows<Object: FetchedObject>: RandomAccessCollection, Sendable {
  let results: ResultsList<Object>
  let range: Range<Int>

  init(_ results: ResultsList<Object>, _ range: Range<Int>) {
    self.results = results
    self.range = range
  }

  /// The first place.
  public var startIndex: Int { 0 }
  /// Behind the last place.
  public var endIndex: Int { range.count }

  /// A place of the list; its object has not been read.
  public subscript(index: Int) -> ResultsRow<Object> {
    ResultsRow(results, range.lowerBound + index)
  }
}

extension ResultsList {
  /// All rows in order; objects are read when asked for.
  public var fetchedObjects: ResultsRows<Object> { ResultsRows(self, 0..<count) }

  /// Reads all objects in order.
  /// - Throws: The failure of the first row that cannot be read.
  /// - Complexity: O(*n*)
  public func objects() throws(ResultsError) -> [Object] {
    var objects: [Object] = []
    objects.reserveCapacity(count)
    for position in 0..<count { objects.append(try object(atFlatPosition: position)) }
    return objects
  }
}
