public import ResultsDomain

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
