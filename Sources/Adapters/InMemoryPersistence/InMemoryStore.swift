import Synchronization
public import ResultsDomain
public import ResultsStoreKit

/// A store whose content is in memory and ends with the store object.
///
/// It makes the same guarantees as a database store. A commit publishes a new immutable version, so a reader sees one
/// version and never waits for the writer; writers are serialized. `InMemoryStore(readingFrom:)` is a read-only view.
public final class InMemoryStore: Store {
  /// The store's name and unique name.
  public let identity: StoreIdentity
  /// The history covers all writers, and the content is not durable.
  public let capabilities: StoreCapabilities
  /// The entities it was opened with, and the link entities of their relationships.
  public let entities: [EntityDescription]
  let core: StoreCore

  /// Creates an empty store.
  /// - Parameters:
  ///   - entities: The entities of the store, with distinct names. The link entities of their relationships are opened with them.
  ///   - name: The name for messages.
  ///   - historyCapacity: The number of changed rows in the history, with each commit counted as one more; older commits appear
  ///     as a gap.
  ///   - epoch: The epoch of the store's versions; random by default.
  ///   - providesOrder: Whether the store caches the ordered keys of recently used definitions and updates them with every
  ///     commit, like the indexes of a database.
  /// - Throws: `StoreError.cannotOpen` if two entities have the same name.
  public init(
    entities: [EntityDescription],
    name: String = "memory",
    historyCapacity: Int = 500_000,
    epoch: UInt64? = nil,
    providesOrder: Bool = true
  ) throws(StoreError) {
    let entities = entities.withLinks
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
    var capabilities = StoreCapabilities(historyCoverage: .everyWriter, isDurable: false)
    capabilities.findsExtendedEntities = true
    self.capabilities = capabilities
    core = StoreCore(
      StoreContent(entities: entities, version: StoreVersion(epoch: epoch, sequence: 0)),
      historyCapacity: historyCapacity,
      providesOrder: providesOrder
    )
  }

  /// Creates a read-only view of another store, which sees its commits.
  ///
  /// Closing either store closes both.
  public init(readingFrom other: InMemoryStore) {
    identity = other.identity
    entities = other.entities
    core = other.core
    var capabilities = other.capabilities
    capabilities.isReadOnly = true
    self.capabilities = capabilities
  }

  /// `nil`: calls do not block, so asynchronous code can call the store directly.
  public var executor: (any TaskExecutor)? { nil }

  /// Does nothing, because there are no other writers.
  public func checkForExternalChanges() throws(StoreError) { _ = try published() }

  /// Ends the streams of notifications and makes later calls fail; a running transaction is rolled back.
  public func close() throws(StoreError) { core.close() }

  /// Returns a stream of notifications that the version has advanced.
  public func commitNotifications() -> AsyncStream<Void> { core.commitNotifications() }

  /// Returns a stream of notifications, except for small commits that the closure has handled.
  public func commitNotifications(
    following follow: @escaping @Sendable (any StoreSnapshot) -> Bool
  ) -> AsyncStream<Void> { core.commitNotifications(following: follow) }
}

extension InMemoryStore {
  /// Runs a closure with a snapshot of the current version.
  /// - Complexity: O(1) besides the closure.
  public func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let snapshot = InMemorySnapshot(try published(), of: self)
    defer { snapshot.end() }
    return try body(snapshot)
  }

  /// Runs a closure as one transaction.
  ///
  /// The calling thread waits for a running transaction. A transaction inside another of the same store is refused.
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
    // Observers are notified outside of the writer's lock, so that other writers need not wait.
    if count > 0 { notifyObservers(changing: count) }
    return committed
  }

  /// The largest number of changed rows for which observers follow a commit on the writer's thread.
  private static let followedRowLimit = 32

  private func notifyObservers(changing count: Int) {
    guard count <= InMemoryStore.followedRowLimit, let content = core.content else {
      return core.notifyObservers(nil)
    }
    let snapshot = InMemorySnapshot(content, of: self)
    defer { snapshot.end() }
    core.notifyObservers(snapshot)
  }

  private func published() throws(StoreError) -> StoreContent {
    guard let content = core.content else { throw .closed(path: identity.name) }
    return content
  }

  func order(
    of definition: OrderDefinition,
    in content: StoreContent
  ) throws(StoreError) -> CachedOrder? {
    try core.order(of: definition, in: content)
  }

  func history(
    after old: StoreVersion,
    through new: StoreVersion,
    of entity: EntityDescription
  ) -> StoreHistory {
    guard let table = entities.index(matching: entity) else { return .commits([]) }
    return core.history(after: old, through: new, ofTable: table)
  }

  /// The bookmark of a version, valid while the process runs.
  func bookmark(of version: StoreVersion) -> StoreBookmark {
    StoreBookmark(store: identity.uniqueName, sequence: version.sequence, stamp: core.stamp)
  }

  func usedAfterEnd(_ what: String) -> StoreError {
    .unexpected(path: identity.name, detail: "a \(what) was used after its closure had returned")
  }
}
