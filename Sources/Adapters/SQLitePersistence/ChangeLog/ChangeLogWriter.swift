import CSQLiteHooks
import GRDB
import ResultsDomain
import Synchronization

/// How the commits of the writing connection come into the log, and what of that is under way.
struct LogWriting: Sendable {
  /// Who writes the log.
  enum Mode: Sendable {
    /// Nobody: the database has no log, or one that does not hear every change.
    case none
    /// The store itself, one row a commit; triggers are off.
    case packed
    /// The triggers, one row a change; the store says which of them are one commit.
    case triggers
  }

  var mode = Mode.none
  /// Why it is not the store itself.
  var reason: String?
  /// The version of the schema that the connection was prepared for.
  var preparedCookie: Int64?
  /// The version of the schema at which putting the log in order did not help.
  var hopelessCookie: Int64?
  /// Whether triggers run although the store packs its changes, since somebody made some in this transaction.
  var triggersRun = false
  /// Whether the application's own SQL has run in this transaction.
  var hasForeignSQL = false
  /// Whether something was committed within a transaction of the store, so that it was not packed.
  var hasStrayCommit = false
  /// How many commits were made since old ones were removed.
  var commitsSinceTrim = 0
  /// How many bytes of packed changes were written since.
  var bytesSinceTrim = 0

  /// The row of the log that the transaction wrote last, if the store itself did.
  var lastRow: LogRow?

  /// Whether something that was prepared or read of the schema is undone with the transaction that runs.
  var isProvisional = false

  /// Forgets what a transaction that was undone had prepared.
  mutating func forgetTransaction() {
    if isProvisional || triggersRun { preparedCookie = nil }
    isProvisional = false
    hasForeignSQL = false
    lastRow = nil
  }
}

/// A row of the log that the store wrote, and the random number that it drew for it.
struct LogRow: Sendable {
  let sequence: UInt64
  private let stamp: Int64

  init(sequence: UInt64, stamp: Int64) {
    self.sequence = sequence
    self.stamp = stamp
  }

  /// The random number, if the row is the one of a number.
  func stamp(of sequence: UInt64) -> Int64? { self.sequence == sequence ? stamp : nil }
}

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

extension StoreCore {
  /// Writes what a transaction of the store's own has done into the log, as the last thing before it commits.
  /// - Returns: The net changes, if they are known row by row.
  func finishCommit(
    _ start: LogCatalog.Position?,
    origin: CommitOrigin,
    on database: Database
  ) throws -> [Int: [CommittedChange]]? {
    guard let start, let catalog else {
      let event = try event(origin: origin, on: database)
      prepare(.own(event))
      if case .commit(_, let changes) = event { return changes }
      return nil
    }
    let writing = state.withLock { state in
      defer { (state.writing.hasForeignSQL, state.writing.hasStrayCommit) = (false, false) }
      state.writing.lastRow = nil
      return state.writing
    }
    let rows = capture.take()
    let isComplete = isComplete(rows, on: database) && !writing.hasStrayCommit
    let isTold = isComplete && !rows.isOverflown && !rows.isBulk
    var changes = isTold ? try self.changes(of: rows, on: database) : nil
    if writing.triggersRun {
      try database.run("DELETE FROM main._results_log WHERE sequence > \(start.version.sequence)")
      state.withLock { $0.writing.preparedCookie = nil }
    }
    var sequence = start.version.sequence
    switch writing.mode {
    case .packed where !isComplete:
      try LogFormat.interrupt(nil, on: database)
      sequence = try LogCatalog.sequence(on: database)
    case .packed:
      guard changes?.isEmpty != true else { break }
      sequence = try pack(rows, origin: origin, on: database)
    case .triggers, .none:
      let newest = try LogCatalog.sequence(on: database)
      guard newest > sequence else { break }
      if changes == nil { changes = try loggedChanges(since: start, through: newest, on: database) }
      if changes?.isEmpty == true, !start.layout.hasOtherEntities {
        try database.run("DELETE FROM main._results_log WHERE sequence > \(sequence)")
      } else {
        sequence = try mark(from: sequence + 1, origin: origin, on: database)
      }
    }
    if writing.hasForeignSQL, try !isStillLogged(catalog, start, on: database) { return nil }
    let entry = ringEntry(start, sequence, origin, changes)
    try keepLog(sequence, on: database)
    prepare(.logged(entry, sequence: sequence))
    return changes
  }

  private func ringEntry(
    _ start: LogCatalog.Position,
    _ sequence: UInt64,
    _ origin: CommitOrigin,
    _ changes: [Int: [CommittedChange]]?
  ) -> CommitRing.Entry? {
    guard let changes, sequence > start.version.sequence else { return nil }
    return CommitRing.Entry(
      before: start.version.sequence,
      sequence: sequence,
      origin: origin,
      changes: changes
    )
  }

  /// The version that the prepared commit makes, if a log tells it.
  func preparedVersion(_ start: LogCatalog.Position?) -> StoreVersion? {
    guard let start, case .logged(_, let sequence) = state.withLock({ $0.pending }) else {
      return nil
    }
    return StoreVersion(epoch: start.version.epoch, sequence: sequence)
  }

