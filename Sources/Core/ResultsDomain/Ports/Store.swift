/// Reads consistent versions of a store.
public protocol StoreReading: Sendable {
  /// Runs a closure with one consistent version; nothing is pinned afterwards.
  ///
  /// It blocks the calling thread while the store is read. On a cooperative thread use the asynchronous form.
  func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result
}

/// Changes a store, all or nothing.
public protocol StoreWriting: Sendable {
  /// Runs a closure as one transaction, which commits when it returns.
  /// - Parameters:
  ///   - origin: Who makes the commit; deltas carry it.
  ///   - body: The transaction. If it throws, everything it did is undone.
  /// - Returns: What the closure returned, and the version that its commit made.
  /// - Throws: The store's own error, or `StoreError.aborted(by:)` with an error of the closure that is not one.
  @discardableResult
  func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result>
}

/// Tells that a store may have changed.
public protocol StoreObserving: Sendable {
  /// Lossy hints that the version may have grown: possibly early, possibly several commits in one.
  ///
  /// The truth is `StoreSnapshot.history(since:of:)`. The stream ends when the store is closed.
  func commitNotifications() -> AsyncStream<Void>

  /// Hints of what has not been followed already.
  ///
  /// After a small commit of its own a store may hand a snapshot that holds it to the closure, on the thread that made the commit and
  /// before the call returns; no hint of that commit follows if the closure says that it has done what there was to do. The
  /// closure neither waits for anybody nor writes.
  func commitNotifications(
    following follow: @escaping @Sendable (any StoreSnapshot) -> Bool
  ) -> AsyncStream<Void>

  /// Hears that those who listen have been led to a version, and ask for no history before it any more.
  ///
  /// A store that keeps its history for listeners keeps what comes after. One that is never told this takes every question about the
  /// history for the word that what was answered is needed no more. Does nothing unless a store says otherwise.
  func releaseHistory(through version: StoreVersion)
}

extension StoreObserving {
  /// By default every commit is hinted at.
  public func commitNotifications(
    following follow: @escaping @Sendable (any StoreSnapshot) -> Bool
  ) -> AsyncStream<Void> { commitNotifications() }

  /// Does nothing.
  public func releaseHistory(through version: StoreVersion) {}
}

/// A store of entities: the port that an adapter implements and that front ends never see.
public protocol Store: StoreReading, StoreWriting, StoreObserving {
  /// What the store is called.
  var identity: StoreIdentity { get }
  /// What the store can do.
  var capabilities: StoreCapabilities { get }
  /// The entities it was opened with.
  var entities: [EntityDescription] { get }
  /// Where blocking calls are run for asynchronous callers, or `nil` if the store's calls do not block.
  var executor: (any TaskExecutor)? { get }
  /// Looks for commits of other writers now, instead of at the next poll.
  func checkForExternalChanges() throws(StoreError)
  /// Closes the store; later calls throw `StoreError.closed`.
  func close() throws(StoreError)
}

/// The result of a transaction's closure, and the version that its commit made.
public struct Committed<Result: Sendable>: Sendable {
  /// What the closure returned.
  public let result: Result
  /// The version that holds the commit, or the one before if nothing was changed.
  public let version: StoreVersion

  /// The result of a committed transaction.
  public init(result: Result, version: StoreVersion) {
    self.result = result
    self.version = version
  }
}

// MARK: - Identity and capabilities

/// What a store is called, and what tells it from others.
public struct StoreIdentity: Hashable, Sendable {
  /// What to call it in messages: a path, or a name.
  public let name: String
  /// A text that no other store has; the same after the store is opened again, if it lasts.
  public let uniqueName: String

  /// The identity of a store.
  public init(name: String, uniqueName: String) {
    self.name = name
    self.uniqueName = uniqueName
  }
}

/// What a store can and cannot do, said instead of discovered.
public struct StoreCapabilities: Hashable, Sendable {
  /// Whose commits the store's history tells row by row.
  public enum HistoryCoverage: String, Hashable, Sendable {
    /// Every commit, whoever made it: nobody else can write.
    case everyWriter
    /// Commits made through this store object; others appear as gaps and are answered by reading again.
    case thisStore
  }

  /// Whose commits the history tells row by row.
  public var historyCoverage: HistoryCoverage
  /// Whether the content is there after the process ends.
  public var isDurable: Bool
  /// Whether nothing can be written.
  public var isReadOnly: Bool

  /// What a store can do.
  public init(historyCoverage: HistoryCoverage, isDurable: Bool, isReadOnly: Bool = false) {
    self.historyCoverage = historyCoverage
    self.isDurable = isDurable
    self.isReadOnly = isReadOnly
  }
}

// MARK: - Convenience

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
