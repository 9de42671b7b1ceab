import ResultsStoreKit
import Testing

/// The tables of `docs/architecture.md` that name files and declarations.
private struct CodeMap {
  /// A line of a table: a file, and declarations that it contains.
  struct Entry: Equatable {
    /// The file, by its path in the package.
    let path: String
    /// Names of types, functions, properties or cases.
    let symbols: [String]
    /// Whether the line is part of the way of one commit.
    let isOnWalk: Bool
  }

  let entries: [Entry]

  init(_ text: String) {
    var entries: [Entry] = []
    var isOnWalk = false
    for line in text.split(separator: "\n") {
      if line == "<!-- walk -->" { isOnWalk = true }
      if line == "<!-- end -->" { isOnWalk = false }
      let cells = line.split(separator: "|").map(Self.quoted)
      guard line.hasPrefix("|"), let file = cells.firstIndex(where: Self.isFile) else { continue }
      let symbols = cells[(file + 1)...].flatMap(\.self)
      entries.append(Entry(path: cells[file][0], symbols: symbols, isOnWalk: isOnWalk))
    }
    self.entries = entries
  }

  /// The texts between backticks in one cell.
  private static func quoted(_ cell: Substring) -> [String] {
    let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
    return parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) }
  }

  private static func isFile(_ quoted: [String]) -> Bool {
    quoted.count == 1 && quoted[0].hasSuffix(".swift")
  }

  /// Whether a source text declares a name, at any depth.
  static func declares(_ symbol: String, in source: String) -> Bool {
    let words = "func|var|let|case|struct|class|enum|protocol|actor|typealias|extension"
    guard let pattern = try? Regex("\\b(\(words)) \(symbol)\\b") else { return false }
    return symbol == "init" ? source.contains("init(") : source.contains(pattern)
  }
}

@Suite("The map of the code")
struct CodeMapTests {
  @Test func `every file and declaration of the map exists`() throws {
    let map = CodeMap(try DocumentTree.text("docs/architecture.md"))
    #expect(map.entries.count > 30)
    var missing: [String] = []
    for entry in map.entries {
      guard DocumentTree.exists(entry.path) else {
        missing.append(entry.path)
        continue
      }
      let source = try DocumentTree.text(entry.path)
      #expect(!entry.symbols.isEmpty, "\(entry.path) is named without a declaration")
      missing += entry.symbols.filter { !CodeMap.declares($0, in: source) }
        .map { "\($0) in \(entry.path)" }
    }
    #expect(missing == [])
  }

  @Test func `one commit passes through few files and folders`() throws {
    let walk = CodeMap(try DocumentTree.text("docs/architecture.md")).entries.filter(\.isOnWalk)
    #expect((12...15).contains(walk.count))
    let folders = walk.map { $0.path.split(separator: "/").dropLast().joined(separator: "/") }
    #expect(Set(walk.map(\.path)).count <= 28)
    #expect(Set(folders).count <= 8)
  }

  @Test func `every Swift file that a document names exists`() throws {
    var all: Set = ["Package.swift", "main.swift"]
    for folder in ["Sources", "Tests", "IntegrationTests"] {
      for path in DocumentTree.files(under: folder, "swift") { all.insert(Self.name(of: path)) }
    }
    let named = /`([A-Za-z0-9+\/]+\.swift)`/
    for path in DocumentTree.documents {
      for match in try DocumentTree.text(path).matches(of: named) {
        let file = Self.name(of: String(match.output.1))
        // A set of all names would make a long message.
        let exists = all.contains(file) || file.hasPrefix("Type+")
        #expect(exists, "\(path): there is no \(file)")
      }
    }
  }

  private static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}

@Suite("The check of the map catches what it should")
struct CodeMapProof {
  @Test func `a line of a table is a file with its declarations`() {
    let map = CodeMap(
      """
      | step | file | function |
      |---|---|---|
      | before `x` | `Sources/Before.swift` | `one` |
      <!-- walk -->
      | read | `Sources/Read.swift` | `read`, `Reader` |
      <!-- end -->
      """
    )
    #expect(
      map.entries == [
        CodeMap.Entry(path: "Sources/Before.swift", symbols: ["one"], isOnWalk: false),
        CodeMap.Entry(path: "Sources/Read.swift", symbols: ["read", "Reader"], isOnWalk: true),
      ]
    )
  }

  @Test func `a name must be declared, not only used`() {
    #expect(CodeMap.declares("read", in: "  public func read() {}"))
    #expect(CodeMap.declares("Reader", in: "struct Reader<Element> {"))
    #expect(CodeMap.declares("init", in: "  init(_ value: Int) {}"))
    #expect(!CodeMap.declares("read", in: "try store.read { _ in }"))
    #expect(!CodeMap.declares("read", in: "func reading() {}"))
  }
}
