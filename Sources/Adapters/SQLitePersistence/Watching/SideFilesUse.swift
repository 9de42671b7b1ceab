import Synchronization

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
