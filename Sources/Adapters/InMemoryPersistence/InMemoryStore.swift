import Synchronization
public import ResultsDomain

/// A store whose content lives in memory and ends with it.
///
/// It keeps every promise of the ports that a database keeps. A commit publishes a new immutable version, so readers never
/// wait for the writer and see one version; writers take turns. `InMemoryStore(readingFrom:)` gives a view that cannot write.
public final class InMemoryStore: Store {
  /// What the store is called.
  public let identity: StoreIdentity
  /// The history tells every commit, and nothing outlasts the process.
  public let capabilities: StoreCapabilities
  /// The entities it was opened with.
  public let entities: [EntityDescription]
  let core: StoreCore

  /// An empty store.
  /// - Parameters:
  ///   - entities: The entities it holds, each name once.
  ///   - name: What to call it in messages.
  ///   - historyCapacity: How many changed rows the history remembers; older commits are told as a gap.
  ///   - epoch: What tells this life of the store from others; random unless given.
  ///   - providesOrder: Whether the keys of the definitions that were asked for last stay in memory, in order, and are brought on with
  ///     every commit, as a database's index is.
  /// - Throws: `StoreError.cannotOpen` if two entities have one name.
  public init(
    entities: [EntityDescription],
    name: String = "memory",
    historyCapacity: Int = 500_000,
    epoch: UInt64? = nil,
    providesOrder: Bool = true
  ) throws(StoreError) {
    var names: Set<Value> = []
    for entity in entities where !names.insert(.text(entity.name)).inserted {
      throw .cannotOpen(
        path: name,
        .schemaMismatch(entity: entity.name, detail: "two entities have that name")
      )
    }
    var generator = SystemRandomNumberGenerator()
    let epoch = epoch ?? generator.next()
    self.entities = entities
    identity = StoreIdentity(name: name, uniqueName: "memory-" + String(epoch, radix: 16))
    capabilities = StoreCapabilities(historyCoverage: .everyWriter, isDurable: false)
    core = StoreCore(
      StoreContent(entities: entities, version: StoreVersion(epoch: epoch, sequence: 0)),
      historyCapacity: historyCapacity,
      providesOrder: providesOrder
    )
  }

  /// A view of another store's content, which sees its commits and refuses to write.
  ///
  /// Closing either of the two closes both.
  public init(readingFrom other: InMemoryStore) {
    identity = other.identity
    entities = other.entities
    core = other.core
    var capabilities = other.capabilities
    capabilities.isReadOnly = true
    self.capabilities = capabilities
  }

  /// The store's calls do not wait for a disk, so asynchronous callers call it where they are.
  public var executor: (any TaskExecutor)? { nil }

  /// Does nothing: there are no other writers.
  public func checkForExternalChanges() throws(StoreError) { _ = try published() }

  /// Ends the hints and makes later calls fail; a transaction that is running is undone.
  public func close() throws(StoreError) { core.close() }

  /// Hints that the version has grown.
  public func commitNotifications() -> AsyncStream<Void> { core.commitNotifications() }

  /// Hints of what the closure has not followed; it is given commits of at most a few rows.
  public func commitNotifications(
    following follow: @escaping @Sendable (any StoreSnapshot) -> Bool
  ) -> AsyncStream<Void> { core.commitNotifications(following: follow) }
}

extension InMemoryStore {
  /// Runs a closure with the version that is current when it begins.
  /// - Complexity: O(1) besides the closure.
  public func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let snapshot = InMemorySnapshot(try published(), of: self)
    defer { snapshot.end() }
    return try body(snapshot)
  }

  /// Runs a closure as one transaction, after those that began before it.
  ///
  /// The calling thread waits for the running transaction. One begun inside another of the same store is refused.
  /// - Throws: `StoreError.busy` inside another transaction; the store's errors, or `StoreError.aborted(by:)`.
  /// - Complexity: O(*k* log *n*) for *k* touched rows, besides the closure.
  @discardableResult
  public func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    guard !capabilities.isReadOnly else { throw .readOnly(path: identity.name) }
    guard !WriterScope.isInside(core) else { throw .busy(path: identity.name, waited: .zero) }
    let (committed, count) = try core.writer.withLock { (_) throws(StoreError) in
      let transaction = InMemoryTransaction(try published(), of: self)
      let outcome: Swift.Result<Result, any Error> = WriterScope.run(inside: core) {
        Swift.Result { try body(transaction) }
      }
      let made = transaction.end()
      do {
        let result = try outcome.get()
        guard let version = core.publish(made.content, made.changes, origin) else {
          throw StoreError.closed(path: identity.name)
        }
        let count = made.changes.values.reduce(0) { $0 + $1.count }
        return (Committed(result: result, version: version), count)
      } catch let error as StoreError {
        throw error
      } catch {
        throw StoreError.aborted(by: error)
      }
    }
    // Other writers need not wait for what follows.
    if count > 0 { tell(changing: count) }
    return committed
  }

  /// How many rows a commit may change to be followed by the thread that made it; it waits for that.
  private static let followedRowLimit = 32

  private func tell(changing count: Int) {
    guard count <= InMemoryStore.followedRowLimit, let content = core.content else {
      return core.tell(nil)
    }
    let snapshot = InMemorySnapshot(content, of: self)
    defer { snapshot.end() }
    core.tell(snapshot)
  }

  private func published() throws(StoreError) -> StoreContent {
    guard let content = core.content else { throw .closed(path: identity.name) }
    return content
  }

  func order(
    of definition: OrderDefinition,
    in content: StoreContent
  ) throws(StoreError) -> KeptOrder? {
    try core.order(of: definition, in: content)
  }

  func history(
    after old: StoreVersion,
    through new: StoreVersion,
    of entity: EntityDescription
  ) -> StoreHistory {
    guard let table = entities.firstIndex(of: entity) else { return .commits([]) }
    return core.history(after: old, through: new, ofTable: table)
  }

  /// What names a version as long as the process runs.
  func bookmark(of version: StoreVersion) -> StoreBookmark {
    StoreBookmark(store: identity.uniqueName, sequence: version.sequence, stamp: core.stamp)
  }

  func usedAfterEnd(_ what: String) -> StoreError {
    .unexpected(path: identity.name, detail: "a \(what) was used after its closure had returned")
  }
}
