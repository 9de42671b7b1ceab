import Testing

/// A row of the table in `docs/semantics.md`.
private struct ContractRow {
  let id: String
  let tests: [String]

  /// Rows that name their tests: `| R26 | … | `DeltaLawTests` |`.
  static func all(in text: String) -> [ContractRow] {
    text.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimming(" ") }
      guard cells.count >= 3, let id = cells.first, isRow(id) else { return nil }
      let tests = cells.last?.split(separator: "`").filter { $0.hasSuffix("Tests") } ?? []
      return ContractRow(id: id, tests: tests.map(String.init))
    }
  }

  static func isRow(_ word: String) -> Bool {
    (3...4).contains(word.count) && word.first == "R" && word.dropFirst().allSatisfy(\.isNumber)
  }
}

extension Substring {
  fileprivate func trimming(_ character: Character) -> String {
    var rest = drop { $0 == character }
    while rest.last == character { rest.removeLast() }
    return String(rest)
  }
}

@Suite("The contract's rows and their tests")
struct ContractTests {
  @Test func `every row is cited by the tests it names`() throws {
    let rows = ContractRow.all(in: try DocumentTree.text("docs/semantics.md"))
    #expect(rows.count > 40)
    let files =
      DocumentTree.files(under: "Tests", "swift")
      + DocumentTree.files(under: "IntegrationTests", "swift")
    for row in rows {
      #expect(!row.tests.isEmpty, "\(row.id) names no test")
      for test in row.tests {
        let file = files.first { $0.hasSuffix("/\(test).swift") }
        let path = try #require(file, "\(row.id): there is no \(test).swift")
        #expect(try Self.cites(try DocumentTree.text(path), row.id), "\(row.id) is not in \(path)")
      }
    }
  }

  @Test func `no row occurs twice`() throws {
    let ids = ContractRow.all(in: try DocumentTree.text("docs/semantics.md")).map(\.id)
    #expect(ids.count == Set(ids).count)
  }

  @Test func `R2 is not R26, nor is R260`() throws {
    #expect(try Self.cites("// R26: replaying", "R26"))
    #expect(try !Self.cites("// R260", "R26"))
    #expect(try !Self.cites("// XR26", "R26"))
  }

  private static func cites(_ text: String, _ id: String) throws -> Bool {
    try text.contains(Regex("\\b\(id)\\b"))
  }
}
