import Testing

@Suite("Who may import whom", .timeLimit(.minutes(15)))
struct LayerRuleTests {
  @Test(arguments: LayerRule.all)
  func `a folder imports only what its layer may`(_ rule: LayerRule) throws {
    let violations = try PackageTree.files(under: rule.folder, "swift").flatMap { path in
      rule.violations(in: try PackageTree.text(path), of: path)
    }
    #expect(violations == [])
  }

  @Test(arguments: LayerRule.all)
  func `a folder of the table contains sources`(_ rule: LayerRule) {
    #expect(!PackageTree.files(under: rule.folder, "swift", "c", "modulemap").isEmpty)
  }

  @Test func `every folder under Sources is in the table`() {
    let found = PackageTree.folders(in: "Sources").flatMap { layer in
      PackageTree.folders(in: "Sources/\(layer)").map { "Sources/\(layer)/\($0)" }
    }
    let listed = Set(LayerRule.all.map(\.folder))
    #expect(found.filter { !listed.contains($0) } == [])
  }

  @Test func `without its trait the module over PostgreSQL is empty, and nothing needs libpq`()
    throws
  {
    let folders = ["Sources/Adapters/PostgreSQLPersistence", "Tests/PostgreSQLPersistenceTests"]
    for path in folders.flatMap({ PackageTree.files(under: $0, "swift") }) {
      #expect(Self.isInsideTrait(try PackageTree.text(path)), "\(path)")
    }
    let others = ["Sources", "Tests", "IntegrationTests"].flatMap {
      PackageTree.files(under: $0, "swift")
    }.filter { path in !folders.contains { path.hasPrefix($0 + "/") } }
    for path in others {
      let text = try PackageTree.text(path)
      let imports = ImportStatement.all(in: text).map(\.module)
      #expect(!imports.contains("CLibPQ") || Self.isInsideTrait(text), "\(path)")
    }
  }

  /// Whether a source is empty without the trait: one condition encloses all of it.
  private static func isInsideTrait(_ text: String) -> Bool {
    let lines = SourceCode(text).code.filter { !$0.allSatisfy(\.isWhitespace) }
    guard lines.first == "#if PostgreSQL", lines.last == "#endif" else { return false }
    var depth = 0
    for line in lines.dropLast() {
      let word = line.drop(while: \.isWhitespace)
      if word.hasPrefix("#if") { depth += 1 }
      if word.hasPrefix("#endif") { depth -= 1 }
      if depth == 0 || depth == 1 && word.hasPrefix("#else") { return false }
    }
    return depth == 1
  }

  @Test func `a source that is not enclosed by the trait is found`() {
    for text in [
      "import CLibPQ", "#if PostgreSQL\n#endif\nlet a = 1", "let a = 1\n#if PostgreSQL\n#endif",
      "#if PostgreSQL\n#else\nlet a = 1\n#endif", "#if PostgreSQL\n#endif\n#if Other\n#endif",
    ] {
      #expect(!Self.isInsideTrait(text), "\(text)")
    }
    #expect(Self.isInsideTrait("#if PostgreSQL\n#if a\n#else\n#endif\nlet a = 1\n#endif\n"))
  }

  @Test func `every source belongs to a layer`() {
    let stray = PackageTree.files(under: "Sources", "swift", "c").filter {
      $0.split(separator: "/").count < 4
    }
    #expect(stray == [])
  }
}

@Suite("The import check detects violations")
struct LayerRuleProof {
  private let rule = LayerRule("Sources/Core/Made", ["ResultsDomain"], because: "it is fabricated")

  @Test(arguments: [
    "import Foundation",
    "public import Foundation",
    "package import FoundationEssentials",
    "internal import Dispatch",
    "@preconcurrency public import Foundation",
    "import struct Foundation.Date",
    "@testable import ResultsDomain",
    "@_exported import ResultsDomain",
    "import ResultsDomain; import GRDB",
    "  #if canImport(Glibc)\n  import Glibc\n  #endif",
    "let text = \"\"\"\n  import ResultsDomain\n  \"\"\"\nimport GRDB",
    "/* import ResultsDomain */ import GRDB",
  ])
  func `a fabricated violation is detected`(_ text: String) {
    #expect(rule.violations(in: text, of: "Made.swift").count == 1)
  }

  @Test(arguments: [
    "import ResultsDomain",
    "public import struct ResultsDomain.Row",
    "import Synchronization",
    "// import Foundation",
    "/* outer /* inner */\nimport Foundation */",
    "let text = \"\"\"\nimport Foundation\n\"\"\"",
    "let text = #\"\\#(\"import\") import Foundation\"#",
    "#if canImport(Foundation)\n#endif",
    "let important = imports",
  ])
  func `an allowed import, or text that resembles an import, is no violation`(_ text: String) {
    #expect(rule.violations(in: text, of: "Made.swift") == [])
  }

  @Test func `only the umbrella exports, and only what it may import of the core`() {
    let modules = ["ResultsDomain", "FoundationEssentials"]
    let umbrella = LayerRule("Sources/Core/Made", modules, isUmbrella: true, because: "")
    #expect(umbrella.violations(in: "@_exported public import ResultsDomain", of: "M.swift") == [])
    for module in ["FoundationEssentials", "OrderStatistics", "GRDB"] {
      #expect(umbrella.violations(in: "@_exported import \(module)", of: "M.swift").count == 1)
    }
    #expect(umbrella.violations(in: "@testable import ResultsDomain", of: "M.swift").count == 1)
  }

  @Test func `a violation names file, line and reason`() {
    #expect(
      rule.violations(in: "\nimport GRDB", of: "Made.swift")
        == ["Made.swift:2: may not import GRDB: it is fabricated"]
    )
  }
}
