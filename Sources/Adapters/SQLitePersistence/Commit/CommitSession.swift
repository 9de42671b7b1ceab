import CSQLiteHooks
import Dispatch
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport
import Synchronization

/// The writing connection of an open database, and what it commits.
///
/// A commit of this store, in order:
///
/// 1. `commit(origin:_:)` takes the writing connection and begins a transaction.
/// 2. `startTransaction(on:)` notes what others committed before, and returns the version to begin with.
/// 3. The caller's closure writes rows (`SQLiteTransaction`, `RowWriter`); `ChangeCapture` collects the rows that change.
/// 4. `prepareCommit(since:origin:on:)` takes those rows, derives the net changes and writes them into the change log (`ChangeLogWriter`).
/// 5. SQLite commits; `didCommit(on:)` adds the commit to the history.
/// 6. `publish(changing:on:)` offers a small commit to listeners that follow it at once (`CommitBroadcaster.offer(_:)`), and notifies the
///    others.
///
/// What others commit is noticed in `CommitSession+ExternalCommits.swift`.
///
/// Everything that takes a `Database` runs on the writing connection's queue, except `pin(_:knownTo:)`. The lock guards `state`; it is
/// changed on that queue only, and read by any thread. No other lock is taken under it, and nothing is called that could.
final class CommitSession: Sendable {
  /// What the commit that is about to be made does to the history.
  enum Pending: Sendable {
    /// It is unknown: the application commits by itself.
    case none
    /// It is a commit of this store in a database without a log, or one that changes no row.
    case own(CommitRing.Event?)
    /// It is maintenance, which changes no row of an entity.
    case silent
    /// It is in the change log, up to a sequence number; the entry is to be remembered.
    case logged(CommitRing.Entry?, sequence: UInt64, stamp: Int64?)
  }

  private struct State {
    /// The history where no log has it.
    var history: InMemoryHistory
    var pending = Pending.none
    /// The tables as they were when last checked, where no log notices changes of the schema.
    var schema: SchemaFingerprint?
    /// SQLite's count of changed rows at the end of the last transaction.
    var totalChanges: Int32 = 0
    /// The address of the writing connection, only ever compared.
    var connection: UInt = 0
    /// How many commits have begun, so that a reader knows whether one did while it took its snapshot.
    var commitCount: UInt64 = 0
    var isCommitting = false
    /// How many pages the writing connection had written before the last commit that ended without a kept read.
    var pagesBefore: Int32 = 0
    /// How many pages may be written before the next commit that ends without a kept read.
    var keptReadPages: Int32 = 0
    /// The side files that the connections use, if nothing but deletion can remove them.
    var sideFiles: SideFiles?
    var naming = LogNaming.usual
  }

  /// Whether the file's header names the write-ahead log that the connections use.
  private enum LogNaming {
    case usual
    case unnamed
    /// Not, and others use a rollback journal.
    case lost
  }

  let context: StoreContext
  let capture: ChangeCapture
  let publisher: CommitPublisher
  /// Writes the change log, if the database has one.
  let log: ChangeLogWriter?
  /// SQLite's number for what other connections have committed, as of the last check; changed by that check only.
  let dataVersion = Atomic<Int64>(0)
  private let writer: any DatabaseWriter
  private let state: Mutex<State>
  /// Entered while a commit is being made.
  private let commits = DispatchGroup()

  /// The session of a database that was just opened.
  /// - Parameters:
  ///   - context: What the parts of the open database share.
  ///   - writer: The database.
  ///   - hasLog: Whether it has a change log.
  ///   - rewinds: How often the store's log was rewound before, in this file or another.
  init(_ context: StoreContext, _ writer: any DatabaseWriter, hasLog: Bool, rewinds: UInt64) {
    self.context = context
    self.writer = writer
    let options = context.options
    let capture = ChangeCapture(
      context.tables,
      capacity: options.historyCapacity,
      usesHook: options.usesPreUpdateHook
    )
    let publisher = CommitPublisher(context)
    self.capture = capture
    self.publisher = publisher
    log =
      hasLog
      ? ChangeLogWriter(
        ChangeLog(context.tables, capacity: options.historyCapacity, rewinds: rewinds),
        context,
        capture,
        publisher
      ) : nil
    var generator = SystemRandomNumberGenerator()
    let history = InMemoryHistory(epoch: generator.next(), capacity: options.historyCapacity)
    state = Mutex(State(history: history))
  }

