import CSQLiteHooks
import ResultsDomain

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The state of a store's file, as the file system reports it before SQLite opens it.
///
/// The file is never opened here: closing a database's file releases the locks that SQLite holds on it in this process.
struct StoreFile {
  let path: String

  /// Whether the file does not exist, or is empty.
  private(set) var isNew = false

  /// Whether the file exists.
  private(set) var exists = false

  /// Whether there were no side files beside the file.
  let isAlone: Bool

  /// The greatest length of a full path in bytes: SQLite needs some more for the names of side files.
  private static var longestPath: Int {
    Int(clamping: sqlite3_vfs_find(nil)?.pointee.mxPathname ?? 512) - 8
  }

  /// Checks a path.
  /// - Throws: `StoreError.cannotOpen` if it cannot be or become a store.
  init(_ path: String, isReadOnly: Bool) throws(StoreError) {
    self.path = path
    isAlone = ["-wal", "-shm", "-journal"].allSatisfy { (suffix: String) in
      results_side_file_size(path, suffix) < 0
    }
    func refuse(_ failure: OpenFailure) -> StoreError { .cannotOpen(path: path, failure) }
    guard !path.isEmpty else { throw refuse(.cannotCreate(detail: "its path is empty")) }
    guard !path.utf8.contains(0) else {
      throw refuse(.cannotCreate(detail: "its path contains a NUL character"))
    }
    let length = Int(results_full_path_length(path))
    guard length <= StoreFile.longestPath else {
      throw refuse(.pathTooLong(byteCount: length, limit: StoreFile.longestPath))
    }
    let manager = FileManager.default
    var isFolder = false
    if manager.fileExists(atPath: path, isDirectory: &isFolder) {
      guard !isFolder else { throw refuse(.isDirectory) }
      guard results_file_kind(path) != RESULTS_OTHER_FILE else { throw refuse(.notAFile) }
      guard manager.isReadableFile(atPath: path) else {
        throw refuse(.noPermission(detail: "it may not be read"))
      }
      guard isReadOnly || manager.isWritableFile(atPath: path) else {
        // A write-ahead log cannot be read without its index, which the first reader creates.
        let hasIndex = results_side_file_size(path, "-shm") >= 0
        let mayMakeFiles = manager.isWritableFile(atPath: StoreFile.folder(of: path))
        throw refuse(.notWritable(canBeRead: hasIndex || mayMakeFiles))
      }
      // SQLite takes a file of one byte for an empty one, and would overwrite it.
      guard size != 1 else { throw refuse(.notADatabase) }
      exists = true
      isNew = size == 0
      return
    }
    guard !isReadOnly else { throw refuse(.missingFile) }
    let folder = StoreFile.folder(of: path)
    guard manager.fileExists(atPath: folder, isDirectory: &isFolder) else {
      throw refuse(.missingFolder(folder))
    }
    guard isFolder else { throw refuse(.cannotCreate(detail: "\(folder) is not a folder")) }
    guard manager.isWritableFile(atPath: folder) else {
      throw refuse(.cannotCreate(detail: "no permission to create files in \(folder)"))
    }
    isNew = true
  }

  /// The file's size in bytes, or 0 if there is none.
  var size: Int { Int(results_file_size(path)) }

  /// The size of the write-ahead log in bytes.
  var logSize: Int { max(0, Int(results_side_file_size(path, "-wal"))) }

  /// Whether a log or a journal holds work of a running or crashed writer that is not in the file yet.
  var hasUnfinishedWork: Bool { logSize > 0 || results_side_file_size(path, "-journal") > 0 }

  /// A name for a database that has no persistent one: its path with all symbolic links resolved.
  static func canonicalName(of path: String, _ isMemory: Bool) -> String {
    guard !isMemory else {
      var generator = SystemRandomNumberGenerator()
      return String(generator.next(), radix: 16)
    }
    return URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

extension String {
  /// The path in the form to pass to SQLite: some libraries take `file:` for the beginning of a URI, which would name another file.
  var databasePath: String { hasPrefix("file:") ? "./" + self : self }
}
