import CSQLiteHooks
import Dispatch
import GRDB
import ResultsDomain
import Synchronization

/// What a store object knows of its database's versions, and who waits to hear of new ones.
///
/// The log, the pending commit and the counters are guarded by the lock; everything that takes a `Database` runs on the writing
/// connection's queue.
final class StoreCore: Sendable {
  /// A commit of the store's own, told before it is made.
  private enum Pending: Sendable {
    case none
    case own(CommitLog.Event?)
  }

  private struct State {
    var log: CommitLog
    var pending = Pending.none
    var dataVersion: Int64 = 0
    var totalChanges: Int32 = 0
    /// The address of the writing connection, only ever compared.
    var connection: UInt = 0
    /// How many commits have begun, so that a reader can tell that none did while it took its snapshot.
    var commitCount: UInt64 = 0
    var isCommitting = false
    var isClosed = false
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextListener = 0
  }

  let path: String
  let busyTimeout: Duration
  let tables: StoreTables
  let capture: ChangeCapture
  private let state: Mutex<State>
  /// Entered while a commit is being made.
  private let commits = DispatchGroup()

  init(
    path: String,
    tables: StoreTables,
    options: SQLiteStoreOptions
  ) {
    self.path = path
    self.tables = tables
    busyTimeout = options.busyTimeout
    capture = ChangeCapture(
      tables,
      capacity: options.historyCapacity,
      usesHook: options.usesPreUpdateHook
    )
    var generator = SystemRandomNumberGenerator()
    let log = CommitLog(epoch: generator.next(), capacity: options.historyCapacity)
    state = Mutex(State(log: log))
  }

  deinit {
    // A group may not go away while it is entered, as after a COMMIT that went past GRDB.
    if state.withLock({ $0.isCommitting }) { commits.leave() }
  }

  /// The version of everything that was committed or noticed so far.
  var version: StoreVersion { state.withLock { $0.log.version } }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// What happened to an entity between two versions.
  func history(
    after old: StoreVersion,
    through new: StoreVersion,
    of entity: EntityDescription
  ) -> StoreHistory {
    guard let table = tables.all.first(where: { $0.entity == entity }) else { return .commits([]) }
    return state.withLock { $0.log.history(after: old, through: new, ofTable: table.index) }
  }
}

// MARK: - Commits

extension StoreCore {
  /// Remembers where the counters of the writing connection stand.
  func begin(on database: Database) throws {
    try capture.install(on: database.sqliteConnection)
    let dataVersion = try database.integer("PRAGMA data_version")
    let totalChanges = sqlite3_total_changes(database.sqliteConnection)
    state.withLock { state in
      state.dataVersion = dataVersion
      state.totalChanges = totalChanges
      state.connection = UInt(bitPattern: database.sqliteConnection)
    }
  }

  /// Whether a connection is the writing one.
  func isWriter(_ database: Database) -> Bool {
    let address = UInt(bitPattern: database.sqliteConnection)
    return state.withLock { $0.connection == address }
  }

  /// Notes commits of other connections, if there were any since the last time.
  func noteOtherWriters(on database: Database) throws {
    let dataVersion: Int64
    do {
      dataVersion = try database.integer("PRAGMA data_version")
    } catch  where error.isBusy {
      // Whoever keeps the database from being read is heard the next time.
      return
    }
    let isNew = state.withLock { state in
      guard state.dataVersion != dataVersion else { return false }
      state.dataVersion = dataVersion
      state.log.append(.gap(.otherWriter))
      return true
    }
    if isNew { hint() }
  }

  /// Notes commits that were made on this connection without the store hearing of them.
  ///
  /// GRDB tells observers of a commit only if it made it itself; raw calls to SQLite pass it by.
  func reconcile(with database: Database) {
    guard !database.isInsideTransaction else { return }
    let total = sqlite3_total_changes(database.sqliteConnection)
    let isDue = state.withLock { $0.isCommitting || $0.totalChanges != total }
    if isDue { didCommit(on: database) }
  }

  /// What the running transaction of the store's own has done so far.
  func event(origin: CommitOrigin, on database: Database) throws -> CommitLog.Event? {
    let total = sqlite3_total_changes(database.sqliteConnection)
    let before = state.withLock { $0.totalChanges }
    let rows = capture.take()
    if rows.isOverflown { return .gap(.trimmed) }
    let expected = Int(total &- before)
    let isComplete = capture.isExact ? rows.eventCount >= expected : rows.eventCount == expected
    guard isComplete, !rows.isInexact else { return .gap(.otherWriter) }
    let reader = TableReader(database: database, tables: tables)
    let changes = try rows.changes(of: tables) { table, keys in
      try reader.rows(keys, of: table)
    }
    return changes.isEmpty ? nil : .commit(origin, changes)
  }