  /// Checks after the application's own SQL that the log still hears every change, and puts it in order if not.
  private func isStillLogged(
    _ catalog: LogCatalog,
    _ start: LogCatalog.Position,
    on database: Database
  ) throws -> Bool {
    guard try database.integer("PRAGMA main.schema_version") != start.cookie else { return true }
    state.withLock { $0.writing.isProvisional = true }
    guard try catalog.position(on: database, floor: nil) == nil else { return true }
    if try LogFormat.exists(on: database) {
      try LogInstaller(entities: tables.entities).install(on: database)
      catalog.forgetLayout()
    }
    if let position = try catalog.position(on: database, floor: nil) {
      prepare(.logged(nil, sequence: position.version.sequence))
    } else {
      prepare(.own(.gap(.schemaChanged)))
    }
    return false
  }

  /// The net changes of the running transaction, as the triggers have written them down.
  private func loggedChanges(
    since start: LogCatalog.Position,
    through newest: UInt64,
    on database: Database
  ) throws -> [Int: [CommittedChange]]? {
    guard newest - start.version.sequence <= UInt64(max(0, options.historyCapacity)) else {
      return nil
    }
    let end = StoreVersion(epoch: start.version.epoch, sequence: newest)
    var changes: [Int: [CommittedChange]] = [:]
    for table in tables.all {
      let reader = LogReader(
        database: database,
        tables: tables,
        table: table,
        layout: start.layout,
        writer: 0
      )
      guard case .commits(let records) = try reader.history(after: start.version, through: end)
      else { return nil }
      let own = records.flatMap(\.changes)
      if !own.isEmpty { changes[table.index] = own }
    }
    return changes
  }

  /// Writes the row of a commit, before it the parts that do not fit into one.
  private func pack(
    _ rows: TouchedRows,
    origin: CommitOrigin,
    on database: Database
  ) throws -> UInt64 {
    var payload = rows.payload
    let parts = payload.finish()
    for (place, part) in parts.enumerated() {
      let isLast = place == parts.count - 1
      try append(isLast ? .commit : .part, .blob(part), isLast ? origin : nil, on: database)
    }
    let size = parts.reduce(0) { $0 + $1.count }
    state.withLock { $0.writing.bytesSinceTrim += size }
    return UInt64(clamping: sqlite3_last_insert_rowid(database.sqliteConnection))
  }

  /// Writes the row that makes a commit of the rows that the triggers wrote.
  private func mark(
    from first: UInt64,
    origin: CommitOrigin,
    on database: Database
  ) throws -> UInt64 {
    let connection = database.sqliteConnection
    let assigned = sqlite3_last_insert_rowid(connection)
    try append(.marker, .integer(Int64(clamping: first)), origin, on: database)
    let sequence = sqlite3_last_insert_rowid(connection)
    // The application may ask which row number its own statement was given.
    sqlite3_set_last_insert_rowid(connection, assigned)
    return UInt64(clamping: sequence)
  }

  private func append(
    _ kind: LogFormat.Kind,
    _ key: Value,
    _ origin: CommitOrigin?,
    on database: Database
  ) throws {
    let statement = try PreparedStatement(
      "INSERT INTO main._results_log (kind, key, v0, v1, stamp) VALUES (?, ?, ?, ?, ?)",
      on: database
    )
    try statement.bind(.integer(kind.rawValue), at: 1)
    try statement.bind(key, at: 2)
    if let origin, let catalog {
      if origin != .unnamed { try statement.bind(.text(origin.name), at: 3) }
      try statement.bind(.integer(catalog.writer), at: 4)
    }
    let stamp = Int64.random(in: .min ... .max)
    try statement.bind(.integer(stamp), at: 5)
    try statement.run()
    let sequence = UInt64(clamping: sqlite3_last_insert_rowid(database.sqliteConnection))
    state.withLock { $0.writing.lastRow = LogRow(sequence: sequence, stamp: stamp) }
  }

  /// Tells by a gap what a closure committed past the store, on the writing connection that packs its changes.
  func mendStrayCommit(on database: Database) {
    let isDue = state.withLock { state in
      defer { state.writing.hasStrayCommit = false }
      return state.writing.hasStrayCommit
    }
    guard isDue, !database.isInsideTransaction else { return }
    try? inOwnTransaction(on: database) { try LogFormat.interrupt(nil, on: database) }
    _ = try? noteLoggedCommits(on: database, mayWrite: false)
  }

  /// Whether the file that is open has lost its name.
  func hasMoved(_ database: Database) -> Bool {
    guard let connection = database.sqliteConnection else { return false }
    return results_connection_has_moved(connection) != 0
  }

  /// Refuses to commit into a file that is no longer the one of its path: nobody would ever see it.
  func checkFile(of database: Database) throws(StoreError) {
    if hasLostSideFiles {
      throw .inputOutput(path: path, detail: SideFiles.lossDetail)
    }
    guard hasMoved(database) else { return }
    throw .inputOutput(
      path: path,
      detail: "the file was removed or replaced by another one while it was open"
    )
  }
}
