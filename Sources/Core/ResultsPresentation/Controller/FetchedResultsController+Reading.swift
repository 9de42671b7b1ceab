public import ResultsDomain

extension FetchedResultsController {
  /// What the list shows now.
  /// - Throws: `ResultsError.notFetched` before the first fetch.
  public func results() throws(ResultsError) -> ResultsList<Object> {
    guard let results = state.results else { throw .notFetched }
    return results
  }

  /// The sections of what the list shows now; none before the first fetch.
  public var sections: [ResultsSection<Object>] {
    state.results.map { Array($0.sections) } ?? []
  }

  /// The rows of what the list shows now, read when asked for; `nil` before the first fetch.
  public var fetchedObjects: ResultsRows<Object>? { state.results?.fetchedObjects }

  /// The object at a path of what the list shows now.
  /// - Throws: As `ResultsList.object(at:)`, and `ResultsError.notFetched` before the first fetch.
  public func object(at path: RowPath) throws(ResultsError) -> Object {
    try results().object(at: path)
  }

  /// The path of an object in what the list shows now, or `nil` if it is not in it.
  public func path(of id: ObjectID) -> RowPath? { state.results?.path(of: id) }

  /// Reads several controllers of this store as of one commit (R66).
  ///
  /// The closure is called again if another commit is shown while it reads, so it should do nothing but read `state`, `results()`
  /// and the like. It waits for no query.
  public func consistently<Result, Failure>(
    _ read: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try list.follower.consistently(read)
  }
}
