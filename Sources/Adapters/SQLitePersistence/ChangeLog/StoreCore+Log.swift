import CSQLiteHooks
import GRDB
import ResultsDomain
import Synchronization

extension StoreCore {
  /// Whether the history is in the database's log, as far as the writing connection knows.
  var isLogged: Bool { state.withLock { $0.writing.mode != .none } }

  /// Prepares the writing connection when the store is opened.
  func beginLog(on database: Database) throws {
    guard let catalog,
      let position = try catalog.readablePosition(on: database, floor: catalog.seen)
    else { return }
    catalog.consume(through: position.version.sequence)
    _ = catalog.tell(position.version.sequence)
    try prepareWriter(position, on: database)
  }

  /// Notes what a commit past the store's own did.
  func noteDirectCommit(on database: Database) {
    state.withLock { $0.writing.hasStrayCommit = $0.writing.mode == .packed }
    if (try? noteLoggedCommits(on: database, mayWrite: false)) != true { hint() }
  }

  /// Looks whether the log has grown, and puts it in order if its triggers are not as they should be.
  /// - Returns: Whether there is a log that tells what was committed.
  func noteLoggedCommits(on database: Database, mayWrite: Bool) throws -> Bool {
    guard let catalog else { return false }
    let mayWrite = mayWrite && options.maintainsFile && !database.isInsideTransaction
    var position = try catalog.readablePosition(on: database, floor: catalog.seen)
    if position == nil, mayWrite, try hasChangedSinceHopeless(on: database) {
      try inOwnTransaction(on: database) {
        position = try mendLog(catalog, on: database)
        if position == nil { noteHopeless(on: database) }
      }
    }
    guard let position else {
      if mayWrite, isLogged { try inOwnTransaction(on: database) { try leaveLog(on: database) } }
      return false
    }
    if catalog.tell(position.version.sequence) { hint() }
    if mayWrite { try trimIfLong(position, on: database) }
    return true
  }

  private func noteHopeless(on database: Database) {
    let cookie = try? database.integer("PRAGMA main.schema_version")
    state.withLock { $0.writing.hopelessCookie = cookie }
  }

  /// Begins a transaction of the store's own, which is open already.
  /// - Returns: Where it begins, or `nil` if no log tells what it does.
  func startCommit(on database: Database) throws -> LogCatalog.Position? {
    guard let catalog else {
      try noteOtherWriters(on: database)
      return nil
    }
    var position = try catalog.position(on: database, floor: catalog.seen)
    if position == nil, try hasChangedSinceHopeless(on: database) {
      position = try mendLog(catalog, on: database)
      if position == nil { noteHopeless(on: database) }
    }
    guard let position else {
      try leaveLog(on: database)
      try noteOtherWriters(on: database)
      return nil
    }
    if catalog.tell(position.version.sequence) { hint() }
    try prepareWriter(position, on: database)
    return position
  }

  private func hasChangedSinceHopeless(on database: Database) throws -> Bool {
    let cookie = try database.integer("PRAGMA main.schema_version")
    return state.withLock { $0.writing.hopelessCookie != cookie }
  }

  /// Makes what is missing of the log and its triggers; history ends there.
  private func mendLog(_ catalog: LogCatalog, on database: Database) throws
    -> LogCatalog.Position?
  {
    guard try LogFormat.exists(on: database) else { return nil }
    state.withLock { $0.writing.isProvisional = true }
    try LogInstaller(entities: tables.entities).install(on: database)
    catalog.forgetLayout()
    return try catalog.position(on: database, floor: nil)
  }

  /// Makes the log and its triggers anew, whatever state they are in.
  func rebuildLog(on database: Database) throws {
    guard let catalog else { return }
    try inOwnTransaction(on: database) {
      state.withLock { state in
        state.writing.isProvisional = true
        state.lease.reader = nil
      }
      try LogInstaller(entities: tables.entities).rebuild(on: database)
      catalog.forgetLayout()
      guard let position = try catalog.position(on: database, floor: nil) else { return }
      _ = catalog.tell(position.version.sequence)
      try prepareWriter(position, on: database)
    }
    hint()
  }

