import Testing

@Suite("The vocabulary")
struct VocabularyTests {
  @Test func `every public type of the core stands under one word`() throws {
    let vocabulary = try DocumentTree.text("docs/vocabulary.md").split(separator: "`")
    let types = try DocumentTree.files(under: "Sources/Core", "swift").flatMap { path in
      try DocumentTree.text(path).matches(of: Self.declaration).map { String($0.output.1) }
    }
    #expect(types.count > 100)
    let misplaced = types.filter { type in vocabulary.filter { $0 == type }.count != 1 }
    #expect(misplaced == [])
  }

  /// A public type that is not inside another one.
  static var declaration: Regex<(Substring, Substring)> {
    /^public (?:final class|struct|(?:indirect )?enum|protocol|actor|typealias) (\w+)/
      .anchorsMatchLineEndings()
  }
}
