import ResultsStoreKit
import Foundation
import Testing

@Suite("Code in the documents", .timeLimit(.minutes(15)))
struct SnippetTests {
  @Test(arguments: DocumentTree.documents)
  func `every block of Swift is a compiled snippet`(_ path: String) throws {
    let snippets = try DocumentTree.snippets()
    for block in try DocumentTree.page(path).blocks where block.language == "swift" {
      let location = "\(path):\(block.line)"
      let mark = try #require(
        block.mark,
        "\(location): a block of Swift needs its snippet's name above"
      )
      let snippet = try #require(snippets[mark.name], "\(location): there is no such snippet")
      #expect(mark.kind == "snippet", "\(location)")
      #expect(block.lines == snippet.lines, "\(location) differs from \(snippet.file)")
    }
  }

  @Test(arguments: DocumentTree.documents)
  func `the output shown is what the snippet prints`(_ path: String) async throws {
    for block in try DocumentTree.page(path).blocks where block.mark?.kind == "output" {
      let name = try #require(block.mark?.name)
      let run = try #require(runnableSnippets[name], "\(path):\(block.line): no such run")
      let page = Page()
      try await Page.$current.withValue(page) { try await run() }
      #expect(block.lines == page.lines, "\(path):\(block.line)")
    }
  }

  @Test(arguments: runnableSnippets.keys.sorted())
  func `a snippet runs`(_ name: String) async throws {
    let run = try #require(runnableSnippets[name])
    let page = Page()
    try await Page.$current.withValue(page) { try await run() }
    #expect(!page.lines.isEmpty)
  }

  @Test func `every snippet is run or declares something`() throws {
    let snippets = try DocumentTree.snippets()
    #expect(!snippets.isEmpty)
    let idle = snippets.values.filter { !$0.isDeclaration && runnableSnippets[$0.name] == nil }
    #expect(idle.map(\.name) == [])
  }

  @Test func `every snippet is shown somewhere`() throws {
    let shown = try DocumentTree.documents.flatMap { path in
      try DocumentTree.page(path).blocks.filter { $0.mark?.kind == "snippet" }
        .compactMap { $0.mark?.name }
    }
    #expect(try DocumentTree.snippets().keys.filter { !shown.contains($0) }.sorted() == [])
  }
}

@Suite("The document checks catch what they should")
struct SnippetProof {
  @Test func `a block is found with its mark, its language and its lines`() throws {
    let text = """
      Text.

      <!-- snippet: one -->
      ```swift
        let x = 1
          // deeper
      ```

      <!-- output: one -->

      Other text comes between.
      ```text
      1
      ```
      """
    let page = DocumentPage(path: "made.md", text: text)
    let first = try #require(page.blocks.first)
    #expect(first.language == "swift")
    #expect(first.mark?.name == "one")
    #expect(first.lines == ["let x = 1", "  // deeper"])
    #expect(first.line == 4)
    #expect(page.blocks.count == 2)
    #expect(page.blocks.last?.mark == nil)
  }

  @Test func `a snippet is what stands between its markers`() throws {
    let text = """
      func run() {
        // snippet: one, declaration
        let x = 1

        if x == 1 {
          print(x)
        }
        // end
      }
      """
    let snippet = try #require(Snippet.all(in: text, file: "made.swift").first)
    #expect(snippet.name == "one")
    #expect(snippet.isDeclaration)
    #expect(snippet.lines == ["let x = 1", "", "if x == 1 {", "  print(x)", "}"])
  }
}

// MARK: - Recording

/// Writes the code of the snippets and what they print into the documents.
///
/// `RECORD_DOCUMENTS=1 swift test --filter RecordingTests`; the run fails, so that no document is committed unread.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["RECORD_DOCUMENTS"] != nil))
struct RecordingTests {
  @Test(arguments: DocumentTree.documents)
  func `documents are recorded again`(_ path: String) async throws {
    let old = try DocumentTree.text(path)
    let new = try await Self.recorded(old, path: path)
    guard new != old else { return }
    try new.write(to: DocumentTree.root.appending(path: path), atomically: false, encoding: .utf8)
    Issue.record(
      "\(path) was recorded again. Read what changed, then run without RECORD_DOCUMENTS."
    )
  }

  private static func recorded(_ text: String, path: String) async throws -> String {
    let snippets = try DocumentTree.snippets()
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for block in DocumentPage(path: path, text: text).blocks.reversed() {
      guard let mark = block.mark else { continue }
      let content: [String]
      switch mark.kind {
      case "snippet":
        guard let snippet = snippets[mark.name] else { continue }
        content = snippet.lines
      case "output":
        guard let run = runnableSnippets[mark.name] else { continue }
        let page = Page()
        try await Page.$current.withValue(page) { try await run() }
        content = page.lines
      default: continue
      }
      let start = block.line
      lines.replaceSubrange(start..<(start + block.lines.count), with: content)
    }
    return lines.joined(separator: "\n")
  }
}
