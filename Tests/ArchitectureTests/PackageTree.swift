import Foundation

/// The files of the package.
enum PackageTree {
  /// The folder that contains `Package.swift`.
  static let root: URL = {
    var folder = URL(filePath: #filePath).deletingLastPathComponent()
    while folder.path() != "/" {
      let manifest = folder.appending(path: "Package.swift")
      if FileManager.default.fileExists(atPath: manifest.path()) { break }
      folder.deleteLastPathComponent()
    }
    return folder
  }()

  /// Returns the URL of a path in the package.
  static func url(_ path: String) -> URL { root.appending(path: path) }

  /// Returns the text of a file by its path in the package.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: url(path), encoding: .utf8)
  }

  /// Returns the sorted names of the folders in a folder, or an empty array if the folder does not exist.
  static func folders(in path: String) -> [String] {
    names(in: path).filter { isFolder("\(path)/\($0)") }
  }

  /// Returns the sorted paths of all files below a folder with one of the extensions, or of all files if there are no extensions.
  static func files(under path: String, _ extensions: String...) -> [String] {
    names(in: path).flatMap { name -> [String] in
      let child = path.isEmpty ? name : "\(path)/\(name)"
      guard !isFolder(child) else { return files(under: child, extensions) }
      return extensions.isEmpty || extensions.contains(url(child).pathExtension) ? [child] : []
    }
  }

  /// Returns all text files of the package, without build products and version control.
  static func textFiles() -> [String] {
    let known = [
      "swift", "c", "h", "md", "txt", "json", "jsonl", "tsv", "csv", "xml", "sh", "modulemap",
      "sql",
    ]
    let folders = names(in: "").filter { isFolder($0) && !$0.hasPrefix(".build") && $0 != ".git" }
    let topFiles = names(in: "").filter { !isFolder($0) }
    return (topFiles + folders.flatMap { files(under: $0) }).filter { path in
      let suffix = url(path).pathExtension
      return !path.contains("/.build") && (known.contains(suffix) || suffix.isEmpty)
    }
  }

  private static func files(under path: String, _ extensions: [String]) -> [String] {
    names(in: path).flatMap { name -> [String] in
      let child = "\(path)/\(name)"
      guard !isFolder(child) else { return files(under: child, extensions) }
      return extensions.isEmpty || extensions.contains(url(child).pathExtension) ? [child] : []
    }
  }

  private static func names(in path: String) -> [String] {
    let folder = path.isEmpty ? root : url(path)
    return (try? FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()) ?? []
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: url(path).path(), isDirectory: &isFolder)
    return exists && isFolder.boolValue
  }
}
