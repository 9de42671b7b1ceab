import Foundation

/// A folder for the files of one snippet.
struct TemporaryFolder {
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "snippet-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// The path of a file in the folder.
  func path(of name: String) -> String { url.appending(path: name).path() }

  /// Removes the folder and what is in it.
  func remove() { try? FileManager.default.removeItem(at: url) }
}
