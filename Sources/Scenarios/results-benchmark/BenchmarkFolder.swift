import Foundation

/// A temporary folder, which is removed with all that was made in it.
struct BenchmarkFolder {
  private let url: URL

  init() throws {
    let name = "results-benchmark-\(ProcessInfo.processInfo.processIdentifier)"
    url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// The path of a file in the folder.
  func path(of name: String) -> String { url.appendingPathComponent(name).path }

  /// Removes a database with its log.
  func remove(_ name: String) {
    for end in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path(of: name + end))
    }
  }

  func remove() { try? FileManager.default.removeItem(at: url) }
}
