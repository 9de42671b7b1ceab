public import ResultsDomain

/// Reads consistent versions of a store.
public protocol StoreReading: Sendable {
  /// Runs a closure with a snapshot of one consistent version, which ends when the closure returns.
  ///
  /// The call blocks the thread while it reads. In asynchronous code, run it on the store's `executor`.
  func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result

  /// Runs a closure as `read(_:)` does, but perhaps more than once; only the last call counts.
  ///
  /// A store behind a network can expect a version, and find out together with what the closure reads whether it is still the present
  /// one, so a page costs fewer round trips.
  func readOptimistically<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result
}

extension StoreReading {
  /// By default, the closure is called once.
  public func readOptimistically<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try read(body)
  }
}

/// Changes a store in transactions.
public protocol StoreWriting: Sendable {
  /// Runs a closure as one transaction, which commits when it returns.
  /// - Parameters:
  ///   - origin: The writer's name, which deltas report.
  ///   - body: The transaction. If it throws, all its changes are rolled back.
  /// - Returns: The closure's result, and the version that the commit created.
  /// - Throws: A `StoreError`; any other error of the closure is wrapped in `StoreError.aborted(by:)`.
  @discardableResult
  func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result>
}

/// Notifies observers that a store may have changed.
public protocol StoreObserving: Sendable {
  /// Returns a stream of notifications that the version may have advanced: one can be early, and can cover several commits.
  ///
  /// `StoreSnapshot.history(since:of:)` is the authority. The stream ends when the store is closed.
  func commitNotifications() -> AsyncStream<Void>

  /// Returns a stream of notifications, except for commits that the closure has handled.
  ///
  /// After a small commit of its own, a store can call the closure with a snapshot that contains it, on the writer's thread and
  /// before the write returns. If the closure returns true, no notification of that commit follows. The closure must neither wait
  /// nor write.
  func commitNotifications(
    following follow: @escaping @Sendable (any StoreSnapshot) -> Bool
  ) -> AsyncStream<Void>

  /// Declares that all observers have advanced to a version and need no history before it.
  ///
  /// A store that retains its history for observers then retains only what follows. If this is never called, the store takes each
  /// request for history as the declaration that the history up to the returned version is no longer needed. By default it does
  /// nothing.
  func releaseHistory(through version: StoreVersion)
}

extension StoreObserving {
  /// By default, every commit is notified and the closure is never called.
  public func commitNotifications(
    following follow: @escaping @Sendable (any StoreSnapshot) -> Bool
  ) -> AsyncStream<Void> { commitNotifications() }

  /// Does nothing.
  public func releaseHistory(through version: StoreVersion) {}
}

/// A store of entities: a port that adapters implement.
public protocol Store: StoreReading, StoreWriting, StoreObserving {
  /// The store's name and unique name.
  var identity: StoreIdentity { get }
  /// What the store can do.
  var capabilities: StoreCapabilities { get }
  /// The entities it was opened with.
  var entities: [EntityDescription] { get }
  /// The executor for blocking calls from asynchronous code, or `nil` if the store's calls do not block.
  var executor: (any TaskExecutor)? { get }
  /// Checks for commits of other writers now, instead of at the next poll.
  func checkForExternalChanges() throws(StoreError)
  /// Closes the store; later calls throw `StoreError.closed`.
  func close() throws(StoreError)
}

/// The result of a transaction's closure, and the version that its commit created.
public struct Committed<Result: Sendable>: Sendable {
  /// The closure's result.
  public let result: Result
  /// The version with the commit, or the previous version if nothing changed.
  public let version: StoreVersion

  /// Creates the result of a committed transaction.
  public init(result: Result, version: StoreVersion) {
    self.result = result
    self.version = version
  }
}

// MARK: - Identity and capabilities

/// A store's name and the name that distinguishes it from other stores.
public struct StoreIdentity: Hashable, Sendable {
  /// The name for messages, such as a path.
  public let name: String
  /// A name that no other store has; a durable store retains it when it is reopened.
  public let uniqueName: String

  /// Creates the identity of a store.
  public init(name: String, uniqueName: String) {
    self.name = name
    self.uniqueName = uniqueName
  }
}

/// What a store can and cannot do.
public struct StoreCapabilities: Hashable, Sendable {
  /// The writers whose commits the history reports row by row.
  public enum HistoryCoverage: String, Hashable, Sendable {
    /// All writers: every commit is in the history.
    case everyWriter
    /// This store object only; commits of other writers appear as gaps, after which lists are read again.
    case thisStore
  }

