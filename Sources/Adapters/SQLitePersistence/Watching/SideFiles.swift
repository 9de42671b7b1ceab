import CSQLiteHooks
import GRDB
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The log of a database and its index, as files beside it.
///
/// SQLite finds them by their names alone. When another database's file takes the name, they stay, and whoever opens the new file
/// takes the old one's log for its own. So the last thing to be done with the old file is to bring its log into it, and to take both
/// files away.
struct SideFiles: Sendable {
  private let logPath: String
  private let indexPath: String
  private let log: FileIdentity.Finding
  private let index: FileIdentity.Finding

  /// What happened to a database whose side files are lost, and what comes of it.
  static let lossDetail = """
    its -wal or -shm file was removed or replaced while it was open, so that other programs do not see what is committed here; \
    it must be opened anew, and everywhere in this program
    """

  /// The side files of the database that a connection has open; `nil` if it is in no file.
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

  /// The same files, and those that are there only since.
  func completed(by later: SideFiles) -> SideFiles {
    SideFiles(self, log.file == nil ? later.log : log, index.file == nil ? later.index : index)
  }

  /// Whether one of the files is no longer the one that the connections of this process work with.
  ///
  /// Nobody may take them away while a connection is open, and whoever finds none makes new ones, beside which this process neither sees
  /// nor is seen.
  var areLost: Bool {
    [(logPath, log), (indexPath, index)]
      .contains { path, file in
        guard file.file != nil else { return false }
        let found = FileIdentity.find(path)
        return found != file && found != .unknown
      }
  }

  /// Removes the files that a connection which may not write has made and left, unless somebody uses them or they hold something.
  ///
  /// SQLite does it itself: another connection is opened and closed, which may write but does not.
  static func removeUnused(beside path: String) {
    guard results_side_file_size(path, "-wal") <= 0 else { return }
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
    if sqlite3_open_v2(path.databasePath, &opened, flags, nil) == SQLITE_OK {
      // The log is found when something is read.
      sqlite3_exec(opened, "PRAGMA schema_version", nil, nil, nil)
    }
    sqlite3_close(opened)
  }

  /// Whether the log that lies beside the path is still the one it was.
  private var isThere: Bool { log.file != nil && FileIdentity.find(logPath) == log }

  /// Whether the log holds nothing.
  private var isEmpty: Bool { results_file_size(logPath) == 0 }

  /// Clears the files away, after their database's file has lost its name.
  ///
  /// All processes that have the old file open do this under its write lock, one after the other; the files of the new database that one
  /// of them has made are other files.
  /// - Parameters:
  ///   - database: The writing connection to the old file; it is in no transaction.
  ///   - isReadOnly: Whether the connection cannot write.
  /// - Returns: Whether nothing of them remains that would be taken for the new file's.
  /// - Throws: SQLite's failure, such as that another process keeps the old file; or that a file cannot be removed.
  func clear(on database: Database, isReadOnly: Bool) throws -> Bool {
    guard isThere else { return true }
    guard !isReadOnly else { return isEmpty }
    for _ in 0..<3 {
      try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
      try database.run("BEGIN IMMEDIATE TRANSACTION")
      defer { try? database.run("ROLLBACK TRANSACTION") }
      guard isThere else { return true }
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

/// That a database is open in this process, with the side files that all its connections share.
///
/// SQLite opens the index of a log once a process, whatever its name has come to mean since. So a database that is opened while
/// it is open elsewhere in the process works with the files that were found first.
final class SideFilesUse: Sendable {
  private struct Entry {
    var files: SideFiles
    var count: Int
  }

  /// Held by the one store of the process that opens its database anew because its side files are lost.
  ///
  /// Two that did so at the same time would each find the other's old files open, and not yet noted here.
  static let renewal = Mutex(())

  private static let inUse = Mutex<[FileIdentity: Entry]>([:])

  let files: SideFiles
  private let database: FileIdentity?
  private let hasEnded = Atomic(false)

  /// Notes that a database is open.
  /// - Parameters:
  ///   - found: The side files as they lie beside it.
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

  deinit { end() }

  /// Notes that the database was closed.
  func end() {
    guard let database, !hasEnded.exchange(true, ordering: .relaxed) else { return }
    Self.inUse.withLock { inUse in
      inUse[database]?.count -= 1
      if inUse[database]?.count == 0 { inUse[database] = nil }
    }
  }
}