  /// Runs a closure in a transaction that is not told as one of the store's own.
  func inOwnTransaction(on database: Database, _ body: () throws -> Void) throws {
    try database.beginTransaction(.immediate)
    do {
      try body()
      try checkFile(of: database)
      prepare(.silent)
      try database.commit()
      settle(on: database)
    } catch {
      if database.isInsideTransaction { try? database.rollback() }
      didRollback(on: database)
      throw error
    }
  }
}

// MARK: - The writing connection

extension StoreCore {
  /// Sets the writing connection up for the schema that it finds.
  private func prepareWriter(_ position: LogCatalog.Position, on database: Database) throws {
    let cookie = position.cookie
    guard state.withLock({ $0.writing.preparedCookie != cookie }) else { return }
    try capture.readPlaces(on: database)
    let reason = reasonForTriggers(position.layout)
    let packs = reason == nil
    if ownsWriter { try setTriggers(enabled: !packs, on: database) }
    capture.pack(as: packs ? position.layout.entities.map(\.number) : nil)
    let triggers = UpdateTriggers(tables)
    if packs { try triggers.install(on: database) } else { try triggers.remove(on: database) }
    state.withLock { state in
      state.writing.mode = packs ? .packed : .triggers
      state.writing.reason = reason
      state.writing.preparedCookie = cookie
      state.writing.hopelessCookie = nil
      state.writing.triggersRun = false
      state.writing.isProvisional = state.writing.isProvisional || database.isInsideTransaction
    }
  }

  /// Why the triggers must write the log also for this connection, or `nil` if they need not.
  private func reasonForTriggers(_ layout: LogLayout) -> String? {
    if !ownsWriter { return "the connection is the application's" }
    if !capture.isExact { return "this SQLite library has no pre-update hook" }
    if path.isEmpty || path == ":memory:" { return "a database in memory has one connection" }
    if layout.hasApplicationTriggers { return "the application has triggers of its own" }
    if layout.hasOtherEntities { return "the file has entities that this program does not name" }
    return reasonForInexactHook
  }

  /// Which columns the pre-update hook cannot be relied upon for, or `nil`.
  var reasonForInexactHook: String? {
    let columns = capture.inexactColumns
    guard !columns.isEmpty else { return nil }
    return
      "\(columns.joined(separator: ", ")): the database calculates this column, or one before it,"
      + " at every reading"
  }

  private func setTriggers(enabled: Bool, on database: Database) throws {
    let code = results_set_triggers(database.sqliteConnection, enabled ? 1 : 0)
    guard code == SQLITE_OK else { throw SQLiteFailure(database.sqliteConnection) }
  }

  /// Works without the log, as long as it does not hear every change.
  private func leaveLog(on database: Database) throws {
    guard state.withLock({ $0.writing.mode != .none }) else { return }
    if ownsWriter { try setTriggers(enabled: true, on: database) }
    try UpdateTriggers(tables).remove(on: database)
    capture.pack(as: nil)
    state.withLock { state in
      state.writing.mode = .none
      state.writing.preparedCookie = nil
    }
  }

  /// The application's own SQL is about to run in a transaction of the store.
  func expectForeignSQL() { state.withLock { $0.writing.hasForeignSQL = true } }

  /// The application's own SQL has run in a transaction of the store.
  func noteForeignSQL(on database: Database, since start: LogCatalog.Position?) throws {
    guard let catalog, let start, database.isInsideTransaction,
      try database.integer("PRAGMA main.schema_version") != start.cookie
    else { return }
    state.withLock { $0.writing.isProvisional = true }
    try capture.readPlaces(on: database)
    guard let position = try catalog.position(on: database, floor: nil),
      position.layout.hasApplicationTriggers,
      state.withLock({ $0.writing.mode == .packed && !$0.writing.triggersRun })
    else { return }
    // A trigger that was just made must run from now on; what the log's own triggers write is removed in the end.
    try setTriggers(enabled: true, on: database)
    state.withLock { $0.writing.triggersRun = true }
  }
}