  /// The writers whose commits the history reports row by row.
  public var historyCoverage: HistoryCoverage
  /// Whether the content persists after the process ends.
  public var isDurable: Bool
  /// Whether the store refuses writes.
  public var isReadOnly: Bool
  /// Whether the store's snapshots answer definitions with relationships themselves; otherwise the core joins for them.
  ///
  /// Then `entries`, `count`, `digests` and `aggregates` accept `FetchExpression.related`, `FetchExpression.relatedAggregate` and
  /// `FetchPredicate.quantified`, and give the same bytes as the core's join.
  public var answersPaths: Bool
  /// Whether texts may contain NUL; a store that cannot hold one refuses the row (`ValidationFailure.notStorable`).
  public var keepsZeroCharacters: Bool
  /// Whether an integer key that the store assigns is one more than the largest; otherwise it is any that no object has.
  public var assignsLargestKeyPlusOne: Bool
  /// Whether the closure of a transaction can run more than once before it commits; it should then have no other effects.
  public var mayRepeatTransactions: Bool
  /// Why the history omits commits of other writers at present, although the database has a change log; lists are compared meanwhile.
  ///
  /// One sentence for each reason, without a full stop; empty if capture is complete, or if there is no log.
  public var captureProblems: [String] = []
  /// Whether the store finds an entity by its description without the attributes that users have added (R295).
  package var findsExtendedEntities = false

  /// Creates a description of what a store can do.
  public init(
    historyCoverage: HistoryCoverage,
    isDurable: Bool,
    isReadOnly: Bool = false,
    answersPaths: Bool = false,
    keepsZeroCharacters: Bool = true,
    assignsLargestKeyPlusOne: Bool = true,
    mayRepeatTransactions: Bool = false
  ) {
    self.historyCoverage = historyCoverage
    self.isDurable = isDurable
    self.isReadOnly = isReadOnly
    self.answersPaths = answersPaths
    self.keepsZeroCharacters = keepsZeroCharacters
    self.assignsLargestKeyPlusOne = assignsLargestKeyPlusOne
    self.mayRepeatTransactions = mayRepeatTransactions
  }
}

// MARK: - Convenience

extension StoreWriting {
  /// Runs a closure as one transaction and returns its result.
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
  /// Runs a closure as one transaction on the store's executor, and returns its result.
  ///
  /// ```swift
  /// let id = try await store.write { books in
  ///   try books.insert(Book(publisher: "岩波書店", title: "帰還"))
  /// }
  /// ```
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
  ///
  /// ```swift
  /// let recent = try store.fetch(
  ///   FetchRequest<Book>(where: \.year > 1990, sortedBy: [.ascending(\.title)])
  /// )
  /// ```
  /// - Throws: `StoreError.request` for an invalid request, `StoreError.aborted` with a `RowError` for a row that the result
  ///   type cannot hold, or the store's error.
  /// - Complexity: O(*n*) in the rows that match.
  public func fetch<Object: FetchedObject>(
    _ request: FetchRequest<Object>
  ) throws(StoreError) -> [Object] {
    let answersPaths = capabilities.answersPaths
    return try read { (snapshot) throws(StoreError) in
      try snapshot.fetch(request, answersPaths: answersPaths)
    }
  }

  /// The number of rows that a request returns, within its limit and offset.
  ///
  /// ```swift
  /// let count = try store.count(of: FetchRequest<Book>(where: \.year > 1990, sortedBy: []))
  /// ```
  /// - Complexity: O(*n*) in the rows of the entity at most; no row is decoded.
  public func count<Object: FetchedObject>(
    of request: FetchRequest<Object>
  ) throws(StoreError) -> Int {
    try request.validateWindow()
    let answersPaths = capabilities.answersPaths
    let all = try read { (snapshot) throws(StoreError) in
      try snapshot.rowCount(
        of: request.entity,
        where: request.predicate,
        answersPaths: answersPaths
      )
    }
    return min(max(0, all - request.fetchOffset), request.fetchLimit ?? .max)
  }
}

extension FetchRequest {
  /// Checks that the limit and the offset are not negative.
  package func validateWindow() throws(StoreError) {
    guard fetchOffset >= 0, fetchLimit ?? 0 >= 0 else {
      throw .request(.negativeWindow(limit: fetchLimit, offset: fetchOffset))
    }
  }
}
