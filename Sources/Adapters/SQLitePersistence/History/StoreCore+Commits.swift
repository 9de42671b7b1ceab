import CSQLiteHooks
import Dispatch
import GRDB
import ResultsDomain
import Synchronization

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
