import Testing

@Suite("The width of the documents")
struct WrappingTests {
  /// The pages that are not wrapped yet.
  private static let others: Set<String> = [
    "docs/api-tour.md", "docs/browse.md", "docs/commands.md", "docs/postgresql.md",
    "docs/semantics.md", "docs/serving.md", "docs/web-protocol.md",
  ]

  private static var pages: [String] {
    DocumentTree.files(under: "docs", "md")
      .filter { $0.split(separator: "/").count == 2 && !others.contains($0) }
      + DocumentTree.files(under: "Sources/Core/FetchedResults", "md")
  }

  @Test(arguments: pages)
  func `prose is wrapped at 100 columns`(_ path: String) throws {
    let long = Self.longLines(in: try DocumentTree.text(path))
    #expect(long.isEmpty, "\(path): lines \(long)")
  }

  @Test func `a long line is found, except in tables, code and what cannot be divided`() {
    let words = String(repeating: "word ", count: 21)
    let text = """
      \(words)
      | \(words)|
      ```
      \(words)
      ```
      # \(words)
      [name]: https://example.org/\(words)
      - \(String(repeating: "x", count: 101))
      """
    #expect(Self.longLines(in: text) == [1])
  }

  /// The numbers of the lines of prose with more than 100 characters that have a blank at which to divide them.
  private static func longLines(in text: String) -> [Int] {
    var isCode = false
    var long: [Int] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let content = line.drop { $0 == " " }
      if content.hasPrefix("```") { isCode.toggle() }
      let isWhole = ["|", "#", "<!--", "![", "```"].contains { content.hasPrefix($0) }
      guard !isCode, !isWhole, line.unicodeScalars.count > 100 else { continue }
      if content.hasPrefix("["), content.contains("]: ") { continue }
      // The mark of a line of a list is no blank at which to divide it.
      let words = content.split(separator: " ")
      if words.count > (content.hasPrefix("- ") ? 2 : 1) { long.append(index + 1) }
    }
    return long
  }
}
