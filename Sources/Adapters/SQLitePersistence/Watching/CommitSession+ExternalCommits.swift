import CSQLiteHooks
import GRDB
import ResultsDomain
import Synchronization

/// How commits of other processes and connections are noticed. In order:
///
/// 1. `StoreWatch` sees that the file has changed, or that its interval has passed, and sends a sign.
/// 2. `FollowedDatabase` receives the sign. If the file was replaced, it opens the new one; otherwise it calls
///    `OpenDatabase.checkSoon(mark:_:)`.
/// 3. On the writing connection, `noteExternalCommits(on:mayWrite:)` compares SQLite's data version with the one of the last check. Over
///    a file of others with a rollback journal it copies the file if that has changed (`ForeignFile`).
/// 4. `noteLoggedCommits(on:mayWrite:)` reads the newest version of the change log and notifies the listeners. Without a log the history
///    gets a gap, after which lists are read again.
extension CommitSession {
  /// Notes commits of other connections, if there were any since the last check.
  /// - Parameters:
  ///   - database: The writing connection.
  ///   - mayWrite: Whether the log may be repaired and trimmed, and the lease renewed.
  /// - Returns: `false` if another connection keeps the database busy, so that the check must be repeated.
  /// - Throws: SQLite's other failures.
  @discardableResult
  func noteExternalCommits(on database: Database, mayWrite: Bool = true) throws -> Bool {
    if let file = context.foreignFile, !file.isReadDirectly {
      return try noteCopy(of: file, on: database)
    }
    let version: Int64
    let isLogged: Bool
    do {
      version = try database.integer("PRAGMA data_version")
      guard dataVersion.load(ordering: .sequentiallyConsistent) != version else {
        if mayWrite { try log?.lease.renewIfOld(on: database, in: self) }
        return true
      }
      isLogged = try noteLoggedCommits(on: database, mayWrite: mayWrite)
    } catch  where SQLiteFailure(error)?.primaryCode == SQLITE_BUSY {
      return false
    }
    dataVersion.store(version, ordering: .sequentiallyConsistent)
    if !isLogged {
      recordGap(.otherWriter)
      publisher.notify()
    }
    return true
  }

  /// Makes the connection read a new copy of a file if something was committed since the last one.
  /// - Returns: `false` if a writer is at work, so that the check must be repeated.
  private func noteCopy(of file: ForeignFile, on database: Database) throws -> Bool {
    switch file.refresh() {
    case .unchanged: return true
    case .unsettled: return false
    case .changed:
      if try !noteLoggedCommits(on: database, mayWrite: false) {
        recordGap(.otherWriter)
        publisher.notify()
      }
      return true
    }
  }

  /// Notifies the listeners if the change log has grown, and repairs the log if its triggers are not as they should be.
  /// - Returns: Whether there is a log that records every commit.
  func noteLoggedCommits(on database: Database, mayWrite: Bool) throws -> Bool {
    guard let writer = log else { return false }
    let mayWrite = mayWrite && context.options.maintainsFile && !database.isInsideTransaction
    var position = try writer.log.readablePosition(on: database, floor: writer.log.seen)
    if position?.layout.hasMisplacedTriggers ?? true, mayWrite,
      try writer.mayRepair(on: database)
    {
      try runMaintenance(on: database) { position = try writer.repair(on: database) }
    }
    guard let position else {
      if mayWrite, isLogged {
        try runMaintenance(on: database) { try writer.leave(on: database) }
      }
      return false
    }
    if writer.log.markNotified(position.version.sequence) { publisher.notify() }
    if mayWrite { try writer.maintain(position, on: database, in: self) }
    return true
  }
}
