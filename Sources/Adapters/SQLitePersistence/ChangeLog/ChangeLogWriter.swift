import CSQLiteHooks
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport
import Synchronization

/// Writes the commits of the writing connection into the database's change log.
///
/// Either the store packs each of its commits into one row and the log's triggers are off for its connection, or the triggers write a row
/// for each change and the store adds a row that marks them as one commit.
///
/// All state is behind one lock and changed on the writing connection only; no other lock is taken under it.
final class ChangeLogWriter: Sendable {
  /// What writes the log.
  enum Mode: Sendable {
    /// Nothing: the database has no log, or one that misses changes.
    case none
    /// The store itself, one row per commit; triggers are off.
    case packed
    /// The triggers, one row per change; the store marks which of them are one commit.
    case triggers
  }

  /// A commit as it was written.
  struct Written {
    /// The net changes by the index of their table, if they are known row by row.
    var changes: [Int: [CommittedChange]]?
    /// What the commit does to the history.
    let pending: CommitSession.Pending
    /// The version that the commit makes, if the log has it.
    var version: StoreVersion?
  }

  private struct State {
    var mode = Mode.none
    /// Why the store does not pack its commits.
    var reason: String?
    /// The schema version that the connection was prepared for.
    var preparedCookie: Int64?
    /// The schema version at which repairing the log did not help.
    var hopelessCookie: Int64?
    /// Whether triggers run although the store packs its changes, since the running transaction created some.
    var triggersRun = false
    /// Whether the application's SQL has run in the running transaction.
    var hasForeignSQL = false
    /// Whether something was committed within a transaction of the store, so that it was not packed.
    var hasStrayCommit = false
    /// Commits since the log was trimmed.
    var commitsSinceTrim = 0
    /// Bytes of packed changes since the log was trimmed.
    var bytesSinceTrim = 0
    /// The newest entry when the log was trimmed.
    var sequenceAtTrim: UInt64 = 0
    /// The size of the database when the log was trimmed, or first looked at.
    var sizeAtTrim: Int64?
    /// The newest entry when the size was last looked at.
    var sequenceAtLook: UInt64 = 0
    /// Whether rolling back the running transaction would undo a change of the schema that was prepared for.
    var isProvisional = false
  }

  let log: ChangeLog
  let lease: ReaderLease
  private let context: StoreContext
  private let capture: ChangeCapture
  private let publisher: CommitPublisher
  private let state = Mutex(State())

  init(
    _ log: ChangeLog,
    _ context: StoreContext,
    _ capture: ChangeCapture,
    _ publisher: CommitPublisher
  ) {
    self.log = log
    self.context = context
    self.capture = capture
    self.publisher = publisher
    lease = ReaderLease(context, log)
  }

  /// What writes the log at present, and why it is not the store itself.
  var status: (mode: Mode, reason: String?) { state.withLock { ($0.mode, $0.reason) } }

  private var tables: StoreTables { context.tables }

  private var installer: ChangeLogInstaller {
    ChangeLogInstaller(entities: tables.entities, bound: ChangeLogBound(context.options))
  }

  // MARK: - Beginning

  /// Prepares the writing connection when the store is opened.
  func open(on database: Database) throws {
    guard let position = try log.readablePosition(on: database, floor: log.seen) else { return }
    log.consume(through: position.version.sequence)
    _ = log.markNotified(position.version.sequence)
    try prepareConnection(position, on: database)
  }

  /// Begins a transaction of the store, which is open already.
  /// - Returns: Where it begins, or `nil` if the log does not record it.
  func startTransaction(on database: Database) throws -> ChangeLog.Position? {
    var position = try log.position(on: database, floor: log.seen)
    if position?.layout.hasMisplacedTriggers ?? true, try mayRepair(on: database) {
      position = try repair(on: database)
    }
    guard let position else {
      try leave(on: database)
      return nil
    }
    if log.markNotified(position.version.sequence) { publisher.notify() }
    try prepareConnection(position, on: database)
    return position
  }

