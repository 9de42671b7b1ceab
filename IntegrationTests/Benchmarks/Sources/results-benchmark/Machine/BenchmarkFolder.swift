import CSQLiteHooks
import ResultsStoreKit
import Foundation

/// A temporary folder for the files of a run, removed at its end.
///
/// Its name contains the process identifier, so that the next run can remove the folder of a killed one.
struct BenchmarkFolder {
  private static let prefix = "results-benchmark-"
  private let url: URL
  /// The folder of the files that later runs reuse, or `nil`.
  private let persistent: URL?

  /// Creates the folder.
  /// - Parameter persistent: The path of a folder for files that later runs reuse.
  /// - Throws: `BenchmarkError.cannotWrite` if one of the folders cannot be written.
  init(persistent: String? = nil) throws {
    let temporary = FileManager.default.temporaryDirectory
    Self.removeStale(in: temporary)
    url = temporary.appendingPathComponent(
      "\(Self.prefix)\(ProcessInfo.processInfo.processIdentifier)"
    )
    self.persistent = persistent.map { URL(fileURLWithPath: $0, isDirectory: true) }
    for folder in [url, self.persistent].compactMap(\.self) { try Self.makeWritable(folder) }
  }

  /// Returns the path of a file in the folder.
  func path(of name: String) -> String { url.appendingPathComponent(name).path }

  /// Makes a database of this run.
  ///
  /// If there is a folder for later runs, the database is kept there as it was created, and this run changes a copy of it: the next run
  /// measures the same.
  /// - Parameters:
  ///   - name: The file's name.
  ///   - isComplete: Whether the kept file at a path is whole; a run that was killed can have left less.
  ///   - create: Creates the file at a path, at which there is none.
  /// - Returns: The path of the file that the run may change.
  /// - Throws: What `isComplete` and `create` throw, and the system's error if the file cannot be copied.
  func database(
    _ name: String,
    isComplete: (String) throws -> Bool,
    create: (String) throws -> Void
  ) throws -> String {
    let path = path(of: name)
    Self.remove(path)
    guard let kept = persistent?.appendingPathComponent(name).path else {
      try create(path)
      return path
    }
    if try !FileManager.default.fileExists(atPath: kept) || !isComplete(kept) {
      Self.remove(kept)
      try create(kept)
    }
    // A log exists only while the file is open, or after a run that was killed.
    for end in ["", "-wal"] where FileManager.default.fileExists(atPath: kept + end) {
      try FileManager.default.copyItem(atPath: kept + end, toPath: path + end)
    }
    return path
  }

  /// Removes a database with its side files from the temporary folder.
  func remove(_ name: String) { Self.remove(path(of: name)) }

  private static func remove(_ path: String) {
    for end in ["", "-wal", "-shm", "-caches"] {
      try? FileManager.default.removeItem(atPath: path + end)
    }
  }

  /// Removes the folder with everything in it.
  func remove() { try? FileManager.default.removeItem(at: url) }

  /// Creates a folder if it is missing, and checks that files can be created in it.
  static func makeWritable(_ folder: URL) throws {
    let probe = folder.appendingPathComponent(
      ".\(prefix)\(ProcessInfo.processInfo.processIdentifier)"
    )
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data("probe".utf8).write(to: probe)
      try FileManager.default.removeItem(at: probe)
    } catch {
      let detail = (error as NSError).localizedDescription
      throw BenchmarkError.cannotWrite(path: folder.path, detail: detail)
    }
  }

  /// Removes the folders of benchmarks that are no longer running.
  private static func removeStale(in temporary: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: temporary.path)) ?? []
    for name in names where name.hasPrefix(prefix) {
      // Signal 0 only tests whether the process exists, also if it belongs to another user.
      guard let process = Int32(name.dropFirst(prefix.count)), kill(process, 0) == -1,
        errno == ESRCH
      else { continue }
      try? FileManager.default.removeItem(at: temporary.appendingPathComponent(name))
    }
  }
}