  deinit {
    // A group must not be released while it is entered, as after a COMMIT that bypassed GRDB.
    if state.withLock({ $0.isCommitting }) { commits.leave() }
  }

  private var path: String { context.path }

  /// Whether the history is in the change log, as far as the writing connection knows.
  var isLogged: Bool { log.map { $0.status.mode != .none } ?? false }

  // MARK: - Opening and closing

  /// Installs the hooks on the writing connection and reads its counters.
  func open(on database: Database) throws {
    try capture.install(on: database.sqliteConnection)
    if !context.options.isReadOnly { try log?.open(on: database) }
    let dataVersion = try database.integer("PRAGMA data_version")
    let totalChanges = sqlite3_total_changes(database.sqliteConnection)
    let schema = try log == nil ? SchemaFingerprint(of: context.tables, on: database) : nil
    self.dataVersion.store(dataVersion, ordering: .sequentiallyConsistent)
    state.withLock { state in
      state.schema = schema
      state.totalChanges = totalChanges
      state.connection = UInt(bitPattern: database.sqliteConnection)
    }
  }

  /// Sets the side files without which nothing may be committed.
  func guardSideFiles(_ files: SideFiles?) { state.withLock { $0.sideFiles = files } }

  /// Makes later calls fail.
  /// - Returns: Whether the database was open.
  func close() -> Bool {
    let wasOpen = context.close()
    if wasOpen { capture.deactivate() }
    return wasOpen
  }

  /// Whether a connection is the writing one.
  func isWriter(_ database: Database) -> Bool {
    let address = UInt(bitPattern: database.sqliteConnection)
    return state.withLock { $0.connection == address }
  }

  /// Whether the connections use side files that other processes no longer find.
  var hasLostSideFiles: Bool { state.withLock { $0.sideFiles }?.areLost == true }

  /// Whether others use a rollback journal, and the connections a write-ahead log that the file's header does not name.
  var hasLostLog: Bool { state.withLock { $0.naming == .lost } }

  /// Checks from now on that others use the write-ahead log too, if the connections do: the header of the file does not name it.
  func guardLog(_ found: FileState, on database: Database) throws {
    guard try String.fetchOne(database, sql: "PRAGMA main.journal_mode") == "wal" else { return }
    state.withLock { $0.naming = found.hasUnnamedLog ? .unnamed : .lost }
  }

  /// Notes that the file has a rollback journal for other programs.
  func noteRollbackJournal() {
    state.withLock { if $0.naming == .unnamed { $0.naming = .lost } }
  }

  /// Refuses to commit into a file that no longer has its path: the commit would be lost.
  private func checkFile(of database: Database) throws(StoreError) {
    if state.withLock({ $0.naming != .usual }),
      FileState(of: database.sqliteConnection)?.isUsedWithJournal == true
    {
      noteRollbackJournal()
    }
    guard !hasLostSideFiles, !hasLostLog else {
      throw .inputOutput(path: path, detail: SideFiles.lossDetail)
    }
    guard database.hasMoved else { return }
    throw .inputOutput(
      path: path,
      detail: "the file was removed or replaced by another one while it was open"
    )
  }

  // MARK: - A commit of the store

