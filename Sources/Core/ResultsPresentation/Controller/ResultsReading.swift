public import ResultsDomain
package import ResultsStoreKit

/// A list and its objects in one version of the store, valid inside a closure.
///
/// Whatever other writers commit meanwhile, objects read through it are those of the version that the list shows. It must not
/// outlive the closure it is passed to, because the version is held only until the closure returns.
public struct ResultsReading<Object: FetchedObject> {
  /// The list: its sections, positions and identities.
  ///
  /// Objects read through the list itself are read in snapshots of their own; read them through `objects(at:)`.
  public let results: ResultsList<Object>
  /// The version of the store.
  package let snapshot: any StoreSnapshot
  private let publisher: ListPublisher

  init(
    _ results: ResultsList<Object>,
    in snapshot: any StoreSnapshot,
    _ publisher: ListPublisher
  ) {
    self.results = results
    self.snapshot = snapshot
    self.publisher = publisher
  }

  /// Reads the objects at some positions, counted over all sections, in order; positions outside the list are left out.
  /// - Throws: The failure of the first row that cannot be read.
  /// - Complexity: O(*k* + log *n*) for *k* positions.
  public func objects(at positions: Range<Int>) throws(ResultsError) -> [Object] {
    let positions = positions.clamped(to: 0..<results.count)
    guard !positions.isEmpty else { return [] }
    guard Object.needsAttributeValues else { return try results.objects(at: positions) }
    let rows = try results.reading { () throws(StoreError) in
      try results.snapshot.page(at: positions, in: snapshot).rows
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

  /// Subscribes to what happens after this reading; the present state, which has just been read, is not repeated.
  public func subscribe() -> ResultsChanges<Object>.AsyncIterator {
    ResultsChanges { [publisher, results] in publisher.subscribe(from: results.loader) }
      .makeAsyncIterator()
  }
}
