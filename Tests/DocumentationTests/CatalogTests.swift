import Testing

@Suite("The DocC catalogs")
struct CatalogTests {
  private static let folders = ["Sources/Core", "Sources/Adapters", "Sources/TestSupport"]

  /// Modules with a catalog, which `script/documentation` builds.
  private static var documented: [String] {
    folders.flatMap { DocumentTree.files(under: $0, "md") }
      .compactMap { path in
        let parts = path.split(separator: "/").map(String.init)
        return parts.count > 4 && parts[4] == "\(parts[2]).md" ? parts[2] : nil
      }
  }

  @Test func `the package index builds the reference of every module that has a catalog`() throws {
    let lines = try DocumentTree.text(".spi.yml").split(separator: "\n")
    let listed = lines.map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("- ") }
      .map { String($0.dropFirst(2)) }.filter { !$0.contains(":") }
    #expect(listed.sorted() == Self.documented.sorted())
    #expect(listed.count > 5)
  }

  @Test func `a page of a catalog is that of its module, or is listed there`()
    throws
  {
    for path in Self.folders.flatMap({ DocumentTree.files(under: $0, "md") }) {
      let folders = path.split(separator: "/").map(String.init)
      let module = folders[2]
      #expect(folders.count == 5 && folders[3] == "\(module).docc", "\(path)")
      let text = try DocumentTree.text(path)
      if folders.last == "\(module).md" {
        #expect(text.hasPrefix("# ``\(module)``\n"), "\(path)")
      } else {
        let front = try DocumentTree.text(
          folders[..<4].joined(separator: "/") + "/\(module).md"
        )
        let name = folders[4].dropLast(".md".count)
        #expect(text.hasPrefix("# ") && front.contains("\n- <doc:\(name)>"), "\(path)")
      }
    }
  }

  @Test func `every public type behind the umbrella is on one page of its reference`() throws {
    let pages = try DocumentTree.files(under: "Sources/Core/FetchedResults", "md").map {
      try DocumentTree.text($0)
    }
    let listed = pages.flatMap(Self.listed)
    let modules = ["FetchedResults", "ResultsDomain", "ResultsPresentation"]
    let exported = try DocumentTree.text("Sources/Core/FetchedResults/FetchedResults.swift")
      .matches(of: /import \w+ ResultsStoreKit\.(\w+)/).map { String($0.output.1) }
    let types = try modules.flatMap { try Self.types(of: $0) } + exported
    #expect(types.count > 100 && exported.count > 5)
    #expect(listed.sorted() == types.sorted())
  }

  @Test func `every public type of the kit for stores is on the page of its reference`() throws {
    let page = try DocumentTree.text(
      "Sources/Core/ResultsStoreKit/ResultsStoreKit.docc/ResultsStoreKit.md"
    )
    let types = try Self.types(of: "ResultsStoreKit")
    #expect(types.count > 20)
    #expect(Self.listed(on: page).sorted() == types.sorted())
  }

  private static func types(of module: String) throws -> [String] {
    try DocumentTree.files(under: "Sources/Core/\(module)", "swift").flatMap { path in
      try DocumentTree.text(path).matches(of: VocabularyTests.declaration)
        .map { String($0.output.1) }
    }
  }

  private static func listed(on page: String) -> [String] {
    page.split(separator: "\n").filter { $0.hasPrefix("- ``") && $0.hasSuffix("``") }
      .map { String($0.dropFirst(4).dropLast(2)) }
  }

  @Test func `every page by reader says whom it is for and shows compiled code`() throws {
    let pages = DocumentTree.files(under: "Sources/Core/FetchedResults", "md")
    #expect(pages.count > 5)
    for path in pages {
      let page = try DocumentTree.page(path)
      #expect(page.blocks.contains { $0.mark?.kind == "snippet" }, "\(path)")
      guard !path.hasSuffix("/FetchedResults.md") else { continue }
      #expect(try DocumentTree.text(path).contains("\n\nFor developers who "), "\(path)")
    }
  }
}
