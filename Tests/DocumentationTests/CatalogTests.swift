import Testing

@Suite("The DocC catalogs")
struct CatalogTests {
  /// Modules with a catalog, which `script/documentation` builds.
  private static var documented: [String] {
    ["Sources/Core", "Sources/Adapters", "Sources/TestSupport"]
      .flatMap { DocumentTree.files(under: $0, "md") }
      .filter { $0.contains(".docc/") }
      .compactMap { path in
        path.split(separator: "/").last.map { String($0.dropLast(".md".count)) }
      }
  }

  @Test func `the package index builds the reference of every module that has a catalog`() throws {
    let lines = try DocumentTree.text(".spi.yml").split(separator: "\n")
    let listed = lines.map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("- ") }
      .map { String($0.dropFirst(2)) }.filter { !$0.contains(":") }
    #expect(listed.sorted() == Self.documented.sorted())
    #expect(listed.count > 5)
  }

  @Test func `a catalog's page belongs to its module`() throws {
    for path in ["Sources/Core", "Sources/Adapters", "Sources/TestSupport"].flatMap({
      DocumentTree.files(under: $0, "md")
    }) {
      let folders = path.split(separator: "/").map(String.init)
      let module = folders[2]
      #expect(Array(folders[3...]) == ["\(module).docc", "\(module).md"], "\(path)")
      #expect(try DocumentTree.text(path).hasPrefix("# ``\(module)``\n"), "\(path)")
    }
  }
}
