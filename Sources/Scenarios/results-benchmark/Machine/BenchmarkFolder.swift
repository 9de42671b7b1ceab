import CSQLiteHooks
import Foundation

/// A temporary folder, which is removed with all that was made in it.
///
/// Its name holds the number of the process, so that the next benchmark removes what a killed one has left.
struct BenchmarkFolder {
  private static let prefix = "results-benchmark-"
  private let url: URL
  /// Where files are kept from run to run, or `nil`.
  private let keeping: URL?

  /// Makes the folder.
  /// - Throws: `BenchmarkError.cannotWrite` if it, or the folder that is to be kept, cannot be written.
  init(keeping kept: String? = nil) throws {
    let temporary = FileManager.default.temporaryDirectory
    Self.removeStale(in: temporary)
    url = temporary.appendingPathComponent("\(Self.prefix)\(results_process_id())")
    keeping = kept.map { URL(fileURLWithPath: $0, isDirectory: true) }
    for folder in [url, keeping].compactMap(\.self) { try Self.makeWritable(folder) }
  }

  /// The path of a file in the folder.
  func path(of name: String) -> String { url.appendingPathComponent(name).path }

  /// The path of a file that is kept from run to run if the user wants it.
  func keptPath(of name: String) -> String {
    (keeping ?? url).appendingPathComponent(name).path
  }

  /// Removes a database with its log, unless it is to be kept.
  func remove(_ name: String) {
    for end in ["", "-wal", "-shm", "-caches"] {
      try? FileManager.default.removeItem(atPath: path(of: name + end))
    }
  }

  /// Removes the folder with everything in it.
  func remove() { try? FileManager.default.removeItem(at: url) }

  /// Makes a folder if it is not there, and finds out whether files can be made in it.
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
      // Signal 0 only asks; a process of somebody else is there too.
      guard let process = Int32(name.dropFirst(prefix.count)), kill(process, 0) == -1,
        errno == ESRCH
      else { continue }
      try? FileManager.default.removeItem(at: temporary.appendingPathComponent(name))
    }
  }
}
