import CSQLiteHooks
import GRDB
import ResultsDomain
import Synchronization

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
