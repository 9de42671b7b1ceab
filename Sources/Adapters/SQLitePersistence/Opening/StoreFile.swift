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

  /// Looks at a path.
  /// - Throws: `StoreError.cannotOpen` for what cannot become or be a store.
  init(_ path: String, isReadOnly: Bool) throws(StoreError) {
    self.path = path
    func refuse(_ failure: OpenFailure) -> StoreError { .cannotOpen(path: path, failure) }
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw refuse(.cannotCreate(detail: "the path is empty or holds a NUL character"))
    }
    let manager = FileManager.default
    var isFolder = false
    if manager.fileExists(atPath: path, isDirectory: &isFolder) {
      guard !isFolder else { throw refuse(.isDirectory) }
      guard manager.isReadableFile(atPath: path) else {
        throw refuse(.noPermission(detail: "it may not be read"))
      }
      guard isReadOnly || manager.isWritableFile(atPath: path) else {
        throw refuse(.noPermission(detail: "it may not be written"))
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
      throw refuse(.noPermission(detail: "nothing may be made in \(folder)"))
    }
    isNew = true
  }

  /// The file's size in bytes, or 0 if there is none.
  var size: Int { Int(results_file_size(path)) }

  /// The size in bytes of the log that holds what is not in the file yet.
  var logSize: Int { Int(results_file_size(path + "-wal")) }

  /// Whether a log or a journal holds what a writer that runs, or one that crashed, has not brought into the file.
  var hasUnfinishedWork: Bool { logSize > 0 || results_file_size(path + "-journal") > 0 }

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