  /// Prepares the writing connection for the schema that it finds.
  private func prepareConnection(_ position: ChangeLog.Position, on database: Database) throws {
    let cookie = position.cookie
    guard state.withLock({ $0.preparedCookie != cookie }) else { return }
    try capture.readColumnPositions(on: database)
    let reason = reasonForTriggers(position.layout)
    let packs = reason == nil
    if context.ownsWriter { try setTriggers(enabled: !packs, on: database) }
    capture.pack(as: packs ? position.layout.entities.map(\.number) : nil)
    let triggers = UpdateTriggers(tables)
    if packs { try triggers.install(on: database) } else { try triggers.remove(on: database) }
    state.withLock { state in
      state.mode = packs ? .packed : .triggers
      state.reason = reason
      state.preparedCookie = cookie
      state.hopelessCookie = nil
      state.triggersRun = false
      state.isProvisional = state.isProvisional || database.isInsideTransaction
    }
  }

  /// Why the triggers must write the log for this connection too, or `nil` if they need not.
  private func reasonForTriggers(_ layout: ChangeLogLayout) -> String? {
    if !context.ownsWriter { return "the connection is the application's" }
    if !capture.isExact { return "this SQLite library has no pre-update hook" }
    if context.isMemory { return "a database in memory has one connection" }
    if layout.hasApplicationTriggers { return "the application has triggers of its own" }
    if layout.hasOtherEntities { return "the file has entities that this program does not name" }
    return capture.reasonForInexactHook
  }

  private func setTriggers(enabled: Bool, on database: Database) throws {
    let code = results_set_triggers(database.sqliteConnection, enabled ? 1 : 0)
    guard code == SQLITE_OK else { throw SQLiteFailure(database.sqliteConnection) }
  }

  // MARK: - Writing a commit

  /// Writes what a transaction of the store has done into the log, as its last statements.
  /// - Parameters:
  ///   - start: Where the transaction began.
  ///   - rows: The rows it touched.
  ///   - isComplete: Whether these are all.
  ///   - origin: The name that the writer gave itself.
  ///   - database: The writing connection.
  /// - Returns: The net changes, and what the commit does to the history.
  /// - Throws: SQLite's failures, also those of reading the changed rows.
  func writeCommit(
    since start: ChangeLog.Position,
    _ rows: TouchedRows,
    isComplete: Bool,
    origin: CommitOrigin,
    on database: Database
  ) throws -> Written {
    let current = state.withLock { state in
      defer { (state.hasForeignSQL, state.hasStrayCommit) = (false, false) }
      return state
    }
    let isComplete = isComplete && !current.hasStrayCommit
    let isKnown = isComplete && !rows.isOverflown && !rows.isBulk
    var changes = isKnown ? try rows.changes(of: tables, on: database) : nil
    if current.triggersRun {
      try removeRows(after: start.version.sequence, on: database)
      state.withLock { $0.preparedCookie = nil }
    }
    var last = WrittenRow(sequence: start.version.sequence)
    switch current.mode {
    case .packed where !isComplete:
      try ChangeLogFormat.interrupt(nil, on: database)
      last = WrittenRow(sequence: try ChangeLog.sequence(on: database))
    case .packed:
      guard changes?.isEmpty != true else { break }
      last = try pack(rows, origin: origin, on: database)
    case .triggers, .none:
      let newest = try ChangeLog.sequence(on: database)
      guard newest > last.sequence else { break }
      if changes == nil { changes = try loggedChanges(since: start, through: newest, on: database) }
      if changes?.isEmpty == true, !start.layout.hasOtherEntities {
        try removeRows(after: last.sequence, on: database)
      } else {
        last = try mark(from: last.sequence + 1, origin: origin, on: database)
      }
    }
    if current.hasForeignSQL, let written = try written(unlessLogged: start, last, on: database) {
      return written
    }
    var entry: CommitRing.Entry?
    if let changes, last.sequence > start.version.sequence {
      entry = CommitRing.Entry(
        before: start.version.sequence,
        sequence: last.sequence,
        event: .commit(origin, changes)
      )
    }
    try lease.noteCommit(on: database)
    try trimIfDue(through: last.sequence, on: database)
    return Written(
      changes: changes,
      pending: .logged(entry, sequence: last.sequence, stamp: last.stamp),
      version: StoreVersion(epoch: start.version.epoch, sequence: last.sequence)
    )
  }

  /// A row of the log, with its random number if the store drew it.
  private struct WrittenRow {
    let sequence: UInt64
    var stamp: Int64?
  }

