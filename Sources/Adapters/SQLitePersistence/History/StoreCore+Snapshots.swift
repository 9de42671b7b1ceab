import Dispatch
import GRDB
import ResultsDomain
import Synchronization

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
