import Foundation
import Synchronization

// MARK: - Files

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

  /// README, everything under `docs`, and the pages of the reference.
  static var documents: [String] {
    ["README.md"] + files(under: "docs", "md") + files(under: "Sources", "md")
  }

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

// MARK: - Pages

/// One Markdown file: its code blocks, and what the comments above them say they are.
struct DocumentPage {
  /// A fenced block of code.
  struct Block {
    /// The language after the fence, such as `swift` or `text`.
    let language: String
    /// What the comment directly above says: `snippet` or `output`, and a name.
    let mark: (kind: String, name: String)?
    /// The lines between the fences, without common indentation.
    let lines: [String]
    /// The line of the opening fence, from 1.
    let line: Int
  }

  /// The file, by its path in the package.
  let path: String
  /// Its blocks, in order.
  let blocks: [Block]

  init(path: String, text: String) {
    self.path = path
    var blocks: [Block] = []
    var mark: (kind: String, name: String)?
    var open: (language: String, mark: (kind: String, name: String)?, line: Int)?
    var lines: [String] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let trimmed = line.drop { $0 == " " }
      if let current = open {
        if trimmed.hasPrefix("```") {
          blocks.append(
            Block(
              language: current.language,
              mark: current.mark,
              lines: Snippet.withoutCommonIndentation(lines),
              line: current.line
            )
          )
          open = nil
        } else {
          lines.append(String(line))
        }
      } else if trimmed.hasPrefix("```") {
        open = (String(trimmed.dropFirst(3)), mark, index + 1)
        lines = []
        mark = nil
      } else if let found = Self.mark(in: trimmed) {
        mark = found
      } else if !trimmed.isEmpty {
        mark = nil
      }
    }
    self.blocks = blocks
  }

  /// Reads `<!-- kind: name -->`.
  private static func mark(in line: Substring) -> (kind: String, name: String)? {
    let words = line.split(separator: " ")
    guard words.count == 4, words[0] == "<!--", words[3] == "-->", words[1].hasSuffix(":") else {
      return nil
    }
    return (String(words[1].dropLast()), String(words[2]))
  }

  /// Targets of the page's links inside the package: a path, which is empty for the page itself, and an anchor.
  static func links(in text: String) -> [(path: String, anchor: String?)] {
    text.split(separator: "](").dropFirst().compactMap { rest in
      let target = rest.prefix { $0 != ")" }
      guard !target.contains("://") else { return nil }
      let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(parts.first ?? ""), parts.count > 1 ? String(parts[1]) : nil)
    }
  }

  /// Anchors of a page's headings: lowercase, hyphens for spaces, without punctuation.
  static func anchors(in text: String) -> Set<String> {
    let headings = text.split(separator: "\n").filter { $0.hasPrefix("#") }
    return Set(
      headings.map { heading in
        let title = heading.drop { $0 == "#" }.dropFirst().lowercased()
        let slug = title.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }
        return slug.replacing(" ", with: "-")
      }
    )
  }
}

// MARK: - Snippets

/// Code in this module that a document shows.
struct Snippet: Sendable {
  /// The name that the document and the markers give it.
  let name: String
  /// The file it stands in.
  let file: String
  /// Its lines, without the markers and without common indentation.
  let lines: [String]
  /// Whether it only declares something, so that it has nothing to run.
  let isDeclaration: Bool

  /// All snippets of one source text: what stands between `// snippet: name` and `// end`.
  ///
  /// `// snippet: name, declaration` marks one that is not run by itself.
  static func all(in text: String, file: String) -> [Snippet] {
    var snippets: [Snippet] = []
    var open: (name: String, isDeclaration: Bool)?
    var lines: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      let words = line.split(separator: " ")
      if words.starts(with: ["//", "snippet:"]), let name = words.dropFirst(2).first {
        open = (String(name.filter { $0 != "," }), words.last == "declaration")
        lines = []
      } else if words == ["//", "end"], let current = open {
        snippets.append(
          Snippet(
            name: current.name,
            file: file,
            lines: withoutCommonIndentation(lines),
            isDeclaration: current.isDeclaration
          )
        )
        open = nil
      } else if open != nil {
        lines.append(line)
      }
    }
    return snippets
  }

  /// Lines moved left by the indentation they share.
  static func withoutCommonIndentation(_ lines: [String]) -> [String] {
    let filled = lines.filter { line in line.contains { $0 != " " } }
    let common = filled.map { line in line.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { String($0.dropFirst(common)) }
  }
}

// MARK: - Printed output

/// The printed output of a snippet, for comparison with the output that its document shows.
final class Page: Sendable {
  @TaskLocal static var current: Page?
  private let written = Mutex<[String]>([])

  /// The lines so far.
  var lines: [String] { written.withLock { $0 } }

  func add(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    written.withLock { $0 += lines }
  }
}

/// Stands in for the standard library's `print` in this module, so that snippets look like a client's code.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
  Page.current?.add(items.map { "\($0)" }.joined(separator: separator))
}

// MARK: - Temporary files

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
