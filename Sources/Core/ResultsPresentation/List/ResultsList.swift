public import ResultsDomain

/// What a list showed in one generation, and the way to its objects.
///
/// Sections, positions and identities are those of the generation and never change; the objects themselves are read from the
/// store when asked for, a batch at a time (R19, R25).
public struct ResultsList<Object: FetchedObject>: Sendable {
  /// Has the generation too: it is handed from event to state and on, and a copy of all its parts would cost more than the rest.
  let loader: RowLoader

  init(_ loader: RowLoader) { self.loader = loader }
  init(_ snapshot: ResultsSnapshot, _ store: any Store) { self.init(RowLoader(snapshot, store)) }

  /// The sections, positions and identities.
  public var snapshot: ResultsSnapshot { loader.snapshot }

  /// Which generation of its controller this is, from 1.
  public var generation: Int { snapshot.generation }
  /// The number of rows.
  public var count: Int { snapshot.rowCount }
  /// Whether a section key divides the list; one without has exactly one section.
  public var isSectioned: Bool { snapshot.plan.sectionKey != nil }
  /// The number of rows that match, those outside the limit and offset included.
  public var matchingCount: Int { snapshot.matchingCount }
  /// Counts taken from the same version of the store, by name.
  public var additionalCounts: [String: Int] { snapshot.additionalCounts }

  /// The object at a path.
  /// - Throws: `ResultsError.noRow` for a path outside the list, `.rowGone` for a row deleted since, `.row` for a stored
  ///   value that does not fit, `.store` for the store's own failure; that is `StoreError.historyLost` where the keys of an earlier
  ///   generation were left to an index, and the store cannot tell any more what they were.
  /// - Complexity: O(log *n*), and one batch is read from the store unless it is kept.
  public func object(at path: RowPath) throws(ResultsError) -> Object {
    guard let position = snapshot.flatPosition(of: path) else {
      throw .noRow(at: path, sections: snapshot.sectionCount)
    }
    return try object(atFlatPosition: position)
  }

  /// The path of an object, or `nil` if it is not in the list, or the store cannot tell its place any more.
  /// - Complexity: O(log *n*); O(*n* log *n*) for the first search of a list.
  public func path(of id: ObjectID) -> RowPath? { snapshot.path(of: id) }

  /// The identity of the object at a path, or `nil` if there is none, or the store cannot tell it any more; no row is read.
  /// - Complexity: O(log *n*)
  public func objectID(at path: RowPath) -> ObjectID? { snapshot.objectID(at: path) }

  func object(atFlatPosition position: Int) throws(ResultsError) -> Object {
    try object(from: try row(atFlatPosition: position))
  }

  func object(from row: Row) throws(ResultsError) -> Object {
    do {
      return try FetchRequest<Object>.object(
        from: row,
        properties: snapshot.plan.propertiesToFetch
      )
    } catch {
      throw .row(error)
    }
  }

  func row(atFlatPosition position: Int) throws(ResultsError) -> Row {
    let noRow = ResultsError.noRow(
      at: RowPath(section: 0, row: position),
      sections: snapshot.sectionCount
    )
    guard position >= 0, position < count else { throw noRow }
    if Object.needsAttributeValues,
      let row = try reading({ () throws(StoreError) in try loader.row(at: position) })
    {
      return row
    }
    let found = try reading { () throws(StoreError) in
      try snapshot.identity(atFlatPosition: position)
    }
    guard let id = found else { throw noRow }
    guard !Object.needsAttributeValues else { throw .rowGone(id) }
    return row(without: id)
  }

  /// A row of which nothing but the identity is of interest.
  func row(without id: ObjectID) -> Row {
    let values = Array(repeating: Value.null, count: snapshot.entity.attributes.count)
    return Row(entity: snapshot.entity, id: id, values: values)
  }

  /// Runs a reading of the store.
  func reading<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(ResultsError) -> Result {
    do {
      return try body()
    } catch {
      throw .store(error)
    }
  }
}

// MARK: - Pages

extension ResultsList {
  /// The identities of the rows at some places counted over all sections, in order; no row is read.
  ///
  /// They are read at once: where an index of the store has the keys, in one version and mostly by one query, which is how to
  /// read a page of a long list. Places outside of the list are left out.
  /// - Throws: `ResultsError.store` for the store's own failure, also if its history no longer tells what the list showed.
  /// - Complexity: O(*k* + log *n*) for *k* places.
  public func objectIDs(at places: Range<Int>) throws(ResultsError) -> [ObjectID] {
    try reading { () throws(StoreError) in try snapshot.objectIDs(atFlatPositions: places) }
  }

  /// The objects at some places counted over all sections, in order.
  ///
  /// They are read at once, in one version of the store, however large a batch is. Places outside of the list are left out.
  /// - Throws: The failure of the first row that cannot be read, as `object(at:)`.
  /// - Complexity: O(*k* + log *n*) for *k* places.
  public func objects(at places: Range<Int>) throws(ResultsError) -> [Object] {
    let places = places.clamped(to: 0..<count)
    guard !places.isEmpty else { return [] }
    var objects: [Object] = []
    objects.reserveCapacity(places.count)
    guard Object.needsAttributeValues else {
      for id in try objectIDs(at: places) { objects.append(try object(from: row(without: id))) }
      return objects
    }
    let rows = try reading { () throws(StoreError) in try loader.rows(at: places) }
    for (place, row) in zip(places, rows) {
      // The row by itself says why there is none.
      let found = if let row { row } else { try self.row(atFlatPosition: place) }
      objects.append(try object(from: found))
    }
    return objects
  }
}

extension ResultsRows {
  /// The identities at some places of the collection, in order; no row is read.
  /// - Throws: As `ResultsList.objectIDs(at:)`.
  /// - Complexity: O(*k* + log *n*) for *k* places.
  public func objectIDs(at places: Range<Int>) throws(ResultsError) -> [ObjectID] {
    try results.objectIDs(at: listPlaces(places))
  }

  /// The objects at some places of the collection, in order, read at once.
  /// - Throws: As `ResultsList.objects(at:)`.
  /// - Complexity: O(*k* + log *n*) for *k* places.
  public func objects(at places: Range<Int>) throws(ResultsError) -> [Object] {
    try results.objects(at: listPlaces(places))
  }

  private func listPlaces(_ places: Range<Int>) -> Range<Int> {
    let places = places.clamped(to: 0..<range.count)
    return range.lowerBound + places.lowerBound..<range.lowerBound + places.upperBound
  }
}