  /// Writes the row of a commit, after the parts that do not fit into one row.
  private func pack(
    _ rows: TouchedRows,
    origin: CommitOrigin,
    on database: Database
  ) throws -> WrittenRow {
    var payload = rows.payload
    let parts = payload.finish()
    for part in parts.dropLast() { _ = try append(.part, .blob(part), nil, on: database) }
    let last = try append(.commit, .blob(parts.last ?? []), origin, on: database)
    let size = parts.reduce(0) { $0 + $1.count }
    state.withLock { $0.bytesSinceTrim += size }
    return last
  }

  /// Writes the row that marks the rows of the triggers as one commit.
  private func mark(
    from first: UInt64,
    origin: CommitOrigin,
    on database: Database
  ) throws -> WrittenRow {
    let connection = database.sqliteConnection
    let assigned = sqlite3_last_insert_rowid(connection)
    let row = try append(.marker, .integer(Int64(clamping: first)), origin, on: database)
    // The application may read the row number that its own statement was given.
    sqlite3_set_last_insert_rowid(connection, assigned)
    return row
  }

  private func append(
    _ kind: ChangeLogFormat.Kind,
    _ key: Value,
    _ origin: CommitOrigin?,
    on database: Database
  ) throws -> WrittenRow {
    let statement = try PreparedStatement(
      "INSERT INTO main._results_log (kind, key, v0, v1, stamp) VALUES (?, ?, ?, ?, ?)",
      on: database
    )
    try statement.bind(.integer(kind.rawValue), at: 1)
    try statement.bind(key, at: 2)
    if let origin {
      if origin != .unnamed { try statement.bind(.text(origin.name), at: 3) }
      try statement.bind(.integer(log.writer), at: 4)
    }
    let stamp = Int64.random(in: .min ... .max)
    try statement.bind(.integer(stamp), at: 5)
    try statement.run()
    let sequence = UInt64(clamping: sqlite3_last_insert_rowid(database.sqliteConnection))
    return WrittenRow(sequence: sequence, stamp: stamp)
  }

  private func removeRows(after sequence: UInt64, on database: Database) throws {
    try database.run("DELETE FROM main._results_log WHERE sequence > \(sequence)")
  }