  /// Says what the commit that is about to be made holds.
  func prepare(_ event: CommitLog.Event?) { state.withLock { $0.pending = .own(event) } }

  /// The writing connection is about to commit.
  func willCommit() {
    let isNew = state.withLock { state in
      guard !state.isCommitting else { return false }
      state.isCommitting = true
      state.commitCount &+= 1
      return true
    }
    if isNew { commits.enter() }
  }

  /// The writing connection has committed.
  func didCommit(on database: Database) {
    let pending = state.withLock { state in
      defer { state.pending = .none }
      return state.pending
    }
    let event: CommitLog.Event? =
      switch pending {
      case .own(let event): event
      case .none: directEvent(on: database)
      }
    _ = capture.take()
    end(on: database, event)
  }

  /// Makes sure that a commit of the store's own is told, whether or not GRDB has told of it.
  func settle(on database: Database) {
    let isDue = state.withLock { state in
      if case .own = state.pending { true } else { false }
    }
    if isDue { didCommit(on: database) }
  }

  /// The writing connection has undone its transaction.
  func didRollback(on database: Database) {
    state.withLock { $0.pending = .none }
    _ = capture.take()
    end(on: database, nil)
  }

  /// What the application committed itself, on the connection that it shares with the store.
  private func directEvent(on database: Database) -> CommitLog.Event? {
    do {
      try noteOtherWriters(on: database)
      return try event(origin: .unnamed, on: database)
    } catch {
      return .gap(.otherWriter)
    }
  }

  private func end(on database: Database, _ event: CommitLog.Event?) {
    let total = sqlite3_total_changes(database.sqliteConnection)
    let wasCommitting = state.withLock { state in
      state.totalChanges = total
      if let event { state.log.append(event) }
      defer { state.isCommitting = false }
      return state.isCommitting
    }
    if wasCommitting { commits.leave() }
    if event != nil { hint() }
  }
}

// MARK: - Snapshots

extension StoreCore {
  /// Takes a snapshot of the database and tells which version it is.
  /// - Returns: `nil` if a commit came between, so that the version is not known; no transaction is open then.
  func pin(_ database: Database) throws -> StoreVersion? {
    let before = state.withLock { ($0.commitCount, $0.isCommitting, $0.log.version) }
    guard !before.1 else { return nil }
    try database.run("BEGIN DEFERRED TRANSACTION")
    do {
      // The snapshot is taken by the first read, not by BEGIN.
      try database.run("SELECT 1 FROM sqlite_master LIMIT 1")
    } catch {
      unpin(database)
      throw error
    }
    let version = state.withLock { state in
      // A version that was noticed since may be one of another writer that the snapshot does not hold.
      state.commitCount == before.0 && !state.isCommitting && state.log.version == before.2
        ? before.2 : nil
    }
    if version == nil { unpin(database) }
    return version
  }

  /// Lets go of a snapshot.
  func unpin(_ database: Database) {
    try? database.run("COMMIT TRANSACTION")
    if database.isInsideTransaction { try? database.run("ROLLBACK TRANSACTION") }
  }

  /// Waits for the commit that is being made.
  /// - Returns: Whether there is none any more.
  func waitForCommit() -> Bool { commits.wait(timeout: .now() + .milliseconds(100)) == .success }
}

// MARK: - Hints

extension StoreCore {
  /// A stream of hints, which ends at once if the store is closed.
  func hints() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let number: Int? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.nextListener += 1
      state.listeners[state.nextListener] = continuation
      return state.nextListener
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
    }
    return stream
  }

  private func hint() {
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners { listener.yield() }
  }

  /// Makes later calls fail and ends the hints.
  /// - Returns: Whether the store was open.
  func close() -> Bool {
    let listeners: [AsyncStream<Void>.Continuation]? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.isClosed = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    capture.deactivate()
    // Finishing calls back into the lock, so it is done outside of it.
    for listener in listeners ?? [] { listener.finish() }
    return listeners != nil
  }
}

// MARK: - Errors

extension StoreCore {
  /// Runs a closure and translates what it throws.
  func translating<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
    do {
      return try body()
    } catch {
      if !(error is StoreError), isClosed { throw .closed(path: path) }
      throw StoreError(error, path: path, waited: busyTimeout)
    }
  }

  /// Refuses to work after the store was closed.
  func checkOpen() throws(StoreError) {
    guard !isClosed else { throw .closed(path: path) }
  }
}

extension Error {
  fileprivate var isBusy: Bool { SQLiteFailure(self)?.primaryCode == SQLITE_BUSY }
}
