import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import Synchronization

/// A store that counts reads, and fails or misbehaves on demand.
final class WatchedStore: Store {
  struct Watch {
    var reads = 0
    var openReads = 0
    var histories = 0
    var rowsRead = 0
    var keyReads = 0
    var failure: StoreError?
    /// Thrown by `checkForExternalChanges()`.
    var checkFailure: StoreError?
    /// Called by the next `checkForExternalChanges()`: commits that are found only so.
    var onCheck: (@Sendable () throws(StoreError) -> Void)?
    var repeatsEntries = false
    /// Replaces the history, if set.
    var historyOverride: (@Sendable (StoreHistory) -> StoreHistory)?
    /// Called once a read has begun and fixed its version, before anything is read.
    var onRead: (@Sendable () -> Void)?
  }

  let base: InMemoryStore
  let watch = Mutex(Watch())
  let capabilities: StoreCapabilities

  init(_ base: InMemoryStore, coverage: StoreCapabilities.HistoryCoverage = .everyWriter) {
    self.base = base
    capabilities = StoreCapabilities(historyCoverage: coverage, isDurable: false)
  }

  var rowsRead: Int { watch.withLock { $0.rowsRead } }
  /// Runs a closure once, in the next read, when its version is fixed.
  func duringNextRead(_ work: @escaping @Sendable () -> Void) {
    watch.withLock { watch in
      watch.onRead = { [weak self] in
        self?.watch.withLock { $0.onRead = nil }
        work()
      }
    }
  }
  /// The number of reads in progress.
  var openReads: Int { watch.withLock { $0.openReads } }
  /// The numbers of reads of the store, of the history, of the keys of a list, and of rows.
  var counts: [Int] {
    watch.withLock { [$0.reads, $0.histories, $0.keyReads, $0.rowsRead] }
  }
  /// Makes a commit that is found only by the next check for external changes.
  func commitUnseen(_ title: String) {
    watch.withLock { watch in
      watch.onCheck = { [weak self] () throws(StoreError) in
        _ = try self?.commit(origin: .unnamed) { transaction in
          try transaction.insert(Volume(series: "A", title: title))
        }
      }
    }
  }
  func fail(with error: StoreError?) { watch.withLock { $0.failure = error } }
  /// Reports a gap instead of commits, until called with `nil`.
  func report(_ gap: GapReason?) {
    guard let gap else { return watch.withLock { $0.historyOverride = nil } }
    watch.withLock { $0.historyOverride = { _ in .gap(gap) } }
  }

  /// Reports every commit as another writer's.
  func reportAsExternal() { watch.withLock { $0.historyOverride = { $0.asExternal } } }

  var identity: StoreIdentity { base.identity }
  var entities: [EntityDescription] { base.entities }
  var executor: (any TaskExecutor)? { base.executor }
  func checkForExternalChanges() throws(StoreError) {
    let (failure, onCheck) = watch.withLock { watch in
      defer { watch.onCheck = nil }
      return (watch.checkFailure, watch.onCheck)
    }
    if let failure { throw failure }
    try onCheck?()
    try base.checkForExternalChanges()
  }
  func close() throws(StoreError) { try base.close() }
  func commitNotifications() -> AsyncStream<Void> { base.commitNotifications() }

  func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let (failure, onRead) = watch.withLock { watch in
      watch.reads += 1
      watch.openReads += 1
      return (watch.failure, watch.onRead)
    }
    defer { watch.withLock { $0.openReads -= 1 } }
    if let failure { throw failure }
    return try base.read { (snapshot) throws(StoreError) in
      onRead?()
      return try body(WatchedSnapshot(snapshot, self))
    }
  }

  func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    try base.commit(origin: origin, body)
  }
}

extension StoreHistory {
  fileprivate var asExternal: StoreHistory {
    guard case .commits(let records) = self else { return self }
    return .commits(
      records.map {
        CommitRecord(version: $0.version, origin: $0.origin, isOwn: false, changes: $0.changes)
      }
    )
  }
}

final class WatchedSnapshot: StoreSnapshot {
  private let base: any StoreSnapshot
  private let store: WatchedStore

  init(_ base: any StoreSnapshot, _ store: WatchedStore) {
    self.base = base
    self.store = store
  }

  var version: StoreVersion { base.version }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    store.watch.withLock { $0.rowsRead += keys.count }
    return try base.rows(keys, of: entity)
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    store.watch.withLock { $0.keyReads += 1 }
    let repeats = store.watch.withLock { $0.repeatsEntries }
    try base.entries(of: definition) { (batch) throws(StoreError) in
      if repeats, !(try body(batch)) { return false }
      return try body(batch)
    }
  }

  func count(of entity: EntityDescription, where predicate: FetchPredicate) throws(StoreError)
    -> Int
  {
    store.watch.withLock { $0.keyReads += 1 }
    return try base.count(of: entity, where: predicate)
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    store.watch.withLock { $0.keyReads += 1 }
    try base.digests(of: definition, attributes: attributes, body)
  }

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    let historyOverride = store.watch.withLock { watch in
      watch.histories += 1
      return watch.historyOverride
    }
    let history = try base.history(since: version, of: entity)
    return historyOverride?(history) ?? history
  }
}
