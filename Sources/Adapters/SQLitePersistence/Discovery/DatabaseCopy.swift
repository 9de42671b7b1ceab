import CSQLiteHooks
public import ResultsDomain
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A copy of a database that another program keeps locked, as web browsers do with theirs.
///
/// The file is copied without a lock, with its write-ahead log or its journal, until none of them has changed meanwhile. From these SQLite
/// finds the last commit, as it does after a crash. A program with `PRAGMA journal_mode = MEMORY` or `OFF` keeps no journal, so that a copy
/// can have what it has not committed yet.
///
/// The process must not have the original open: closing a file ends the locks that SQLite holds on it.
///
/// A copy that a killed process has left is removed when the next one is made: a process holds a lock in the folder of each of its copies.
///
/// `folder` is changed under its lock, by `remove()` alone.
public final class DatabaseCopy: Sendable {
  /// The path of the copy, whose last component is that of the original.
  public let path: String
  /// The folder of the copy, which only this user may enter, with the file that is locked; `nil` once it is removed.
  private let folder: Mutex<Folder?>

  /// The suffixes of the files that belong to a database.
  private static let suffixes = ["", "-wal", "-journal"]
  /// How long nothing may have been written before a copy counts: some file systems count time in such steps.
  private static let rest = Duration.milliseconds(20)

  /// Copies a database.
  /// - Parameters:
  ///   - original: The path of the database's file.
  ///   - patience: How long to try while others write.
  /// - Throws: `StoreError.busy` if others write all the time, `.cannotOpen` for what is no file of a database or cannot be read, and
  ///   `.inputOutput` or `.diskFull` if there is too little room for the copy. Then nothing is left of it.
  /// - Complexity: O(*n*) in the bytes of the file.
  public init(of original: String, within patience: Duration = .seconds(5)) throws(StoreError) {
    // A log and a journal are beside the file itself, not beside a link to it.
    let real = realpath(original, nil)
    defer { free(real) }
    let file = real.map { String(cString: $0) } ?? original
    let folder = try DatabaseCopy.makeFolder(for: original)
    let path = folder.path + "/" + (original.split(separator: "/").last.map(String.init) ?? "copy")
    do throws(StoreError) {
      let start = ContinuousClock.now
      var pause = Duration.milliseconds(10)
      while try !DatabaseCopy.copy(file, to: path) {
        guard ContinuousClock.now - start < patience else {
          throw .busy(path: original, waited: patience)
        }
        usleep(UInt32(pause / .microseconds(1)))
        pause = min(pause * 2, .milliseconds(200))
      }
      try DatabaseCopy.settle(path, as: original)
    } catch {
      folder.remove()
      throw error
    }
    self.path = path
    self.folder = Mutex(folder)
  }

  deinit { remove() }

  /// Removes the copy, unless it is removed already.
  public func remove() {
    let folder = folder.withLock { folder in
      defer { folder = nil }
      return folder
    }
    folder?.remove()
  }
}

// MARK: - The folder

extension DatabaseCopy {
  /// A folder with a file that this process has locked.
  private struct Folder {
    let path: String
    let lock: Int32

    func remove() {
      try? FileManager.default.removeItem(atPath: path)
      close(lock)
    }
  }

  /// The beginning of the folders' names, and the name of the file that is locked.
  private static let (prefix, lockName) = ("results-copy-", "/lock")

  private static func makeFolder(for original: String) throws(StoreError) -> Folder {
    let parent = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 }
    removeAbandoned(in: parent ?? "/tmp")
    var template = Array("\(parent ?? "/tmp")/\(prefix)XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }
    }
    if let path = made.map({ String(cString: $0) }) {
      let lock = open(path + lockName, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0, State(of: path + lockName) != nil {
        return Folder(path: path, lock: lock)
      }
      Folder(path: path, lock: lock).remove()
    }
    let reason = String(cString: strerror(errno))
    throw .inputOutput(path: original, detail: "no folder for a copy can be created (\(reason))")
  }

  /// Removes the folders of this user whose process has ended.
  private static func removeAbandoned(in parent: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let path = "\(parent)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
        status.st_uid == geteuid()
      else { continue }
      let lock = open(path + lockName, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
      guard lock >= 0 else { continue }
      if flock(lock, LOCK_EX | LOCK_NB) == 0 {
        Folder(path: path, lock: lock).remove()
      } else {
        close(lock)
      }
    }
  }
}

// MARK: - Copying

extension DatabaseCopy {
  /// What shows that a file was written.
  private struct State: Equatable {
    var number: UInt64 = 0
    var size: Int64 = 0
    var modified: Duration = .zero

