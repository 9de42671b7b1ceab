import CSQLiteHooks
import Dispatch
import GRDB
import ResultsDomain
import Synchronization

/// What a store object knows of its database's versions.
///
/// The log, the pending commit and the counters are guarded by the lock; everything that takes a `Database` runs on the writing
/// connection's queue.
final class StoreCore: Sendable {
  /// A commit of the store's own, told before it is made.
  enum Pending: Sendable {
    case none
    case own(CommitLog.Event?)
    /// It changes nothing that anybody is told of.
    case silent
    /// It is in the database's log, up to a number; the entry is to be remembered.
    case logged(CommitRing.Entry?, sequence: UInt64)
  }

  struct State {
    var log: CommitLog
    var pending = Pending.none
    var dataVersion: Int64 = 0
    /// The tables as they were at the last look, where no log tells what happens to them.
    var schema: SchemaMark?
    var totalChanges: Int32 = 0
    /// The address of the writing connection, only ever compared.
    var connection: UInt = 0
    /// How many commits have begun, so that a reader can tell that none did while it took its snapshot.
    var commitCount: UInt64 = 0
    var isCommitting = false
    var isClosed = false
    /// Whether a hint is due, while hints are held back.
    var heldHint: Bool?
    var writing = LogWriting()
    var lease = LogLease()
    /// The side files that the connections work with, if nothing but deletion can take them away.
    var sideFiles: SideFiles?
  }

  let path: String
  /// Who waits to hear of new versions.
  let hearers: StoreHearers
  /// The store's own name.
  let uniqueName: String
  let busyTimeout: Duration
  let tables: StoreTables
  let capture: ChangeCapture
  /// Which lists an index answers for.
  let orders = OrderedPlans()
  /// The database's log, if the history is read from it.
  let catalog: LogCatalog?
  let options: SQLiteStoreOptions
  /// Whether nobody else uses the writing connection.
  let ownsWriter: Bool
  let state: Mutex<State>
  /// Entered while a commit is being made.
  let commits = DispatchGroup()

