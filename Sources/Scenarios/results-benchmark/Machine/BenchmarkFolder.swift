import CSQLiteHooks
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
    url = temporary.appendingPathComponent("\(Self.prefix)\(results_process_id())")
    self.persistent = persistent.map { URL(fileURLWithPath: $0, isDirectory: true) }
    for folder in [url, self.persistent].compactMap(\.self) { try Self.makeWritable(folder) }
  }

  /// Returns the path of a file in the folder.
  func path(of name: String) -> String { url.appendingPathComponent(name).path }

  /// Returns the path of a file that later runs reuse if there is a folder for such files.
  func persistentPath(of name: String) -> String {
    (persistent ?? url).appendingPathComponent(name).path
  }

  /// Removes a database with its side files from the temporary folder.
  func remove(_ name: String) {
    for end in ["", "-wal", "-shm", "-caches"] {
      try? FileManager.default.removeItem(atPath: path(of: name + end))
    }
  }

  /// Removes the folder with everything in it.
  func remove() { try? FileManager.default.removeItem(at: url) }

  /// Creates a folder if it is missing, and checks that files can be created in it.
  static func makeWritable(_ folder: URL) throws {
    let probe = folder.appendingPathComponent(".\(prefix)\(results_process_id())")
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
