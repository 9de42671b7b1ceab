import CSQLiteHooks
import ResultsDomain

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the file system says of a store's file before SQLite is asked.
///
/// The file is never opened here: closing a database's file drops the locks that SQLite holds on it in this process.
struct StoreFile {
  let path: String

  /// Whether the file is not there, or empty.
  private(set) var isNew = false

  /// Whether nothing lay beside the file that SQLite makes for a log.
  let isAlone: Bool

  /// How many bytes a full path can have: SQLite needs some more for the names of what lies beside the file.
  private static var longestPath: Int {
    Int(clamping: sqlite3_vfs_find(nil)?.pointee.mxPathname ?? 512) - 8
  }

  /// Looks at a path.
  /// - Throws: `StoreError.cannotOpen` for what cannot become or be a store.
  init(_ path: String, isReadOnly: Bool) throws(StoreError) {
    self.path = path
    isAlone = ["-wal", "-shm", "-journal"].allSatisfy { (suffix: String) in
      results_side_file_size(path, suffix) < 0
    }
    func refuse(_ failure: OpenFailure) -> StoreError { .cannotOpen(path: path, failure) }
    guard !path.isEmpty else { throw refuse(.cannotCreate(detail: "its path is empty")) }
    guard !path.utf8.contains(0) else {
      throw refuse(.cannotCreate(detail: "its path holds a NUL character"))
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
        // A log cannot be read without its index, which whoever reads first makes.
        let hasIndex = results_side_file_size(path, "-shm") >= 0
        let mayMakeFiles = manager.isWritableFile(atPath: StoreFile.folder(of: path))
        throw refuse(.notWritable(canBeRead: hasIndex || mayMakeFiles))
      }
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

  /// The size in bytes of the log that holds what is not in the file yet.
  var logSize: Int { max(0, Int(results_side_file_size(path, "-wal"))) }

  /// Whether a log or a journal holds what a writer that runs, or one that crashed, has not brought into the file.
  var hasUnfinishedWork: Bool { logSize > 0 || results_side_file_size(path, "-journal") > 0 }

  /// A name for a database that keeps none itself: its path with every symbolic link followed.
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
  /// The path as SQLite is to be given it: libraries differ in whether they take `file:` for the beginning of a URI, which would
  /// name another file.
  var databasePath: String { hasPrefix("file:") ? "./" + self : self }
}