  init(
    path: String,
    hearers: StoreHearers,
    uniqueName: String,
    tables: StoreTables,
    options: SQLiteStoreOptions,
    ownsWriter: Bool,
    hasLog: Bool,
    rewinds: UInt64 = 0
  ) {
    self.path = path
    self.hearers = hearers
    self.uniqueName = uniqueName
    self.tables = tables
    self.options = options
    self.ownsWriter = ownsWriter
    catalog = hasLog ? LogCatalog(tables, capacity: options.historyCapacity, rewinds: rewinds) : nil
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

  /// Whether the connections work with a log, or an index of it, that others do not find any more.
  var hasLostSideFiles: Bool { state.withLock { $0.sideFiles }?.areLost == true }

  /// What happened to an entity between two versions.
  func history(
    after old: StoreVersion,
    through new: StoreVersion,
    of entity: EntityDescription
  ) -> StoreHistory {
    guard let table = tables.all.first(where: { $0.entity == entity }) else { return .commits([]) }
    return state.withLock { state in
      guard catalog == nil || old.epoch == state.log.version.epoch else {
        return .gap(.schemaChanged)
      }
      return state.log.history(after: old, through: new, ofTable: table.index)
    }
  }
}

extension StoreCore {
  /// Remembers where the counters of the writing connection stand, and how its commits come into the log.
  func begin(on database: Database) throws {
    try capture.install(on: database.sqliteConnection)
    if !options.isReadOnly { try beginLog(on: database) }
    let dataVersion = try database.integer("PRAGMA data_version")
    let totalChanges = sqlite3_total_changes(database.sqliteConnection)
    let schema = try catalog == nil ? SchemaMark(of: tables, on: database) : nil
    state.withLock { state in
      state.schema = schema
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
  /// - Returns: Whether it could be told; if not, whoever keeps the database busy is noted the next time.
  @discardableResult
  func noteOtherWriters(on database: Database, mayWrite: Bool = true) throws -> Bool {
    let dataVersion: Int64
    let isLogged: Bool
    do {
      dataVersion = try database.integer("PRAGMA data_version")
      guard state.withLock({ $0.dataVersion != dataVersion }) else {
        if mayWrite { try keepLease(on: database) }
        return true
      }
      isLogged = try noteLoggedCommits(on: database, mayWrite: mayWrite)
    } catch  where error.isBusy {
      return false
    }
    state.withLock { state in
      state.dataVersion = dataVersion
      if !isLogged { state.log.append(.gap(.otherWriter)) }
    }
    if !isLogged { hint() }
    return true
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

  /// What the running transaction of the store's own has done so far, where no log tells it.
  func event(origin: CommitOrigin, on database: Database) throws -> CommitLog.Event? {
    let rows = capture.take()
    if try hasAlteredTables(on: database) { return .gap(.schemaChanged) }
    if rows.isOverflown { return .gap(.trimmed) }
    guard isComplete(rows, on: database) else { return .gap(.otherWriter) }
    let changes = try changes(of: rows, on: database)
    return changes.isEmpty ? nil : .commit(origin, changes)
  }

  /// Whether a table of an entity may have been altered or made anew since the last time, which tells nobody of its rows.
  private func hasAlteredTables(on database: Database) throws -> Bool {
    let cookie = try database.integer("PRAGMA main.schema_version")
    let known = state.withLock { $0.schema }
    guard known?.cookie != cookie else { return false }
    let found = try SchemaMark(of: tables, on: database)
    state.withLock { $0.schema = found }
    try capture.readPlaces(on: database)
    return known?.keepsTables(of: found) == false
  }

  /// Whether everything that changed in the running transaction was heard and understood.
  func isComplete(_ rows: TouchedRows, on database: Database) -> Bool {
    let total = sqlite3_total_changes(database.sqliteConnection)
    let before = state.withLock { $0.totalChanges }
    let expected = Int(total &- before)
    let isHeard = capture.isExact ? rows.eventCount >= expected : rows.eventCount == expected
    return isHeard && !rows.isInexact
  }

  /// The net changes of the running transaction.
  func changes(of rows: TouchedRows, on database: Database) throws -> [Int: [CommittedChange]] {
    let reader = TableReader(database: database, tables: tables)
    return try rows.changes(of: tables) { table, keys in try reader.rows(keys, of: table) }
  }

  /// Says what the commit that is about to be made holds.
  func prepare(_ pending: Pending) { state.withLock { $0.pending = pending } }

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
    switch pending {
    case .own(let event): end(on: database, event)
    case .silent: end(on: database, nil)
    case .logged(let entry, let sequence):
      end(on: database, nil)
      let stamp = state.withLock { $0.writing.lastRow?.stamp(of: sequence) }
      if catalog?.remember(entry, sequence: sequence, stamp: stamp) == true { hint() }
    case .none where isLogged:
      end(on: database, nil)
      noteDirectCommit(on: database)
    case .none: end(on: database, directEvent(on: database))
    }
    _ = capture.take()
  }

  /// Makes sure that a commit of the store's own is told, whether or not GRDB has told of it.
  func settle(on database: Database) {
    let isDue = state.withLock { state in
      if case .none = state.pending { false } else { true }
    }
    if isDue { didCommit(on: database) }
  }

  /// The writing connection has undone its transaction.
  func didRollback(on database: Database) {
    let readsSchemaAnew = state.withLock { state in
      state.pending = .none
      // What was prepared for the log within it is undone too.
      defer { state.writing.forgetTransaction() }
      return state.writing.isProvisional
    }
    if readsSchemaAnew { catalog?.forgetLayout() }
    _ = capture.take()
    end(on: database, nil)
  }

  /// What the application committed itself, on the connection that it shares with the store.
  private func directEvent(on database: Database) -> CommitLog.Event? {
    do {
      // An observer that is told of a commit may not make another one.
      try noteOtherWriters(on: database, mayWrite: false)
      return try event(origin: .unnamed, on: database)
    } catch {
      return .gap(.otherWriter)
    }
  }

  private func end(on database: Database, _ event: CommitLog.Event?) {
    let total = sqlite3_total_changes(database.sqliteConnection)
    let wasCommitting = state.withLock { state in
      state.totalChanges = total
      state.writing.isProvisional = false
      if let event { state.log.append(event) }
      defer { state.isCommitting = false }
      return state.isCommitting
    }
    if wasCommitting { commits.leave() }
    if event != nil { hint() }
  }
}

extension Error {
  fileprivate var isBusy: Bool { SQLiteFailure(self)?.primaryCode == SQLITE_BUSY }
}

/// Tells the store when the writing connection commits or rolls back, whoever asked for it.
final class CommitObserver: TransactionObserver, Sendable {
  private let core: StoreCore

  init(_ core: StoreCore) { self.core = core }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

  func databaseDidChange(with event: DatabaseEvent) {}

  func databaseWillCommit() { core.willCommit() }

  func databaseDidCommit(_ database: Database) { core.didCommit(on: database) }

  func databaseDidRollback(_ database: Database) { core.didRollback(on: database) }
}

extension StoreCore {
  /// Tells everyone who listens that the version may have grown, unless that is held back.
  func hint() {
    let isDue = state.withLock { state in
      if state.heldHint != nil { state.heldHint = true }
      return state.heldHint == nil && !state.isClosed
    }
    if isDue { hearers.hint() }
  }

  /// Holds hints back while a commit is being made whose size is known.
  func holdHints() { state.withLock { $0.heldHint = false } }

  /// Lets hints go again, and offers a small commit to those who follow it at once: its pages are in the writing connection's
  /// memory, and no thread need be woken.
  /// - Parameters:
  ///   - count: How many rows the commit changed, or `nil` if that is not known.
  ///   - database: The writing connection, outside of a transaction.
  func releaseHints(changing count: Int?, on database: Database) {
    let isDue = state.withLock { state in
      defer { state.heldHint = nil }
      return state.heldHint == true && !state.isClosed
    }
    guard isDue else { return }
    guard let count, count <= StoreCore.followedRowLimit, hearers.hasFollowers,
      let pinned = try? pin(database)
    else { return hearers.hint() }
    defer { unpin(database) }
    let access = SnapshotAccess(database, pinned, of: self)
    defer { access.end() }
    let snapshot = SQLiteSnapshot(access)
    BodyScope.run(snapshot, of: self) { hearers.offer(snapshot) }
  }

  /// How many rows a commit may change to be followed by the thread that made it; it waits for that.
  private static let followedRowLimit = 32

  /// Makes later calls fail.
  /// - Returns: Whether the database was in use.
  func close() -> Bool {
    let wasOpen = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    if wasOpen { capture.deactivate() }
    return wasOpen
  }
}

extension StoreCore {
  /// A version that a connection is held at.
  struct Pinned {
    let version: StoreVersion
    /// Where that is in the database's log, if the history is read from it.
    let position: LogCatalog.Position?
  }

  /// Takes a snapshot of the database and tells which version it is.
  /// - Parameters:
  ///   - database: A connection that is in no transaction.
  ///   - reading: What is known of the connection, if it is the store's own.
  /// - Returns: `nil` if a commit came between, so that the version is not known; no transaction is open then.
  /// - Throws: What SQLite says.
  func pin(_ database: Database, knownTo reading: ReadingConnection? = nil) throws -> Pinned? {
    if let catalog, let position = try pin(database, catalog, knownTo: reading) {
      return Pinned(version: position.version, position: position)
    }
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
    guard let version else {
      unpin(database)
      return nil
    }
    return Pinned(version: version, position: nil)
  }

  /// Takes a snapshot whose version the database itself tells.
  /// - Returns: `nil` if it cannot; no transaction is open then.
  private func pin(
    _ database: Database,
    _ catalog: LogCatalog,
    knownTo reading: ReadingConnection?
  ) throws -> LogCatalog.Position? {
    let floor = catalog.seen
    try database.run("BEGIN DEFERRED TRANSACTION")
    do {
      let mark = reading.flatMap { _ in contentMark(of: database) }
      if let mark, let known = reading?.position(at: mark), catalog.stands(at: known, floor: floor)
      {
        return known
      }
      let position = try catalog.readablePosition(on: database, floor: floor)
      if let mark { reading?.note(position, at: mark) }
      if position == nil { unpin(database) }
      return position
    } catch {
      unpin(database)
      throw error
    }
  }

  /// What tells the contents apart that the transaction sees, which begins with this.
  private func contentMark(of database: Database) -> UInt32? {
    // The snapshot is taken by the first read, not by BEGIN; this one reads nothing but the file's first page.
    guard (try? database.run("PRAGMA main.schema_version")) != nil else { return nil }
    return database.contentMark
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
