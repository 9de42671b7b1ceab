import CSQLiteHooks
import GRDB
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The write-ahead log of a database and its index, which are files beside it.
///
/// SQLite finds them by name alone. When another file takes the database's path they remain, and a process that opens the new file would
/// use the log of the old one. So before the old file is abandoned its log is checkpointed, and both files are removed.
struct SideFiles: Sendable {
  private let logPath: String
  private let indexPath: String
  private let log: FileIdentity.Finding
  private let index: FileIdentity.Finding

  /// The message for a database whose side files are lost.
  static let lossDetail = """
    its -wal or -shm file was removed or replaced while it was open, so that other programs do not see what is committed here; \
    close it everywhere in this program and open it again
    """

  /// The side files of the database that a connection has open; `nil` if it is not in a file.
  init?(of connection: OpaquePointer?) {
    guard let path = sqlite3_db_filename(connection, "main").map({ String(cString: $0) }),
      !path.isEmpty
    else { return nil }
    (logPath, indexPath) = (path + "-wal", path + "-shm")
    (log, index) = (FileIdentity.find(logPath), FileIdentity.find(indexPath))
  }

  private init(_ files: SideFiles, _ log: FileIdentity.Finding, _ index: FileIdentity.Finding) {
    (logPath, indexPath) = (files.logPath, files.indexPath)
    (self.log, self.index) = (log, index)
  }

  /// The same files, with those that were created since.
  func completed(by later: SideFiles) -> SideFiles {
    SideFiles(self, log.file == nil ? later.log : log, index.file == nil ? later.index : index)
  }

  /// Whether one of the files is no longer the one that the connections of this process use.
  ///
  /// They must not be removed while a connection is open: a process that finds none creates new ones, and then it and this process do not
  /// see each other's commits.
  var areLost: Bool {
    [(logPath, log), (indexPath, index)]
      .contains { path, file in
        guard file.file != nil else { return false }
        let found = FileIdentity.find(path)
        return found != file && found != .unknown
      }
  }

  /// Whether they are the files beside a path.
  func lie(beside path: String) -> Bool {
    log.file != nil && FileIdentity.find(path + "-wal") == log
      || index.file != nil && FileIdentity.find(path + "-shm") == index
  }

  /// Removes the files that a read-only connection has created and left, unless they are in use or have content.
  ///
  /// SQLite removes them: another connection is opened and closed, which may write but does not.
  static func removeUnused(beside path: String) {
    guard results_side_file_size(path, "-wal") <= 0 else { return }
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
    if sqlite3_open_v2(path.databasePath, &opened, flags, nil) == SQLITE_OK {
      // The first read opens the log.
      sqlite3_exec(opened, "PRAGMA schema_version", nil, nil, nil)
    }
    sqlite3_close(opened)
  }

  /// Whether the log beside the path is still the same file.
  private var isUnchanged: Bool { log.file != nil && FileIdentity.find(logPath) == log }

  /// Whether the log has no content.
  private var isEmpty: Bool { results_file_size(logPath) == 0 }

  /// Removes the files after their database's file has lost its path.
  ///
  /// All processes that have the old file open do this under its write lock, one after the other; the side files of the new database are
  /// different files.
  /// - Parameters:
  ///   - database: The writing connection to the old file, in no transaction.
  ///   - isReadOnly: Whether the connection cannot write.
  /// - Returns: Whether nothing remains that would be taken for the new file's.
  /// - Throws: SQLite's failure, for example while another process locks the old file; or the failure to remove a file.
  func clear(on database: Database, isReadOnly: Bool) throws -> Bool {
    guard isUnchanged else { return true }
    guard !isReadOnly else { return isEmpty }
    for _ in 0..<3 {
      try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
      try database.run("BEGIN IMMEDIATE TRANSACTION")
      defer { try? database.run("ROLLBACK TRANSACTION") }
      guard isUnchanged else { return true }
      guard isEmpty else { continue }
      for (path, file) in [(logPath, log), (indexPath, index)]
      where file.file != nil && FileIdentity.find(path) == file {
        try FileManager.default.removeItem(atPath: path)
      }
      return true
    }
    return false
  }
}

/// Registers that a database is open in this process, with the side files that all its connections share.
///
/// SQLite opens a log's index once per process, whatever file has its name since. So a database that is opened while it is open elsewhere in
/// the process uses the files that were found first. If those are lost it is not opened until every store of the process has closed it:
/// each store closes its own connections without waiting for the others, and the next attempt to open succeeds.
///
/// The static lock `inUse` guards the registrations of the process, and is held for moments only.
final class SideFileRegistration: Sendable {
  private struct Entry {
    var files: SideFiles
    var count: Int
  }

  private static let inUse = Mutex<[FileIdentity: Entry]>([:])

  let files: SideFiles
  private let database: FileIdentity?
  private let hasEnded = Atomic(false)

  /// Registers a database that was opened.
  /// - Parameters:
  ///   - found: The side files beside it.
  ///   - database: The database's file.
  init(_ found: SideFiles, of database: FileIdentity.Finding) {
    self.database = database.file
    guard let file = database.file else {
      files = found
      return
    }
    files = Self.inUse.withLock { inUse in
      let files = inUse[file].map { $0.files.completed(by: found) } ?? found
      inUse[file] = Entry(files: files, count: (inUse[file]?.count ?? 0) + 1)
      return files
    }
  }

  /// Whether this process still has the file of a path open with side files that are lost.
  ///
  /// A connection that is opened now would use them too. If the others were closed meanwhile it would be the last one, whose closing
  /// removes the log that other processes have begun.
  static func usesLostFiles(at path: String) -> Bool {
    guard let file = FileIdentity.find(path).file else { return false }
    return inUse.withLock { $0[file]?.files }?.areLost == true
  }

  /// Whether the side files beside a path belong to another file, which had the path before and which this process still has open.
  ///
  /// A connection to the file that has the path now would use them as its own: it would empty an index that is mapped, and write the other
  /// file's log into this one (sqlite.org/howtocorrupt.html, 1.4).
  static func usesFilesOfAnother(at path: String) -> Bool {
    guard let file = FileIdentity.find(path).file else { return false }
    let others = inUse.withLock { inUse in inUse.filter { $0.key != file }.map(\.value.files) }
    guard !others.isEmpty else { return false }
    let path = StoreFile.canonicalName(of: path, false)
    return others.contains { $0.lie(beside: path) }
  }

  deinit { end() }

  /// Ends the registration.
  func end() {
    guard let database, !hasEnded.exchange(true, ordering: .relaxed) else { return }
    Self.inUse.withLock { inUse in
      inUse[database]?.count -= 1
      if inUse[database]?.count == 0 { inUse[database] = nil }
    }
  }
}
