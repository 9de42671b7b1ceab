public import ResultsDomain

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
