extension StoreWriting {
  /// Runs a closure as one transaction and gives what it returns.
  /// - Throws: As `commit(origin:_:)`.
  @discardableResult
  public func write<Result: Sendable>(
    origin: CommitOrigin = .unnamed,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Result {
    try commit(origin: origin, body).result
  }
}

extension Store {
  /// Runs a closure as one transaction on the store's own threads.
  /// - Throws: As `commit(origin:_:)`.
  @discardableResult
  public func write<Result: Sendable>(
    origin: CommitOrigin = .unnamed,
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
  ) async throws(StoreError) -> Result {
    do {
      return try await withTaskExecutorPreference(executor) {
        try commit(origin: origin, body).result
      }
    } catch let error as StoreError {
      throw error
    } catch {
      throw .aborted(by: error)
    }
  }

  /// Fetches the results of a request once, in its order.
  /// - Throws: `StoreError.request` for a request that no store can answer, or the store's error; a row that the result
  ///   type cannot hold gives `StoreError.aborted` with a `RowError`.
  /// - Complexity: O(*n*) in the rows that match.
  public func fetch<Object: FetchedObject>(
    _ request: FetchRequest<Object>
  ) throws(StoreError) -> [Object] {
    try read { (snapshot) throws(StoreError) in try snapshot.fetch(request) }
  }

  /// How many rows a request would give, its limit and offset included.
  /// - Complexity: O(*n*) in the rows of the entity at most; no row is decoded.
  public func count<Object: FetchedObject>(
    of request: FetchRequest<Object>
  ) throws(StoreError) -> Int {
    try request.validateWindow()
    let all = try read { (snapshot) throws(StoreError) in
      try snapshot.count(of: request.entity, where: request.predicate)
    }
    return min(max(0, all - request.fetchOffset), request.fetchLimit ?? .max)
  }
}

extension FetchRequest {
  /// Refuses a window below zero.
  package func validateWindow() throws(StoreError) {
    guard fetchOffset >= 0, fetchLimit ?? 0 >= 0 else {
      throw .request(.negativeWindow(limit: fetchLimit, offset: fetchOffset))
    }
  }
}