  /// Runs a closure as one transaction.
  func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    try context.checkOpen()
    guard !context.options.isReadOnly else { throw .readOnly(path: path) }
    return try context.translating {
      try writer.unsafeReentrantWrite { database in
        guard !database.isInsideTransaction else {
          throw StoreError.busy(path: path, waited: .zero)
        }
        try context.checkOpen()
        reconcile(with: database)
        guard !context.ownsWriter else { return try perform(origin: origin, body, on: database) }
        return try database.waiting(for: context.busyTimeout, path: path) {
          try perform(origin: origin, body, on: database)
        }
      }
    }
  }

  private func perform<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result,
    on database: Database
  ) throws -> Committed<Result> {
    try database.beginTransaction(.immediate)
    do {
      return try commit(origin: origin, body, on: database)
    } catch {
      if database.isInsideTransaction { try? database.rollback() }
      didRollback(on: database)
      recordStrayCommit(on: database)
      throw error
    }
  }

  private func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result,
    on database: Database
  ) throws -> Committed<Result> {
    let start = try startTransaction(on: database)
    let pinned = Pinned(version: start?.version ?? version, position: start)
    let transaction = SQLiteTransaction(
      SQLiteSnapshot(database, pinned, of: self, committed: writer)
    )
    defer { transaction.end() }
    let result = try BodyScope.run(nil, of: context.broadcaster) { try body(transaction) }
    guard database.isInsideTransaction else {
      throw StoreError.unexpected(path: path, detail: "the closure ended its own transaction")
    }
    let (changes, version, made) = try prepareCommit(since: start, origin: origin, on: database)
    if !context.ownsWriter, let changes {
      // GRDB's observers miss statements that are stepped through SQLite itself.
      for index in changes.keys.sorted() {
        try database.notifyChanges(in: Table(context.tables.all[index].entity.name))
      }
    }
    try checkFile(of: database)
    publisher.hold()
    let count = changes.map { $0.values.reduce(0) { $0 + $1.count } }
    let kept = made.flatMap { keptRead(changing: count, at: $0, on: database) }
    defer { publish(changing: count, kept, on: database) }
    try database.commit()
    settle(on: database)
    return Committed(result: result, version: version ?? self.version)
  }

  /// Notes what others committed before the transaction, which is open already; from here on nobody else can commit.
  /// - Returns: Where the transaction begins, or `nil` if no log records it.
  private func startTransaction(on database: Database) throws -> ChangeLog.Position? {
    if let position = try log?.startTransaction(on: database) { return position }
    try noteExternalCommits(on: database)
    return nil
  }

  /// Derives the net changes of the transaction and writes them into the log, as the last step before the commit.
  /// - Returns: The net changes, if they are known row by row; the version that the commit makes, if the log has it; and its position in
  ///   the log, if that is known without reading.
  private func prepareCommit(
    since start: ChangeLog.Position?,
    origin: CommitOrigin,
    on database: Database
  ) throws -> (
    changes: [Int: [CommittedChange]]?, version: StoreVersion?, made: ChangeLog.Position?
  ) {
    let rows = capture.take()
    guard let start, let log else {
      let event = try event(of: rows, origin: origin, on: database)
      setPending(.own(event))
      if case .commit(_, let changes) = event { return (changes, nil, nil) }
      return (nil, nil, nil)
    }
    let written = try log.writeCommit(
      since: start,
      rows,
      isComplete: isComplete(rows, on: database),
      origin: origin,
      on: database
    )
    setPending(written.pending)
    var made: ChangeLog.Position?
    if case .logged(_, _, let stamp?) = written.pending, let version = written.version {
      made = ChangeLog.Position(
        layout: start.layout,
        cookie: start.cookie,
        version: version,
        stamp: stamp
      )
    }
    return (written.changes, written.version, made)
  }

  private func setPending(_ pending: Pending) { state.withLock { $0.pending = pending } }

  /// What the running transaction has done, where no log records it.
  private func event(
    of rows: TouchedRows,
    origin: CommitOrigin,
    on database: Database
  ) throws -> CommitRing.Event? {
    if try hasAlteredTables(on: database) { return .gap(.schemaChanged) }
    if rows.isOverflown { return .gap(.trimmed) }
    guard isComplete(rows, on: database) else { return .gap(.otherWriter) }
    let changes = try rows.changes(of: context.tables, on: database)
    return changes.isEmpty ? nil : .commit(origin, changes)
  }

  /// Whether a table of an entity may have been altered or recreated since the last check, which no hook reports.
  private func hasAlteredTables(on database: Database) throws -> Bool {
    let cookie = try database.integer("PRAGMA main.schema_version")
    let known = state.withLock { $0.schema }
    guard known?.cookie != cookie else { return false }
    let found = try SchemaFingerprint(of: context.tables, on: database)
    state.withLock { $0.schema = found }
    try capture.readColumnPositions(on: database)
    return known?.hasSameTables(as: found) == false
  }

  /// Whether every row that changed in the running transaction was captured and understood.
  private func isComplete(_ rows: TouchedRows, on database: Database) -> Bool {
    let total = sqlite3_total_changes(database.sqliteConnection)
    let before = state.withLock { $0.totalChanges }
    let expected = Int(total &- before)
    let isCaptured = capture.isExact ? rows.eventCount >= expected : rows.eventCount == expected
    return isCaptured && !rows.isInexact
  }

  /// How many rows a commit may change to be followed by the thread that made it, which waits for that.
  private static let followedRowLimit = 32

  /// A read that stays open while its transaction commits, so that the commit's version can be read without beginning another.
  private struct KeptRead {
    /// The statement whose open row holds the read.
    let holder: PreparedStatement
    /// The commit's position in the log.
    let position: ChangeLog.Position
  }

  /// How many pages commits that end with a kept read may write at most.
  ///
  /// While a connection reads, SQLite cannot transfer the write-ahead log into the file, which it does at the end of a commit once the
  /// log is long enough. So the transfer is at most this many pages late, and at most half of that length.
  private static let keptReadPageLimit: Int32 = 64

  /// Opens a read within the transaction that is about to be committed, if listeners will follow the commit.
  ///
  /// SQLite lets a read continue past the COMMIT of its connection, and it then sees what was committed. Beginning another read after the
  /// commit takes three more file locks, and the log would have to be read.
  /// - Returns: `nil` if the version must be read after the commit.
  private func keptRead(
    changing count: Int?,
    at position: ChangeLog.Position,
    on database: Database
  ) -> KeptRead? {
    // An application's observers may write as soon as the commit is made.
    guard context.ownsWriter, isFollowed(changing: count) else { return nil }
    let pages = database.writtenPages
    let isShort = state.withLock { $0.keptReadPages > pages &- $0.pagesBefore }
    guard isShort else {
      // The length is a setting of the connection, which can change.
      let length = (try? database.integer("PRAGMA main.wal_autocheckpoint")) ?? 0
      let limit = Int64(CommitSession.keptReadPageLimit)
      let next = Int32(length > 0 ? min(length / 2, limit) : limit)
      state.withLock { ($0.pagesBefore, $0.keptReadPages) = (pages, next) }
      return nil
    }
    guard let holder = try? PreparedStatement("PRAGMA main.schema_version", on: database)
    else { return nil }
    guard (try? holder.step()) == true,
      sqlite3_column_int64(holder.pointer, 0) == position.cookie
    else {
      holder.reset()
      return nil
    }
    return KeptRead(holder: holder, position: position)
  }

  /// Whether a commit is offered to listeners at once.
  private func isFollowed(changing count: Int?) -> Bool {
    count.map { $0 <= CommitSession.followedRowLimit } == true && context.broadcaster.hasFollowers
  }

  /// Publishes a commit, outside of the transaction.
  ///
  /// A small one is offered to the listeners that follow it at once: its pages are in the writing connection's memory, and no other thread
  /// has to wake up.
  /// - Parameters:
  ///   - count: How many rows the commit changed, or `nil` if that is not known.
  ///   - kept: A read that was opened before the commit.
  ///   - database: The writing connection.
  private func publish(changing count: Int?, _ kept: KeptRead?, on database: Database) {
    defer { kept?.holder.reset() }
    guard publisher.release() else { return }
    let broadcaster = context.broadcaster
    guard isFollowed(changing: count), let pinned = try? pin(database, kept) else {
      return broadcaster.notify()
    }
    defer { unpin(database, pinned) }
    let snapshot = SQLiteSnapshot(database, pinned, of: self)
    defer { snapshot.end() }
    BodyScope.run(snapshot, of: broadcaster) { broadcaster.offer(snapshot) }
  }

  /// Runs a closure in a transaction that changes no row of an entity.
  func runMaintenance(on database: Database, _ body: () throws -> Void) throws {
    try database.beginTransaction(.immediate)
    do {
      try body()
      try checkFile(of: database)
      setPending(.silent)
      try database.commit()
      settle(on: database)
    } catch {
      if database.isInsideTransaction { try? database.rollback() }
      didRollback(on: database)
      throw error
    }
  }

  // MARK: - What SQLite reports of the writing connection

  /// The writing connection is about to commit.
  fileprivate func willCommit() {
    let isNew = state.withLock { state in
      guard !state.isCommitting else { return false }
      state.isCommitting = true
      state.commitCount &+= 1
      return true
    }
    if isNew { commits.enter() }
  }

  /// The writing connection has committed.
  fileprivate func didCommit(on database: Database) {
    let pending = state.withLock { state in
      defer { state.pending = .none }
      return state.pending
    }
    switch pending {
    case .own(let event): end(on: database, event)
    case .silent: end(on: database, nil)
    case .logged(let entry, let sequence, let stamp):
      end(on: database, nil)
      if log?.log.remember(entry, sequence: sequence, stamp: stamp) == true { publisher.notify() }
    case .none where isLogged:
      end(on: database, nil)
      log?.noteStrayCommit()
      if (try? noteLoggedCommits(on: database, mayWrite: false)) != true { publisher.notify() }
    case .none: end(on: database, directEvent(on: database))
    }
    _ = capture.take()
  }

  /// The writing connection has rolled back.
  fileprivate func didRollback(on database: Database) {
    setPending(.none)
    log?.didRollback()
    _ = capture.take()
    end(on: database, nil)
  }

  /// Adds a commit of the store to the history if GRDB has not reported it.
  private func settle(on database: Database) {
    let isDue = state.withLock { state in
      if case .none = state.pending { false } else { true }
    }
    if isDue { didCommit(on: database) }
  }

  /// Notes commits that were made on this connection and bypassed GRDB, which reports only those that it made itself.
  func reconcile(with database: Database) {
    // The connection may have been closed meanwhile; the next statement then says so.
    guard database.sqliteConnection != nil, !database.isInsideTransaction else { return }
    let total = sqlite3_total_changes(database.sqliteConnection)
    let isDue = state.withLock { $0.isCommitting || $0.totalChanges != total }
    if isDue { didCommit(on: database) }
  }

  /// What the application committed itself, on the connection that it shares with the store.
  private func directEvent(on database: Database) -> CommitRing.Event? {
    do {
      // A commit observer must not make another commit.
      try noteExternalCommits(on: database, mayWrite: false)
      return try event(of: capture.take(), origin: .unnamed, on: database)
    } catch {
      return .gap(.otherWriter)
    }
  }

  /// Records a gap for what a closure committed past the store, on a writing connection that packs its changes.
  private func recordStrayCommit(on database: Database) {
    guard log?.takeStrayCommit() == true, !database.isInsideTransaction else { return }
    try? runMaintenance(on: database) { try ChangeLogFormat.interrupt(nil, on: database) }
    _ = try? noteLoggedCommits(on: database, mayWrite: false)
  }

  private func end(on database: Database, _ event: CommitRing.Event?) {
    let total = sqlite3_total_changes(database.sqliteConnection)
    log?.didEnd()
    let wasCommitting = state.withLock { state in
      state.totalChanges = total
      if let event { state.history.append(event) }
      defer { state.isCommitting = false }
      return state.isCommitting
    }
    if wasCommitting { commits.leave() }
    if event != nil { publisher.notify() }
  }

  // MARK: - History without a log

  /// The version of everything that was committed or noticed so far, where no log numbers the commits.
  var version: StoreVersion { state.withLock { $0.history.version } }

  /// Adds a gap to the history, for commits whose changes are unknown.
  func recordGap(_ reason: GapReason) { state.withLock { $0.history.append(.gap(reason)) } }

  /// The history of an entity between two versions.
  func history(
    after old: StoreVersion,
    through new: StoreVersion,
    of entity: EntityDescription
  ) -> StoreHistory {
    guard let table = context.tables.find(entity) else {
      return .commits([])
    }
    let hasLog = log != nil
    return state.withLock { state in
      guard !hasLog || old.epoch == state.history.version.epoch else {
        return .gap(.schemaChanged)
      }
      return state.history.history(after: old, through: new, ofTable: table.index)
    }
  }

  // MARK: - Versions for readers

  /// A version that a connection's transaction holds.
  struct Pinned {
    let version: StoreVersion
    /// Where that is in the change log, if the history is read from it.
    let position: ChangeLog.Position?
    /// The statement whose open row holds the version, if no explicit transaction does.
    var holder: PreparedStatement?
  }

  /// Begins a read transaction and finds out which version it sees.
  /// - Parameters:
  ///   - database: Any connection that is in no transaction.
  ///   - reading: What is known of the connection, if it is the store's own.
  /// - Returns: `nil` if a commit was made meanwhile, so that the version is unknown; no transaction is open then.
  /// - Throws: SQLite's failures.
  func pin(_ database: Database, knownTo reading: ReadingConnection? = nil) throws -> Pinned? {
    if let log = log?.log, let pinned = try pin(database, log, knownTo: reading) { return pinned }
    let before = state.withLock { ($0.commitCount, $0.isCommitting, $0.history.version) }
    guard !before.1 else { return nil }
    try database.run("BEGIN DEFERRED TRANSACTION")
    do {
      // The first read takes the snapshot, not BEGIN.
      try database.run("SELECT 1 FROM sqlite_master LIMIT 1")
    } catch {
      unpin(database)
      throw error
    }
    let version = state.withLock { state in
      // A version that was noticed since may be another writer's, which the snapshot does not hold.
      state.commitCount == before.0 && !state.isCommitting && state.history.version == before.2
        ? before.2 : nil
    }
    guard let version else {
      unpin(database)
      return nil
    }
    return Pinned(version: version, position: nil)
  }

  /// Begins a read transaction whose version is in the change log.
  /// - Returns: `nil` if the log does not have it; no transaction is open then.
  private func pin(
    _ database: Database,
    _ log: ChangeLog,
    knownTo reading: ReadingConnection?
  ) throws -> Pinned? {
    let floor = log.seen
    if let reading { return try pin(database, log, knownTo: reading, floor: floor) }
    try database.run("BEGIN DEFERRED TRANSACTION")
    do {
      if let position = try log.readablePosition(on: database, floor: floor) {
        return Pinned(version: position.version, position: position)
      }
      unpin(database)
      return nil
    } catch {
      unpin(database)
      throw error
    }
  }

  /// Begins a read transaction on the store's own connection for reads.
  ///
  /// A statement that has a row holds the transaction open: BEGIN and COMMIT would be two more statements for every read.
  private func pin(
    _ database: Database,
    _ log: ChangeLog,
    knownTo reading: ReadingConnection,
    floor: ChangeLog.Seen
  ) throws -> Pinned? {
    // It reads only the file's first page, and nothing else uses its text.
    let holder = try PreparedStatement("PRAGMA main.user_version", on: database)
    do {
      _ = try holder.step()
      let mark = database.contentMark
      if let mark, let known = reading.position(at: mark), log.isCurrent(known, floor: floor) {
        return Pinned(version: known.version, position: known, holder: holder)
      }
      let position = try log.readablePosition(on: database, floor: floor)
      if let mark { reading.note(position, at: mark) }
      if let position {
        return Pinned(version: position.version, position: position, holder: holder)
      }
      holder.reset()
      return nil
    } catch {
      holder.reset()
      throw error
    }
  }

  /// Begins a read transaction on the writing connection after its own commit.
  private func pin(_ database: Database, _ kept: KeptRead?) throws -> Pinned? {
    guard let kept, let log = log?.log, log.isCurrent(kept.position, floor: log.seen) else {
      kept?.holder.reset()
      return try pin(database)
    }
    // The read is open, so the transaction continues it.
    try database.run("BEGIN DEFERRED TRANSACTION")
    kept.holder.reset()
    return Pinned(version: kept.position.version, position: kept.position)
  }

  /// Ends a read transaction.
  func unpin(_ database: Database, _ pinned: Pinned? = nil) {
    if let holder = pinned?.holder { return holder.reset() }
    try? database.run("COMMIT TRANSACTION")
    if database.isInsideTransaction { try? database.run("ROLLBACK TRANSACTION") }
  }

  /// Waits for the commit that is being made.
  /// - Returns: Whether none is being made any more.
  func waitForCommit() -> Bool { commits.wait(timeout: .now() + .milliseconds(100)) == .success }
}

