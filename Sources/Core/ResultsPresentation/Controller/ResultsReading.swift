public import ResultsDomain

/// A list and its objects in one version of the store, for the time of a closure.
///
/// Whatever other writers commit meanwhile, the objects read through it are those of the version that the list shows. It must not
/// outlive the closure it is given to, since the version is held only for so long.
public struct ResultsReading<Object: FetchedObject> {
  /// The list: its sections, positions and identities.
  ///
  /// Objects read through the list itself may be of a later version; read them through `objects(at:)`.
  public let results: ResultsList<Object>
  private let snapshot: any StoreSnapshot
  private let publisher: ResultsPublisher<Object>

  init(
    _ results: ResultsList<Object>,
    in snapshot: any StoreSnapshot,
    _ publisher: ResultsPublisher<Object>
  ) {
    self.results = results
    self.snapshot = snapshot
    self.publisher = publisher
  }

  /// The objects at some positions counted over all sections, in order; positions outside of the list are left out.
  /// - Throws: The failure of the first row that cannot be read.
  /// - Complexity: O(*k* + log *n*) for *k* positions.
  public func objects(at positions: Range<Int>) throws(ResultsError) -> [Object] {
    let positions = positions.clamped(to: 0..<results.count)
    guard !positions.isEmpty else { return [] }
    guard Object.needsAttributeValues else { return try results.objects(at: positions) }
    let rows = try results.reading { () throws(StoreError) in
      try RowsInPlace(results.snapshot).rows(positions, in: snapshot)
    }
    var objects: [Object] = []
    objects.reserveCapacity(rows.count)
    for (position, row) in zip(positions, rows) {
      guard let row else {
        let id = results.snapshot.objectID(atFlatPosition: position)
        throw id.map { .rowGone($0) }
          ?? .noRow(at: RowPath(section: 0, row: position), sections: results.sections.count)
      }
      objects.append(try results.object(from: row))
    }
    return objects
  }

  /// A subscription to what happens after this reading: the present state, which has just been read, is not repeated.
  public func subscribe() -> ResultsChanges<Object>.AsyncIterator {
    ResultsChanges { [publisher, results] in publisher.subscribe(from: results) }
      .makeAsyncIterator()
  }
}

extension FetchedResultsController {
  /// Brings the list up to date, and reads it in the very version of the store that it then shows.
  ///
  /// This is how to print or copy a whole list while others write: rows read one after the other from `results()` may be of several
  /// versions, since no version is held between them. Here one is held until the closure returns. Meanwhile writers go on, but the
  /// lists of this store do not follow them and the store keeps what the version needs, so the closure should only copy, and
  /// never wait for a network or a person. It must not wait for a controller of this store either.
  ///
  /// It blocks the calling thread while the store is read.
  /// - Throws: `ResultsError.notFetched` before the first fetch, `.ended` after `cancel()`, `.store` for the store's error, or what the
  ///   closure throws.
  /// - Complexity: As `refresh()`, and that of the closure.
  public func withOneVersion<Result>(
    _ body: (ResultsReading<Object>) throws -> Result
  ) throws -> Result {
    guard list.isFetched else { throw ResultsError.notFetched }
    var outcome: Swift.Result<Result, any Error>?
    let failure = list.follower.lead(list) { snapshot in
      guard let shown = list.engine?.snapshot else { return }
      let results = ResultsList<Object>(shown, store)
      outcome = Swift.Result { try body(ResultsReading(results, in: snapshot, list.publisher)) }
    }
    guard let outcome else { throw failure.map { ResultsError.store($0) } ?? .ended }
    return try outcome.get()
  }
}
