public import ResultsDomain
import ResultsStoreKit

/// A list as a controller showed it in one generation, and access to its objects.
///
/// Sections, positions and identities are those of the generation and never change. Objects are read from the store on access, a
/// batch at a time (R19, R25).
public struct ResultsList<Object: FetchedObject>: Sendable {
  /// Holds the snapshot as well: a list is handed from event to state and on, and one reference is cheap to copy.
  let loader: RowLoader

  init(_ loader: RowLoader) { self.loader = loader }
  init(_ snapshot: ResultsSnapshot, _ store: any Store) { self.init(RowLoader(snapshot, store)) }

  /// The sections, positions and identities.
  public var snapshot: ResultsSnapshot { loader.snapshot }

  /// The generation of the controller's list, from 1.
  public var generation: Int { snapshot.generation }
  /// The generation and the life it is counted in: where a client that returns later continues.
  public var position: ResultsPosition { snapshot.position }
  /// The number of rows.
  public var count: Int { snapshot.rowCount }
  /// Whether a section key divides the list; a list without one has exactly one section.
  public var isSectioned: Bool { snapshot.plan.sectionKey != nil }
  /// The number of rows that match, including those outside the limit and offset.
  public var matchingCount: Int { snapshot.matchingCount }
  /// The additional counts of the definition, by name, from the same version of the store.
  public var additionalCounts: [String: Int] { snapshot.additionalCounts }
}

// MARK: - Sections and rows

extension ResultsList {
  /// The sections in order; a list without a section key has one (C10).
  public var sections: ResultsSections<Object> { ResultsSections(self) }

  /// Returns the section at an index, or `nil` if there is none.
  ///
  /// ```swift
  /// if let section = results.section(at: 0) { draw(section.title, section.count) }
  /// ```
  public func section(at index: Int) -> ResultsSection<Object>? { ResultsSection(self, index) }

  /// Returns the section with an identity, or `nil` if there is none.
  ///
  /// ```swift
  /// let same = results.section(withID: section.id)
  /// ```
  /// - Complexity: O(log *n*) for sections in the order of their identities, O(*s*) in the sections otherwise.
  public func section(withID id: SectionID) -> ResultsSection<Object>? {
    snapshot.section(of: id).flatMap { ResultsSection(self, $0) }
  }

  /// The rows of all sections in order.
  public var rows: ResultsRows<Object> { ResultsRows(self, 0..<count) }

  /// Returns the path of an object, or `nil` if it is not in the list or the store can no longer say its position.
  ///
  /// ```swift
  /// if let path = results.path(of: id) { draw(path.section, path.row) }
  /// ```
  /// - Complexity: O(log *n*); O(*n* log *n*) for the first search of a list.
  public func path(of id: ObjectID) -> RowPath? { snapshot.path(of: id) }

  /// Returns the identity of the object at a path; no object is read.
  ///
  /// ```swift
  /// let id = results.objectID(at: RowPath(section: 0, row: 2))
  /// ```
  /// - Returns: `nil` if there is no such row, or the store can no longer say its identity.
  /// - Complexity: O(log *n*)
  public func objectID(at path: RowPath) -> ObjectID? { snapshot.objectID(at: path) }

  /// Returns the identities of the rows at some positions, counted over all sections, in order; no object is read.
  ///
  /// They are read at once: where an index of the store has the keys, in one version and usually by one query, so this is how to read
  /// a page of a long list. Positions outside the list are left out.
  ///
  /// ```swift
  /// let page = try results.objectIDs(at: 1000..<1050)
  /// ```
  /// - Throws: `ResultsError.store` for the store's own failure, also if its history no longer reaches back to what the list showed.
  /// - Complexity: O(*k* + log *n*) for *k* positions.
  public func objectIDs(at positions: Range<Int>) throws(ResultsError) -> [ObjectID] {
    try reading { () throws(StoreError) in try snapshot.objectIDs(atFlatPositions: positions) }
  }
}

// MARK: - Objects

extension ResultsList {
  /// Reads the object at a path.
  ///
  /// ```swift
  /// let book = try results.object(at: RowPath(section: 0, row: 2))
  /// ```
  /// - Throws: `ResultsError.noRow` for a path outside the list, `.rowGone` for a row deleted since, `.row` for a stored value that does
  ///   not fit, `.store` for the store's own failure; that is `StoreError.historyLost` where an index holds the keys, and the store
  ///   can no longer say which keys an earlier generation had.
  /// - Complexity: O(log *n*); one batch is read from the store unless it is cached.
  public func object(at path: RowPath) throws(ResultsError) -> Object {
    guard let position = snapshot.flatPosition(of: path) else {
      throw .noRow(at: path, sections: snapshot.sectionCount)
    }
    return try object(atFlatPosition: position)
  }

  /// Reads all objects in order.
  /// - Throws: The failure of the first row that cannot be read.
  /// - Complexity: O(*n*)
  public func objects() throws(ResultsError) -> [Object] {
    var objects: [Object] = []
    objects.reserveCapacity(count)
    for position in 0..<count { objects.append(try object(atFlatPosition: position)) }
    return objects
  }

  /// Reads the objects at some positions, counted over all sections, in order.
  ///
  /// They are read at once and in one version of the store, whatever the batch size. Positions outside the list are left out.
  ///
  /// ```swift
  /// let page = try results.objects(at: 1000..<1050)
  /// ```
  /// - Throws: The failure of the first row that cannot be read, as `object(at:)`.
  /// - Complexity: O(*k* + log *n*) for *k* positions.
  public func objects(at positions: Range<Int>) throws(ResultsError) -> [Object] {
    let positions = positions.clamped(to: 0..<count)
    guard !positions.isEmpty else { return [] }
    var objects: [Object] = []
    objects.reserveCapacity(positions.count)
    guard Object.needsAttributeValues else {
      for id in try objectIDs(at: positions) {
        objects.append(try object(from: identityRow(id)))
      }
      return objects
    }
    let rows = try reading { () throws(StoreError) in try loader.rows(at: positions) }
    for (position, row) in zip(positions, rows) {
      // Reading the missing row alone throws the reason.
      let found = if let row { row } else { try self.row(atFlatPosition: position) }
      objects.append(try object(from: found))
    }
    return objects
  }

  /// Reads the objects at some positions on the store's executor, so that the caller's actor or thread goes on meanwhile (R120).
  ///
  /// It reads what `objects(at:)` reads, which blocks the calling thread. A front end that must answer keys reads its pages this way.
  ///
  /// ```swift
  /// let page = try await results.loadObjects(at: 1000..<1050)
  /// ```
  /// - Throws: As `objects(at:)`.
  /// - Complexity: O(*k* + log *n*) for *k* positions.
  public func loadObjects(at positions: Range<Int>) async throws(ResultsError) -> [Object] {
    do {
      return try await withTaskExecutorPreference(loader.store.executor) {
        try await ResultsList.read(self, positions)
      }
    } catch let error as ResultsError {
      throw error
    } catch {
      throw .store(.aborted(by: error))
    }
  }

  /// Leaves the caller's actor, so that the preferred executor applies.
  @concurrent private static func read(
    _ results: ResultsList<Object>,
    _ positions: Range<Int>
  ) async throws(ResultsError) -> [Object] {
    try results.objects(at: positions)
  }

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
    return identityRow(id)
  }

  /// A row for a kind of result that needs nothing but the identity.
  private func identityRow(_ id: ObjectID) -> Row {
    let values = Array(repeating: Value.null, count: snapshot.entity.attributes.count)
    return Row(entity: snapshot.entity, id: id, values: values)
  }

  /// Runs a read of the store, and wraps its error.
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