/// Reports commits and rollbacks of the writing connection to its session, including those of the application.
final class CommitObserver: TransactionObserver, Sendable {
  private let session: CommitSession

  init(_ session: CommitSession) { self.session = session }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

  func databaseDidChange(with event: DatabaseEvent) {}

  func databaseWillCommit() { session.willCommit() }

  func databaseDidCommit(_ database: Database) { session.didCommit(on: database) }

  func databaseDidRollback(_ database: Database) { session.didRollback(on: database) }
}

extension Database {
  /// Runs a closure with a borrowed connection that waits for others as long as a store promises.
  ///
  /// A connection of GRDB does not wait unless its configuration says so, and even a reader of the same pool can keep it from writing for a
  /// moment: it takes the write lock to look at the header of the log again (`walIndexReadHdr` in SQLite's wal.c). The connection's own
  /// timeout is restored. A callback of the application decides itself.
  /// - Throws: What the closure throws; for a lock that a callback has given up, an error with the time that has passed.
  func waiting<Result>(
    for limit: Duration,
    path: String,
    _ body: () throws -> Result
  ) throws -> Result {
    if case .callback = configuration.busyMode {
      let start = ContinuousClock.now
      do { return try body() } catch {
        guard SQLiteFailure(error)?.primaryCode == SQLITE_BUSY else { throw error }
        throw StoreError(error, path: path, waited: ContinuousClock.now - start)
      }
    }
    let own = try CInt.fetchOne(self, sql: "PRAGMA busy_timeout") ?? 0
    sqlite3_busy_timeout(sqliteConnection, CInt(limit.secondsToWait * 1000))
    defer { sqlite3_busy_timeout(sqliteConnection, own) }
    return try body()
  }

  /// The number of pages that the connection has written, which may overflow (sqlite.org/c3ref/c_dbstatus_options.html,
  /// SQLITE_DBSTATUS_CACHE_WRITE).
  fileprivate var writtenPages: Int32 {
    var (pages, highest) = (Int32(0), Int32(0))
    sqlite3_db_status(sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 0)
    return pages
  }

  /// Whether the file that is open no longer has its name.
  var hasMoved: Bool {
    guard let connection = sqliteConnection else { return false }
    return results_connection_has_moved(connection) != 0
  }
}
