import Foundation

/// Where the built programs and the fixtures are.
enum ProgramFolder {
  /// What is missing.
  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  /// The file of a program that was built with this test, or of one that is named by its whole path.
  static func executable(_ name: String) throws -> String {
    guard !name.hasPrefix("/") else { return name }
    let beginnings = [CommandLine.arguments.first ?? "", Bundle.main.bundlePath]
    for beginning in beginnings where !beginning.isEmpty {
      var folder = URL(fileURLWithPath: beginning).standardizedFileURL
      while folder.path != "/" {
        let file = folder.appendingPathComponent(name)
        if FileManager.default.isExecutableFile(atPath: file.path), !isFolder(file) {
          return file.path
        }
        folder.deleteLastPathComponent()
      }
    }
    throw Missing(description: "no program \(name) beside \(beginnings); build it first")
  }

  /// The path of something in the folder `Fixtures`.
  static func fixture(_ path: String) -> String {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    return root.appendingPathComponent("Fixtures").appendingPathComponent(path).path
  }

  private static func isFolder(_ file: URL) -> Bool {
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder)
    return exists && isFolder.boolValue
  }
}