  /// The net changes of the running transaction, as the triggers have logged them.
  private func loggedChanges(
    since start: ChangeLog.Position,
    through newest: UInt64,
    on database: Database
  ) throws -> [Int: [CommittedChange]]? {
    guard newest - start.version.sequence <= UInt64(max(0, context.options.historyCapacity)) else {
      return nil
    }
    let end = StoreVersion(epoch: start.version.epoch, sequence: newest)
    var changes: [Int: [CommittedChange]] = [:]
    for table in tables.all {
      let reader = ChangeLogReader(
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

  // MARK: - The application's SQL

  /// Notes that the application's SQL is about to run in a transaction of the store.
  func willRunForeignSQL() { state.withLock { $0.hasForeignSQL = true } }

  /// Adjusts to what the application's SQL has done to the schema in a transaction of the store.
  func didRunForeignSQL(on database: Database, since start: ChangeLog.Position) throws {
    guard database.isInsideTransaction,
      try database.integer("PRAGMA main.schema_version") != start.cookie
    else { return }
    state.withLock { $0.isProvisional = true }
    try capture.readColumnPositions(on: database)
    guard let position = try log.position(on: database, floor: nil),
      position.layout.hasApplicationTriggers,
      state.withLock({ $0.mode == .packed && !$0.triggersRun })
    else { return }
    // A trigger that was just created must run from now on; what the log's own triggers write is removed before the commit.
    try setTriggers(enabled: true, on: database)
    state.withLock { $0.triggersRun = true }
  }

  /// Checks that the log still records every change after the application's SQL has run, and repairs it if not.
  /// - Returns: How the commit ends the history, or `nil` if the log is intact.
  private func written(
    unlessLogged start: ChangeLog.Position,
    _ last: WrittenRow,
    on database: Database
  ) throws -> Written? {
    guard try database.integer("PRAGMA main.schema_version") != start.cookie else { return nil }
    state.withLock { $0.isProvisional = true }
    guard try log.position(on: database, floor: nil) == nil else { return nil }
    if try ChangeLogFormat.exists(on: database) {
      try installer.install(on: database)
      log.forgetLayout()
    }
    guard let position = try log.position(on: database, floor: nil) else {
      return Written(pending: .own(.gap(.schemaChanged)))
    }
    let sequence = position.version.sequence
    return Written(
      pending: .logged(
        nil,
        sequence: sequence,
        stamp: last.sequence == sequence ? last.stamp : nil
      ),
      version: StoreVersion(epoch: start.version.epoch, sequence: sequence)
    )
  }

  /// Notes a commit that was made within a transaction of the store, past it.
  func noteStrayCommit() { state.withLock { $0.hasStrayCommit = $0.mode == .packed } }

  /// Whether there was such a commit since the last call.
  func takeStrayCommit() -> Bool {
    state.withLock { state in
      defer { state.hasStrayCommit = false }
      return state.hasStrayCommit
    }
  }

  // MARK: - The end of a transaction

  /// Accepts what was prepared in the transaction.
  func didEnd() { state.withLock { $0.isProvisional = false } }

  /// Forgets what was prepared in the transaction that was rolled back.
  func didRollback() {
    let readsSchemaAgain = state.withLock { state in
      defer {
        if state.isProvisional || state.triggersRun { state.preparedCookie = nil }
        state.isProvisional = false
        state.hasForeignSQL = false
      }
      return state.isProvisional
    }
    if readsSchemaAgain { log.forgetLayout() }
  }

  // MARK: - Repair

  /// Whether the schema has changed since repairing the log last failed.
  func mayRepair(on database: Database) throws -> Bool {
    let cookie = try database.integer("PRAGMA main.schema_version")
    return state.withLock { $0.hopelessCookie != cookie }
  }

  /// Creates what is missing of the log and its triggers, in the open transaction; the history ends there.
  /// - Returns: `nil` if the log still misses changes.
  func repair(on database: Database) throws -> ChangeLog.Position? {
    var position: ChangeLog.Position?
    if try ChangeLogFormat.exists(on: database) {
      state.withLock { $0.isProvisional = true }
      try installer.install(on: database)
      log.forgetLayout()
      position = try log.position(on: database, floor: nil)
    }
    if position == nil {
      let cookie = try? database.integer("PRAGMA main.schema_version")
      state.withLock { $0.hopelessCookie = cookie }
    }
    return position
  }

  /// Stops using the log for as long as it misses changes.
  func leave(on database: Database) throws {
    guard state.withLock({ $0.mode != .none }) else { return }
    if context.ownsWriter { try setTriggers(enabled: true, on: database) }
    try UpdateTriggers(tables).remove(on: database)
    capture.pack(as: nil)
    state.withLock { state in
      state.mode = .none
      state.preparedCookie = nil
    }
  }

  /// Drops the log and its triggers, whatever state they are in, and creates them again.
  func rebuild(on database: Database, in session: CommitSession) throws {
    try session.runMaintenance(on: database) {
      state.withLock { $0.isProvisional = true }
      lease.forget()
      try installer.rebuild(on: database)
      log.forgetLayout()
      guard let position = try log.position(on: database, floor: nil) else { return }
      _ = log.markNotified(position.version.sequence)
      try prepareConnection(position, on: database)
    }
    publisher.notify()
  }

  // MARK: - Trimming

  /// After how many own commits the log's length is checked.
  private var trimInterval: Int { min(1000, max(1, context.options.logCapacity / 10)) }

  /// After how many entries of others the size of the database is looked at.
  private static let entriesBetweenLooks: UInt64 = 16

  /// The number of entries above which they are removed even if a reader still needs them.
  private var hardCapacity: UInt64 {
    let (capacity, isOver) = UInt64(max(1, context.options.logCapacity))
      .multipliedReportingOverflow(by: 100)
    return isOver ? .max : capacity
  }

  /// Trims the log in the transaction of a commit, if it is time.
  private func trimIfDue(through newest: UInt64, on database: Database) throws {
    let isDue = state.withLock { state in
      state.commitsSinceTrim += 1
      return state.commitsSinceTrim >= trimInterval
        || state.bytesSinceTrim > context.options.logByteLimit / 4
    }
    if isDue { try trim(through: newest, on: database) }
  }

  /// Trims a log that others have made much longer than its capacity, and renews the lease if it is due.
  func maintain(
    _ position: ChangeLog.Position,
    on database: Database,
    in session: CommitSession
  ) throws {
    let oldest = try database.integer("SELECT min(sequence) FROM main._results_log")
    // Any program can write into the log, so a row can have any number.
    let (count, isOver) = Int64(clamping: position.version.sequence)
      .subtractingReportingOverflow(oldest)
    let capacity = max(1, context.options.logCapacity)
    // What another reader retains stays, so it is not looked at again with each of a writer's commits.
    let added = position.version.sequence &- state.withLock { $0.sequenceAtTrim }
    let isLong =
      try isOver || count / 2 > Int64(capacity) && added >= UInt64(capacity)
      || hasGrown(through: position.version.sequence, on: database)
    guard isLong || lease.isDue else { return }
    do {
      try session.runMaintenance(on: database) {
        // What this store has followed since its last renewal can go too.
        if isLong || lease.isDue { try lease.renew(on: database) }
        if isLong { try trim(through: position.version.sequence, on: database) }
      }
    } catch {
      guard SQLiteFailure(error)?.primaryCode == SQLITE_BUSY else { throw error }
    }
  }

  /// Whether the database has grown so much that the log may be larger than its limit: rows of others can be large.
  private func hasGrown(through newest: UInt64, on database: Database) throws -> Bool {
    let isDue = state.withLock { state in
      guard newest &- state.sequenceAtLook >= ChangeLogWriter.entriesBetweenLooks else {
        return false
      }
      state.sequenceAtLook = newest
      return true
    }
    guard isDue else { return false }
    let size = try size(of: database)
    let limit = Int64(clamping: context.options.logByteLimit)
    return state.withLock { state in
      guard let before = state.sizeAtTrim else {
        state.sizeAtTrim = size
        return false
      }
      return size - before > limit
    }
  }

  /// The bytes of the pages in use.
  private func size(of database: Database) throws -> Int64 {
    let pages = try database.integer("PRAGMA main.page_count")
    let free = try database.integer("PRAGMA main.freelist_count")
    let (size, isOver) = try max(0, pages - free)
      .multipliedReportingOverflow(by: database.integer("PRAGMA main.page_size"))
    return isOver ? .max : size
  }

  /// The newest entry before those that fit into the limit of bytes; 0 if all fit.
  private func oversized(on database: Database) throws -> UInt64 {
    let columns = try ChangeLogFormat.columnCount(on: database)
    let statement = try PreparedStatement(
      """
      SELECT sequence, \(ChangeLogFormat.size(columns: columns)) FROM main._results_log
      GROUP BY sequence ORDER BY sequence DESC
      """,
      on: database
    )
    defer { statement.reset() }
    var bytes: Int64 = 0
    while try statement.step() {
      let (sum, isOver) = bytes.addingReportingOverflow(sqlite3_column_int64(statement.pointer, 1))
      bytes = sum
      guard !isOver, sum <= Int64(clamping: context.options.logByteLimit) else {
        return UInt64(clamping: sqlite3_column_int64(statement.pointer, 0))
      }
    }
    return 0
  }

  private func trim(through newest: UInt64, on database: Database) throws {
    state.withLock { state in
      state.commitsSinceTrim = 0
      state.bytesSinceTrim = 0
      state.sequenceAtTrim = newest
    }
    try ReaderLease.removeEnded(now: context.options.now(), on: database)
    let capacity = UInt64(max(1, context.options.logCapacity))
    var end = newest > capacity ? newest - capacity : 0
    end = max(end, try oversized(on: database))
    let needed = try database.integer(
      "SELECT ifnull(min(sequence), \(Int64.max)) FROM _results_reader"
    )
    end = min(end, UInt64(clamping: needed))
    end = max(end, newest > hardCapacity ? newest - hardCapacity : 0)
    end = min(end, newest - min(newest, 1))
    if end > 0 { try database.run("DELETE FROM main._results_log WHERE sequence <= \(end)") }
    let size = try size(of: database)
    state.withLock { $0.sizeAtTrim = size }
  }
}
