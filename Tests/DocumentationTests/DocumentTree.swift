import Foundation

/// The package's documents and tests, as files.
enum DocumentTree {
  /// The folder that holds `Package.swift`.
  static let root: URL = {
    var folder = URL(filePath: #filePath).deletingLastPathComponent()
    while folder.path() != "/" {
      let manifest = folder.appending(path: "Package.swift")
      if FileManager.default.fileExists(atPath: manifest.path()) { break }
      folder.deleteLastPathComponent()
    }
    return folder
  }()

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path())
  }

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Paths of all files below a folder that end in an extension, sorted.
  static func files(under path: String, _ suffix: String) -> [String] {
    let folder = root.appending(path: path).path()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? []
    return names.flatMap { name -> [String] in
      let child = "\(path)/\(name)"
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(
        atPath: root.appending(path: child).path(),
        isDirectory: &isFolder
      )
      if isFolder.boolValue { return files(under: child, suffix) }
      return name.hasSuffix("." + suffix) ? [child] : []
    }
  }

  /// Whether a file can be run.
  static func isExecutable(_ path: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: root.appending(path: path).path())
  }

  /// README and everything under `docs`.
  static var documents: [String] { ["README.md"] + files(under: "docs", "md") }

  static func page(_ path: String) throws -> DocumentPage {
    DocumentPage(path: path, text: try text(path))
  }

  /// The snippets of this module's sources, by name.
  static func snippets() throws -> [String: Snippet] {
    let files = files(under: "Tests/DocumentationTests", "swift").filter {
      $0.contains("/Snippets")
    }
    let snippets = try files.flatMap { Snippet.all(in: try text($0), file: $0) }
    return Dictionary(snippets.map { ($0.name, $0) }) { first, _ in first }
  }
}