    /// The state of a file; `nil` if there is none.
    init?(of path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      #if canImport(Darwin)
      let time = status.st_mtimespec
      #else
      let time = status.st_mtim
      #endif
      number = UInt64(status.st_ino)
      size = Int64(status.st_size)
      modified = .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// Whether a later write gives the file another time.
    var isSettled: Bool {
      var now = timespec()
      guard clock_gettime(CLOCK_REALTIME, &now) == 0 else { return false }
      let age = .seconds(Int64(now.tv_sec)) + .nanoseconds(Int64(now.tv_nsec)) - modified
      return age > rest || age < .zero - .seconds(2)
    }
  }

  /// Copies the files.
  /// - Returns: Whether nobody wrote meanwhile.
  private static func copy(_ original: String, to path: String) throws(StoreError) -> Bool {
    let before = suffixes.map { State(of: original + $0) }
    guard before.allSatisfy({ $0?.isSettled != false }) else { return false }
    try checkRoom(for: before.reduce(0) { $0 + ($1?.size ?? 0) }, at: path)
    for (suffix, state) in zip(suffixes, before) {
      unlink(path + suffix)
      guard state != nil || suffix.isEmpty else { continue }
      guard try copyFile(original + suffix, to: path + suffix, of: original) else { return false }
    }
    guard !isOfSeveralFiles(path + "-journal") else { return false }
    return suffixes.map { State(of: original + $0) } == before
  }

  /// Refuses a copy that would leave others little room: it may take half of what is free.
  private static func checkRoom(for size: Int64, at path: String) throws(StoreError) {
    var status = statvfs()
    let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
    guard statvfs(folder, &status) == 0 else { return }
    let (free, isOver) = UInt64(status.f_bavail)
      .multipliedReportingOverflow(by: UInt64(status.f_frsize))
    guard isOver || UInt64(clamping: size) <= free / 2 else {
      let detail =
        "a copy would take more than half of the room that is free; set TMPDIR to a folder with more"
      throw .inputOutput(path: path, detail: detail)
    }
  }

  /// Copies a file's bytes.
  /// - Returns: `false` if it was removed meanwhile.
  private static func copyFile(
    _ original: String,
    to path: String,
    of database: String
  ) throws(StoreError) -> Bool {
    let source = open(original, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard source >= 0 else {
      switch errno {
      case ENOENT where original != database: return false
      case ENOENT: throw .cannotOpen(path: database, .missingFile)
      case EACCES, EPERM:
        throw .cannotOpen(path: database, .noPermission(detail: String(cString: strerror(errno))))
      default: throw .inputOutput(path: original, detail: String(cString: strerror(errno)))
      }
    }
    defer { close(source) }
    var status = stat()
    guard fstat(source, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .cannotOpen(path: database, .notAFile)
    }
    let target = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard target >= 0 else {
      throw .inputOutput(path: path, detail: String(cString: strerror(errno)))
    }
    defer { close(target) }
    let failure = withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 16) { buffer in
      while true {
        let count = read(source, buffer.baseAddress, buffer.count)
        if count == 0 { return Int32(0) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return errno }
        var written = 0
        while written < count {
          let step = write(target, buffer.baseAddress?.advanced(by: written), count - written)
          if step < 0, errno == EINTR { continue }
          guard step > 0 else { return errno }
          written += step
        }
      }
    }
    switch failure {
    case 0: return true
    case ENOSPC, EDQUOT: throw .diskFull(path: path)
    default: throw .inputOutput(path: original, detail: String(cString: strerror(failure)))
    }
  }

  /// Whether a journal is of a transaction over several databases: whether it counts is in another file, which SQLite would remove.
  private static func isOfSeveralFiles(_ journal: String) -> Bool {
    // https://www.sqlite.org/fileformat2.html#the_rollback_journal
    let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    let file = open(journal, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var last = [UInt8](repeating: 0, count: magic.count)
    guard lseek(file, -off_t(magic.count), SEEK_END) > 0 else { return false }
    return read(file, &last, last.count) == last.count && last == magic
  }

  /// Lets SQLite find the last commit in the copied files, and puts it into the file.
  private static func settle(_ path: String, as original: String) throws(StoreError) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
    defer { sqlite3_close(opened) }
    var code = sqlite3_open_v2(path.databasePath, &opened, flags, nil)
    if code == SQLITE_OK {
      code = sqlite3_exec(opened, "PRAGMA journal_mode = DELETE", nil, nil, nil)
    }
    guard code == SQLITE_OK else {
      throw StoreError(SQLiteFailure(opened) as any Error, path: original, waited: .zero)
    }
  }
}
